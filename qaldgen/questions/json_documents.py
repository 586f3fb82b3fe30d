"""Documents of JSON (and YAML): parse them, with notes on repeated keys and NaN."""

from __future__ import annotations

import datetime
import decimal
import importlib
import json
import math
import numbers
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.errors import DataError, UsageError
from qaldgen.io.concurrency import without_garbage_collection
from qaldgen.io.text import count

#: Lines that are tried, to recognise damaged JSON Lines.
_LOOKED_AT = 20
#: Repeated keys that a note names, and how much of an object it shows.
_NAMED, _SHOWN = 5, 60
#: Missing values of pandas, which are neither null nor NaN.
_NA = frozenset({"NAType", "NaTType"})


class Decimals(float):
    """A JSON number with a point or an exponent, whose text is the file's (``1e3``, not 1000.0)."""

    def __new__(cls, text: str) -> Decimals:
        """Keep the text beside the number."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str

    def __str__(self) -> str:
        """Return the text in the file."""
        return self.text


class Unparsed(NamedTuple):
    """Takes the place of a record that cannot be parsed; `reason` says why."""

    reason: str


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
            object_pairs_hook=self._object,
        )

    def parse(self, text: str, where: str) -> object:
        """Parse a document."""
        try:
            with without_garbage_collection():
                return self._decoder.decode(text)
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
            return self._decoder.decode(line)
        except json.JSONDecodeError as error:
            return Unparsed(f"line {number} is invalid JSON at column {error.colno}: {error.msg}")
        except RecursionError:
            return Unparsed(f"line {number} is nested too deeply")
        except ValueError as error:
            return Unparsed(f"line {number} cannot be read as JSON ({error})")

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        """Return the object of some pairs, which is noted if one key has two values."""
        fields = dict(pairs)
        if len(fields) != len(pairs):
            # a repeated key with the same value loses nothing
            for key in dict.fromkeys(key for key, value in pairs if fields[key] != value):
                self._repeated.setdefault(key, []).append(fields)
        return fields

    def _no_number(self, name: str) -> None:
        self._no_numbers[name] += 1


def parse_json(text: str, where: str) -> object:
    """Parse JSON; the last of repeated keys counts."""
    return JsonReader().parse(text, where)


def is_json_lines(lines: list[str]) -> bool:
    """Return whether a text is JSON Lines: several lines, and the first one is a whole object.

    Or a whole list of objects, and so is the next.
    """
    # the first line alone decides, so that a broken line further down is reported as such
    filled = list(islice((line.strip() for line in lines if line.strip()), 2))
    if len(filled) < 2:
        return len(lines) > 1 and bool(filled) and _is_object(filled[0])
    first, second = filled
    lists = first.startswith("[{") and first.endswith("}]") and second.startswith("[{")
    return lists or _is_object(first)


def may_be_json_lines(lines: list[str]) -> bool:
    """Return whether a text is damaged JSON Lines: half of its first lines are whole objects."""
    filled = [line.strip() for line in lines[: 5 * _LOOKED_AT] if line.strip()][:_LOOKED_AT]
    return len(filled) > 1 and 2 * sum(map(_is_object, filled)) >= len(filled)


def _is_object(line: str) -> bool:
    try:
        return line.startswith("{") and line.endswith("}") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


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
