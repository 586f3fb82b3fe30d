"""Ask a SPARQL endpoint over HTTP: the complete answer, or an error that says what is missing.

SPARQLWrapper writes the requests. Sending them is ours: its timeout is one per socket operation, its errors lose the
headers, its digest authentication changes every other request of the process, and it passes credentials on to any
host that a redirect names.
"""

from __future__ import annotations

import html
import http.client
import io
import json
import logging
import os
import re
import socket
import ssl
import urllib.error
import urllib.request
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from email.utils import mktime_tz, parsedate_tz
from functools import partial
from http import HTTPStatus
from time import monotonic, sleep, time
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from pyoxigraph import BlankNode, Literal, NamedNode

from qaldgen._version import __version__
from qaldgen.errors import EndpointError, UsageError
from qaldgen.rdf import Rows, Term
from qaldgen.sparql import count_rows, page, query_form, split_select, tokens

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ACCEPT = "application/sparql-results+json, application/json;q=0.9"
USER = "QALDGEN_ENDPOINT_USER"
PASSWORD = "QALDGEN_ENDPOINT_PASSWORD"
AUTH = "QALDGEN_ENDPOINT_AUTH"
TOKEN = "QALDGEN_ENDPOINT_TOKEN"

_LOG = logging.getLogger("qaldgen")
_LONGEST_URL = 1_500
_LONGEST_WAIT = 60.0
_LONGEST_TIMEOUT = 1e6
_BATCH = 50
_RETRY_STATUS = {429, 502, 503, 504}
_DROPPED = (ConnectionError, http.client.IncompleteRead, ssl.SSLEOFError)
_ENCODED = {"content-length", "content-type"}


@dataclass(frozen=True, repr=False)
class Endpoint:
    """A SPARQL endpoint.

    Parameters
    ----------
    url : str
        Where it is, for instance ``http://localhost:8890/sparql``. ``user:password@`` is used as credentials; otherwise
        those in the environment variables QALDGEN_ENDPOINT_USER and _PASSWORD, or _TOKEN, are.
    timeout : float
        Seconds for one whole request, from the connection to the last byte.
    retries : int
        Further tries after the statuses 429, 502, 503, 504, a dropped connection and a truncated body.
    method : str
        "get", "post", or "auto": GET for short queries, POST for those that make a URL of more than 1,500 characters.
    page_size : int
        The most rows to ask for at once where the server cuts its answers.
    backoff : float
        Seconds before the second try; they double from try to try. A server's Retry-After counts more. At most 60.

    Raises
    ------
    UsageError
        If the URL is none, or a number is out of its range.

    Examples
    --------
    >>> Endpoint("http://me:secret@localhost:8890/sparql").name
    'localhost:8890/sparql'
    >>> Endpoint("http://localhost:8890/sparql").ask("ASK { ?s ?p ?o }")  # doctest: +SKIP
    True
    """

    url: str
    timeout: float = 60.0
    retries: int = 4
    method: str = "auto"
    page_size: int = 10_000
    backoff: float = 1.0

    def __post_init__(self) -> None:
        _address(self.url)
        if self.method not in {"auto", "get", "post"}:
            raise UsageError(f"{self.name}: there is no method {self.method!r}; choose auto, get or post")
        if not self.timeout > 0 or self.page_size < 1 or self.retries < 0 or not self.backoff >= 0:
            raise UsageError(
                f"{self.name}: timeout must be above 0, page_size at least 1, retries and backoff at least 0; these "
                f"are {self.timeout:g}, {self.page_size}, {self.retries} and {self.backoff:g}"
            )

    def __repr__(self) -> str:
        return f"Endpoint({self.name})"

    @property
    def name(self) -> str:
        """Host and path, without credentials and parameters: what messages show."""
        return _address(self.url).name

    def select(self, query: str) -> Rows:
        """Return every row of a SELECT query.

        The number of rows is compared with a COUNT over the query. Where the server gave fewer, all rows are fetched
        again page by page; they then come ordered by all variables, whatever order the query asks for.

        Parameters
        ----------
        query : str
            The SELECT query.

        Raises
        ------
        EndpointError
            If the answer does not come, or not all of it.
        UsageError
            If the text is no SELECT query, or the credentials in the environment are incomplete.

        Examples
        --------
        >>> endpoint = Endpoint("http://localhost:8890/sparql")
        >>> endpoint.select("SELECT ?s { ?s ?p ?o } LIMIT 1").variables  # doctest: +SKIP
        ('s',)
        """
        _check_form(query, "SELECT")
        first = _answer(self, query, "SELECT")
        found = _rows(self, first.data)
        total = _count(self, query, first.headers.get("X-SPARQL-MaxRows"), len(found.rows))
        if total is None or len(found.rows) == total:
            return found
        if len(found.rows) > total:
            raise EndpointError(
                f"{self.name}: {len(found.rows):,} rows came, but a count of them gave {total:,}; the data may have "
                "changed meanwhile. Try again"
            )
        return _all_pages(self, query, found, total)

    def ask(self, query: str) -> bool:
        """Return the answer of an ASK query.

        Raises
        ------
        EndpointError
            If the answer does not come, or is neither yes nor no.
        UsageError
            If the text is no ASK query.

        Examples
        --------
        >>> Endpoint("http://localhost:8890/sparql").ask("ASK { ?s ?p ?o }")  # doctest: +SKIP
        True
        """
        _check_form(query, "ASK")
        data = _answer(self, query, "ASK").data
        value = data.get("boolean")
        if value is None and "results" in data:
            value = _ask_table(_rows(self, data))
        known = {"true": True, "1": True, "false": False, "0": False}
        if str(value).lower() not in known:
            raise _not_results(self, "an ASK query is answered with a boolean")
        return known[str(value).lower()]

    def triples(self, iris: Sequence[str]) -> list[tuple[Term, Term, Term]]:
        """Return all triples that have one of `iris` as their subject, each once.

        Raises
        ------
        EndpointError
            If an answer does not come, or not all of it.
        UsageError
            If one of `iris` is no IRI.

        Examples
        --------
        >>> Endpoint("http://localhost:8890/sparql").triples([])
        []
        """
        subjects = list(dict.fromkeys(_iri(iri) for iri in iris))
        found: dict[tuple[Term, Term, Term], None] = {}
        for start in range(0, len(subjects), _BATCH):
            values = " ".join(subjects[start : start + _BATCH])
            for row in self.select(f"SELECT ?s ?p ?o WHERE {{ VALUES ?s {{ {values} }} ?s ?p ?o }}").rows:
                found[cast("tuple[Term, Term, Term]", row)] = None
        return list(found)


