"""Run coroutines from ordinary code.

One event loop in a thread of its own, so that notebooks, which have a loop, work too.
"""

from __future__ import annotations

import asyncio
import atexit
import inspect
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeout  # another one before Python 3.11
from contextlib import suppress
from typing import Any, TypeVar, cast

Found = TypeVar("Found")
_lock = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}


async def in_thread(work: Callable[..., Found], *arguments: object) -> Found:
    """Run ordinary code beside the loop, and return what it gives.

    Each call has a thread of its own, which dies with the process: code that hangs takes no place
    from the others, and does not hold up the end of the program.

    Parameters
    ----------
    work, arguments
        What is called.
    """
    here = asyncio.get_running_loop()
    future: asyncio.Future[Found] = here.create_future()

    def tell(method: Callable[[Any], None], value: object) -> None:
        with suppress(RuntimeError):  # the loop may be closed by now
            here.call_soon_threadsafe(lambda: None if future.done() else method(value))

    def call() -> None:
        try:
            found = work(*arguments)
        except BaseException as error:  # SystemExit too is for whoever waits
            own = (
                error
                if isinstance(error, Exception)
                else RuntimeError(f"{type(error).__name__}: {error}")
            )
            tell(future.set_exception, own)
        else:
            tell(future.set_result, found)

    threading.Thread(target=call, daemon=True).start()
    return await future


def run(work: Coroutine[Any, Any, Found]) -> Found:
    """Run a coroutine to its end, and return what it gives.

    Parameters
    ----------
    work
        The coroutine. It runs in another thread; an interruption of the caller (Ctrl-C) cancels it,
        and waits until it has cleaned up.

    Returns
    -------
    object
        What the coroutine returns.

    Examples
    --------
    >>> async def seven() -> int:
    ...     return 7
    >>> run(seven())
    7
    """
    future = asyncio.run_coroutine_threadsafe(_contained(work), loop())
    try:
        found, ended = future.result()
    except BaseException:
        if not future.done():  # we were interrupted, and not the coroutine
            future.cancel()
            _wait(work)
        raise
    if ended is not None:
        raise ended
    return cast("Found", found)


async def _contained(work: Coroutine[Any, Any, Found]) -> tuple[Found | None, BaseException | None]:
    """Hand on what would end the loop itself, such as an interruption that a callback raises."""
    try:
        return await work, None
    except (KeyboardInterrupt, SystemExit) as ended:
        return None, ended


def at_exit(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine when the process ends, if it does not take long."""
    process = os.getpid()

    def call() -> None:
        if os.getpid() == process:  # a fork has connections of its own
            with suppress(TimeoutError, FutureTimeout, CancelledError, RuntimeError):
                asyncio.run_coroutine_threadsafe(work(), loop()).result(timeout=1)

    atexit.register(call)


def loop() -> asyncio.AbstractEventLoop:
    """Return the loop of this process; after a fork the child has its own."""
    with _lock:
        found = _loops.get(os.getpid())
        if found is None:
            found = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(
                target=_keep_running, args=(found,), name="qaldgen-web", daemon=True
            ).start()
    return found


def _keep_running(found: asyncio.AbstractEventLoop) -> None:
    """Run a loop.

    An interruption that a callback raises would end it, and all who wait for it would wait for
    ever.
    """
    while not found.is_closed():
        with suppress(KeyboardInterrupt, SystemExit):
            found.run_forever()


def _wait(work: Coroutine[Any, Any, object]) -> None:
    """Wait, for a few seconds, until a cancelled coroutine has ended: its files are closed then."""

    async def ended() -> None:
        for _ in range(500):
            if inspect.getcoroutinestate(work) == inspect.CORO_CLOSED:
                return
            await asyncio.sleep(0.01)

    with suppress(TimeoutError, FutureTimeout, CancelledError):
        asyncio.run_coroutine_threadsafe(ended(), loop()).result(timeout=6)
