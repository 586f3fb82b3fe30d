"""What went wrong between us and a server, in words: the status, what the server said of it, and what to do.

`server` is the endpoint's name in all messages.
"""

from __future__ import annotations

import html
import http.client
import re
import socket
import ssl
import urllib.error
from email.utils import mktime_tz, parsedate_tz
from time import time

from qaldgen.errors import EndpointError
from qaldgen.web.address import AUTH, PASSWORD, TOKEN, USER
from qaldgen.web.one_line import one_line

_RETRY_STATUS = {429, 502, 503, 504}
_TODO = {
    400: "The server does not accept the query",
    401: f"Set {USER} and {PASSWORD} (with {AUTH}=digest for digest authentication), or {TOKEN}",
    403: f"The server does not let you ask this; {USER} and {PASSWORD}, or {TOKEN}, say who you are",
    404: "Is this the SPARQL endpoint? Its address usually ends in /sparql or /query",
    405: "Try the other method, GET or POST",
    414: "The query is too long for GET; use POST",
}


class Refusal(EndpointError):
    """The server answered with an HTTP error that another try would not mend."""

    def __init__(self, message: str, explanation: str) -> None:
        super().__init__(message)
        self.explanation = explanation


class Transient(Exception):
    """Something went wrong that the next try may mend; `wait` is what the server asks for, in seconds."""

    def __init__(self, problem: str, wait: float | None = None) -> None:
        super().__init__(problem)
        self.wait = wait


def http_error(server: str, error: urllib.error.HTTPError, secrets: tuple[str, ...]) -> Refusal | Transient:
    """Say what an HTTP status means for the caller, without `secrets`."""
    explanation = _explanation(error, secrets)
    status = f"HTTP {error.code} {http.client.responses.get(error.code, '')}".rstrip()
    said = f": {explanation}" if explanation and explanation not in status else ""
    if error.code in _RETRY_STATUS:
        return Transient(f"{status}{said}", _retry_after(error.headers.get("Retry-After")))
    todo = _TODO.get(error.code, "")
    if error.code < 400:
        todo = "The redirect leads nowhere: to no http or https address, or round in a circle. Give the final address"
    elif error.code >= 500:
        todo = "The server failed on this query; a simpler one may work"
    return Refusal(f"{server}: {status}{said}{'. ' if todo else ''}{todo}", explanation)


def connection_error(server: str, error: Exception, timeout: float) -> EndpointError | Transient:
    """Say why there is no response, or only half of one."""
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, TimeoutError):
        return EndpointError(
            f"{server}: no complete answer within {timeout:g} seconds; allow more with --timeout, or narrow the query"
        )
    if isinstance(reason, ConnectionRefusedError):
        return EndpointError(f"{server}: connection refused; is the server running, and is this its port?")
    if isinstance(reason, socket.gaierror):
        return EndpointError(f"{server}: the host is unknown; check the address and the network")
    if isinstance(reason, http.client.IncompleteRead):
        return Transient(f"the answer broke off after {len(reason.partial):,} bytes")
    if isinstance(reason, ConnectionError | ssl.SSLEOFError):
        return Transient("the server dropped the connection")
    if isinstance(reason, http.client.HTTPException):
        return EndpointError(f"{server}: the server does not speak HTTP ({one_line(repr(reason))}); check scheme and port")
    return EndpointError(f"{server}: no connection ({one_line(str(reason))}); check the address and the network")


def no_result(server: str, rule: str) -> EndpointError:
    """Say which rule of SPARQL results an answer breaks."""
    return EndpointError(f"{server}: the answer is JSON, but no SPARQL result: {rule}. Is this a SPARQL endpoint?")


def _explanation(error: urllib.error.HTTPError, secrets: tuple[str, ...]) -> str:
    """Return the first line of what the server says, as plain text without our credentials."""
    try:
        text = error.read(65_536).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException, ValueError):
        return ""
    if re.search(r"<(!doctype\s+html|html|head|body)\b", text, re.IGNORECASE):
        text = re.sub(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", " ", text, flags=re.IGNORECASE | re.DOTALL)
        text = html.unescape(re.sub(r"<[^>]*>", "\n", text))
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return one_line(next((line for line in text.splitlines() if line.strip()), ""))


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
