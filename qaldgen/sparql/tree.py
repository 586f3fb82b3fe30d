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

    ``/`` and ``|`` join parts; ``^``, ``*``, ``+`` and ``?`` have one part; the parts of ``!`` are
    excluded.
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
    for group in _all_groups(query.where):
        yield from group.parts


def all_queries(query: Query) -> Iterator[Query]:
    """Yield a query and its sub-queries, but no sub-queries in EXISTS."""
    yield query
    for group in _all_groups(query.where):
        if group.query is not None:
            yield group.query


def _all_groups(group: Group | None) -> Iterator[Group]:
    """Yield a group and all groups in it, those of sub-queries too, but not those of EXISTS."""
    if group is None:
        return
    yield group
    if group.query is not None:
        yield from _all_groups(group.query.where)
    for part in group.parts:
        for inner_group in _groups_of_part(part):
            yield from _all_groups(inner_group)


def _groups_of_part(part: Part) -> tuple[Group, ...]:
    if isinstance(part, Block):
        return (part.group,)
    if isinstance(part, Branches):
        return part.groups
    return ()


def joined_parts(query: Query) -> list[int]:
    """Return how many parts each group joins with each other.

    >>> from qaldgen.sparql.grammar import parse
    >>> joined_parts(parse("ASK { ?a <urn:p>/<urn:q> ?b . { ?b ?p ?c } OPTIONAL { ?c ?p ?d } }"))
    [4, 1]
    """
    stack = [query.where]
    counts: list[int] = []
    while stack:
        group = stack.pop()
        if group is not None:
            n_parts, inner_groups = _count_joined(group)
            counts.append(n_parts)
            stack += inner_groups
    return counts


def _count_joined(group: Group) -> tuple[int, list[Group | None]]:
    """Return the number of parts that a group joins, and the groups that are planned separately."""
    if group.query is not None:
        return 1, [group.query.where]

    n_parts = 0
    inner_groups: list[Group | None] = []
    for part in group.parts:
        if isinstance(part, Triples):
            n_parts += sum(_count_steps(triple.predicate) for triple in part.triples)
        elif isinstance(part, Branches) and len(part.groups) == 1:
            n_inner, nested_groups = _count_joined(part.groups[0])
            n_parts += n_inner
            inner_groups += nested_groups
        elif isinstance(part, Filter):
            inner_groups += _exists_groups(part.condition)
        elif isinstance(part, Bind):
            inner_groups += _exists_groups(part.expression)
        else:
            inner_groups += _groups_of_part(part)
            if not (isinstance(part, Block) and part.keyword == "MINUS"):
                n_parts += 1

    return n_parts, inner_groups


def _count_steps(path: Predicate) -> int:
    if isinstance(path, str) or path.operator not in {"/", "^"}:
        return 1
    return sum(_count_steps(part) for part in path.parts)


def _exists_groups(expression: Expression) -> list[Group]:
    """Return the groups of EXISTS in an expression."""
    groups = []
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Exists):
            groups.append(node.group)
        elif not isinstance(node, str):
            stack += children(node)
    return groups
