"""Read answers that stand one by one.

A table or JSON records with ids, ``id -> answer`` JSON, and bare lines.
"""

from __future__ import annotations

import csv
import dataclasses
import json
import math
import re
from collections.abc import Iterable, Sequence

from qaldgen.errors import DataError
from qaldgen.formats.cells import (
    boolean_of,
    column,
    merge_answers,
    plain_cell,
    results_answers,
    wikidata_cell,
)
from qaldgen.formats.content import Content
from qaldgen.formats.fields import Fields, record_fields
from qaldgen.formats.gather import answer_type, base_language, language_tag
from qaldgen.formats.gerbil.values import with_gerbil
from qaldgen.formats.gold_values import results_in
from qaldgen.formats.tables import table_columns, table_records
from qaldgen.io.spreadsheets import unprotect
from qaldgen.model import Answers, Cell
from qaldgen.runs.answer_fields import (
    TRIES,
    answer_names,
    chat_replies,
    gold_beside,
    has_answers,
    renamed,
)
from qaldgen.runs.given import Asked, Found, Given
from qaldgen.runs.record import STATUSES, Response, status_of
from qaldgen.runs.trec import read_trec

_ERRORS = ("failed", "timeout", "not asked")
#: What other programs say of an answer that came.
_FINE = frozenset(
    ["ok", "success", "succeeded", "completed", "complete", "done", "finished", "200"]
)


def recognises_records(content: Content) -> bool:
    """Say whether these are JSON records with an id or the question, and an answer.

    One alone may be a single JSON object.
    """
    return content.kind in {"json", "jsonl"} and has_answers(content.keys)


def recognises_table(content: Content) -> bool:
    """Say whether this is a table.

    A header with an id and an answer, or at least two cells in every line.
    """
    if content.kind != "text":
        return False
    return has_answers(table_columns(content)) or _delimiter(content) != ""


def recognises_trec(content: Content) -> bool:
    """Say whether these are the lines of TREC's runs.

    Six columns, of which the second is Q0 and the fourth a number.
    """
    first = next((line.split() for line in content.lines if line.strip()), [])
    return (
        content.kind == "text"
        and len(first) == 6
        and first[1].upper() == "Q0"
        and first[3].isdigit()
    )


def read_trec_run(content: Content, asked: Asked) -> Found:
    """Read what a retriever found: the ids of the passages, best first, as the answers."""
    found = read_trec(content.lines, str(content.path))
    return Found([
        Given(Response(name, "answered", column([Cell("literal", hit.passage) for hit in hits])))
        for name, hits in found.items()
    ])  # fmt: skip


def recognises_lines(content: Content) -> bool:
    """Say whether these are bare lines of text."""
    return content.kind == "text" and not recognises_table(content)


def recognises_list(content: Content) -> bool:
    """Say whether this is a JSON list (or JSON Lines) of bare answers.

    Strings, numbers, booleans, null, or lists of such.
    """
    listed = content.kind == "jsonl" or (
        content.kind == "json" and isinstance(content.document, list)
    )
    return (
        listed
        and bool(content.records)
        and not any(isinstance(item, dict) for item in content.records)
    )


def recognises_id_answer(content: Content) -> bool:
    """Say whether this is one JSON object, of any keys, whose values are no objects but SPARQL results or chat replies."""
    values = content.document.values() if isinstance(content.document, dict) else [{}]
    return not any(
        isinstance(value, dict)
        and value.keys().isdisjoint({"results", "boolean"})
        and chat_replies(value) is None
        for value in values
    )


def read_records(content: Content, asked: Asked) -> Found:
    """Read JSON records.

    An id or the question, the answers, and status, seconds, query, error if there.
    """
    records, notes = _in_language(content, _renamed(content, content.records), asked.language)
    return Found(
        [given for record in records for given in _tries(record)],
        [*notes, *_gold_note(content.keys)],
    )


