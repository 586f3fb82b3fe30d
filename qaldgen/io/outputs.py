"""Write files completely or not at all, never over a file that somebody wants to keep."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import IO

from qaldgen.errors import DataError, UsageError

_WITHOUT_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}


def check_writable(path: Path, *, force: bool, new_folders: bool = False) -> None:
    """Check early that an output can be written and would not overwrite a file.

    With `new_folders`, its folders need not exist: `write_all` makes them.
    """
    try:
        target = _target(path)
        exists = target.exists()
        if target.is_dir():
            raise UsageError("is a folder; name a file", where=path)
        if exists and not target.is_file():
            raise UsageError("is a device or pipe, not a file; -o - writes to stdout", where=path)
        if not force and (exists or path.is_symlink()):
            raise UsageError(_taken(path))
        folder = target.parent
        while new_folders and not folder.exists() and folder != folder.parent:
            folder = folder.parent
        if not folder.is_dir():
            why = "is a file" if folder.exists() else "does not exist; create it first"
            name = folder if new_folders else path.parent
            raise UsageError(f"the folder {name} {why}", where=path)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"cannot be written ({_reason(error)}); choose another name", where=path
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"the folder {folder} is not writable", where=path)


def same_file(path: str | Path, second: str | Path) -> bool:
    """Return whether two names refer to one file, through links or by different spellings.

    The file may not exist yet.
    """
    return _identity(Path(path)) == _identity(Path(second))


def write_atomic(path: Path, data: bytes, *, force: bool) -> None:
    """Write a file so that at every moment either the old or the complete new version exists."""
    write_all([(path, data)], force=force)


def write_all(
    files: Sequence[tuple[Path, bytes | IO[bytes]]], *, force: bool, new_folders: bool = False
) -> None:
    """Write several files atomically, with `new_folders` in folders that are made for them.

    If one of them cannot be written, no new file or folder remains.
    """
    hidden: list[Path] = []
    placed: list[Path] = []
    folders: list[Path] = []
    path = Path()
    try:
        for path, data in files:
            if new_folders:
                _make_folder(_target(path).parent, folders)
            temporary = _target(path).with_name(f".qaldgen-{secrets.token_hex(4)}")
            hidden.append(temporary)
            _write_new(temporary, data)
        for (path, _), temporary in zip(files, hidden, strict=True):
            _place(temporary, _target(path), force=force)
            if not force:
                placed.append(_target(path))
    except BaseException as error:  # an interruption must not leave files behind, either
        _remove([*hidden, *placed])
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        if isinstance(error, FileExistsError):
            raise UsageError(_taken(path)) from error
        if isinstance(error, OSError):
            raise DataError(f"cannot be written ({_reason(error)})", where=path) from error
        raise
    finally:
        _remove(hidden)


def _write_new(path: Path, data: bytes | IO[bytes]) -> None:
    """Write a file that does not exist yet, with the permissions of new files."""
    with path.open("xb") as file:
        if isinstance(data, bytes):
            file.write(data)
        else:
            data.seek(0)
            shutil.copyfileobj(data, file)


def _make_folder(folder: Path, new: list[Path]) -> None:
    """Make a folder with its parents, and note those that did not exist."""
    if not folder.exists():
        _make_folder(folder.parent, new)
        folder.mkdir()
        new.append(folder)


def _target(path: Path) -> Path:
    """Return the file that is written: links are followed; OSError for a link to itself."""
    with suppress(FileNotFoundError):
        path.stat()
    return Path(os.path.realpath(path))


def _place(temporary: Path, target: Path, *, force: bool) -> None:
    """Give a finished file its name; without `force` only if nothing has it at this moment."""
    if force:
        with suppress(FileNotFoundError):
            temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
        return
    try:
        target.hardlink_to(temporary)
    except FileExistsError:
        raise
    # A file system without hard links: the name is reserved first, then replaced.
    except OSError:
        target.touch(exist_ok=False)
        try:
            temporary.replace(target)
        except BaseException:
            target.unlink()
            raise


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink()


def _identity(path: Path) -> object:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


def _taken(path: Path) -> str:
    return f"{path}: already exists; choose another name, or overwrite it with `force=True`"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Lock(Enum):
    """The result of asking for a lock."""

    OURS = "we have it"
    THEIRS = "another process has it"
    NONE = "the file system knows no locks"


def lock(file: int) -> Lock:
    """Lock an open file for writing, without waiting.

    The lock is advisory: it excludes only processes that ask for it too. It ends when the file is
    closed, and so with its process, however that ends. NFS shares it between machines; some other
    network file systems keep it to one machine, or have none.
    """
    if fcntl is None:
        return Lock.NONE
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
            return Lock.THEIRS
        if error.errno in _WITHOUT_LOCKS:
            return Lock.NONE
        raise
    return Lock.OURS
