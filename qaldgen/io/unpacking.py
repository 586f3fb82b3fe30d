"""Read plain files, gzip, bzip2 and zip, recognised by content; refuse archives that are bombs."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePath
from typing import IO, BinaryIO, cast

from qaldgen.errors import DataError
from qaldgen.io.inputs import is_file, open_input, shown_name
from qaldgen.io.terminal import escape_line
from qaldgen.io.text import few

#: A packed file may unpack to this many times its size; RDF text has ratios of 10 to 50.
MAX_RATIO = 300
#: Content of this size is allowed whatever the ratio.
ALLOWED_BYTES = 16 * 2**20
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip"}
#: The exceptions of the standard library for a damaged archive.
DAMAGED = (
    EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile, NotImplementedError, RuntimeError,
)  # fmt: skip


def open_zip(file: BinaryIO, where: str | PurePath | Sequence[object]) -> zipfile.ZipFile:
    """Open a zip; refuse one whose directory is damaged."""
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
        The bytes of the file, packed or not.
    archive : ZipFile or None
        The zip; None if the file is not a zip.
    members : list of ZipInfo
        The files in the zip; empty if the file is not a zip.
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
        self.members = [] if archive is None else _list_files(archive)
        self.name = _unpacked_name(path, self.members)
        self._stream = stream  # None for a zip, whose only member is opened when it is read
        self._hash = hashlib.sha256()
        self._size = 0
        self._progress = progress
        self._pending = b""

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes; without `size` all that are left."""
        if size < 0:
            chunks = [self._pending]
            self._pending = b""
            chunks += iter(lambda: self._read_next(2**20), b"")
            return b"".join(chunks)
        start = self._pending[:size]
        self._pending = self._pending[size:]
        if len(start) == size:
            return start
        return start + self._read_next(size - len(start))

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

    def _read_next(self, size: int) -> bytes:
        """Return up to `size` bytes that were not read yet."""
        if self._stream is None:
            self._stream = self._open_only_member()

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
            if self._size == 0 and _detect_packing(data):
                raise DataError(
                    "the archive contains another archive; unpack it once", where=self.path
                )
            refuse_bomb(self.path, self._size + len(data), self.file.tell())

        self._hash.update(data)
        self._size += len(data)
        if self._progress is not None:
            self._progress(len(data))
        return data

    def _open_only_member(self) -> IO[bytes]:
        """Open the only file in the zip."""
        names = {info.filename for info in self.members}
        # Microsoft's formats and those of OpenDocument
        if "[Content_Types].xml" in names or names >= {"mimetype", "content.xml"}:
            raise DataError(
                "is an Office document; save it as text, or a sheet as CSV, and name that file",
                where=self.path,
            )

        if self.archive is None or len(self.members) != 1:
            names_of_files = few((info.filename for info in self.members), 4)
            examples = f" ({names_of_files})" if self.members else ""
            raise DataError(
                f"the zip holds {len(self.members)} files{examples}, one is expected; unpack it and"
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
            packing = _detect_packing(file.read(4))
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
        yield ContentReader(path, file, stream=stream, archive=archive, progress=progress)


def _list_files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files in a zip, without those that macOS adds."""
    files = []
    for info in archive.infolist():
        name = info.filename
        is_of_macos = name.startswith("__MACOSX/") or name.rpartition("/")[2] == ".DS_Store"
        if not info.is_dir() and not is_of_macos:
            files.append(info)
    return files


def _detect_packing(head: bytes) -> str:
    """Return gzip, bzip2 or zip, by the first bytes of a file; empty for other content."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), "")


def refuse_bomb(path: Path, size: int, packed: int) -> None:
    """Refuse an archive that unpacks to far more bytes than it has."""
    if size > max(ALLOWED_BYTES, MAX_RATIO * packed):
        raise DataError(
            f"expands to more than {MAX_RATIO} times its size; such archives can exhaust the"
            " memory. Unpack it by hand if you trust it",
            where=path,
        )


def open_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str | PurePath | Sequence[object]
) -> IO[bytes]:
    """Open a file in a zip; refuse one whose offset or name is damaged."""
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
    """Return the printable name of the content of a file."""
    return _unpacked_name(path, zip_members(path))


def _unpacked_name(path: Path, members: Sequence[zipfile.ZipInfo]) -> str:
    """Return the name of the only file in a zip; else that of the file, without .gz or .bz2."""
    if len(members) == 1:
        return escape_line(members[0].filename)
    if path.suffix in {".gz", ".bz2"}:
        path = path.with_suffix("")
    return shown_name(path)


def unpacked_size(path: Path) -> int:
    """Return the unpacked size in bytes: an estimate for gzip and bzip2, 0 for a pipe."""
    if not is_file(path):
        return 0
    members = zip_members(path)
    if members:
        return sum(info.file_size for info in members)
    if path.suffix in {".gz", ".bz2"}:
        return 15 * path.stat().st_size
    return path.stat().st_size


def zip_members(path: Path) -> list[zipfile.ZipInfo]:
    """Return the files in a zip; empty for any other file."""
    if not is_file(path):
        return []
    try:
        with open_content(path) as reader:
            return reader.members
    except (DataError, *DAMAGED):
        return []
