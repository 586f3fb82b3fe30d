"""Public names that are imported when they are used, so that importing a package is instant."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def importer(package: str, module_of: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package; `module_of` has the module of each public name."""

    def get(name: str) -> Any:  # noqa: ANN401 - any public object
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(module_of[name]), name)

    return get
