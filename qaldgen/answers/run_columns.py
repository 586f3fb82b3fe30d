"""Decide which fields of a run hold the id, the question, the answers, and other values."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from qaldgen.answers.chats import PROMPT_ROLES, without_prompt
from qaldgen.model import QuestionSet
from qaldgen.questions.column_values import first_filled
from qaldgen.questions.columns import ROW_NUMBERS, Columns, find_answers
from qaldgen.questions.conversations import ANSWERING, conversation, last_said
from qaldgen.questions.fields import (
    ROLE_NAMES,
    has_role,
    is_gold_name,
    may_be_id,
    normalize_name,
)
from qaldgen.questions.file_content import Content
from qaldgen.questions.system_columns import answers_of_systems
from qaldgen.questions.written_lists import parse_written

#: The known names of fields of a run by what they hold (`RunColumns`), the most specific first.
RUN_ROLE_NAMES = {
    "id": ROLE_NAMES["run id"],
    # a query may be SPARQL, and a text anything
    "question": (
        *(name for name in ROLE_NAMES["question"] if name != "text"),
        *(name for name in ROLE_NAMES["maybe question"] if name != "query"),
        "text",
    ),
    "query": ROLE_NAMES["system query"],
    "answer_type": ROLE_NAMES["type"][:1],
    "status": ROLE_NAMES["status"],
    "error": ROLE_NAMES["error"],
    "language": ROLE_NAMES["language"],
    "seconds": ROLE_NAMES["seconds"],
    "repeat": ROLE_NAMES["repeat"],
    "confidence": ROLE_NAMES["confidence"],
    "no_answer": ROLE_NAMES["no answer"],
    "answerable": ROLE_NAMES["answers at all"],
}
#: Names of columns with scores, as `normalize_name` gives them.
_SCORE_NAME = re.compile(
    r"(macro|micro|mean|avg|average)?"
    r"(precision|recall|f1|f1?score|f1?measure|accuracy|acc|exactmatch|em|hitsat1|hitat1|hits?1|score)"
)
#: The most fields of a record.
MAX_FIELDS = 1000
#: Names of fields about an answer.
_OTHER_FIELDS = frozenset(
    chain(
        ROLE_NAMES["system scale"],
        *(names for role, names in RUN_ROLE_NAMES.items() if role not in {"id", "question"}),
    )
)
#: Names of columns that identify the question.
KEYS = frozenset([*RUN_ROLE_NAMES["id"], *RUN_ROLE_NAMES["question"], "query"])


class RunColumns(NamedTuple):
    """The columns of a run by what they hold, beside the answers; the first filled one counts."""

    id: Sequence[str]
    question: Sequence[str]
    query: Sequence[str] = ()  # of the system, in SPARQL
    answer_type: Sequence[str] = ()
    status: Sequence[str] = ()
    error: Sequence[str] = ()
    language: Sequence[str] = ()
    seconds: Sequence[str] = ()
    repeat: Sequence[str] = ()  # the number of one of several answers
    confidence: Sequence[str] = ()
    no_answer: Sequence[str] = ()  # how probable it is that there is no answer
    answerable: Sequence[str] = ()  # whether the system says that there is an answer
    verdicts: Sequence[str] = ()  # all count: of another evaluator on the answer


def has_answers(names: Iterable[str]) -> bool:
    """Return whether these are fields of a run: an id or the question, and an answer."""
    names = tuple(map(str, islice(names, MAX_FIELDS + 1)))
    if len(names) > MAX_FIELDS:  # the keys of a large object are ids
        return False
    keys = KEYS.union(ROW_NUMBERS)
    if len(names) > 1:  # a chat alone may have neither a question nor a reply
        keys = keys.union(ROLE_NAMES["transcript"])
    has_key = any(normalize_name(name) in keys or _is_other_id(name) for name in names)
    return has_key and answers_of_systems(names) != {}


def _is_other_id(name: str) -> bool:
    """Return whether a name is that of an id in question sets, or ends like one."""
    return may_be_id(name) or (has_role(name, "id") and normalize_name(name) not in ROW_NUMBERS)


def carries_systems(rows: Sequence[object]) -> bool:
    """Return whether records have gold answers, and answers of systems that partly agree."""
    names = next((tuple(row) for row in rows if isinstance(row, dict)), ())
    return any(is_gold_name(name) for name in names) and find_answers(rows).systems != {}


def has_scores(names: Iterable[str]) -> bool:
    """Return whether these are the columns of a table with ids or questions, and only scores.

    >>> has_scores(["ID", "Precision", "Recall", "F1"]), has_scores(["id", "answer", "f1"])
    (True, False)
    """
    columns = [normalize_name(str(name)) for name in islice(names, MAX_FIELDS + 1)]
    if len(columns) > MAX_FIELDS:  # the keys of a large object are ids
        return False
    keys = RUN_ROLE_NAMES["id"] + RUN_ROLE_NAMES["question"]
    others = [name for name in columns if name not in keys]
    return 0 < len(others) < len(columns) and all(_SCORE_NAME.fullmatch(name) for name in others)


def run_columns(names: Iterable[str]) -> RunColumns:
    """Return what the columns of a run hold by their names, the most specific names first.

    >>> run_columns(["ID", "uid", "predicted_query"]).id
    ['ID', 'uid']
    """
    columns: dict[str, list[str]] = {}
    normalized = {name: normalize_name(str(name)) for name in names}
    for role, known_names in RUN_ROLE_NAMES.items():
        fields = [name for name in normalized if normalized[name] in known_names]
        columns[role] = sorted(fields, key=lambda name: known_names.index(normalized[name]))
    return RunColumns(**columns)


def id_column(objects: Sequence[Mapping[str, object]], gold: QuestionSet | None) -> str | None:
    """Return the column with the ids of the questions; None if there is none.

    A column with ids of the gold is preferred, then a known name, then a name that ends in id. Row
    numbers are ids if there are neither other ids nor texts of questions.
    """
    names = list(dict.fromkeys(chain.from_iterable(objects)))
    known = run_columns(names).id
    others = [name for name in names if name not in known and _is_other_id(name)]
    # several numbers of documents are no id of a question
    lists = {name for row in objects for name in row if isinstance(row[name], list)}
    questions = [name for name in names if normalize_name(name) in RUN_ROLE_NAMES["question"]]
    ids = [
        name
        for name in (*known, *others)
        if name not in lists and _identifies_questions(objects, name, questions, gold)
    ]
    if len(ids) > 1 and gold is not None and not gold.numbered:
        for name in ids:
            if all(str(row.get(name, "")).strip() in gold.by_id for row in objects):
                return name
    if not ids and not questions:
        ids = [name for name in names if normalize_name(name) in ROW_NUMBERS]
    return ids[0] if ids else None


def _identifies_questions(
    objects: Sequence[Mapping[str, object]],
    column: str,
    question_columns: Sequence[str],
    gold: QuestionSet | None,
) -> bool:
    """Return whether a column tells the questions apart, whose texts are in other columns.

    Every column does if there are no texts.
    """
    if not question_columns:
        return True
    values = {str(row.get(column, "")) for row in objects}
    if len(values) == 1 < len(objects) and gold is not None and values.isdisjoint(gold.by_id):
        return False  # it is the id of the system or of the set
    questions_by_value: dict[str, set[str]] = {}
    for row in objects:
        text_column = first_filled(row, question_columns)
        if text_column is None:
            continue
        question = str(row[text_column]).strip()
        if gold is not None:
            if question not in gold.by_text:
                continue
            question = gold.by_text[question].id
        questions_by_value.setdefault(str(row.get(column, "")), set()).add(question)
    n_values = len(questions_by_value)
    n_ambiguous = sum(len(questions) > 1 for questions in questions_by_value.values())

    if n_ambiguous == 0:
        return True
    if gold is None:
        return n_values > 1  # the name of the set is the same for all questions
    # an id of the gold is ambiguous if another question has the same text
    has_gold_ids = not gold.by_id.keys().isdisjoint(questions_by_value)
    return has_gold_ids and 2 * n_ambiguous <= n_values


def runs_in_gold_file(
    content: Content, rows: Sequence[object], columns: Columns, name: str
) -> dict[str, Content]:
    """Return the answers of each system in a file of questions, as the content of a run.

    Several systems are called after their columns, a single one by `name`.
    """
    key = columns.single.get("id")
    asked = (*columns.question, *columns.translations)
    other_columns = {*columns.gold, *columns.variants, *columns.queries, *columns.question, key}
    runs = {}
    for system, answers in columns.systems.items():
        records = []
        texts_by_id: dict[str, list[str]] = {}
        for number, row in enumerate(rows, 1):
            if not isinstance(row, dict):
                continue
            prompts = [name for name in row if has_role(name, *PROMPT_ROLES)]
            verdicts = columns.verdicts.get(system, {})
            question_id = row.get(key, str(number))
            # another question with the same id gets the number that it has in the set
            texts = texts_by_id.setdefault(str(question_id), [])
            text = str([row.get(column) for column in asked])
            if text not in texts:
                texts.append(text)
            place = texts.index(text) + 1
            record = {"id": question_id if place == 1 else f"{question_id}#{place}"}
            record |= {verdict: row.get(column) for column, verdict in verdicts.items()}
            for column, value in row.items():
                if column not in other_columns and normalize_name(column) in _OTHER_FIELDS:
                    record[column] = value
            replies = {column: without_prompt(row.get(column), row, prompts) for column in answers}
            if len(answers) == 1:
                field = "predicted_answers" if has_role(answers[0], "several") else "prediction"
                record[field] = replies[answers[0]]
                if has_role(answers[0], "transcript"):
                    messages = conversation(parse_written(row.get(answers[0])))
                    record[field] = last_said(messages, ANSWERING)
            else:
                record |= replies
            records.append(record)
        notes = (f"reads the answers from {answers[0]!r}",) if system else ()
        run = dataclasses.replace(content.with_records(records), notes=notes)
        if len(columns.systems) == 1:
            system = name
        runs[system] = run
    return runs
