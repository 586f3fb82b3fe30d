"""Read and write the journal of a run: a line for each answer, or for a look at the answers so far.

Only one run writes at a time, and no answer is lost, however the run ends.
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

from qaldgen.answers.record import STATUSES, UNKNOWN, Response, Run
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
_JOURNAL_STATUSES = tuple(status for status in STATUSES if status != "not asked")
_ENTRY_START = b'{"id": '
#: The key of lines with the result of a look (`answers.interim_looks`); these are not answers.
LOOK = "look"
LOOK_START = b'{"look": '
#: The fields on how an answer was obtained, with their types.
_CALL_FIELDS: dict[str, Any] = {
    "raw": str, "attempts": int, "tokens_in": int, "tokens_out": int, "cost": (int, float),
    "model": str, "time": str,
}  # fmt: skip
_JOURNAL_LINE = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\{("id": ?"(?:[^"\\]|\\.)*", ?"status": ?"|"look": ?\{"plan": ?\{)'
)
#: The most damaged lines that a note names.
_MAX_NAMED = 20
#: Control characters that are legal in JSON strings, but which a terminal might execute.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029]")


class Entry(NamedTuple):
    """One line of a journal."""

    response: Response
    source: str  # the system that gave the response


def is_look(line: bytes) -> bool:
    """Return whether a line is about a look instead of an answer."""
    return line.startswith(LOOK_START) and not is_incomplete(line)


def is_incomplete(line: bytes) -> bool:
    """Return whether a line is only the beginning of a line of a journal, or consists of zeros."""
    if not line.strip(b"\0"):  # after a power failure, a line may consist of zeros
        return True
    # Any other beginning is damage, which must not go unnoticed.
    if not any(start.startswith(line[: len(start)]) for start in (_ENTRY_START, LOOK_START)):
        return False
    try:
        from_json(line)
    except ValueError:
        return True
    return False


def parse_entry(line: bytes, where: tuple[str, ...]) -> Entry:
    """Read the entry in a line."""

    def refuse_constant(name: str) -> NoReturn:
        raise DataError(f"{name} is not JSON; null says that there is no value", where=where)

    try:
        value: object = from_json(line.decode(), parse_constant=refuse_constant)
    except ValueError as error:
        problem = getattr(error, "msg", error)
        raise DataError(f"not JSON ({problem})", where=where) from error
    fields = Fields(value, where)
    response = _read_response(fields)
    # The status must agree with the answers: a failure that looks like an empty answer would be
    # scored as one.
    allowed_statuses = {"empty"}
    fact = "the answers are empty"
    if response.answers is None:
        allowed_statuses = {"failed", "timeout"}
        fact = "there are no answers"
    elif response.mentions or response.answers.values():  # the mentions of a linker are its answer
        allowed_statuses = {"answered"}
        fact = "there are answers"
    if response.status not in allowed_statuses:
        rule = "answered has answers, empty has empty ones, failed and timeout have null"
        location = (*where[:-1], f"{where[-1]} (id {response.id})")
        raise DataError(f"the status is {response.status!r}, but {fact}; {rule}", where=location)
    return Entry(response, _string(fields, "source"))


def _read_response(fields: Fields) -> Response:
    question_id = fields.required("id")
    status = fields.scalar("status")
    if status not in _JOURNAL_STATUSES:
        location = (*fields.where[:-1], f"{fields.where[-1]} (id {question_id})")
        statuses = ", ".join(_JOURNAL_STATUSES)
        raise DataError(f"the status is {status!r}; it is one of {statuses}", where=location)

    answers = None
    if fields.has("answers"):
        answers = read_answers_object(fields.nested("answers"))
        if answers is None:
            raise fields.error("answers", 'SPARQL results JSON, or {"texts": [[...]]}')

    seconds = None
    duration: Any = fields.data.get("seconds")
    if isinstance(duration, (int, float)) and type(duration) is not bool and 0 <= duration < 1e12:
        seconds = float(duration)
    elif duration is not None:
        raise fields.error("seconds", "a number from 0 to 1e12, or null")

    mentions = [
        Mention(_string(mention, "text"), mention.scalar("iri"), mention.scalar("kind") or "entity")
        for mention in fields.objects("mentions")
    ]

    # invalid values of these fields are ignored, since they do not affect the answer
    call = UNKNOWN
    for key, value_type in _CALL_FIELDS.items():
        value: Any = fields.data.get(key)
        is_valid = isinstance(value, value_type) and type(value) is not bool
        if is_valid and (value_type is str or value >= 0):
            call = call._replace(**{key: value})
    return Response(
        question_id,
        status,
        answers,
        query=_string(fields, "query"),
        answer_type=fields.scalar("answertype"),
        mentions=tuple(mentions),
        seconds=seconds,
        error=_string(fields, "error"),
        call=call,
    )


def _string(fields: Fields, name: str) -> str:
    """Return a string unchanged, including white space; empty if it is missing or null."""
    value = fields.data.get(name)
    if value is not None and not isinstance(value, str):
        raise fields.error(name, "a string")
    return value or ""


class JournalContent(NamedTuple):
    """The content of a journal."""

    entries: tuple[Entry, ...]  # in the order of the lines, without looks
    notes: tuple[str, ...]  # what users should know about the file, such as damaged lines
    sha256: str  # hash of the file


def is_journal(head: bytes) -> bool:
    """Return whether the first line, or most lines, in the head of a file are a journal's."""
    lines = [line for line in head.split(b"\n") if line.strip()]
    matches = [_JOURNAL_LINE.match(line) is not None for line in lines]
    return any(matches[:1]) or 2 * sum(matches) > len(matches)


