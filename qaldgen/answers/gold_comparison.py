"""Compare the columns of a run with the gold answers: they may repeat them, or be answers."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from qaldgen.answers.answer_values import read_system_answers
from qaldgen.answers.run_columns import MAX_FIELDS, ROLE_NAMES, id_column
from qaldgen.errors import DataError
from qaldgen.model import QuestionSet
from qaldgen.questions.column_values import MIN_AGREEMENT
from qaldgen.questions.fields import has_role, is_gold_name, normalize_name
from qaldgen.questions.file_content import Content
from qaldgen.questions.records import Fields, read_question_text, record_fields, scalar_text
from qaldgen.questions.values import Expected

#: Roles of columns that never hold answers.
NO_ANSWERS = ("id", "seconds", "confidence", "status", "error", "language", "split", "reading")


def columns_repeating_gold(
    content: Content,
    rows: Sequence[object],
    gold: QuestionSet,
    key: str | None,
    columns: Sequence[str],
) -> list[str]:
    """Return the columns that equal the gold answers of all questions, of which two are needed."""
    repeating = list(columns)
    n_compared = 0
    for record, expected, gold_values in _records_with_gold(content, rows, gold, key):
        if not repeating:
            break
        n_compared += 1
        repeating = [
            name for name in repeating if _read_values(record, name, expected) == gold_values
        ]
    if n_compared < 2:
        return []
    return repeating


def with_answers_by_values(content: Content, gold: QuestionSet) -> Content | None:
    """Return records with the answers in a known field, if only their values show the column.

    The answers are in the only column besides the id, or in the only one that equals the gold for
    some questions, or in the only one that equals it for all. None if there is no such column.
    """
    if content.kind not in {"text", "json", "jsonl"}:
        return None
    rows = content.objects
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    if len(rows) < 2 or len(names) > MAX_FIELDS:
        return None
    key = id_column(rows, gold)
    questions = set()
    for row in rows:
        for name, value in row.items():
            if isinstance(value, str) and value in gold.by_text:
                questions.add(name)
    candidates = [
        name for name in names if name not in {key, *questions} and not has_role(name, *NO_ANSWERS)
    ]
    n_agreeing: Counter[str] = Counter()
    n_compared = 0
    for record, expected, gold_values in _records_with_gold(content, rows, gold, key):
        n_compared += 1
        folded = {text.casefold() for text in gold_values}
        for name in candidates:
            values = {text.casefold() for text in _read_values(record, name, expected)}
            if not folded.isdisjoint(values):
                n_agreeing[name] += 1
    if not n_compared:
        return None
    equal = [
        name for name in candidates if n_agreeing[name] == n_compared and not is_gold_name(name)
    ]
    min_agreeing = MIN_AGREEMENT * n_compared
    partly = [name for name in candidates if min_agreeing <= n_agreeing[name] < n_compared]
    answers = partly or equal or candidates
    if len(answers) != 1 or is_gold_name(answers[0]):
        return None
    text = f"reads the answers from {answers[0]!r}, which says here and there what the gold says"
    if len(candidates) == 1:
        text = f"reads the answers from {candidates[0]!r}, the only field beside the question"
    predictions = [{**row, "prediction": row.get(answers[0])} for row in rows]
    return dataclasses.replace(content.with_records(predictions), notes=(*content.notes, text))


def _records_with_gold(
    content: Content, rows: Sequence[object], gold: QuestionSet, key: str | None
) -> Iterator[tuple[Fields, Expected, set[str]]]:
    """Yield the records whose questions have gold answers, with what is expected and the values."""
    names = dict.fromkeys(chain.from_iterable(row for row in rows if isinstance(row, dict)))
    texts = [name for name in names if normalize_name(name) in ROLE_NAMES["question"]]
    for record in record_fields(content, ["id"], rows):
        own_id = "" if key is None else scalar_text(record.data.get(key, ""))
        text = read_question_text(record, texts)
        question = gold.by_id.get(own_id.strip()) or gold.by_text.get(text or own_id)
        if question is not None and question.answers is not None:
            expected = Expected(question.answer_type, question.sparql)
            yield record, expected, set(question.answers.values())


def _read_values(record: Fields, name: str, expected: Expected) -> set[str]:
    """Return the answers in a field; none if it cannot be read as answers."""
    try:
        answers = read_system_answers(record.data.get(name), record, name, expected)
    except DataError:
        return set()
    return set(answers.values())