def nested_page(query: str, variables: Sequence[str], limit: int, offset: int) -> str:
    """Return the query for a page with the order in a subquery.

    Virtuoso refuses ORDER BY with LIMIT and OFFSET in one query where they reach beyond MaxSortedTopRows (error SR353),
    but takes them in two.

    Examples
    --------
    >>> nested_page("SELECT ?s { ?s a ?c }", ["s"], 10, 20)
    'SELECT ?s  WHERE { { SELECT ?s WHERE { { SELECT ?s WHERE { ?s a ?c } } } ORDER BY ?s } } LIMIT 10 OFFSET 20'
    """
    parts = split_select(page(query, variables, limit, offset))
    order = " ".join(f"?{name}" for name in variables)
    inner = f"SELECT {order} WHERE {{ {parts.where} }} ORDER BY {order}"
    outer = f"SELECT {order} {parts.dataset} WHERE {{ {{ {inner} }} }} LIMIT {limit} OFFSET {offset}"
    return f"{parts.prologue}\n{outer}".strip()


class _Refusal(EndpointError):
    """The server answered with an HTTP error that another try would not mend."""

    def __init__(self, message: str, explanation: str) -> None:
        super().__init__(message)
        self.explanation = explanation


class _Transient(Exception):
    """Something went wrong that the next try may mend."""

    def __init__(self, problem: str, wait: float | None = None) -> None:
        super().__init__(problem)
        self.wait = wait


class _Address(NamedTuple):
    """A URL in parts; `url` has no credentials and no parameters."""

    url: str
    name: str
    parameters: list[tuple[str, str]]
    user: str | None
    password: str | None


