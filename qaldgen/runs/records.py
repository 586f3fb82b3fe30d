"""Read answers in records with ids: JSON, JSON Lines, CSV and TSV."""

from __future__ import annotations

import csv
import dataclasses
import math
import re
from collections.abc import Iterable, Sequence

from qaldgen.errors import DataError
from qaldgen.formats.cells import merge_answers
from qaldgen.formats.content import Content
from qaldgen.formats.fields import Fields, record_fields
from qaldgen.formats.gold_values import results_in
from qaldgen.formats.tables import table_columns, table_records
from qaldgen.formats.texts import answer_type, base_language, language_tag
from qaldgen.io.text import unprotect
from qaldgen.model import Answers
from qaldgen.runs.answer_fields import (
    answer_names,
    gold_beside,
    has_answers,
    renamed,
    tries_of,
    values_as_answers,
)
from qaldgen.runs.record import STATUSES, Asked, Found, Given, Response, status_of

_ERRORS = ("failed", "timeout", "not asked")
#: Statuses that other programs give to successful answers.
_FINE = frozenset(
    ["ok", "success", "succeeded", "completed", "complete", "done", "finished", "200"]
)


def recognises_records(content: Content) -> bool:
    """Say whether these are JSON records with an id or the question, and an answer.

    A single record may be a single JSON object.
    """
    return content.kind in {"json", "jsonl"} and has_answers(content.keys)


def recognises_table(content: Content) -> bool:
    """Say whether this is a table.

    A header with an id and an answer, or at least two cells in every line.
    """
    if content.kind != "text":
        return False
    return has_answers(table_columns(content)) or _delimiter(content) != ""


def read_records(content: Content, asked: Asked) -> Found:
    """Read JSON records.

    Each has an id or the question, the answers, and if available status, seconds, query and error.
    """
    records, notes = _in_language(content, _renamed(content, content.records), asked.language)
    return Found(
        [given._replace(asked_as=other) for record, other in records for given in _tries(record)],
        [*notes, *_gold_note(content.keys)],
    )


def read_table(content: Content, asked: Asked) -> Found:
    r"""Read CSV or TSV: with a header like the records of `read_records`, or id and answers.

    Several answers are in several rows with one id, in several columns, or separated by ``|``
    (``\|`` is a bar). With a column that numbers tries (epoch, sample, ...) each row is a try of
    its own.
    """
    headed = has_answers(table_columns(content))
    rows = table_records(content) if headed else _headless(content)
    records, notes = _in_language(content, _renamed(content, rows), asked.language)
    together: dict[tuple[str, str, str], Given] = {}
    for record, other in records:
        given = _given(record, _table_answers(record))._replace(asked_as=other)
        # Rows with the same id are several answers to one question, unless they are numbered tries.
        key = given.response.id, record.scalar("repeat"), other
        together[key] = _joined(together[key], given) if key in together else given
    return Found(
        [*together.values()], [*notes, *(_gold_note(table_columns(content)) if headed else [])]
    )


def _renamed(content: Content, records: Sequence[object]) -> list[Fields]:
    """Return the fields of records, each with its place and id for messages."""
    own = [renamed(record) if isinstance(record, dict) else record for record in records]
    return [*record_fields(content, ["id"], own)]


def _gold_note(names: Iterable[str]) -> list[str]:
    gold = gold_beside(names)
    return (
        [f"{gold!r} is taken for the gold answer, since there is a prediction beside it"]
        if gold
        else []
    )


def _delimiter(content: Content) -> str:
    """Return the delimiter of a table without header: every line has it.

    A tab in the first line is enough.
    """
    lines = [line for line in content.lines if line.strip()]
    # Tabs hardly ever occur in answers, so one is enough; commas and semicolons do, so those must
    # be in every line.
    if "\t" in lines[0]:
        return "\t"
    return next((mark for mark in (";", ",") if all(mark in line for line in lines)), "")


