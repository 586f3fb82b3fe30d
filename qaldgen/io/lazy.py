"""Public names that are imported when they are used, so that importing a package is instant."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def importer(package: str, public_names: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package, given the public names in each of its modules."""
    module_of: dict[str, str] = {}
    for module, names in public_names.items():
        module_of |= dict.fromkeys(names, f"{package}.{module}")

    def get(name: str) -> Any:  # noqa: ANN401 - any public object
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(module_of[name]), name)

    return get
