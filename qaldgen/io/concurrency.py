"""Work outside of the main thread: on threads, in other processes, and on one event loop."""

from __future__ import annotations

import asyncio
import atexit
import gc
import inspect
import multiprocessing
import os
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeout  # another one before Python 3.11
from contextlib import contextmanager, suppress
from typing import Any, TypeVar, cast

T = TypeVar("T")
#: Seconds between two checks whether the parent process still exists.
_POLL_SECONDS = 0.5


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Disable the garbage collector for a block.

    Records without cycles give it nothing to collect, but its scans take longer the more there are.
    Blocks may be nested; the end of the outermost enables the collector again.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep numerical libraries to one thread.

    Several threads add up in another order, which changes the last bit, and take six times the CPU
    if other processes are busy, since threads wait for each other.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def in_background(work: Callable[[], T]) -> Future[T]:
    """Start some work on another thread, which does not keep an interrupted program alive.

    >>> in_background(lambda: sum(range(10))).result()
    45
    """
    future = Future[T]()
    # a caller may stop waiting, but cannot cancel the work
    future.set_running_or_notify_cancel()

    def run_work() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run_work, daemon=True).start()
    return future


def parallel_settings() -> dict[str, Any]:
    """Return arguments for `joblib.Parallel` that make workers end when this process does."""
    return {"initializer": end_with_parent, "initargs": (os.getpid(),)}


def end_with_parent(parent: int) -> None:
    """Make this process end when its parent does.

    A worker of a cluster, which has another parent, goes on. Linux's signal on the death of the
    parent is not an alternative: it comes as soon as the thread ends that started the worker.
    """

    def watch_parent() -> None:
        while os.getppid() == parent:
            time.sleep(_POLL_SECONDS)
        os._exit(1)

    if os.getppid() == parent:
        threading.Thread(target=watch_parent, daemon=True).start()
    # A local worker whose parent ended before this call.
    elif multiprocessing.current_process().name.startswith("LokyProcess"):
        os._exit(1)


_loops_lock = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}


async def in_thread(work: Callable[..., T], *arguments: object) -> T:
    """Run synchronous code without blocking the loop, and return its result.

    Each call has a thread of its own, which ends with the process: code that hangs does not block
    other calls, nor delay the end of the program.
    """
    caller_loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = caller_loop.create_future()

    def settle(method: Callable[[Any], None], value: object) -> None:
        if not future.done():
            method(value)

    def report(method: Callable[[Any], None], value: object) -> None:
        with suppress(RuntimeError):  # the loop may be closed by now
            caller_loop.call_soon_threadsafe(settle, method, value)

    def run_work() -> None:
        try:
            result = work(*arguments)
        except BaseException as error:  # SystemExit too must reach the caller
            # a future takes no StopIteration: its awaiter would wait for ever
            if not isinstance(error, Exception) or isinstance(error, StopIteration):
                error = RuntimeError(f"{type(error).__name__}: {error}")
            report(future.set_exception, error)
        else:
            report(future.set_result, result)

    threading.Thread(target=run_work, daemon=True).start()
    return await future


async def isolated_task(work: Awaitable[T]) -> T:
    """Await code of users, whose cancellation must not cancel the caller."""

    async def guarded() -> T:
        try:
            return await work
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:  # would end the loop
            raise RuntimeError(type(error).__name__) from error

    task = asyncio.create_task(guarded())
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=1)
        raise
    if task.cancelled():
        raise RuntimeError("CancelledError")
    return task.result()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, and return its result.

    >>> async def seven() -> int:
    ...     return 7
    >>> run(seven())
    7
    """

    async def guarded() -> tuple[T | None, BaseException | None]:
        try:
            return await work, None
        except (KeyboardInterrupt, SystemExit) as error:  # it would end the loop itself
            return None, error

    future = asyncio.run_coroutine_threadsafe(guarded(), get_loop())
    try:
        result, interruption = future.result()
    except BaseException:
        if not future.done():  # we were interrupted, not the coroutine
            future.cancel()
            _wait_until_closed(work)
        raise
    if interruption is not None:
        raise interruption
    return cast("T", result)


def at_exit(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine when the process ends, for a second at most."""
    process_id = os.getpid()

    def run_work() -> None:
        if os.getpid() == process_id:  # a forked process has connections of its own
            with suppress(TimeoutError, FutureTimeout, CancelledError, RuntimeError):
                asyncio.run_coroutine_threadsafe(work(), get_loop()).result(timeout=1)

    atexit.register(run_work)


def get_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of this process; a forked child gets one of its own."""
    with _loops_lock:
        event_loop = _loops.get(os.getpid())
        if event_loop is None:
            event_loop = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(
                target=_keep_running, args=(event_loop,), name="qaldgen-web", daemon=True
            ).start()
    return event_loop


def _keep_running(event_loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop again if an interrupt in a callback ends it, as other callers wait for it."""
    while not event_loop.is_closed():
        with suppress(KeyboardInterrupt, SystemExit):
            event_loop.run_forever()


def _wait_until_closed(work: Coroutine[Any, Any, object]) -> None:
    """Wait a few seconds until a cancelled coroutine has ended, so that its files are closed."""

    async def poll_state() -> None:
        for _ in range(500):
            if inspect.getcoroutinestate(work) == inspect.CORO_CLOSED:
                return
            await asyncio.sleep(0.01)

    with suppress(TimeoutError, FutureTimeout, CancelledError):
        asyncio.run_coroutine_threadsafe(poll_state(), get_loop()).result(timeout=6)
