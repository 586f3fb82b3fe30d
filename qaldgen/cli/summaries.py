"""The source of a module, and what a verb does: help must not import what it lists."""

from __future__ import annotations

import ast
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path


def first_sentence(docstring: str) -> str:
    """Return the first paragraph of a docstring, on one line."""
    return " ".join(docstring.partition("\n\n")[0].split())


def summary(point: EntryPoint) -> str:
    """Return the first sentence of the docstring of what an entry point names; empty if none."""
    source = source_of(point.module)
    if not source.is_file():  # a package that is broken is told when its verb is used
        return ""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    own = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == point.attr
    ]
    return first_sentence(ast.get_docstring(own[0] if own else tree) or "")


def source_of(module: str) -> Path:
    """Return the file of a module without importing it or the packages above it."""
    top, *rest = module.split(".")
    spec = find_spec(top)
    folders = (spec.submodule_search_locations if spec is not None else None) or [""]
    path = Path(folders[0], *rest)
    if spec is not None and spec.origin is not None and not rest:
        return Path(spec.origin)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
