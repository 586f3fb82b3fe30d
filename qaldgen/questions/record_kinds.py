"""Judge by the names of its fields what an object of a JSON document is: a question, an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from qaldgen.questions.conversations import conversation
from qaldgen.questions.fields import (
    has_role,
    holds_questions,
    is_prediction_name,
    may_hold_gold,
    normalize_name,
)

#: The most records that are looked at.
LOOKED_AT = 20
#: How deep fields may be nested in a record.
_MAX_DEPTH = 4


class FileRecords(NamedTuple):
    """The records of a document."""

    rows: list[object]
    unread_lists: tuple[str, ...] = ()  # the names of other lists in the document


def nested_names(rows: Sequence[object], is_wanted: Callable[[str], bool]) -> list[str]:
    """Return the dotted names of fields in nested objects whose own names are wanted.

    >>> row = {"gold": "Ulm", "sample_score": {"score": {"prediction": "Bonn", "value": 0}}}
    >>> nested_names([row], is_prediction_name)
    ['sample_score.score.prediction']
    """
    paths: dict[str, None] = {}

    def collect_paths(value: object, prefix: str, depth: int) -> None:
        if not isinstance(value, dict) or not depth:
            return
        for name, inner in value.items():
            if prefix and is_wanted(name) and not isinstance(inner, dict):
                paths[f"{prefix}{name}"] = None
            collect_paths(inner, f"{prefix}{name}.", depth - 1)

    for row in rows[:LOOKED_AT]:
        collect_paths(row, "", _MAX_DEPTH)
    return list(paths)


def metadata_ids(rows: Sequence[object]) -> list[str]:
    """Return the dotted names of ids in objects with metadata."""
    ids = nested_names(rows, lambda name: has_role(name, "id"))
    return [name for name in ids if has_role(name.partition(".")[0], "metadata")]


def id_field(names: Iterable[str]) -> str:
    """Return the first field with a known name for ids; empty if there is none."""
    return next((name for name in names if has_role(name, "id")), "")


def certainty(row: object) -> int:
    """Return how surely a record is one of a question.

    It is 3 if it has the text of a question, 2 if it is an answer with its id or a possible
    question, 1 if it may have a question, else 0.
    """
    if not isinstance(row, dict):
        return 0
    containers = [row[name] for name in row if has_role(name, "container")]
    inner = [value for value in row.values() if isinstance(value, dict)]
    has_inner_question = sum(map(_asks, inner)) == 1
    names = set(map(normalize_name, row))
    if (
        any(map(has_question_field, (row, *containers)))
        or has_inner_question
        or {"q", "a"} <= names
    ):
        return 3
    may_have_question = any(has_role(name, "maybe question") for name in row)
    has_id = any(has_role(name, "id", "run id") for name in row) or bool(metadata_ids([row]))
    if has_answer(row) and (may_have_question or has_id):
        return 2
    return int(may_have_question or any(normalize_name(name) == "text" for name in row))


def is_row(row: object) -> bool:
    """Return whether an object is surely a question, or an answer to one."""
    return certainty(row) > 1


def may_have_question(row: object) -> bool:
    """Return whether an object may be a question, or an answer to one."""
    return certainty(row) > 0


def has_question_field(row: object) -> bool:
    """Return whether a record has a field with a question; ``text`` may be an answer instead."""
    return isinstance(row, dict) and any(
        holds_questions(name) and normalize_name(name) != "text" and not is_object_list(value)
        for name, value in row.items()
    )


def _asks(row: Mapping[str, object]) -> bool:
    """Return whether an object has a question, or what may be one and an answer to it."""
    may_ask = any(has_role(name, "maybe question") for name in row)
    return has_question_field(row) or (may_ask and has_answer(row))


def has_answer(row: object) -> bool:
    """Return whether a record has a field with an answer, by its name."""
    if not isinstance(row, dict):
        return False
    is_named = any(may_hold_gold(name) or is_prediction_name(name) for name in row)
    return is_named or {"q", "a"} <= set(map(normalize_name, row))


def is_single_record(document: Mapping[str, object]) -> bool:
    """Return whether an object itself is a question or an answer, not only records nested in it.

    It has the text of a question, or an id and the text of a system's answer.
    """
    if id_field(document) and any(
        is_prediction_name(name) and isinstance(value, str) for name, value in document.items()
    ):
        return True
    nested = any(map(is_object_list, document.values()))
    for name, value in document.items():
        if not holds_questions(name) or (nested and normalize_name(name) == "text"):
            continue
        if isinstance(value, str):
            return True
        if not isinstance(value, dict) or all(key.isdecimal() for key in value):
            continue  # an object whose keys are row numbers is a column rather than one text
        items = value.values()
        if any(isinstance(item, str) for item in items) and not any(map(is_object_list, items)):
            return True
    return False


def is_object_list(value: object) -> bool:
    """Return whether a value is a list of objects other than the messages of a conversation."""
    if not isinstance(value, list) or conversation(value):
        return False
    return any(isinstance(item, dict) for item in value)


def rows_of_columns(document: Mapping[str, object]) -> list[dict[str, object]] | None:
    """Return the records in an object of two or more lists of equal lengths; else None."""
    columns = [column for column in document.values() if isinstance(column, list)]
    if not len(columns) == len(document) > 1 or len(set(map(len, columns))) > 1:
        return None
    return [dict(zip(document, row, strict=True)) for row in zip(*columns, strict=True)]
