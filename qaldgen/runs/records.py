"""Read answers that stand one by one: a table or JSON records with ids, ``id -> answer`` JSON, and bare lines."""

from __future__ import annotations

import csv
import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Sequence

from qaldgen.errors import DataError
from qaldgen.formats.cells import boolean_of, column, merge_answers, plain_cell, results_answers, wikidata_cell
from qaldgen.formats.content import Content
from qaldgen.formats.fields import Fields, record_fields
from qaldgen.formats.gather import answer_type, language_tag
from qaldgen.formats.gerbil_values import with_gerbil
from qaldgen.formats.gold_values import results_in
from qaldgen.formats.tables import table_columns, table_records
from qaldgen.model import Answers, Cell
from qaldgen.runs.given import Asked, Found, Given
from qaldgen.runs.record import STATUSES, Response, status_of
from qaldgen.spreadsheets import unprotect

#: The names that a column or field may have, by what it holds.
NAMES = {
    "id": ("id", "question_id", "questionid", "qid", "uid", "_id"),
    "question": ("question", "question_text", "utterance"),
    "answers": ("answers", "answer", "predictions", "prediction", "output", "response"),
    "query": ("query", "sparql"),
    "type": ("answertype", "answer_type"),
}
_ANSWER = re.compile(rf"(?:{'|'.join(NAMES['answers'])})_?[0-9]*")
_ERRORS = ("failed", "timeout", "not asked")


def recognises_records(content: Content) -> bool:
    """Say whether these are JSON records with an id or the question, and an answer; one alone may be a single JSON object."""
    return content.kind in {"json", "jsonl"} and _has_columns(content.keys)


def recognises_table(content: Content) -> bool:
    """Say whether this is a table: a header with an id and an answer, or at least two cells in every line."""
    if content.kind != "text":
        return False
    return _has_columns(table_columns(content)) or _delimiter(content) != ""


def recognises_lines(content: Content) -> bool:
    """Say whether these are bare lines of text."""
    return content.kind == "text" and not recognises_table(content)


def recognises_id_answer(content: Content) -> bool:
    """Say whether this is one JSON object, of any keys, whose values are no objects but SPARQL results."""
    values = content.document.values() if isinstance(content.document, dict) else [{}]
    return not any(isinstance(value, dict) and value.keys().isdisjoint({"results", "boolean"}) for value in values)


def read_records(content: Content, asked: Asked) -> Found:
    """Read JSON records: ``id`` or ``question``, ``answers`` or ``answer``, and status, seconds, query, error if there."""
    records, notes = _in_language(content, [*record_fields(content, NAMES["id"])], asked.language)
    return Found([_given(record, _json_answers) for record in records], notes)


def read_table(content: Content, asked: Asked) -> Found:
    r"""Read CSV or TSV: with a header as the records of `read_records`, without one id and answers.

    Several answers stand in several rows with one id, in several columns, or separated by ``|`` (``\|`` is a bar).
    """
    rows = table_records(content) if _has_columns(table_columns(content)) else _headless(content)
    records, notes = _in_language(content, [*record_fields(content, NAMES["id"], rows)], asked.language)
    together: dict[str, Given] = {}
    for record in records:
        given = _given(record, _table_answers)
        name = given.response.id
        together[name] = _joined(together[name], given) if name in together else given
    return Found([*together.values()], notes)


def read_id_answer(content: Content, asked: Asked) -> Found:
    """Read a JSON object of id (or question) to answer: a string, a number, a boolean, a list of such, or null."""
    fields = Fields(content.document, str(content.path))
    found = [(name, json_answers(fields, name)) for name in fields.data]
    return Found([Given(Response(name.strip(), status_of(answers), answers)) for name, answers in found])


def read_lines(content: Content, asked: Asked) -> Found:
    """Read one line a question, in the order of the gold questions; without them the number of the line is the id.

    Raises
    ------
    DataError
        If there are more or fewer lines than gold questions.
    """
    lines = [line.strip() for line in content.lines]
    ids = [str(number) for number in range(1, len(lines) + 1)]
    if asked.gold is not None:
        ids = [question.id for question in asked.gold.questions]
        if len(ids) != len(lines):
            raise DataError(
                f"{content.path}: has {len(lines):,} lines, {asked.gold.name} has {len(ids):,} questions; "
                "answers without ids need one line for each question, an empty one for no answer"
            )
    return Found([
        Given(Response(name, "answered" if line else "empty", Answers(texts=((line,),) if line else ())))
        for name, line in zip(ids, lines, strict=True)
    ])  # fmt: skip


def json_answers(fields: Fields, name: str) -> Answers:
    """Return the answers in a JSON value; an object holds SPARQL results JSON.

    Raises
    ------
    DataError
        If the value is something else.
    """
    value = fields.data[name]
    if isinstance(value, bool):
        return Answers(boolean=value)
    if isinstance(value, dict):
        whole = results_in(value, fields, name) if "texts" in value else None
        if whole is not None:
            return whole
        if not value.keys() & {"results", "boolean"}:
            raise fields.error(name, "a string, a number, a boolean, a list of such, null or SPARQL results JSON")
        return with_gerbil(results_answers(fields.nested(name)), [value])
    values = value if isinstance(value, list) else [] if value is None else [value]
    return _answers_of(fields.strings(name), cells=not any(isinstance(item, str) for item in values))


