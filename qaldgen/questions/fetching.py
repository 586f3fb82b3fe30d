"""Fetch public question sets into a cache, and verify them."""

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
_LARGEST = 2**28
#: Seconds before the first retry.
_WAIT = 1.0
#: Seconds for one attempt, however slowly the bytes arrive.
_LONGEST = 300.0
#: File hosts answer like this when they are busy, so that a retry may succeed.
_BUSY_HOST = frozenset([500])


def _digest(path: Path, kind: str) -> str:
    """Return the sha256 of a file, or git's object id: the SHA-1 of a header and the file."""
    digest = hashlib.sha1(usedforsecurity=False) if kind == "git" else hashlib.sha256()
    with path.open("rb") as file:
        if kind == "git":
            digest.update(b"blob %d\0" % os.fstat(file.fileno()).st_size)
        for chunk in iter(lambda: file.read(2**20), b""):
            digest.update(chunk)
    return f"{kind}:{digest.hexdigest()}"


def is_verified(path: Path, file: RemoteFile) -> bool:
    """Return whether the file exists with the size and checksum of the catalogue."""
    if not path.is_file() or (file.size is not None and path.stat().st_size != file.size):
        return False
    return _digest(path, file.kind) == file.checksum


class Transfer:
    """Receives one file of a question set, and tries again after temporary failures."""

    def __init__(
        self,
        name: str,
        file: RemoteFile,
        timeout: float,
        retries: int,
        progress: Callable[[int], None],
    ) -> None:
        self.name, self.file, self.progress = name, file, progress
        self._timeout, self._retries, self._came = timeout, retries, 0

    def fetch(self, url: str, path: Path) -> None:
        """Write what an address sends to a new file, and verify it."""
        access = find_access(url)
        patience = RetryPolicy(self._retries, _WAIT, _BUSY_HOST, late=True)
        try:
            reply = with_tries(lambda: self._get(access), patience, access.address.name)
        except Failure as fault:
            raise self._problem(fault, access) from None
        path.write_bytes(reply.body)
        if is_verified(path, self.file):
            return
        digest, size = _digest(path, self.file.kind), self.file.size
        expected = self.file.checksum
        if size is not None:
            expected += f" ({size:,} bytes)"
        raise DataError(
            f"{self.name}: {access.address.url} sent other bytes than the catalogue lists:"
            f" {digest} ({len(reply.body):,} bytes) instead of {expected}; nothing was"
            " kept. Check whether a proxy answers in place of the server"
        )

    def _get(self, access: Access) -> Reply:
        self.tell(-self._came)
        limits = Limits(max(_LONGEST, self._timeout), _LARGEST, self._timeout)
        reply = exchange(Request(access.address.url), access, limits, self.tell)
        size = self.file.size
        if size is not None and len(reply.body) < size:
            raise Failure(
                FailureKind.BROKEN, f"received only {len(reply.body):,} of {size:,} bytes"
            )
        return reply

    def tell(self, gained: int) -> None:
        """Report received bytes to the caller's progress function."""
        self._came += gained
        if gained:
            self.progress(gained)

    def _problem(self, fault: Failure, access: Access) -> DataError:
        """Return the error for a failed transfer."""
        came = f" after {self._came:,} bytes" if self._came else ""
        tries_note = f", tried {fault.tries} times" if fault.tries > 1 else ""
        todo = "try again later, or download it by hand"
        if fault.status in {404, 410}:
            todo = "it was withdrawn, or the mirror lacks it"
        elif fault.kind in {FailureKind.SIZE, FailureKind.CONTENT}:
            todo = "check whether a proxy answers in place of the server"
        url = access.address.url
        return DataError(f"{self.name}: {url}: {fault.reason}{came}{tries_note}; {todo}")


def resolve(source: str | Path) -> Path:
    """Return `source` itself if it exists, else the public question set of that name, fetched."""
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
    paths = [folder / entry.place / file.path for file in entry.files]
    with step(f"fetching {name}", entry.size) as advance:
        for path, file in zip(paths, entry.files, strict=True):
            transfer = Transfer(name, file, timeout, retries, advance)
            # until it is verified: another process may be doing the same
            temporary = path.with_name(f".{path.name}.{token_hex(4)}")
            try:
                if is_verified(path, file):
                    transfer.tell(file.size or 0)
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
