"""Where a JSON document holds its records: in a list, under a name, by id, by split, or column by column."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

from qaldgen.formats.column_names import NAMES, holds_questions, plain_name

_SPLITS = frozenset({"train", "training", "dev", "development", "valid", "validation", "val", "test", "eval"})
#: The name of the field in which a record is told the key that it stands under.
KEY = "id"


class Rows(NamedTuple):
    """The records of a document, and the other lists of records in it, which were passed over."""

    rows: list[object]
    others: tuple[str, ...] = ()


def rows_of(document: object) -> Rows:
    """Return the records of a JSON document.

    They stand in a list; in the only list of an object, or in the one whose records have questions; in one list for each
    split; under their ids; or column by column, as pandas writes tables. Anything else is one record.

    Examples
    --------
    >>> rows_of({"data": [{"question": "Who?"}], "version": 1}).rows
    [{'question': 'Who?'}]
    >>> rows_of({"question": {"0": "Who?", "1": "Where?"}, "answer": {"0": "Ann", "1": "Oslo"}}).rows[1]
    {'question': 'Where?', 'answer': 'Oslo'}
    """
    if isinstance(document, list):
        return Rows(_unwrapped(document))
    if not isinstance(document, dict) or _is_record(document):
        return Rows([document])
    columns = _by_column(document)
    if columns is not None:
        return Rows(columns)
    lists = {name: value for name, value in document.items() if isinstance(value, list) and _holds_objects(value)}
    if any(map(_may_have_question, chain.from_iterable(lists.values()))) or (lists and not _may_have_question(document)):
        return _from_lists(lists)
    if len(document) > 0 and all(isinstance(value, dict) for value in document.values()):
        keyed = [_keyed(name, value) for name, value in document.items()]
        if any(_has_question(row) for row in keyed):
            return Rows(list(keyed))
    return Rows([document])


def _is_record(document: Mapping[str, object]) -> bool:
    return any(isinstance(value, str) and holds_questions(name) for name, value in document.items())


def _has_question(row: object) -> bool:
    return isinstance(row, dict) and any(holds_questions(name) for name in row)


def _may_have_question(row: object) -> bool:
    return _has_question(row) or (isinstance(row, dict) and any(plain_name(name) in NAMES["maybe question"] for name in row))


def _holds_objects(values: list[object]) -> bool:
    return any(isinstance(value, dict) for value in values)


def _unwrapped(rows: list[object]) -> list[object]:
    """Return the records of a list, out of the ``row`` that the servers of data sets wrap each in."""
    if rows and all(isinstance(row, dict) and isinstance(row.get("row"), dict) and "row_idx" in row for row in rows):
        return [row["row"] for row in rows if isinstance(row, dict)]
    return rows


def _from_lists(lists: dict[str, list[object]]) -> Rows:
    if len(lists) > 1 and {name.lower() for name in lists} <= _SPLITS:
        return Rows([_in_split(row, name) for name, rows in lists.items() for row in rows])
    sure = [name for name, rows in lists.items() if any(map(_has_question, _unwrapped(rows)))]
    perhaps = [name for name, rows in lists.items() if any(map(_may_have_question, _unwrapped(rows)))]
    chosen = next(iter(sure or perhaps or lists))
    return Rows(_unwrapped(lists[chosen]), tuple(name for name in lists if name != chosen))


def _in_split(row: object, split: str) -> object:
    return {"split": split, **row} if isinstance(row, dict) else row


def _keyed(name: str, row: object) -> object:
    if not isinstance(row, dict) or any(plain_name(field) in NAMES["id"] for field in row):
        return row
    return {KEY: name, **row}


def _by_column(document: dict[str, object]) -> list[object] | None:
    """Return the records of a table written column by column; None if it is none."""
    names, data = document.get("columns"), document.get("data")
    if isinstance(names, list) and isinstance(data, list) and all(isinstance(row, list) for row in data):
        return [dict(zip(map(str, names), row, strict=False)) for row in data]
    if len(document) < 2 or not any(holds_questions(name) for name in document):
        return None
    values = list(document.values())
    if all(isinstance(value, list) and not _holds_objects(value[:1]) for value in values):
        lengths = {len(value) for value in values if isinstance(value, list)}
        if len(lengths) == 1 and lengths.pop() > 1:
            return [dict(zip(document, row, strict=True)) for row in zip(*_lists(values), strict=True)]
    if all(isinstance(value, dict) for value in values):
        keys = {tuple(value) for value in values if isinstance(value, dict)}
        if len(keys) == 1:
            return [{name: column[key] for name, column in _columns(document)} for key in keys.pop()]
    return None


def _lists(values: list[object]) -> list[list[object]]:
    return [value for value in values if isinstance(value, list)]


def _columns(document: dict[str, object]) -> list[tuple[str, dict[str, object]]]:
    return [(name, value) for name, value in document.items() if isinstance(value, dict)]