def read_table(content: Content, asked: Asked) -> Found:
    r"""Read CSV or TSV: with a header as the records of `read_records`, without one id and answers.

    Several answers stand in several rows with one id, in several columns, or separated by ``|``
    (``\|`` is a bar). With a column that numbers tries (epoch, sample, ...) each row is a try of
    its own.
    """
    headed = has_answers(table_columns(content))
    rows = table_records(content) if headed else _headless(content)
    records, notes = _in_language(content, _renamed(content, rows), asked.language)
    together: dict[tuple[str, str], Given] = {}
    for record in records:
        given = _given(record, _table_answers(record))
        key = given.response.id, record.scalar("repeat")
        together[key] = _joined(together[key], given) if key in together else given
    return Found(
        [*together.values()], [*notes, *(_gold_note(table_columns(content)) if headed else [])]
    )


def _renamed(content: Content, records: Sequence[object]) -> list[Fields]:
    """Return the fields of records, each knowing its place and its id for messages."""
    own = [renamed(record) if isinstance(record, dict) else record for record in records]
    return [*record_fields(content, ["id"], own)]


def _gold_note(names: Iterable[str]) -> list[str]:
    gold = gold_beside(names)
    return (
        [
            f"field {gold!r} stands beside a prediction, is taken for the gold answer, and is not"
            " read"
        ]
        if gold
        else []
    )


def read_id_answer(content: Content, asked: Asked) -> Found:
    """Read a JSON object of id (or question) to answer.

    A string, a number, a boolean, a list of such, or null.
    """
    fields = Fields(content.document, (str(content.path),))
    found = [(name, answers) for name in fields.data for answers in _tries_of(fields, name)]
    return Found(
        [Given(Response(name.strip(), status_of(answers), answers)) for name, answers in found]
    )


def read_lines(content: Content, asked: Asked) -> Found:
    """Read one line a question, in the order of the gold questions.

    Without them the number of the line is the id.

    Raises
    ------
    DataError
        If there are more or fewer lines than gold questions.
    """
    lines = _unquoted([line.strip() for line in content.lines])
    ids = _ids_in_order(
        content,
        asked,
        len(lines),
        "lines",
        "one line for each question, an empty one for no answer",
    )
    return Found([
        Given(Response(name, "answered" if line else "empty", Answers(texts=((line,),) if line else ())))
        for name, line in zip(ids, lines, strict=True)
    ])  # fmt: skip


def _unquoted(lines: list[str]) -> list[str]:
    """Return lines without the quotes of JSON, if all of them have some."""
    if not all(line[:1] == line[-1:] == '"' and len(line) > 1 for line in lines if line):
        return lines
    try:
        return [str(json.loads(line)) if line else "" for line in lines]
    except ValueError:
        return lines


def read_list(content: Content, asked: Asked) -> Found:
    """Read a JSON list of bare answers, in the order of the gold questions.

    Without them the number of the entry is the id.

    Raises
    ------
    DataError
        If there are more or fewer answers than gold questions.
    """
    values = content.records
    ids = _ids_in_order(
        content,
        asked,
        len(values),
        "answers in a list",
        "one for each question, null for no answer",
    )
    fields = Fields(dict(zip(ids, values, strict=True)), (str(content.path),))
    found = [(name, json_answers(fields, name)) for name in ids]
    note = "the answers have no ids, and are taken to be in the order of the questions"
    return Found(
        [Given(Response(name, status_of(answers), answers)) for name, answers in found], [note]
    )


def _ids_in_order(content: Content, asked: Asked, size: int, what: str, rule: str) -> list[str]:
    """Return the ids of the gold questions, for answers that have none."""
    if asked.gold is None:
        return [str(number) for number in range(1, size + 1)]
    ids = [question.id for question in asked.gold.questions]
    if len(ids) != size:
        raise DataError(
            f"has {size:,} {what}, {asked.gold.name} has {len(ids):,} questions; answers without"
            f" ids need {rule}",
            where=content.path,
        )
    return ids


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
            raise fields.error(
                name, "a string, a number, a boolean, a list of such, null or SPARQL results JSON"
            )
        return with_gerbil(results_answers(fields.nested(name)), [value])
    values = value if isinstance(value, list) else [] if value is None else [value]
    return _answers_of(
        fields.strings(name), cells=not any(isinstance(item, str) for item in values)
    )


