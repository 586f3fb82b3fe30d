"""Join the questions in one list of a document with the answers in others, by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from qaldgen.questions.fields import (
    PREDICTION_ROLES,
    ROLE_NAMES,
    has_role,
    is_prediction_name,
    normalize_name,
)
from qaldgen.questions.flat_records import SYSTEM
from qaldgen.questions.record_kinds import FileRecords, certainty, has_answer, id_field

#: The names of lists of answers.
ANSWER_NAMES = frozenset({*ROLE_NAMES["gold"], *ROLE_NAMES["answer"]})
#: The name of a field that certainly refers to a question.
_QUESTION_ID = "questionid"


def rows_with_references(document: Mapping[str, object]) -> list[object] | None:
    """Return the questions of a list, with the answers in another list that refer to their ids.

    None if the questions have answers, or if those stand in their order, one for each.
    """
    names = {normalize_name(name): name for name in document}
    questions = _objects_under(document, names.get("questions", ""))
    key = id_field(chain.from_iterable(questions))
    if not key or have_answers(questions):
        return None
    ids = [str(row.get(key)) for row in questions]
    for name in document:
        if normalize_name(name) not in ANSWER_NAMES:
            continue
        rows = _objects_under(document, name)
        reference = _reference_field(rows, ids)
        if not reference:
            continue
        answers: dict[str, list[object]] = {}
        for row in rows:
            # without its own number, an answer is often a single value
            values = {field: row[field] for field in row if field not in (reference, "id")}
            answer = values if len(values) != 1 else next(iter(values.values()))
            answers.setdefault(str(row.get(reference)), []).append(answer)
        return [
            {**row, "answers": answers.get(question_id)}
            for question_id, row in zip(ids, questions, strict=True)
        ]
    return None


def rows_with_predictions(document: Mapping[str, object]) -> FileRecords | None:
    """Return the questions of a list with the answers in other lists that have the same ids.

    None unless one list has questions with different ids, and others have answers of systems to
    most of their ids, once each.
    """
    lists = _lists_by_name(document)
    asked = [name for name, rows in lists.items() if any(certainty(row) > 2 for row in rows)]
    if len(asked) != 1 or not any(map(has_answer, lists[asked[0]])):
        return None
    questions = _rows_by_id(lists.pop(asked[0]))
    said: dict[str, dict[str, dict[str, object]]] = {}
    for name, rows in lists.items():
        answers = _rows_by_id(rows)
        names = next(iter(answers.values()), {})
        have_answers = any(is_prediction_name(key) or has_role(key, "bare answer") for key in names)
        if have_answers and 2 * len(questions.keys() & answers) > len(answers):
            said[name] = answers
    if not questions or not said:
        return None
    joined: list[object] = []
    for name, answers in said.items():
        system = {SYSTEM: name} if len(said) > 1 else {}
        for question_id, row in questions.items():
            answer = answers.get(question_id, {})
            fields = {key: answer[key] for key in answer if not has_role(key, "id")}
            joined.append({**system, **row, "prediction": fields or None})
    return FileRecords(joined, tuple(name for name in lists if lists[name] and name not in said))


def _lists_by_name(document: Mapping[str, object]) -> dict[str, list[dict[str, object]]]:
    """Return the lists of objects by name; one of systems is a list for each of these."""
    lists: dict[str, list[dict[str, object]]] = {}
    for name in document:
        rows = _objects_under(document, name)
        by_system = dict(answers_in_records(rows))
        if not by_system or "" in by_system or len(by_system) < len(rows):
            by_system = {name: rows}
        for system, answers in by_system.items():
            is_known = system in lists or (system in document and system != name)
            lists[f"{name} {system}" if is_known else system] = answers
    return lists


def answers_in_records(
    rows: Iterable[Mapping[str, object]],
) -> list[tuple[str, list[dict[str, object]]]]:
    """Return the system, or "", and the answers of records that each have many answers.

    The answers are in an object, by the ids of their questions, or in a list of records. Empty if
    any record has no such answers, or others.

    >>> answers_in_records([{"model": "ours", "answers": {"q1": "Ulm"}}])
    [('ours', [{'id': 'q1', 'answer': 'Ulm'}])]
    """
    found: list[tuple[str, list[dict[str, object]]]] = []
    for row in rows:
        systems = [row[name] for name in row if has_role(name, "system")]
        answers = [row[name] for name in row if has_role(name, "answer", *PREDICTION_ROLES)]
        if len(answers) != 1:
            return []
        [value] = answers
        records = _objects_under({"": value}, "")
        if isinstance(value, dict):
            records = [{"id": key, "answer": answer} for key, answer in value.items()]
        if value and not records:
            return []
        others = {name for item in records for name in item if not has_role(name, "id", "run id")}
        if len(others) == 1:  # whatever it is called
            records = [
                {"answer" if name in others else name: item[name] for name in item}
                for item in records
            ]
        is_named = len(systems) == 1 and isinstance(systems[0], (str, int, float))
        found.append((str(systems[0]) if is_named else "", records))
    # a named system without any answer has none to what others were asked
    none: dict[str, dict[str, object]] = {}
    for item in chain.from_iterable(records for _, records in found):
        blank = {name: item[name] if has_role(name, "id", "run id") else None for name in item}
        none.setdefault(str(blank), blank)
    return [
        (system, list(none.values()) if system and not records else records)
        for system, records in found
    ]


def _rows_by_id(rows: list[dict[str, object]]) -> dict[str, dict[str, object]]:
    """Return records by their ids; none unless each has an id of its own."""
    key = id_field(rows[0]) if rows else ""
    by_id = {str(row.get(key)): row for row in rows if key and row.get(key) is not None}
    return by_id if len(by_id) == len(rows) else {}


def _reference_field(rows: list[dict[str, object]], ids: list[str]) -> str:
    """Return the field by which answers refer to the ids of questions; empty if none does.

    Any id may refer to questions if all of its values are ids of questions. Where some are not, it
    must be the id of a question by its name; then these answers belong to no question here.
    """
    stated = ""
    for field in dict.fromkeys(chain.from_iterable(rows)):
        referred = [str(row.get(field)) for row in rows]
        if not has_role(field, "id") or referred == ids:
            continue
        if set(referred) <= set(ids):
            return field
        if normalize_name(field) == _QUESTION_ID:
            stated = field
    return stated


def states_question_id(row: object) -> bool:
    """Return whether a record says by the name of a field to which question it belongs."""
    return isinstance(row, dict) and any(normalize_name(name) == _QUESTION_ID for name in row)


def have_answers(questions: Iterable[object]) -> bool:
    """Return whether questions that are objects have a field for answers."""
    fields = chain.from_iterable(row for row in questions if isinstance(row, dict))
    return any(normalize_name(field) in ANSWER_NAMES for field in fields)


def _objects_under(document: Mapping[str, object], name: str) -> list[dict[str, object]]:
    """Return the list of objects under a name; an empty one for any other value."""
    rows = document.get(name)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return []
    return rows
