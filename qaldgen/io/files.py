"""Open files by their content, plain or packed, pipes and stdin; and find the files we ship."""

from __future__ import annotations

import bz2
import errno
import gzip
import hashlib
import io
import os
import pkgutil
import re
import select
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePath
from typing import IO, BinaryIO, cast

from qaldgen.errors import DataError
from qaldgen.io.arguments import file_hint
from qaldgen.io.packages import packaged
from qaldgen.io.terminal import one_line
from qaldgen.io.text import few

#: Seconds to wait for a writer of a named pipe.
PATIENCE = 5.0
_STREAM = re.compile(r"/dev/fd/(\d{1,9})|/proc/self/fd/(\d{1,9})")
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
#: By device and inode, the content of each pipe that was read.
_read: dict[tuple[int, int], bytes] = {}


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
    number = stream_number(path)
    if number is None:
        return one_line(path.name)
    return "pipe" if number else "stdin"


def check_files(*names: str | None) -> None:
    """Reject files that do not exist; a URL is not a file."""
    for name in names:
        if (
            name is not None
            and not name.startswith(("http://", "https://"))
            and not input_exists(name)
        ):
            raise DataError(
                f"{name}: cannot be opened (No such file or directory); {file_hint(name)}"
            )


def input_exists(path: str | Path) -> bool:
    """Return whether there is an input of this name."""
    if stream_number(path) is not None:
        return True
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        raise _refusal(path, error) from error
    return True


def is_file(path: Path) -> bool:
    """Return whether this is a regular file, not a pipe, that can be accessed."""
    return os.path.isfile(path)  # noqa: PTH113 - `Path.is_file` raises PermissionError


def is_folder(path: Path) -> bool:
    """Return whether this is a folder that can be accessed."""
    return os.path.isdir(path)  # noqa: PTH112 - as above


