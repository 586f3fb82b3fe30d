"""Read answers in records, tables, and objects from ids to answers."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from qaldgen.answers.answer_values import answers_in, tries_in
from qaldgen.answers.beside_gold import columns_repeating_gold
from qaldgen.answers.chats import chat_replies, error_text, failure
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
    carries_systems,
    columns_by_kind,
    crossed_column,
    has_answers,
    id_column,
)
from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.model import Answers
from qaldgen.questions.cells import number_in
from qaldgen.questions.choices import are_places, first_number
from qaldgen.questions.column_values import looks_like_sparql
from qaldgen.questions.columns import Columns, find_answers
from qaldgen.questions.csv_tables import table_header, table_records
from qaldgen.questions.fields import is_a, may_be_id, plain_name, says_gold
from qaldgen.questions.file_content import Content
from qaldgen.questions.nested_records import flat_rows, with_inner_fields
from qaldgen.questions.question_texts import (
    answer_type,
    base_language,
    is_out_of_scope,
    language_tag,
)
from qaldgen.questions.records import Fields, asked_text, boolean_of, record_fields
from qaldgen.questions.result_sets import QNAME, result_sets
from qaldgen.questions.results_json import merge_answers
from qaldgen.questions.rows_of_answers import best_candidates, rows_by_system
from qaldgen.questions.values import NOTHING_KNOWN

_ERRORS = ("failed", "timeout", "not asked")
#: Statuses that other programs give to successful answers.
_FINE = frozenset(
    ["ok", "success", "succeeded", "completed", "complete", "done", "finished", "200"]
)
_DIGIT = re.compile(r"[0-9]")


def recognises_records(content: Content) -> bool:
    """Return whether these are JSON records with an id or the question, and an answer.

    A single record may be a single JSON object, unless that holds several.
    """
    if content.kind not in {"json", "jsonl"}:
        return False
    if has_answers(content.keys):
        return isinstance(content.document, list) or len(content.rows) < 2
    return carries_systems(content.records)


def recognises_table(content: Content) -> bool:
    """Return whether this is a table.

    A header with an id and an answer, or at least two cells in every line.
    """
    if content.kind != "text":
        return False
    return _has_header(content) or _delimiter(content) != ""


def read_records(content: Content, options: RunOptions) -> ParsedRun:
    """Read JSON records.

    Each has an id or the question, the answers, and if available status, seconds, query and error.
    """
    return responses_in(content, content.records, options)


def read_table(content: Content, options: RunOptions) -> ParsedRun:
    r"""Read CSV or TSV: with a header like the records of `read_records`, or id and answers.

    Several answers are in several rows with one id, in several columns, or separated by ``|``
    (``\|`` is a bar). With a column that numbers tries (epoch, sample, ...) each row is a try of
    its own.
    """
    if options.chosen_fields.answers or _has_header(content):
        return responses_in(
            content, table_records(content, table_header(content)), options, table=True
        )
    delimiter = _delimiter(content) or ","
    width = 1 + max(line.count(delimiter) for line in content.lines)
    names = ["id", *(f"answer{place}" for place in range(1, width))]
    rows = table_records(content, names, headed=False, delimiter=delimiter)
    answers = ["answer1", "answer2"]
    repeated = []
    if width == 3 and options.gold is not None:
        repeated = columns_repeating_gold(content, rows, options.gold, "id", answers)
    if repeated == answers[:1]:
        note("has no header; column 2 has the gold answers, and column 3 is read as the answers")
        rows = [
            {"id": row["id"], "answer": row.get("answer2")} for row in rows if isinstance(row, dict)
        ]
    _check_headless(content, rows, options)
    return responses_in(content, rows, options, table=True)


def _has_header(content: Content) -> bool:
    """Return whether the first line of a table names an answer beside an id or the question."""
    header = table_header(content)
    if has_answers(header):
        return True
    return any(map(says_gold, header)) and carries_systems(table_records(content, header))


def read_id_answer(content: Content, options: RunOptions) -> ParsedRun:
    """Read a JSON object from id (or question) to answer.

    An answer is a string, a number, a boolean, a list of these, or null.
    """
    document: dict[str, object] = {}
    gold_ids = options.gold.by_id.keys() if options.gold else frozenset()
    for name, value in Fields(content.document, (str(content.path),)).data.items():
        document[name] = value
        if isinstance(value, list) and len(value) > 1 and name not in gold_ids:
            # the id of what holds several questions, with an answer for each of them
            ids = [f"{name}.{number}" for number in range(1, len(value) + 1)]
            if gold_ids >= {*ids} and f"{name}.{len(ids) + 1}" not in gold_ids:
                del document[name]
                document |= zip(ids, value, strict=True)
    fields = Fields(document, (str(content.path),))
    responses = []
    for name, value in document.items():
        id_ = name.strip()
        error = failure(value)
        if error:
            responses.append(ParsedResponse(Response(id_, "failed", error=error)))
            continue
        for answers in tries_in(fields, name, options.expected(id_)):
            responses.append(ParsedResponse(Response(id_, status_of(answers), answers)))
    return ParsedRun(responses)


def responses_in(
    content: Content, rows: Sequence[object], options: RunOptions, *, table: bool = False
) -> ParsedRun:
    """Return the responses in records or the rows of a table."""
    rows = with_inner_fields(flat_rows(list(rows)), options.chosen_fields.answers)
    names = [*dict.fromkeys(chain.from_iterable(row for row in rows if isinstance(row, dict)))]
    other_ids = frozenset(plain_name(name) for name in names if may_be_id(name))
    for keys in (KEYS, other_ids):
        systems = rows_by_system(rows, keys)
        if not systems and table and (column := crossed_column(rows, names, keys)):
            note(f"has a row for each question and {column!r}; each value is read as a system")
            systems = rows_by_system(rows, keys, column)
        if systems:
            raise SeveralSystems(content, systems)
    rows = best_candidates(rows)
    objects = [row for row in rows if isinstance(row, dict)]
    key = id_column(objects, options.gold)
    columns = _answer_columns(content, objects, names, key, options)
    answers = next(iter(columns.systems.values()), ())
    kinds = columns_by_kind(name for name in names if name not in {*answers, key})
    kinds["id"] = [] if key is None else [key]
    # a query is the question unless it is SPARQL
    queries = [name for name in kinds["query"] if plain_name(name) == "query"]
    hold_sparql = any(looks_like_sparql(row.get(name)) for row in objects for name in queries)
    if not kinds["question"] and not hold_sparql:
        kinds["question"] = queries
    if options.gold is not None:
        # columns that have texts of the gold questions, those with most of them first
        text_counts: Counter[str] = Counter()
        for name in dict.fromkeys([*kinds["question"], *queries]):
            texts = (row.get(name) for row in objects)
            text_counts[name] = sum(
                isinstance(text, str) and text in options.gold.by_text for text in texts
            )
        known_questions = [name for name, number in text_counts.most_common() if number]
        kinds["question"] = known_questions or kinds["question"]
    kinds["query"] = [name for name in kinds["query"] if name not in kinds["question"]]
    tells_question = kinds["id"] or kinds["question"]
    if not tells_question and options.gold is not None and len(objects) == len(rows):
        rows = rows_in_order(content, objects, options)
        kinds["id"] = ["id"]
    records = [*record_fields(content, kinds["id"], rows)]
    options = _with_numbering_of_choices(records, answers, kinds, options)
    responses: dict[object, list[ParsedResponse]] = {}
    for record, other_language in _in_language(records, kinds["language"], options.language):
        yes_no = [
            name for name in columns.yes_no if boolean_of(str(record.data.get(name))) is not None
        ]
        for item in _tries(record, yes_no[:1] or answers, kinds, options, table=table):
            # Rows with the same id are several answers to one question, unless they are
            # numbered tries; in JSON an answer may be a list.
            place = (item.response.id, item.repeat, other_language) if table else len(responses)
            responses.setdefault(place, []).append(item._replace(asked_as=other_language))
    gold = next(iter(columns.gold), "")
    return ParsedRun(_queries_apart([_joined(items) for items in responses.values()]), gold=gold)


def _answer_columns(
    content: Content,
    objects: Sequence[Mapping[str, object]],
    names: Sequence[str],
    key: str | None,
    options: RunOptions,
) -> Columns:
    """Return the columns with the answers and the gold; raise `SeveralSystems` for several."""
    repeated: list[str] = []
    if options.gold is not None:
        maybe_gold = [name for name in names if is_a(name, "answer", "choice") or says_gold(name)]
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
        if is_a(name, "candidates"):
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
        text = asked_text(record, kinds["question"])
        choices = options.expected(record.first(kinds["id"]), text).choices
        if choices is not None:
            offered += [(record.data[name], choices) for name in answers if record.has(name)]
    first = first_number((value, choices) for value, choices in offered if choices.first is None)
    return options._replace(first_choice=first, places=are_places(offered))


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


def _queries_apart(responses: list[ParsedResponse]) -> list[ParsedResponse]:
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


def _check_headless(content: Content, rows: Sequence[object], options: RunOptions) -> None:
    """Refuse a table whose first line names columns; say which columns are read as answers."""
    records = [row for row in rows if isinstance(row, dict)]
    first_id, *other_ids = [str(record.get("id", "")) for record in records] or [""]
    gold_names: set[str] = set()
    for question in options.gold or ():
        gold_names |= {question.id, *chain(*question.texts.values())}
    numbered = not _DIGIT.search(first_id) and all(map(_DIGIT.search, other_ids))
    mostly_known = 2 * sum(name in gold_names for name in other_ids) > len(other_ids)
    if other_ids and first_id not in gold_names and (numbered or mostly_known):
        names = ", ".join(map(repr, table_header(content)))
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
            return [_given(record, kinds, Answers(), failed)]
    expected = NOTHING_KNOWN
    if options.gold is not None:
        text = asked_text(record, kinds["question"])
        expected = options.expected(record.first(kinds["id"]), text)
    if table or len(filled) > 1:
        cells = [
            answers_in(record.data[name], record, name, expected, bars=table) for name in filled
        ]
        return [_given(record, kinds, merge_answers(cells))]
    if not filled:
        return [_given(record, kinds, Answers())]
    tries = [_given(record, kinds, answers) for answers in tries_in(record, filled[0], expected)]
    if len(tries) == 1:
        return tries
    return [item._replace(repeat=f"{item.repeat} {number}") for number, item in enumerate(tries)]


def _given(
    record: Fields, kinds: Mapping[str, Sequence[str]], answers: Answers, error: str = ""
) -> ParsedResponse:
    """Return one try of a record, with what else the record says of it."""
    text = asked_text(record, kinds["question"])
    name = record.first(kinds["id"]) or text
    if not name:
        raise record.error("id", "the id of a question, or its text in 'question',")
    status = record.first(kinds["status"]).lower()
    error = error or error_text(record.filled(kinds["error"]))
    if boolean_of(record.first(kinds["answers at all"])) is False:
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
        seconds = number_in(stated)
        if seconds is None or not 0 <= seconds < math.inf:
            raise DataError(
                f"field 'seconds' is {stated!r}; a number from 0 on is expected", where=record.where
            )
    confidence = number_in(str(record.filled(kinds["confidence"])))
    without = number_in(str(record.filled(kinds["no answer"])))
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


def _joined(rows: Sequence[ParsedResponse]) -> ParsedResponse:
    """Merge the rows with one id; the first one's fields are kept."""
    first = rows[0]
    parts = [row.response.answers for row in rows if row.response.answers is not None]
    if len(rows) == 1 or not parts:
        return first
    merged = merge_answers(parts)
    return first._replace(
        response=dataclasses.replace(first.response, answers=merged, status=status_of(merged))
    )


