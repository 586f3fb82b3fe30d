"""Read answers in records, tables, lists and lines, with the usual names of their fields."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from qaldgen.answers.chats import chat_replies, error_text, failure
from qaldgen.answers.record import (
    STATUSES,
    ParsedResponse,
    ParsedRun,
    Response,
    RunOptions,
    status_of,
)
from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.io.text import some
from qaldgen.model import Answers, QuestionSet
from qaldgen.questions.choices import are_places, first_number, meant_choice, named_choices
from qaldgen.questions.columns import (
    AGREES,
    ROW_NUMBERS,
    Columns,
    answer_columns,
    answers_of_systems,
    best_candidates,
    find_answers,
    first_filled,
    looks_like_sparql,
    rows_by_system,
)
from qaldgen.questions.conversations import ANSWERING, conversation, last_said
from qaldgen.questions.csv_tables import table_header, table_records
from qaldgen.questions.fields import NAMES as ROLES
from qaldgen.questions.fields import (
    is_a,
    is_unknown,
    may_be_id,
    plain_name,
    says_gold,
)
from qaldgen.questions.file_content import Content
from qaldgen.questions.nested_records import flat_rows
from qaldgen.questions.question_texts import (
    answer_type,
    base_language,
    is_out_of_scope,
    language_tag,
)
from qaldgen.questions.records import Fields, asked_text, boolean_of, record_fields, scalar_text
from qaldgen.questions.result_sets import QNAME, result_sets
from qaldgen.questions.results_json import merge_answers
from qaldgen.questions.values import (
    NOTHING_KNOWN,
    Expected,
    answers_of,
    as_terms,
    holds_answers,
    most_probable,
    number_in,
    read_value,
    written,
)
from qaldgen.sparql.clauses import projected

#: What a record of a run may have, by the usual names of its field, the most specific first.
NAMES = {
    "id": ROLES["run id"],
    # a query may be SPARQL, and a text anything
    "question": (
        *(name for name in ROLES["question"] if name != "text"),
        *(name for name in ROLES["maybe question"] if name != "query"),
        "text",
    ),
    "query": ROLES["system query"],
    "answertype": ROLES["type"][:1],
    **{
        kind: ROLES[kind]
        for kind in (
            "status",
            "error",
            "language",
            "seconds",
            "repeat",
            "confidence",
            "no answer",
            "answers at all",
        )
    },
}
#: Names of columns with scores, as `plain_name` gives them.
_SCORE = re.compile(
    r"(macro|micro|mean|avg|average)?"
    r"(precision|recall|f1|f1?score|f1?measure|accuracy|acc|exactmatch|em|hitsat1|hitat1|hits?1|score)"
)


#: No record has more fields.
_MOST_FIELDS = 1000


def has_answers(names: Iterable[str]) -> bool:
    """Tell whether these are fields of an answer file: an id or the question, and an answer."""
    names = tuple(map(str, islice(names, _MOST_FIELDS + 1)))
    if len(names) > _MOST_FIELDS:  # these are ids
        return False
    keys = {*NAMES["id"], *NAMES["question"], "query", *ROW_NUMBERS}
    known = any(plain_name(name) in keys or _is_other_id(name) for name in names)
    return known and answers_of_systems(names) != {}


def _is_other_id(name: str) -> bool:
    """Tell whether a name is that of an id in sets, or ends like one; row numbers are no ids."""
    return may_be_id(name) or (is_a(name, "id") and plain_name(name) not in ROW_NUMBERS)


def carries_systems(rows: Sequence[object]) -> bool:
    """Tell whether records have gold answers, and beside them others that agree here and there."""
    names = next((tuple(row) for row in rows if isinstance(row, dict)), ())
    return any(map(says_gold, names)) and find_answers(rows).systems != {}


def has_scores(names: Iterable[str]) -> bool:
    """Tell whether these are the columns of a table of scores: an id or the question, and scores.

    >>> has_scores(["ID", "Precision", "Recall", "F1"]), has_scores(["id", "answer", "f1"])
    (True, False)
    """
    squeezed_names = [plain_name(str(name)) for name in islice(names, _MOST_FIELDS + 1)]
    if len(squeezed_names) > _MOST_FIELDS:
        return False
    keys = NAMES["id"] + NAMES["question"]
    scores = [name for name in squeezed_names if name not in keys]
    return 0 < len(scores) < len(squeezed_names) and all(map(_SCORE.fullmatch, scores))


def columns_by_kind(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the fields of each kind in `NAMES`, the most telling first.

    >>> columns_by_kind(["ID", "uid", "predicted_query"])["id"]
    ['ID', 'uid']
    """
    places = {name: plain_name(str(name)) for name in names}
    return {
        kind: sorted(
            (name for name in places if places[name] in known),
            key=lambda name: known.index(places[name]),
        )
        for kind, known in NAMES.items()
    }


