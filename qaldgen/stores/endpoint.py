"""Ask a SPARQL endpoint over HTTP: the complete answer, or an error that says what is missing.

Requests go through the client of the project (`qaldgen.io.web.client`). Users who have set up an
endpoint with SPARQLWrapper can take it over with `endpoint_of`. SPARQLWrapper does not send the
requests: its timeout is per socket operation, its errors lose the headers, its digest
authentication changes every other request of the process, and it passes credentials on to any host
that a redirect names.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.message import Message
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast
from urllib.parse import quote, urlencode, urlsplit

from pyoxigraph import BlankNode, Literal, NamedNode

from qaldgen.defaults import ENDPOINT_RETRIES
from qaldgen.errors import EndpointError, EndpointTimeout, UsageError
from qaldgen.io.json_text import member
from qaldgen.io.text import one_line
from qaldgen.io.web.access import ENDPOINT, Access, Secrets, find_access, parse_address
from qaldgen.io.web.body import parse_json, read_text
from qaldgen.io.web.client import LARGE, Reply, Request, with_parameters
from qaldgen.io.web.failure import Failure, FailureKind
from qaldgen.io.web.retries import RetryPolicy, TotalLimits, is_temporary, with_tries
from qaldgen.options import Bytes, Seconds
from qaldgen.rdf.terms import Rows, Statement, Term
from qaldgen.sparql.clauses import count_rows, page, query_form, question_variable, split_select
from qaldgen.sparql.safety import refuse_foreign_services
from qaldgen.sparql.tokens import tokens

if TYPE_CHECKING:
    from SPARQLWrapper import SPARQLWrapper


_USER = f"{ENDPOINT}_USER and {ENDPOINT}_PASSWORD"
_TODO_FOR_STATUS = {
    400: "The server does not accept the query",
    401: (
        f"Set {_USER} (with {ENDPOINT}_AUTH=digest for digest authentication), or {ENDPOINT}_TOKEN"
    ),
    403: f"The server does not let you ask this; {_USER}, or {ENDPOINT}_TOKEN, say who you are",
    404: "Is this the SPARQL endpoint? Its address usually ends in /sparql or /query",
    405: "Try the other method, GET or POST",
    414: "The query is too long for GET; use POST",
}
_TODO = {
    FailureKind.TIMEOUT: "; allow more with `timeout`, or narrow the query",
    FailureKind.SIZE: "; narrow the query, or allow more with `max_bytes`",
}
#: The largest table: a small answer can claim many variables for many rows that bind none of them.
_MAX_CELLS = 50_000_000
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
#: The most variables that Virtuoso sorts by (error SQ186).
_MAX_SORT_KEYS = 20
_LOG = logging.getLogger("qaldgen")
_ACCEPT = "application/sparql-results+json, application/json;q=0.9"
#: Longer addresses are not sent by GET: some servers and proxies refuse 2,000 characters.
_MAX_URL_CHARS = 1_500
#: Subjects in one request for triples, which may be many for each.
_BATCH = 50


class Refusal(EndpointError):
    """The server answered with an HTTP error that another try would not fix."""

    def __init__(self, message: str, explanation: str) -> None:
        super().__init__(message)
        self.explanation = explanation


def endpoint_error(server: str, failure: Failure) -> EndpointError:
    """Return the error that says what failed and what to do."""
    if is_temporary(failure):
        tries = "1 try" if failure.tries == 1 else f"{failure.tries} tries"
        return EndpointError(
            f"{server}: {failure.reason} ({tries}). Try again later, or ask for less at once"
        )
    if failure.kind is FailureKind.STATUS:
        message = f"{server}: {failure.reason}"
        if failure.status in _TODO_FOR_STATUS:
            message += f". {_TODO_FOR_STATUS[failure.status]}"
        elif failure.status >= 500:
            message += ". The server failed on this query; a simpler one may work"
        return Refusal(message, failure.explanation)
    kind = EndpointTimeout if failure.kind is FailureKind.TIMEOUT else EndpointError
    return kind(f"{server}: {failure.reason}{_TODO.get(failure.kind, '')}")


def no_result(server: str, rule: str) -> EndpointError:
    """Return the error for an answer that breaks a rule of SPARQL results."""
    return EndpointError(
        f"{server}: the answer is JSON, but not a SPARQL result: {rule}. Is this a SPARQL endpoint?"
    )


class Answer(NamedTuple):
    """A SPARQL result."""

    data: dict[str, Any]  # the parsed JSON
    headers: Message  # the headers of the response


def read_answer(server: str, reply: Reply, secrets: Secrets) -> Answer:
    """Read the JSON of a response, and refuse one that the server itself calls partial."""
    data = _document(server, reply, secrets)
    # Virtuoso reports a timeout in a header, with status 200 and the rows so far.
    if "S1TAT" in reply.headers.get("X-SQL-State", ""):
        raise EndpointError(
            f"{server}: the server stopped the query at its own time limit and sent a partial"
            " result; narrow the query or raise the server's limit (in Virtuoso:"
            " MaxQueryExecutionTime in virtuoso.ini)"
        )
    if not isinstance(data, dict):
        raise no_result(server, "the outermost value is an object")
    return Answer(data, reply.headers)


def _document(server: str, reply: Reply, secrets: Secrets) -> Any:  # noqa: ANN401 - JSON of any shape
    kind = one_line(
        secrets.mask(reply.headers.get("Content-Type", "no content type").split(";")[0].lower())
    )
    if not reply.body.strip():
        raise EndpointError(
            f"{server}: the answer is empty; is this the address of a SPARQL endpoint?"
        )
    text = ""
    try:
        text = read_text(reply.body, reply.headers, secrets)
        return parse_json(text, strict=True)
    except Failure as failure:
        problem = failure
    if problem.kind is FailureKind.CONTENT and "json" not in kind:
        raise EndpointError(
            f"{server}: answered {kind} instead of SPARQL results in JSON ({problem}); is this the"
            " SPARQL endpoint (its address usually ends in /sparql or /query), and can it answer"
            " application/sparql-results+json?"
        )
    # A truncated answer is a broken connection, so that it is worth another try.
    if text and not text.rstrip().endswith("}"):
        raise Failure(
            FailureKind.BROKEN,
            f"the JSON of the answer is truncated after {len(reply.body):,} bytes",
        )
    raise problem


def read_rows(server: str, data: dict[str, Any]) -> Rows:
    """Turn the result of a SELECT query into terms."""
    names = member(data.get("head"), "vars")
    bindings = member(data.get("results"), "bindings")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise no_result(server, 'a SELECT query is answered with the variables in "head"')
    if not isinstance(bindings, list) or not all(isinstance(row, dict) for row in bindings):
        raise no_result(server, 'a SELECT query is answered with "bindings" in "results"')
    if len(names) * len(bindings) > _MAX_CELLS:
        raise EndpointError(
            f"{server}: the answer has {len(bindings):,} rows of {len(names):,} variables;"
            " narrow the query"
        )
    columns = set(names)
    rows: list[tuple[Term | None, ...]] = []
    for row in bindings:
        if not columns.issuperset(row):
            raise no_result(
                server, f"row {len(rows) + 1} binds a variable that the head does not name"
            )
        terms = {name: _term(server, cell) for name, cell in row.items()}
        rows.append(tuple(map(terms.get, names)))
    return Rows(tuple(names), rows)


def read_truth(server: str, data: dict[str, Any]) -> bool:
    """Return the answer of an ASK query: a boolean, or Virtuoso's table."""
    value = data.get("boolean")
    if value is None and "results" in data:
        # Some versions of Virtuoso answer ASK with a table: one row with a 1, or no row for no.
        table = read_rows(server, data)
        if table.variables == ("__ASK_RETVAL",) and not table.rows:
            value = "0"
        elif len(table.variables) == 1 and len(table.rows) == 1:
            cell = table.rows[0][0]
            value = cell.value if isinstance(cell, Literal) else None
    truth = _TRUTH.get(str(value).lower())
    if truth is None:
        raise no_result(server, "an ASK query is answered with a boolean")
    return truth


