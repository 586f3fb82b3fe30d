"""Write the journal of a run: one run at a time, and no answer is lost, however the run ends."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from qaldgen.errors import DataError, UsageError
from qaldgen.formats.answers_json import answers_json
from qaldgen.io.outputs import Lock, lock
from qaldgen.runs.journal import LOOK, Entries, is_half, parse_entry, read_entries
from qaldgen.runs.record import Call, Response

#: Control characters that are legal in JSON strings, but which a terminal might execute.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029]")


class Journal:
    """An open journal: this run may write to it, and no other."""

    def __init__(self, path: Path, file: int, notes: tuple[str, ...]) -> None:
        self.path, self.notes, self._file = path, notes, file
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise DataError("is a device or pipe; a journal is a file", where=path)
        self._size, self._mended = os.fstat(file).st_size, False
        # A compressed journal can be read, but not appended to.
        if self._size and _byte_at(file, 0) not in {b"{", b"\0"}:
            raise DataError(
                "is not plain JSON Lines, so no line can be added; name another journal", where=path
            )

    def entries(self) -> Entries:
        """Return the lines that are there."""
        return read_entries(self.path) if self._size else Entries((), (), "")

    def check(self) -> None:
        """Make sure that the file is as we left it, before the next question costs something.

        Not every file system supports locks.
        """
        try:
            # Compare inodes: an editor that saves the file replaces it, and our lines would go to
            # the old one.
            same = os.path.samestat(self.path.stat(), os.fstat(self._file))
        except OSError:
            same = False
        if not same:
            raise DataError(
                "the journal was removed or replaced while this run went on; start it again",
                where=self.path,
            )
        if os.fstat(self._file).st_size != self._size:
            raise DataError(
                "somebody else wrote to the journal while this run went on, so it stopped; let one"
                " run at a time use it, and start it again",
                where=self.path,
            )

    def add(self, response: Response, *, source: str = "") -> Response:
        """Append a line; an incomplete line at the end, left by a crash, is cut off first."""
        line = _encoded(response, source)
        try:
            parse_entry(line, (str(self.path),))
        # A line that cannot be read back would make the whole journal useless for the next run.
        except DataError as error:
            problem = f"the answer cannot be kept ({error})"
            response = Response(
                response.id, "failed", query=response.query, error=problem, call=response.call
            )
            line = _encoded(response, source)
        self._append(line + b"\n")
        return response

    def add_look(self, record: Mapping[str, Any]) -> None:
        """Append the plan of the looks, or the result of one; see `qaldgen.runs.looks`."""
        text = json.dumps({LOOK: record}, ensure_ascii=False, allow_nan=False)
        self._append(
            _UNSAFE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text).encode(
                "utf-8", "backslashreplace"
            )
            + b"\n"
        )

    def _append(self, line: bytes) -> None:
        try:
            self._mend()
            rest = memoryview(line)
            while rest:
                # A write may be partial, for instance when the disk is nearly full.
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            with suppress(OSError):  # an incomplete line is useless
                os.ftruncate(self._file, self._size)
            raise DataError(
                f"the journal cannot be written ({error.strerror or error})", where=self.path
            ) from error
        self._size += len(line)

    def _mend(self) -> None:
        """Make the journal end with a complete line."""
        if self._mended or not self._size:
            return
        self._mended = True
        if _byte_at(self._file, self._size - 1) == b"\n":
            return
        half = self.path.read_bytes().rpartition(b"\n")[2]
        if is_half(half):
            self._size -= len(half)
            os.ftruncate(self._file, self._size)
        else:
            self._size += os.write(self._file, b"\n")


@contextmanager
def open_journal(path: Path, *, anew: bool = False) -> Iterator[Journal]:
    """Open a journal for writing, for this run alone.

    It is created if it does not exist, and removed again if it stays empty.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.jsonl"
    ...     with open_journal(path) as journal:
    ...         _ = journal.add(Response("7", "failed", error="HTTP 500"))
    ...     print(path.read_text()[:50])
    {"id": "7", "status": "failed", "answers": null, "
    """
    try:
        made = not path.exists()
        file, locked = _open(path)
        if anew:
            os.ftruncate(file, 0)
    except OSError as error:
        raise DataError(
            f"the journal cannot be written ({error.strerror or error})", where=path
        ) from error
    note = (
        f"{path}: this system or file system has no locks;"
        " make sure that no other run writes to the journal meanwhile"
    )
    try:
        yield Journal(path, file, () if locked else (note,))
    finally:
        with suppress(OSError):
            if (
                made
                and os.fstat(file).st_size == 0
                and os.path.samestat(path.stat(), os.fstat(file))
            ):
                path.unlink()
        os.close(file)


def write(path: Path, response: Response, *, source: str = "") -> None:
    """Add one line to a journal."""
    with open_journal(path) as journal:
        journal.add(response, source=source)


def _open(path: Path) -> tuple[int, bool]:
    """Open and lock a file, and say whether there are locks.

    It is opened again if it was removed between opening and locking.
    """
    while True:
        # Appending mode, so that even without locks no line overwrites another. Windows would
        # otherwise write two bytes for a line feed.
        binary = getattr(os, "O_BINARY", 0)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | binary, 0o666)
        try:
            state = lock(file)
            if state is Lock.THEIRS:
                raise UsageError(
                    "another run is writing to this journal, on this machine or on one that shares"
                    " the folder; wait for its end or stop it, or name another journal",
                    where=path,
                )
            with suppress(FileNotFoundError):
                if os.path.samestat(path.stat(), os.fstat(file)):
                    return file, state is Lock.OURS
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _byte_at(file: int, place: int) -> bytes:
    # Not pread, which Windows lacks; lines are appended wherever the file is read.
    os.lseek(file, place, os.SEEK_SET)
    return os.read(file, 1)


def _encoded(response: Response, source: str) -> bytes:
    # A lone surrogate, which a broken query may have, is written as a JSON escape.
    text = json.dumps(_line(response, source), ensure_ascii=False, allow_nan=False)
    return _UNSAFE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text).encode(
        "utf-8", "backslashreplace"
    )


def _line(response: Response, source: str) -> dict[str, Any]:
    answers = response.answers
    line: dict[str, Any] = {"id": response.id, "status": response.status, "answers": None}
    if answers is not None:
        words = {"texts": answers.texts} if answers.texts else {}
        alone = words and answers.boolean is None and not answers.variables
        line["answers"] = words if alone else {**answers_json(answers), **words}
    line |= {"query": response.query, "seconds": response.seconds, "error": response.error}
    if response.answer_type:
        line["answertype"] = response.answer_type
    if response.mentions:
        line["mentions"] = [mention._asdict() for mention in response.mentions]
    default = Call()
    line |= {
        name: value
        for name, value in response.call._asdict().items()
        if value != getattr(default, name)
    }
    return line | ({"source": source} if source else {})
