"""Public names that are imported when they are used, so that importing a package is instant."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any


def importer(package: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package, whose stub imports its public names.

    It knows ``__all__``, too: the names that ``__init__.pyi`` exports, ``import name as name``.
    """

    def get(name: str) -> Any:  # noqa: ANN401 - any public object
        module_of = _module_of(package)
        if name == "__all__":
            return sorted(module_of)
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(module_of[name]), name)

    return get


@functools.cache
def _module_of(package: str) -> dict[str, str]:
    import ast

    stub = ast.parse(pkgutil.get_data(package, "__init__.pyi") or b"")
    imports = [line for line in stub.body if isinstance(line, ast.ImportFrom)]
    return {name.asname: str(line.module) for line in imports for name in line.names if name.asname}
