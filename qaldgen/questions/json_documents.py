"""Documents of JSON (and YAML): parse them, with notes on repeated keys and NaN, find records."""

from __future__ import annotations

import datetime
import decimal
import importlib
import json
import math
import numbers
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.errors import DataError, UsageError
from qaldgen.io.concurrency import without_garbage_collection
from qaldgen.io.text import count
from qaldgen.questions.fields import NAMES, holds_gold, holds_questions, is_a, plain_name

#: Lines that are tried, to recognise damaged JSON Lines.
_LOOKED_AT = 20
#: Repeated keys that a note names, and how much of an object it shows.
_NAMED, _SHOWN = 5, 60


class Decimals(float):
    """A JSON number with a point or an exponent, whose text is the file's (``1e3``, not 1000.0)."""

    def __new__(cls, text: str) -> Decimals:
        """Keep the text beside the number."""
        made = super().__new__(cls, text)
        made.text = text
        return made

    text: str

    def __str__(self) -> str:
        """Return the text in the file."""
        return self.text


class Unparsed(NamedTuple):
    """Takes the place of a record that cannot be parsed; `reason` says why."""

    reason: str


def _noting(
    repeated: dict[str, list[dict[str, object]]],
) -> Callable[[list[tuple[str, object]]], object]:
    """Return what makes objects of pairs, and notes objects with one key and two values."""

    def made(pairs: list[tuple[str, object]]) -> object:
        found = dict(pairs)
        if len(found) != len(pairs):
            # a repeated key with the same value loses nothing
            for key in dict.fromkeys(key for key, value in pairs if found[key] != value):
                repeated.setdefault(key, []).append(found)
        return found

    return made


class JsonReader:
    """Parses JSON texts.

    The last value of a repeated key counts; NaN and Infinity become null. `notes` reports both.
    """

    def __init__(self) -> None:
        #: The objects with a key that occurs twice, with different values.
        self._repeated: dict[str, list[dict[str, object]]] = {}
        self._no_numbers: Counter[str] = Counter()
        self._decoder = json.JSONDecoder(
            parse_float=Decimals,
            parse_constant=self._no_number,
            object_pairs_hook=_noting(self._repeated),
        )

    def parse(self, text: str, where: str) -> object:
        """Parse a document."""
        try:
            with without_garbage_collection():
                value: object = self._decoder.decode(text)
        except json.JSONDecodeError as error:
            raise DataError(
                f"invalid JSON at line {error.lineno}, column {error.colno}: {error.msg}",
                where=where,
            ) from error
        except RecursionError as error:
            raise DataError(
                "the JSON is nested too deeply for a question set", where=where
            ) from error
        except ValueError as error:  # a number of more than 4,300 digits
            raise DataError(f"the JSON cannot be read ({error})", where=where) from error
        return value

    def parse_lines(self, lines: list[str]) -> list[object]:
        """Parse the non-blank lines of JSON Lines; a line that is not JSON becomes `Unparsed`."""
        with without_garbage_collection():
            return [
                self._line(line, number) for number, line in enumerate(lines, 1) if line.strip()
            ]

    def notes(self) -> Iterator[str]:
        """Yield notes on what was parsed with this reader."""
        for key, objects in list(self._repeated.items())[:_NAMED]:
            yield (
                f"the key {key!r} occurs twice with different values in"
                f" {count(len(objects), 'object')} (first: {str(objects[0])[:_SHOWN]}); the last"
                " value counts"
            )
        if len(self._repeated) > _NAMED:
            yield f"the same holds for {len(self._repeated) - _NAMED} other keys"
        for name, times in self._no_numbers.items():
            yield f"{name} is not valid JSON; it is read as null ({count(times, 'time')})"

    def _line(self, line: str, number: int) -> object:
        try:
            value: object = self._decoder.decode(line)
        except json.JSONDecodeError as error:
            return Unparsed(f"line {number} is invalid JSON at column {error.colno}: {error.msg}")
        except RecursionError:
            return Unparsed(f"line {number} is nested too deeply")
        except ValueError as error:
            return Unparsed(f"line {number} cannot be read as JSON ({error})")
        return value

    def _no_number(self, name: str) -> None:
        self._no_numbers[name] += 1


def parse_json(text: str, where: str) -> object:
    """Parse JSON; the last of repeated keys counts."""
    return JsonReader().parse(text, where)


def is_json_lines(lines: list[str]) -> bool:
    """Return whether a text is JSON Lines: several lines, and the first one is a whole object."""
    # the first line alone decides, so that a broken line further down is reported as such
    first = next((line for line in lines if line.strip()), "")
    return len(lines) > 1 and _is_object(first.strip())


def may_be_json_lines(lines: list[str]) -> bool:
    """Whether a text is damaged JSON Lines: half of its first lines are whole objects."""
    looked_at = [line for line in lines[: 5 * _LOOKED_AT] if line.strip()][:_LOOKED_AT]
    return len(looked_at) > 1 and 2 * sum(_is_object(line.strip()) for line in looked_at) >= len(
        looked_at
    )