#: What a row says of an answer beside itself.
_BESIDE = frozenset(
    chain.from_iterable(names for kind, names in NAMES.items() if kind not in {"id", "question"})
)


class SeveralSystems(DataError):
    """A file holds the answers of several systems; `runs` has each by name, as of one file."""

    def __init__(
        self, content: Content, rows: Mapping[str, Sequence[Mapping[str, object]]]
    ) -> None:
        super().__init__(
            f"holds the answers of several systems ({some([*rows])}), which score, compare and"
            " report read; keep the answers of one here",
            where=content.path,
        )
        self.runs = {name: content.of_records(records) for name, records in rows.items()}


def runs_beside(
    content: Content, rows: Sequence[object], columns: Columns, name: str
) -> dict[str, Content]:
    """Return what each system answered to the questions of a file, as the content of a run.

    A system is called as its column if there are several, else by this name.
    """
    key = columns.one.get("id")
    taken = {*columns.gold, *columns.variants, *columns.queries, *columns.question, key}
    runs = {}
    for system, answers in columns.systems.items():
        several = len(answers) > 1
        records = [
            {"id": row.get(key, str(number))}
            | {
                column: value
                for column, value in row.items()
                if column not in taken and plain_name(column) in _BESIDE
            }
            | {one if several else "prediction": row.get(one) for one in answers}
            for number, row in enumerate(rows, 1)
            if isinstance(row, dict)
        ]
        note = (f"reads the answers from {answers[0]!r}",) if system else ()
        made = dataclasses.replace(content.of_records(records), notes=note)
        runs[system if len(columns.systems) > 1 else name] = made
    return runs


#: A reply that is one block of code in Markdown, as language models write JSON.
_FENCED = re.compile(r"\s*```(?:json)?\s*(?P<inside>[\[{].*[\]}])\s*```\s*", re.DOTALL)


#: What stands before an answer in a list in Markdown.
_BULLET = re.compile(r"(?:[-*•]|[0-9]{1,3}[.)])\s+")
#: A line with more words is no answer in a list.
_MOST_WORDS = 8


