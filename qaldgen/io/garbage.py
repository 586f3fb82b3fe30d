"""Make many objects without the garbage collector, which would look at all of them again and again meanwhile."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting_no_garbage() -> Iterator[None]:
    """Work without the garbage collector.

    Of records without cycles it finds nothing, and looks longer the more there are.

    It may be nested; the outermost decides when collecting begins again.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
