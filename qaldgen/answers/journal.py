"""The journal of a run: a line for each answer, or for a look at what is there so far.

One run writes at a time, and no answer is lost, however the run ends.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from qaldgen.answers.record import STATUSES, UNKNOWN, Call, Response, Run
from qaldgen.errors import DataError, UsageError
from qaldgen.io.json_text import from_json
from qaldgen.io.outputs import Lock, lock
from qaldgen.io.text import few_and_more
from qaldgen.io.unpacking import content_name, open_content
from qaldgen.model import Mention, Remark
from qaldgen.questions.records import Fields
from qaldgen.questions.results_json import read_answers_object, whole_answers_json

#: The format of runs that `ask` writes.
JOURNAL = "journal"
_STATUSES = tuple(status for status in STATUSES if status != "not asked")
_START = b'{"id": '
#: The key of lines with the result of a look (`answers.interim_looks`); these are not answers.
LOOK = "look"
LOOK_START = b'{"look": '
_HOW: dict[str, Any] = {
    "raw": str,
    "attempts": int,
    "tokens_in": int,
    "tokens_out": int,
    "cost": (int, float),
    "model": str,
    "time": str,
}
_JOURNAL = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\{("id": ?"(?:[^"\\]|\\.)*", ?"status": ?"|"look": ?\{"plan": ?\{)'
)
#: Damaged lines that a note names.
_NAMED = 20
#: Control characters that are legal in JSON strings, but which a terminal might execute.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029]")


class Entry(NamedTuple):
    """One line of a journal."""

    response: Response
    source: str  # the system that gave it


def is_look(line: bytes) -> bool:
    """Return whether a line is about a look, and not about an answer."""
    return line.startswith(LOOK_START) and not is_incomplete(line)


def is_incomplete(line: bytes) -> bool:
    """Return whether a line is only the beginning of a line of a journal."""
    if not line.strip(b"\0"):  # after a power failure a line may consist of zeros
        return True
    # Anything that does not begin like our own lines is damage, which must not go unnoticed.
    if not any(start.startswith(line[: len(start)]) for start in (_START, LOOK_START)):
        return False
    try:
        from_json(line)
    except ValueError:
        return True
    return False


def parse_entry(line: bytes, where: tuple[str, ...]) -> Entry:
    """Read one line."""

    def refuse(name: str) -> NoReturn:
        raise DataError(f"{name} is not JSON; null says that there is no value", where=where)

    try:
        value: object = from_json(line.decode(), parse_constant=refuse)
    except ValueError as error:
        problem = getattr(error, "msg", error)
        raise DataError(f"not JSON ({problem})", where=where) from error
    fields = Fields(value, where)
    response = _response(fields)
    # The status must agree with the answers: a failure that looks like an empty answer would be
    # scored as one.
    status, has = "", "there are no answers"
    if response.answers is not None:
        status, has = "empty", "the answers are empty"
        # the mentions of a linker are its answer
        if response.mentions or response.answers.values():
            status, has = "answered", "there are answers"
    if status != response.status and (status or response.status in {"answered", "empty"}):
        rule = "answered has answers, empty has empty ones, failed and timeout have null"
        place = (*where[:-1], f"{where[-1]} (id {response.id})")
        raise DataError(f"the status is {response.status!r}, but {has}; {rule}", where=place)
    return Entry(response, _text(fields, "source"))


def _response(fields: Fields) -> Response:
    name, status = fields.required("id"), fields.scalar("status")
    if status not in _STATUSES:
        place = (*fields.where[:-1], f"{fields.where[-1]} (id {name})")
        raise DataError(
            f"the status is {status!r}; it is one of {', '.join(_STATUSES)}", where=place
        )
    answers = None
    if fields.has("answers"):
        answers = read_answers_object(fields.nested("answers"))
        if answers is None:
            raise fields.error("answers", 'SPARQL results JSON, or {"texts": [[...]]}')
    took, seconds = fields.data.get("seconds"), None
    if isinstance(took, (int, float)) and not isinstance(took, bool) and 0 <= took < 1e12:
        seconds = float(took)
    elif took is not None:
        raise fields.error("seconds", "a number from 0 to 1e12, or null")
    mentions = [
        Mention(_text(mention, "text"), mention.scalar("iri"), mention.scalar("kind") or "entity")
        for mention in fields.objects("mentions")
    ]
    # odd values of how the answer came are left out, since they do not affect the answer
    call = UNKNOWN
    for key, kind in _HOW.items():
        value: Any = fields.data.get(key)
        if isinstance(value, kind) and type(value) is not bool and (kind is str or value >= 0):
            call = call._replace(**{key: value})
    return Response(
        name,
        status,
        answers,
        query=_text(fields, "query"),
        answer_type=fields.scalar("answertype"),
        mentions=tuple(mentions),
        seconds=seconds,
        error=_text(fields, "error"),
        call=call,
    )


def _text(fields: Fields, name: str) -> str:
    """Return a string unchanged, including white space; empty if it is missing or null."""
    value = fields.data.get(name)
    if value is not None and not isinstance(value, str):
        raise fields.error(name, "a string")
    return value or ""


class Entries(NamedTuple):
    """The content of a journal."""

    entries: tuple[Entry, ...]  # the lines in their order
    notes: tuple[str, ...]  # notes on the file
    sha256: str  # hash of the file


def is_journal(head: bytes) -> bool:
    """Return whether the first or most of the lines in the head of a file are a journal's."""
    lines = [line for line in head.split(b"\n") if line.strip()]
    ours = [_JOURNAL.match(line) is not None for line in lines]
    return any(ours[:1]) or 2 * sum(ours) > len(ours)