def _is_object(line: str) -> bool:
    try:
        return line.startswith("{") and line.endswith("}") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


_SPLITS = frozenset(
    {"train", "training", "dev", "development", "valid", "validation", "val", "test", "eval"}
)
_ANSWERS = frozenset({*NAMES["gold"], *NAMES["answer"]})
#: The field of a record that receives the key under which the document has it.
KEY = "id"
#: How deep the records may be nested in objects.
_DEPTH = 3


class FileRecords(NamedTuple):
    """The records of a document."""

    rows: list[object]  # the records
    others: tuple[str, ...] = ()  # the names of other lists in the document, which are ignored


def rows_of(document: object) -> FileRecords:
    """Return the records of a JSON document.

    They are in a list; in the only list of an object, or in the one whose records have questions;
    in a list per split; under their ids; or column by column, as pandas writes tables. Any other
    document is a single record.

    >>> rows_of({"data": [{"question": "Who?"}], "version": 1}).rows
    [{'question': 'Who?'}]
    >>> columns = {"question": {"0": "Who?", "1": "Where?"}, "answer": {"0": "Ann", "1": "Oslo"}}
    >>> rows_of(columns).rows[1]
    {'question': 'Where?', 'answer': 'Oslo'}
    """
    found = _rows(document, _DEPTH)
    return found._replace(rows=flat_rows(found.rows))


def flat_rows(rows: list[object]) -> list[object]:
    """Return records with the fields of the objects in which some programs put the question.

    >>> flat_rows([{"inputs": {"question": "Who?"}, "outputs": "Ann"}])
    [{'inputs.question': 'Who?', 'outputs': 'Ann'}]
    """
    inside = {name for row in rows[:_LOOKED_AT] for name in _containers(row)}
    if not inside:
        return rows
    made: list[object] = []
    for row in rows:
        flat: dict[str, object] = {}
        for name, value in row.items() if isinstance(row, dict) else ():
            if name in inside and isinstance(value, dict):
                flat |= {f"{name}.{field}": inner for field, inner in value.items()}
            else:
                flat[name] = value
        made.append(flat if isinstance(row, dict) else row)
    return made


def _containers(row: object) -> list[str]:
    """Return the fields whose objects hold the fields of a record, among them the question."""
    if not isinstance(row, dict) or _states_question(row):
        return []
    objects = [name for name in row if is_a(name, "container") and isinstance(row[name], dict)]
    return objects if any(_asks(row[name]) for name in objects) else []


def _rows(document: object, depth: int) -> FileRecords:
    if isinstance(document, list):
        return FileRecords(_unwrapped(document))
    if not isinstance(document, dict) or _is_record(document) or not depth:
        return FileRecords([document])
    columns = _by_column(document)
    if columns is not None:
        return FileRecords(columns)
    held = {name: _held(name, value, depth - 1) for name, value in document.items()}
    lists = {name: rows for name, rows in held.items() if rows}
    # an object that asks something itself is a record; its lists are its answers
    if any(_asks(row) for rows in lists.values() for row in rows) or (
        lists and not _asks(document)
    ):
        return _from_lists(lists)
    # records under their ids
    if document and all(isinstance(value, dict) for value in document.values()):
        keyed: list[object] = []
        for name, value in document.items():
            has_id = any(plain_name(field) in NAMES["id"] for field in value)
            keyed.append(value if has_id else {KEY: name, **value})
        if any(_has_question(row) for row in keyed):
            return FileRecords(keyed)
    return FileRecords([document])


def _held(name: str, value: object, depth: int) -> list[object]:
    """Return the records under a name; none if it holds the answers of one record."""
    if isinstance(value, dict):
        rows = _rows(value, depth).rows
        return rows if rows != [value] and any(map(_has_question, rows)) else []
    if not isinstance(value, list) or not any(isinstance(item, dict) for item in value):
        return []
    rows = _unwrapped(value)
    return [] if plain_name(name) in _ANSWERS and not any(map(_is_row, rows)) else rows


def _is_row(row: object) -> bool:
    """Return whether a record has a question, or what may be one beside an answer."""
    if _has_question(row):
        return True
    names = {plain_name(name) for name in row} if isinstance(row, dict) else set()
    return not names.isdisjoint(NAMES["maybe question"]) and any(map(holds_gold, names))


def _is_record(document: Mapping[str, object]) -> bool:
    """Return whether an object has the text of a question, and does not hold records that do."""
    texts = (value for name, value in document.items() if holds_questions(name))
    # an object whose keys are row numbers is a column rather than one text
    return any(
        isinstance(value, str)
        or (
            isinstance(value, dict)
            and any(isinstance(item, str) for item in value.values())
            and not all(key.isdecimal() for key in value)
        )
        for value in texts
    )


