"""Send a request: one deadline for all of it, redirects that keep the query, credentials that stay at their host."""

from __future__ import annotations

import http.client
import io
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from email.message import Message
from functools import partial
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from qaldgen.web.address import Address, Credentials

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_LONGEST_TIMEOUT = 1e6


def send_before_deadline(
    request: urllib.request.Request, address: Address, credentials: Credentials, timeout: float
) -> tuple[bytes, Message]:
    """Send a request; return the body and headers of the response, all of it there within `timeout` seconds.

    Raises
    ------
    OSError, http.client.HTTPException, ValueError
        What urllib raises; urllib.error.HTTPError, an OSError, for a status that is no success.
    """
    deadline = monotonic() + min(timeout, _LONGEST_TIMEOUT)
    with _opener(address, credentials, deadline).open(request) as response:
        return response.read(), response.headers


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


class _DeadlineHandler(urllib.request.AbstractHTTPHandler):
    """Connects by http and https; of a response everything, headers included, must be there before the deadline."""

    http_request = https_request = urllib.request.AbstractHTTPHandler.do_request_

    def __init__(self, deadline: float) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(self._connect, http.client.HTTPConnection), req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(self._connect, http.client.HTTPSConnection), req)

    def _connect(
        self, kind: Callable[..., http.client.HTTPConnection], host: str, **options: object
    ) -> http.client.HTTPConnection:
        left = max(self._deadline - monotonic(), 0.001)
        connection = kind(host, **options | {"timeout": left})
        connection.response_class = cast("type[http.client.HTTPResponse]", self._response)
        return connection

    def _response(self, sock: socket.socket, *args: Any, **options: Any) -> http.client.HTTPResponse:  # noqa: ANN401
        response = http.client.HTTPResponse(sock, *args, **options)
        response.fp = io.BufferedReader(_DeadlineReader(response.fp.detach(), sock, self._deadline))
        return response


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follow redirects with the query (urllib turns POST into GET without it), and leave credentials at their host."""

    http_error_308 = urllib.request.HTTPRedirectHandler.http_error_302  # Python 3.10 has none

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request:
        if urlsplit(newurl).scheme not in {"http", "https"}:
            raise urllib.error.HTTPError(req.full_url, code, msg, headers, fp)
        data = None if code == 303 else req.data
        left_behind: set[str] = set() if data else {"Content-type"}
        if not _may_take_credentials(req.full_url, newurl):
            left_behind.add("Authorization")
        kept = {name: value for name, value in req.headers.items() if name not in left_behind}
        return urllib.request.Request(newurl, data, kept)


def _may_take_credentials(old: str, new: str) -> bool:
    """Say whether a redirect stays at its server: the same scheme, host and port, or https instead of http.

    Examples
    --------
    >>> _may_take_credentials("http://example.org/sparql", "https://example.org/query")
    True
    >>> _may_take_credentials("https://example.org/sparql", "http://example.org/sparql")
    False
    """
    before, after = urlsplit(old), urlsplit(new)
    if (before.scheme, after.scheme) == ("http", "https"):
        return before.hostname == after.hostname
    return (before.scheme, before.hostname, before.port) == (after.scheme, after.hostname, after.port)


def _opener(address: Address, credentials: Credentials, deadline: float) -> urllib.request.OpenerDirector:
    """Return what sends requests by http and https only; there are no handlers for file, ftp and data."""
    handlers: list[urllib.request.BaseHandler] = [
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _DeadlineHandler(deadline),
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