def open_input(path: Path) -> BinaryIO:
    """Open a file for reading; the content of a pipe is kept, so that it can be opened again."""
    number = stream_number(path)
    try:
        if number is None and is_folder(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if number is None and is_file(path):
            return path.open("rb")
        descriptor = os.open(path, _FLAGS) if number is None else os.dup(number)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            return io.BytesIO(_content(file, path))
    except (OSError, ValueError) as error:
        raise _refusal(path, error) from error


def _refusal(path: str | Path, error: OSError | ValueError) -> DataError:
    """Return the error for a file that cannot be opened: why, and what to do."""
    hints: dict[type[Exception], str] = {
        FileNotFoundError: file_hint(path),
        IsADirectoryError: "name a file",
        PermissionError: "check the permissions",
    }
    hint = hints.get(type(error), "fix that, or name another file")
    reason = getattr(error, "strerror", None) or error
    return DataError(f"cannot be opened ({reason}); {hint}", where=path)


def _content(file: io.FileIO, path: Path) -> bytes:
    """Return the content of a pipe, or what came before if it has no writer any more."""
    status = os.fstat(file.fileno())
    key = (status.st_dev, status.st_ino)
    start = b""
    if stat.S_ISFIFO(status.st_mode) and stream_number(path) is None:
        first_byte = _arrived(file) if key in _read else _wait_for_writer(file, path)
        if first_byte is None:
            return _read[key]
        start = first_byte
        os.set_blocking(file.fileno(), True)
    elif key in _read:
        return _read[key]
    elif stat.S_ISBLK(status.st_mode) or (
        stat.S_ISCHR(status.st_mode) and not (file.isatty() or file.read(1) == b"")
    ):
        raise DataError("is a device; name a file, or - for stdin", where=path)
    _read[key] = start + file.readall()
    return _read[key]


def _wait_for_writer(pipe: io.FileIO, path: Path) -> bytes:
    end = time.monotonic() + PATIENCE
    while (first_byte := _arrived(pipe)) is None:
        if time.monotonic() >= end:
            raise DataError(
                f"is a named pipe without a writer (waited {PATIENCE:g} s);"
                " start the writer, or name a file",
                where=path,
            )
        time.sleep(0.02)
    return first_byte


def _arrived(pipe: io.FileIO) -> bytes | None:
    """Return the byte read to find out whether a pipe has a writer; None if it never had one."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    if poll.poll(0):
        return b""
    byte = pipe.read(1)  # None: there is a writer that has not written yet
    return None if byte == b"" else byte or b""


#: Beyond ``SMALL`` bytes a packed file may unpack to this many times its size; RDF text has ratios
#: of 10 to 50.
MAX_RATIO = 300
SMALL = 16 * 2**20
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip"}
#: The exceptions of the standard library for a damaged archive.
DAMAGED = (
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    NotImplementedError,
    RuntimeError,
)


def open_zip(file: BinaryIO, where: str | PurePath | Sequence[object]) -> zipfile.ZipFile:
    """Open a zip; one whose directory is damaged is refused."""
    try:
        return zipfile.ZipFile(file)
    # a wrong offset is an OSError, and a name that is not UTF-8 a ValueError
    except (OSError, ValueError, LookupError, struct.error, *DAMAGED) as error:
        raise DataError(
            f"the zip cannot be unpacked ({error}); unpack it by hand, or download it again",
            where=where,
        ) from error


class ContentReader:
    """The unpacked bytes of a file, hashed while they are read, with a limit on their size.

    Attributes
    ----------
    path : Path
        The file.
    file : BinaryIO
        Its bytes as they are, packed or not.
    archive : ZipFile or None
        The zip that it is.
    members : list of ZipInfo
        The files in the zip; none in anything else.
    name : str
        The name of the content, printable.
    """

    def __init__(
        self,
        path: Path,
        file: BinaryIO,
        stream: IO[bytes] | None,
        archive: zipfile.ZipFile | None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.path = path
        self.file = file
        self.archive = archive
        self.members = []
        infos = archive.infolist() if archive is not None else []
        for info in infos:
            name = info.filename
            is_of_macos = name.startswith("__MACOSX/") or name.rpartition("/")[2] == ".DS_Store"
            if not info.is_dir() and not is_of_macos:
                self.members.append(info)
        self.name = _unpacked_name(path, self.members)
        self._stream = stream  # None for that of the only member of a zip, until it is read
        self._hash = hashlib.sha256()
        self._size = 0
        self._progress = progress
        self._pending = b""

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes."""
        if size < 0:
            start, self._pending = self._pending, b""
            return b"".join([start, *iter(lambda: self._next(2**20), b"")])
        start, self._pending = self._pending[:size], self._pending[size:]
        if len(start) == size:
            return start
        return start + self._next(size - len(start))

    def peek(self, size: int = -1) -> bytes:
        """Return up to `size` bytes, which the next `read` returns again."""
        start = self.read(size)
        self._pending = start + self._pending
        return start

    def skip(self, prefix: bytes) -> None:
        """Skip `prefix` if the content begins with it, before anything is read."""
        if self.peek(len(prefix)) == prefix:
            self.read(len(prefix))

    def hexdigest(self) -> str:
        """Return the sha256 of the bytes read so far."""
        return self._hash.hexdigest()

    def hash_packed(self, digest: hashlib._Hash) -> None:
        """Add the file as it is to a hash; call it before or after the content is read."""
        self.file.seek(0)
        for data in iter(lambda: self.file.read(2**20), b""):
            digest.update(data)
        self.file.seek(0)

    def _next(self, size: int) -> bytes:
        """Return up to `size` bytes that were not read yet."""
        if self._stream is None:
            self._stream = self._only_member()
        try:
            data = self._stream.read(size)
        except DAMAGED as error:
            raise DataError(
                f"the archive is damaged or truncated ({error}); download the file again",
                where=self.path,
            ) from error
        except OSError as error:
            if error.errno is None:  # bz2's way to report a damaged archive
                raise DataError(
                    f"the archive is damaged ({error}); download the file again", where=self.path
                ) from error
            raise DataError(f"cannot be read ({error.strerror})", where=self.path) from error
        if self._stream is not self.file:
            if self._size == 0 and _packing(data):
                raise DataError(
                    "the archive contains another archive; unpack it once", where=self.path
                )
            refuse_bomb(self.path, self._size + len(data), self.file.tell())
        self._hash.update(data)
        self._size += len(data)
        if self._progress is not None:
            self._progress(len(data))
        return data

    def _only_member(self) -> IO[bytes]:
        """Open the only file in the zip."""
        names = {info.filename for info in self.members}
        # of Microsoft's formats, or those of OpenDocument
        if "[Content_Types].xml" in names or names >= {"mimetype", "content.xml"}:
            raise DataError(
                "is an Office document; save it as text, or a sheet as CSV, and name that file",
                where=self.path,
            )
        if self.archive is None or len(self.members) != 1:
            first = few((info.filename for info in self.members), 4)
            listed = f" ({first})" if self.members else ""
            raise DataError(
                f"the zip holds {len(self.members)} files{listed}, one is expected; unpack it and"
                " name the file",
                where=self.path,
            )
        refuse_bomb(self.path, self.members[0].file_size, self.members[0].compress_size)
        try:
            return open_member(self.archive, self.members[0], self.path)
        except DAMAGED as error:
            raise DataError(
                f"the zip cannot be unpacked ({error}); unpack it by hand, or download it again",
                where=self.path,
            ) from error


@contextmanager
def open_content(
    path: Path, progress: Callable[[int], None] | None = None
) -> Iterator[ContentReader]:
    """Open a file for reading, decompressed according to its content."""
    with ExitStack() as stack:
        file = stack.enter_context(open_input(path))
        try:
            packing = _packing(file.read(4))
            file.seek(0)
        except OSError as error:
            reason = error.strerror or error
            raise DataError(f"cannot be read ({reason})", where=path) from error
        stream: IO[bytes] | None = file
        archive = None
        if packing == "gzip":
            stream = cast(IO[bytes], stack.enter_context(gzip.open(file)))
        elif packing == "bzip2":
            stream = cast(IO[bytes], stack.enter_context(bz2.open(file)))
        elif packing == "zip":
            stream = None
            archive = stack.enter_context(open_zip(file, path))
        yield ContentReader(path, file, stream, archive, progress)


def _packing(head: bytes) -> str:
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), "")