def recognises_id_answer(content: Content, *, are_ids: bool = False) -> bool:
    """Return whether this is one JSON object from ids to answers.

    The keys may be anything, unless they are known to be ids (`are_ids`); the values are neither
    records nor objects, except for SPARQL results, chat replies and errors.
    """
    document = content.document
    # the results of one query do not say of which question they are
    if not isinstance(document, dict) or _are_results(document):
        return False
    for value in document.values():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            if has_answers(value[0]) and not are_ids:
                return False
        elif isinstance(value, dict):
            is_reply = chat_replies(value) is not None or failure(value) != ""
            if not is_reply and not _are_results(value):
                return False
    return True


def _are_results(value: Mapping[str, object]) -> bool:
    """Return whether an object has the results of a SPARQL query."""
    return not value.keys().isdisjoint({"results", "boolean"})


def read_result_sets(content: Content, options: RunOptions) -> ParsedRun:
    """Read result sets; where the gold questions have bare ids, those in the asked language."""
    results = result_sets(content)
    gold_ids = options.gold.by_id.keys() if options.gold else frozenset()
    ids = {name: name for name in results}
    if gold_ids.isdisjoint(results):
        parts = {name: match for name in results if (match := QNAME.fullmatch(name))}
        bare = {
            name: match["id"]
            for name, match in parts.items()
            if match["language"] == options.language
        }
        if not gold_ids.isdisjoint(bare.values()):
            ids = bare
    responses = []
    for name, id_ in ids.items():
        response = Response(id_, status_of(results[name]), results[name])
        # a name is the text too, as in the gold of this form
        responses.append(ParsedResponse(response, name if id_ == name else ""))
    return ParsedRun(responses)