def _headless(content: Content) -> list[object]:
    delimiter = _delimiter(content) or ","
    records: list[object] = []
    for number, line in enumerate(content.lines, 1):
        try:
            cells = (
                line.split("\t")
                if delimiter == "\t"
                else next(csv.reader([line], delimiter=delimiter, strict=True), [])
            )
        except csv.Error as error:
            raise DataError(
                f"line {number}: {error}; cells with quotes need them doubled", where=content.path
            ) from error
        cells = list(map(unprotect, cells))
        if cells:
            records.append(
                {
                    "id": cells[0],
                    **{f"answer{i}": cell for i, cell in enumerate(cells[1:]) if cell.strip()},
                }
            )
    return records


def _in_language(
    content: Content, records: Sequence[Fields], language: str
) -> tuple[list[tuple[Fields, str]], list[str]]:
    """Return each record with its language if that is not the wanted one of several, and notes."""
    here = [(record, "") for record in records]
    tags = [language_tag(record.scalar("language")) for record in records]
    known, wanted = sorted({tag for tag in tags if tag}), language_tag(language)
    if len(known) == 1 and base_language(known[0]) != base_language(wanted):
        told = f"all answers with a language are in {known[0]!r}, and are compared in {wanted!r}"
        return here, [f"{told}; --lang {known[0]} compares them in their own language"]
    if len(known) < 2:
        return here, []
    if wanted not in known:
        raise DataError(
            f"has answers in {', '.join(known)}, none in {wanted!r}; choose one of these languages",
            where=content.path,
        )
    others = ", ".join(tag for tag in known if tag != wanted)
    found = [
        (record, "" if tag == wanted else tag)
        for record, tag in zip(records, tags, strict=True)
        if tag
    ]
    return found, [
        f"{tags.count(wanted):,} of {len(records):,} answers are read, those in {wanted!r};"
        f" there are also {others}"
    ]


def _tries(record: Fields) -> list[Given]:
    """Return the tries of a record.

    One, except for a list of samples or the choices of a chat service.
    """
    names = [name for name in answer_names(record.data) if record.has(name)]
    tries = [
        _given(record, answers)
        for answers in (tries_of(record, names[0]) if names else [Answers()])
    ]
    if len(tries) == 1:
        return tries
    return [own._replace(repeat=f"{own.repeat} {at}") for at, own in enumerate(tries)]


def _given(record: Fields, answers: Answers) -> Given:
    text = record.scalar("question")
    name = record.scalar("id") or text
    if not name:
        raise record.error("id", "the id of a question, or its text in 'question',")
    status, error = record.scalar("status").lower(), record.scalar("error")
    if status and status not in STATUSES and status not in _FINE:
        raise DataError(
            f"field 'status' is {status!r}; one of {', '.join(STATUSES)} is expected",
            where=record.where,
        )
    status = (
        status
        if status in _ERRORS
        else "failed"
        if error and not answers.values() and not status
        else status_of(answers)
    )
    response = Response(
        name,
        status,
        None if status in _ERRORS else answers,
        query=record.scalar("query"),
        answer_type=answer_type(record.scalar("answertype")),
        seconds=_seconds(record),
        error=error,
    )
    return Given(response, text, record.scalar("repeat"))


def _joined(before: Given, given: Given) -> Given:
    """Merge two rows with one id; the first one's fields are kept."""
    parts = [part.response.answers for part in (before, given) if part.response.answers is not None]
    texts = dict.fromkeys(wordings for part in parts for wordings in part.texts)
    if not parts:
        return before
    merged = dataclasses.replace(merge_answers(parts), texts=tuple(texts))
    return before._replace(
        response=dataclasses.replace(before.response, answers=merged, status=status_of(merged))
    )


def _table_answers(record: Fields) -> Answers:
    """Return the answers in the cells of a row.

    Separated by bars, ``[]`` for none, or the other formats that our own tables use.
    """
    names = answer_names(record.data)
    cells = [record.scalar(name) for name in names]
    whole = results_in(cells[0], record, names[0]) if len(cells) == 1 else None
    if whole is not None or cells == ["[]"]:
        return whole or Answers()
    parts = [
        part.strip().replace("\\|", "|") for cell in cells for part in re.split(r"(?<!\\)\|", cell)
    ]
    return values_as_answers([part for part in parts if part])


def _seconds(record: Fields) -> float | None:
    text = record.scalar("seconds")
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise DataError(
            f"field 'seconds' is {text!r}; a number from 0 on is expected", where=record.where
        )
    return seconds
