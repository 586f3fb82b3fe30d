"""Write the journal of a run: one run at a time, and no answer is lost, whatever ends it."""

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
from qaldgen.io.locks import Lock, lock
from qaldgen.runs.journal import LOOK, Entries, is_half, parse_entry, read_entries
from qaldgen.runs.record import Call, Response

#: Control characters that JSON may hold as they are, and a terminal may obey.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029]")


class Journal:
    """A journal that is open: this run may write to it, and no other.

    Attributes
    ----------
    path : Path
        The file.
    notes : tuple of str
        What a user should know about it.
    """

    def __init__(self, path: Path, file: int, notes: tuple[str, ...]) -> None:
        self.path, self.notes, self._file = path, notes, file
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise DataError("is a device or pipe; a journal is a file", where=path)
        self._size, self._mended = os.fstat(file).st_size, False
        if self._size and os.pread(file, 1, 0) != b"{":
            raise DataError(
                "is no plain JSON Lines, so no line can be added; name another journal", where=path
            )

    def entries(self) -> Entries:
        """Return the lines that are there; raises DataError if one of them is none of a journal."""
        return read_entries(self.path) if self._size else Entries((), (), "")

    def check(self) -> None:
        """Make sure that the file is as we left it, before the next question costs something.

        Raises
        ------
        DataError
            If somebody wrote to it, replaced it or removed it. Not every file system keeps locks.
        """
        try:
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
        """Append a line; half a line at the end, left by a crash, is cut off before.

        Parameters
        ----------
        response
            What came of a question; its status is not ``not asked``.
        source
            Who was asked: a line of another source is no answer of this one.

        Returns
        -------
        Response
            What was written: the response, or a failure that says why it cannot be kept.

        Raises
        ------
        DataError
            If the file cannot be written.
        """
        line = _encoded(response, source)
        try:
            parse_entry(line.decode(), (str(self.path),))
        except DataError as error:  # what could not be read back would end the next run
            problem = f"the answer cannot be kept ({error})"
            response = Response(
                response.id, "failed", query=response.query, error=problem, call=response.call
            )
            line = _encoded(response, source)
        self._append(line + b"\n")
        return response

    def add_look(self, record: Mapping[str, Any]) -> None:
        """Append the plan of the looks, or what was seen at one; see `qaldgen.runs.looks`.

        Raises
        ------
        DataError
            If the file cannot be written.
        """
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
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            with suppress(OSError):  # half a line helps nobody
                os.ftruncate(self._file, self._size)
            raise DataError(
                f"the journal cannot be written ({error.strerror or error})", where=self.path
            ) from error
        self._size += len(line)

    def _mend(self) -> None:
        """Let the journal end with a whole line."""
        if self._mended or not self._size:
            return
        self._mended = True
        if os.pread(self._file, 1, self._size - 1) == b"\n":
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

    It is made if there is none, and one without a line does not stay.

    Parameters
    ----------
    path
        The journal.
    anew
        Remove what an existing one holds.

    Raises
    ------
    UsageError
        If another run is writing to it.
    DataError
        If the file cannot be written, or is no plain JSON Lines.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.jsonl"
    ...     with open_journal(path) as journal:
    ...         _ = journal.add(Response("7", "failed", error="HTTP 500"))
    ...     print(path.read_text(), end="")
    {"id": "7", "status": "failed", "answers": null, "query": "", "seconds": null, "error": "HTTP 500"}
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
        f"{path}: the file system has no locks; see to it that no other run writes to the journal"
        " meanwhile"
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
    """Add one line to a journal, as `Journal.add`."""
    with open_journal(path) as journal:
        journal.add(response, source=source)


def _open(path: Path) -> tuple[int, bool]:
    """Open and lock a file, and say whether there are locks.

    It is opened again if it was removed in between.
    """
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            found = lock(file)
            if found is Lock.THEIRS:
                raise UsageError(
                    "another run is writing to this journal, on this machine or on one that shares"
                    " the folder; wait for its end or stop it, or name another journal",
                    where=path,
                )
            with suppress(FileNotFoundError):
                if os.path.samestat(path.stat(), os.fstat(file)):
                    return file, found is Lock.OURS
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _encoded(response: Response, source: str) -> bytes:
    # a half surrogate pair, which a broken query may hold, becomes the escape of JSON for it
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
