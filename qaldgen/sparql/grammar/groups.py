"""Groups in braces, and the parts in them."""

from __future__ import annotations

from qaldgen.sparql.grammar.cursor import Cursor
from qaldgen.sparql.grammar.expressions import constraint, expression
from qaldgen.sparql.grammar.terms import (
    iri,
    is_iri,
    literal,
    starts_literal,
    variable,
    variable_or_iri,
)
from qaldgen.sparql.grammar.tree import (
    Bind,
    Block,
    Branches,
    Filter,
    Group,
    Part,
    Term,
    Triple,
    Triples,
    Values,
)
from qaldgen.sparql.grammar.triples import same_subject, starts_triples


def group(cursor: Cursor) -> Group:
    """Read a group with its braces: parts, or a sub-query."""
    cursor.expect("{")
    if cursor.token.word == "SELECT":
        found = Group((), cursor.nested.sub_query(cursor))
        cursor.expect("}")
        return found
    parts: list[Part] = []
    while not cursor.accept("}"):
        if starts_triples(cursor):
            parts.append(Triples(tuple(_triples(cursor))))
            continue
        found_part = _part(cursor)
        if found_part is None:
            raise cursor.error("a triple pattern, another part of a group, or '}'")
        parts.append(found_part)
        cursor.accept(".")
    return Group(tuple(parts))


def values(cursor: Cursor) -> Values:
    """Read the variables and data after VALUES."""
    single = cursor.token.kind == "var"
    variables = [variable(cursor)] if single else _bracketed_variables(cursor)
    cursor.expect("{")
    rows: list[tuple[Term | None, ...]] = []
    while not cursor.accept("}"):
        row = [_data_value(cursor)] if single else _row(cursor)
        if len(row) != len(variables):
            raise cursor.error(f"a row of {len(variables)} values")
        rows.append(tuple(row))
    return Values(tuple(variables), tuple(rows))


def _triples(cursor: Cursor) -> list[Triple]:
    """Read triple patterns with dots between them."""
    found: list[Triple] = []
    while starts_triples(cursor):
        same_subject(cursor, found)
        if not cursor.accept("."):
            if starts_triples(cursor):
                raise cursor.error("'.'")
            break
    return found


def _part(cursor: Cursor) -> Part | None:
    """Read a part that is not a triple pattern; None if there is none here."""
    if cursor.sees("{"):
        return _branches(cursor)
    keyword = cursor.accept_word(
        "FILTER", "BIND", "VALUES", "OPTIONAL", "MINUS", "GRAPH", "SERVICE"
    )
    if keyword == "FILTER":
        return Filter(constraint(cursor))
    if keyword == "BIND":
        return _bind(cursor)
    if keyword == "VALUES":
        return values(cursor)
    if keyword == "SERVICE":
        cursor.accept_word("SILENT")
    if keyword in {"GRAPH", "SERVICE"}:
        named = variable_or_iri(cursor)
        return Block(keyword, group(cursor), named)
    return Block(keyword, group(cursor)) if keyword else None


def _branches(cursor: Cursor) -> Branches:
    groups = [group(cursor)]
    while cursor.accept_word("UNION"):
        groups.append(group(cursor))
    return Branches(tuple(groups))


def _bind(cursor: Cursor) -> Bind:
    cursor.expect("(")
    value = expression(cursor)
    cursor.expect_word("AS")
    name = variable(cursor)
    cursor.expect(")")
    return Bind(value, name)


def _bracketed_variables(cursor: Cursor) -> list[Term]:
    cursor.expect("(")
    found = []
    while not cursor.accept(")"):
        found.append(variable(cursor))
    return found


def _row(cursor: Cursor) -> list[Term | None]:
    cursor.expect("(")
    found = []
    while not cursor.accept(")"):
        found.append(_data_value(cursor))
    return found


def _data_value(cursor: Cursor) -> Term | None:
    """Read a value of VALUES; None for UNDEF."""
    if cursor.accept_word("UNDEF"):
        return None
    if is_iri(cursor.token):
        return iri(cursor)
    if not starts_literal(cursor):
        raise cursor.error("an IRI, a literal or UNDEF")
    return literal(cursor)
