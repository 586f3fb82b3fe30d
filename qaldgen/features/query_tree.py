"""Read a SPARQL query into the parts that features are counted on: triple patterns, expressions, keywords.

rdflib parses the repaired text; the walk over its syntax tree is here. Terms are written as in N-Triples (``?x``, ``<iri>``,
``"text"@en``, ``_:b``), so that nothing behind this module needs rdflib.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from qaldgen.errors import DataError
from qaldgen.sparql import tokens
from qaldgen.sparql_repair import repair


class QueryError(DataError, ValueError):
    """A query that cannot be read, even after the repair; the message is one line."""


class Step(NamedTuple):
    """One step of a property path; the IRI is empty for a variable or ``!(...)``."""

    iri: str
    inverse: bool


class Pattern(NamedTuple):
    """A triple pattern; a property path is one.

    Attributes
    ----------
    subject, predicate, object : str
        The terms; a path as rdflib writes it.
    steps : tuple of Step
        The predicate or the steps of the path, of alternatives the first.
    iris : tuple of str
        Every IRI of the predicate, in its order.
    place : str
        ``main``, ``exists`` (inside FILTER EXISTS or NOT EXISTS) or ``minus``.
    branches : tuple of (int, int)
        The UNIONs that it stands in, and in which of their branches.
    block : int
        Number of its block: patterns with nothing but FILTERs between them.
    """

    subject: str
    predicate: str
    object: str
    steps: tuple[Step, ...]
    iris: tuple[str, ...]
    place: str
    branches: tuple[tuple[int, int], ...]
    block: int

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes two patterns equal."""
        return self.subject, self.predicate, self.object


class Call(NamedTuple):
    """An operator or function.

    Attributes
    ----------
    name : str
        As in LSQ: ``gt``, ``regex``, ``function`` for one with an IRI; ``!`` before ``bound`` or ``EXISTS`` is ``denied``.
    place : str
        Where it stands: ``filter``, ``exists``, ``bind``, ``having``, ``projection``, ``groupby`` or ``orderby``.
    iri : str
        Of ``function``, the IRI.
    of_literal : bool
        Of ``function``, whether it is called with a literal.
    """

    name: str
    place: str
    iri: str = ""
    of_literal: bool = False


class Aggregate(NamedTuple):
    """An aggregate: its name in lower case, whether it counts distinct values, whether its argument is ``*``."""

    name: str
    distinct: bool
    star: bool


@dataclasses.dataclass
class Column:
    """What defines a variable: a column of SELECT, or BIND."""

    variables: list[str] = dataclasses.field(default_factory=list)
    aggregates: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class QueryTree:
    """What a query is made of.

    Attributes
    ----------
    text : str
        The repaired text.
    repairs : tuple of str
        The codes of the repairs.
    form : str
        select, ask, construct or describe.
    projected : tuple of str
        The variables that the query returns, as ``?x``; of ``SELECT *`` those visible, in the order of the text.
    patterns : list of Pattern
        All triple patterns, in the order of the text.
    calls, aggregates : list
        Operators and functions, and aggregates.
    keywords : set of str
        Clauses, named as in LSQ.
    terms : dict of str to None
        Variables, and the IRIs and literals that stand as subject, object, or in an expression or VALUES.
    columns : dict of str to Column
        What the variables made by SELECT and BIND are made of.
    superlative : bool
        Whether a SELECT has both ORDER BY and LIMIT.
    """

    text: str
    repairs: tuple[str, ...]
    form: str
    projected: tuple[str, ...] = ()
    patterns: list[Pattern] = dataclasses.field(default_factory=list)
    calls: list[Call] = dataclasses.field(default_factory=list)
    aggregates: list[Aggregate] = dataclasses.field(default_factory=list)
    keywords: set[str] = dataclasses.field(default_factory=set)
    terms: dict[str, None] = dataclasses.field(default_factory=dict)
    columns: dict[str, Column] = dataclasses.field(default_factory=dict)
    superlative: bool = False

    @property
    def answer_variable(self) -> str:
        """The first variable that is returned; empty for ASK."""
        return self.projected[0] if self.projected else ""

    def sources(self, variable: str) -> tuple[set[str], set[str]]:
        """Return the variables of the patterns that a variable is made of, and the aggregates on the way."""
        variables, aggregates, waiting, seen = set[str](), set[str](), [variable], set[str]()
        while waiting:
            name = waiting.pop()
            column = self.columns.get(name)
            if name in seen or not name:
                continue
            seen.add(name)
            if column is None or any(name in pattern.key for pattern in self.patterns):
                variables.add(name)
            if column is not None:
                aggregates.update(column.aggregates)
                waiting.extend(column.variables)
        return variables, aggregates


def parse_query(sparql: str, *, fix_https_type: bool = False) -> QueryTree:
    """Repair and parse a query.

    Parameters
    ----------
    sparql
        The text as published.
    fix_https_type
        As for `repair`.

    Raises
    ------
    QueryError
        If rdflib cannot read even the repaired text, or a prefix is unknown.
    """
    from rdflib.plugins.sparql.algebra import translatePath, translateQuery, traverse
    from rdflib.plugins.sparql.parser import parseQuery

    from qaldgen.features.query_walk import walk

    text, repairs = repair(sparql, fix_https_type=fix_https_type)
    unknown = next((token.text for token in tokens(text) if token.kind == "name" and not token.text.startswith("_:")), "")
    if unknown:
        raise QueryError(f"the query has {unknown}, but nobody declares the prefix {unknown.partition(':')[0]}:")
    try:
        with _quiet():
            parsed = parseQuery(text)
            query: Any = parsed[1]
            traverse(query, visitPost=translatePath)
            tree = QueryTree(text, repairs, query.name.removesuffix("Query").lower())
            walk(query, tree)
            translateQuery(parsed)
    except Exception as error:  # rdflib raises plain Exception, too
        raise QueryError(f"rdflib cannot read the query: {' '.join(str(error).split())}") from error
    return tree


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep rdflib from logging literals that do not fit their datatype."""
    logger = logging.getLogger("rdflib.term")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before