def _term(server: str, cell: object) -> Term:
    fields: dict[str, Any] = cell if isinstance(cell, dict) else {}
    kind = fields.get("type")
    value = fields.get("value")
    if kind == "triple":
        raise EndpointError(
            f"{server}: the answer has a triple as a value (RDF-star);"
            " leave such values out of the query"
        )
    if not isinstance(value, str) or kind not in ("uri", "bnode", "literal", "typed-literal"):
        raise no_result(server, f"{one_line(json.dumps(cell))} is not an RDF term")
    try:
        if kind == "uri":
            return NamedNode(value)
        if kind == "bnode":
            return _blank_node(value)
        if fields.get("xml:lang"):
            return Literal(value, language=fields["xml:lang"])
        if fields.get("datatype"):
            return Literal(value, datatype=NamedNode(fields["datatype"]))
        return Literal(value)
    except (ValueError, TypeError) as error:
        term = one_line(json.dumps(cell, ensure_ascii=False))
        if kind == "uri":
            term = f"the IRI <{one_line(value)}>"
        raise EndpointError(
            f"{server}: {term} in the answer is not a valid RDF term ({one_line(str(error))}); fix"
            " the data, or leave it out of the query"
        ) from error


def _blank_node(name: str) -> BlankNode:
    """Return a blank node; a name such as Virtuoso's nodeID://b10001 is written in hexadecimal."""
    try:
        return BlankNode(name)
    except ValueError:
        return BlankNode("x" + name.encode().hex())


