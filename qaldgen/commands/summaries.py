"""What a verb does, in one line, read from its source: help must not import what it lists."""

from __future__ import annotations

import ast
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path


def summary(point: EntryPoint) -> str:
    """Return the first sentence of the docstring of what an entry point names; empty if none."""
    try:
        spec = find_spec(point.module)
    except ImportError:  # a package that is broken is told when its verb is used
        return ""
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return ""
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    own = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == point.attr
    ]
    return ((ast.get_docstring(own[0] if own else tree) or "").partition("\n\n")[0]).replace(
        "\n", " "
    )
