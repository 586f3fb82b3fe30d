"""Send a request: limits on time and size, redirects that keep the query, credentials that stay at their host."""

from __future__ import annotations

import http.client
import io
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from email.message import Message
from functools import partial
from time import monotonic
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import urlsplit

from qaldgen.web.body import decompressed
from qaldgen.web.credentials import Access
from qaldgen.web.failure import Failure, Kind, explain, refusal, too_large

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

#: The largest answer of a question answering system, and of anything else, unless told otherwise.
SMALL, LARGE = 2**24, 2**28
_LONGEST_TIMEOUT = 1e6
_LONGEST_HEAD = 2**20
_LONGEST_PAGE = 2**16
_PIECE = 2**14


class Limits(NamedTuple):
    """How much an answer may take.

    Attributes
    ----------
    seconds : float
        For all of it, redirects included, from the connection to the last byte.
    size : int
        Bytes, as they come and unpacked.
    stall : float
        The longest wait for the next bytes, in seconds.
    """

    seconds: float
    size: int = LARGE
    stall: float = _LONGEST_TIMEOUT


class Reply(NamedTuple):
    """A whole answer: the unpacked bytes, and the headers."""

    body: bytes
    headers: Message


class Incoming:
    """An answer that is on its way; iterating over it gives the unpacked bytes, and raises Failure where they end too soon."""

    def __init__(self, response: http.client.HTTPResponse, access: Access, limits: Limits) -> None:
        self._response, self._access, self._limits = response, access, limits
        self.status: int = response.status
        self.headers: Message = response.headers
        if response.fp is not None:  # it is None where there is no body
            _reader(response).allow(2 * limits.size)

    def __enter__(self) -> Incoming:
        """Return itself; the connection is closed at the end."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        """Close the connection."""
        self._response.close()

    def __iter__(self) -> Iterator[bytes]:
        """Give the unpacked bytes."""
        return decompressed(self._pieces(), self.headers, self._limits.size)

    def _pieces(self) -> Iterator[bytes]:
        """Give the bytes as they were sent."""
        came = self._response.length or 0  # as announced: what is too large need not come
        if came <= self._limits.size:
            came = 0
            while piece := self._read():
                came += len(piece)
                if came > self._limits.size:
                    break
                yield piece
        if came > self._limits.size:
            raise too_large(self._limits.size)

    def _read(self) -> bytes:
        """Return the next bytes; none at the end."""
        try:
            piece = self._response.read(_PIECE)
            if piece or not self._response.length:
                return piece
            failure = Failure(Kind.BROKEN, "the connection broke off before the answer was complete")
        except Exception as error:  # whatever the bytes of a server may provoke
            failure = _explained(error, self._access, self._limits)
        raise failure


def open_reply(request: urllib.request.Request, access: Access, limits: Limits) -> Incoming:
    """Send a request, and return the answer as it comes.

    Parameters
    ----------
    request
        The request; its redirects are followed, with what it has but the credentials, if they lead to another server.
    access
        Where the server is, and as whom it is asked.
    limits
        How long it may take, and how much may come.

    Raises
    ------
    Failure
        If no answer begins, or it has a status that is no success.
    """
    deadline = monotonic() + min(limits.seconds, _LONGEST_TIMEOUT)
    try:
        return Incoming(_opener(access, deadline, limits.stall).open(request), access, limits)
    except urllib.error.HTTPError as error:
        failure = _refused(error, access, limits)
    except Exception as error:  # whatever the bytes of a server may provoke
        failure = _explained(error, access, limits)
    raise failure  # here, where no traceback shows the other exception


def exchange(request: urllib.request.Request, access: Access, limits: Limits) -> Reply:
    """Send a request, and return the whole answer; as `open_reply`, with Failure for a body that does not come whole too."""
    with open_reply(request, access, limits) as incoming:
        return Reply(b"".join(incoming), incoming.headers)


def _explained(error: Exception, access: Access, limits: Limits) -> Failure:
    if isinstance(error, _TooMuch):
        return Failure(Kind.PROTOCOL, "the headers of the answer have no end") if error.head else too_large(limits.size)
    return explain(error, limits.seconds, access.secrets)


def _refused(error: urllib.error.HTTPError, access: Access, limits: Limits) -> Failure:
    """Read the beginning of the page that comes with a status which is no success."""
    page = b""
    if isinstance(error.fp, http.client.HTTPResponse):
        with Incoming(error.fp, access, limits) as incoming:
            page = _beginning(incoming)
    return refusal(error.code, error.headers, page.decode("utf-8", "replace"), access.secrets)


def _beginning(incoming: Incoming) -> bytes:
    """Return what comes, until it is enough or something goes wrong."""
    page = b""
    try:
        for piece in incoming:
            page += piece
            if len(page) >= _LONGEST_PAGE:
                break
    except Failure:
        pass
    return page


class _TooMuch(Exception):
    """More bytes come than are allowed; `head` says whether in the headers."""

    def __init__(self, *, head: bool) -> None:
        super().__init__()
        self.head = head


class _LimitedReader(io.RawIOBase):
    """What a socket receives, until a deadline and up to a size; a plain socket timeout starts anew with every byte."""

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
            raise _TooMuch(head=self._head)
        self._connection.settimeout(seconds)
        came = self._raw.readinto(buffer)
        self._left -= came or 0
        return came

    def close(self) -> None:
        self._raw.close()
        super().close()


class _LimitedHandler(urllib.request.AbstractHTTPHandler):
    """Connects by http and https; of a response everything, headers included, must be there before the deadline."""

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
        """Connect with one of a host's addresses; http.client gives the whole time to each, and a host may have hundreds."""
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


def _reader(response: http.client.HTTPResponse) -> _LimitedReader:
    return cast("_LimitedReader", response.fp.raw)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follow redirects with the query (urllib turns POST into GET without it), and leave credentials at their host."""

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


def _opener(access: Access, deadline: float, stall: float) -> urllib.request.OpenerDirector:
    """Return what sends requests by http and https only; there are no handlers for file, ftp and data."""
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
