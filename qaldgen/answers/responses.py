"""The responses in records or rows: the question of each, its answers, and what is said of them."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from qaldgen.answers.answer_values import read_system_answers, read_tries
from qaldgen.answers.chats import error_text, failure
from qaldgen.answers.gold_comparison import NO_ANSWERS, columns_repeating_gold
from qaldgen.answers.record import (
    STATUSES,
    ParsedResponse,
    ParsedRun,
    Response,
    RunOptions,
    status_of,
)
from qaldgen.answers.run_columns import (
    KEYS,
    SeveralSystems,
    columns_by_role,
    find_system_column,
    id_column,
)
from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.model import Answers, QuestionSet
from qaldgen.questions.cells import parse_number
from qaldgen.questions.choices import are_choice_numbers, find_first_number
from qaldgen.questions.column_values import looks_like_sparql
from qaldgen.questions.columns import Columns, find_answers
from qaldgen.questions.csv_tables import table_header
from qaldgen.questions.fields import has_role, is_gold_name, may_be_id, normalize_name
from qaldgen.questions.file_content import Content
from qaldgen.questions.nested_records import flat_rows, with_inner_fields
from qaldgen.questions.question_texts import (
    answer_type,
    base_language,
    is_out_of_scope,
    language_tag,
)
from qaldgen.questions.records import Fields, parse_boolean, read_question_text, record_fields
from qaldgen.questions.results_json import merge_answers
from qaldgen.questions.rows_of_answers import best_candidates, rows_by_system
from qaldgen.questions.values import NOTHING_KNOWN

_ERRORS = ("failed", "timeout", "not asked")


#: Statuses that other programs give to successful answers.
_FINE = frozenset(
    ["ok", "success", "succeeded", "completed", "complete", "done", "finished", "200"]
)


def responses_in(
    content: Content, rows: Sequence[object], options: RunOptions, *, table: bool = False
) -> ParsedRun:
    """Return the responses in records or the rows of a table."""
    rows = with_inner_fields(flat_rows(list(rows)), options.chosen_fields.answers)
    names = [*dict.fromkeys(chain.from_iterable(row for row in rows if isinstance(row, dict)))]
    other_ids = frozenset(normalize_name(name) for name in names if may_be_id(name))
    for keys in (KEYS, other_ids):
        systems = rows_by_system(rows, keys)
        if not systems and table and (column := find_system_column(rows, names, keys)):
            note(f"has a row for each question and {column!r}; each value is read as a system")
            systems = rows_by_system(rows, keys, column)
        if systems:
            raise SeveralSystems(content, systems)
    rows = best_candidates(rows)
    objects = [row for row in rows if isinstance(row, dict)]
    key = id_column(objects, options.gold)
    columns = _answer_columns(content, objects, names, key, options)
    answers = next(iter(columns.systems.values()), ())
    other_names = [name for name in names if name not in {*answers, key}]
    kinds = _columns_beside_answers(objects, other_names, key, options.gold)
    has_question = kinds["id"] or kinds["question"]
    if not has_question and options.gold is not None and len(objects) == len(rows):
        rows = rows_in_order(content, objects, options)
        kinds["id"] = ["id"]
    records = [*record_fields(content, kinds["id"], rows)]
    options = _with_numbering_of_choices(records, answers, kinds, options)
    tries: list[ParsedResponse] = []
    for record, other_language in _in_language(records, kinds["language"], options.language):
        yes_no = [
            name for name in columns.yes_no if parse_boolean(str(record.data.get(name))) is not None
        ]
        for item in _tries(record, yes_no[:1] or answers, kinds, options, table=table):
            tries.append(item._replace(asked_as=other_language))
    if table:  # in JSON an answer may be a list
        tries = _rows_of_questions_merged(tries)
    return ParsedRun(_bare_queries_as_failures(tries), gold=next(iter(columns.gold), ""))


def _columns_beside_answers(
    objects: Sequence[Mapping[str, object]],
    names: Sequence[str],
    key: str | None,
    gold: QuestionSet | None,
) -> dict[str, list[str]]:
    """Return the columns of each kind beside the answers and the id, the most telling first."""
    kinds = columns_by_role(names)
    kinds["id"] = [] if key is None else [key]
    # a query is the question unless it is SPARQL
    queries = [name for name in kinds["query"] if normalize_name(name) == "query"]
    hold_sparql = any(looks_like_sparql(row.get(name)) for row in objects for name in queries)
    if not kinds["question"] and not hold_sparql:
        kinds["question"] = queries
    if gold is not None:
        # columns that have texts of the gold questions, those with most of them first
        text_counts: Counter[str] = Counter()
        for name in dict.fromkeys([*kinds["question"], *queries]):
            for row in objects:
                text = row.get(name)
                text_counts[name] += isinstance(text, str) and text in gold.by_text
        known_questions = [name for name, number in text_counts.most_common() if number]
        kinds["question"] = known_questions or kinds["question"]
    kinds["query"] = [name for name in kinds["query"] if name not in kinds["question"]]
    return kinds


def _answer_columns(
    content: Content,
    objects: Sequence[Mapping[str, object]],
    names: Sequence[str],
    key: str | None,
    options: RunOptions,
) -> Columns:
    """Return the columns with the answers and the gold; raise `SeveralSystems` for several."""
    repeated: list[str] = []
    maybe_answers = []
    for name in names:
        is_question = (
            has_role(name, "question") and normalize_name(name) != "text"
        )  # that may be an answer
        if name != key and not is_question and not has_role(name, *NO_ANSWERS):
            maybe_answers.append(name)
    if options.gold is not None and len(maybe_answers) > 1:  # else there is no choice
        maybe_gold = [
            name for name in names if has_role(name, "answer", "choice") or is_gold_name(name)
        ]
        repeated = columns_repeating_gold(content, objects, options.gold, key, maybe_gold)
    header = table_header(content) if content.kind == "text" else ()
    columns = find_answers(objects, options.chosen_fields, header, repeated)
    of_systems = [*chain.from_iterable(columns.systems.values())]
    if len(columns.systems) > 1:
        parts: dict[str, list[dict[str, object]]] = {system: [] for system in columns.systems}
        for row in objects:
            other_fields = {name: row[name] for name in row if name not in of_systems}
            for system, (column,) in columns.systems.items():
                parts[system].append({**other_fields, "prediction": row.get(column)})
        raise SeveralSystems(content, parts)
    for name in columns.gold[:1]:
        note(f"{name!r} is taken for the gold answer, since there is a prediction beside it")
    for name in of_systems:
        if has_role(name, "candidates"):
            note(f"of each list in {name!r} only the best or first candidate is the answer")
    return columns


def _with_numbering_of_choices(
    records: Sequence[Fields],
    answers: Sequence[str],
    kinds: Mapping[str, Sequence[str]],
    options: RunOptions,
) -> RunOptions:
    """Return the options with how this run numbers the choices of the questions."""
    if not any("choices" in question.metadata for question in options.gold or ()):
        return options
    offered = []
    for record in records:
        text = read_question_text(record, kinds["question"])
        choices = options.expected(record.first(kinds["id"]), text).choices
        if choices is not None:
            offered += [(record.data[name], choices) for name in answers if record.has(name)]
    first = find_first_number(
        (value, choices) for value, choices in offered if choices.first is None
    )
    return options._replace(first_choice=first, only_numbers=are_choice_numbers(offered))


def rows_in_order(
    content: Content, rows: Sequence[Mapping[str, object]], options: RunOptions
) -> list[dict[str, object]]:
    """Return records that have no ids with those of the gold questions, and say so."""
    ids = ids_in_order(content, options, len(rows))
    note("the answers have no ids, and are taken to be in the order of the questions")
    return [{"id": name, **row} for name, row in zip(ids, rows, strict=True)]


def ids_in_order(content: Content, options: RunOptions, size: int) -> list[str]:
    """Return the ids of the gold questions, for answers that have none."""
    if options.gold is None:
        return [str(number) for number in range(1, size + 1)]
    ids = [question.id for question in options.gold.questions]
    if len(ids) != size:
        raise DataError(
            f"has {size:,} lines, {options.gold.name} has {len(ids):,} questions; answers without"
            " ids need one line for each question, an empty one (in a list: null) for no answer",
            where=content.path,
        )
    return ids


def _bare_queries_as_failures(responses: list[ParsedResponse]) -> list[ParsedResponse]:
    """Return queries that stand for answers as queries without a result; note how many.

    As texts they would all be wrong; as empty answers, right where the gold is empty.
    """
    queries = []
    for item in responses:
        answers, query = item.response.answers, ""
        if answers and len(answers.texts) == 1 and not item.response.query:
            text = answers.texts[0][0]
            if looks_like_sparql(text) and not is_out_of_scope(text):
                query = text
        queries.append(query)
    number = sum(map(bool, queries))
    if not number or 2 * number < sum(item.response.status == "answered" for item in responses):
        return responses
    note(
        f"{number:,} of {len(responses):,} answers are SPARQL queries without results; they count"
        " as failed, and only sub-experiments compare queries. Execute them, and give"
        " the results as answers"
    )
    separated = []
    for item, query in zip(responses, queries, strict=True):
        if query or item.response.status == "empty":
            error = "the system gave no query"
            if query:
                error = "the system gave a query, which was not executed"
            failed = dataclasses.replace(
                item.response, query=query, answers=None, status="failed", error=error
            )
            item = item._replace(response=failed)
        separated.append(item)
    return separated


def _in_language(
    records: Sequence[Fields], columns: Sequence[str], language: str
) -> list[tuple[Fields, str]]:
    """Return each record with its language if that is not the wanted one of several."""
    tags = [language_tag(record.first(columns)) for record in records]
    languages = sorted({tag for tag in tags if tag})
    chosen = language_tag(language)
    if len(languages) == 1 and base_language(languages[0]) != base_language(chosen):
        note(
            f"all answers with a language are in {languages[0]!r}, and are compared in {chosen!r};"
            f" `language={languages[0]!r}` compares them in their own language"
        )
    if len(languages) < 2:
        return [(record, "") for record in records]
    other_tags = ", ".join(tag for tag in languages if tag != chosen)
    note(
        f"{tags.count(chosen):,} of {len(records):,} answers are read, those in {chosen!r};"
        f" there are also {other_tags}"
    )
    return [
        (record, "" if tag == chosen else tag)
        for record, tag in zip(records, tags, strict=True)
        if tag
    ]


def _tries(
    record: Fields,
    columns: Sequence[str],
    kinds: Mapping[str, Sequence[str]],
    options: RunOptions,
    *,
    table: bool,
) -> list[ParsedResponse]:
    """Return the tries of a record, whose answers are in these columns.

    One, except for a list of samples or the choices of a chat service.
    """
    filled = [name for name in columns if record.has(name)]
    if filled and not table:
        failed = failure(record.data[filled[0]])
        if failed:
            return [_try(record, kinds, Answers(), failed)]
    expected = NOTHING_KNOWN
    if options.gold is not None:
        text = read_question_text(record, kinds["question"])
        expected = options.expected(record.first(kinds["id"]), text)
    if table or len(filled) > 1:
        cells = [
            read_system_answers(record.data[name], record, name, expected, bars=table)
            for name in filled
        ]
        return [_try(record, kinds, merge_answers(cells))]
    if not filled:
        return [_try(record, kinds, Answers())]
    tries = [_try(record, kinds, answers) for answers in read_tries(record, filled[0], expected)]
    if len(tries) == 1:
        return tries
    return [item._replace(repeat=f"{item.repeat} {number}") for number, item in enumerate(tries)]


def _try(
    record: Fields, kinds: Mapping[str, Sequence[str]], answers: Answers, error: str = ""
) -> ParsedResponse:
    """Return one try of a record, with what else the record says of it."""
    text = read_question_text(record, kinds["question"])
    name = record.first(kinds["id"]) or text
    if not name:
        raise record.error("id", "the id of a question, or its text in 'question',")
    status = record.first(kinds["status"]).lower()
    error = error or error_text(record.filled(kinds["error"]))
    if parse_boolean(record.first(kinds["answers at all"])) is False:
        answers = Answers()
    if status and status not in STATUSES and status not in _FINE:
        # how another program says why it stopped; without an answer it is a failure
        status, error = "", error or status
    if error and not answers.values() and not status:
        status = "failed"
    elif status not in _ERRORS:
        status = status_of(answers)
    seconds = None
    stated = record.first(kinds["seconds"])
    if stated:
        seconds = parse_number(stated)
        if seconds is None or not 0 <= seconds < math.inf:
            raise DataError(
                f"field 'seconds' is {stated!r}; a number from 0 on is expected", where=record.where
            )
    confidence = parse_number(str(record.filled(kinds["confidence"])))
    without = parse_number(str(record.filled(kinds["no answer"])))
    if confidence is None and without is not None:
        confidence = -without  # less, the more probable it is that there is no answer
    given_answers = None if status in _ERRORS else answers
    response = Response(
        name,
        status,
        given_answers,
        query=record.first(kinds["query"]),
        answer_type=answer_type(record.first(kinds["answertype"])),
        seconds=seconds,
        error=error,
        confidence=confidence,
    )
    return ParsedResponse(response, text, record.first(kinds["repeat"]))


def _rows_of_questions_merged(rows: Sequence[ParsedResponse]) -> list[ParsedResponse]:
    """Return one response of all rows with an id, unless these are numbered tries.

    It has the answers of all of them, and else the fields of the first.
    """
    rows_by_question: dict[tuple[str, ...], list[ParsedResponse]] = {}
    for row in rows:
        question = (row.response.id, row.repeat, row.asked_as)
        rows_by_question.setdefault(question, []).append(row)
    responses = []
    for first, *others in rows_by_question.values():
        answers = [
            row.response.answers for row in (first, *others) if row.response.answers is not None
        ]
        if others and answers:
            merged = merge_answers(answers)
            response = dataclasses.replace(first.response, answers=merged, status=status_of(merged))
            first = first._replace(response=response)
        responses.append(first)
    return responses