class JournalLines(NamedTuple):
    """The lines of a journal."""

    lines: list[tuple[int, bytes]]  # those that are complete and not blank, with their numbers
    is_cut: bool  # whether an incomplete last line is left out, as after a crash
    sha256: str  # hash of the file


def journal_lines(path: str | Path) -> JournalLines:
    """Return the lines of a journal.

    Lines are not decoded together, so that damage is confined to one of them. Zeros that a power
    failure left around a line are removed, and so are the byte order marks of files that were
    joined.
    """
    with open_content(Path(path)) as reader:
        data = reader.read().replace(b"\n" + codecs.BOM_UTF8, b"\n").removeprefix(codecs.BOM_UTF8)
        digest = reader.hexdigest()
    # The last line has no line break if the run was interrupted while writing it.
    all_lines = data.split(b"\n")
    is_cut = all_lines[-1].strip() != b"" and is_incomplete(all_lines[-1])
    if is_cut:
        del all_lines[-1]
    numbered = enumerate(all_lines, 1)
    lines = [(number, line.strip(b"\0")) for number, line in numbered if line.strip()]
    return JournalLines(lines, is_cut, digest)


def read_entries(path: str | Path) -> JournalContent:
    """Return the entries of a journal; a damaged line is left out, with a note that names it.

    If all lines are damaged, the error in the first one is raised.
    """
    file = journal_lines(path)
    entries = []
    damaged: list[DataError] = []
    for number, line in file.lines:
        if line.startswith(LOOK_START):
            continue
        try:
            entries.append(parse_entry(line, (str(path), f"line {number}")))
        except DataError as error:
            damaged.append(error)
    if damaged and not entries:
        raise damaged[0]
    notes = []
    if file.is_cut:
        note = "the last line is cut off, as after a crash; it is left out"
        notes.append(Remark(note, where=str(path)))
    if damaged:
        damage = few_and_more((error.without(path) for error in damaged), _MAX_NAMED, "; ")
        note = (
            f"{len(damaged):,} of {len(damaged) + len(entries):,} answers are damaged and left out,"
            f" so 'qaldgen ask' asks them again: {damage}"
        )
        notes.append(Remark(note, where=str(path)))
    return JournalContent(tuple(entries), tuple(notes), file.sha256)


def read_journal(path: str | Path) -> Run:
    """Read a journal as a run."""
    path = Path(path)
    content = read_entries(path)
    entries = content.entries
    notes = content.notes
    if not entries:
        raise DataError(
            "holds no question; a journal has one JSON object per line, with id, status and "
            "answers",
            where=path,
        )
    responses = {entry.response.id: entry.response for entry in entries}
    n_repeated = len(entries) - len(responses)
    if n_repeated:
        note = (
            f"{n_repeated:,} lines are about a question that has a later line; the last one counts"
        )
        notes = (*notes, Remark(note, where=str(path)))
    return Run(run_name(path), JOURNAL, responses, notes, content.sha256)


