"""Open files by what they hold (plain, gzip, bzip2, zip), and replace files atomically."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

from qaldgen.errors import DataError, UsageError

#: A packed file may grow this much when it is unpacked, beyond ``SMALL`` bytes; RDF text packs 10 to 50 times.
MAX_RATIO = 300
SMALL = 64 * 2**20
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip"}
_DAMAGED = (EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile, NotImplementedError, RuntimeError)


class ContentReader:
    """The unpacked bytes of a file, hashed while they are read, with a limit on how far they may grow.

    Parameters
    ----------
    stream
        The unpacked bytes.
    path
        The file, for messages.
    packed_size
        The size of the packed file in bytes; None for a plain file, which cannot grow.
    progress
        Called with the number of unpacked bytes of every read.
    """

    def __init__(
        self, stream: IO[bytes], path: Path, packed_size: int | None, progress: Callable[[int], None] | None = None
    ) -> None:
        self._stream = stream
        self._path = path
        self._limit = None if packed_size is None else max(SMALL, MAX_RATIO * packed_size)
        self._hash = hashlib.sha256()
        self._size = 0
        self._progress = progress
        self._pending = b""

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes; raises DataError for a damaged or an exploding archive."""
        if size < 0:
            return b"".join(iter(lambda: self.read(2**20), b""))
        if self._pending:
            data, self._pending = self._pending[:size], self._pending[size:]
            return data
        try:
            data = self._stream.read(size)
        except _DAMAGED as error:
            raise DataError(f"{self._path}: the archive is damaged or cut off ({error}); fetch the file again") from error
        except OSError as error:
            if error.errno is None:  # bz2 speaks this way of a damaged archive
                raise DataError(f"{self._path}: the archive is damaged ({error}); fetch the file again") from error
            raise DataError(f"{self._path}: cannot be read ({error.strerror})") from error
        self._hash.update(data)
        self._size += len(data)
        if self._progress is not None:
            self._progress(len(data))
        if self._limit is not None and self._size > self._limit:
            raise DataError(
                f"{self._path}: unpacks to more than {self._limit:,} bytes, over {MAX_RATIO} times its size; "
                "that is no RDF. Unpack it by hand if you trust it"
            )
        return data

    def skip(self, prefix: bytes) -> None:
        """Pass over `prefix` if the content begins with it; to be called before anything is read."""
        start = self.read(len(prefix))
        self._pending = b"" if start == prefix else start

    def hexdigest(self) -> str:
        """Return the sha256 of the bytes read so far."""
        return self._hash.hexdigest()


@contextmanager
def open_content(path: Path, progress: Callable[[int], None] | None = None) -> Iterator[ContentReader]:
    """Open a file by content, unpacked; `progress` hears of the unpacked bytes of every read.

    Raises
    ------
    DataError
        If the file is missing, unreadable, a folder, or an archive that is damaged or holds several files.
    """
    with ExitStack() as stack:
        try:
            file = stack.enter_context(path.open("rb"))
            head = file.read(4)
            file.seek(0)
        except OSError as error:
            raise DataError(f"{path}: cannot be opened ({error.strerror or error}); check the name") from error
        packing = next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)
        stream: IO[bytes] = file
        if packing == "gzip":
            stream = cast(IO[bytes], stack.enter_context(gzip.open(file)))
        elif packing == "bzip2":
            stream = cast(IO[bytes], stack.enter_context(bz2.open(file)))
        elif packing == "zip":
            stream = stack.enter_context(_open_single_member(path))
        yield ContentReader(stream, path, None if packing is None else path.stat().st_size, progress)


@contextmanager
def _open_single_member(path: Path) -> Iterator[IO[bytes]]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = _members(archive)
            if "[Content_Types].xml" in names:
                raise DataError(f"{path}: is an Office document, such as a spreadsheet; save the sheet as CSV and name that file")
            if len(names) != 1:
                listed = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
                raise DataError(
                    f"{path}: the zip holds {len(names)} files{' (' + listed + ')' if names else ''}, one is expected; "
                    "unpack it and name the file"
                )
            with archive.open(names[0]) as member:
                yield member
    except _DAMAGED as error:
        raise DataError(f"{path}: the zip cannot be unpacked ({error}); unpack it by hand, or fetch it again") from error


def _members(archive: zipfile.ZipFile) -> list[str]:
    """Return the files of an archive, without what macOS adds."""
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    return [name for name in names if not name.startswith("__MACOSX/") and name.rpartition("/")[2] != ".DS_Store"]


def content_name(path: Path) -> str:
    """Return the name of what the file holds: a zip's only member, or the file's name without its packing."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = _members(archive)
        return names[0] if len(names) == 1 else path.name
    return path.stem if path.suffix in {".gz", ".bz2"} else path.name


def unpacked_size(path: Path) -> int:
    """Return the number of bytes a file holds, a guess where only reading it would tell; 0 if it cannot be opened."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return sum(info.file_size for info in archive.infolist())
        return path.stat().st_size * (15 if path.suffix in {".gz", ".bz2"} else 1)
    except (OSError, *_DAMAGED):
        return 0


def check_writable(path: Path, *, force: bool) -> None:
    """Refuse, before the work is done, an output that could not be written or would overwrite a file.

    Raises
    ------
    UsageError
        If the file exists and `force` is not set, or its folder does not exist or is not writable.
    """
    try:
        exists, folder = os.path.lexists(path), path.resolve().parent
        if path.is_dir():
            raise UsageError(f"{path}: is a folder; name a file")
        if path.exists() and not path.is_file():
            raise UsageError(f"{path}: is a device or pipe, no file; -o - writes to stdout")
        if exists and not force:
            raise UsageError(f"{path}: exists already; choose another name or add --force")
        if not folder.is_dir():
            raise UsageError(f"{path}: the folder {path.parent} does not exist; make it first")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}); choose another name") from error
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{path}: the folder {folder} is not writable")


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that at every moment either the old or the whole new one is there.

    Raises
    ------
    DataError
        If the file cannot be written (no space, no permission).
    """
    temporary: Path | None = None
    path = path.resolve()  # a link goes on leading to its file
    try:
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(data)
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        temporary.replace(path)
    except BaseException as error:  # an interruption too leaves nothing behind
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise DataError(f"{path}: cannot be written ({error.strerror or error})") from error
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
