"""Keys of caches: hashes of inputs, of the code that computes with them, and of versions."""

from __future__ import annotations

import hashlib
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
    inner = getattr(function, "func", function)
    module = str(getattr(inner, "__module__", "") or type(inner).__module__)
    return module.partition(".")[0]


def code_hashes(package: str) -> list[str]:
    """Return name and hash of every file of a package, or of a single module.

    Python's own caches are skipped: they change without the code. Files are read again each time:
    they may change while a notebook is open.
    """
    module_file = getattr(sys.modules.get(package), "__file__", None)
    if module_file is None:
        return []
    path_of_module = Path(module_file)
    folder = path_of_module.parent
    paths = [path_of_module]
    if path_of_module.name == "__init__.py":
        paths = [path for path in folder.rglob("*") if path.is_file()]
    hashes = []
    for path in paths:
        if "__pycache__" not in path.parts and path.suffix != ".pyc":
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            hashes.append(f"{path.relative_to(folder).as_posix()} {digest}")
    return sorted(hashes)


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
