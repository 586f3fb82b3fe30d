"""The time limit of a query, and a local store that ends a query which takes longer."""

from __future__ import annotations

import os
import pickle
import select
import signal
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar, cast

from qaldgen.errors import QaldgenError, UsageError
from qaldgen.rdf.terms import Rows
from qaldgen.stores.local import LocalStore

T = TypeVar("T")
#: Seconds for a query on small data.
_BASE_SECONDS = 10.0
#: Statements in the data that add one second.
_STATEMENTS_PER_SECOND = 100_000
#: More rows than this are refused: a cross product must not fill the memory.
MAX_ROWS = 3_000_000
_CHUNK_BYTES = 1 << 16
#: The limit is in processor time, which does not depend on other programs; a query may take this
#: many times longer by the clock.
_CLOCK_FACTOR = 12


def seconds_for(statements: int) -> float:
    """Return the time limit of a query on data with a number of statements."""
    return _BASE_SECONDS + statements / _STATEMENTS_PER_SECOND


class TimedStore(LocalStore):
    """A local store whose queries have a time limit."""

    def __init__(self, store: LocalStore, seconds: float) -> None:
        # shares the loaded data with the store instead of loading them again
        vars(self).update(vars(store))
        self.seconds = seconds

    def select(self, query: str, *, most_rows: int | None = None) -> Rows:
        """Return the answer of a SELECT query within the time limit."""
        limit = MAX_ROWS if most_rows is None else most_rows
        select_rows = super().select
        return run_within(self.seconds, lambda: select_rows(query, most_rows=limit))

    def ask(self, query: str) -> bool:
        """Return the answer of an ASK query within the time limit."""
        answer = super().ask
        return run_within(self.seconds, lambda: answer(query))


def run_within(seconds: float, work: Callable[[], T]) -> T:
    """Compute `work` in a process of its own, which is killed when its time is over.

    >>> run_within(5.0, lambda: sum(range(10)))
    45
    """
    if not hasattr(os, "fork"):
        return work()

    read_end, write_end = os.pipe()
    with warnings.catch_warnings():
        # Python warns of copying a process with threads; the copy only runs Oxigraph, and ends
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(read_end)
        _work_and_leave(work, write_end, seconds)

    os.close(write_end)
    try:
        answer = _read_pipe(read_end, time.monotonic() + _CLOCK_FACTOR * seconds)
    finally:
        os.close(read_end)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        # collects the exit status, or every query would leave a zombie process
        os.waitpid(child, 0)

    try:
        is_result, result = pickle.loads(answer or b"")  # the bytes come from this program alone
    except (EOFError, pickle.UnpicklingError):  # it was killed before all was written
        raise UsageError(
            f"the query takes more than {seconds:g} seconds; join fewer patterns, or restrict them"
        ) from None

    if not is_result:
        error_type, text, location = result
        raise error_type(text, where=location)
    return cast("T", result)


def _work_and_leave(work: Callable[[], object], write_end: int, seconds: float) -> None:
    """Write the result, or the error, to the pipe and end the process without any clean-up."""
    try:
        # the parent's handlers would run its clean-up in the copy
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, signal.SIG_DFL)
        # the system ends the copy when it has used up its time, also if this process is gone; the
        # default action does so even while C code runs, where Python cannot interrupt
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            outcome: object = (True, work())
        except QaldgenError as error:
            outcome = (False, (type(error), error.text, error.where))
        except BaseException as error:
            outcome = (False, (UsageError, f"the query failed: {type(error).__name__}", ()))
        with os.fdopen(write_end, "wb") as pipe:
            pickle.dump(outcome, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    finally:
        # not sys.exit: the copy must not run the parent's exit handlers or flush its files
        os._exit(0)


def _read_pipe(read_end: int, deadline: float) -> bytes | None:
    """Return all bytes from a pipe; None if they do not end before a deadline."""
    chunks = list[bytes]()
    while time.monotonic() < deadline:
        seconds_left = max(0.0, deadline - time.monotonic())
        ready, _, _ = select.select([read_end], [], [], seconds_left)
        if ready:
            chunk = os.read(read_end, _CHUNK_BYTES)
            if not chunk:
                return b"".join(chunks)
            chunks.append(chunk)
    return None
