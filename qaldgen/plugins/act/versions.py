"""Which version of a file, a model or a package is used, so that the journal shows a change."""

from __future__ import annotations

import hashlib
from pathlib import Path

from qaldgen.io.packages import versions_of
from qaldgen.io.unpacking import read_text

#: The digits of a digest.
_DIGITS = 16
#: Bytes at each end of a file of a model that are read; a model can have many gigabytes.
_END_BYTES = 1 << 20


def file_digest(path: str) -> str:
    """Return a digest of the contents of a file."""
    return hashlib.sha256(read_text(Path(path)).encode()).hexdigest()[:_DIGITS]


def model_digest(folder: str) -> str:
    """Return a digest of a model: of its files, and of large ones both ends and the size."""
    digest = hashlib.sha256()
    for file in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
        size = file.stat().st_size
        digest.update(f"{file.relative_to(folder).as_posix()} {size}\n".encode())
        with file.open("rb") as stream:
            digest.update(stream.read(_END_BYTES))
            stream.seek(max(size - _END_BYTES, 0))
            digest.update(stream.read(_END_BYTES))
    return digest.hexdigest()[:_DIGITS]


def installed_version(package: str) -> str:
    """Return the version of an optional package, or ``unknown`` if it is not installed."""
    return versions_of([package]).get(package, "unknown")
