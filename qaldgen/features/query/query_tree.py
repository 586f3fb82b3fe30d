"""The parts of a SPARQL query that features are counted on, collected from its syntax tree."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from itertools import count
from typing import NamedTuple

from qaldgen.errors import DataError
from qaldgen.sparql import tree as syntax
from qaldgen.sparql.tree import Predicate


def path_text(path: Predicate) -> str:
    """Return a predicate as text, paths in brackets, so that none can be mistaken for an IRI."""
    if isinstance(path, str):
        return path
    parts = [path_text(part) for part in path.parts]
    if path.operator in {"/", "|"}:
        return f"({path.operator.join(parts)})"
    if path.operator in {"^", "!"}:
        return f"({path.operator}({'|'.join(parts)}))"
    return f"({parts[0]}{path.operator})"


def path_iris(path: Predicate) -> Iterator[str]:
    """Yield the IRIs of a predicate, in the order of its text."""
    if not isinstance(path, str):
        for part in path.parts:
            yield from path_iris(part)
    elif path.startswith("<"):
        yield path[1:-1]


def path_steps(path: Predicate) -> Iterator[Step]:
    """Yield the steps of a predicate; of alternatives, those of the first one."""
    if isinstance(path, str):
        yield Step(path[1:-1] if path.startswith("<") else "", False)
    elif path.operator == "!":
        yield Step("", False)
    elif path.operator == "^":
        # an inverse path is walked backwards, each step turned around
        for step in reversed(list(path_steps(path.parts[0]))):
            yield Step(step.iri, not step.inverse)
    elif path.operator == "/":
        for part in path.parts:
            yield from path_steps(part)
    else:
        yield from path_steps(path.parts[0])


class QueryError(DataError, ValueError):
    """A query that cannot be read, even after the repair; the message is one line."""


class Step(NamedTuple):
    """One step of a property path."""

    iri: str  # the predicate; empty for a variable or ``!(...)``
    inverse: bool  # whether it is walked from object to subject


class Pattern(NamedTuple):
    """A triple pattern, also one with a property path."""

    #: The terms; a path is in brackets.
    subject: str
    predicate: str
    object: str
    #: The predicate or the steps of the path; of a ``|`` path, the first alternative.
    steps: tuple[Step, ...]
    iris: tuple[str, ...]  # every IRI of the predicate, in its order
    group_kind: str  # ``main``, ``exists`` (inside FILTER EXISTS or NOT EXISTS) or ``minus``
    #: The UNIONs that it is in, and in which of their branches.
    branches: tuple[tuple[int, int], ...]
    block: int  # number of its block: patterns with nothing but FILTERs between them

    @property
    def key(self) -> tuple[str, str, str]:
        """Subject, predicate and object: patterns with equal keys are equal."""
        return self.subject, self.predicate, self.object


class FunctionUse(NamedTuple):
    """A use of an operator or function in an expression."""

    #: As in LSQ: ``gt``, ``regex``, ``function`` for one with an IRI; ``!`` before ``bound`` or
    #: ``EXISTS`` is ``denied``.
    name: str
    #: ``filter``, ``exists``, ``bind``, ``having``, ``projection``, ``groupby`` or ``orderby``.
    clause: str
    iri: str = ""  # the IRI of a ``function``
    has_literal: bool = False  # whether a ``function`` is called with a literal, as in a cast


@dataclasses.dataclass
class Sources:
    """The variables, and the names of the aggregates, from which another variable is computed."""

    variables: set[str] = dataclasses.field(default_factory=set)
    aggregates: set[str] = dataclasses.field(default_factory=set)


@dataclasses.dataclass
class QueryTree:
    """The parts of a query that features count."""

    text: str  # the repaired text
    repairs: tuple[str, ...]  # the codes of the repairs
    form: str  # select, ask, construct or describe
    #: The variables that the query returns, as ``?x``; for ``SELECT *`` the visible ones, in the
    #: order of the text.
    projected: tuple[str, ...] = ()
    #: All triple patterns, in the order of the text.
    patterns: list[Pattern] = dataclasses.field(default_factory=list)
    functions: list[FunctionUse] = dataclasses.field(default_factory=list)
    #: The aggregates, with names in lower case and without underscores.
    aggregates: list[syntax.Aggregate] = dataclasses.field(default_factory=list)
    keywords: set[str] = dataclasses.field(default_factory=set)  # clauses, named as in LSQ
    #: Variables, and the IRIs and literals used as subject or object, in an expression or in
    #: VALUES; a dictionary for its order.
    terms: dict[str, None] = dataclasses.field(default_factory=dict)
    #: By variable that SELECT or BIND defines, what is in its expression.
    columns: dict[str, Sources] = dataclasses.field(default_factory=dict)
    superlative: bool = False  # whether a SELECT has both ORDER BY and LIMIT

    @property
    def answer_variable(self) -> str:
        """The first variable that is returned; empty for ASK."""
        return self.projected[0] if self.projected else ""

    def sources(self, variable: str) -> Sources:
        """Return what a variable is computed from, through any number of SELECTs and BINDs.

        The variables are those of triple patterns.
        """
        sources = Sources()
        seen = set[str]()
        waiting = [variable]
        while waiting:
            name = waiting.pop()
            column = self.columns.get(name)
            if name in seen or not name:
                continue
            seen.add(name)
            if column is None or any(name in pattern.key for pattern in self.patterns):
                sources.variables.add(name)
            if column is not None:
                sources.aggregates.update(column.aggregates)
                waiting.extend(column.variables)
        return sources


#: The operators of an expression as LSQ (that is, Jena) names them.
_OPERATORS = {
    "=": "eq", "!=": "ne", "<": "lt", ">": "gt", "<=": "le", ">=": "ge", "IN": "in",
    "NOT IN": "notin", "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "&&": "and",
    "||": "or",
}  # fmt: skip
_SIGNS = {"!": "not", "-": "unaryminus", "+": "unaryplus"}
_KEYWORDS = {"OPTIONAL": "Optional", "MINUS": "Minus", "SERVICE": "Service", "GRAPH": "NamedGraph"}


@dataclasses.dataclass(frozen=True)
class _Context:
    """The position of the walk: type of group, UNION branches, and variables for ``SELECT *``."""

    group_kind: str = "main"
    branches: tuple[tuple[int, int], ...] = ()
    visible: dict[str, None] = dataclasses.field(default_factory=dict)

    def nested(self, group_kind: str) -> _Context:
        """Return the context of a group whose variables are not visible outside."""
        return dataclasses.replace(self, group_kind=group_kind, visible={})


@dataclasses.dataclass
class _Walker:
    """A walk through a query, which adds its parts to the tree and numbers blocks and UNIONs."""

    tree: QueryTree
    numbers: Iterator[int] = dataclasses.field(default_factory=count)

    def add_keyword(self, name: str, context: _Context) -> None:
        """Add a clause of the query, unless it is inside EXISTS, which LSQ ignores."""
        if context.group_kind != "exists":
            self.tree.keywords.add(name)

    def walk_select(self, query: syntax.Query, context: _Context) -> list[str]:
        """Walk a query or sub-query, and return the variables of its columns."""
        if query.modifier:
            self.add_keyword(query.modifier.capitalize(), context)
        if query.where is not None:
            self.walk_group(query.where, context)

        for column in query.columns:
            if column.expression is not None:
                source = self.tree.columns.setdefault(column.variable, Sources())
                self.walk_expression(column.expression, context, "projection", source)

        clauses = (
            ("groupby", "GroupBy", query.group_by),
            ("having", "Having", query.having),
            ("orderby", "OrderBy", query.order_by),
        )
        for clause, keyword, conditions in clauses:
            if conditions:
                self.add_keyword(keyword, context)
            for condition in conditions:
                self.walk_expression(condition.expression, context, clause)
                if condition.variable:
                    self.tree.terms[condition.variable] = None

        if query.values is not None:
            self.walk_values(query.values, context)
        if query.limit is not None:
            self.add_keyword("Limit", context)
            # a sub-query counts too: the superlative may be one step of the question
            self.tree.superlative |= bool(query.order_by)
        if query.offset:
            self.add_keyword("Offset", context)

        return [column.variable for column in query.columns] or list(context.visible)

    def walk_group(self, group: syntax.Group, context: _Context) -> None:
        """Walk the parts of a group; a FILTER does not end a block of triple patterns."""
        if group.query is not None:
            self.add_keyword("SubQuery", context)
            variables = self.walk_select(group.query, context.nested(context.group_kind))
            context.visible.update(dict.fromkeys(variables))
            return

        block = next(self.numbers)
        for part in group.parts:
            if not isinstance(part, (syntax.Triples, syntax.Filter)):
                block = next(self.numbers)
            match part:
                case syntax.Triples(triples):
                    for triple in triples:
                        self.add_pattern(triple, context, block)
                case syntax.Filter(condition):
                    self.add_keyword("Filter", context)
                    self.walk_expression(condition, context, "filter")
                case syntax.Branches((only_group,)):
                    self.walk_group(only_group, context)
                case syntax.Branches(groups):
                    self.add_keyword("Union", context)
                    union = next(self.numbers)
                    for number, branch in enumerate(groups):
                        branches = (*context.branches, (union, number))
                        self.walk_group(branch, dataclasses.replace(context, branches=branches))
                case syntax.Bind(expression, variable):
                    self.add_keyword("Bind", context)
                    self.add_variables([variable], context)
                    source = self.tree.columns.setdefault(variable, Sources())
                    self.walk_expression(expression, context, "bind", source)
                case syntax.Values():
                    self.walk_values(part, context)
                case syntax.Block(keyword, inner_group, term):
                    self.add_keyword(_KEYWORDS[keyword], context)
                    if term.startswith("?"):
                        self.add_variables([term], context)
                    inner_context = context
                    if keyword == "MINUS":
                        # "exists" stays: neither is part of the graph of the question
                        group_kind = "minus" if context.group_kind == "main" else context.group_kind
                        inner_context = context.nested(group_kind)
                    self.walk_group(inner_group, inner_context)

    def add_pattern(self, triple: syntax.Triple, context: _Context, block: int) -> None:
        """Add a triple pattern and its variables."""
        subject, predicate, value = triple
        pattern = Pattern(
            subject=subject,
            predicate=path_text(predicate),
            object=value,
            steps=tuple(path_steps(predicate)),
            iris=tuple(path_iris(predicate)),
            group_kind=context.group_kind,
            branches=context.branches,
            block=block,
        )
        self.tree.patterns.append(pattern)
        self.add_variables([term for term in pattern.key if term.startswith("?")], context)
        self.tree.terms.update(dict.fromkeys([subject, value]))

    def add_variables(self, variables: Iterable[str], context: _Context) -> None:
        """Add the variables that a clause introduces."""
        names = dict.fromkeys(variables)
        self.tree.terms.update(names)
        context.visible.update(names)

    def walk_values(self, clause: syntax.Values, context: _Context) -> None:
        """Walk a VALUES clause."""
        self.add_keyword("Values", context)
        self.add_variables(clause.variables, context)
        for row in clause.rows:
            self.tree.terms.update(dict.fromkeys(value for value in row if value is not None))

    def walk_expression(
        self,
        node: syntax.Expression,
        context: _Context,
        clause: str,
        column: Sources | None = None,
    ) -> None:
        """Add the operators, calls, aggregates, terms and EXISTS groups of an expression."""
        if isinstance(node, str):
            self.tree.terms[node] = None
            if column is not None and node.startswith("?"):
                column.variables.add(node)
            return

        if context.group_kind == "exists":
            clause = "exists"

        functions = self.tree.functions
        if isinstance(node, syntax.Exists):
            name = "notexists" if node.negated else "exists"
            functions.append(FunctionUse(name, clause))
            self.walk_group(node.group, context.nested("exists"))
            return
        if isinstance(node, syntax.Aggregate):
            name = node.name.replace("_", "").lower()
            self.tree.aggregates.append(node._replace(name=name))
            if column is not None:
                column.aggregates.add(name)
        elif isinstance(node, syntax.FunctionCall) and node.name.startswith("<"):
            has_literal = _has_literal(node.arguments)
            functions.append(FunctionUse("function", clause, node.name[1:-1], has_literal))
        elif isinstance(node, syntax.FunctionCall):
            functions.append(FunctionUse(node.name.lower(), clause))
        elif len(node.arguments) > 1:
            functions += [FunctionUse(_OPERATORS[name], clause) for name in node.names]
        else:
            *signs, last = node.names
            functions += [FunctionUse(_SIGNS[sign], clause) for sign in signs]
            operand = node.arguments[0]
            is_bound = isinstance(operand, syntax.FunctionCall) and operand.name == "BOUND"
            is_exists = isinstance(operand, syntax.Exists) and not operand.negated
            is_denied = last == "!" and (is_bound or is_exists)
            functions.append(FunctionUse("denied" if is_denied else _SIGNS[last], clause))

        for child in syntax.children(node):
            self.walk_expression(child, context, clause, column)


def collect_parts(query: syntax.Query, tree: QueryTree) -> None:
    """Collect the parts of a query from its syntax tree."""
    tree.keywords.add(tree.form.capitalize())
    columns = _Walker(tree).walk_select(query, _Context())
    tree.projected = tuple(columns) if tree.form == "select" else ()


def _has_literal(arguments: Iterable[syntax.Expression]) -> bool:
    """Return whether arguments contain a literal with quotes, at any depth but in EXISTS."""
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop()
        if isinstance(argument, str) and argument.startswith('"'):
            return True
        if not isinstance(argument, (str, syntax.Exists)):
            waiting += syntax.children(argument)
    return False
