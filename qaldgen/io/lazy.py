"""Public names that are imported when they are used, so that importing a package is instant."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any


@functools.cache
def public_modules(package: str) -> dict[str, str]:
    """Return the module of each public name: what the package imports for type checkers alone."""
    import ast
    from inspect import getsource  # is half the time of an import of ours

    return {
        alias.name: str(node.module)
        for block in ast.parse(getsource(sys.modules[package])).body
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
        named = getattr(importlib.import_module(public_modules(package)[name]), name)
        return _explaining(named, package) if isinstance(named, FunctionType) else named

    return get


@functools.cache
def _explaining(function: Callable[..., Any], package: str) -> Callable[..., Any]:
    """Return a function of a package whose wrong calls say how it is called."""

    @functools.wraps(function)
    def call(*values: Any, **options: Any) -> Any:  # noqa: ANN401 - those of the function
        try:
            return function(*values, **options)
        except TypeError:
            from inspect import signature

            try:
                signature(function).bind(*values, **options)
            except TypeError as wrong:
                raise TypeError(_how_to_call(call, str(wrong), options)) from None
            raise  # the call was right

    call.__module__ = package  # where pickle finds it
    return call


def _how_to_call(function: Callable[..., Any], wrong: str, options: Iterable[str]) -> str:
    import inspect

    from qaldgen.io.arguments import did_you_mean

    parameters = inspect.signature(function).parameters
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    unknown = next((name for name in options if name not in parameters and not takes_any), "")
    hint = did_you_mean(unknown, parameters) if unknown else ""
    if unknown:  # Python may name an argument that is missing first
        wrong = f"got an unexpected keyword argument {unknown!r}"
    bare = [
        one.replace(annotation=inspect.Parameter.empty, default=inspect.Parameter.empty)
        for one in parameters.values()
    ]
    called = f"{function.__name__}{inspect.Signature(bare)}"
    several = "; several runs are one list: [a, b]" if "runs" in parameters and not options else ""
    return f"{function.__name__}: {wrong}; {hint}call it as {called}{several}"
