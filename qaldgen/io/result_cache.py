"""Results of long computations, kept on disk so that a second report does not repeat them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

from qaldgen.io.cache_keys import code_key, key_of
from qaldgen.io.text_store import read_texts, write_texts

T = TypeVar("T")
#: Older results are deleted: a report on eight systems keeps about 20.
_MAX_RESULTS = 1_000
#: Packages that decide on figures: another version may compute other ones.
_PACKAGES = ("numpy", "pandas", "scipy")


class _Store(NamedTuple):
    """A file of results, and the hash of the code that computed them."""

    path: Path
    code: str


_store: ContextVar[_Store | None] = ContextVar("_store", default=None)


@contextmanager
def caching(path: Path | None, functions: Sequence[object] = ()) -> Iterator[None]:
    """Make `cached` keep its results in a file; without a path, it keeps none.

    This holds for other threads only if they run in a copy of this context.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, caching(Path(folder) / "sums.sqlite"):
    ...     print(cached("sum", ["2 and 2"], lambda: 2 + 2))
    ...     print(cached("sum", ["2 and 2"], lambda: 5))
    4
    4
    """
    store = None if path is None else _Store(path, code_key(functions, _PACKAGES))
    token = _store.set(store)
    try:
        yield
    finally:
        _store.reset(token)


def cached(name: str, inputs: Sequence[object], compute: Callable[[], T]) -> T:
    """Return the result for these inputs from the file, or else compute it."""
    store = _store.get()
    if store is None:
        return compute()
    key = key_of([name, store.code, *inputs])
    stored = read_texts(store.path, [key]).get(key, "")
    try:
        return cast(T, json.loads(stored))
    except ValueError:  # not in the file, or damaged
        pass
    result = compute()
    write_texts(store.path, {key: json.dumps(result)}, _MAX_RESULTS)
    return result
