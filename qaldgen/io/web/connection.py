"""Connections with limits: one deadline for a whole response, a cap on its bytes, safe redirects."""

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

from qaldgen.io.web.credentials import Access

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_LONGEST_HEAD = 2**20


class TooMuch(Exception):
    """More bytes come than are allowed; `head` says whether in the headers."""

    def __init__(self, *, head: bool) -> None:
        super().__init__()
        self.head = head


class _LimitedReader(io.RawIOBase):
    """What a socket receives, until a deadline and up to a size.

    The timeout of a socket will not do: it starts anew with every byte.
    """

    def __init__(self, raw: io.RawIOBase, connection: socket.socket, deadline: float, stall: float) -> None:
        self._raw, self._connection, self._deadline, self._stall = raw, connection, deadline, stall
        self._left, self._head = _LONGEST_HEAD, True

    def allow(self, size: int) -> None:
        """Let so many bytes more come: the body, with what HTTP adds to it."""
        self._left, self._head = self._left + size, False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        seconds = min(self._deadline - monotonic(), self._stall)
        if seconds <= 0:
            raise TimeoutError
        if self._left <= 0:
            raise TooMuch(head=self._head)
        self._connection.settimeout(seconds)
        came = self._raw.readinto(buffer)
        self._left -= came or 0
        return came

    def close(self) -> None:
        self._raw.close()
        super().close()


class _LimitedHandler(urllib.request.AbstractHTTPHandler):
    """Connects by http and https, and lets no response exceed its limits."""

    http_request = https_request = urllib.request.AbstractHTTPHandler.do_request_

    def __init__(self, deadline: float, stall: float) -> None:
        super().__init__()
        self._deadline, self._stall = deadline, stall

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(self._connect, http.client.HTTPConnection), req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(self._connect, http.client.HTTPSConnection), req)

    def _connect(
        self, kind: Callable[..., http.client.HTTPConnection], host: str, **options: object
    ) -> http.client.HTTPConnection:
        connection = kind(host, **options | {"timeout": self._seconds()})
        connection.response_class = cast("type[http.client.HTTPResponse]", self._response)
        vars(connection)["_create_connection"] = self._reach
        return connection

    def _reach(self, address: tuple[str, int], *_options: object) -> socket.socket:
        """Connect with one of a host's addresses; http.client would give the whole time to each."""
        problem = OSError("the host has no address")
        places = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
        for untried, (family, kind, protocol, _, place) in zip(range(len(places), 0, -1), places, strict=True):
            made = socket.socket(family, kind, protocol)
            try:
                made.settimeout(self._seconds() / untried)
                made.connect(place)
                made.settimeout(self._seconds())
                return made
            except OSError as error:
                made.close()
                problem = error
        raise problem

    def _seconds(self) -> float:
        return max(min(self._deadline - monotonic(), self._stall), 0.001)

    def _response(self, sock: socket.socket, *args: Any, **options: Any) -> http.client.HTTPResponse:  # noqa: ANN401
        response = http.client.HTTPResponse(sock, *args, **options)
        raw = _LimitedReader(response.fp.detach(), sock, self._deadline, self._stall)
        response.fp = io.BufferedReader(raw)
        return response


def allow_body(response: http.client.HTTPResponse, size: int) -> None:
    """Let the body of a response come after its headers: so many bytes, with what HTTP adds."""
    if response.fp is not None:  # it is None where there is no body
        cast("_LimitedReader", response.fp.raw).allow(2 * size)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follow redirects with the query, and leave credentials at their host; urllib does neither."""

    http_error_308 = urllib.request.HTTPRedirectHandler.http_error_302  # Python 3.10 has none

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request:
        if urlsplit(newurl).scheme not in {"http", "https"}:
            raise urllib.error.HTTPError(req.full_url, code, msg, headers, fp)
        fp.close()  # or urllib reads its body, however large
        data = None if code == 303 else req.data
        left_behind = {"Proxy-authorization"} if data else {"Proxy-authorization", "Content-type"}
        if not _may_take_credentials(req.full_url, newurl):
            left_behind.add("Authorization")
        kept = {name: value for name, value in req.headers.items() if name not in left_behind}
        return urllib.request.Request(newurl, data, kept)


def _may_take_credentials(old: str, new: str) -> bool:
    """Say whether a redirect stays at its server: same scheme, host and port, or https for http.

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


def make_opener(access: Access, deadline: float, stall: float) -> urllib.request.OpenerDirector:
    """Return what sends requests by http and https, and by nothing else.

    Parameters
    ----------
    access
        Where the server is, and as whom it is asked; only digest authentication is of interest here.
    deadline
        When everything must be there, on the clock of `monotonic`.
    stall
        The longest wait for the next bytes, in seconds.
    """
    handlers: list[urllib.request.BaseHandler] = [
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _LimitedHandler(deadline, stall),
        _Redirects(),
    ]
    if access.credentials.digest:
        passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
        passwords.add_password(None, access.address.url, *access.credentials.digest)
        handlers.append(urllib.request.HTTPDigestAuthHandler(passwords))
    opener = urllib.request.OpenerDirector()
    for handler in handlers:
        opener.add_handler(handler)
    return opener
