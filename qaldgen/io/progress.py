"""The progress of long work, for a display such as that of the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeAlias

#: Opens the display of a step, given its label and its length (None if that is not known), and
#: yields a function that takes the number of further units that are done.
Display: TypeAlias = Callable[[str, "int | None"], AbstractContextManager[Callable[[int], None]]]

_DISPLAY: ContextVar[Display | None] = ContextVar("display", default=None)


@contextmanager
def showing(display: Display) -> Iterator[None]:
    """Show the progress of all steps inside."""
    token = _DISPLAY.set(display)
    try:
        yield
    finally:
        _DISPLAY.reset(token)


@contextmanager
def step(label: str, length: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show a step from its begin to its end; yield the function that takes units as they are done.

    >>> with step("reading", 3) as advance:
    ...     advance(3)
    """
    display = _DISPLAY.get()
    if display is None:
        yield lambda _: None
        return
    with display(label, length) as advance:
        yield advance
