"""Ask a live question answering system over HTTP, with GERBIL's protocol: a form with the question, QALD JSON as the reply."""

from __future__ import annotations

import dataclasses
from email.message import Message
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import NamedTuple
from urllib.parse import urlencode

from qaldgen.errors import DataError
from qaldgen.formats.content import Content
from qaldgen.formats.gerbil.loader import gerbil_refusal
from qaldgen.formats.json_values import Decimals
from qaldgen.io.web.address import parse_address
from qaldgen.io.web.body import parse_json, read_text
from qaldgen.io.web.credentials import SYSTEM, Access, find_access
from qaldgen.io.web.failure import Failure, Kind
from qaldgen.io.web.one_line import one_line
from qaldgen.io.web.secrets import Secrets
from qaldgen.io.web.transport import SMALL, Limits, Reply, Request, exchange, with_parameters
from qaldgen.io.web.tries import Patience, with_tries
from qaldgen.runs.given import Asked
from qaldgen.runs.qald_answers import read_extended_answers, read_qald_answers, recognises_extended_answers
from qaldgen.runs.record import Response

_LONGEST = 1_000
_TODO = {Kind.TIMEOUT: "; --timeout allows more", Kind.SIZE: "; --max-reply allows more"}


class Service(NamedTuple):
    """A question answering system on the web.

    Attributes
    ----------
    url : str
        Where it is. ``user:password@`` is sent as basic authentication; otherwise the credentials in the environment variables
        QALDGEN_SYSTEM_USER and _PASSWORD, or _TOKEN, are used.
    language : str
        The language tag that is sent with each question.
    timeout : float
        Seconds for one whole reply, from the connection to the last byte.
    retries : int
        Further tries after the statuses 429, 502, 503, 504 and after a connection that broke off.
    raw : bool
        Send the question as GERBIL does, without percent-encoding: a system that reads the form as forms are read then gets
        ``&``, ``+`` and ``%`` wrong.
    backoff : float
        Seconds before the second try; they double from try to try. A server's Retry-After counts more. At most 60.
    max_bytes : int
        The largest reply in bytes, as it comes and unpacked; 16 MB unless told.
    """

    url: str
    language: str = "en"
    timeout: float = 60.0
    retries: int = 2
    raw: bool = False
    backoff: float = 1.0
    max_bytes: int = SMALL

    def __repr__(self) -> str:
        """Return where it is, without credentials and parameters."""
        return f"Service({parse_address(self.url).name})"


def ask_service(service: Service, name: str, text: str) -> Response:
    """Ask one question; whatever goes wrong is in the response, never an empty answer.

    Parameters
    ----------
    service
        The system.
    name
        The id of the question; it is not sent.
    text
        The question.

    Returns
    -------
    Response
        ``answered`` or ``empty`` for a reply in QALD JSON or extended QALD JSON, of which the first question counts; what GERBIL
        would refuse in it is said in `error`. ``timeout`` if the reply was not complete in time, ``failed`` otherwise.

    Raises
    ------
    UsageError
        If the URL is none, or the credentials are incomplete.
    """
    access = find_access(service.url, SYSTEM)
    limits, start = Limits(service.timeout, service.max_bytes), monotonic()

    def send() -> Reply:
        nonlocal start
        start = monotonic()
        return exchange(_request(service, access, text), access, limits)

    try:
        reply = with_tries(send, Patience(service.retries, service.backoff), access.address.name)
        read = read_reply(reply.body, access.address.name, name, service.language, headers=reply.headers, secrets=access.secrets)
    except Failure as failure:
        tries = f" ({failure.tries} tries)" if failure.tries > 1 else ""
        status = "timeout" if failure.kind is Kind.TIMEOUT else "failed"
        problem = f"{access.address.name}: {failure.reason}{tries}{_TODO.get(failure.kind, '')}"
        read = Response(name, status, error=problem)
    return dataclasses.replace(read, seconds=round(monotonic() - start, 3))


def read_reply(
    reply: bytes, server: str, name: str, language: str = "en", *, headers: Message | None = None, secrets: Secrets | None = None
) -> Response:
    """Read what a system replied to a question.

    Parameters
    ----------
    reply
        QALD JSON or extended QALD JSON; anything else is a failure, bare SPARQL results too, as in GERBIL.
    server
        What to call the system in messages.
    name
        The id of the question; that in the reply does not count.
    language
        Whose wording counts where the reply has several.
    headers
        Those of the reply.
    secrets
        What must not be in the reply.

    Examples
    --------
    >>> read_reply(b'{"questions": [{"answers": [{"boolean": true}]}]}', "localhost", "7").answers.values()
    ['true']
    >>> read_reply(b'{"head": {}, "boolean": true}', "localhost", "7").error
    "localhost: the reply is bare SPARQL results, which GERBIL refuses; they belong into 'answers' of a question in QALD JSON"
    """
    try:
        text = read_text(reply, headers or Message(), secrets or Secrets())
        document, odd = _parse(text)
        _check(document, server)
        content = Content(Path(server), "json", text, sha256(reply).hexdigest(), document)
        read = read_extended_answers if recognises_extended_answers(content) else read_qald_answers
        given = read(content, Asked(None, language)).given
    except Failure as failure:
        return Response(name, "failed", error=f"{server}: {failure.reason}")
    except DataError as error:
        return Response(name, "failed", error=one_line(str(error), _LONGEST))
    refusal = gerbil_refusal(text)
    notes = [note for note in (odd, f"GERBIL would refuse the reply: {refusal}" if refusal else "") if note]
    return dataclasses.replace(given[0].response, id=name, error=one_line("; ".join(notes), _LONGEST))


def _parse(text: str) -> tuple[object, str]:
    """Parse a reply; a key that stands twice and NaN do no harm, as in most readers of JSON, and are told."""
    try:
        return parse_json(text, strict=True, number=Decimals), ""
    except Failure as failure:
        odd = failure.reason
    return parse_json(text, strict=False, number=Decimals), odd


def _check(document: object, server: str) -> None:
    """Refuse JSON that is no QALD JSON with a question."""
    keys = set(document) if isinstance(document, dict) else set()
    questions = document.get("questions") if isinstance(document, dict) else None
    if "questions" not in keys and keys & {"results", "boolean"}:
        rule = "which GERBIL refuses; they belong into 'answers' of a question in QALD JSON"
        raise DataError(f"{server}: the reply is bare SPARQL results, {rule}")
    if not isinstance(questions, list) or not questions:
        raise DataError(
            f"{server}: the reply holds no question; QALD JSON has the answers in 'questions', the first of which counts"
        )


def _request(service: Service, access: Access, text: str) -> Request:
    address = access.address
    return Request(with_parameters(address.url, address.parameters), _form(service, text), _headers(service))


def _form(service: Service, text: str) -> bytes:
    """Return the body; a half surrogate pair, which no UTF-8 can hold, becomes a question mark."""
    fields = {"query": text, "lang": service.language}
    if service.raw:
        return "&".join(f"{name}={value}" for name, value in fields.items()).encode("utf-8", "replace")
    return urlencode(fields, errors="replace").encode()


def _headers(service: Service) -> dict[str, str]:
    form = "application/x-www-form-urlencoded"
    return {
        "Content-Type": f"{form}; charset=ISO-8859-1;charset=UTF-8" if service.raw else f"{form}; charset=UTF-8",
        "Accept": "application/json; charset=UTF-8",
    }
