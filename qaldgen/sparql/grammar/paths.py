"""Property paths."""

from __future__ import annotations

from qaldgen.sparql.grammar.cursor import Cursor
from qaldgen.sparql.grammar.terms import RDF, iri, is_iri, starts_literal
from qaldgen.sparql.grammar.tree import Path, Predicate, Term

_TYPE = f"<{RDF}type>"


def starts_path(cursor: Cursor) -> bool:
    """Whether a property path begins here."""
    token = cursor.token
    return is_iri(token) or token.text == "a" or (token.kind == "other" and token.text in "^!(")


def path(cursor: Cursor) -> Predicate:
    """Read a path; a single IRI is returned as a term, not as a `Path`."""
    branches = [_sequence(cursor)]
    while cursor.sees("|") and not cursor.sees("||"):
        cursor.take()
        branches.append(_sequence(cursor))
    return Path("|", tuple(branches)) if len(branches) > 1 else branches[0]


def predicate_iri(cursor: Cursor) -> Term:
    """Read an IRI or ``a``."""
    if cursor.token.text == "a":
        cursor.take()
        return _TYPE
    if not is_iri(cursor.token):
        raise cursor.error("a property")
    return iri(cursor)


def _sequence(cursor: Cursor) -> Predicate:
    steps = [_step(cursor)]
    while cursor.accept("/"):
        steps.append(_step(cursor))
    return Path("/", tuple(steps)) if len(steps) > 1 else steps[0]


def _step(cursor: Cursor) -> Predicate:
    """Read one step, with ``^`` before it and ``*``, ``+`` or ``?`` after it."""
    inverse = cursor.accept("^")
    if cursor.accept("("):
        step = path(cursor)
        cursor.expect(")")
    elif cursor.accept("!"):
        step = Path("!", tuple(_excluded(cursor)))
    else:
        step = predicate_iri(cursor)
    if (
        cursor.token.kind == "other" and cursor.token.text in "*+?" and not starts_literal(cursor)
    ):  # not ``:p +1``
        step = Path(cursor.take().text, (step,))
    return Path("^", (step,)) if inverse else step


def _excluded(cursor: Cursor) -> list[Predicate]:
    """Read the properties after ``!``: one, or several in brackets."""
    if not cursor.accept("("):
        return [_excluded_one(cursor)]
    found: list[Predicate] = []
    while not cursor.accept(")"):
        if found:
            cursor.expect("|")
        found.append(_excluded_one(cursor))
    return found


def _excluded_one(cursor: Cursor) -> Predicate:
    inverse = cursor.accept("^")
    found = predicate_iri(cursor)
    return Path("^", (found,)) if inverse else found
