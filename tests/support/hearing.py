"""What steps of the library tell about their progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from qaldgen.io.progress import showing


@contextmanager
def hearing(advance: Callable[[int], object]) -> Iterator[None]:
    """Call a function with what each step inside tells."""

    @contextmanager
    def display(_label: str, _length: int | None) -> Iterator[Callable[[int], None]]:
        yield lambda done: (advance(done), None)[1]

    with showing(display):
        yield