def run_name(path: str | Path) -> str:
    """Return the name of the run whose journal is at a path."""
    return Path(content_name(Path(path))).stem.removesuffix(".journal")


class Journal:
    """An open journal, to which only this run may write; `file` is its descriptor."""

    def __init__(self, path: Path, file: int, notes: tuple[str, ...]) -> None:
        self.path = path
        self.notes = notes
        self._file = file
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise DataError("is a device or pipe; a journal is a file", where=path)
        self._size = os.fstat(file).st_size
        self._is_mended = False
        # A compressed journal can be read, but not appended to.
        if self._size and _read_byte(file, 0) not in {b"{", b"\0"}:
            raise DataError(
                "is not plain JSON Lines, so no line can be added; name another journal", where=path
            )

    def content(self) -> JournalContent:
        """Return the entries that are in the journal."""
        if not self._size:
            return JournalContent((), (), "")
        return read_entries(self.path)

    def check(self) -> None:
        """Make sure that nobody else changed the file, before the next question costs something.

        This is needed because not every file system supports locks.
        """
        try:
            # An editor that saves the file replaces it; then lines would be added to the old one.
            is_same_file = os.path.samestat(self.path.stat(), os.fstat(self._file))
        except OSError:
            is_same_file = False
        if not is_same_file:
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
        """Append a line for a response, and return the response as it is kept."""
        line = _encode(_response_fields(response, source))
        try:
            parse_entry(line, (str(self.path),))
        # A line that cannot be read again would make the journal useless for the next run.
        except DataError as error:
            problem = f"the answer cannot be kept ({error})"
            response = Response(
                response.id, "failed", query=response.query, error=problem, call=response.call
            )
            line = _encode(_response_fields(response, source))
        self._append(line)
        return response

    def add_look(self, record: Mapping[str, Any]) -> None:
        """Append the plan of the looks, or the result of one; see `answers.interim_looks`."""
        self._append(_encode({LOOK: record}))

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
        """Complete the last line, or remove it if it is incomplete, as after a crash."""
        if self._is_mended or not self._size:
            return
        self._is_mended = True
        if _read_byte(self._file, self._size - 1) == b"\n":
            return
        last_line = self.path.read_bytes().rpartition(b"\n")[2]
        if is_incomplete(last_line):
            self._size -= len(last_line)
            os.ftruncate(self._file, self._size)
        else:
            self._size += os.write(self._file, b"\n")


@contextmanager
def open_journal(path: Path, *, anew: bool = False) -> Iterator[Journal]:
    """Open a journal for writing by this run alone; `anew` empties it first.

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
        file, is_locked = _open_locked(path)
        if anew:
            os.ftruncate(file, 0)
    except OSError as error:
        raise DataError(
            f"the journal cannot be written ({error.strerror or error})", where=path
        ) from error
    notes = []
    if not is_locked:
        notes.append(
            f"{path}: this system or file system has no locks;"
            " make sure that no other run writes to the journal meanwhile"
        )
    try:
        yield Journal(path, file, tuple(notes))
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
    """Append a line for a response to the journal in a file."""
    with open_journal(path) as journal:
        journal.add(response, source=source)


def _open_locked(path: Path) -> tuple[int, bool]:
    """Open and lock a file; return its descriptor, and whether it could be locked.

    The file is opened again if it was removed between opening and locking.
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


def _read_byte(file: int, offset: int) -> bytes:
    # Windows lacks pread; the position does not matter for appending.
    os.lseek(file, offset, os.SEEK_SET)
    return os.read(file, 1)


def _encode(line: Mapping[str, Any]) -> bytes:
    """Return a line as bytes; a lone surrogate, as in a broken query, becomes a JSON escape."""
    text = json.dumps(line, ensure_ascii=False, allow_nan=False)
    safe = _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return safe.encode("utf-8", "backslashreplace") + b"\n"


def _response_fields(response: Response, source: str) -> dict[str, Any]:
    """Return the fields of a line for a response, without those that have their default value."""
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
    line |= {
        name: value
        for name, value in response.call._asdict().items()
        if value != getattr(UNKNOWN, name)
    }
    if source:
        line["source"] = source
    return line
