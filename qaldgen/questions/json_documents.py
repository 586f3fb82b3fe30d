"""Parse JSON, with notes on repeated keys and NaN, and YAML."""

from __future__ import annotations

import ast
import datetime
import decimal
import importlib
import json
import math
import numbers
import re
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.errors import DataError, UsageError
from qaldgen.io.concurrency import without_garbage_collection
from qaldgen.io.text import count

#: The number of lines that are tried to recognise damaged JSON Lines.
_LOOKED_AT = 20
#: The most characters that are parsed as Python.
_MAX_PYTHON_CHARS = 2**24
#: The first key or text in Python's notation, where JSON has a double quote.
_PYTHON_START = re.compile(r"[\[{(\s]*(?:'|[0-9]+\s*:)")
#: The most repeated keys that are noted.
_MAX_NAMED = 5
#: The most characters of an object that a note shows.
_MAX_SHOWN = 60
#: Types of missing values in pandas that are neither null nor NaN.
_MISSING_TYPES = frozenset({"NAType", "NaTType"})
#: The keys by which the Extended JSON of MongoDB says the type of a value.
_TYPE_KEYS = frozenset({
    "$oid", "$uuid", "$date", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal",
})  # fmt: skip


class Decimals(float):
    """A JSON number with a point or an exponent, which keeps its text, such as ``1e3``."""

    text: str

    def __new__(cls, text: str) -> Decimals:
        """Create a number that keeps its text."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __str__(self) -> str:
        """Return the text in the file."""
        return self.text


class Unparsed(NamedTuple):
    """The placeholder for a record that cannot be parsed."""

    reason: str


class JsonReader:
    """Parses JSON texts.

    The last value of a repeated key counts; NaN and Infinity become null. `notes` reports both.
    """

    def __init__(self) -> None:
        #: By key: the objects in which it occurs twice, with different values.
        self._repeated: dict[str, list[dict[str, object]]] = {}
        self._no_numbers: Counter[str] = Counter()
        self._decoder = json.JSONDecoder(
            parse_float=Decimals,
            parse_constant=self._note_constant,
            object_pairs_hook=self._make_object,
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
                self._parse_line(line, number)
                for number, line in enumerate(lines, 1)
                if line.strip()
            ]

    def notes(self) -> Iterator[str]:
        """Yield notes on repeated keys and on numbers that JSON does not have."""
        for key, objects in list(self._repeated.items())[:_MAX_NAMED]:
            yield (
                f"the key {key!r} occurs twice with different values in"
                f" {count(len(objects), 'object')} (first: {str(objects[0])[:_MAX_SHOWN]}); the"
                " last value counts"
            )
        if len(self._repeated) > _MAX_NAMED:
            yield f"the same holds for {len(self._repeated) - _MAX_NAMED} other keys"
        for name, times in self._no_numbers.items():
            yield f"{name} is not valid JSON; it is read as null ({count(times, 'time')})"

    def _parse_line(self, line: str, number: int) -> object:
        try:
            return self._decoder.decode(line)
        except json.JSONDecodeError as error:
            return Unparsed(f"line {number} is invalid JSON at column {error.colno}: {error.msg}")
        except RecursionError:
            return Unparsed(f"line {number} is nested too deeply")
        except ValueError as error:
            return Unparsed(f"line {number} cannot be read as JSON ({error})")

    def _make_object(self, pairs: list[tuple[str, object]]) -> object:
        """Return the object with some pairs of key and value, and note repeated keys.

        An object that only says the type of a value in Extended JSON is replaced by the value.
        """
        if len(pairs) == 1 and pairs[0][0] in _TYPE_KEYS:
            return pairs[0][1]
        fields = dict(pairs)
        if len(fields) != len(pairs):
            # repeating a key with the same value does no harm
            for key in dict.fromkeys(key for key, value in pairs if fields[key] != value):
                self._repeated.setdefault(key, []).append(fields)
        return fields

    def _note_constant(self, name: str) -> None:
        self._no_numbers[name] += 1


def python_document(text: str) -> object:
    r"""Return a list or an object in Python's notation, or one in each line; else None.

    >>> python_document("{'7': ['Ulm', None]}"), python_document("{'id': 7}\n{'id': 8}")
    ({'7': ['Ulm', None]}, [{'id': 7}, {'id': 8}])
    """
    if len(text) > _MAX_PYTHON_CHARS or not _PYTHON_START.match(text):
        return None
    documents = []
    try:
        try:
            return json_value(ast.literal_eval(text))
        except (ValueError, SyntaxError):
            for line in text.splitlines():
                if line.strip():
                    documents.append(json_value(ast.literal_eval(line)))
    except (ValueError, SyntaxError, MemoryError, RecursionError, UsageError):
        return None
    return documents


def parse_json(text: str, where: str) -> object:
    """Parse JSON; the last of repeated keys counts."""
    return JsonReader().parse(text, where)


def is_json_lines(lines: list[str]) -> bool:
    """Return whether several lines are JSON Lines: the first one is an object.

    It may also be a list, if the second one is a list, too. Other lines do not matter, so that a
    broken line is reported as such.
    """
    nonblank = list(islice((line.strip() for line in lines if line.strip()), 2))
    if len(lines) < 2 or not nonblank:
        return False
    are_lists = len(nonblank) > 1 and all(_is_json(line, list) for line in nonblank)
    return are_lists or _is_json(nonblank[0], dict)


def may_be_json_lines(lines: list[str]) -> bool:
    """Return whether a text is damaged JSON Lines: half of its first lines are objects."""
    nonblank = [line.strip() for line in lines[: 5 * _LOOKED_AT] if line.strip()][:_LOOKED_AT]
    return len(nonblank) > 1 and 2 * sum(_is_json(line, dict) for line in nonblank) >= len(nonblank)


def _is_json(line: str, kind: type) -> bool:
    """Return whether a line is a JSON object or list, whichever `kind` says."""
    brackets = "{}" if kind is dict else "[]"
    try:
        return line[:1] + line[-1:] == brackets and isinstance(json.loads(line), kind)
    except (ValueError, RecursionError):
        return False


def json_value(value: Any) -> object:  # noqa: ANN401 - a value of any library
    """Convert a value of Python, pandas, numpy or Arrow to JSON; NaN and pictures become null."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    is_nan = isinstance(value, numbers.Real) and not math.isfinite(value)
    if type(value).__name__ in _MISSING_TYPES or is_nan or isinstance(value, bytes):
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
    is_id = isinstance(value, uuid.UUID) or type(value).__name__ == "ObjectId"  # of a database
    if is_id or isinstance(value, (decimal.Decimal, datetime.timedelta)):
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
        location = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise DataError(
            f"invalid YAML{location}: {getattr(error, 'problem', None) or 'it does not parse'}",
            where=path,
        ) from error
    return document
