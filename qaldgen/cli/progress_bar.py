"""Progress on the terminal: a bar, or the elapsed time of a step of unknown length."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from qaldgen.io.terminal import escape_line, unguarded_stderr

#: Seconds before `show_elapsed_time` shows the time.
_QUIET_SECONDS = 2.0


def progress_bar(label: str, length: int) -> Any:  # noqa: ANN401 - click's bar has no public type
    """Return a progress bar on stderr, hidden unless stderr is a terminal."""
    stream = unguarded_stderr()
    # A log file should not be filled with half-drawn bars.
    hidden = stream is None or not stream.isatty()
    return click.progressbar(
        length=max(length, 1), label=escape_line(label), file=stream, hidden=hidden
    )


@contextmanager
def display(label: str, length: int | None) -> Iterator[Callable[[int], None]]:
    """Show a step of the library: a bar, or the elapsed time where its length is not known."""
    if length is None:
        with show_elapsed_time(label):
            yield lambda _: None
        return
    with progress_bar(label, length) as bar:
        yield bar.update


@contextmanager
def show_elapsed_time(label: str) -> Iterator[None]:
    """Show the elapsed time of a step of unknown length, from 2 seconds on."""
    stream = unguarded_stderr()
    if stream is None or not stream.isatty():
        yield
        return
    done = threading.Event()
    start = time.monotonic()

    def show() -> None:
        while not done.wait(1.0):
            seconds = time.monotonic() - start
            if seconds >= _QUIET_SECONDS:
                stream.write(f"\r{escape_line(label)}  {seconds:.0f} s")
                stream.flush()

    # a thread, as the step is one call without reports; a daemon does not keep the program alive
    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        # end the line with the time, if it was shown
        if time.monotonic() - start >= _QUIET_SECONDS:
            stream.write("\n")