#: Sends a query, and returns the answer.
Ask: TypeAlias = Callable[[str], Answer]


def complete_rows(server: str, ask: Ask, query: str, page_size: int) -> Rows:
    """Return every row of a SELECT query, in pages if the server gives fewer than it counts."""
    answer = ask(query)
    first = read_rows(server, answer.data)
    received = len(first.rows)
    total = _count(server, ask, query, first, answer.headers.get("X-SPARQL-MaxRows"))
    # without a sign that rows are missing, the server's own order is kept
    if total is None or received == total:
        return first
    if received > total:
        raise EndpointError(
            f"{server}: {received:,} rows came, but a count of them gave {total:,}; the data may"
            " have changed meanwhile. Try again"
        )
    # The server's limit is at least what it just sent.
    length = min(page_size, received)
    if not length or not first.variables:
        raise _incomplete(server, received, total)
    _LOG.info("%s: %s of %s rows came; fetching pages", server, f"{received:,}", f"{total:,}")
    rows = _Pages(server, ask, query, first.variables, length).fetch_all(total)
    _check_overlap(server, query, first, rows)
    return Rows(first.variables, rows)


def _check_overlap(
    server: str, query: str, first: Rows, rows: Sequence[tuple[Term | None, ...]]
) -> None:
    """Refuse the rows of pages that overlap, or miss rows of the first answer."""
    counts = Counter(rows)
    is_distinct = tokens(split_select(query).projection)[1].word == "DISTINCT"
    # Counted rather than compared as sets, because SELECT without DISTINCT may repeat a row. The
    # names of blank nodes are only valid within one answer.
    expected = Counter(
        row for row in first.rows if not any(isinstance(term, BlankNode) for term in row)
    )
    lost = sum((expected - counts).values())
    if lost or (is_distinct and len(counts) < len(rows)):
        raise EndpointError(
            f"{server}: the pages of the answer do not fit together ({len(counts):,} different rows"
            f" in {len(rows):,}, {lost:,} rows of the first answer missing); the data may have"
            " changed meanwhile, or the query takes its rows in no fixed order. Try again, give a"
            " LIMIT inside the query an ORDER BY, or raise the server's limit"
        )