def _answers_of(values: Sequence[str], *, cells: bool = False) -> Answers:
    """Return values as answers.

    True or false, cells where one is an IRI, a Wikidata item or a number of JSON, or else texts.
    """
    truth = (
        boolean_of(values[0])
        if len(values) == 1 and values[0].lower() in {"true", "false"}
        else None
    )
    if truth is not None:
        return Answers(boolean=truth)
    found = [_cell(text) for text in values]
    if (cells and found) or any(cell.type == "uri" for cell in found):
        return column(found)
    return Answers(texts=tuple((text,) for text in dict.fromkeys(values)))


def _cell(text: str) -> Cell:
    return wikidata_cell(text) if text[:1] == "Q" else plain_cell(text)


def _delimiter(content: Content) -> str:
    """Return what separates the cells of a table without header: every line has it.

    A tab in the first line is enough.
    """
    lines = [line for line in content.lines if line.strip()]
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
) -> tuple[Sequence[Fields], list[str]]:
    """Return the records in one language, if the file has several.

    Say so where it has another one.
    """
    tags = [language_tag(record.scalar("language")) for record in records]
    known, wanted = sorted({tag for tag in tags if tag}), language_tag(language)
    if len(known) == 1 and base_language(known[0]) != base_language(wanted):
        told = f"all answers with a language are in {known[0]!r}, and are compared in {wanted!r}"
        return records, [f"{told}; --lang {known[0]} compares them in their own language"]
    if len(known) < 2:
        return records, []
    if wanted not in known:
        raise DataError(
            f"has answers in {', '.join(known)}, none in {wanted!r}; choose one of these languages",
            where=content.path,
        )
    kept = [record for record, tag in zip(records, tags, strict=True) if tag == wanted]
    others = ", ".join(tag for tag in known if tag != wanted)
    return kept, [
        f"{len(kept):,} of {len(records):,} answers are read, those in {wanted!r}; there are also"
        f" {others}"
    ]


def _tries(record: Fields) -> list[Given]:
    """Return the tries of a record at its answer.

    One, but for a list of samples or the choices of a chat service.
    """
    names = [name for name in answer_names(record.data) if record.has(name)]
    return [
        _given(record, answers)
        for answers in (_tries_of(record, names[0]) if names else [Answers()])
    ]


def _tries_of(fields: Fields, name: str) -> list[Answers]:
    value = fields.data[name]
    replies = chat_replies(value)
    if replies is not None:
        return [Answers(texts=((text,),) if text.strip() else ()) for text in replies] or [
            Answers()
        ]
    if name in TRIES and isinstance(value, list) and value:
        inner = Fields({f"{name}[{i}]": item for i, item in enumerate(value)}, fields.where)
        return [answers for key in inner.data for answers in _tries_of(inner, key)]
    return [json_answers(fields, name)]


def _given(record: Fields, found: Answers) -> Given:
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
        if error and not found.values() and not status
        else status_of(found)
    )
    response = Response(
        name,
        status,
        None if status in _ERRORS else found,
        query=record.scalar("query"),
        answer_type=answer_type(record.scalar("answertype")),
        seconds=_seconds(record),
        error=error,
    )
    return Given(response, text, record.scalar("repeat"))


def _joined(before: Given, given: Given) -> Given:
    """Return two rows with one id as one; what the first says of the question stays."""
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

    Separated by bars, ``[]`` for none, or what our own tables write for the rest.
    """
    names = answer_names(record.data)
    cells = [record.scalar(name) for name in names]
    whole = results_in(cells[0], record, names[0]) if len(cells) == 1 else None
    if whole is not None or cells == ["[]"]:
        return whole or Answers()
    parts = [
        part.strip().replace("\\|", "|") for cell in cells for part in re.split(r"(?<!\\)\|", cell)
    ]
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
        raise DataError(
            f"field 'seconds' is {text!r}; a number from 0 on is expected", where=record.where
        )
    return seconds
