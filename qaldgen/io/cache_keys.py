"""Keys of caches: hashes of inputs, of the code that computes with them, and of versions."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any


def package_of(function: object) -> str:
    """Return the top package that defines a function, a partial or a callable object.

    >>> package_of(package_of)
    'qaldgen'
    """
    wrapped = getattr(function, "func", function)
    module = str(getattr(wrapped, "__module__", "") or type(wrapped).__module__)
    return module.partition(".")[0]


def code_hashes(package: str) -> list[str]:
    """Return name and hash of every file of a package, or of a single module.

    Python's own caches are skipped, as they change without the code. Files are read
    again when they have changed, as they may while a notebook is open.
    """
    module_file = getattr(sys.modules.get(package), "__file__", None)
    if module_file is None:
        return []
    module_path = Path(module_file)
    if not module_path.is_file():  # it is in a zip
        return []
    folder = str(module_path.parent)
    files = [(module_file, module_path.stat())]
    if module_path.name == "__init__.py":
        files = list(_code_files(folder))
    hashes = []
    for path, status in files:
        digest = _file_hash(path, status.st_mtime_ns, status.st_size)
        inside = path[len(folder) + 1 :].replace(os.sep, "/")
        hashes.append(f"{inside} {digest}")
    return sorted(hashes)


def _code_files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield path and status of each file of a package, without Python's own caches.

    To make `Path` objects of hundreds of files would take longer than all that is done with them.
    """
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                yield from _code_files(entry.path)
        elif entry.is_file() and not entry.name.endswith(".pyc"):
            yield entry.path, entry.stat()


@functools.lru_cache(maxsize=4096)
def _file_hash(path: str, _changed: int, _size: int) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def code_key(functions: Iterable[object], packages: Iterable[str]) -> str:
    """Return a hash of the code of qaldgen and of the packages of functions, and of versions.

    All modules count: a list of those that results depend on would become wrong unnoticed.
    """
    code_packages = sorted({package_of(function) for function in (code_key, *functions)})
    lines: list[str] = []
    for package in code_packages:
        lines += code_hashes(package)
    versions = [f"{package} {version(package)}" for package in packages]
    return key_of([*lines, *versions, platform.python_version(), platform.machine()])


def key_of(inputs: Sequence[object]) -> str:
    """Return the hash of the inputs; of an array, type, shape and content count."""
    digest = hashlib.sha256()
    for value in inputs:
        if hasattr(value, "tobytes"):
            array: Any = value
            content = f"{array.dtype} {array.shape} ".encode() + array.tobytes()
        else:
            content = repr(value).encode("utf-8", "surrogatepass")
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()
