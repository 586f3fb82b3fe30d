"""Keys of caches: hashes of inputs, of the code that computes with them, and of versions."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Sequence
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
    folder = module_path.parent
    paths = [module_path]
    if module_path.name == "__init__.py":
        folders = os.walk(folder)
        paths = [Path(parent, name) for parent, _, names in folders for name in names]
    hashes = []
    for path in paths:
        is_code = "__pycache__" not in path.parts and path.suffix != ".pyc"
        if is_code and path.is_file():
            status = path.stat()
            digest = _file_hash(path, status.st_mtime_ns, status.st_size)
            hashes.append(f"{path.relative_to(folder).as_posix()} {digest}")
    return sorted(hashes)


@functools.lru_cache(maxsize=4096)
def _file_hash(path: Path, _changed: int, _size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


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
