"""The syntax tree of a SPARQL query, and walks over its parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

Term: TypeAlias = str
Expression: TypeAlias = "Term | Operation | FunctionCall | Aggregate | Exists"
Predicate: TypeAlias = "Term | Path"
Part: TypeAlias = "Triples | Filter | Bind | Values | Branches | Block"


class Path(NamedTuple):
    """A property path.

    ``/`` and ``|`` join parts, ``^``, ``*``, ``+`` and ``?`` have one, ``!`` has those excluded.
    """

    operator: str
    parts: tuple[Predicate, ...]


class Triple(NamedTuple):
    """A triple pattern."""

    subject: Term
    predicate: Predicate
    object: Term


class Operation(NamedTuple):
    """Operators of one level and their operands.

    ``a + b - c`` has the names ``+`` and ``-`` and three arguments.
    ``||`` and ``&&`` are named once. Signs before an operand have one argument. The arguments of
    ``IN`` and ``NOT IN`` are the value and the members of the list.
    """

    names: tuple[str, ...]
    arguments: tuple[Expression, ...]


class FunctionCall(NamedTuple):
    """A function, by its IRI in angle brackets or by its keyword in capitals."""

    name: str
    arguments: tuple[Expression, ...]


class Aggregate(NamedTuple):
    """An aggregate, named in capitals; ``*`` has no argument."""

    name: str
    distinct: bool
    argument: Expression | None


def children(node: Operation | FunctionCall | Aggregate) -> tuple[Expression, ...]:
    """Return the direct sub-expressions of an expression."""
    if isinstance(node, Aggregate):
        if node.argument is None:
            return ()
        return (node.argument,)
    return node.arguments


class Exists(NamedTuple):
    """``EXISTS`` or ``NOT EXISTS``."""

    negated: bool
    group: Group


class Triples(NamedTuple):
    """Triple patterns with nothing between them; lists and nested blank nodes are written out."""

    triples: tuple[Triple, ...]


class Filter(NamedTuple):
    """``FILTER``."""

    condition: Expression


class Bind(NamedTuple):
    """``BIND``."""

    expression: Expression
    variable: Term


class Values(NamedTuple):
    """``VALUES``; None is UNDEF."""

    variables: tuple[Term, ...]
    rows: tuple[tuple[Term | None, ...], ...]


class Branches(NamedTuple):
    """The groups of a UNION, or one group alone."""

    groups: tuple[Group, ...]


class Block(NamedTuple):
    """``OPTIONAL``, ``MINUS``, ``GRAPH`` or ``SERVICE``; the last two have a term."""

    keyword: str
    group: Group
    term: Term = ""


class Group(NamedTuple):
    """The content of braces: parts, or a sub-query."""

    parts: tuple[Part, ...]
    query: Query | None = None


class Column(NamedTuple):
    """A column of SELECT; a plain variable has no expression."""

    variable: Term
    expression: Expression | None = None


class ClauseEntry(NamedTuple):
    """An entry of GROUP BY, HAVING or ORDER BY; ``GROUP BY (expression AS ?x)`` has a variable."""

    expression: Expression
    variable: Term = ""


class Query(NamedTuple):
    """A query or sub-query."""

    form: str  # SELECT, ASK, CONSTRUCT or DESCRIBE
    modifier: str = ""  # DISTINCT, REDUCED or nothing
    #: The columns of SELECT; empty for ``*`` and for the other forms.
    columns: tuple[Column, ...] = ()
    where: Group | None = None  # the group; None for a DESCRIBE without WHERE
    #: Empty if the clause is missing.
    group_by: tuple[ClauseEntry, ...] = ()
    having: tuple[ClauseEntry, ...] = ()
    order_by: tuple[ClauseEntry, ...] = ()
    #: None if the clause is missing.
    limit: int | None = None
    offset: int | None = None
    values: Values | None = None  # the VALUES after the group


def all_parts(query: Query) -> Iterator[Part]:
    """Yield the parts of all groups, including sub-queries, but not EXISTS."""
    stack: list[Group | None] = [query.where]
    while stack:
        group = stack.pop()
        if group is None:
            continue
        if group.query is not None:
            stack.append(group.query.where)
        for part in group.parts:
            yield part
            if isinstance(part, Block):
                stack.append(part.group)
            elif isinstance(part, Branches):
                stack += part.groups


def all_queries(query: Query) -> Iterator[Query]:
    """Yield a query and its sub-queries, but no sub-queries in EXISTS."""
    yield query
    groups: list[Group] = [] if query.where is None else [query.where]
    for part in all_parts(query):
        if isinstance(part, Block):
            groups.append(part.group)
        elif isinstance(part, Branches):
            groups += part.groups
    for group in groups:
        if group.query is not None:
            yield group.query


def joined_parts(query: Query) -> list[int]:
    """Return the number of parts that are joined with each other, for each group.

    >>> from qaldgen.sparql.grammar import parse
    >>> joined_parts(parse("ASK { ?a <urn:p>/<urn:q> ?b . { ?b ?p ?c } OPTIONAL { ?c ?p ?d } }"))
    [4, 1]
    """
    stack = [] if query.where is None else [query.where]
    numbers: list[int] = []
    while stack:
        part_count, inner = _joined(stack.pop())
        numbers.append(part_count)
        stack += inner
    return numbers


def _joined(group: Group) -> tuple[int, list[Group]]:
    """Return the number of parts that a group joins, and the groups planned on their own."""
    if group.query is not None:
        inner_group = group.query.where
        return 1, [] if inner_group is None else [inner_group]
    part_count = 0
    inner: list[Group] = []
    for part in group.parts:
        if isinstance(part, Triples):
            part_count += sum(_steps(triple.predicate) for triple in part.triples)
        elif isinstance(part, Branches) and len(part.groups) == 1:
            joined_inside, groups_inside = _joined(part.groups[0])
            part_count += joined_inside
            inner += groups_inside
        else:
            part_count += (
                not isinstance(part, (Filter, Bind)) and getattr(part, "keyword", "") != "MINUS"
            )
            inner += _groups(part)
    return part_count, inner


def _steps(path: Predicate) -> int:
    if isinstance(path, str) or path.operator not in {"/", "^"}:
        return 1
    return sum(_steps(part) for part in path.parts)


def _groups(part: Part) -> list[Group]:
    """Return the groups in a part, including the groups of EXISTS."""
    if isinstance(part, Block):
        return [part.group]
    if isinstance(part, Branches):
        return list(part.groups)
    groups = []
    stack: list[Expression] = []
    if isinstance(part, Filter):
        stack.append(part.condition)
    elif isinstance(part, Bind):
        stack.append(part.expression)
    while stack:
        node = stack.pop()
        if isinstance(node, Exists):
            groups.append(node.group)
        elif not isinstance(node, str):
            stack += children(node)
    return groups
