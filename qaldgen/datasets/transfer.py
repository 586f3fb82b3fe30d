"""Download one file: go on where the last attempt broke off, try again, and check the bytes."""

from __future__ import annotations

import hashlib
import os
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from qaldgen._version import __version__
from qaldgen.datasets.catalog import RemoteFile
from qaldgen.errors import DataError
from qaldgen.io.web.credentials import Access, find_access
from qaldgen.io.web.failure import Failure, Kind
from qaldgen.io.web.transport import Incoming, Limits, open_reply

#: No file of the catalogue is near this size; who sends more is a fault.
_LARGEST = 2**28
#: Seconds before the first new attempt; doubled before each further one.
_WAIT = 1.0
#: Seconds for one attempt; the next goes on from there, however slowly the bytes drip.
_LONGEST = 300.0
_PART, _NOT_THAT_PART = 206, 416
_PASSING = {408, 425, 429, 500, 502, 503, 504}


def _digest(path: Path, kind: str) -> str:
    """Return the sha256 of a file, or for ``git`` the id that git gives it: its SHA-1 after a head with the size."""
    found = hashlib.sha1(usedforsecurity=False) if kind == "git" else hashlib.sha256()
    with path.open("rb") as file:
        if kind == "git":
            found.update(b"blob %d\0" % os.fstat(file.fileno()).st_size)
        for chunk in iter(lambda: file.read(2**20), b""):
            found.update(chunk)
    return f"{kind}:{found.hexdigest()}"


def is_right(path: Path, file: RemoteFile) -> bool:
    """Check whether the file exists with the size and checksum of the catalogue.

    Parameters
    ----------
    path
        The local file.
    file
        Its entry in the catalogue.

    Returns
    -------
    bool
        True if it is complete and undamaged.
    """
    if not path.is_file() or (file.size is not None and path.stat().st_size != file.size):
        return False
    return _digest(path, file.kind) == file.checksum


def tell(progress: Callable[[int], None] | None, gained: int) -> None:
    """Report downloaded bytes to the progress callback, if there is one.

    Parameters
    ----------
    progress
        The callback, or None.
    gained
        Number of new bytes.
    """
    if progress is not None and gained:
        progress(gained)


class _Passing(Exception):
    """A fault that may pass; the message goes on after the name of the set."""


