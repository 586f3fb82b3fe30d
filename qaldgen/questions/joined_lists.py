"""Join the questions in one list of a document with the answers in others, by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from qaldgen.questions.fields import (
    PREDICTION_ROLES,
    ROLE_NAMES,
    has_role,
    is_gold_name,
    is_prediction_name,
    normalize_name,
)
from qaldgen.questions.flat_records import SYSTEM
from qaldgen.questions.record_kinds import FileRecords, certainty, has_answer, id_field

#: The names of lists of answers.
ANSWER_NAMES = frozenset({*ROLE_NAMES["gold"], *ROLE_NAMES["answer"]})
#: The name of a field that certainly refers to a question.
_QUESTION_ID = "questionid"


def joined_lists(document: Mapping[str, object]) -> FileRecords | None:
    """Return the questions of a list with what other lists have for their ids; None without such.

    One list has questions, each with an id. A list of answers without questions that refer to the
    ids has their gold answers, if they have none, unless it is in their order, one for each. Other
    lists are the answers of systems if these have gold answers and most of a list are answers to
    them, once each.

    >>> questions = [{"id": "q1", "question": "Who?"}, {"id": "q2", "question": "When?"}]
    >>> answers = [{"question_id": "q2", "text": "1912"}]
    >>> document = {"questions": questions, "answers": answers}
    >>> joined_lists(document).rows[1]
    {'id': 'q2', 'question': 'When?', 'answers': ['1912']}
    >>> said = [{"id": "q1", "prediction": "Ann"}, {"id": "q2", "prediction": "1912"}]
    >>> joined_lists({**document, "said": said}).rows[1]["prediction"]
    {'prediction': '1912'}
    """
    lists = _lists_by_name(document)
    asked = [name for name in lists if normalize_name(name) == "questions" and lists[name]]
    if not asked:
        asked = [name for name, rows in lists.items() if any(certainty(row) > 2 for row in rows)]
    key = id_field(chain.from_iterable(lists[asked[0]])) if len(asked) == 1 else ""
    if not key:
        return None
    questions = lists.pop(asked[0])

    ids = [str(row.get(key)) for row in questions]
    is_joined = False
    if not have_answers(questions):
        for name in sorted(lists, key=is_gold_name, reverse=True):
            answers = {}
            if normalize_name(name) in ANSWER_NAMES:
                answers = _answers_by_question(lists[name], ids)
            if answers:
                pairs = zip(ids, questions, strict=True)
                questions = [{**row, "answers": answers.get(row_id)} for row_id, row in pairs]
                is_joined = True
                del lists[name]
                break

    said: dict[str, dict[str, dict[str, object]]] = {}
    questions_by_id = _rows_by_id(questions)
    if any(map(has_answer, questions)):
        for name, rows in lists.items():
            answers_by_id = _rows_by_id(rows)
            names = next(iter(answers_by_id.values()), {})
            are_said = any(is_prediction_name(key) or has_role(key, "bare answer") for key in names)
            n_known = len(questions_by_id.keys() & answers_by_id)
            if are_said and 2 * n_known > len(answers_by_id):
                said[name] = answers_by_id
    unread = tuple(name for name in lists if lists[name] and name not in said)
    if not said:
        return FileRecords(list(questions), unread) if is_joined else None

    joined: list[object] = []
    for name, answers_by_id in said.items():
        system = {SYSTEM: name} if len(said) > 1 else {}
        for question_id, row in questions_by_id.items():
            answer = answers_by_id.get(question_id, {})
            fields = {key: answer[key] for key in answer if not has_role(key, "id")}
            joined.append({**system, **row, "prediction": fields or None})
    return FileRecords(joined, unread)


def _answers_by_question(rows: list[dict[str, object]], ids: list[str]) -> dict[str, list[object]]:
    """Return the answers that refer to the ids of questions; none if these do not."""
    reference = _reference_field(rows, ids)
    if not reference:
        return {}
    answers: dict[str, list[object]] = {}
    for row in rows:
        # without its own number, an answer is often a single value
        values = {field: row[field] for field in row if field not in (reference, "id")}
        answer = values if len(values) != 1 else next(iter(values.values()))
        answers.setdefault(str(row.get(reference)), []).append(answer)
    return answers


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

    One that is the id of a question by its name does, also where its values belong to no question
    here. Another one may be a number of the answers, if it has the ids in their order; else it does
    if it has no others.
    """
    fields = [name for name in dict.fromkeys(chain.from_iterable(rows)) if has_role(name, "id")]
    fields.sort(key=lambda name: normalize_name(name) != _QUESTION_ID)
    for field in fields:
        referred = [str(row.get(field)) for row in rows]
        is_stated = normalize_name(field) == _QUESTION_ID
        if is_stated or (referred != ids and set(referred) <= set(ids)):
            return field
    return ""


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
