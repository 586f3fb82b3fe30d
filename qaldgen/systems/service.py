"""Ask a live question answering system over HTTP, with GERBIL's protocol: a form with the question, QALD JSON as the reply."""

from __future__ import annotations

import dataclasses
import http.client
import urllib.error
import urllib.request
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple
from urllib.parse import urlencode

from qaldgen._version import __version__
from qaldgen.endpoint.address import Address, Credentials, parse_address
from qaldgen.endpoint.one_line import one_line
from qaldgen.endpoint.transport import send_before_deadline
from qaldgen.errors import DataError
from qaldgen.formats.content import Content, decode
from qaldgen.formats.gerbil_loader import gerbil_refusal
from qaldgen.formats.json_values import parse_json
from qaldgen.runs.given import Asked
from qaldgen.runs.qald_answers import read_extended_answers, read_qald_answers, recognises_extended_answers
from qaldgen.runs.record import Response

_BUSY = {429, 502, 503, 504}
_LONGEST_WAIT = 60.0


class Service(NamedTuple):
    """A question answering system on the web.

    Attributes
    ----------
    url : str
        Where it is. ``user:password@`` is sent as basic authentication.
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
        Seconds before the second try; they double from try to try, up to 60.
    """

    url: str
    language: str = "en"
    timeout: float = 60.0
    retries: int = 2
    raw: bool = False
    backoff: float = 1.0


class _Problem(NamedTuple):
    """Why there is no reply, whether it is the time that ran out, and whether another try may help."""

    reason: str
    timeout: bool = False
    again: bool = False


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
        If the URL is none.
    """
    address = parse_address(service.url)
    attempt = 0
    while True:
        start = monotonic()
        reply = _send(service, address, text)
        seconds = round(monotonic() - start, 3)
        if isinstance(reply, bytes):
            return dataclasses.replace(read_reply(reply, address.name, name, service.language), seconds=seconds)
        if not reply.again or attempt >= service.retries:
            break
        sleep(min(service.backoff * 2 ** min(attempt, 16), _LONGEST_WAIT))
        attempt += 1
    tries = f" ({attempt + 1} tries)" if attempt else ""
    status = "timeout" if reply.timeout else "failed"
    return Response(name, status, seconds=seconds, error=f"{address.name}: {reply.reason}{tries}")


def read_reply(reply: bytes, server: str, name: str, language: str = "en") -> Response:
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

    Examples
    --------
    >>> read_reply(b'{"questions": [{"answers": [{"boolean": true}]}]}', "localhost", "7").answers.values()
    ['true']
    >>> read_reply(b'{"head": {}, "boolean": true}', "localhost", "7").error
    "localhost: the reply is bare SPARQL results, which GERBIL refuses; they belong into 'answers' of a question in QALD JSON"
    """
    try:
        text = decode(Path(server), reply, "reply")
        if not text.strip():
            raise DataError(f"{server}: the reply is empty; QALD JSON is expected")
        document = parse_json(text, server)
        _check(document, server)
        content = Content(Path(server), "json", text, sha256(reply).hexdigest(), document)
        read = read_extended_answers if recognises_extended_answers(content) else read_qald_answers
        given = read(content, Asked(None, language)).given
    except DataError as error:
        return Response(name, "failed", error=str(error))
    refusal = gerbil_refusal(text)
    note = f"GERBIL would refuse the reply: {refusal}" if refusal else ""
    return dataclasses.replace(given[0].response, id=name, error=note)


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


def _send(service: Service, address: Address, text: str) -> bytes | _Problem:
    """Send a question once."""
    parameters = f"?{urlencode(address.parameters)}" if address.parameters else ""
    request = urllib.request.Request(address.url + parameters, _form(service, text), _headers(service))
    credentials = _credentials(address)
    if credentials.header:
        request.add_header("Authorization", credentials.header)
    try:
        return send_before_deadline(request, address, credentials, service.timeout)[0]
    except urllib.error.HTTPError as error:
        with error:
            return _Problem(_said(error), again=error.code in _BUSY)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return _problem(error, service.timeout)


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
        "User-Agent": f"qaldgen/{__version__}",
    }


def _credentials(address: Address) -> Credentials:
    if address.user is None or address.password is None:
        return Credentials()
    code = b64encode(f"{address.user}:{address.password}".encode()).decode()
    return Credentials(f"Basic {code}", None, (address.password, code))


def _said(error: urllib.error.HTTPError) -> str:
    """Return the status and the first words of the page that came with it."""
    try:
        page = error.read(65_536).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        page = ""
    status = f"HTTP {error.code} {http.client.responses.get(error.code, '')}".rstrip()
    return f"{status}: {one_line(page)}" if page.strip() else status


def _problem(error: Exception, timeout: float) -> _Problem:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, TimeoutError):
        return _Problem(f"no complete reply within {timeout:g} seconds; --timeout allows more", timeout=True)
    if isinstance(reason, ConnectionRefusedError):
        return _Problem("connection refused; is the system running, and is this its port?")
    if isinstance(reason, (ConnectionError, http.client.IncompleteRead)):
        return _Problem("the connection broke off before the reply was complete", again=True)
    return _Problem(f"no reply ({one_line(str(reason) or repr(reason))}); check the address and the network")
