"""Ask again where that may help, and stop where one answer has taken all that it may."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import count
from time import monotonic, sleep
from typing import TypeVar

from qaldgen.web.failure import Failure, Kind, too_large
from qaldgen.web.transport import Limits

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

    def limits(self) -> Limits:
        """Return the limits of the next request; raises Failure if nothing is left."""
        seconds = self._end - monotonic()
        if seconds <= 0:
            raise Failure(Kind.TIMEOUT, f"no complete answer within {self._longest:g} seconds, with all its pages and tries")
        if self._left <= 0:
            raise too_large(self._size)
        return Limits(min(self._timeout, seconds), self._left)

    def spend(self, size: int) -> None:
        """Take note of a reply."""
        self._left -= size


def with_tries(send: Callable[[], Found], retries: int, backoff: float, name: str) -> Found:
    """Call `send`, and call it again after a failure that may pass.

    Parameters
    ----------
    send
        Sends a request and gives what came of it.
    retries
        How many further tries there may be.
    backoff
        Seconds before the second try; they double from try to try. What the server asks for counts more. At most 60.
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