def nested_page(
    query: str, variables: Sequence[str], keys: Sequence[str], limit: int, offset: int
) -> str:
    """Return the query for a page with the order in a subquery.

    Virtuoso refuses ORDER BY with LIMIT and OFFSET in one query beyond MaxSortedTopRows (error
    SR353), but accepts them in two.

    >>> nested_page("SELECT ?s { ?s a ?c }", ["s"], ["s"], 10, 20).partition("ORDER BY")[2]
    ' ?s } } LIMIT 10 OFFSET 20'
    """
    parts = split_select(page(query, variables, keys, limit, offset))
    order = " ".join(f"?{name}" for name in keys)
    inner = f"{parts.projection} WHERE {{ {parts.where} }} ORDER BY {order}"
    outer = (
        f"{parts.projection} {parts.dataset} WHERE {{ {{ {inner} }} }}"
        f" LIMIT {limit} OFFSET {offset}"
    )
    return f"{parts.prologue}\n{outer}".strip()


def _count(server: str, ask: Ask, query: str, first: Rows, max_rows: str | None) -> int | None:
    """Return how many rows `query` has; None, and a warning, if the server does not count them."""
    received = len(first.rows)
    try:
        rows = read_rows(server, ask(count_rows(query)).data).rows
    except (Refusal, UsageError) as error:
        if max_rows is not None or _has_next_row(server, ask, query, first):
            limit = "" if max_rows is None else f", X-SPARQL-MaxRows: {max_rows}"
            raise EndpointError(
                f"{server}: the server cut its answer ({received:,} rows came{limit}, and there are"
                f" more) and refuses to count the rows ({error}), so it is unknown how many are"
                " missing. Raise the server's limit, let it count, narrow the query, or use a file"
                " of the data"
            ) from error
        _LOG.warning(
            "%s: completeness could not be verified: %s rows came,"
            " but the count of them failed (%s)",
            server,
            f"{received:,}",
            error,
        )
        return None
    cells = list(chain.from_iterable(rows))
    if (
        len(cells) != 1
        or not isinstance(cells[0], Literal)
        or not cells[0].value.strip().isdecimal()
    ):
        raise no_result(server, "SELECT (COUNT(*) AS ?qaldgenRows) is answered with one number")
    return int(cells[0].value)


def _has_next_row(server: str, ask: Ask, query: str, first: Rows) -> bool:
    """Return whether the server has a row after its first rows; False if it refuses the request."""
    if not first.rows or not first.variables:
        return False
    try:
        reply = ask(page(query, first.variables, (), 1, len(first.rows)))
    except (Refusal, UsageError):
        return False
    # more than one row comes from a server that ignores LIMIT, and perhaps OFFSET
    return len(read_rows(server, reply.data).rows) == 1


class _Pages:
    """The pages of a query, ordered in a form that the server accepts."""

    def __init__(
        self, server: str, ask: Ask, query: str, variables: tuple[str, ...], length: int
    ) -> None:
        self._server = server
        self._ask = ask
        self._query = query
        self._variables = variables
        self._length = length
        # A form that the server has refused once is not used for further pages.
        self._build = page
        self._keys = variables

    def fetch_all(self, total: int) -> list[tuple[Term | None, ...]]:
        """Return the rows of all pages; refuse pages of another size than was asked for."""
        rows: list[tuple[Term | None, ...]] = []
        for offset in range(0, total, self._length):
            part = self._fetch(offset)
            expected_size = min(self._length, total - offset)
            if len(part) > expected_size:
                raise EndpointError(
                    f"{self._server}: {len(part):,} rows came where a page should have"
                    f" {expected_size:,}; the data may have changed meanwhile, or the server"
                    " ignores LIMIT and OFFSET. Try again, or raise the server's limit"
                )
            rows += part
            if len(part) < expected_size:
                raise _incomplete(self._server, len(rows), total)
        self._check_order(rows)
        return rows

    def _fetch(self, offset: int) -> list[tuple[Term | None, ...]]:
        """Return the rows of the page at `offset`."""
        while True:
            text = self._build(self._query, self._variables, self._keys, self._length, offset)
            try:
                answer = self._ask(text)
                break
            except Refusal as error:
                if self._build is page and "SR353" in error.explanation:
                    self._build = nested_page
                elif len(self._keys) > _MAX_SORT_KEYS and "SQ186" in error.explanation:
                    question = question_variable(self._query, self._variables)
                    features = [name for name in self._variables if name != question]
                    self._keys = (question, *features[: _MAX_SORT_KEYS - 1])
                else:
                    raise
        rows = read_rows(self._server, answer.data)
        if rows.variables != self._variables:
            names = one_line(", ".join(rows.variables))
            raise no_result(
                self._server,
                f"a page has the variables {names}, the query {', '.join(self._variables)}",
            )
        return rows.rows

    def _check_order(self, rows: Sequence[tuple[Term | None, ...]]) -> None:
        """Refuse rows whose order between pages is not fixed: equal in all keys."""
        if len(self._keys) == len(self._variables):
            return
        key_columns = [self._variables.index(name) for name in self._keys]
        for start in range(self._length, len(rows), self._length):
            last_of_page, first_of_next = rows[start - 1], rows[start]
            if all(last_of_page[column] == first_of_next[column] for column in key_columns):
                raise EndpointError(
                    f"{self._server}: the server sorts by {len(self._keys)} variables only, and"
                    f" rows {start:,} and {start + 1:,} are equal in them, so its pages may repeat"
                    " or lose rows. Select fewer features, or raise the server's limit"
                )


