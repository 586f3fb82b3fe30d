"""Find the parts of a file that hold the answers of systems: objects, rows or lists."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from qaldgen.answers import lines
from qaldgen.answers.run_columns import carries_systems, has_answers
from qaldgen.model import QuestionSet
from qaldgen.questions.fields import ROLE_NAMES, has_role, normalize_name
from qaldgen.questions.file_content import Content
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
    """Add the ids of the gold to records that share only a metadata column with the gold."""
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
    # either one of the shared columns identifies the questions, or all of them together
    for columns in [*([name] for name in shared), shared]:
        ids = {
            tuple(str(question.metadata.get(name)) for name in columns): question.id
            for question in gold.questions
        }
        values_by_row = [tuple(str(row.get(name)) for name in columns) for row in rows]
        different = set(values_by_row)
        if len(ids) < len(gold.questions) or len(different) < 2 or not ids.keys() >= different:
            continue
        with_ids = [
            {
                "id": ids[values],
                **{field: row[field] for field in row if not has_role(field, "run id")},
            }
            for values, row in zip(values_by_row, rows, strict=True)
        ]
        keys = " and ".join(map(repr, columns))
        text = f"its questions are told by {keys}, as those of {gold.name}"
        return dataclasses.replace(content.with_records(with_ids), notes=(*content.notes, text))
    return content


def parts_with_answers(content: Content) -> Iterator[Content]:
    """Yield the parts of a file that may be the answers: its records, the file, or containers."""
    document = content.document
    if content.kind in {"json", "jsonl"} and content.rows != content.records:
        rows = [row for row in content.rows if isinstance(row, dict)]
        part = content.with_records(rows)
        if rows and (has_answers(rows[0]) or carries_systems(rows) or lines.recognises_lines(part)):
            yield part
    fields: dict[str, Any] = document if isinstance(document, dict) else {}
    containers = [fields[name] for name in fields if normalize_name(name) in CONTAINER_NAMES]
    for value in containers:
        # objects without ids are in the order of the questions
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            part = content.with_records(value)
            if lines.recognises_lines(part):
                yield part
    yield content
    # the results of one query do not show the question
    if content.kind != "json" or "bindings" in (fields.get("results") or ()):
        return
    for value in containers:
        if isinstance(value, dict) and value:
            part = dataclasses.replace(content, document=value)
            yield from parts_with_answers(part)
        elif isinstance(value, list) and value:
            yield from parts_with_answers(content.with_records(value))


def answers_by_system(document: Any, gold: QuestionSet | None) -> dict[str, list[dict[str, Any]]]:  # noqa: ANN401 - parsed JSON
    """Return the answers of each system as records, if an object has them by system; else {}.

    They are lists of records with the same ids, or objects that map ids to answers.
    """
    if not isinstance(document, dict) or not document:
        return {}
    if not CONTAINER_NAMES.isdisjoint(map(normalize_name, document)):
        return {}
    are_lists_of_records = all(
        isinstance(rows, list)
        and rows
        and all(isinstance(row, dict) and has_answers(row) for row in rows)
        for rows in document.values()
    )
    if len(document) > 1 and are_lists_of_records:
        if set.intersection(*map(ids_or_texts, document.values())):
            return document
        return {}
    questions = gold.by_id.keys() | gold.by_text.keys() if gold else set[str]()
    if not questions.isdisjoint(document):
        return {}
    for answers in document.values():
        if not isinstance(answers, dict) or questions.isdisjoint(answers):
            return {}
    systems = {
        system: [{"id": run_id, "answer": value} for run_id, value in answers.items()]
        for system, answers in document.items()
    }
    records = list(chain.from_iterable(systems.values()))
    if len(systems) > 1 and len({record["id"] for record in records}) == len(records):
        return {"": records}  # parts of the questions: systems answer the same ones
    return systems


def answers_in_rows(
    content: Content, columns: Sequence[str], gold: QuestionSet | None
) -> dict[str, list[dict[str, Any]]]:
    """Return the answers of each system in a table with a row per system and a column per question.

    Filled-in forms are such tables. The name of a system is in a column that is called so, else in
    the last other column with a different value in each row.
    """
    if gold is None or not (content.kind == "text" or isinstance(content.document, list)):
        return {}
    ids: dict[str, str] = {}
    for name in columns:
        question = gold.by_id.get(name) or gold.by_text.get(_LIST_NUMBER.sub("", name, count=1))
        if question is not None:
            ids[name] = question.id
    if len(ids) < 2 or 2 * len(ids) < len(gold.questions):
        return {}
    rows = content.objects
    others = [name for name in columns if name not in ids]
    others.sort(key=lambda name: has_role(name, "system"))
    names = [str(number) for number in range(1, len(rows) + 1)]
    for name in others:
        values = [str(row.get(name, "")) for row in rows]
        if "" not in values and len(set(values)) == len(rows):
            names = values
    return {
        system: [{"id": ids[name], "answer": row.get(name)} for name in ids]
        for system, row in zip(names, rows, strict=True)
    }
