"""How fast somebody is asked.

A number of questions at once, a rate, and pauses that mean all who ask.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple


class Pace(NamedTuple):
    """How many questions are asked at once, and when to give up.

    Attributes
    ----------
    jobs : int
        How many at once.
    rate : float or None
        At most so many requests a second, further tries included; None for as many as come.
    most_failures : int
        So many failures in a row end the run: the system is down, and not the questions hard. 0 for
        never.
    """

    jobs: int = 1
    rate: float | None = None
    most_failures: int = 0


class Gate:
    """What all who ask one system pass before each request.

    Parameters
    ----------
    rate : float or None
        At most so many pass a second.
    """

    def __init__(self, rate: float | None = None) -> None:
        self._gap, self._next = 1 / rate if rate else 0.0, 0.0
        self._closed = asyncio.Event()

    @property
    def closed(self) -> bool:
        """Whether nobody passes any more."""
        return self._closed.is_set()

    def close(self) -> None:
        """Let nobody pass any more, and wake those who wait."""
        self._closed.set()

    def hold(self, seconds: float) -> None:
        """Let nobody pass for a while: a server that asks one to wait means all."""
        self._next = max(self._next, asyncio.get_running_loop().time() + seconds)

    async def turn(self) -> None:
        """Wait until it is one's turn, or the gate is closed."""
        now = asyncio.get_running_loop().time()
        mine = max(now, self._next)
        self._next = mine + self._gap
        await self.rest(mine - now)

    async def rest(self, seconds: float) -> None:
        """Wait, but no longer than until the gate is closed."""
        if seconds > 0:
            try:
                await asyncio.wait_for(self._closed.wait(), seconds)
            except (TimeoutError, asyncio.TimeoutError):  # two classes before Python 3.11
                return
