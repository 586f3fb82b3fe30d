"""Read answers in records, in tables, and in objects that map ids to answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from qaldgen.answers.answer_values import read_repeats
from qaldgen.answers.chats import chat_replies, failure
from qaldgen.answers.gold_comparison import columns_repeating_gold
from qaldgen.answers.record import ParsedResponse, ParsedRun, Response, RunOptions, status_of
from qaldgen.answers.responses import responses_in
from qaldgen.answers.run_columns import carries_systems, has_answers
from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.questions.answer_objects import holds_answers
from qaldgen.questions.fields import has_no_role, holds_questions, is_gold_name
from qaldgen.questions.file_content import Content
from qaldgen.questions.records import Fields
from qaldgen.questions.result_sets import QNAME, result_sets
from qaldgen.questions.system_columns import is_system_name, may_hold_answers

_DIGIT = re.compile(r"[0-9]")


def recognises_records(content: Content) -> bool:
    """Return whether these are JSON records with an id or the question, and an answer.

    A single JSON object may be a record, unless it holds several records.
    """
    if content.kind not in {"json", "jsonl"}:
        return False
    if not has_answers(content.keys):
        return carries_systems(content.records)
    if isinstance(content.document, list):
        return True
    if len(content.rows) > 1:
        return False
    unknown = [name for name in content.keys if has_no_role(name) and not is_system_name(name)]
    # if most keys are unknown, they are ids, some of which look like names of fields
    if any(holds_questions(name) for name in content.keys):
        return True
    return 2 * len(unknown) <= len(content.keys)


def recognises_table(content: Content) -> bool:
    """Return whether this is a table: with a header, or with at least two cells in each line."""
    return content.kind == "text" and (_has_header(content) or _find_delimiter(content) is not None)


def read_records(content: Content, options: RunOptions) -> ParsedRun:
    """Read JSON records.

    Each has an id or the question, the answers, and if available status, seconds, query and error.
    """
    return responses_in(content, content.records, options)


def read_table(content: Content, options: RunOptions) -> ParsedRun:
    r"""Read CSV or TSV: with a header like the records of `read_records`, or id and answers.

    Several answers are in several rows with one id, in several columns, or separated by ``|``
    (``\|`` is a bar). With a column that numbers repeats (epoch, sample, ...) each row is an
    answer of its own.
    """
    if options.chosen_fields.answers or _has_header(content):
        return responses_in(content, content.table.records(), options, table=True)
    delimiter = _find_delimiter(content) or ","
    width = 1 + max(line.count(delimiter) for line in content.lines)
    names = ["id", *(f"answer{number}" for number in range(1, width))]
    rows = content.table.records(names, headed=False, delimiter=delimiter)
    objects = [row for row in rows if isinstance(row, dict)]
    if width == 3 and options.gold is not None:
        repeated = ""
        answers = ["answer1", "answer2"]
        if columns_repeating_gold(content, rows, options.gold, "id", answers) == ["answer1"]:
            repeated = "the gold answers"
        elif 2 * sum(row.get("answer1") in options.gold.by_text for row in objects) > len(objects):
            repeated = "the questions"
        if repeated:
            note(f"has no header; column 2 has {repeated}, and column 3 is read as the answers")
            rows = [{"id": row["id"], "answer": row.get("answer2")} for row in objects]
    _check_first_line(content, rows, options)
    return responses_in(content, rows, options, table=True)


def _has_header(content: Content) -> bool:
    """Return whether the first line of a table names an answer, and an id or the question."""
    header = content.table.header
    if has_answers(header):
        return True
    return any(is_gold_name(name) for name in header) and carries_systems(content.table.records())


def read_id_answer(content: Content, options: RunOptions) -> ParsedRun:
    """Read a JSON object from id (or question) to answer.

    An answer is a string, a number, a boolean, a list of these, or null.
    """
    document: dict[str, object] = {}
    gold_ids = set[str]() if options.gold is None else options.gold.by_id.keys()
    for run_id, value in Fields(content.document, (str(content.path),)).data.items():
        # a list under 7 has the answers to the questions 7.1, 7.2, ..., if the gold has just these
        if isinstance(value, list) and len(value) > 1 and run_id not in gold_ids:
            *ids, next_id = (f"{run_id}.{number}" for number in range(1, len(value) + 2))
            if gold_ids >= set(ids) and next_id not in gold_ids:
                document |= zip(ids, value, strict=True)
                continue
        document[run_id] = value
    fields = Fields(document, (str(content.path),))
    options = options.with_choice_numbers((name, "", value) for name, value in document.items())
    responses = []
    for run_id, value in document.items():
        question_id = run_id.strip()
        error = failure(value)
        if error is not None:
            responses.append(ParsedResponse(Response(question_id, "failed", error=error)))
            continue
        for answers in read_repeats(fields, run_id, options.expected(question_id)):
            responses.append(ParsedResponse(Response(question_id, status_of(answers), answers)))
    return ParsedRun(responses)


def _find_delimiter(content: Content) -> str | None:
    """Return the delimiter of a table without a header; None if there is none."""
    lines = [line for line in content.lines if line.strip()]
    # Tabs hardly ever occur in answers, so the first line is enough; commas and semicolons do, so
    # they must be in every line.
    if "\t" in lines[0]:
        return "\t"
    for mark in (";", ","):
        if all(mark in line for line in lines):
            return mark
    return None


def _check_first_line(content: Content, rows: Sequence[object], options: RunOptions) -> None:
    """Refuse a table whose first line names unknown columns, and note how columns are read."""
    records = [row for row in rows if isinstance(row, dict)]
    first_id, *other_ids = [str(record.get("id", "")) for record in records] or [""]
    gold_names: set[str] = set()
    for question in options.gold or ():
        gold_names |= {question.id, *chain(*question.texts.values())}
    numbered = not _DIGIT.search(first_id) and all(_DIGIT.search(name) for name in other_ids)
    mostly_known = 2 * sum(name in gold_names for name in other_ids) > len(other_ids)
    if other_ids and first_id not in gold_names and (numbered or mostly_known):
        names = ", ".join(map(repr, content.table.header))
        raise DataError(
            f"the columns {names} do not say which is what; call one 'id' (or 'question') and one"
            " 'answer' (or 'prediction') in the first line",
            where=content.path,
        )
    width = max(map(len, records), default=1)
    if width > 2:
        note(
            f"has no header; column 1 is read as the id, columns 2 to {width} as several answers."
            " Name the columns in a first line to read them otherwise"
        )


def recognises_id_answer(content: Content, *, are_ids: bool = False) -> bool:
    """Return whether this is one JSON object that maps ids to answers.

    The values must not be objects, except for SPARQL results, chat replies and errors, nor lists of
    records. If the keys are known to be ids (`are_ids`), they may be objects with the parts of an
    answer, such as its number and unit; records with an answer are read by `read_records`.
    """
    document = content.document
    # the results of one query do not show the question
    if not isinstance(document, dict) or _are_results(document):
        return False
    for value in document.values():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            if has_answers(value[0]) and not are_ids:
                return False
        elif isinstance(value, dict):
            is_reply = chat_replies(value) is not None or failure(value) is not None
            is_answer = are_ids and holds_answers(value) and not any(map(may_hold_answers, value))
            if not (is_reply or is_answer or _are_results(value)):
                return False
    return True


def _are_results(value: Mapping[str, object]) -> bool:
    """Return whether an object has the results of a SPARQL query."""
    return not value.keys().isdisjoint({"results", "boolean"})


def read_result_sets(content: Content, options: RunOptions) -> ParsedRun:
    """Read result sets; if the gold has ids without language, those in the wanted language."""
    results = result_sets(content)
    ids = {name: name for name in results}
    if options.gold is not None and options.gold.by_id.keys().isdisjoint(results):
        # names such as db25:1-en, of which the gold may have the 1
        ids_in_language = {}
        for name in results:
            match = QNAME.fullmatch(name)
            if match is not None and match["language"] == options.language:
                ids_in_language[name] = match["id"]
        if not options.gold.by_id.keys().isdisjoint(ids_in_language.values()):
            ids = ids_in_language
    responses = []
    for name, question_id in ids.items():
        response = Response(question_id, status_of(results[name]), results[name])
        # the full name is also the text, as in gold questions of this format
        responses.append(ParsedResponse(response, name if question_id == name else ""))
    return ParsedRun(responses)
