"""Execute one query of anybody, in standard SPARQL and within limits, and return its answers."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from pyoxigraph import BlankNode, Literal, NamedNode

from qaldgen.errors import DataError, UsageError
from qaldgen.formats.answer_values import make_answers
from qaldgen.io.web.credentials import ENDPOINT, find_access
from qaldgen.io.web.one_line import one_line
from qaldgen.model import Answers, Cell
from qaldgen.rdf.terms import XSD, Rows, Term
from qaldgen.sparql.clauses import query_form
from qaldgen.sparql.repair import repair
from qaldgen.sparql.tokens import tokens
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.engine import check_syntax
from qaldgen.stores.label_service import without_label_service
from qaldgen.stores.local import LocalStore

_LOG = logging.getLogger("qaldgen")


def rows_answers(found: Rows, *, ordered: bool = False) -> Answers:
    """Return rows as answers, as the readers of question sets make them.

    A row that binds nothing is not an answer.

    >>> rows = Rows(("n",), [(Literal("b", language="en"),), (Literal(7),), (None,)])
    >>> [(cell.value, cell.language) for (cell,) in rows_answers(rows).rows]
    [('7', ''), ('b', 'en')]
    """
    rows = [
        {
            name: _cell(term)
            for name, term in zip(found.variables, row, strict=True)
            if term is not None
        }
        for row in found.rows
    ]
    if not ordered:
        rows.sort(
            key=lambda row: [row[name].value if name in row else "" for name in found.variables]
        )
    return make_answers(rows, found.variables)


@contextmanager
def gathered_warnings() -> Iterator[list[str]]:
    """Collect the warnings of our logger, so that they can be reported with the question.

    For instance that an answer may be incomplete.
    """
    heard: list[str] = []

    def hear(record: logging.LogRecord) -> bool:
        if record.levelno >= logging.WARNING:
            heard.append(record.getMessage())
        return record.levelno < logging.WARNING

    _LOG.addFilter(hear)
    try:
        yield heard
    finally:
        _LOG.removeFilter(hear)


def _cell(term: Term) -> Cell:
    if isinstance(term, NamedNode):
        return Cell("uri", term.value)
    if isinstance(term, BlankNode):
        return Cell("bnode", term.value)
    if not isinstance(term, Literal):
        raise DataError(
            "the answer has a triple as a value (RDF-star); leave such values out of the query"
        )
    datatype = "" if term.language or term.datatype.value == XSD + "string" else term.datatype.value
    return Cell("literal", term.value, datatype, term.language or "")


#: With all its tries and pages a question may take this many times the time limit of a request.
_LONGEST = 10
#: More answers than any question has: the product of all statements with all others must not fill
#: the memory.
_MOST_ANSWERS = 100_000
#: The same for gold queries, some of which do list everything there is.
MOST_GOLD_ROWS = 1_000_000


def bounded(source: LocalStore | Endpoint) -> LocalStore | Endpoint:
    """Return an endpoint with a limit for each question; refuse one that cannot be asked at all."""
    if not isinstance(source, Endpoint):
        return source
    # Incomplete credentials are refused here once, and not as a failure of every question.
    find_access(source.url, ENDPOINT)
    # A server that announces a billion rows and sends them one by one must not hold up the run.
    return dataclasses.replace(source, longest=min(source.longest, _LONGEST * source.timeout))


def standard(query: str) -> str:
    """Return the query in standard SPARQL."""
    try:
        return repair(query).text
    except ValueError:
        return query


def answers_of(source: LocalStore | Endpoint, query: str) -> Answers:
    """Return the answers of any query; only SELECT and ASK are sent, after `repair`."""
    return execute(bounded(source), standard(query), _MOST_ANSWERS)


def execute(source: LocalStore | Endpoint, query: str, most_rows: int | None = None) -> Answers:
    """Execute a SELECT or ASK query."""
    form = query_form(query)
    if form not in {"SELECT", "ASK"}:
        raise UsageError(
            f"the query is {form or 'not SPARQL'};"
            " only SELECT and ASK have answers, so it was not sent"
        )
    unbound: tuple[str, ...] = ()
    if isinstance(source, LocalStore):
        query, unbound = without_label_service(query)
        _check_graphs(source, query)
    if form == "ASK":
        return Answers(boolean=source.ask(query))
    result = (
        source.select(query, most_rows=most_rows)
        if isinstance(source, LocalStore)
        else source.select(query)
    )
    rows = _without_columns(result, unbound)
    return rows_answers(rows, ordered=_is_ordered(query, unbound))


def _is_ordered(query: str, unbound: Sequence[str]) -> bool:
    """Say whether the order of the rows means something.

    Not if they are ordered by labels that are missing.
    """
    words = tokens(query)
    order = next((at for at, token in enumerate(words) if token.word == "ORDER"), len(words))
    return order < len(words) and not any(
        token.kind == "var" and token.text[1:] in unbound for token in words[order:]
    )


def _without_columns(rows: Rows, names: Sequence[str]) -> Rows:
    kept = [at for at, name in enumerate(rows.variables) if name not in names]
    if len(kept) == len(rows.variables):
        return rows
    return Rows(
        tuple(rows.variables[at] for at in kept),
        [tuple(row[at] for at in kept) for row in rows.rows],
    )


def _check_graphs(source: LocalStore, query: str) -> None:
    """Refuse a query about a graph that the file does not have.

    Otherwise it would give an empty answer instead of an error.
    """
    check_syntax(query)
    for token, after in pairwise(tokens(query)):
        named = token.word in {"FROM", "NAMED", "GRAPH"} and after.kind == "iri"
        if named and not source.ask(f"ASK {{ GRAPH {after.text} {{ ?s ?p ?o }} }}"):
            raise UsageError(
                f"the query reads the graph {one_line(after.text)},"
                f" which is not in {source.name}; ask an endpoint"
            )
