"""Notes for users: code passes them on, a caller collects them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_COLLECTED: ContextVar[dict[str, None] | None] = ContextVar("notes", default=None)


@contextmanager
def collecting() -> Iterator[dict[str, None]]:
    """Collect the notes of a block, each once; they do not reach outer collectors.

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
    """Pass notes to the collector around this code, if any; empty texts are left out."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected.update(dict.fromkeys(text for text in texts if text))
