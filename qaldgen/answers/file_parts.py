"""Find the parts of a file that hold the answers of systems: objects, rows or lists."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from qaldgen.answers import lines
from qaldgen.answers.run_columns import carries_systems, has_answers
from qaldgen.model import QuestionSet
from qaldgen.questions.fields import ROLE_NAMES, has_role, normalize_name
from qaldgen.questions.file_content import Content
from qaldgen.questions.joined_lists import answers_in_records
from qaldgen.questions.nested_records import ids_or_texts
from qaldgen.questions.system_columns import answers_of_systems

#: The names under which a file may hold all its answers.
CONTAINER_NAMES = frozenset({
    *ROLE_NAMES["prediction"], *ROLE_NAMES["bare answer"],
    "results", "data", "records", "items", "rows", "questions",
})  # fmt: skip
#: The number before a question in a form.
_LIST_NUMBER = re.compile(r"[0-9]+[.)]\s+")


def with_shared_ids(content: Content, gold: QuestionSet) -> Content:
    """Add the ids of the gold to records that share only a metadata column with the gold.

    Either one of the shared columns identifies the questions, or all of them do together. Any other
    content is returned unchanged.
    """
    if content.kind not in {"text", "json", "jsonl"}:
        return content
    names = content.names
    gold_names = {name for question in gold.questions[:1] for name in question.metadata}
    shared = sorted(
        name for name in gold_names.intersection(names) if not answers_of_systems([name])
    )
    if not shared or any(has_role(name, "question", "maybe question") for name in names):
        return content
    rows = content.objects
    for name in names:
        if has_role(name, "id", "run id") and any(str(row.get(name)) in gold.by_id for row in rows):
            return content
    column_sets = [[name] for name in shared]
    column_sets.append(shared)
    for columns in column_sets:
        ids = {_values(question.metadata, columns): question.id for question in gold.questions}
        values_by_row = [_values(row, columns) for row in rows]
        different = set(values_by_row)
        if len(ids) == len(gold.questions) and len(different) > 1 and different <= ids.keys():
            records: list[dict[str, object]] = []
            for values, row in zip(values_by_row, rows, strict=True):
                others = {name: row[name] for name in row if not has_role(name, "run id")}
                records.append({"id": ids[values], **others})
            keys = " and ".join(repr(name) for name in columns)
            text = f"its questions are told by {keys}, as those of {gold.name}"
            return content.with_records(records, text)
    return content


def _values(record: Mapping[str, object], columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(record.get(name)) for name in columns)


def parts_with_answers(content: Content) -> Iterator[Content]:
    """Yield the parts of a file that may hold the answers, the likeliest first.

    They are its nested rows, lists of objects in the order of the questions, the file itself, and
    the parts of the values under names such as ``results`` and ``data``.
    """
    document = content.document
    if content.kind in {"json", "jsonl"} and content.rows != content.records:
        rows = [row for row in content.rows if isinstance(row, dict)]
        part = content.with_records(rows)
        if rows and (has_answers(rows[0]) or carries_systems(rows) or lines.recognises_lines(part)):
            yield part
    fields: dict[str, Any] = document if isinstance(document, dict) else {}
    containers = [fields[name] for name in fields if normalize_name(name) in CONTAINER_NAMES]
    for value in containers:
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            part = content.with_records(value)
            if lines.recognises_lines(part):
                yield part
    yield content
    # the results of one query do not show the question
    results = fields.get("results")
    if content.kind != "json" or (isinstance(results, dict) and "bindings" in results):
        return
    for value in containers:
        if isinstance(value, dict) and value:
            yield from parts_with_answers(dataclasses.replace(content, document=value))
        elif isinstance(value, list) and value:
            yield from parts_with_answers(content.with_records(value))


def answers_in_objects(
    content: Content, gold: QuestionSet | None
) -> dict[str, list[dict[str, Any]]]:
    """Return the answers in an object that maps names of systems to their answers, as records.

    The answers of a system are records, or an object that maps ids to answers. If no two names have
    an answer to the same question, they are parts of one run, which has no name. The result is
    empty for any other content.
    """
    document = content.document
    if not isinstance(document, dict) or not document:
        return {}
    if any(normalize_name(name) in CONTAINER_NAMES for name in document):
        return {}
    lists = [value for value in document.values() if isinstance(value, list) and value]
    if len(lists) == len(document) > 1:
        rows = chain.from_iterable(lists)
        if all(isinstance(row, dict) and has_answers(row) for row in rows):
            return document if set.intersection(*map(ids_or_texts, lists)) else {}
    questions = gold.by_id.keys() | gold.by_text.keys() if gold else set[str]()
    if not questions.isdisjoint(document):
        return {}
    systems: dict[str, list[dict[str, Any]]] = {}
    for name, answers in document.items():
        if not isinstance(answers, dict) or questions.isdisjoint(answers):
            return {}
        systems[name] = [{"id": run_id, "answer": value} for run_id, value in answers.items()]
    records = list(chain.from_iterable(systems.values()))
    if len({record["id"] for record in records}) == len(records):
        return {"": records}
    return systems


def answers_by_question(
    content: Content, gold: QuestionSet | None
) -> dict[str, list[dict[str, Any]]]:
    """Return the answers in records that each have an object from questions to answers.

    Such as ``{"student": "Ann", "answers": {"q1": "Ulm", "q2": "Bonn"}}``. If no record names its
    system and no two answer the same question, they are parts of one run, which has no name. A
    system without a name is called after the first text that only its record has, or its number.
    The result is empty for any other content.
    """
    if gold is None or content.kind not in {"json", "jsonl"}:
        return {}
    rows = content.objects
    parts = answers_in_records(rows)
    asked = set(gold.by_text)
    if not gold.numbered:  # the reader's numbers may be anything
        asked.update(gold.by_id)
    for _, records in parts:
        ids = {str(record.get("id")) for record in records}
        if records and 2 * len(asked & ids) <= len(records):
            return {}
    names = [name for name, _ in parts]
    every_record = list(chain.from_iterable(records for _, records in parts))
    if not every_record:  # each record may be an empty answer
        return {}
    ids = {str(record.get("id")) for record in every_record}
    if not any(names) and len(ids) == len(every_record):
        return {"": every_record}
    if not all(names):
        texts = [name for name in rows[0] if isinstance(rows[0][name], str)]
        names = _distinct_values(rows, texts[::-1])
    systems: dict[str, list[dict[str, Any]]] = {}
    for name, (_, records) in zip(names, parts, strict=True):
        systems.setdefault(name, []).extend(records)
    return systems


def _distinct_values(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> list[str]:
    """Return the values of the last column with a different one in each row, or their numbers."""
    distinct = [str(number) for number in range(1, len(rows) + 1)]
    for name in columns:
        values = ["" if row.get(name) is None else str(row[name]) for row in rows]
        if "" not in values and len(set(values)) == len(rows):
            distinct = values
    return distinct


def answers_in_rows(
    content: Content, columns: Sequence[str], gold: QuestionSet | None
) -> dict[str, list[dict[str, Any]]]:
    """Return the answers in a table with a row for each system and a column for each question.

    An example is the table of a form that people filled in. The result has the records of each
    system by its name; it is empty for any other table. The name of a system is in a column with
    such a name, else in the last other column with a different value in each row.
    """
    if gold is None or not (content.kind == "text" or isinstance(content.document, list)):
        return {}
    ids: dict[str, str] = {}
    for name in columns:
        question = gold.by_id.get(name) or gold.by_text.get(_LIST_NUMBER.sub("", name, count=1))
        if question is not None:
            ids[name] = question.id
    rows = content.objects
    n_asked = len(set(ids.values()))
    if not rows or n_asked < 2 or 2 * n_asked < len(gold.questions):
        return {}
    others = [name for name in columns if name not in ids]
    others.sort(key=lambda name: has_role(name, "system"))
    systems = _distinct_values(rows, others)
    records = [[{"id": ids[name], "answer": row.get(name)} for name in ids] for row in rows]
    return dict(zip(systems, records, strict=True))