def _incomplete(server: str, received: int, total: int) -> EndpointError:
    return EndpointError(
        f"{server}: {received:,} of {total:,} rows came; the server cuts its answers. Raise its"
        " limit (in Virtuoso: ResultSetMaxRows in virtuoso.ini), try a smaller page size,"
        " or narrow the query"
    )


def check_form(query: str, form: str) -> None:
    """Refuse a text that is not a query of this form.

    >>> check_form("ASK { ?s ?p ?o }", "SELECT")
    Traceback (most recent call last):
    qaldgen.errors.UsageError: this needs a SELECT query, and the text is an ASK query
    """
    actual = query_form(query)
    if actual != form:
        text = f"{_article(actual)} query" if actual else "none"
        raise UsageError(f"this needs {_article(form)} query, and the text is {text}")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise UsageError(
            "the query has characters that are not Unicode text; save it in UTF-8"
        ) from None


def iri_in_query(iri: str) -> str:
    """Return an IRI as written in a query, in angle brackets."""
    try:
        return str(NamedNode(iri))
    except ValueError:
        raise UsageError(
            f"<{one_line(iri)}> is not an IRI; a subject is written in full, without spaces"
        ) from None


def write_request(access: Access, method: str, query: str) -> Request:
    """Write the request of SPARQL's protocol."""
    headers = {"Accept": _ACCEPT}
    parameters = [*access.address.parameters, ("query", query)]
    url = with_parameters(access.address.url, parameters)
    if method == "get" or (method == "auto" and len(url) <= _MAX_URL_CHARS):
        return Request(url, None, headers)
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    return Request(access.address.url, urlencode(parameters).encode(), headers)


def _article(form: str) -> str:
    if form[0] in "AU":
        return f"an {form}"
    return f"a {form}"