class _Credentials(NamedTuple):
    """The Authorization header, or the user and password for digest; and what no message may show."""

    header: str = ""
    digest: tuple[str, str] | None = None
    secrets: tuple[str, ...] = ()


class _Reply(NamedTuple):
    """The body and headers of a successful response."""

    body: bytes
    headers: Message


class _Answer(NamedTuple):
    """A SPARQL result in JSON, and the headers of its response."""

    data: dict[str, Any]
    headers: Message


# --- completeness -------------------------------------------------------------------------------------------


def _count(endpoint: Endpoint, query: str, max_rows: str | None, received: int) -> int | None:
    """Return how many rows `query` has; None, and a warning, where the server does not count them."""
    try:
        counting = count_rows(query)
        counted = _rows(endpoint, _answer(endpoint, counting, "SELECT").data).rows
    except (_Refusal, UsageError) as error:
        if max_rows is not None:
            raise EndpointError(
                f"{endpoint.name}: the server cut its answer ({received:,} rows came, X-SPARQL-MaxRows: {max_rows}) "
                "and refuses to count the rows, so they cannot be fetched page by page. Raise the server's limit or "
                "narrow the query"
            ) from error
        _LOG.warning(
            "%s: completeness could not be verified: %s rows came, but the count of them failed (%s)",
            endpoint.name,
            f"{received:,}",
            error,
        )
        return None
    cell = counted[0][0] if len(counted) == 1 and len(counted[0]) == 1 else None
    if not isinstance(cell, Literal) or not cell.value.strip().isdecimal():
        raise _not_results(endpoint, "SELECT (COUNT(*) AS ?qaldgenRows) is answered with one number")
    return int(cell.value)


def _all_pages(endpoint: Endpoint, query: str, first: Rows, total: int) -> Rows:
    """Fetch the `total` rows of `query` in pages that the server does not cut."""
    length = min(endpoint.page_size, len(first.rows))
    if not length or not first.variables:
        raise _incomplete(endpoint, len(first.rows), total)
    _LOG.info("%s: %s of %s rows came; fetching pages", endpoint.name, f"{len(first.rows):,}", f"{total:,}")
    rows: list[tuple[Term | None, ...]] = []
    build = page
    for offset in range(0, total, length):
        try:
            part = _answer(endpoint, build(query, first.variables, length, offset), "SELECT")
        except _Refusal as error:
            if build is nested_page or "SR353" not in error.explanation:
                raise
            build = nested_page
            part = _answer(endpoint, build(query, first.variables, length, offset), "SELECT")
        found = _rows(endpoint, part.data)
        if found.variables != first.variables:
            raise _not_results(endpoint, f"a page has the variables {found.variables}, the query {first.variables}")
        rows += found.rows
        due = min(length, total - offset)
        if len(found.rows) > due:
            raise EndpointError(
                f"{endpoint.name}: {len(found.rows):,} rows came where a page should have {due:,}; the data may have "
                "changed meanwhile, or the server ignores LIMIT and OFFSET. Try again, or raise the server's limit"
            )
        if len(found.rows) < due:
            raise _incomplete(endpoint, len(rows), total)
    _check_pages(endpoint, query, first, rows)
    return Rows(first.variables, rows)


def _check_pages(endpoint: Endpoint, query: str, first: Rows, rows: list[tuple[Term | None, ...]]) -> None:
    """Refuse pages that overlap: a row twice under DISTINCT, or a row of the first answer in none of them."""
    counts = Counter(rows)
    distinct = tokens(split_select(query).projection)[1].word == "DISTINCT"
    # the names of blank nodes hold within one answer only
    named = (row for row in first.rows if not any(isinstance(term, BlankNode) for term in row))
    lost = sum((Counter(named) - counts).values())
    if lost or (distinct and len(counts) < len(rows)):
        raise EndpointError(
            f"{endpoint.name}: the pages of the answer do not fit together ({len(counts):,} different rows in "
            f"{len(rows):,}, {lost:,} rows of the first answer missing); the data may have changed meanwhile, or the "
            "query takes its rows in no fixed order. Try again, give a LIMIT inside the query an ORDER BY, or raise "
            "the server's limit"
        )