def _answers_of(values: Sequence[str], *, cells: bool = False) -> Answers:
    """Return values as answers: true or false, cells where one is an IRI, a Wikidata item or a number of JSON, or else texts."""
    truth = boolean_of(values[0]) if len(values) == 1 and values[0].lower() in {"true", "false"} else None
    if truth is not None:
        return Answers(boolean=truth)
    found = [_cell(text) for text in values]
    if (cells and found) or any(cell.type == "uri" for cell in found):
        return column(found)
    return Answers(texts=tuple((text,) for text in dict.fromkeys(values)))


def _cell(text: str) -> Cell:
    return wikidata_cell(text) if text[:1] == "Q" else plain_cell(text)


def _has_columns(names: Iterable[str]) -> bool:
    names = set(names)
    keyed = not names.isdisjoint(NAMES["id"] + NAMES["question"])
    return keyed and any(_ANSWER.fullmatch(name) for name in names)


def _delimiter(content: Content) -> str:
    """Return what separates the cells of a table without header: every line has it; a tab in the first line is enough."""
    lines = [line for line in content.lines if line.strip()]
    if "\t" in lines[0]:
        return "\t"
    return next((mark for mark in (";", ",") if all(mark in line for line in lines)), "")


def _headless(content: Content) -> list[object]:
    delimiter = _delimiter(content) or ","
    records: list[object] = []
    for number, line in enumerate(content.lines, 1):
        try:
            cells = line.split("\t") if delimiter == "\t" else next(csv.reader([line], delimiter=delimiter, strict=True), [])
        except csv.Error as error:
            raise DataError(f"{content.path}: line {number}: {error}; cells with quotes need them doubled") from error
        cells = list(map(unprotect, cells))
        if cells:
            records.append({"id": cells[0], **{f"answer{i}": cell for i, cell in enumerate(cells[1:]) if cell.strip()}})
    return records


def _in_language(content: Content, records: Sequence[Fields], language: str) -> tuple[Sequence[Fields], list[str]]:
    """Return the records in one language, if the file has several."""
    tags = [language_tag(record.scalar("language")) for record in records]
    known = sorted({tag for tag in tags if tag})
    if len(known) < 2:
        return records, []
    wanted = language_tag(language)
    if wanted not in known:
        raise DataError(f"{content.path}: has answers in {', '.join(known)}, none in {wanted!r}; choose one of these languages")
    kept = [record for record, tag in zip(records, tags, strict=True) if tag == wanted]
    others = ", ".join(tag for tag in known if tag != wanted)
    return kept, [f"{len(kept):,} of {len(records):,} answers are read, those in {wanted!r}; there are also {others}"]


def _given(record: Fields, answers_of: Callable[[Fields], Answers]) -> Given:
    text = _first(record, "question")
    name = _first(record, "id") or text
    if not name:
        raise record.error("id", "the id of a question, or its text in 'question',")
    status, error = record.scalar("status").lower(), record.scalar("error")
    if status and status not in STATUSES:
        raise DataError(f"{record.where}: field 'status' is {status!r}; one of {', '.join(STATUSES)} is expected")
    found = answers_of(record)
    status = status if status in _ERRORS else "failed" if error and not found.values() and not status else status_of(found)
    response = Response(
        name,
        status,
        None if status in _ERRORS else found,
        query=_first(record, "query"),
        answer_type=answer_type(_first(record, "type")),
        seconds=_seconds(record),
        error=error,
    )
    return Given(response, text)


def _joined(before: Given, given: Given) -> Given:
    """Return two rows with one id as one; what the first says of the question stays."""
    parts = [part.response.answers for part in (before, given) if part.response.answers is not None]
    texts = dict.fromkeys(wordings for part in parts for wordings in part.texts)
    if not parts:
        return before
    merged = dataclasses.replace(merge_answers(parts), texts=tuple(texts))
    return before._replace(response=dataclasses.replace(before.response, answers=merged, status=status_of(merged)))


def _first(record: Fields, what: str) -> str:
    return next((text for name in NAMES[what] if (text := record.scalar(name))), "")


def _json_answers(record: Fields) -> Answers:
    named = (*NAMES["answers"], *filter(_ANSWER.fullmatch, record.data))
    name = next((name for name in named if record.has(name)), None)
    return Answers() if name is None else json_answers(record, name)


def _table_answers(record: Fields) -> Answers:
    """Return the answers in the cells of a row: separated by bars, ``[]`` for none, or what our own tables write for the rest."""
    names = [name for name in record.data if _ANSWER.fullmatch(name)]
    cells = [record.scalar(name) for name in names]
    whole = results_in(cells[0], record, names[0]) if len(cells) == 1 else None
    if whole is not None or cells == ["[]"]:
        return whole or Answers()
    parts = [part.strip().replace("\\|", "|") for cell in cells for part in re.split(r"(?<!\\)\|", cell)]
    return _answers_of([part for part in parts if part])


def _seconds(record: Fields) -> float | None:
    text = record.scalar("seconds")
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise DataError(f"{record.where}: field 'seconds' is {text!r}; a number from 0 on is expected")
    return seconds
