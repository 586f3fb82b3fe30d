"""Read responses in records or rows: their questions, their answers, and other fields."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from qaldgen.answers.answer_values import read_repeats, read_system_answers
from qaldgen.answers.chats import PROMPT_ROLES, error_text, failure, without_prompt
from qaldgen.answers.gold_comparison import NO_ANSWERS, columns_repeating_gold
from qaldgen.answers.record import (
    STATUSES,
    ParsedResponse,
    ParsedRun,
    Response,
    RunOptions,
    several_systems,
    status_of,
)
from qaldgen.answers.run_columns import (
    KEYS,
    RunColumns,
    id_column,
    run_columns,
)
from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.io.text import one_line
from qaldgen.model import Answers, QuestionSet
from qaldgen.questions.answer_objects import with_scale
from qaldgen.questions.cells import parse_number
from qaldgen.questions.choices import choices_in_columns, question_choices
from qaldgen.questions.column_values import are_verdicts, looks_like_sparql, parse_verdict
from qaldgen.questions.columns import Columns, find_answers
from qaldgen.questions.conversations import conversation
from qaldgen.questions.fields import has_role, is_gold_name, may_be_id, normalize_name
from qaldgen.questions.file_content import Content
from qaldgen.questions.flat_records import flat_rows, with_inner_fields
from qaldgen.questions.question_texts import (
    answer_type,
    base_language,
    is_out_of_scope,
    language_tag,
)
from qaldgen.questions.records import Fields, read_question_text, record_fields
from qaldgen.questions.results_json import merge_answers
from qaldgen.questions.rows_of_answers import best_candidates, rows_by_system
from qaldgen.questions.truth_values import parse_boolean
from qaldgen.questions.values import Choices

_NO_ANSWER_STATUSES = ("failed", "timeout", "not asked")
#: The beginning of an answer that is the error of a program: ``[ERROR] 429``, ``KeyError: 'x'``.
_ERROR = re.compile(
    r"\W{0,3}(?i:error|exception)\W{0,2}[:\]]|(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\s*[:(]"
)
#: The most characters of an error that a note shows.
_MAX_SHOWN = 60
#: The scores of an evaluator that only says whether an answer is right.
_RIGHT_OR_WRONG = frozenset(["0", "1", "0.0", "1.0", "true", "false"])
#: Statuses that other programs give to successful answers.
_SUCCESS_STATUSES = frozenset(
    ["ok", "success", "succeeded", "completed", "complete", "done", "finished", "200"]
)


def responses_in(
    content: Content, rows: Sequence[object], options: RunOptions, *, table: bool = False
) -> ParsedRun:
    """Return the responses in records, or in the rows of a table, or those of several systems."""
    flat = with_inner_fields(flat_rows(list(rows)), options.chosen_fields.answers)
    names = list(dict.fromkeys(chain.from_iterable(row for row in flat if isinstance(row, dict))))
    # each question may have a row for each of several systems
    other_ids = frozenset(normalize_name(name) for name in names if may_be_id(name))
    for keys in (KEYS, other_ids):
        systems = rows_by_system(flat, keys, known_ids=options.gold.by_id if options.gold else ())
        if systems:
            return several_systems(content, systems)

    best = best_candidates(flat)
    objects = [row for row in best if isinstance(row, dict)]
    key = id_column(objects, options.gold)
    columns = _answer_columns(content, objects, names, key, options)
    if len(columns.systems) > 1:
        return several_systems(content, _records_by_system(objects, columns))
    _note_answer_columns(columns)
    answer_columns = next(iter(columns.systems.values()), ())
    other_names = [name for name in names if name not in {*answer_columns, key}]
    fields = _other_columns(objects, other_names, key, options.gold)
    fields = fields._replace(verdicts=list(chain.from_iterable(columns.verdicts.values())))

    with_ids: Sequence[object] = best
    has_question = fields.id or fields.question
    if not has_question and options.gold is not None and len(objects) == len(best):
        with_ids = rows_in_order(content, objects, options)
        fields = fields._replace(id=["id"])
    replies = _with_scales(with_ids, names, answer_columns, columns.gold)
    prompts = [name for name in other_names if has_role(name, *PROMPT_ROLES)]
    if prompts:
        replies = [_without_prompts(row, answer_columns, prompts) for row in replies]
    records = list(record_fields(content, fields.id, replies))
    options = options.with_choice_numbers(
        (record.first(fields.id), read_question_text(record, fields.question), record.data[name])
        for record in records
        for name in answer_columns
        if record.has(name)
    )

    responses: list[ParsedResponse] = []
    for record, other_language in _read_languages(records, fields, options):
        yes_no = [
            name for name in columns.yes_no if parse_boolean(str(record.data.get(name))) is not None
        ]
        record_columns = yes_no[:1] or answer_columns
        choices = choices_in_columns(record.data, columns.choices)
        repeats = _read_repeats(record, record_columns, choices, fields, options, table=table)
        if other_language:
            repeats = [item._replace(asked_as=other_language) for item in repeats]
        responses += repeats
    if table:  # in JSON, several answers are a list
        responses = _merge_rows(responses)
    _note_errors(responses)
    return ParsedRun(_queries_as_failures(responses), gold=next(iter(columns.gold), ""))


def _without_prompts(row: object, answers: Sequence[str], prompts: Sequence[str]) -> object:
    """Return a record whose answers do not repeat the prompt."""
    if not isinstance(row, dict):
        return row
    return row | {name: without_prompt(row[name], row, prompts) for name in answers if name in row}


def _with_scales(
    rows: Sequence[object],
    names: Sequence[str],
    answer_columns: Sequence[str],
    gold_columns: Sequence[str],
) -> list[object]:
    """Return rows whose numbers have the scales beside them: that of the system, if it has one."""
    scales = [name for name in names if has_role(name, "system scale")]
    if not gold_columns:
        scales += [name for name in names if has_role(name, "scale")]
    if not scales:
        return list(rows)
    scaled: list[object] = []
    for row in rows:
        if isinstance(row, dict):
            answers = {
                name: with_scale(row.get(name), row.get(scales[0])) for name in answer_columns
            }
            row = {**row, **answers}
        scaled.append(row)
    return scaled


def _other_columns(
    objects: Sequence[Mapping[str, object]],
    names: Sequence[str],
    key: str | None,
    gold: QuestionSet | None,
) -> RunColumns:
    """Return what the columns beside the answers hold, by their names and values."""
    columns = run_columns(names)
    confidences = []
    for name in columns.confidence:
        values = {str(row.get(name)).casefold() for row in objects} - {"none", ""}
        if not values <= _RIGHT_OR_WRONG:
            confidences.append(name)

    # a column "query" holds the questions unless it holds SPARQL
    questions = columns.question
    queries = [name for name in columns.query if normalize_name(name) == "query"]
    hold_sparql = any(looks_like_sparql(row.get(name)) for row in objects for name in queries)
    if not questions and not hold_sparql:
        questions = queries
    if key is None and not questions:  # a chat has the question before its reply
        questions = [
            name
            for name in dict.fromkeys(chain.from_iterable(objects))
            if has_role(name, "transcript")
            and all(conversation(row[name]) for row in objects if row.get(name))
        ]
    if gold is not None:
        # prefer the columns with the most texts of the gold questions
        text_counts: Counter[str] = Counter()
        for name in dict.fromkeys([*questions, *queries]):
            for row in objects:
                text = row.get(name)
                text_counts[name] += isinstance(text, str) and text in gold.by_text
        known_questions = [name for name, number in text_counts.most_common() if number]
        questions = known_questions or questions
    return columns._replace(
        id=[] if key is None else [key],
        question=questions,
        query=[name for name in columns.query if name not in questions],
        confidence=confidences,
    )


def _answer_columns(
    content: Content,
    objects: Sequence[Mapping[str, object]],
    names: Sequence[str],
    key: str | None,
    options: RunOptions,
) -> Columns:
    """Return the columns with the answers and the gold."""
    repeated: list[str] = []
    maybe_answers = []
    for name in names:
        # a column "text" may hold answers
        is_question = has_role(name, "question") and normalize_name(name) != "text"
        if name != key and not is_question and not has_role(name, *NO_ANSWERS):
            maybe_answers.append(name)
    if options.gold is not None and len(maybe_answers) > 1:
        maybe_gold = [
            name for name in names if has_role(name, "answer", "choice") or is_gold_name(name)
        ]
        repeated = columns_repeating_gold(content, objects, options.gold, key, maybe_gold)
    has_choices = options.gold is not None and any(map(question_choices, options.gold))
    return find_answers(
        objects, options.chosen_fields, content.table.header, repeated, has_choices=has_choices
    )


def _records_by_system(
    objects: Sequence[Mapping[str, object]], columns: Columns
) -> dict[str, list[dict[str, object]]]:
    """Return the records of each system: its answer, verdicts on it, and what all systems share."""
    own_columns = set(chain.from_iterable([*columns.systems.values(), *columns.verdicts.values()]))
    # a verdict without the name of a system may be on any of them
    for name in dict.fromkeys(chain.from_iterable(objects)):
        values = [row[name] for row in objects if row.get(name) is not None]
        if has_role(name, "verdict") and are_verdicts(name, values):
            own_columns.add(name)
    records: dict[str, list[dict[str, object]]] = {system: [] for system in columns.systems}
    for row in objects:
        shared = {name: row[name] for name in row if name not in own_columns}
        for system, (column,) in columns.systems.items():
            verdicts = columns.verdicts[system].items()
            own_verdicts = {verdict: row.get(name) for name, verdict in verdicts}
            records[system].append({**shared, **own_verdicts, "prediction": row.get(column)})
    return records


def _note_answer_columns(columns: Columns) -> None:
    """Add notes on a column that is taken for the gold, and on columns with candidates."""
    for name in columns.gold[:1]:
        note(f"{name!r} is taken for the gold answer, since there is a prediction beside it")
    for name in chain.from_iterable(columns.systems.values()):
        if has_role(name, "candidates"):
            note(f"of each list in {name!r} only the best or first candidate is the answer")


def rows_in_order(
    content: Content, rows: Sequence[Mapping[str, object]], options: RunOptions
) -> list[dict[str, object]]:
    """Add the ids of the gold questions in order to records without ids, with a note."""
    ids = ids_in_order(content, options, len(rows))
    note("the answers have no ids, and are taken to be in the order of the questions")
    return [{"id": question_id, **row} for question_id, row in zip(ids, rows, strict=True)]


def ids_in_order(content: Content, options: RunOptions, size: int) -> list[str]:
    """Return the ids of the gold questions in order, for as many answers without ids."""
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


def _queries_as_failures(responses: list[ParsedResponse]) -> list[ParsedResponse]:
    """Turn queries that are given as answers into failed responses with a query, with a note.

    As texts, they would all be wrong; as empty answers, they would equal empty gold answers.
    """
    queries: list[str | None] = []
    for item in responses:
        answers = item.response.answers
        query = None
        if answers and len(answers.texts) == 1 and not item.response.query:
            text = answers.texts[0][0]
            if "{" in text and looks_like_sparql(text) and not is_out_of_scope(text):
                query = text
        queries.append(query)
    n_queries = sum(query is not None for query in queries)
    n_answered = sum(item.response.status == "answered" for item in responses)
    if not n_queries or 2 * n_queries < n_answered:
        return responses
    note(
        f"{n_queries:,} of {len(responses):,} answers are SPARQL queries without results; they"
        " count as failed, and only sub-experiments compare queries. Execute them, and give"
        " the results as answers"
    )
    corrected = []
    for item, query in zip(responses, queries, strict=True):
        response = item.response
        if query is not None or response.status == "empty":
            said = "no query" if query is None else "a query, which was not executed"
            response = dataclasses.replace(
                response,
                query=query or "",
                answers=None,
                status="failed",
                error=f"the system gave {said}",
            )
        corrected.append(item._replace(response=response))
    return corrected


def _note_errors(responses: Sequence[ParsedResponse]) -> None:
    """Add a note on answers that look like the error of a program; they are compared all the same.

    An error may be what is asked for, and by GERBIL's rules a failure is right where the gold is
    empty: only who made the run knows.
    """
    errors = []
    for item in responses:
        answers = item.response.answers
        texts = answers.texts if answers else ()
        if len(texts) == 1 and _ERROR.match(texts[0][0].strip()):
            errors.append(texts[0][0].strip())
    if errors:
        shown = one_line(errors[0], _MAX_SHOWN)
        note(
            f"{len(errors):,} of {len(responses):,} answers look like errors of a program, such as"
            f" {shown!r}; they are compared like other answers. If they are failures, give them the"
            " status 'failed'"
        )


def _read_languages(
    records: Sequence[Fields], columns: RunColumns, options: RunOptions
) -> list[tuple[Fields, str]]:
    """Return records, each with its language if it is not the wanted one.

    Records without a language are left out if the others have several languages. If no question is
    answered in several languages, all records count as in the wanted one.
    """
    tags = [language_tag(record.first(columns.language)) for record in records]
    languages = sorted({tag for tag in tags if tag})
    chosen = language_tag(options.language)
    if len(languages) == 1 and base_language(languages[0]) != base_language(chosen):
        note(
            f"all answers with a language are in {languages[0]!r}, and are compared in {chosen!r};"
            f" `language={languages[0]!r}` compares them in their own language"
        )
    if len(languages) < 2:
        return [(record, "") for record in records]
    gold = options.gold
    tag_of_question: dict[str, str] = {}
    is_asked_in_several = False
    for record, tag in zip(records, tags, strict=True):
        text = read_question_text(record, columns.question)
        question = record.first(columns.id) or text
        if gold is not None and question not in gold.by_id:
            if text not in gold.by_text:
                continue
            question = gold.by_text[text].id
        is_asked_in_several |= tag_of_question.setdefault(question, tag) != tag
    if not is_asked_in_several:
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


def _read_repeats(
    record: Fields,
    answer_columns: Sequence[str],
    choices: Choices,
    columns: RunColumns,
    options: RunOptions,
    *,
    table: bool,
) -> list[ParsedResponse]:
    """Return the responses in a record: several for a list of samples or of choices, else one.

    The letter of one of the record's own choices is its text, if the gold answer is among them.
    """
    text = read_question_text(record, columns.question)
    filled = [name for name in answer_columns if record.has(name)]
    if not filled:
        return [_make_response(record, text, columns, Answers())]
    error = None if table else failure(record.data[filled[0]])
    if error is not None:
        return [_make_response(record, text, columns, Answers(), error)]
    bars = table or normalize_name(filled[0]) == "answers"
    expected = options.expected(record.first(columns.id), text, bars=bars)
    if choices.texts and expected.choices is None:
        gold_texts = {gold_text.casefold() for gold_text in expected.gold_texts}
        if not gold_texts.isdisjoint(map(str.casefold, choices.texts)):
            expected = expected._replace(choices=choices)
    if table or len(filled) > 1:
        cells = [read_system_answers(record.data[name], record, name, expected) for name in filled]
        return [_make_response(record, text, columns, merge_answers(cells))]
    repeats = [
        _make_response(record, text, columns, answers)
        for answers in read_repeats(record, filled[0], expected)
    ]
    if len(repeats) == 1:
        return repeats
    return [item._replace(repeat=f"{item.repeat} {number}") for number, item in enumerate(repeats)]


def _make_response(
    record: Fields, text: str, columns: RunColumns, answers: Answers, error: str = ""
) -> ParsedResponse:
    """Return the response in a record; without an id, the text of the question is the id."""
    question_id = record.first(columns.id) or text
    if not question_id:
        raise record.error("id", "the id of a question, or its text in 'question',")
    if not error and not any(columns[2:]):  # neither the record nor its reader says more
        return ParsedResponse(Response(question_id, status_of(answers), answers), text)
    if parse_boolean(record.first(columns.answerable)) is False:
        answers = Answers()

    # the status that the record states, or what follows from its error and its answers
    stated = record.first(columns.status).lower()
    is_known = stated in STATUSES or stated in _SUCCESS_STATUSES
    error = error or error_text(record.filled(columns.error))
    if not error and not is_known:
        error = stated  # of another program; it is the error if there is no answer
    if stated in _NO_ANSWER_STATUSES:
        status = stated
    elif error and not is_known and not answers.values():
        status = "failed"
    else:
        status = status_of(answers)

    confidence = _read_number(record, columns.confidence)
    no_answer = _read_number(record, columns.no_answer)
    if confidence is None and no_answer is not None:
        confidence = -no_answer  # the less probable it is that there is no answer, the higher

    verdicts = []
    for name in columns.verdicts:
        verdict = parse_verdict(record.data.get(name))
        if verdict is not None:
            verdicts.append((name.rpartition(".")[2], verdict))

    response = Response(
        question_id,
        status,
        None if status in _NO_ANSWER_STATUSES else answers,
        query=record.first(columns.query),
        answer_type=answer_type(record.first(columns.answer_type)),
        seconds=_read_seconds(record, columns.seconds),
        error=error,
        verdicts=tuple(verdicts),
        confidence=confidence,
    )
    return ParsedResponse(response, text, record.first(columns.repeat))


def _read_seconds(record: Fields, names: Sequence[str]) -> float | None:
    duration = record.first(names)
    if not duration:
        return None
    seconds = parse_number(duration)
    if seconds is None or not 0 <= seconds < math.inf:
        raise DataError(
            f"field 'seconds' is {duration!r}; a number from 0 on is expected", where=record.where
        )
    return seconds


def _read_number(record: Fields, names: Sequence[str]) -> float | None:
    value = record.filled(names)
    return None if value is None else parse_number(str(value))


def _merge_rows(rows: Sequence[ParsedResponse]) -> list[ParsedResponse]:
    """Merge the rows with the same id and number of a repeat into one response.

    It has the answers of all rows, and the other fields of the first.
    """
    rows_by_question: dict[tuple[str, ...], list[ParsedResponse]] = {}
    for row in rows:
        question = (row.response.id, row.repeat, row.asked_as)
        rows_by_question.setdefault(question, []).append(row)
    responses = []
    for question_rows in rows_by_question.values():
        merged = question_rows[0]
        parts = [row.response.answers for row in question_rows if row.response.answers is not None]
        if len(question_rows) > 1 and parts:
            answers = merge_answers(parts)
            response = dataclasses.replace(
                merged.response, answers=answers, status=status_of(answers)
            )
            merged = merged._replace(response=response)
        responses.append(merged)
    return responses
