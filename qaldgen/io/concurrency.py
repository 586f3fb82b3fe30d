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
#: Seconds between two looks at whether the parent is still there.
EVERY = 0.5
Found = TypeVar("Found")


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Work without the garbage collector.

    Records without cycles give it nothing to collect, but its scans take longer the more there are.
    May be nested; the outermost decides when collecting is enabled again.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep numerical libraries to one thread.

    More would add up in another order, which changes the last bit, and take six times the CPU where
    others are busy, since they wait for each other.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def in_background(work: Callable[[], T]) -> Future[T]:
    """Begin some work on another thread, which does not keep an interrupted program alive.

    >>> in_background(lambda: sum(range(10))).result()
    45
    """
    future = Future[T]()
    # a caller may stop waiting, but cannot cancel the work
    future.set_running_or_notify_cancel()

    def call() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=call, daemon=True).start()
    return future


def parallel_settings() -> dict[str, Any]:
    """Return arguments for `joblib.Parallel`, so that workers end even if this one is killed."""
    return {"initializer": end_with_parent, "initargs": (os.getpid(),)}


def end_with_parent(parent: int) -> None:
    """Make this process end when its parent does.

    A worker of a cluster, which has another parent, goes on. Linux's signal on the death of the
    parent is not an alternative: it comes as soon as the thread ends that started the worker.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(EVERY)
        os._exit(1)

    if os.getppid() == parent:
        threading.Thread(target=watch, daemon=True).start()
    # A local worker whose parent ended before this call.
    elif multiprocessing.current_process().name.startswith("LokyProcess"):
        os._exit(1)


_lock = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}


async def in_thread(work: Callable[..., Found], *arguments: object) -> Found:
    """Run ordinary code without blocking the loop, and return its result.

    Each call has a thread of its own, which dies with the process: code that hangs does not take
    the place of other calls, and does not delay the end of the program.
    """
    caller_loop = asyncio.get_running_loop()
    future: asyncio.Future[Found] = caller_loop.create_future()

    def settle(method: Callable[[Any], None], value: object) -> None:
        if not future.done():
            method(value)

    def tell(method: Callable[[Any], None], value: object) -> None:
        with suppress(RuntimeError):  # the loop may be closed by now
            caller_loop.call_soon_threadsafe(settle, method, value)

    def call() -> None:
        try:
            result = work(*arguments)
        except BaseException as error:  # SystemExit too must reach the caller
            # a future takes no StopIteration: its awaiter would wait for ever
            if not isinstance(error, Exception) or isinstance(error, StopIteration):
                error = RuntimeError(f"{type(error).__name__}: {error}")
            tell(future.set_exception, error)
        else:
            tell(future.set_result, result)

    threading.Thread(target=call, daemon=True).start()
    return await future


async def isolated_task(work: Awaitable[Found]) -> Found:
    """Await somebody else's code, whose cancellation is not ours."""

    async def contained() -> Found:
        try:
            return await work
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:  # would end the loop
            raise RuntimeError(type(error).__name__) from error

    task = asyncio.create_task(contained())
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=1)
        raise
    if task.cancelled():
        raise RuntimeError("CancelledError")
    return task.result()


def run(work: Coroutine[Any, Any, Found]) -> Found:
    """Run a coroutine to its end, and return its result.

    >>> async def seven() -> int:
    ...     return 7
    >>> run(seven())
    7
    """

    async def contained() -> tuple[Found | None, BaseException | None]:
        try:
            return await work, None
        except (KeyboardInterrupt, SystemExit) as error:  # it would end the loop itself
            return None, error

    future = asyncio.run_coroutine_threadsafe(contained(), loop())
    try:
        result, interruption = future.result()
    except BaseException:
        if not future.done():  # we were interrupted, not the coroutine
            future.cancel()
            _wait(work)
        raise
    if interruption is not None:
        raise interruption
    return cast("Found", result)


def at_exit(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine when the process ends, for a second at most."""
    process = os.getpid()

    def call() -> None:
        if os.getpid() == process:  # a forked process has connections of its own
            with suppress(TimeoutError, FutureTimeout, CancelledError, RuntimeError):
                asyncio.run_coroutine_threadsafe(work(), loop()).result(timeout=1)

    atexit.register(call)


def loop() -> asyncio.AbstractEventLoop:
    """Return the loop of this process; after a fork the child has its own."""
    with _lock:
        running = _loops.get(os.getpid())
        if running is None:
            running = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(
                target=_keep_running, args=(running,), name="qaldgen-web", daemon=True
            ).start()
    return running


def _keep_running(running: asyncio.AbstractEventLoop) -> None:
    """Run a loop; an interrupt raised by a callback ends it, and others would wait for ever."""
    while not running.is_closed():
        with suppress(KeyboardInterrupt, SystemExit):
            running.run_forever()


def _wait(work: Coroutine[Any, Any, object]) -> None:
    """Wait a few seconds until a cancelled coroutine has ended, so that its files are closed."""

    async def ended() -> None:
        for _ in range(500):
            if inspect.getcoroutinestate(work) == inspect.CORO_CLOSED:
                return
            await asyncio.sleep(0.01)

    with suppress(TimeoutError, FutureTimeout, CancelledError):
        asyncio.run_coroutine_threadsafe(ended(), loop()).result(timeout=6)
