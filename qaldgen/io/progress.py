"""The progress of long work, for a display such as that of the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeAlias

#: Opens the display of a step, given its label and length (None if unknown), and yields a function
#: to call with the number of units done since the last call.
Display: TypeAlias = Callable[[str, "int | None"], AbstractContextManager[Callable[[int], None]]]

_DISPLAY: ContextVar[Display | None] = ContextVar("display", default=None)


@contextmanager
def showing(display: Display) -> Iterator[None]:
    """Show the progress of all steps of a block."""
    token = _DISPLAY.set(display)
    try:
        yield
    finally:
        _DISPLAY.reset(token)


@contextmanager
def step(label: str, length: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show the progress of a block; yield the function to call with the number of units done.

    >>> with step("reading", 3) as advance:
    ...     advance(3)
    """
    display = _DISPLAY.get()
    if display is None:
        yield lambda _: None
        return
    with display(label, length) as advance:
        yield advance
