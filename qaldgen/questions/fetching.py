"""Download public question sets to a cache, and verify them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from qaldgen.defaults import DOWNLOAD_RETRIES
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import file_hint
from qaldgen.io.cache_folder import CACHE_VARIABLE, cache_dir
from qaldgen.io.inputs import input_exists
from qaldgen.io.progress import step
from qaldgen.io.web.access import Access, find_access, parse_address
from qaldgen.io.web.client import Limits, Reply, Request, exchange
from qaldgen.io.web.failure import Failure, FailureKind
from qaldgen.io.web.retries import RetryPolicy, with_tries
from qaldgen.options import Seconds
from qaldgen.questions.catalog import RemoteFile, entries, find_entry, suggest_names

#: The most bytes to accept; no file of the catalogue is nearly as large.
_MAX_BYTES = 2**28
#: Seconds before the first retry.
_FIRST_WAIT = 1.0
#: Seconds for one attempt, however slowly the bytes arrive.
_MAX_SECONDS = 300.0
#: Statuses with which busy file hosts answer, so that a retry may succeed.
_BUSY_HOST = frozenset([500])


def _compute_checksum(path: Path, checksum_type: str) -> str:
    """Return the SHA-256 of a file, or git's object id: the SHA-1 of a header and the file."""
    is_git = checksum_type == "git"
    digest = hashlib.sha1(usedforsecurity=False) if is_git else hashlib.sha256()
    with path.open("rb") as file:
        if is_git:
            digest.update(b"blob %d\0" % os.fstat(file.fileno()).st_size)
        for chunk in iter(lambda: file.read(2**20), b""):
            digest.update(chunk)
    return f"{checksum_type}:{digest.hexdigest()}"


def is_verified(path: Path, file: RemoteFile) -> bool:
    """Return whether a file exists and has the size and the checksum of the catalogue."""
    if not path.is_file() or (file.size is not None and path.stat().st_size != file.size):
        return False
    return _compute_checksum(path, file.checksum_type) == file.checksum


class Transfer:
    """The download of one file of a question set, repeated after temporary failures."""

    def __init__(
        self,
        name: str,
        file: RemoteFile,
        timeout: float,
        retries: int,
        progress: Callable[[int], None],
    ) -> None:
        self.name, self.file, self.progress = name, file, progress
        self._timeout, self._retries = timeout, retries
        self._n_received = 0

    def fetch(self, url: str, path: Path) -> None:
        """Download a URL to a new file, and verify it."""
        access = find_access(url)
        policy = RetryPolicy(self._retries, _FIRST_WAIT, _BUSY_HOST, after_timeout=True)
        try:
            reply = with_tries(lambda: self._get(access), policy, access.address.name)
        except Failure as failure:
            raise self._problem(failure, access) from None
        path.write_bytes(reply.body)
        if is_verified(path, self.file):
            return
        digest, size = _compute_checksum(path, self.file.checksum_type), self.file.size
        expected = self.file.checksum
        if size is not None:
            expected += f" ({size:,} bytes)"
        raise DataError(
            f"{self.name}: {access.address.url} sent other bytes than the catalogue lists:"
            f" {digest} ({len(reply.body):,} bytes) instead of {expected}; nothing was"
            " kept. Check whether a proxy answers in place of the server"
        )

    def _get(self, access: Access) -> Reply:
        self.report(-self._n_received)
        limits = Limits(max(_MAX_SECONDS, self._timeout), _MAX_BYTES, self._timeout)
        reply = exchange(Request(access.address.url), access, limits, self.report)
        size = self.file.size
        if size is not None and len(reply.body) < size:
            raise Failure(
                FailureKind.BROKEN, f"received only {len(reply.body):,} of {size:,} bytes"
            )
        return reply

    def report(self, n_bytes: int) -> None:
        """Report received bytes to the progress function; a negative number takes them back."""
        self._n_received += n_bytes
        if n_bytes:
            self.progress(n_bytes)

    def _problem(self, failure: Failure, access: Access) -> DataError:
        """Return the error for a failed transfer."""
        received = f" after {self._n_received:,} bytes" if self._n_received else ""
        tries_note = f", tried {failure.tries} times" if failure.tries > 1 else ""
        advice = "try again later, or download it by hand"
        if failure.status in {404, 410}:
            advice = "it was withdrawn, or the mirror lacks it"
        elif failure.kind in {FailureKind.SIZE, FailureKind.CONTENT}:
            advice = "check whether a proxy answers in place of the server"
        url = access.address.url
        return DataError(f"{self.name}: {url}: {failure.reason}{received}{tries_note}; {advice}")


def resolve(source: str | Path) -> Path:
    """Return `source` if it exists, else fetch the public question set of that name."""
    return find_source(source) or fetch(str(source))


def find_source(source: str | Path) -> Path | None:
    """Return `source` if it exists; None for the name of a question set, which is not fetched."""
    path = Path(source)
    if input_exists(path):
        return path
    if path.name != str(source) or re.fullmatch(r"\.[A-Za-z]\w*", path.suffix):
        raise DataError(
            f"cannot be opened (No such file or directory); {file_hint(path)}", where=source
        )
    if str(source) not in entries():
        raise UsageError(
            f"is neither a file nor the name of a question set; {suggest_names(str(source))}",
            where=source,
        )
    return None


def fetch(
    name: str,
    *,
    base_url: str | None = None,
    timeout: Seconds = 30.0,
    retries: int = DOWNLOAD_RETRIES,
) -> Path:
    """Return the path of a question set of the catalogue, fetched if necessary and verified.

    Parameters
    ----------
    name
        A name of the catalogue.
    base_url
        A mirror that has the files under OWNER/REPOSITORY/COMMIT/PATH; None for GitHub.
    timeout
        Time limit for a response, and for each further piece of it.
    retries
        Number of further attempts after a temporary failure.

    Returns
    -------
    Path
        The file, or the folder of several files; `read_questions` takes either.

    Raises
    ------
    DataError
        If it cannot be fetched, or its checksum differs from the catalogue's.
    UsageError
        If there is no such set, or a parameter is out of range.
    """
    entry, folder = find_entry(name), cache_dir()
    if timeout <= 0 or retries < 0:
        raise UsageError(
            f"timeout is {timeout:g} s and retries {retries}; they must be above 0 and at least 0"
        )
    if base_url is not None and parse_address(base_url).parameters:
        raise UsageError(
            f"{parse_address(base_url).name}: the URL of a mirror cannot have parameters; remove"
            " everything after the ?"
        )
    paths = [folder / entry.path_prefix / file.path for file in entry.files]
    with step(f"fetching {name}", entry.size) as advance:
        for path, file in zip(paths, entry.files, strict=True):
            transfer = Transfer(name, file, timeout, retries, advance)
            # used until the file is verified: another process may be fetching it too
            temporary = path.with_name(f".{path.name}.{token_hex(4)}")
            try:
                if is_verified(path, file):
                    transfer.report(file.size or 0)
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                transfer.fetch(entry.url(file, base_url), temporary)
                temporary.replace(path)
            except OSError as error:
                raise DataError(
                    f"{name}: {error.filename or path} cannot be read or written"
                    f" ({error.strerror or error}); fix that, or set another folder with"
                    f" {CACHE_VARIABLE}"
                ) from error
            finally:
                with suppress(OSError):
                    temporary.unlink()
    if len(paths) > 1:
        return paths[0].parent
    return paths[0]