def refuse_bomb(path: Path, size: int, packed: int) -> None:
    """Refuse an archive that unpacks to far more bytes than it has."""
    if size > max(SMALL, MAX_RATIO * packed):
        rule = (
            f"expands to more than {MAX_RATIO} times its size; such archives can exhaust the memory"
        )
        raise DataError(f"{rule}. Unpack it by hand if you trust it", where=path)


def open_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str | PurePath | Sequence[object]
) -> IO[bytes]:
    """Open a file in a zip; one whose place or name is damaged is refused."""
    try:
        return archive.open(info)
    except (OSError, ValueError, struct.error) as error:
        raise DataError(f"the zip is damaged ({error}); download it again", where=where) from error


def read_text(path: Path) -> str:
    """Return the text of a file, without a byte order mark."""
    with open_content(path) as reader:
        data = reader.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        encoding = "ISO-8859-1"
        if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:  # "Unicode text", as spreadsheets call it
            encoding = "UTF-16"
        raise DataError(
            f"is not UTF-8 (byte {error.start}); convert it first, for instance: iconv -f"
            f" {encoding} -t UTF-8 FILE > NEW",
            where=path,
        ) from error


def content_name(path: Path) -> str:
    """Return the name of the content of a file, printable."""
    return _unpacked_name(path, zip_members(path))


def _unpacked_name(path: Path, members: Sequence[zipfile.ZipInfo]) -> str:
    if len(members) == 1:
        return one_line(members[0].filename)
    if path.suffix in {".gz", ".bz2"}:
        path = path.with_suffix("")
    return shown_name(path)


def unpacked_size(path: Path) -> int:
    """Return the number of bytes in a file, or a guess if only reading it would tell."""
    if not is_file(path):
        return 0
    if members := zip_members(path):
        return sum(info.file_size for info in members)
    if path.suffix in {".gz", ".bz2"}:
        return 15 * path.stat().st_size
    return path.stat().st_size


def zip_members(path: Path) -> list[zipfile.ZipInfo]:
    """Return the files in a zip; none for anything else."""
    if not is_file(path):
        return []
    try:
        with open_content(path) as reader:
            return reader.members
    except (DataError, *DAMAGED):
        return []


_PACKAGE = Path(__file__).resolve().parents[1]


def data_rows(name: str) -> list[list[str]]:
    """Return the cells of a table in our package; lines that begin with # explain it."""
    content = pkgutil.get_data("qaldgen", str(name)) or b""
    lines = content.decode("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def resource_dir(name: str) -> Path:
    """Return a folder of resources.

    In a checkout it is next to the package; setup.cfg installs it inside the package.
    """
    folder = packaged(_PACKAGE / name)
    if folder.is_dir():
        return folder
    return packaged(_PACKAGE.parent / name)
