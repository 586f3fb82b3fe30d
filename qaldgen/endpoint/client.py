"""The endpoint as the rest of qaldgen sees it: SELECT, ASK and triples, with further tries where they may help."""

from __future__ import annotations

import http.client
import logging
import urllib.error
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from functools import partial
from time import sleep
from typing import cast

from qaldgen.endpoint.address import find_credentials, parse_address
from qaldgen.endpoint.complaints import Transient, connection_error, http_error
from qaldgen.endpoint.paging import complete_rows
from qaldgen.endpoint.request import check_form, iri_in_query, write_request
from qaldgen.endpoint.results import Answer, read_answer, read_truth
from qaldgen.endpoint.transport import send_before_deadline
from qaldgen.errors import EndpointError, UsageError
from qaldgen.rdf import Rows, Statement
from qaldgen.sparql_guard import refuse_foreign_services

_LOG = logging.getLogger("qaldgen")
_LONGEST_WAIT = 60.0
_BATCH = 50


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
    allow_service : bool
        Whether queries may make the endpoint call others (SERVICE). Without it they are refused, except for services that
        Wikidata's endpoint has in itself, such as ``wikibase:label``.

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
    allow_service: bool = False

    def __post_init__(self) -> None:
        parse_address(self.url)
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
        return parse_address(self.url).name

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
            If the text is no SELECT query or calls a SERVICE that is not allowed, or the credentials in the environment are
            incomplete.

        Examples
        --------
        >>> endpoint = Endpoint("http://localhost:8890/sparql")
        >>> endpoint.select("SELECT ?s { ?s ?p ?o } LIMIT 1").variables  # doctest: +SKIP
        ('s',)
        """
        self._check(query, "SELECT")
        return complete_rows(self.name, partial(self._answer, form="SELECT"), query, self.page_size)

    def ask(self, query: str) -> bool:
        """Return the answer of an ASK query.

        Raises
        ------
        EndpointError
            If the answer does not come, or is neither yes nor no.
        UsageError
            If the text is no ASK query, or calls a SERVICE that is not allowed.

        Examples
        --------
        >>> Endpoint("http://localhost:8890/sparql").ask("ASK { ?s ?p ?o }")  # doctest: +SKIP
        True
        """
        self._check(query, "ASK")
        return read_truth(self.name, self._answer(query, "ASK").data)

    def triples(self, iris: Sequence[str]) -> list[Statement]:
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
        subjects = list(dict.fromkeys(iri_in_query(iri) for iri in iris))
        found: dict[Statement, None] = {}
        for start in range(0, len(subjects), _BATCH):
            values = " ".join(subjects[start : start + _BATCH])
            for row in self.select(f"SELECT ?s ?p ?o WHERE {{ VALUES ?s {{ {values} }} ?s ?p ?o }}").rows:
                found[cast("Statement", row)] = None
        return list(found)

    def _check(self, query: str, form: str) -> None:
        check_form(query, form)
        if not self.allow_service:
            refuse_foreign_services(query)

    def _answer(self, query: str, form: str) -> Answer:
        """Return the answer to a query, after as many tries as are allowed."""
        for attempt in range(self.retries + 1):
            try:
                return read_answer(self.name, *self._send(query, form))
            except Transient as error:
                problem = error
            if attempt < self.retries:
                doubled = self.backoff * 2 ** min(attempt, 16)
                wait = min(doubled if problem.wait is None else problem.wait, _LONGEST_WAIT)
                _LOG.info("%s: %s; trying again in %g s", self.name, problem, wait)
                sleep(wait)
        tries = "1 try" if not self.retries else f"{self.retries + 1} tries"
        raise EndpointError(f"{self.name}: {problem} ({tries}). Try again later, or ask for less at once")

    def _send(self, query: str, form: str) -> tuple[bytes, Message]:
        """Send a query once; the errors of the network and of HTTP become ours."""
        address = parse_address(self.url)
        credentials = find_credentials(address)
        request = write_request(address, credentials, self.method, query, form)
        try:
            return send_before_deadline(request, address, credentials, self.timeout)
        except urllib.error.HTTPError as error:
            with error:
                raise http_error(self.name, error, credentials.secrets) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise connection_error(self.name, error, self.timeout) from error
