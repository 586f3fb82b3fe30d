"""Public names that are imported when they are used, so that importing a package is instant."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import sys
from collections.abc import Callable
from typing import Any


@functools.cache
def public_modules(package: str) -> dict[str, str]:
    """Return the module of each public name: what the package imports for type checkers alone."""
    return {
        alias.name: str(node.module)
        for block in ast.parse(inspect.getsource(sys.modules[package])).body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def imported_on_use(package: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package with names under ``if TYPE_CHECKING:``."""

    def get(name: str) -> Any:  # noqa: ANN401 - any public object
        if name.startswith("__") or name not in public_modules(package):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(public_modules(package)[name]), name)

    return get
