"""Execute one query, in standard SPARQL and within limits, and return its answers."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import compress, pairwise

from pyoxigraph import BlankNode, Literal, NamedNode

from qaldgen.errors import DataError, UsageError
from qaldgen.io.text import one_line
from qaldgen.io.web.access import ENDPOINT, find_access
from qaldgen.model import Answers, Cell
from qaldgen.questions.results_json import answers_from_rows
from qaldgen.rdf.terms import XSD, Rows, Term
from qaldgen.sparql.clauses import query_form
from qaldgen.sparql.repair import repair
from qaldgen.sparql.tokens import tokenize
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.graphs import KnowledgeGraph
from qaldgen.stores.label_service import without_label_service
from qaldgen.stores.local import LocalStore, check_syntax

_LOG = logging.getLogger("qaldgen")
#: A question, with all tries and pages, may take this many times the time limit of a request.
_MAX_REQUEST_TIMES = 10
#: The most answers of a query that is not trusted: a product of all statements with all statements
#: would fill the memory.
_MAX_ROWS = 100_000
#: The most answers of gold queries, some of which list all entities.
MAX_GOLD_ROWS = 1_000_000


def rows_answers(rows: Rows, *, ordered: bool = False) -> Answers:
    """Return rows as the answers that readers of question sets make; empty rows are left out.

    >>> rows = Rows(("n",), [(Literal("b", language="en"),), (Literal(7),), (None,)])
    >>> [(cell.value, cell.language) for (cell,) in rows_answers(rows).rows]
    [('7', ''), ('b', 'en')]
    """
    cells_of_rows = []
    for terms in rows.rows:
        columns = zip(rows.variables, terms, strict=True)
        cells_of_rows.append({name: _make_cell(term) for name, term in columns if term is not None})
    if not ordered:
        unbound = Cell("literal", "")
        cells_of_rows.sort(
            key=lambda cells: [cells.get(name, unbound).value for name in rows.variables]
        )
    return answers_from_rows(cells_of_rows, rows.variables)


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect the warnings of our logger, for instance that an answer may be incomplete."""
    warnings: list[str] = []

    def collect(record: logging.LogRecord) -> bool:
        if record.levelno >= logging.WARNING:
            warnings.append(record.getMessage())
        return record.levelno < logging.WARNING

    _LOG.addFilter(collect)
    try:
        yield warnings
    finally:
        _LOG.removeFilter(collect)


def _make_cell(term: Term) -> Cell:
    """Return a term as a cell of answers."""
    if isinstance(term, NamedNode):
        return Cell("uri", term.value)
    if isinstance(term, BlankNode):
        return Cell("bnode", term.value)
    if not isinstance(term, Literal):
        raise DataError(
            "the answer has a triple as a value (RDF-star); leave such values out of the query"
        )
    datatype = term.datatype.value
    if term.language or datatype == XSD + "string":
        datatype = ""
    return Cell("literal", term.value, datatype, term.language or "")


def with_limits(source: KnowledgeGraph) -> KnowledgeGraph:
    """Return the source, an endpoint with a time limit for each question; check its credentials."""
    if not isinstance(source, Endpoint):
        return source
    # Incomplete credentials are refused here once, and not as a failure of every question.
    find_access(source.url, ENDPOINT)
    # A server that announces a billion rows and sends them one by one must not hold up the run.
    longest = min(source.longest, _MAX_REQUEST_TIMES * source.timeout)
    return dataclasses.replace(source, longest=longest)


def standard_sparql(query: str) -> str:
    """Return a query in standard SPARQL; unchanged if that fails."""
    try:
        return repair(query).text
    except ValueError:
        return query


def answers_of(source: KnowledgeGraph, query: str) -> Answers:
    """Return the answers of a SELECT or ASK query after `repair`; refuse other forms."""
    return execute(with_limits(source), standard_sparql(query), _MAX_ROWS)


def execute(source: KnowledgeGraph, query: str, most_rows: int | None = None) -> Answers:
    """Execute a SELECT or ASK query."""
    form = query_form(query)
    if form not in {"SELECT", "ASK"}:
        raise UsageError(
            f"the query is {form or 'not SPARQL'}; only SELECT and ASK have answers, so it was not"
            " sent"
        )

    unbound: tuple[str, ...] = ()
    if isinstance(source, LocalStore):
        query, unbound = without_label_service(query)
        check_syntax(query)
        # a graph that the file does not have would give an empty answer without an error
        for token, next_token in pairwise(tokenize(query)):
            is_graph = token.word in {"FROM", "NAMED", "GRAPH"} and next_token.kind == "iri"
            if is_graph and not source.ask(f"ASK {{ GRAPH {next_token.text} {{ ?s ?p ?o }} }}"):
                raise UsageError(
                    f"the query reads the graph {one_line(next_token.text)},"
                    f" which is not in {source.name}; ask an endpoint"
                )

    if form == "ASK":
        return Answers(boolean=source.ask(query))
    if isinstance(source, LocalStore):
        rows = source.select(query, most_rows=most_rows)
    else:
        rows = source.select(query)

    if unbound:
        is_bound = [name not in unbound for name in rows.variables]
        bound_rows = [tuple(compress(row, is_bound)) for row in rows.rows]
        rows = Rows(tuple(compress(rows.variables, is_bound)), bound_rows)

    # an order by unbound variables is none
    ordered = False
    query_tokens = tokenize(query)
    for index, token in enumerate(query_tokens):
        if token.word == "ORDER":
            keys = {key.text[1:] for key in query_tokens[index:] if key.kind == "var"}
            ordered = keys.isdisjoint(unbound)
            break
    return rows_answers(rows, ordered=ordered)
