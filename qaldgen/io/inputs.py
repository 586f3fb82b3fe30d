"""Inputs by name: files, named pipes and stdin; a pipe can be opened again."""

from __future__ import annotations

import errno
import io
import os
import re
import select
import stat
import time
from pathlib import Path
from typing import BinaryIO

from qaldgen.errors import DataError
from qaldgen.io.arguments import file_hint
from qaldgen.io.terminal import escape_line

#: Seconds to wait for a writer of a named pipe.
WRITER_TIMEOUT = 5.0
_STREAM = re.compile(r"/dev/fd/(\d{1,9})|/proc/self/fd/(\d{1,9})")
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
#: The content of each pipe that was read, by device and inode.
_pipe_contents: dict[tuple[int, int], bytes] = {}


def stream_number(path: str | Path) -> int | None:
    """Return the file descriptor that a name refers to.

    >>> stream_number("-"), stream_number("/dev/fd/63"), stream_number("features.ttl")
    (0, 63, None)
    """
    if str(path) in {"-", "/dev/stdin"}:
        return 0
    match = _STREAM.fullmatch(str(path))
    if not match:
        return None
    return int(match[1] or match[2])


def shown_name(path: Path) -> str:
    """Return the name of a file for data and messages: printable, and without the folder.

    >>> shown_name(Path("data/features.ttl")), shown_name(Path("-"))
    ('features.ttl', 'stdin')
    """
    descriptor = stream_number(path)
    if descriptor is None:
        return escape_line(path.name)
    return "pipe" if descriptor else "stdin"


def is_web_address(name: str) -> bool:
    """Return whether a name is an address on the web, and not that of a file."""
    return name.startswith(("http://", "https://"))


def check_files(*names: str | None) -> None:
    """Reject files that do not exist; a URL is not a file."""
    for name in names:
        if name is None or is_web_address(name) or input_exists(name):
            continue
        raise DataError(
            f"cannot be opened (No such file or directory); {file_hint(name)}", where=name
        )


def input_exists(path: str | Path) -> bool:
    """Return whether an input of a name exists."""
    if stream_number(path) is not None:
        return True
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        raise _open_error(path, error) from error
    return True


def is_file(path: Path) -> bool:
    """Return whether a path is a regular file, not a pipe, that can be accessed."""
    return os.path.isfile(path)  # noqa: PTH113 - `Path.is_file` raises PermissionError


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder that can be accessed."""
    return os.path.isdir(path)  # noqa: PTH112 - as above


def open_input(path: Path) -> BinaryIO:
    """Open a file for reading; the content of a pipe is kept, so that it can be opened again."""
    descriptor = stream_number(path)
    try:
        if descriptor is None and is_folder(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if descriptor is None and is_file(path):
            return path.open("rb")
        opened = os.open(path, _OPEN_FLAGS) if descriptor is None else os.dup(descriptor)
        with os.fdopen(opened, "rb", buffering=0) as file:
            return io.BytesIO(_read_stream(file, path))
    except (OSError, ValueError) as error:
        raise _open_error(path, error) from error


def _open_error(path: str | Path, error: OSError | ValueError) -> DataError:
    """Return the error for a file that cannot be opened: why, and what to do."""
    hints: dict[type[Exception], str] = {
        FileNotFoundError: file_hint(path),
        IsADirectoryError: "name a file",
        PermissionError: "check the permissions",
    }
    hint = hints.get(type(error), "fix that, or name another file")
    reason = getattr(error, "strerror", None) or error
    return DataError(f"cannot be opened ({reason}); {hint}", where=path)


def _read_stream(file: io.FileIO, path: Path) -> bytes:
    """Return the content of a pipe or stream, from memory if it was read before."""
    status = os.fstat(file.fileno())
    mode = status.st_mode
    key = (status.st_dev, status.st_ino)

    start = b""
    if stat.S_ISFIFO(mode) and stream_number(path) is None:
        # a named pipe may have a new writer, and so new content
        first_byte = _poll_writer(file) if key in _pipe_contents else _wait_for_writer(file, path)
        if first_byte is None:
            return _pipe_contents[key]
        start = first_byte
        os.set_blocking(file.fileno(), True)
    elif key in _pipe_contents:
        return _pipe_contents[key]
    # a terminal can be read, and so can a device without content, such as /dev/null
    elif stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not file.isatty() and file.read(1) != b""):
        raise DataError("is a device; name a file, or - for stdin", where=path)

    _pipe_contents[key] = start + file.readall()
    return _pipe_contents[key]


def _wait_for_writer(pipe: io.FileIO, path: Path) -> bytes:
    """Wait until a named pipe has a writer, and return what `_poll_writer` read."""
    end = time.monotonic() + WRITER_TIMEOUT
    while True:
        first_byte = _poll_writer(pipe)
        if first_byte is not None:
            return first_byte
        if time.monotonic() >= end:
            raise DataError(
                f"is a named pipe without a writer (waited {WRITER_TIMEOUT:g} s);"
                " start the writer, or name a file",
                where=path,
            )
        time.sleep(0.02)


def _poll_writer(pipe: io.FileIO) -> bytes | None:
    """Return at most one byte that a pipe has to offer; None if the pipe has no writer."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    if poll.poll(0):
        return b""
    byte = pipe.read(1)
    if byte is None:  # there is a writer that has not written yet
        return b""
    return byte or None