@dataclass(frozen=True, repr=False)
class Endpoint:
    """A SPARQL endpoint.

    Parameters
    ----------
    url
        Its address, for instance ``http://localhost:8890/sparql``. ``user:password@`` is used as
        credentials; otherwise those in the environment variables QALDGEN_ENDPOINT_USER and
        _PASSWORD, or _TOKEN, are.
    timeout
        Time limit for one request to an endpoint.

        Seconds, from the connection to the last byte.
    retries
        Further tries after the statuses 408, 425, 429, 502, 503, 504, a dropped connection and a
        truncated body.
    method
        "get", "post", or "auto": GET for short queries, POST for those that make a URL of more than
        1,500 characters.
    page_size
        The most rows to ask for at once if the server cuts its answers.
    backoff
        Seconds before the second try, doubled for each further one. A server's Retry-After takes
        precedence. At most 60.
    max_bytes
        Maximum size of one answer of an endpoint, all pages together, in megabytes.

        In Python in bytes, as received and unpacked.
    longest
        Seconds for one answer with all its tries and pages; at least `timeout`.
    allow_service
        Allow queries that make the endpoint call other endpoints (SERVICE).

        Otherwise they are refused, except for services that are built into Wikidata's endpoint,
        such as ``wikibase:label``.

    Raises
    ------
    UsageError
        If the URL is invalid, or a number is out of range.

    Examples
    --------
    >>> Endpoint("http://me:secret@localhost:8890/sparql").name
    'localhost:8890/sparql'
    >>> Endpoint("http://localhost:8890/sparql").ask("ASK { ?s ?p ?o }")  # doctest: +SKIP
    True
    """

    url: str
    timeout: Seconds = 60.0
    retries: int = ENDPOINT_RETRIES
    method: str = "auto"
    page_size: int = 10_000
    backoff: float = 1.0
    max_bytes: Bytes = LARGE
    longest: float = 3600.0
    allow_service: bool = False

    def __post_init__(self) -> None:
        parse_address(self.url)
        if self.method not in {"auto", "get", "post"}:
            raise UsageError(
                f"{self.name}: there is no method {self.method!r}; choose auto, get or post"
            )
        if not self.timeout > 0 or self.page_size < 1 or self.retries < 0 or not self.backoff >= 0:
            raise UsageError(
                f"{self.name}: timeout must be above 0, page_size at least 1, retries and backoff"
                f" at least 0; got {self.timeout:g}, {self.page_size},"
                f" {self.retries} and {self.backoff:g}"
            )
        if self.max_bytes < 1 or not self.longest > 0:
            values = f"got {self.max_bytes:,} and {self.longest:g}"
            raise UsageError(
                f"{self.name}: max_bytes must be at least 1 and longest above 0; {values}"
            )

    def __repr__(self) -> str:
        return f"Endpoint({self.name})"

    @property
    def name(self) -> str:
        """Host and path, without credentials and parameters, as messages show it."""
        return parse_address(self.url).name

    def select(self, query: str) -> Rows:
        """Return every row of a SELECT query.

        The number of rows is compared with a COUNT over the query. If the server gave fewer, all
        rows are fetched again page by page; they are then ordered by all variables, whatever order
        the query asks for.

        Parameters
        ----------
        query
            The SELECT query.

        Returns
        -------
        Rows
            All rows.

        Raises
        ------
        EndpointError
            If the answer does not come, or is not complete.
        UsageError
            If the text is not a SELECT query or calls a SERVICE that is not allowed, or the
            credentials in the environment are incomplete.

        Examples
        --------
        >>> endpoint = Endpoint("http://localhost:8890/sparql")
        >>> endpoint.select("SELECT ?s { ?s ?p ?o } LIMIT 1").variables  # doctest: +SKIP
        ('s',)
        """
        self._check(query, "SELECT")
        # One allowance for the query, the count and all pages together.
        ask = partial(self._answer, allowance=self._allowance())
        return complete_rows(self.name, ask, query, self.page_size)

    def select_once(self, query: str) -> Rows:
        """Return the rows of one request, without checking that they are complete.

        For queries with a LIMIT that the caller checks.

        Parameters
        ----------
        query
            The SELECT query.

        Returns
        -------
        Rows
            The rows.

        Raises
        ------
        EndpointError
            If the answer does not come.
        UsageError
            As `select` does.
        """
        self._check(query, "SELECT")
        return read_rows(self.name, self._answer(query, self._allowance()).data)

    def ask(self, query: str) -> bool:
        """Return the answer of an ASK query.

        Parameters
        ----------
        query
            The ASK query.

        Returns
        -------
        bool
            Yes or no.

        Raises
        ------
        EndpointError
            If the answer does not come, or is neither yes nor no.
        UsageError
            If the text is not an ASK query, or calls a SERVICE that is not allowed.

        Examples
        --------
        >>> Endpoint("http://localhost:8890/sparql").ask("ASK { ?s ?p ?o }")  # doctest: +SKIP
        True
        """
        self._check(query, "ASK")
        return read_truth(self.name, self._answer(query, self._allowance()).data)

    def triples(self, iris: Sequence[str]) -> list[Statement]:
        """Return all triples that have one of `iris` as their subject, each once.

        Parameters
        ----------
        iris
            The subjects.

        Returns
        -------
        list[Statement]
            In the order of the answers.

        Raises
        ------
        EndpointError
            If an answer does not come, or is not complete.
        UsageError
            If one of `iris` is not an IRI.

        Examples
        --------
        >>> Endpoint("http://localhost:8890/sparql").triples([])
        []
        """
        subjects = list(dict.fromkeys(iri_in_query(iri) for iri in iris))
        triples: dict[Statement, None] = {}
        for start in range(0, len(subjects), _BATCH):
            values = " ".join(subjects[start : start + _BATCH])
            query = f"SELECT ?s ?p ?o WHERE {{ VALUES ?s {{ {values} }} ?s ?p ?o }}"
            for row in self.select(query).rows:
                triples[cast("Statement", row)] = None
        described = {str(subject) for subject, _, _ in triples}
        lost = [subject for subject in subjects if subject not in described]
        # a subject may have no triples; if the server has some of the first, it cut its answer
        if lost and self.ask(f"ASK {{ {lost[0]} ?p ?o }}"):
            raise EndpointError(
                f"{self.name}: no triples of {len(lost):,} of {len(subjects):,} resources came"
                f" (first: {lost[0]}), although the server has some: it cuts its answers. Raise its"
                " limit, or use a file of the data"
            )
        return list(triples)

    def _check(self, query: str, form: str) -> None:
        check_form(query, form)
        if not self.allow_service:
            refuse_foreign_services(query)

    def _allowance(self) -> TotalLimits:
        return TotalLimits(self.timeout, max(self.longest, self.timeout), self.max_bytes)

    def _answer(self, query: str, allowance: TotalLimits) -> Answer:
        """Return the answer to a query, after as many tries as are allowed."""
        access = find_access(self.url, ENDPOINT)

        def send() -> Answer:
            reply = allowance.exchange(write_request(access, self.method, query), access)
            return read_answer(self.name, reply, access.secrets)

        try:
            return with_tries(send, RetryPolicy(self.retries, self.backoff), self.name)
        except Failure as failure:
            error = endpoint_error(self.name, failure)
        # Outside the handler, so that no traceback shows what the server said.
        raise error


