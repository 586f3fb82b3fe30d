"""Processes that work for this one end when it ends, however that happens."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from typing import Any

#: Seconds between two looks at whether the parent is still there.
EVERY = 0.5


def watched() -> dict[str, Any]:
    """Return what `joblib.Parallel` takes, so that its workers end with this process even if it is killed."""
    return {"initializer": end_with, "initargs": (os.getpid(),)}


def end_with(parent: int) -> None:
    """Let this process end when its parent does.

    A worker of a cluster, which has another parent, goes on.

    A signal on the death of the parent, as Linux has it, would come when the thread ends that
    started the worker.
    """
    if os.getppid() == parent:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    elif multiprocessing.current_process().name.startswith(
        "LokyProcess"
    ):  # the parent ended before this one began
        os._exit(1)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(EVERY)
    os._exit(1)
