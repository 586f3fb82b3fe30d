"""Execute one query, in standard SPARQL and within limits, and return its answers."""

from __future__ import annotations

import dataclasses
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, compress, pairwise, product
from typing import NamedTuple

from pyoxigraph import BlankNode, Literal, NamedNode

from qaldgen.errors import DataError, UsageError
from qaldgen.io.text import one_line
from qaldgen.io.web.access import ENDPOINT, find_access
from qaldgen.model import Answers, Cell
from qaldgen.questions.results_json import answers_from_rows
from qaldgen.rdf.terms import XSD, Rows, Term
from qaldgen.sparql import tree as syntax
from qaldgen.sparql.clauses import query_form
from qaldgen.sparql.grammar import NotSparqlError, parse
from qaldgen.sparql.repair import repair
from qaldgen.sparql.tokens import Token, closing_index, tokenize
from qaldgen.sparql.tree import all_parts, all_queries
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.local import LocalStore, check_syntax

_LOG = logging.getLogger("qaldgen")
#: Wikidata's label service, and the endings of the variables that it binds.
_SERVICE = "<http://wikiba.se/ontology#label>"
_LABEL_SUFFIXES = ("Label", "AltLabel", "Description")
#: A question, with all tries and pages, may take this many times the time limit of a request.
_MAX_REQUEST_TIMES = 10
#: The most answers of a query that is not trusted: a product of all statements with all statements
#: would fill the memory.
_MAX_ROWS = 100_000
#: The most answers of gold queries, some of which list all entities.
MAX_GOLD_ROWS = 1_000_000


class WithoutLabels(NamedTuple):
    """A query without calls of the label service."""

    text: str  # the query
    #: The columns, without question mark, that only the service could have filled.
    columns: tuple[str, ...]


def without_label_service(query: str) -> WithoutLabels:
    """Remove the calls of the label service from a query.

    >>> service = "SERVICE <http://wikiba.se/ontology#label> { }"
    >>> without_label_service(f"SELECT ?a ?aLabel {{ ?a ?p 1 {service} }}")
    WithoutLabels(text='SELECT ?a ?aLabel { ?a ?p 1 { } }', columns=('aLabel',))
    """
    query_tokens = tokenize(query)
    calls = _label_calls(query_tokens)
    if not calls:
        return WithoutLabels(query, ())
    text = query
    # From the end, so that earlier positions stay valid.
    for start, end in reversed(calls):
        text = f"{text[: query_tokens[start].start]}{{ }}{text[query_tokens[end].end :]}"
    try:
        tree = parse(text)
    except NotSparqlError:
        return WithoutLabels(text, ())  # Oxigraph will report what is wrong
    # The service binds the variables in its braces, and those named after another variable with
    # one of its endings.
    names = {f"?{token.text[1:]}" for token in query_tokens if token.kind == "var"}
    labels = {name + ending for name, ending in product(names, _LABEL_SUFFIXES)} & names
    for start, end in calls:
        labels |= {f"?{token.text[1:]}" for token in query_tokens[start:end] if token.kind == "var"}
    labels -= _bound_variables(tree)
    # A label that is used elsewhere, for instance in a FILTER, changes the answers when it is
    # unbound.
    uses = Counter(token.text[1:] for token in tokenize(text) if token.kind == "var")
    used_labels = sorted(name for name in labels if uses[name[1:]] > _harmless_uses(tree, name))
    columns = [column.variable for column in tree.columns]
    if used_labels or (columns and labels.issuperset(columns)):
        needed = used_labels[0] if used_labels else columns[0]
        raise UsageError(
            f"the query needs {needed} of Wikidata's label service, but no service is called for a"
            " local file; ask an endpoint"
        )
    return WithoutLabels(text, tuple(column[1:] for column in columns if column in labels))


def _label_calls(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return the indices of the first and last token of each call of the label service."""
    calls = []
    for index, token in enumerate(tokens):
        if token.word == "SERVICE":
            name_index = index + 1
            if name_index < len(tokens) and tokens[name_index].word == "SILENT":
                name_index += 1
            following = [word.text for word in tokens[name_index : name_index + 2]]
            if following == [_SERVICE, "{"]:
                calls.append((index, closing_index(tokens, name_index + 1)))
    return calls


def _bound_variables(query: syntax.Query) -> set[str]:
    """Return the variables that patterns, BIND, VALUES and expressions of columns bind."""
    variables: set[str] = set()
    for subquery in all_queries(query):
        for column in subquery.columns:
            if column.expression is not None:
                variables.add(column.variable)
    for part in all_parts(query):
        if isinstance(part, syntax.Triples):
            terms = chain.from_iterable(part.triples)
            variables.update(term for term in terms if isinstance(term, str))
        elif isinstance(part, syntax.Bind):
            variables.add(part.variable)
        elif isinstance(part, syntax.Values):
            variables.update(part.variables)
        elif isinstance(part, syntax.Block):
            variables.add(part.term)
    return variables


def _harmless_uses(query: syntax.Query, variable: str) -> int:
    """Count the uses of a variable that make no difference if it is unbound.

    These are columns, keys of GROUP BY if there are other keys, and keys of ORDER BY if all rows
    are returned.
    """
    uses = 0
    for subquery in all_queries(query):
        variables = [column.variable for column in subquery.columns if column.expression is None]
        uses += variables.count(variable)
        keys = [key.expression for key in subquery.group_by]
        if set(keys) - {variable}:
            uses += keys.count(variable)
        if subquery.limit is None and subquery.offset is None:
            uses += [key.expression for key in subquery.order_by].count(variable)
    return uses


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


def with_limits(source: LocalStore | Endpoint) -> LocalStore | Endpoint:
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


def answers_of(source: LocalStore | Endpoint, query: str) -> Answers:
    """Return the answers of a SELECT or ASK query after `repair`; refuse other forms."""
    return execute(with_limits(source), standard_sparql(query), _MAX_ROWS)


def execute(source: LocalStore | Endpoint, query: str, most_rows: int | None = None) -> Answers:
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
    return rows_answers(rows, ordered=_is_ordered(query, unbound))


def _is_ordered(query: str, unbound: Sequence[str]) -> bool:
    """Return whether a query orders its rows, by other variables than the unbound ones."""
    query_tokens = tokenize(query)
    for index, token in enumerate(query_tokens):
        if token.word == "ORDER":
            names = [key.text[1:] for key in query_tokens[index:] if key.kind == "var"]
            return not set(names).intersection(unbound)
    return False