def endpoint_of(wrapper: SPARQLWrapper) -> Endpoint:
    """Return the endpoint that a SPARQLWrapper asks.

    With its parameters, credentials, method and time limit. Requests are sent by our own client,
    which enforces limits that SPARQLWrapper does not have.

    >>> from SPARQLWrapper import SPARQLWrapper
    >>> wrapper = SPARQLWrapper("http://localhost:8890/sparql")
    >>> wrapper.setTimeout(5)
    >>> endpoint_of(wrapper).timeout
    5.0
    """
    if wrapper.customHttpHeaders:
        names = ", ".join(sorted(wrapper.customHttpHeaders))
        raise UsageError(
            f"{wrapper.endpoint}: headers are taken from QALDGEN_ENDPOINT_HEADERS, not from"
            f" SPARQLWrapper ({names})"
        )
    parts = urlsplit(wrapper.endpoint)
    # SPARQLWrapper sets these for each query.
    of_query = {"query", "format", "output", "results", "update"}
    parameters = {name: value for name, value in wrapper.parameters.items() if name not in of_query}
    query = "&".join(filter(None, [parts.query, urlencode(parameters, doseq=True)]))
    host = parts.netloc
    if wrapper.user is not None:
        user = quote(wrapper.user or "", safe="")
        password = quote(wrapper.passwd or "", safe="")
        host = f"{user}:{password}@{host.rpartition('@')[2]}"
    url = parts._replace(netloc=host, query=query).geturl()
    method = "post" if wrapper.method == "POST" else "auto"
    if wrapper.timeout is None:
        return Endpoint(url, method=method)
    return Endpoint(url, method=method, timeout=float(wrapper.timeout))
