"""Walk the syntax tree that rdflib parses, and note down what `qaldgen.features.query_tree` describes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from pyparsing import ParseResults
from rdflib import Literal, URIRef, Variable
from rdflib.plugins.sparql.parserutils import CompValue

from qaldgen.features.query_path import path_iris, path_steps, term_text
from qaldgen.features.query_tree import Aggregate, Call, Column, Pattern, QueryTree

#: The operators of an expression as LSQ (that is, Jena) names them.
_OPERATORS = {
    "=": "eq", "!=": "ne", "<": "lt", ">": "gt", "<=": "le", ">=": "ge", "IN": "in", "NOT IN": "notin",
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide",
}  # fmt: skip
_NAMED = {
    "UnaryNot": "not", "UnaryMinus": "unaryminus", "UnaryPlus": "unaryplus",
    "ConditionalAndExpression": "and", "ConditionalOrExpression": "or",
}  # fmt: skip
_KEYWORDS = {
    "OptionalGraphPattern": "Optional",
    "MinusGraphPattern": "Minus",
    "ServiceGraphPattern": "Service",
    "GraphGraphPattern": "NamedGraph",
}


@dataclasses.dataclass(frozen=True)
class _Place:
    """Where the walk is: in which kind of group, under which UNIONs, and what ``SELECT *`` would return there."""

    kind: str = "main"
    branches: tuple[tuple[int, int], ...] = ()
    visible: dict[str, None] = dataclasses.field(default_factory=dict)

    def aside(self, kind: str) -> _Place:
        """Return the place of a group whose variables nobody sees outside."""
        return dataclasses.replace(self, kind=kind, visible={})


@dataclasses.dataclass
class _Walk:
    tree: QueryTree
    numbers: Iterator[int] = dataclasses.field(default_factory=count)

    def keyword(self, name: str, place: _Place) -> None:
        """Note a clause; LSQ does not look into EXISTS."""
        if place.kind != "exists":
            self.tree.keywords.add(name)


def walk(query: CompValue, tree: QueryTree) -> None:
    """Fill `tree` from the parsed query, whose paths are already rdflib paths."""
    tree.keywords.add(tree.form.capitalize())
    columns = _select(_Walk(tree), query, _Place())
    tree.projected = tuple(columns) if tree.form == "select" else ()


def _select(walk: _Walk, query: CompValue, place: _Place) -> list[str]:
    """Walk a query or sub-query, ASK has only a group, SELECT all the rest; return its columns."""
    tree = walk.tree
    if query.modifier:
        walk.keyword(str(query.modifier).capitalize(), place)
    if query.where is not None:
        _group(walk, query.where, place)
    projected = [_column(walk, item, place) for item in query.projection or () if isinstance(item, CompValue)]
    for clause, keyword in (("groupby", "GroupBy"), ("having", "Having"), ("orderby", "OrderBy")):
        node = getattr(query, clause)
        if node is not None:
            walk.keyword(keyword, place)
            _expression(walk, node, place, clause, None)
    _values(walk, query.valuesClause, place)
    clauses = query.limitoffset
    if clauses is not None and clauses.limit is not None:
        walk.keyword("Limit", place)
        tree.superlative |= query.orderby is not None
    if clauses is not None and clauses.offset is not None and int(clauses.offset) > 0:
        walk.keyword("Offset", place)
    return projected or list(place.visible)


def _column(walk: _Walk, item: CompValue, place: _Place) -> str:
    """Note what a column of SELECT is made of; return its variable."""
    if item.evar is None:
        return term_text(item.var)
    column = walk.tree.columns.setdefault(term_text(item.evar), Column())
    _expression(walk, item.expr, place, "projection", column)
    return term_text(item.evar)


def _group(walk: _Walk, group: CompValue, place: _Place) -> None:
    """Walk the elements of a group; a FILTER does not end a block of triple patterns."""
    if group.name == "SubSelect":
        walk.keyword("SubQuery", place)
        place.visible.update(dict.fromkeys(_select(walk, group, place.aside(place.kind))))
        return
    block = next(walk.numbers)
    for part in group.part or ():
        if part.name == "TriplesBlock":
            _triples(walk, part.triples, place, block)
            continue
        if part.name == "Filter":
            walk.keyword("Filter", place)
            _expression(walk, part.expr, place, "filter", None)
            continue
        block = next(walk.numbers)
        _element(walk, part, place)


def _element(walk: _Walk, part: CompValue, place: _Place) -> None:
    """Walk what is neither a block of triple patterns nor a FILTER."""
    if part.name == "GroupOrUnionGraphPattern":
        _union(walk, part.graph, place)
    elif part.name == "Bind":
        walk.keyword("Bind", place)
        _see(walk, [part.var], place)
        column = walk.tree.columns.setdefault(term_text(part.var), Column())
        _expression(walk, part.expr, place, "bind", column)
    elif part.name == "InlineData":
        _values(walk, part, place)
    else:
        walk.keyword(_KEYWORDS[part.name], place)
        if isinstance(part.term, Variable):
            _see(walk, [part.term], place)
        minus = part.name == "MinusGraphPattern"
        _group(walk, part.graph, place.aside("minus" if place.kind == "main" else place.kind) if minus else place)


def _see(walk: _Walk, variables: Iterable[object], place: _Place) -> None:
    """Note variables that a clause brings in."""
    names = dict.fromkeys(term_text(variable) for variable in variables)
    walk.tree.terms.update(names)
    place.visible.update(names)


def _union(walk: _Walk, groups: Sequence[CompValue], place: _Place) -> None:
    if len(groups) == 1:
        _group(walk, groups[0], place)
        return
    walk.keyword("Union", place)
    union = next(walk.numbers)
    for branch, group in enumerate(groups):
        _group(walk, group, dataclasses.replace(place, branches=(*place.branches, (union, branch))))


def _values(walk: _Walk, clause: CompValue | None, place: _Place) -> None:
    if clause is None:
        return
    walk.keyword("Values", place)
    _see(walk, _leaves(clause.var), place)
    for value in _leaves(clause.value):
        if not isinstance(value, str) or isinstance(value, (URIRef, Literal)):
            walk.tree.terms[term_text(value)] = None


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, (CompValue, str)):
        yield value
    elif isinstance(value, Iterable):
        for part in value:
            yield from _leaves(part)


def _triples(walk: _Walk, triples: Iterable[Sequence[object]], place: _Place, block: int) -> None:
    for flat in triples:
        for at in range(0, len(flat), 3):
            subject, predicate, value = flat[at : at + 3]
            steps, iris = tuple(path_steps(predicate)), tuple(path_iris(predicate))
            terms = term_text(subject), term_text(predicate), term_text(value)
            pattern = Pattern(*terms, steps, iris, place.kind, place.branches, block)
            walk.tree.patterns.append(pattern)
            _see(walk, [term for term in (subject, predicate, value) if isinstance(term, Variable)], place)
            walk.tree.terms.update(dict.fromkeys([pattern.subject, pattern.object]))


def _expression(walk: _Walk, node: object, place: _Place, where: str, column: Column | None) -> None:
    """Note the operators, functions, aggregates and terms of an expression, and the patterns of EXISTS in it."""
    if isinstance(node, CompValue) and node.name != "literal":
        _note(walk, node, place, where, column)
        if node.name in {"Builtin_EXISTS", "Builtin_NOTEXISTS"}:
            _group(walk, node.graph, place.aside("exists"))
            return
        for name, child in node.items():
            if name not in {"iri", "op", "distinct", "order", "separator"}:
                _expression(walk, child, place, where, column)
    elif isinstance(node, (list, tuple, ParseResults)):
        for child in node:
            _expression(walk, child, place, where, column)
    elif isinstance(node, (CompValue, URIRef, Literal, Variable)):
        term = term_text(node)
        walk.tree.terms[term] = None
        if column is not None and term.startswith("?"):
            column.variables.append(term)


def _note(walk: _Walk, node: CompValue, place: _Place, where: str, column: Column | None) -> None:
    where = "exists" if place.kind == "exists" else where
    if node.name.startswith("Aggregate_"):
        name = node.name.removeprefix("Aggregate_").replace("_", "").lower()
        walk.tree.aggregates.append(Aggregate(name, bool(node.distinct), str(node.vars) == "*"))
        if column is not None:
            column.aggregates.append(name)
        return
    operators = node.op if isinstance(node.op, list) else [node.op]
    names = [_OPERATORS[str(op)] for op in operators if op is not None]
    if node.name in _NAMED and (node.name.startswith("Unary") or node.other):
        names.append(_NAMED[node.name])
    elif node.name.startswith("Builtin_"):
        names.append(node.name.removeprefix("Builtin_").lower())
    for name in names:
        denied = name == "not" and _unwrapped(node.expr) in {"Builtin_BOUND", "Builtin_EXISTS"}
        walk.tree.calls.append(Call("denied" if denied else name, where))
    if node.name == "Function":
        literal = any(isinstance(part, Literal) or getattr(part, "name", "") == "literal" for part in _atoms(node.expr))
        walk.tree.calls.append(Call("function", where, str(node.iri), literal))


def _unwrapped(node: object) -> str:
    """Return the name of an expression, the brackets around it left out."""
    while isinstance(node, CompValue) and node.name.endswith("Expression") and not (node.other or node.op):
        node = node.expr
    return str(getattr(node, "name", ""))


def _atoms(node: object) -> Iterator[object]:
    """Return the terms of an expression."""
    if isinstance(node, CompValue) and node.name != "literal":
        for child in node.values():
            yield from _atoms(child)
    elif isinstance(node, (list, ParseResults)):
        for child in node:
            yield from _atoms(child)
    else:
        yield node