def journal_lines(path: str | Path) -> tuple[list[tuple[int, bytes]], str]:
    """Return the lines of a journal that are not blank, with their numbers, and the file's hash.

    Each is decoded on its own, so that damage spoils no other. Zeros around a line, as a power
    failure leaves them, are dropped, and so are the byte order marks of files put together.
    """
    with open_content(Path(path)) as reader:
        data = reader.read().replace(b"\n" + codecs.BOM_UTF8, b"\n").removeprefix(codecs.BOM_UTF8)
        digest = reader.hexdigest()
    # The last line has no line break if the run was interrupted while writing it.
    *complete, last = data.split(b"\n")
    lines = [(number, line.strip(b"\0")) for number, line in enumerate(complete, 1) if line.strip()]
    if last.strip():
        lines.append((0 if is_incomplete(last) else len(complete) + 1, last.strip(b"\0")))
    return lines, digest


def read_entries(path: str | Path) -> Entries:
    """Return the lines of a journal; a damaged one is left out, with a note that names it."""
    lines, digest = journal_lines(path)
    entries, damaged, notes = [], list[DataError](), list[str]()
    for number, line in lines:
        if not number:
            note = "the last line is cut off, as after a crash; it is left out"
            notes.append(Remark(note, where=str(path)))
        elif not line.startswith(LOOK_START):
            try:
                entries.append(parse_entry(line, (str(path), f"line {number}")))
            except DataError as error:
                damaged.append(error)
    if damaged and not entries:
        raise damaged[0]
    if damaged:
        damage = few_and_more((error.without(path) for error in damaged), _NAMED, "; ")
        note = (
            f"{len(damaged):,} of {len(damaged) + len(entries):,} answers are damaged and left out,"
            f" so 'qaldgen ask' asks them again: {damage}"
        )
        notes.append(Remark(note, where=str(path)))
    return Entries(tuple(entries), tuple(notes), digest)


def read_journal(path: str | Path) -> Run:
    """Read a journal as a run."""
    path = Path(path)
    entries, notes, digest = read_entries(path)
    if not entries:
        raise DataError(
            "holds no question; a journal has one JSON object per line, with id, status and "
            "answers",
            where=path,
        )
    responses = {entry.response.id: entry.response for entry in entries}
    repeated = len(entries) - len(responses)
    if repeated:
        notes += (
            Remark(
                f"{repeated:,} lines are about a question that has a later line;"
                " the last one counts",
                where=str(path),
            ),
        )
    return Run(run_name(path), JOURNAL, responses, notes, digest)


def run_name(path: str | Path) -> str:
    """Return the name of the run whose journal is at a path."""
    return Path(content_name(Path(path))).stem.removesuffix(".journal")


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
        if not self._size:
            return Entries((), (), "")
        return read_entries(self.path)

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
        line = _encoded(_line(response, source))
        try:
            parse_entry(line, (str(self.path),))
        # A line that cannot be read back would make the whole journal useless for the next run.
        except DataError as error:
            problem = f"the answer cannot be kept ({error})"
            response = Response(
                response.id, "failed", query=response.query, error=problem, call=response.call
            )
            line = _encoded(_line(response, source))
        self._append(line)
        return response

    def add_look(self, record: Mapping[str, Any]) -> None:
        """Append the plan of the looks, or the result of one; see `answers.interim_looks`."""
        self._append(_encoded({LOOK: record}))

    def _append(self, line: bytes) -> None:
        try:
            self._mend()
            unwritten = memoryview(line)
            while unwritten:
                # A write may be partial, for instance when the disk is nearly full.
                unwritten = unwritten[os.write(self._file, unwritten) :]
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
        if is_incomplete(half):
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
        is_new = not path.exists()
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
                is_new
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


def _encoded(line: Mapping[str, Any]) -> bytes:
    """Return a line; a lone surrogate, which a broken query may have, is a JSON escape."""
    text = json.dumps(line, ensure_ascii=False, allow_nan=False)
    safe = _UNSAFE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)
    return safe.encode("utf-8", "backslashreplace") + b"\n"


def _line(response: Response, source: str) -> dict[str, Any]:
    """Return the fields of a response; those that say nothing are left out."""
    answers = response.answers
    line: dict[str, Any] = {"id": response.id, "status": response.status, "answers": None}
    if answers is not None and answers.texts and answers.boolean is None and not answers.variables:
        line["answers"] = {"texts": answers.texts}
    elif answers is not None:
        line["answers"] = whole_answers_json(answers)
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
    if source:
        line["source"] = source
    return line