def _states_question(row: object) -> bool:
    """Return whether a record has a question; a text alone may be an answer."""
    return isinstance(row, dict) and any(
        holds_questions(name) and plain_name(name) != "text" for name in row
    )


def _has_question(row: object) -> bool:
    """Return whether a record, or an object in which some programs put the question, has one."""
    return _states_question(row) or (
        isinstance(row, dict)
        and any(is_a(name, "container") and _states_question(row[name]) for name in row)
    )


def _asks(row: object) -> bool:
    """Return whether a record may have a question."""
    asking = {*NAMES["maybe question"], "text"}
    return _has_question(row) or (
        isinstance(row, dict) and any(plain_name(name) in asking for name in row)
    )


def _unwrapped(rows: list[object]) -> list[object]:
    """Return the records of a list, out of the ``row`` in which data set servers wrap each."""
    if rows and all(
        isinstance(row, dict) and isinstance(row.get("row"), dict) and "row_idx" in row
        for row in rows
    ):
        return [row["row"] for row in rows if isinstance(row, dict)]
    return rows


def _from_lists(lists: dict[str, list[object]]) -> FileRecords:
    if {name.lower() for name in lists} <= _SPLITS:
        rows = [
            {"split": name, **row} if isinstance(row, dict) else row
            for name, listed in lists.items()
            for row in listed
        ]
        return FileRecords(rows)
    sure = [name for name, rows in lists.items() if any(map(_has_question, rows))]
    perhaps = [name for name, rows in lists.items() if any(map(_asks, rows))]
    chosen = next(iter(sure or perhaps or lists))
    return FileRecords(lists[chosen], tuple(name for name in lists if name != chosen))


def _by_column(document: dict[str, object]) -> list[object] | None:
    """Return the records of a table of questions by columns; None for anything else."""
    split = "columns" in document and "data" in document
    return rows_in_columns(document) if split or _asks(document) else None


def rows_in_columns(document: Mapping[str, object]) -> list[object] | None:
    """Return the records of a table written column by column; None for anything else.

    >>> rows_in_columns({"id": {"0": "q1", "1": "q2"}, "answer": {"0": "Ulm", "1": "Bonn"}})
    [{'id': 'q1', 'answer': 'Ulm'}, {'id': 'q2', 'answer': 'Bonn'}]
    """
    names, data = document.get("columns"), document.get("data")
    if (
        isinstance(names, list)
        and isinstance(data, list)
        and all(isinstance(row, list) for row in data)
    ):
        return [dict(zip(map(str, names), row, strict=False)) for row in data]
    if len(document) < 2:
        return None
    rows = rows_of_columns(document)
    if rows and len(rows) > 1 and not any(isinstance(item, dict) for item in rows[0].values()):
        return list(rows)
    # one object per column, from row number to value, as DataFrame.to_json writes
    columns = {name: value for name, value in document.items() if isinstance(value, dict)}
    if len(columns) == len(document) and len({tuple(value) for value in columns.values()}) == 1:
        return [
            {name: value[key] for name, value in columns.items()}
            for key in next(iter(columns.values()))
        ]
    return None


def rows_of_columns(document: Mapping[str, object]) -> list[dict[str, object]] | None:
    """Return the records in an object of two or more lists of equal lengths; else None."""
    columns = [column for column in document.values() if isinstance(column, list)]
    if not len(columns) == len(document) > 1 or len({*map(len, columns)}) > 1:
        return None
    return [dict(zip(document, row, strict=True)) for row in zip(*columns, strict=True)]


#: Missing values of pandas, which are neither null nor NaN.
_NA = frozenset({"NAType", "NaTType"})


def json_value(value: Any) -> object:  # noqa: ANN401 - a value of any library
    """Return a value of Python, pandas, numpy or Arrow as JSON has it; NaN, pictures are null."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    no_number = isinstance(value, numbers.Real) and not math.isfinite(value)
    if type(value).__name__ in _NA or no_number or isinstance(value, bytes):
        return None
    if isinstance(value, Mapping):
        return {str(json_value(key)): json_value(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(map(json_value, value), key=str)
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    for method in ("tolist", "isoformat"):  # numpy; dates
        if hasattr(value, method):
            return json_value(getattr(value, method)())
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, (decimal.Decimal, datetime.timedelta)):
        return str(value)
    raise UsageError(
        f"a {type(value).__name__} cannot be read as part of a question or an answer; give text,"
        " numbers, lists or dicts"
    )


def yaml_document(path: Path, text: str) -> object:
    """Parse YAML with every scalar as text, so that ``no`` is not false and ids are not numbers."""
    try:
        yaml = importlib.import_module("yaml")
    except ImportError as error:
        raise DataError(
            "is YAML; to read it, install PyYAML: pip install pyyaml", where=path
        ) from error
    try:
        # this loader makes only strings, lists and dicts, so that no file can run code
        document: object = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise DataError(
            f"invalid YAML{place}: {getattr(error, 'problem', None) or 'it does not parse'}",
            where=path,
        ) from error
    return document
