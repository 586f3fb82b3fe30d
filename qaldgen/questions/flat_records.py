"""Make records flat: replace objects in them by their fields, and chats by what was said last."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain

from qaldgen.io.json_text import as_list, member
from qaldgen.questions.conversations import ANSWERING, ASKING, conversation, last_said
from qaldgen.questions.fields import (
    has_no_role,
    has_role,
    is_prediction_name,
    may_hold_gold,
    may_hold_systems,
    roles_of,
)
from qaldgen.questions.record_kinds import (
    LOOKED_AT,
    has_question_field,
    is_object_list,
    may_have_question,
    metadata_ids,
    nested_names,
)

#: The field for the name of the list that holds the answers of a system.
SYSTEM = "system"
#: Keys of an object that are or describe answers, and are not names of systems.
_ANSWER_KEY = re.compile(r"content|type|vars|head|.*:.*|[QP]?[0-9]+|m\.\w+")


def flat_rows(rows: list[object]) -> list[object]:
    """Replace the objects in which some programs put the question, or several systems' answers.

    The id of a question may be in its metadata, and a verdict in an object of them; such are added.
    A chat is replaced by its last question and answer, if no other field may hold these.

    >>> flat_rows([{"inputs": {"question": "Who?"}, "outputs": "Ann"}])
    [{'inputs.question': 'Who?', 'outputs': 'Ann'}]
    >>> flat_rows([{"outputs": "Ann", "meta": {"id": 7}}])
    [{'outputs': 'Ann', 'meta': {'id': 7}, 'meta.id': 7}]
    """
    verdicts = [
        name
        for name in nested_names(rows, lambda name: has_role(name, "verdict"))
        if has_role(name.partition(".")[0], "verdicts")
    ]
    rows = _with_said(with_inner_fields(rows, [*metadata_ids(rows), *verdicts]))
    rows = _with_fields_of_questions(rows)
    names: set[str] = set()
    for row in rows[:LOOKED_AT]:
        if not isinstance(row, dict):
            continue
        systems = objects_of_systems(row)
        names.update(systems)
        if systems or has_question_field(row):
            continue
        objects = [
            name for name in row if has_role(name, "container") and isinstance(row[name], dict)
        ]
        if any(may_have_question(row[name]) for name in objects):
            names.update(objects)
    return with_fields_of(rows, names, lambda value: _answers_by_system(value) or value)


def _with_fields_of_questions(rows: list[object]) -> list[object]:
    """Return all records with the fields of their questions, or all unchanged."""
    merged: list[object] = []
    for row in rows:
        record = _with_fields_of_question(row)
        if record is None:  # in most files, the first
            return rows
        merged.append(record)
    return merged


def _with_fields_of_question(row: object) -> dict[str, object] | None:
    """Return a record with the fields of the only object in it that has a question; else None.

    >>> _with_fields_of_question({"id": 7, "row_data": {"question": "Who?"}, "said": "Ann"})
    {'question': 'Who?', 'id': 7, 'said': 'Ann'}
    """
    if not isinstance(row, dict) or has_question_field(row):
        return None
    names = [name for name in row if isinstance(row[name], dict) and has_question_field(row[name])]
    if len(names) != 1 or roles_of(names[0]) - {"maybe question"}:
        return None
    question = row[names[0]]
    others = {name: row[name] for name in row if name != names[0]}
    # the object may have an id of its own, but not another answer
    shared = [name for name in question if name in others and not has_role(name, "id", "split")]
    if any(question[name] != others[name] for name in shared):
        return None
    return {**question, **others}


def _with_said(rows: list[object]) -> list[object]:
    """Replace chats by what the user asked last and what the assistant answered, as in training."""
    objects = [row for row in rows[:LOOKED_AT] if isinstance(row, dict)]
    names = dict.fromkeys(chain.from_iterable(objects))
    chats = [name for name in names if has_role(name, "transcript")]
    others = [name for name in names if name not in chats]
    is_said_elsewhere = any(
        has_role(name, "id", "run id", "question", "maybe question")
        or may_hold_gold(name)
        or is_prediction_name(name)
        for name in others
    )
    if len(chats) != 1 or is_said_elsewhere:
        return rows
    said: list[object] = []
    for row in rows:
        messages = conversation(member(row, chats[0]))
        if not isinstance(row, dict) or not messages or messages[-1].speaker not in ANSWERING:
            return rows
        fields = {name: row[name] for name in row if name != chats[0]}
        question = last_said(messages, ASKING)
        said.append({**fields, "question": question, "answer": messages[-1].text})
    return said


def with_fields_of(
    rows: list[object],
    names: Collection[str],
    read: Callable[[object], object] = lambda value: value,
) -> list[object]:
    """Replace the objects under some names by their fields, such as ``metadata.topic``.

    `read` is called with each value first, for example to parse objects that are written as texts.
    """
    if not names:
        return rows
    flat: list[object] = []
    for row in rows:
        if not isinstance(row, dict):
            flat.append(row)
            continue
        fields: dict[str, object] = {}
        for name, value in row.items():
            inner = read(value) if name in names else None
            if isinstance(inner, dict):
                fields |= {f"{name}.{field}": inner[field] for field in inner}
            else:
                fields[name] = value
        flat.append(fields)
    return flat


def with_inner_fields(rows: list[object], names: Iterable[str]) -> list[object]:
    """Add the fields of nested objects that dotted names refer to; all other names are ignored.

    >>> with_inner_fields([{"id": 1, "parsed": {"answer": "Ulm"}}], ["parsed.answer"])
    [{'id': 1, 'parsed': {'answer': 'Ulm'}, 'parsed.answer': 'Ulm'}]
    """
    dotted = [name for name in names if "." in name]
    if not dotted:
        return rows
    extended: list[object] = []
    for row in rows:
        if not isinstance(row, dict):
            extended.append(row)
            continue
        record = dict(row)
        for name in dotted:
            value: object = row
            for part in name.split("."):
                value = member(value, part)
            if value is not None:
                record.setdefault(name, value)
        extended.append(record)
    return extended


def objects_of_systems(row: Mapping[str, object]) -> list[str]:
    """Return the fields of a record that hold the answers of several systems."""
    names = []
    for name, value in row.items():
        values = value.values() if isinstance(value, dict) else as_list(value)
        are_objects = all(isinstance(item, dict) for item in values)
        # texts under "tools" or "methods" are settings
        may_be_systems = may_hold_systems(name) and are_objects
        is_prediction = has_role(name, "prediction", "prediction in words")
        if (is_prediction or may_be_systems) and _answers_by_system(value):
            names.append(name)
    return names


def _answers_by_system(value: object) -> dict[str, object] | None:
    """Return the answers of several systems by their names; None if a value does not hold such.

    It is an object with them, or with objects that each have an answer; or a list of objects that
    each have a system and its answer. Verdicts beside an answer are there as ``system.correct``.
    """
    items = value
    if isinstance(value, dict):
        may_be_systems = all(
            (has_no_role(name) or has_role(name, "single choice"))
            and not _ANSWER_KEY.fullmatch(name)
            for name in value
        )
        if len(value) < 2 or not may_be_systems:
            return None
        objects = {name: inner for name, inner in value.items() if isinstance(inner, dict)}
        if not objects:
            if any(map(is_object_list, value.values())):
                return None
            if all(type(answer) in (int, float) for answer in value.values()):
                return None  # candidates with their scores
            return value
        if len(objects) < len(value):
            return None
        items = [{SYSTEM: name, **inner} for name, inner in objects.items()]
    if not isinstance(items, list) or len(items) < 2:
        return None
    answers: dict[str, object] = {}
    for item in items:
        if not isinstance(item, dict):
            return None
        systems = [item[name] for name in item if has_role(name, "system")]
        # beside a short answer, a response is the reply that it was taken from
        system_answers = [item[name] for name in item if has_role(name, "bare answer")]
        if not system_answers:
            system_answers = [item[name] for name in item if has_role(name, "answer", "prediction")]
        if len(systems) != 1 or len(system_answers) != 1:
            return None
        if not isinstance(systems[0], str) or systems[0] in answers:
            return None
        answers[systems[0]] = system_answers[0]
        verdicts = {name: item[name] for name in item if has_role(name, "verdict")}
        answers |= {f"{systems[0]}.{name}": verdict for name, verdict in verdicts.items()}
    return answers