class Transfer:
    """What pooch calls to fetch one file: goes on where the last attempt broke off, tries again, and checks the bytes.

    What came before a fault stays in a hidden file beside the place of the file. Whoever fetches takes that away first, so
    two processes never write to the same file.
    """

    def __init__(
        self, name: str, path: Path, file: RemoteFile, timeout: float, retries: int, progress: Callable[[int], None] | None
    ) -> None:
        self.name, self.file, self.progress = name, file, progress
        self._timeout, self._retries, self._came = timeout, retries, 0
        self._part = path.with_name(f".{path.name}.part")

    def __call__(self, url: str, output_file: str, _pooch: object) -> None:
        """Fetch `url` to `output_file`."""
        output = Path(output_file)
        output.unlink(missing_ok=True)  # pooch makes it readable by its owner only
        with suppress(FileNotFoundError):
            self._part.replace(output)
            tell(self.progress, _size(output))
        try:
            self._fetch(find_access(url, None), output)
        except BaseException:  # an interruption too keeps what came
            if _size(output):
                output.replace(self._part)
            raise

    def _fetch(self, access: Access, output: Path) -> None:
        wait = _WAIT
        for left in range(self._retries, -1, -1):
            try:
                self._attempt(access, output)
                break
            except _Passing as fault:
                problem = str(fault)
            if not left:
                kept = "the partial download is kept, and a new call resumes it" if _size(output) else "try again later"
                tried = f", tried {self._retries + 1} times" if self._retries else ""
                raise DataError(f"{self.name}: {problem} ({access.address.url}{tried}); {kept}")
            sleep(wait)
            wait *= 2

    def _attempt(self, access: Access, output: Path) -> None:
        """Fetch what is missing, and check the whole; if it is wrong together with what was there, fetch all of it."""
        size, start = self.file.size, _size(output)
        if start == 0 or size is None or start < size:
            self._get(access, output)
        if is_right(output, self.file):
            return
        came = _size(output)
        if size is not None and came < size:
            raise _Passing(f"received only {came:,} of {size:,} bytes")
        found = _digest(output, self.file.kind)
        self._discard(output)
        if start:
            self._attempt(access, output)
            return
        expected = self.file.checksum + (f" ({size:,} bytes)" if size is not None else "")
        raise DataError(
            f"{self.name}: {access.address.url} sent other bytes than the catalogue lists: {found} ({came:,} bytes) instead of "
            f"{expected}; nothing was kept. Check whether a proxy answers in place of the server"
        )

    def _discard(self, output: Path) -> None:
        tell(self.progress, -_size(output))
        output.unlink(missing_ok=True)

    def _get(self, access: Access, output: Path) -> None:
        """Ask for what is missing, and append it; raises _Passing or DataError."""
        start, before, self._came = _size(output), monotonic(), 0
        request = urllib.request.Request(access.address.url, headers={"User-Agent": f"qaldgen/{__version__}"})
        if start:
            request.add_header("Range", f"bytes={start}-")
        if access.credentials.header:
            request.add_header("Authorization", access.credentials.header)
        limits = Limits(max(_LONGEST, self._timeout), _LARGEST, self._timeout)
        try:
            with open_reply(request, access, limits) as reply, output.open("ab") as stream:
                self._append(reply, stream, start)
            return
        except Failure as failure:
            fault = failure
        if start and fault.status == _NOT_THAT_PART:
            self._discard(output)
            self._get(access, output)
        else:
            raise self._problem(fault, access, output, monotonic() - before)

    def _append(self, reply: Incoming, stream: IO[bytes], start: int) -> None:
        """Add the bytes of a reply; where all of them come, and not only the missing ones, they replace what was there."""
        packed = reply.headers.get("Content-Encoding", "identity") != "identity"  # a part of a packed file cannot be unpacked
        if start and (packed or not reply.headers.get("Content-Range", "").startswith(f"bytes {start}-")):
            if reply.status == _PART:
                raise Failure(Kind.STATUS, "the server sent another range", status=_NOT_THAT_PART)
            stream.truncate(0)
            tell(self.progress, -start)
        for piece in reply:
            stream.write(piece)
            self._came += len(piece)
            tell(self.progress, len(piece))

    def _problem(self, fault: Failure, access: Access, output: Path, seconds: float) -> Exception:
        """Return the error for a transfer that did not end well: one that ends the call, or one that may pass."""
        url = access.address.url
        if fault.kind is Kind.SIZE:
            self._discard(output)
            return DataError(
                f"{self.name}: {url} sends more than {_LARGEST:,} bytes, more than any file of the catalogue; nothing was kept"
            )
        if fault.kind is Kind.CONTENT:
            return DataError(f"{self.name}: {url}: {fault.reason}; check whether a proxy compresses it")
        if fault.kind is Kind.STATUS and fault.status not in _PASSING:
            gone = "was not found ({}); it was withdrawn, or the mirror lacks it"
            refused = "was refused ({}); try again later, or download it by hand"
            return DataError(f"{self.name}: {url} {(gone if fault.status in {404, 410} else refused).format(fault.reason)}")
        return _Passing(self._passing(fault, access.address.name.partition("/")[0], seconds))

    def _passing(self, fault: Failure, host: str, seconds: float) -> str:
        """Describe what broke off a transfer, which may go on."""
        came = f"{self._came:,}" + (f" of {self.file.size:,}" if self.file.size is not None else "")
        if fault.kind is Kind.STATUS:
            return f"the server answers {fault.reason}"
        if fault.kind is Kind.BROKEN:
            return f"the connection broke after {came} bytes"
        if fault.kind is not Kind.TIMEOUT:
            return f"no connection to {host} ({fault.reason})"
        if seconds >= max(_LONGEST, self._timeout):
            return f"received only {came} bytes in {seconds:.0f} s"
        if self._came:
            return f"no more bytes for {self._timeout:g} s, after {self._came:,}"
        return f"no answer within {self._timeout:g} s"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
