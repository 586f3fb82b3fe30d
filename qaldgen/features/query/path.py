"""Property paths: their IRIs, their steps, and how they are written."""

from __future__ import annotations

from collections.abc import Iterator

from qaldgen.features.query.tree import Step
from qaldgen.sparql.grammar.tree import Predicate


def path_text(path: Predicate) -> str:
    """Write a predicate as text; paths get brackets, so that they cannot be mistaken for an IRI."""
    if isinstance(path, str):
        return path
    parts = [path_text(part) for part in path.parts]
    if path.operator in {"/", "|"}:
        return f"({path.operator.join(parts)})"
    return (
        f"({path.operator}({'|'.join(parts)}))"
        if path.operator in {"^", "!"}
        else f"({parts[0]}{path.operator})"
    )


def path_iris(path: Predicate) -> Iterator[str]:
    """Return every IRI of a predicate, in its order."""
    if not isinstance(path, str):
        for part in path.parts:
            yield from path_iris(part)
    elif path.startswith("<"):
        yield path[1:-1]


def path_steps(path: Predicate) -> Iterator[Step]:
    """Return the steps of a predicate; where it offers alternatives, those of the first."""
    if isinstance(path, str):
        yield Step(path[1:-1] if path.startswith("<") else "", False)
    elif path.operator == "!":
        yield Step("", False)
    elif path.operator == "^":
        # an inverse path is walked backwards, each step turned around
        yield from (
            Step(step.iri, not step.inverse) for step in reversed(list(path_steps(path.parts[0])))
        )
    else:
        for part in path.parts[: None if path.operator == "/" else 1]:
            yield from path_steps(part)
