"""Ask again where that may help, and stop where one answer has taken all that it may."""

from __future__ import annotations

import logging
import urllib.request
from collections.abc import Callable
from itertools import count
from time import monotonic, sleep
from typing import TypeVar

from qaldgen.io.web.credentials import Access
from qaldgen.io.web.failure import Failure, Kind, too_large
from qaldgen.io.web.transport import Limits, Reply, exchange

_LOG = logging.getLogger("qaldgen")
_LONGEST_WAIT = 60.0
Found = TypeVar("Found")


class Allowance:
    """What one answer may take, all its requests together: further tries, counts, pages.

    Parameters
    ----------
    timeout : float
        Seconds for one request.
    longest : float
        Seconds for all of them.
    size : int
        Bytes of all of them.
    """

    def __init__(self, timeout: float, longest: float, size: int) -> None:
        self._timeout, self._longest, self._size = timeout, longest, size
        self._end, self._left = monotonic() + longest, size

    def exchange(self, request: urllib.request.Request, access: Access) -> Reply:
        """Send a request and return the whole answer, as `transport.exchange`, if there is enough left for it."""
        seconds = self._end - monotonic()
        if seconds <= 0:
            raise self._late()
        try:
            reply = exchange(request, access, Limits(min(self._timeout, seconds), self._left))
        except Failure as failure:
            if failure.kind is Kind.SIZE:
                raise too_large(self._size) from None
            if failure.kind is Kind.TIMEOUT and seconds < self._timeout:
                raise self._late() from None
            raise
        self._left -= len(reply.body)
        return reply

    def _late(self) -> Failure:
        return Failure(Kind.TIMEOUT, f"no complete answer within {self._longest:g} seconds, with all its pages and tries")


def with_tries(send: Callable[[], Found], retries: int, backoff: float, name: str) -> Found:
    """Call `send`, and call it again after a failure that may pass.

    Parameters
    ----------
    send
        Sends a request and gives what came of it.
    retries
        How many further tries there may be.
    backoff
        Seconds before the second try; they double from try to try. A wait that the server asks for
        counts more. At most 60.
    name
        What to call the server in the log.

    Raises
    ------
    Failure
        That of the last try; its `tries` says how many there were.
    """
    for attempt in count():
        try:
            return send()
        except Failure as failure:
            failure.tries = attempt + 1
            if not failure.passing or attempt >= retries:
                raise
            doubled = backoff * 2 ** min(attempt, 16)
            wait = min(doubled if failure.wait is None else failure.wait, _LONGEST_WAIT)
            _LOG.info("%s: %s; trying again in %g s", name, failure, wait)
        sleep(wait)
    raise AssertionError  # count() has no end
