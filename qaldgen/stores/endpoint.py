"""Ask a SPARQL endpoint over HTTP: the complete answer, or an error that says what is missing.

Requests are sent by `qaldgen.io.web.client`. An endpoint that was set up with SPARQLWrapper becomes
an `Endpoint` by `endpoint_of`. SPARQLWrapper does not send the requests: its timeout is per socket
operation, its errors lose the headers, its digest authentication changes every other request of the
process, and it passes credentials on to any host that a redirect names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast
from urllib.parse import quote, urlencode, urlsplit

from pyoxigraph import NamedNode

from qaldgen.defaults import ENDPOINT_RETRIES
from qaldgen.errors import EndpointError, UsageError
from qaldgen.io.text import one_line
from qaldgen.io.web.access import ENDPOINT, find_access, parse_address
from qaldgen.io.web.client import DEFAULT_BYTES, Request, with_parameters
from qaldgen.io.web.failure import Failure
from qaldgen.io.web.retries import RetryPolicy, TotalLimits, with_tries
from qaldgen.options import Bytes, Seconds
from qaldgen.rdf.terms import Rows, Statement
from qaldgen.sparql.clauses import query_form, with_article
from qaldgen.sparql.safety import refuse_foreign_services
from qaldgen.stores.endpoint_pages import PAGE_SIZE, complete_rows
from qaldgen.stores.endpoint_results import (
    Answer,
    endpoint_error,
    read_answer,
    read_boolean,
    read_rows,
)

if TYPE_CHECKING:
    from SPARQLWrapper import SPARQLWrapper


_ACCEPT = "application/sparql-results+json, application/json;q=0.9"
#: Longer addresses are not sent by GET: some servers and proxies refuse 2,000 characters.
_MAX_URL_CHARS = 1_500
#: Subjects in one request for triples, which may be many for each.
_BATCH = 50


def check_query_form(query: str, form: str) -> None:
    """Refuse a text that is not a query of the given form, SELECT or ASK.

    >>> check_query_form("ASK { ?s ?p ?o }", "SELECT")
    Traceback (most recent call last):
    qaldgen.errors.UsageError: this needs a SELECT query, and the text is an ASK query
    """
    actual = query_form(query)
    if actual != form:
        text = f"{with_article(actual)} query" if actual else "none"
        raise UsageError(f"this needs {with_article(form)} query, and the text is {text}")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise UsageError(
            "the query has characters that are not Unicode text; save it in UTF-8"
        ) from None


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
    page_size: int = PAGE_SIZE
    backoff: float = 1.0
    max_bytes: Bytes = DEFAULT_BYTES
    longest: float = 3600.0
    allow_service: bool = False

    def __post_init__(self) -> None:
        parse_address(self.url)
        if self.method not in {"auto", "get", "post"}:
            raise UsageError(
                f"there is no method {self.method!r}; choose auto, get or post", where=self.name
            )
        if not self.timeout > 0 or self.page_size < 1 or self.retries < 0 or not self.backoff >= 0:
            raise UsageError(
                "timeout must be above 0, page_size at least 1, retries and backoff at least 0; got"
                f" {self.timeout:g}, {self.page_size}, {self.retries} and {self.backoff:g}",
                where=self.name,
            )
        if self.max_bytes < 1 or not self.longest > 0:
            values = f"got {self.max_bytes:,} and {self.longest:g}"
            raise UsageError(
                f"max_bytes must be at least 1 and longest above 0; {values}", where=self.name
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
        self._check_query(query, "SELECT")
        # the limits hold for the query, the count of its rows, and all pages together
        ask = partial(self._fetch_answer, limits=self._total_limits())
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
        self._check_query(query, "SELECT")
        return read_rows(self.name, self._fetch_answer(query, self._total_limits()).data)

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
        self._check_query(query, "ASK")
        return read_boolean(self.name, self._fetch_answer(query, self._total_limits()).data)

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
        subjects = []
        for iri in dict.fromkeys(iris):
            try:
                subjects.append(str(NamedNode(iri)))
            except ValueError:
                raise UsageError(
                    f"<{one_line(iri)}> is not an IRI; a subject is written in full, without spaces"
                ) from None

        triples: dict[Statement, None] = {}
        for start in range(0, len(subjects), _BATCH):
            values = " ".join(subjects[start : start + _BATCH])
            query = f"SELECT ?s ?p ?o WHERE {{ VALUES ?s {{ {values} }} ?s ?p ?o }}"
            for row in self.select(query).rows:
                triples[cast("Statement", row)] = None

        received_subjects = {str(subject) for subject, _, _ in triples}
        lost_subjects = [subject for subject in subjects if subject not in received_subjects]
        # a subject may have no triples; if the server has some of the first one, it cut its answer
        if lost_subjects and self.ask(f"ASK {{ {lost_subjects[0]} ?p ?o }}"):
            raise EndpointError(
                f"no triples of {len(lost_subjects):,} of {len(subjects):,} resources came (first:"
                f" {lost_subjects[0]}), although the server has some: it cuts its answers. Raise"
                " its limit, or use a file of the data",
                where=self.name,
            )

        return list(triples)

    def _check_query(self, query: str, form: str) -> None:
        check_query_form(query, form)
        if not self.allow_service:
            refuse_foreign_services(query)

    def _total_limits(self) -> TotalLimits:
        return TotalLimits(self.timeout, max(self.longest, self.timeout), self.max_bytes)

    def _fetch_answer(self, query: str, limits: TotalLimits) -> Answer:
        """Return the answer to a query, after as many tries as are allowed."""
        access = find_access(self.url, ENDPOINT)
        headers = {"Accept": _ACCEPT}
        parameters = [*access.address.parameters, ("query", query)]
        url = with_parameters(access.address.url, parameters)
        if self.method == "get" or (self.method == "auto" and len(url) <= _MAX_URL_CHARS):
            request = Request(url, None, headers)
        else:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            request = Request(access.address.url, urlencode(parameters).encode(), headers)

        def send() -> Answer:
            reply = limits.exchange(request, access)
            return read_answer(self.name, reply, access.secrets)

        try:
            return with_tries(send, RetryPolicy(self.retries, self.backoff), self.name)
        except Failure as failure:
            error = endpoint_error(self.name, failure)
        # Outside the handler, so that no traceback shows what the server said.
        raise error


def endpoint_of(wrapper: SPARQLWrapper) -> Endpoint:
    """Return the endpoint of a SPARQLWrapper, with parameters, credentials, method and time limit.

    Our client sends the requests, as it enforces limits that SPARQLWrapper does not have.

    >>> from SPARQLWrapper import SPARQLWrapper
    >>> wrapper = SPARQLWrapper("http://localhost:8890/sparql")
    >>> wrapper.setTimeout(5)
    >>> endpoint_of(wrapper).timeout
    5.0
    """
    if wrapper.customHttpHeaders:
        names = ", ".join(sorted(wrapper.customHttpHeaders))
        raise UsageError(
            f"headers are taken from QALDGEN_ENDPOINT_HEADERS, not from SPARQLWrapper ({names})",
            where=wrapper.endpoint,
        )

    parts = urlsplit(wrapper.endpoint)
    # SPARQLWrapper sets these for each query.
    reserved = {"query", "format", "output", "results", "update"}
    parameters = {name: value for name, value in wrapper.parameters.items() if name not in reserved}
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
