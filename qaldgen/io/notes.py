"""Notes: what a user should know of what is done, told where it is found and collected above."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_COLLECTED: ContextVar[dict[str, None] | None] = ContextVar("notes", default=None)


@contextmanager
def collecting() -> Iterator[dict[str, None]]:
    """Collect what is told inside, each note once; nobody else hears it.

    >>> with collecting() as notes:
    ...     note("2 questions have no text", "", "2 questions have no text")
    >>> list(notes)
    ['2 questions have no text']
    """
    notes: dict[str, None] = {}
    token = _COLLECTED.set(notes)
    try:
        yield notes
    finally:
        _COLLECTED.reset(token)


def note(*texts: str) -> None:
    """Tell something to whoever collects notes; an empty text says nothing."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected.update(dict.fromkeys(text for text in texts if text))
