"""Write files completely or not at all, and over existing files only by force."""

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
        target = _resolve_links(path)
        exists = target.exists()
        if target.is_dir():
            raise UsageError("is a folder; name a file", where=path)
        if exists and not target.is_file():
            raise UsageError("is a device or pipe, not a file; -o - writes to stdout", where=path)
        if not force and (exists or path.is_symlink()):
            raise UsageError(_exists_message(path))
        folder = target.parent
        while new_folders and not folder.exists() and folder != folder.parent:
            folder = folder.parent
        if not folder.is_dir():
            problem = "is a file" if folder.exists() else "does not exist; create it first"
            name = folder if new_folders else path.parent
            raise UsageError(f"the folder {name} {problem}", where=path)
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
    return _file_identity(Path(path)) == _file_identity(Path(second))


def write_atomic(path: Path, data: bytes, *, force: bool) -> None:
    """Write a file so that at every moment either the old or the complete new version exists."""
    write_all([(path, data)], force=force)


def write_all(
    files: Sequence[tuple[Path, bytes | IO[bytes]]], *, force: bool, new_folders: bool = False
) -> None:
    """Write several files atomically; with `new_folders`, make the folders that they need.

    If a file cannot be written, no new file or folder remains.
    """
    temporaries: list[Path] = []
    created_files: list[Path] = []
    folders: list[Path] = []
    path = Path()
    try:
        for path, data in files:
            if new_folders:
                _make_folder(_resolve_links(path).parent, folders)
            temporary = _resolve_links(path).with_name(f".qaldgen-{secrets.token_hex(4)}")
            temporaries.append(temporary)
            with temporary.open("xb") as file:  # with the permissions of new files
                if isinstance(data, bytes):
                    file.write(data)
                else:
                    data.seek(0)
                    shutil.copyfileobj(data, file)

        for (path, _), temporary in zip(files, temporaries, strict=True):
            _move(temporary, _resolve_links(path), force=force)
            if not force:
                created_files.append(_resolve_links(path))
    except BaseException as error:  # an interruption must not leave files behind, either
        _remove([*temporaries, *created_files])
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        if isinstance(error, FileExistsError):
            raise UsageError(_exists_message(path)) from error
        if isinstance(error, OSError):
            raise DataError(f"cannot be written ({_reason(error)})", where=path) from error
        raise
    finally:
        _remove(temporaries)


def _make_folder(folder: Path, made: list[Path]) -> None:
    """Make a folder with its parents, and add the new folders to a list."""
    if not folder.exists():
        _make_folder(folder.parent, made)
        folder.mkdir()
        made.append(folder)


def _resolve_links(path: Path) -> Path:
    """Return the file that a path leads to through links; OSError for a link to itself."""
    with suppress(FileNotFoundError):
        path.stat()
    return Path(os.path.realpath(path))


def _move(temporary: Path, target: Path, *, force: bool) -> None:
    """Give a finished file its name; without `force` only if no file has the name."""
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


def _file_identity(path: Path) -> object:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


def _exists_message(path: Path) -> str:
    return f"{path}: already exists; choose another name, or overwrite it with `force=True`"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Lock(Enum):
    """Which process has the lock of a file."""

    OURS = "we have it"
    THEIRS = "another process has it"
    NONE = "the file system knows no locks"


def lock(descriptor: int) -> Lock:
    """Lock an open file, given by its descriptor, for writing, without waiting.

    The lock is advisory: it excludes only processes that ask for it too. It ends when the file is
    closed, and so with its process, however that ends. NFS shares it between machines; some other
    network file systems keep it to one machine, or have none.
    """
    if fcntl is None:
        return Lock.NONE
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
            return Lock.THEIRS
        if error.errno in _WITHOUT_LOCKS:
            return Lock.NONE
        raise
    return Lock.OURS