def answer_lines(text: str) -> list[str]:
    r"""Return the answers in a text that has one in each line; none if its lines are others.

    Bullets may stand before them, and a line that ends in a colon before the bullets.

    >>> answer_lines("The moons are:\n- Phobos\n- Deimos"), answer_lines("Io.\nIt is a moon.")
    (['Phobos', 'Deimos'], [])
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 2 and lines[0].endswith(":") and _BULLET.match(lines[1]):
        del lines[0]
    bullets = [_BULLET.match(line) for line in lines]
    if len(lines) < 2 or (any(bullets) and not all(bullets)):
        return []
    answers = [_BULLET.sub("", line, count=1).strip("*_` ") for line in lines]
    for answer in answers:
        if not answer or answer[-1] in ".:;!?" or len(answer.split()) > _MOST_WORDS:
            return []
    return answers


def said(given: object, fields: Fields, name: str, expected: Expected, *, bars: bool) -> Answers:
    """Return the answers of a system in a value, by the rules for gold answers."""
    if isinstance(given, str) and (fenced := _FENCED.fullmatch(given)):
        given = fenced["inside"]
    if expected.several and isinstance(given, str) and "\n" in given.strip():
        given = answer_lines(given) or given
    listed = written(given) if isinstance(given, str) else given
    if is_a(name, "transcript"):
        messages = conversation(listed)
        if not messages:
            raise fields.error(name, "a list of messages with 'role' and 'content'")
        listed = given = last_said(messages, ANSWERING)
    if expected.choices and isinstance(listed, list) and len(listed) == 1:
        given = listed = listed[0]
    if not isinstance(listed, (list, dict)):  # most answers
        if expected.choices and isinstance(given, (str, int)) and not isinstance(given, bool):
            several = named_choices(given, expected.choices)
            if len(several) > 1:
                return Answers(texts=tuple((text,) for text in several))
            given = meant_choice(str(given), expected.choices)
        return as_terms(answers_of(given, fields, name, bars=bars), expected) or Answers()
    best = most_probable(listed)
    if best is listed and is_a(name, "candidates") and isinstance(listed, list) and listed:
        best = listed[0]  # the best comes first
    # pairs are candidates with scores, unless the query has rows of several variables
    candidates = best is not listed and len(projected(expected.query)) < 2
    value = best if candidates else given
    # an object with answers under one of their names, perhaps written as text
    if isinstance(listed, dict) and not candidates:
        inner = answer_columns(listed)
        whole = holds_answers(listed)
        if len(inner) == 1 and (not whole or isinstance(listed[inner[0]], list)):
            part = fields.inside(name, listed)
            return said(listed[inner[0]], part, inner[0], expected, bars=bars)
        if isinstance(value, dict) and not whole:
            raise fields.error(
                name, "a string, a number, a boolean, a list of such, null or SPARQL results JSON"
            )
    items = value if isinstance(value, list) else []
    objects = any(isinstance(item, dict) for item in items)
    if objects and not expected.query and not holds_answers(items):
        named = [answer_columns(item) if isinstance(item, dict) else () for item in items]
        if any(len(names) != 1 for names in named):
            raise fields.error(name, "a string or a list of strings")
        inside = Fields({f"{name}[{at}]": item for at, item in enumerate(items)}, fields.where)
        parts = [said(inside.data[at], inside, at, expected, bars=bars) for at in inside.data]
        return merge_answers(parts)
    answers = read_value(value, fields, name, expected, bars=bars) or Answers()
    if not answers.texts or candidates:
        return answers
    listed = isinstance(written(value) if isinstance(value, str) else value, list)
    return dataclasses.replace(answers, listed=listed)


def tries_of(fields: Fields, name: str, expected: Expected = NOTHING_KNOWN) -> list[Answers]:
    """Return the tries in a field: one, except for samples and the choices of a chat service."""
    value = fields.data[name]
    replies = chat_replies(value)
    if replies is not None:
        return [said(text, fields, name, expected, bars=False) for text in replies] or [Answers()]
    if is_a(name, "tries") and isinstance(value, list) and value:
        inner = Fields({f"{name}[{i}]": item for i, item in enumerate(value)}, fields.where)
        return [answers for key in inner.data for answers in tries_of(inner, key, expected)]
    return [said(fields.data[name], fields, name, expected, bars=plain_name(name) == "answers")]


_ERRORS = ("failed", "timeout", "not asked")
#: Statuses that other programs give to successful answers.
_FINE = frozenset(
    ["ok", "success", "succeeded", "completed", "complete", "done", "finished", "200"]
)


_DIGIT = re.compile(r"[0-9]")


def recognises_records(content: Content) -> bool:
    """Say whether these are JSON records with an id or the question, and an answer.

    A single record may be a single JSON object, unless that holds several.
    """
    if content.kind not in {"json", "jsonl"}:
        return False
    if has_answers(content.keys):
        return isinstance(content.document, list) or len(content.rows) < 2
    return carries_systems(content.records)


def recognises_table(content: Content) -> bool:
    """Say whether this is a table.

    A header with an id and an answer, or at least two cells in every line.
    """
    if content.kind != "text":
        return False
    return _has_header(content) or _delimiter(content) != ""


def read_records(content: Content, asked: RunOptions) -> ParsedRun:
    """Read JSON records.

    Each has an id or the question, the answers, and if available status, seconds, query and error.
    """
    return responses_in(content, content.records, asked)


def read_table(content: Content, asked: RunOptions) -> ParsedRun:
    r"""Read CSV or TSV: with a header like the records of `read_records`, or id and answers.

    Several answers are in several rows with one id, in several columns, or separated by ``|``
    (``\|`` is a bar). With a column that numbers tries (epoch, sample, ...) each row is a try of
    its own.
    """
    if asked.told.answers or _has_header(content):
        return responses_in(
            content, table_records(content, table_header(content)), asked, table=True
        )
    delimiter = _delimiter(content) or ","
    width = 1 + max(line.count(delimiter) for line in content.lines)
    names = ["id", *(f"answer{place}" for place in range(1, width))]
    rows = table_records(content, names, headed=False, delimiter=delimiter)
    answers = ["answer1", "answer2"]
    if (
        width == 3
        and asked.gold is not None
        and _repeating_gold(content, rows, asked.gold, "id", answers) == answers[:1]
    ):
        note("has no header; column 2 has the gold answers, and column 3 is read as the answers")
        rows = [
            {"id": row["id"], "answer": row.get("answer2")} for row in rows if isinstance(row, dict)
        ]
    _check_headless(content, rows, asked)
    return responses_in(content, rows, asked, table=True)


def _repeating_gold(
    content: Content,
    rows: Sequence[object],
    gold: QuestionSet,
    key: str | None,
    columns: Sequence[str],
) -> list[str]:
    """Return which of some columns say what the gold says of two questions or more, and of each."""
    repeating = [*columns]
    compared = 0
    for record, expected, right in _beside_gold(content, rows, gold, key):
        if not repeating:
            break
        compared += 1
        repeating = [name for name in repeating if _values(record, name, expected) == right]
    return repeating if compared > 1 else []


def _beside_gold(
    content: Content, rows: Sequence[object], gold: QuestionSet, key: str | None
) -> Iterator[tuple[Fields, Expected, set[str]]]:
    """Yield the records to whose questions there is gold, what it expects, and its values."""
    names = dict.fromkeys(chain.from_iterable(row for row in rows if isinstance(row, dict)))
    texts = [name for name in names if plain_name(name) in NAMES["question"]]
    for record in record_fields(content, ["id"], rows):
        said_id = "" if key is None else scalar_text(record.data.get(key, ""))
        said_text = asked_text(record, texts)
        question = gold.by_id.get(said_id.strip()) or gold.by_text.get(said_text or said_id)
        if question is not None and question.answers is not None:
            expected = Expected(question.answer_type, question.sparql)
            yield record, expected, {*question.answers.values()}


def with_answers_by_values(content: Content, gold: QuestionSet) -> Content | None:
    """Return records with the answers under a usual name, where only their values show them.

    They are in the only column beside the id, or in the only one that says here and there what the
    gold says, or says so everywhere. None if that does not decide.
    """
    if content.kind not in {"text", "json", "jsonl"}:
        return None
    table = content.kind == "text"
    found = table_records(content, table_header(content)) if table else content.rows
    rows: list[dict[str, object]] = [row for row in found if isinstance(row, dict)]
    names = [*dict.fromkeys(chain.from_iterable(rows))]
    if len(rows) < 2 or len(names) > _MOST_FIELDS:
        return None
    key = _id_column(rows, gold)
    asked = {
        name
        for row in rows
        for name in row
        if isinstance(row[name], str)
        if row[name] in gold.by_text
    }
    others = [name for name in names if name not in {key, *asked} and not is_a(name, "id")]
    agreeing: Counter[str] = Counter()
    compared = 0
    for record, expected, right in _beside_gold(content, rows, gold, key):
        compared += 1
        folded = {text.casefold() for text in right}
        for name in others:
            values = {text.casefold() for text in _values(record, name, expected)}
            agreeing[name] += not folded.isdisjoint(values)
    if not compared:
        return None
    perfect = [name for name in others if agreeing[name] == compared and not says_gold(name)]
    partly = [name for name in others if AGREES * compared <= agreeing[name] < compared]
    answers = partly or perfect or others
    if len(answers) != 1 or says_gold(answers[0]):
        return None
    text = f"reads the answers from {answers[0]!r}, which says here and there what the gold says"
    if len(others) == 1:
        text = f"reads the answers from {others[0]!r}, the only field beside the question"
    records = [{**row, "prediction": row.get(answers[0])} for row in rows]
    return dataclasses.replace(content.of_records(records), notes=(*content.notes, text))


def _values(record: Fields, name: str, expected: Expected) -> set[str]:
    """Return the answers in a field; none if it holds no answers."""
    try:
        return {*said(record.data.get(name), record, name, expected, bars=True).values()}
    except DataError:
        return set()


def _has_header(content: Content) -> bool:
    """Tell whether the first line of a table names an answer beside an id or the question."""
    header = table_header(content)
    if has_answers(header):
        return True
    return any(map(says_gold, header)) and carries_systems(table_records(content, header))


def read_id_answer(content: Content, asked: RunOptions) -> ParsedRun:
    """Read a JSON object from id (or question) to answer.

    An answer is a string, a number, a boolean, a list of these, or null.
    """
    document: dict[str, object] = {}
    known = asked.gold.by_id if asked.gold else {}
    for name, value in Fields(content.document, (str(content.path),)).data.items():
        # the id of what holds several questions, with an answer for each of them
        parts = value if isinstance(value, list) and name not in known else []
        ids = [f"{name}.{number}" for number in range(1, len(parts) + 1)]
        together = len(ids) > 1 and known.keys() >= {*ids} and f"{name}.{len(ids) + 1}" not in known
        document |= dict(zip(ids, parts, strict=True)) if together else {name: value}
    fields = Fields(document, (str(content.path),))
    given = [
        ParsedResponse(Response(name.strip(), status_of(answers), answers))
        for name in document
        for answers in tries_of(fields, name, asked.expected(name.strip()))
    ]
    return ParsedRun(given)


#: Columns that tell the questions apart.
KEYS = frozenset([*NAMES["id"], *NAMES["question"], "query"])


def responses_in(
    content: Content, rows: Sequence[object], asked: RunOptions, *, table: bool = False
) -> ParsedRun:
    """Return the responses in records or the rows of a table."""
    rows = flat_rows(list(rows))
    names = [*dict.fromkeys(chain.from_iterable(row for row in rows if isinstance(row, dict)))]
    other_ids = frozenset(plain_name(name) for name in names if may_be_id(name))
    for keys in (KEYS, other_ids):
        if parts := rows_by_system(rows, keys):
            raise SeveralSystems(content, parts)
        if table and (crossed := _crossed_column(rows, names, keys)):
            note(f"has a row for each question and {crossed!r}; each value is read as a system")
            raise SeveralSystems(content, rows_by_system(rows, keys, crossed))
    rows = best_candidates(rows)
    objects = [row for row in rows if isinstance(row, dict)]
    key = _id_column(objects, asked.gold)
    header = table_header(content) if content.kind == "text" else ()
    repeated: list[str] = []
    if asked.gold is not None:
        maybe_gold = [name for name in names if is_a(name, "answer", "choice") or says_gold(name)]
        repeated = _repeating_gold(content, objects, asked.gold, key, maybe_gold)
    found = find_answers(objects, asked.told, header, repeated)
    if len(found.systems) > 1:
        columns = {*chain.from_iterable(found.systems.values())}
        others = [{name: row[name] for name in row if name not in columns} for row in objects]
        parts = {
            system: [
                {**other, "prediction": row.get(column)}
                for row, other in zip(objects, others, strict=True)
            ]
            for system, (column,) in found.systems.items()
        }
        raise SeveralSystems(content, parts)
    for name in found.gold[:1]:
        note(f"{name!r} is taken for the gold answer, since there is a prediction beside it")
    for name in chain.from_iterable(found.systems.values()):
        if is_a(name, "candidates"):
            note(f"of each list in {name!r} only the best or first candidate is the answer")
    answers = next(iter(found.systems.values()), ())
    kinds = columns_by_kind(name for name in names if name not in {*answers, key})
    kinds["id"] = [] if key is None else [key]
    queries = [name for name in kinds["query"] if plain_name(name) == "query"]
    # a query is the question unless it is SPARQL
    if not kinds["question"] and not any(
        looks_like_sparql(row.get(name)) for row in objects for name in queries
    ):
        kinds["question"] = queries
        kinds["query"] = [name for name in kinds["query"] if name not in queries]
    named = kinds["id"] or kinds["question"]
    if not named and asked.gold is not None and len(objects) == len(rows):
        rows = rows_in_order(content, objects, asked)
        kinds["id"] = ["id"]
    records = [*record_fields(content, kinds["id"], rows)]
    offered = []
    with_choices = any("choices" in question.metadata for question in asked.gold or ())
    for record in records if with_choices else ():
        text = asked_text(record, kinds["question"])
        choices = asked.expected(record.first(kinds["id"]), text).choices
        if choices is not None:
            offered += [(record.data[name], choices) for name in answers if record.has(name)]
    first = first_number((value, choices) for value, choices in offered if choices.first is None)
    asked = asked._replace(first_choice=first, places=are_places(offered))
    given: dict[object, list[ParsedResponse]] = {}
    for record, other in _in_language(records, kinds["language"], asked.language):
        said_so = [
            name for name in found.yes_no if boolean_of(str(record.data.get(name))) is not None
        ]
        for item in _tries(record, said_so[:1] or answers, kinds, asked, table=table):
            # Rows with the same id are several answers to one question, unless they are
            # numbered tries; in JSON an answer may be a list.
            place = (item.response.id, item.repeat, other) if table else len(given)
            given.setdefault(place, []).append(item._replace(asked_as=other))
    gold = next(iter(found.gold), "")
    return ParsedRun(_queries_apart([_joined(items) for items in given.values()]), gold=gold)


def rows_in_order(
    content: Content, rows: Sequence[Mapping[str, object]], asked: RunOptions
) -> list[dict[str, object]]:
    """Return records that have no ids with those of the gold questions, and say so."""
    ids = ids_in_order(content, asked, len(rows))
    note("the answers have no ids, and are taken to be in the order of the questions")
    return [{"id": name, **row} for name, row in zip(ids, rows, strict=True)]


def ids_in_order(content: Content, asked: RunOptions, size: int) -> list[str]:
    """Return the ids of the gold questions, for answers that have none."""
    if asked.gold is None:
        return [str(number) for number in range(1, size + 1)]
    ids = [question.id for question in asked.gold.questions]
    if len(ids) != size:
        raise DataError(
            f"has {size:,} lines, {asked.gold.name} has {len(ids):,} questions; answers without ids"
            " need one line for each question, an empty one (in a list: null) for no answer",
            where=content.path,
        )
    return ids


def _crossed_column(rows: Sequence[object], names: Sequence[str], keys: frozenset[str]) -> str:
    """Return the unknown column whose values each question has once; empty if there is none.

    Its rows are no parts of one answer; numbers from 0 or 1 may number these.
    """
    objects: list[dict[str, object]] = [row for row in rows if isinstance(row, dict)]
    key = next((name for name in names if plain_name(name) in keys), "")
    for name in filter(is_unknown, names if key else ()):
        values: dict[str, list[str]] = {}
        for row in objects:
            values.setdefault(str(row.get(key)), []).append(str(row.get(name) or ""))
        first = next(iter(values.values()))
        each = {*first}
        numbers = [{*map(str, range(start, start + len(first)))} for start in (0, 1)]
        if len(values) < 2 or len(each) < 2 or "" in each or each in numbers:
            continue
        if all(sorted(found) == sorted(each) for found in values.values()):
            return name
    return ""


def _queries_apart(given: list[ParsedResponse]) -> list[ParsedResponse]:
    """Return queries that stand for answers as queries without a result; note how many.

    As texts they would all be wrong; as empty answers, right where the gold is empty.
    """
    queries = []
    for item in given:
        answers = item.response.answers
        texts = answers.texts if answers and not item.response.query else ()
        text = texts[0][0] if len(texts) == 1 else ""
        queries.append(text if looks_like_sparql(text) and not is_out_of_scope(text) else "")
    number = sum(map(bool, queries))
    if not number or 2 * number < sum(item.response.status == "answered" for item in given):
        return given
    note(
        f"{number:,} of {len(given):,} answers are SPARQL queries without results; they count as"
        " failed, and only sub-experiments compare queries. Execute them, and give"
        " the results as answers"
    )
    apart = []
    for item, query in zip(given, queries, strict=True):
        if query or item.response.status == "empty":
            error = f"the system gave {'a query, which was not executed' if query else 'no query'}"
            failed = dataclasses.replace(
                item.response, query=query, answers=None, status="failed", error=error
            )
            item = item._replace(response=failed)
        apart.append(item)
    return apart


def _id_column(objects: Sequence[Mapping[str, object]], gold: QuestionSet | None) -> str | None:
    """Return the column with the ids of the questions; None if none can have them.

    A usual name comes first, then any that ends in id; but before both what has ids of the gold.
    Row numbers are ids where nothing else says which question it is.
    """
    names = [*dict.fromkeys(chain.from_iterable(objects))]
    usual = [name for name in names if plain_name(name) in NAMES["id"]]
    usual.sort(key=lambda name: NAMES["id"].index(plain_name(name)))
    others = [name for name in names if name not in usual and _is_other_id(name)]
    asked = [name for name in names if plain_name(name) in NAMES["question"]]
    able = [name for name in (*usual, *others) if _tells_apart(objects, name, asked, gold)]
    if len(able) > 1 and gold is not None and not gold.numbered:
        for name in able:
            if all(str(row.get(name, "")).strip() in gold.by_id for row in objects):
                return name
    if not able and not asked:
        able = [name for name in names if plain_name(name) in ROW_NUMBERS]
    return next(iter(able), None)


def _tells_apart(
    objects: Sequence[Mapping[str, object]],
    column: str,
    asked: Sequence[str],
    gold: QuestionSet | None,
) -> bool:
    """Whether the values of a column stand beside one question of the gold each.

    Among ids of the gold a few may not: texts may be those of two questions. Without the gold, only
    a column with one value for several questions does not tell them apart.
    """
    if not asked:
        return True
    questions: dict[str, set[str]] = {}
    for row in objects:
        text = str(row.get(first_filled(row, asked) or "", "")).strip()
        question = gold.by_text.get(text) if gold else None
        name = question.id if question else text
        if name and (question or gold is None):
            questions.setdefault(str(row.get(column, "")), set()).add(name)
    mixed = sum(len(names) > 1 for names in questions.values())
    if gold is None:
        return not mixed or len(questions) > 1
    if gold.by_id.keys().isdisjoint(questions):
        return not mixed
    return 2 * mixed <= len(questions)


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


def _check_headless(content: Content, rows: Sequence[object], asked: RunOptions) -> None:
    """Refuse a table whose first line names columns; say which columns are read as answers."""
    records = [row for row in rows if isinstance(row, dict)]
    first, *others = [str(record.get("id", "")) for record in records] or [""]
    known = {text for one in asked.gold or () for text in (one.id, *chain(*one.texts.values()))}
    numbered = not _DIGIT.search(first) and all(map(_DIGIT.search, others))
    mostly_known = 2 * sum(name in known for name in others) > len(others)
    if others and first not in known and (numbered or mostly_known):
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
    here = [(record, "") for record in records]
    tags = [language_tag(record.first(columns)) for record in records]
    known, wanted = sorted({tag for tag in tags if tag}), language_tag(language)
    if len(known) == 1 and base_language(known[0]) != base_language(wanted):
        note(
            f"all answers with a language are in {known[0]!r}, and are compared in {wanted!r};"
            f" `language={known[0]!r}` compares them in their own language"
        )
    if len(known) < 2:
        return here
    others = ", ".join(tag for tag in known if tag != wanted)
    note(
        f"{tags.count(wanted):,} of {len(records):,} answers are read, those in {wanted!r};"
        f" there are also {others}"
    )
    return [
        (record, "" if tag == wanted else tag)
        for record, tag in zip(records, tags, strict=True)
        if tag
    ]


def _tries(
    record: Fields,
    columns: Sequence[str],
    kinds: Mapping[str, Sequence[str]],
    asked: RunOptions,
    *,
    table: bool,
) -> list[ParsedResponse]:
    """Return the tries of a record, whose answers are in these columns.

    One, except for a list of samples or the choices of a chat service.
    """
    filled = [name for name in columns if record.has(name)]
    failed = failure(record.data[filled[0]]) if filled and not table else ""
    if failed:
        return [_given(record, kinds, Answers(), failed)]
    expected = NOTHING_KNOWN
    if asked.gold is not None:
        expected = asked.expected(record.first(kinds["id"]), asked_text(record, kinds["question"]))
    if table:
        cells = [said(record.data[name], record, name, expected, bars=True) for name in filled]
        return [_given(record, kinds, merge_answers(cells))]
    found = tries_of(record, filled[0], expected) if filled else [Answers()]
    tries = [_given(record, kinds, answers) for answers in found]
    if len(tries) == 1:
        return tries
    return [answer._replace(repeat=f"{answer.repeat} {at}") for at, answer in enumerate(tries)]


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
    seconds, stated = None, record.first(kinds["seconds"])
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
    response = Response(
        name,
        status,
        None if status in _ERRORS else answers,
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


def recognises_id_answer(content: Content) -> bool:
    """Say whether this is one JSON object from ids to answers.

    The keys may be anything; the values are neither records nor objects, except for SPARQL results
    and chat replies.
    """
    document = content.document if isinstance(content.document, dict) else {"": {}}
    # the results of one query do not say of which question they are
    if not document.keys().isdisjoint({"results", "boolean"}):
        return False
    return not any(
        (isinstance(value, list) and value and isinstance(value[0], dict) and has_answers(value[0]))
        or (
            isinstance(value, dict)
            and value.keys().isdisjoint({"results", "boolean"})
            and chat_replies(value) is None
        )
        for value in document.values()
    )


def read_result_sets(content: Content, asked: RunOptions) -> ParsedRun:
    """Read result sets; where the gold questions have bare ids, those in the asked language."""
    results = result_sets(content)
    known = {question.id for question in asked.gold.questions} if asked.gold else set()
    names = {name: name for name in results}
    if known.isdisjoint(results):
        parts = {name: match for name in results if (match := QNAME.fullmatch(name))}
        bare = {
            name: match["id"]
            for name, match in parts.items()
            if match["language"] == asked.language
        }
        names = names if known.isdisjoint(bare.values()) else bare
    return ParsedRun([
        # a name is the text too, as in the gold of this form
        ParsedResponse(
            Response(short, status_of(results[name]), results[name]), name if short == name else ""
        )
        for name, short in names.items()
    ])  # fmt: skip
