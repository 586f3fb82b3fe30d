"""Files for tests."""

from __future__ import annotations

from pathlib import Path

from qaldgen.io.unpacking import open_content


def put(folder: Path, name: str, data: bytes) -> Path:
    """Write a file, and return its path."""
    path = folder / name
    path.write_bytes(data)
    return path


def content_of(path: Path) -> bytes:
    """Return what a file holds, unpacked."""
    with open_content(path) as reader:
        return reader.read()
