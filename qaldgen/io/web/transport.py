"""Send a request, and receive the answer within limits on time and size."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.message import Message
from time import monotonic
from types import TracebackType
from typing import NamedTuple

from qaldgen.io.web.body import decompressed
from qaldgen.io.web.connection import TooMuch, allow_body, make_opener
from qaldgen.io.web.credentials import Access
from qaldgen.io.web.failure import Failure, Kind, explain, refusal, too_large

#: The largest answer of a question answering system, and of anything else, unless told otherwise.
SMALL, LARGE = 2**24, 2**28
_LONGEST_TIMEOUT = 1e6
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
    """An answer on its way: iterate over it for the unpacked bytes.

    It raises Failure where they end too soon, are too many or too slow.
    """

    def __init__(self, response: http.client.HTTPResponse, access: Access, limits: Limits) -> None:
        self._response, self._access, self._limits = response, access, limits
        self.status: int = response.status
        self.headers: Message = response.headers
        allow_body(response, limits.size)

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
        The request. Its redirects are followed; credentials do not go to another server.
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
        return Incoming(make_opener(access, deadline, limits.stall).open(request), access, limits)
    except urllib.error.HTTPError as error:
        failure = _refused(error, access, limits)
    except Exception as error:  # whatever the bytes of a server may provoke
        failure = _explained(error, access, limits)
    raise failure  # here, where no traceback shows the other exception


def exchange(request: urllib.request.Request, access: Access, limits: Limits) -> Reply:
    """Send a request, and return the whole answer.

    Parameters and errors are those of `open_reply`; a body that does not come whole is a Failure too.
    """
    with open_reply(request, access, limits) as incoming:
        return Reply(b"".join(incoming), incoming.headers)


def _explained(error: Exception, access: Access, limits: Limits) -> Failure:
    if isinstance(error, TooMuch):
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
