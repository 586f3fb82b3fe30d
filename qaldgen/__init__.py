"""Microbenchmarks for question answering.

Select questions by features, choose the ones that represent them, compare systems.

>>> import qaldgen as qg
>>> len(qg.__all__) > 0
True
"""

from __future__ import annotations

from typing import Any

from qaldgen.io.lazy import importer

__version__ = "0.2.0"

_imported = importer(__name__)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    public_names = sorted(["__version__", *_imported("__all__")])
    if name == "__all__":
        return public_names
    if name not in public_names and not name.startswith("_"):
        from qaldgen.io.arguments import did_you_mean

        verbs = [public for public in public_names if public[0].islower()]
        raise AttributeError(
            f"module 'qaldgen' has no attribute {name!r}; {did_you_mean(name, public_names)}"
            f"its functions are {', '.join(verbs)}"
        )
    return _imported(name)


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
