"""Create many objects without the garbage collector, which would scan them again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting_no_garbage() -> Iterator[None]:
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