def _incomplete(endpoint: Endpoint, received: int, total: int) -> EndpointError:
    return EndpointError(
        f"{endpoint.name}: {received:,} of {total:,} rows came; the server cuts its answers. Raise its limit (in "
        "Virtuoso: ResultSetMaxRows in virtuoso.ini), try a smaller page size, or narrow the query"
    )


# --- one question, with its retries -------------------------------------------------------------------------


def _answer(endpoint: Endpoint, query: str, form: str) -> _Answer:
    """Return the answer to a query, after as many tries as the endpoint allows."""
    for attempt in range(endpoint.retries + 1):
        try:
            return _parse(endpoint, _send(endpoint, query, form))
        except _Transient as error:
            problem = error
        if attempt < endpoint.retries:
            doubled = endpoint.backoff * 2 ** min(attempt, 16)
            wait = min(doubled if problem.wait is None else problem.wait, _LONGEST_WAIT)
            _LOG.info("%s: %s; trying again in %g s", endpoint.name, problem, wait)
            sleep(wait)
    tries = "1 try" if not endpoint.retries else f"{endpoint.retries + 1} tries"
    raise EndpointError(f"{endpoint.name}: {problem} ({tries}). Try again later, or ask for less at once")


def _send(endpoint: Endpoint, query: str, form: str) -> _Reply:
    """Send a query once and read the whole response before the deadline."""
    address = _address(endpoint.url)
    credentials = _credentials(address)
    request = _request(endpoint, address, credentials, query, form)
    timeout = min(endpoint.timeout, _LONGEST_TIMEOUT)
    opener = _opener(address, credentials, monotonic() + timeout)
    try:
        with opener.open(request, timeout=timeout) as response:
            return _Reply(response.read(), response.headers)
    except urllib.error.HTTPError as error:
        with error:
            raise _http_error(endpoint, error, credentials) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _connection_error(endpoint, error) from error


def _request(endpoint: Endpoint, address: _Address, credentials: _Credentials, query: str, form: str) -> urllib.request.Request:
    """Let SPARQLWrapper write the request."""
    from SPARQLWrapper import JSON, SPARQLWrapper

    client = SPARQLWrapper(address.url, returnFormat=JSON, agent=f"qaldgen/{__version__}")
    client.setOnlyConneg(True)
    client.addCustomHttpHeader("Accept", ACCEPT)
    if credentials.header:
        client.addCustomHttpHeader("Authorization", credentials.header)
    for name, value in address.parameters:
        client.addParameter(name, value)
    # setQuery() would guess the form with regular expressions, and takes "PREFIX : <x> # add" for an update
    client.queryString = query
    client.queryType = form
    client.setMethod("POST" if endpoint.method == "post" else "GET")
    request = client._createRequest()
    if endpoint.method == "auto" and len(request.full_url) > _LONGEST_URL:
        client.setMethod("POST")
        request = client._createRequest()
    return request


