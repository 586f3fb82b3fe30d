"""How often and how fast a server is asked: retries, pauses, rates, and limits for an answer."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from itertools import count
from time import monotonic, sleep
from typing import NamedTuple, TypeVar

from qaldgen.defaults import RETRIES
from qaldgen.io.web.access import Access
from qaldgen.io.web.client import Limits, Reply, Request, exchange
from qaldgen.io.web.failure import Failure, FailureKind, timed_out, too_large

_LOG = logging.getLogger("qaldgen")
#: Statuses after which another try may help with any server: too early, too slow, too many
#: requests, out of service.
_TEMPORARY_STATUSES = {408, 425, 429, 502, 503, 504}
_MAX_WAIT = 60.0
T = TypeVar("T")


class Pace(NamedTuple):
    """How fast questions are asked, and when to give up."""

    jobs: int = 1  # how many questions are asked at once
    rate: float | None = None  # the most requests per second, retries included; None for no limit
    #: So many failures in a row end the run, as the system is probably down; 0 for no limit.
    max_failures: int = 0


class Gate:
    """Lets the requests to one system through, at a limited rate, until it is closed."""

    def __init__(self, rate: float | None = None) -> None:
        self._gap = 1 / rate if rate else 0.0
        self._next = 0.0
        self._closed = asyncio.Event()

    @property
    def closed(self) -> bool:
        """Whether requests are no longer let through."""
        return self._closed.is_set()

    def close(self) -> None:
        """Let no more requests through, and wake the waiting requests."""
        self._closed.set()

    def hold(self, seconds: float) -> None:
        """Let no requests through for some seconds, as a server asks when it is busy."""
        self._next = max(self._next, asyncio.get_running_loop().time() + seconds)

    async def turn(self) -> None:
        """Wait for the next free moment, or until the gate is closed."""
        now = asyncio.get_running_loop().time()
        moment = max(now, self._next)
        self._next = moment + self._gap
        await self.rest(moment - now)

    async def rest(self, seconds: float) -> None:
        """Wait, but no longer than until the gate is closed."""
        if seconds > 0:
            try:
                await asyncio.wait_for(self._closed.wait(), seconds)
            except (TimeoutError, asyncio.TimeoutError):  # two classes before Python 3.11
                return


class TotalLimits:
    """The limits of one answer, for all its requests together: retries, counts, pages."""

    def __init__(self, timeout: float, longest: float, size: int) -> None:
        self._timeout = timeout
        self._longest = longest
        self._size = size
        self._end = monotonic() + longest
        self._bytes_left = size

    def exchange(self, request: Request, access: Access) -> Reply:
        """Send a request and return the whole answer, if there is enough time left."""
        seconds = self._end - monotonic()
        if seconds <= 0:
            raise self._timed_out()
        try:
            reply = exchange(request, access, Limits(min(self._timeout, seconds), self._bytes_left))
        except Failure as failure:
            if failure.kind is FailureKind.SIZE:
                raise too_large(self._size) from None
            if failure.kind is FailureKind.TIMEOUT and seconds < self._timeout:
                raise self._timed_out() from None
            raise
        self._bytes_left -= len(reply.body)
        return reply

    def _timed_out(self) -> Failure:
        return timed_out(self._longest, ", with all its pages and tries")


def is_temporary(failure: Failure) -> bool:
    """Return whether a failure may pass with another try, whatever the server."""
    return failure.kind is FailureKind.BROKEN or failure.status in _TEMPORARY_STATUSES


class RetryPolicy(NamedTuple):
    """When to try again."""

    retries: int = RETRIES  # the most further tries
    #: Seconds before the second try, doubled for each further one, at most 60. A wait that the
    #: server asks for (Retry-After) takes precedence. Each wait gets a random addition of at most
    #: half of it, so that clients that failed together do not come back together.
    backoff: float = 1.0
    #: Further statuses after which another try may help with this server: an endpoint that answers
    #: 500 fails on the query, a file host answers it when it is busy.
    extra_statuses: frozenset[int] = frozenset()
    #: Whether another try may help after a timeout: for files, but not if each try has a price.
    after_timeout: bool = False

    def wait(self, failure: Failure, attempt: int) -> float | None:
        """Return the seconds to wait before another try; None if there is none."""
        is_late = self.after_timeout and failure.kind is FailureKind.TIMEOUT
        may_help = is_temporary(failure) or failure.status in self.extra_statuses or is_late
        if attempt >= self.retries or not may_help:
            return None
        if failure.wait is None:
            shortest = min(self.backoff * 2.0 ** min(attempt, 16), _MAX_WAIT)
            return shortest + random.uniform(0, shortest / 2)
        shortest = min(failure.wait, _MAX_WAIT)
        return shortest + random.uniform(0, min(shortest / 2, 1.0))


def with_tries(send: Callable[[], T], policy: RetryPolicy, name: str) -> T:
    """Call `send`, and call it again after a failure that may pass."""
    for attempt in count():
        try:
            return send()
        except Failure as failure:
            wait = _seconds_to_wait(failure, attempt, policy, name)
        sleep(wait)
    raise AssertionError  # count() has no end


async def with_tries_async(
    send: Callable[[], Awaitable[T]], policy: RetryPolicy, name: str, gate: Gate
) -> tuple[T, int]:
    """Do the same as `with_tries` for an async function; return its result and the tries."""
    for attempt in count():
        try:
            return await send(), attempt + 1
        except Failure as failure:
            wait = _seconds_to_wait(failure, attempt, policy, name)
            if failure.wait is not None:
                gate.hold(min(failure.wait, _MAX_WAIT))
            last = failure
        await gate.rest(wait)
        await gate.turn()
        if gate.closed:  # the run ends, so there are no more tries
            raise last
    raise AssertionError  # count() has no end


def _seconds_to_wait(failure: Failure, attempt: int, policy: RetryPolicy, name: str) -> float:
    """Return the seconds before the next try; raise the failure if there is none."""
    failure.tries = attempt + 1
    wait = policy.wait(failure, attempt)
    if wait is None:
        raise failure
    _LOG.info("%s: %s; trying again in %g s", name, failure, wait)
    return wait
