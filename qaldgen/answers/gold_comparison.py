"""Compare the columns of a run with the gold answers: they may repeat them, or be answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import chain

from qaldgen.answers.answer_values import read_system_answers
from qaldgen.answers.run_columns import MAX_FIELDS, RUN_ROLE_NAMES, id_column
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
    """Return records with a field ``prediction``, found by comparing columns with the gold answers.

    The answers are in the only column that is sometimes right; else in the only one that is always
    right, unless it is called gold; else in the only one. None if several columns might have them.
    """
    if content.kind not in {"text", "json", "jsonl"}:
        return None
    rows = content.objects
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    if len(rows) < 2 or len(names) > MAX_FIELDS:
        return None
    key = id_column(rows, gold)
    others = {key}
    for row in rows:
        texts = {name: value for name, value in row.items() if isinstance(value, str)}
        others.update(name for name in texts if texts[name] in gold.by_text)
    columns = [name for name in names if name not in others and not has_role(name, *NO_ANSWERS)]

    # the share of records in which a column has one of the gold answers
    n_right = dict.fromkeys(columns, 0)
    n_compared = 0
    for record, expected, gold_values in _records_with_gold(content, rows, gold, key):
        n_compared += 1
        folded = {text.casefold() for text in gold_values}
        for name in columns:
            values = _read_values(record, name, expected)
            n_right[name] += any(text.casefold() in folded for text in values)
    if not n_compared:
        return None
    agreement = {name: number / n_compared for name, number in n_right.items()}

    sometimes = [name for name, share in agreement.items() if MIN_AGREEMENT <= share < 1]
    always = [name for name, share in agreement.items() if share == 1 and not is_gold_name(name)]
    candidates = sometimes or always or list(agreement)
    if len(candidates) != 1 or is_gold_name(candidates[0]):
        return None
    column = candidates[0]
    if len(agreement) == 1:
        reason = "the only field beside the question"
    else:
        reason = "which says here and there what the gold says"
    records = []
    for row in rows:
        beside = {name: value for name, value in row.items() if name != column}
        records.append({**beside, "prediction": row.get(column)})
    predictions = content.with_records(records)
    text = f"reads the answers from {column!r}, {reason}"
    return dataclasses.replace(predictions, notes=(*content.notes, text))


def _records_with_gold(
    content: Content, rows: Sequence[object], gold: QuestionSet, key: str | None
) -> Iterator[tuple[Fields, Expected, set[str]]]:
    """Yield the records whose questions have gold answers, with what is expected and the values."""
    names = dict.fromkeys(chain.from_iterable(row for row in rows if isinstance(row, dict)))
    texts = [name for name in names if normalize_name(name) in RUN_ROLE_NAMES["question"]]
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