def _parse(endpoint: Endpoint, reply: _Reply) -> _Answer:
    """Read the JSON of a response, and refuse one that the server itself calls partial."""
    kind = reply.headers.get("Content-Type", "no content type").split(";")[0].strip().lower()
    if not reply.body.strip():
        raise EndpointError(f"{endpoint.name}: the answer is empty; is this the address of a SPARQL endpoint?")
    try:
        data = json.loads(reply.body.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        if "json" not in kind:
            raise EndpointError(
                f"{endpoint.name}: answered {kind} instead of SPARQL results in JSON; is this the SPARQL endpoint (its "
                "address usually ends in /sparql or /query), and can it answer application/sparql-results+json?"
            ) from error
        if not reply.body.rstrip().endswith(b"}"):
            raise _Transient(f"the JSON of the answer is truncated after {len(reply.body):,} bytes") from error
        raise EndpointError(f"{endpoint.name}: the answer is no valid JSON ({_line(str(error))})") from error
    if "S1TAT" in reply.headers.get("X-SQL-State", ""):
        raise EndpointError(
            f"{endpoint.name}: the server stopped the query at its own time limit and sent a partial result; narrow "
            "the query or raise the server's limit (in Virtuoso: MaxQueryExecutionTime in virtuoso.ini)"
        )
    if not isinstance(data, dict):
        raise _not_results(endpoint, "the outermost value is an object")
    return _Answer(data, reply.headers)


# --- SPARQL results to terms --------------------------------------------------------------------------------


def _rows(endpoint: Endpoint, data: Mapping[str, Any]) -> Rows:
    """Turn SPARQL results in JSON into terms."""
    head, results = data.get("head"), data.get("results")
    names = head.get("vars") if isinstance(head, dict) else None
    bindings = results.get("bindings") if isinstance(results, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _not_results(endpoint, 'a SELECT query is answered with the variables in "head"')
    if not isinstance(bindings, list) or not all(isinstance(row, dict) for row in bindings):
        raise _not_results(endpoint, 'a SELECT query is answered with "bindings" in "results"')
    known = set(names)
    rows: list[tuple[Term | None, ...]] = []
    for row in bindings:
        if not known.issuperset(row):
            raise _not_results(endpoint, f"row {len(rows) + 1} binds a variable that the head does not name")
        rows.append(tuple(_term(endpoint, row[name]) if name in row else None for name in names))
    return Rows(tuple(names), rows)


def _ask_table(table: Rows) -> str | None:
    """Return what Virtuoso's table says for an ASK query: one row with a 1, or no row for no."""
    if len(table.variables) != 1 or len(table.rows) > 1:
        return None
    if not table.rows:
        return "0" if table.variables == ("__ASK_RETVAL",) else None
    cell = table.rows[0][0]
    return cell.value if isinstance(cell, Literal) else None


def _term(endpoint: Endpoint, cell: object) -> Term:
    fields: dict[str, Any] = cell if isinstance(cell, dict) else {}
    kind, value = fields.get("type"), fields.get("value")
    if kind == "triple":
        raise EndpointError(f"{endpoint.name}: the answer has a triple as a value (RDF-star); leave such values out of the query")
    if not isinstance(value, str) or kind not in ("uri", "bnode", "literal", "typed-literal"):
        raise _not_results(endpoint, f"{_line(json.dumps(cell))} is no RDF term")
    try:
        if kind == "uri":
            return NamedNode(value)
        if kind == "bnode":
            return _blank_node(value)
        if fields.get("xml:lang"):
            return Literal(value, language=fields["xml:lang"])
        return Literal(value, datatype=NamedNode(fields["datatype"])) if fields.get("datatype") else Literal(value)
    except (ValueError, TypeError) as error:
        shown = f"the IRI <{_line(value)}>" if kind == "uri" else _line(json.dumps(cell, ensure_ascii=False))
        raise EndpointError(
            f"{endpoint.name}: {shown} in the answer is no valid RDF term ({_line(str(error))}); mend the data, or "
            "leave it out of the query"
        ) from error


def _blank_node(name: str) -> BlankNode:
    """Return a blank node; names like Virtuoso's nodeID://b10001 are spelt in hexadecimal digits."""
    try:
        return BlankNode(name)
    except ValueError:
        return BlankNode("x" + name.encode().hex())


def _not_results(endpoint: Endpoint, rule: str) -> EndpointError:
    return EndpointError(f"{endpoint.name}: the answer is JSON, but no SPARQL result: {rule}. Is this a SPARQL endpoint?")


# --- errors -------------------------------------------------------------------------------------------------


def _http_error(endpoint: Endpoint, error: urllib.error.HTTPError, credentials: _Credentials) -> Exception:
    """Say what an HTTP status means for the caller."""
    explanation = _explanation(error, credentials)
    phrases = {int(status): status.phrase for status in HTTPStatus}
    status = f"HTTP {error.code} {phrases.get(error.code, '')}".rstrip()
    said = f": {explanation}" if explanation and explanation not in status else ""
    if error.code in _RETRY_STATUS:
        return _Transient(f"{status}{said}", _retry_after(error.headers.get("Retry-After")))
    todo = {
        400: "The server does not accept the query",
        401: f"Set {USER} and {PASSWORD} (with {AUTH}=digest for digest authentication), or {TOKEN}",
        403: f"The server does not let you ask this; {USER} and {PASSWORD}, or {TOKEN}, say who you are",
        404: "Is this the SPARQL endpoint? Its address usually ends in /sparql or /query",
        405: "Try the other method, GET or POST",
        414: "The query is too long for GET; use POST",
    }.get(error.code, "")
    if error.code < 400:
        todo = "The redirect leads nowhere: to no http or https address, or round in a circle. Give the final address"
    elif error.code >= 500:
        todo = "The server failed on this query; a simpler one may work"
    return _Refusal(f"{endpoint.name}: {status}{said}{'. ' if todo else ''}{todo}", explanation)


def _connection_error(endpoint: Endpoint, error: Exception) -> Exception:
    """Say why there is no response, or only half of one."""
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    name = endpoint.name
    if isinstance(reason, TimeoutError):
        return EndpointError(
            f"{name}: no complete answer within {endpoint.timeout:g} seconds; allow more with --timeout, or narrow the query"
        )
    if isinstance(reason, ConnectionRefusedError):
        return EndpointError(f"{name}: connection refused; is the server running, and is this its port?")
    if isinstance(reason, socket.gaierror):
        return EndpointError(f"{name}: the host is unknown; check the address and the network")
    if isinstance(reason, http.client.IncompleteRead):
        return _Transient(f"the answer broke off after {len(reason.partial):,} bytes")
    if isinstance(reason, _DROPPED):
        return _Transient("the server dropped the connection")
    if isinstance(reason, http.client.HTTPException):
        return EndpointError(f"{name}: the server does not speak HTTP ({_line(repr(reason))}); check scheme and port")
    return EndpointError(f"{name}: no connection ({_line(str(reason))}); check the address and the network")


def _explanation(error: urllib.error.HTTPError, credentials: _Credentials) -> str:
    """Return the first line of what the server says, as plain text without our credentials."""
    try:
        text = error.read(65_536).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException, ValueError):
        return ""
    if re.search(r"<(!doctype\s+html|html|head|body)\b", text, re.IGNORECASE):
        text = re.sub(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", " ", text, flags=re.IGNORECASE | re.DOTALL)
        text = html.unescape(re.sub(r"<[^>]*>", "\n", text))
    for secret in filter(None, credentials.secrets):
        text = text.replace(secret, "***")
    return _line(next((line for line in text.splitlines() if line.strip()), ""))


def _line(text: str) -> str:
    """Return `text` on one line of at most 200 characters, without control characters."""
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return plain if len(plain) <= 200 else plain[:199] + "…"


def _retry_after(value: str | None) -> float | None:
    """Return the seconds a Retry-After header asks for: a number, or a date."""
    if not value:
        return None
    if value.strip().isdecimal():
        return float(value)
    then = parsedate_tz(value)
    try:
        return None if then is None else max(0.0, mktime_tz(then) - time())
    except (ValueError, OverflowError):
        return None


# --- addresses and credentials ------------------------------------------------------------------------------


def _address(url: str) -> _Address:
    """Take a URL apart."""
    shown = _line(re.sub(r"//.*@", "//", url)) or "''"
    rule = "write it as http://HOST:PORT/sparql or https://..."
    if re.search(r"[\x00-\x20\x7f]", url):
        raise UsageError(f"{shown}: an endpoint's address has no spaces; {rule}")
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2].encode("idna").decode()
        port = parts.port
    except ValueError:
        raise UsageError(f"{shown}: this is no endpoint's address; {rule}") from None
    if parts.scheme not in {"http", "https"}:
        raise UsageError(f"{shown}: an endpoint's address begins with http:// or https://; {rule}")
    if not parts.hostname or port == 0:
        raise UsageError(f"{shown}: an endpoint's address names a host; {rule}")
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._")
    return _Address(
        url=f"{parts.scheme}://{host}{path}",
        name=f"{host}{path}",
        parameters=parse_qsl(parts.query, keep_blank_values=True),
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password is not None else None,
    )


def _credentials(address: _Address) -> _Credentials:
    """Take the credentials from the URL, or else from the environment."""
    token = os.environ.get(TOKEN, "").strip()
    if token and address.user is None:
        if not (token.isascii() and token.isprintable()):
            raise UsageError(f"{TOKEN} holds a character that no HTTP header can carry; set it again")
        return _Credentials(f"Bearer {token}", None, (token,))
    user = os.environ.get(USER) if address.user is None else address.user
    password = os.environ.get(PASSWORD) if address.password is None else address.password
    if not user:
        return _Credentials()
    if password is None:
        raise UsageError(f"{address.name}: there is a user but no password; set {PASSWORD}")
    scheme = os.environ.get(AUTH, "").strip().lower() or "basic"
    if scheme == "digest":
        return _Credentials("", (user, password), (password,))
    if scheme != "basic":
        raise UsageError(f"{AUTH} is {_line(scheme)!r}; it can be basic or digest")
    code = b64encode(f"{user}:{password}".encode()).decode()
    return _Credentials(f"Basic {code}", None, (password, code))


def _check_form(query: str, form: str) -> None:
    found = query_form(query)
    if found != form:
        raise UsageError(f"this needs {_article(form)} query, and the text is {_article(found) + ' query' if found else 'none'}")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise UsageError("the query has characters that are no Unicode text; save it in UTF-8") from None


def _article(form: str) -> str:
    return f"an {form}" if form[0] in "AU" else f"a {form}"


def _iri(iri: str) -> str:
    try:
        return str(NamedNode(iri))
    except ValueError:
        raise UsageError(f"<{_line(iri)}> is no IRI; a subject is written in full, without spaces") from None


# --- sending ------------------------------------------------------------------------------------------------


class _DeadlineReader(io.RawIOBase):
    """What a socket receives, until a deadline; a plain socket timeout starts anew with every byte."""

    def __init__(self, raw: io.RawIOBase, connection: socket.socket, deadline: float) -> None:
        self._raw, self._connection, self._deadline = raw, connection, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        left = self._deadline - monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _DeadlineResponse(http.client.HTTPResponse):
    """A response of which everything, headers included, must be there before a deadline."""

    def __init__(
        self,
        sock: socket.socket,
        debuglevel: int = 0,
        method: str | None = None,
        url: str | None = None,
        *,
        deadline: float = 0.0,
    ) -> None:
        super().__init__(sock, debuglevel, method, url)
        self.fp = io.BufferedReader(_DeadlineReader(self.fp.detach(), sock, deadline))


def _connect(
    kind: Callable[..., http.client.HTTPConnection], deadline: float, host: str, timeout: float, **options: object
) -> http.client.HTTPConnection:
    connection = kind(host, timeout=min(timeout, max(deadline - monotonic(), 0.001)), **options)
    connection.response_class = cast("type[http.client.HTTPResponse]", partial(_DeadlineResponse, deadline=deadline))
    return connection


class _Http(urllib.request.HTTPHandler):
    def __init__(self, deadline: float) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_connect, http.client.HTTPConnection, self._deadline), req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, deadline: float) -> None:
        super().__init__()
        self._deadline = deadline

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_connect, http.client.HTTPSConnection, self._deadline), req)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follow redirects with the query (urllib turns POST into GET without it), and leave credentials at their host."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request:
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if new.scheme not in {"http", "https"}:
            raise urllib.error.HTTPError(req.full_url, code, msg, headers, fp)
        keep = code != 303
        again = dict(_kept_headers(req.headers.items(), keep and req.data is not None))
        if new.hostname != old.hostname or new.scheme < old.scheme or (new.scheme == old.scheme and new.port != old.port):
            again.pop("Authorization", None)
        return urllib.request.Request(
            newurl.replace(" ", "%20"), req.data if keep else None, again, req.origin_req_host, unverifiable=True
        )

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = urllib.request.HTTPRedirectHandler.http_error_302


def _kept_headers(headers: Iterable[tuple[str, str]], body: bool) -> list[tuple[str, str]]:
    return [(name, value) for name, value in headers if body or name.lower() not in _ENCODED]


def _opener(address: _Address, credentials: _Credentials, deadline: float) -> urllib.request.OpenerDirector:
    """Return what sends requests by http and https only; there are no handlers for file, ftp and data."""
    handlers: list[urllib.request.BaseHandler] = [
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Http(deadline),
        _Https(deadline),
        _Redirects(),
    ]
    if credentials.digest:
        passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
        passwords.add_password(None, address.url, *credentials.digest)
        handlers.append(urllib.request.HTTPDigestAuthHandler(passwords))
    opener = urllib.request.OpenerDirector()
    for handler in handlers:
        opener.add_handler(handler)
    return opener
