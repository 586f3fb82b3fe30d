"""Download one file: go on where the last attempt broke off, try again, and check the bytes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import IO, Any
from urllib.parse import urlsplit

from qaldgen._version import __version__
from qaldgen.catalog import RemoteFile
from qaldgen.errors import DataError

#: No file of the catalogue is near this size; who sends more is a fault.
_LARGEST = 2**28
#: Seconds before the first new attempt; doubled before each further one.
_WAIT = 1.0
_CHUNK = 2**13
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
    """Say whether the file is there, with the size and checksum of the catalogue."""
    if not path.is_file() or (file.size is not None and path.stat().st_size != file.size):
        return False
    return _digest(path, file.kind) == file.checksum


def tell(progress: Callable[[int], None] | None, gained: int) -> None:
    """Report gained bytes to whoever listens."""
    if progress is not None and gained:
        progress(gained)


class _Passing(Exception):
    """A fault that may pass; the message goes on after the name of the set."""


class _NoPart(Exception):
    """The server cannot send just what is missing."""


class _TooMuch(Exception):
    """More bytes come than any file of the catalogue has."""


class Transfer:
    """What pooch calls to fetch one file: goes on where the last attempt broke off, tries again, and checks the bytes.

    What came before a fault stays in a hidden file beside the place of the file. Whoever fetches takes that away first, so
    two processes never write to the same file.
    """

    def __init__(
        self, name: str, path: Path, file: RemoteFile, timeout: float, retries: int, progress: Callable[[int], None] | None
    ) -> None:
        self.name, self.file, self.progress = name, file, progress
        self._timeout, self._retries = timeout, retries
        self._part = path.with_name(f".{path.name}.part")

    def __call__(self, url: str, output_file: str, _pooch: object) -> None:
        """Fetch `url` to `output_file`."""
        output = Path(output_file)
        output.unlink(missing_ok=True)  # pooch makes it readable by its owner only
        with suppress(FileNotFoundError):
            self._part.replace(output)
            tell(self.progress, _size(output))
        try:
            self._fetch(url, output)
        except BaseException:  # an interruption too keeps what came
            if _size(output):
                output.replace(self._part)
            raise

    def _fetch(self, url: str, output: Path) -> None:
        wait = _WAIT
        for left in range(self._retries, -1, -1):
            try:
                self._attempt(url, output)
                break
            except _Passing as fault:
                if not left:
                    kept = "what came is kept, a new call goes on from there" if _size(output) else "try again later"
                    tried = f", tried {self._retries + 1} times" if self._retries else ""
                    raise DataError(f"{self.name}: {fault} ({url}{tried}); {kept}") from fault
            sleep(wait)
            wait *= 2

    def _attempt(self, url: str, output: Path) -> None:
        """Fetch what is missing, and check the whole; if it is wrong together with what was there, fetch all of it."""
        size, start = self.file.size, _size(output)
        if start == 0 or size is None or start < size:
            self._get(url, output)
        if is_right(output, self.file):
            return
        came = _size(output)
        if size is not None and came < size:
            raise _Passing(f"only {came:,} of {size:,} bytes came")
        found = _digest(output, self.file.kind)
        self._discard(output)
        if start:
            self._attempt(url, output)
            return
        expected = self.file.checksum + (f" ({size:,} bytes)" if size is not None else "")
        raise DataError(
            f"{self.name}: {url} sent other bytes than the catalogue says: {found} ({came:,} bytes) instead of {expected}; "
            "nothing was kept. Look whether something between you and the server answers in its place"
        )

    def _discard(self, output: Path) -> None:
        tell(self.progress, -_size(output))
        output.unlink(missing_ok=True)

    def _get(self, url: str, output: Path) -> None:
        """Ask for what is missing, and append it; raises _Passing or DataError."""
        import pooch
        from requests.exceptions import HTTPError, RequestException

        start = _size(output)
        headers = {"User-Agent": f"qaldgen/{__version__}", "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        with output.open("ab") as stream:
            sink = _Sink(stream, start, self.progress)
            options: dict[str, Any] = {"headers": headers, "timeout": self._timeout, "hooks": {"response": sink.heed}}
            try:
                pooch.HTTPDownloader(chunk_size=_CHUNK, **options)(url, sink, None)
                return
            except HTTPError as error:
                raise self._refusal(url, error.response) from error
            except RequestException as error:
                raise _Passing(self._fault(error, url, stream.tell() if sink.answered else None)) from error
            except (_NoPart, _TooMuch) as error:
                fault = error
        self._discard(output)
        if isinstance(fault, _TooMuch):
            raise DataError(
                f"{self.name}: {url} sends more than {_LARGEST:,} bytes, as no file of the catalogue; nothing was kept"
            )
        self._get(url, output)

    def _refusal(self, url: str, response: Any) -> Exception:  # noqa: ANN401 - requests is imported late
        """Return the error for a status that is no success."""
        status = f"{response.status_code} {response.reason}".strip()
        if response.status_code in _PASSING:
            return _Passing(f"the server answers {status}")
        if response.status_code in {404, 410}:
            return DataError(f"{self.name}: {url} is not there ({status}); it was withdrawn, or the mirror lacks it")
        return DataError(f"{self.name}: {url} is refused ({status}); try later, or fetch it by hand")

    def _fault(self, error: Exception, url: str, came: int | None) -> str:
        """Return in words why a transfer broke off; `came` is None if the server did not answer."""
        if "timed out" in str(error):
            return f"no more bytes for {self._timeout:g} s, after {came:,}" if came else f"no answer within {self._timeout:g} s"
        if came is not None:
            total = f" of {self.file.size:,}" if self.file.size is not None else ""
            return f"the connection broke, only {came:,}{total} bytes came"
        return f"no connection to {urlsplit(url).netloc} ({_reason(error)}), see whether the network is up"


class _Sink:
    """A file that takes the bytes of a response; it starts anew if the server sends all, not only what is missing."""

    def __init__(self, stream: IO[bytes], start: int, progress: Callable[[int], None] | None) -> None:
        self._stream, self._start, self._progress = stream, start, progress
        self.answered = False

    def heed(self, response: Any, *_args: object, **_options: object) -> None:  # noqa: ANN401 - requests is imported late
        """Look at the status of a response before its bytes come."""
        self.answered = True
        status = response.status_code
        if self._start and status == 200:
            self._stream.seek(0)
            self._stream.truncate()
            tell(self._progress, -self._start)
            self._start = 0
        elsewhere = not response.headers.get("Content-Range", "").startswith(f"bytes {self._start}-")
        if self._start and (status == 416 or (status == 206 and elsewhere)):
            raise _NoPart

    def write(self, data: bytes) -> None:
        """Append bytes."""
        if self._stream.tell() + len(data) > _LARGEST:
            raise _TooMuch
        self._stream.write(data)
        tell(self._progress, len(data))

    def flush(self) -> None:
        """Do nothing; the bytes are flushed when the file is closed."""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _reason(error: BaseException) -> str:
    """Return what the system says of a connection that did not come about: the innermost error has it."""
    found, inner = type(error).__name__, error.__context__
    while inner is not None:
        found = getattr(inner, "strerror", None) or found
        inner = inner.__context__
    return found
