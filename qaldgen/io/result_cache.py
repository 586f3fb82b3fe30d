"""Results of long computations, kept on disk so that a second report does not repeat them."""

from __future__ import annotations

import hashlib
import json
import platform
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast


def package_of(function: object) -> str:
    """Return the top package that defines a function, a partial or a callable object.

    >>> package_of(package_of)
    'qaldgen'
    """
    inner = getattr(function, "func", function)
    module = str(getattr(inner, "__module__", "") or type(inner).__module__)
    return module.partition(".")[0]


def code_hashes(package: str) -> list[str]:
    """Return name and hash of every file of a package, or of a single module.

    Python's own caches are skipped: they change without the code. Files are read again each time:
    they may change while a notebook is open.
    """
    path_of_module = getattr(sys.modules.get(package), "__file__", None)
    if path_of_module is None:
        return []
    file = Path(path_of_module)
    folder = file.parent
    files: Iterable[Path] = folder.rglob("*") if file.name == "__init__.py" else [file]
    files = (
        path
        for path in files
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    )
    return sorted(
        f"{path.relative_to(folder).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in files
    )


T = TypeVar("T")
#: Older results are deleted: a report on eight systems keeps about 20.
_MOST = 1_000
#: Packages that decide on figures: another version may compute other ones.
_PACKAGES = ("numpy", "pandas", "scipy")


class _Store(NamedTuple):
    """A file of results, and the hash of the code that computed them."""

    path: Path
    code: str


_store: ContextVar[_Store | None] = ContextVar("_store", default=None)


@contextmanager
def caching(path: Path | None, functions: Sequence[object] = ()) -> Iterator[None]:
    """Keep the results of `cached` in a file, and take them from there.

    A thread does so only if it runs in a copy of this context.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, caching(Path(folder) / "sums.sqlite"):
    ...     cached("sum", ["2 and 2"], lambda: 2 + 2), cached("sum", ["2 and 2"], lambda: 5)
    (4, 4)
    """
    store = None if path is None else _Store(path, code_key(functions, _PACKAGES))
    token = _store.set(store)
    try:
        yield
    finally:
        _store.reset(token)


def cached(name: str, inputs: Sequence[object], compute: Callable[[], T]) -> T:
    """Return the result that was computed from these inputs before, or else compute it."""
    store = _store.get()
    if store is None:
        return compute()
    key = key_of([name, store.code, *inputs])
    with suppress(KeyError, ValueError):  # not kept, or damaged
        return cast(T, json.loads(read_texts(store.path, [key])[key]))
    result = compute()
    write_texts(store.path, {key: json.dumps(result)}, _MOST)
    return result


def code_key(functions: Iterable[object], packages: Iterable[str]) -> str:
    """Return a hash of the code of qaldgen and of these functions' packages, and of versions.

    A list of just the modules that results depend on would go stale unnoticed.
    """
    packages_of_code = sorted({package_of(function) for function in (code_key, *functions)})
    lines: list[str] = []
    for package in packages_of_code:
        lines += code_hashes(package)
    versions = [f"{package} {version(package)}" for package in packages]
    return key_of([*lines, *versions, platform.python_version(), platform.machine()])


def key_of(inputs: Sequence[object]) -> str:
    """Return the hash of the inputs; an array counts by type, shape and content."""
    digest = hashlib.sha256()
    for value in inputs:
        if hasattr(value, "tobytes"):
            array: Any = value
            content = f"{array.dtype} {array.shape} ".encode() + array.tobytes()
        else:
            content = repr(value).encode("utf-8", "surrogatepass")
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


def read_texts(path: Path, keys: Iterable[str]) -> dict[str, str]:
    """Return the texts kept under these keys; nothing if the file is new, damaged or busy."""
    query = "SELECT content FROM kept WHERE key = ?"
    texts: dict[str, str] = {}
    with suppress(sqlite3.Error), closing(_connect(path)) as connection:
        for key in keys:
            for row in connection.execute(query, (key,)):
                texts[key] = row[0]
        return texts
    return {}


def write_texts(path: Path, texts: Mapping[str, str], most: int | None = None) -> None:
    """Keep texts under keys, at most so many, of which the oldest are deleted.

    A file that cannot be written is left alone, and a damaged one is replaced.
    """
    try:
        _insert(path, texts, most)
    except sqlite3.OperationalError:  # busy, or not writable
        return
    except sqlite3.DatabaseError:
        # not a database any more; with its journal left behind, SQLite would damage the new one
        with suppress(sqlite3.Error, OSError):
            for file in (path, path.with_name(f"{path.name}-journal")):
                file.unlink(missing_ok=True)
            _insert(path, texts, most)


def _insert(path: Path, texts: Mapping[str, str], most: int | None) -> None:
    with closing(_connect(path)) as connection, connection:
        connection.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", texts.items())
        if most is not None:
            newest = "(SELECT max(rowid) FROM kept)"
            connection.execute(f"DELETE FROM kept WHERE rowid <= {newest} - ?", (most,))


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=10)
    connection.execute("CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, content TEXT)")
    return connection
