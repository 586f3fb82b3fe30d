"""Parse JSON, and report what parsers usually ignore: repeated keys, and NaN."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from qaldgen.errors import DataError
from qaldgen.io.concurrency import without_garbage_collection

#: Lines that are tried, to recognise damaged JSON Lines.
_LOOKED_AT = 20
#: Repeated keys that a note names.
_NAMED = 5


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


class _Repeated(NamedTuple):
    """A key that occurs twice in an object, with different values."""

    key: str
    made: dict[str, object]


class JsonReader:
    """Parses JSON texts.

    The last value of a repeated key counts; NaN and Infinity become null. `notes` reports both.
    """

    def __init__(self) -> None:
        self._repeated: list[_Repeated] = []
        self._no_numbers: Counter[str] = Counter()
        self._decoder = json.JSONDecoder(
            parse_float=Decimals, parse_constant=self._no_number, object_pairs_hook=self._object
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

    def notes(self, document: object) -> Iterator[str]:
        """Yield notes on a document that was parsed with this reader."""
        by_key: dict[str, list[dict[str, object]]] = {}
        for key, made in self._repeated:
            by_key.setdefault(key, []).append(made)
        for key, objects in list(by_key.items())[:_NAMED]:
            yield (
                f"the key {key!r} occurs twice with different values in"
                f" {_counted(len(objects), 'object')} (first: {_place(document, objects[0])}); the"
                " last value counts"
            )
        if len(by_key) > _NAMED:
            yield f"the same holds for {len(by_key) - _NAMED} other keys"
        for name, count in self._no_numbers.items():
            yield f"{name} is not valid JSON; it is read as null ({_counted(count, 'time')})"

    def _line(self, line: str, number: int) -> object:
        try:
            value: object = self._decoder.decode(line)
        except json.JSONDecodeError as error:
            return Unparsed(f"line {number} is invalid JSON at column {error.colno}: {error.msg}")
        except (RecursionError, ValueError) as error:
            return Unparsed(f"line {number} cannot be read as JSON ({error})")
        return value

    def _object(self, pairs: list[tuple[str, object]]) -> object:
        made = dict(pairs)
        if len(made) != len(pairs):
            # a repeated key with the same value loses nothing
            differing = dict.fromkeys(key for key, value in pairs if made[key] != value)
            self._repeated += [_Repeated(key, made) for key in differing]
        return made

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


def _place(document: object, wanted: dict[str, object]) -> str:
    """Return the path to an object, such as ``questions[3].query``."""
    waiting: list[tuple[str, object]] = [("", document)]
    while waiting:
        path, value = waiting.pop()
        if value is wanted:
            return (
                re.sub(r"^\[(\d+)\]\.?", lambda match: f"record {int(match[1]) + 1} ", path).strip()
                or "the whole"
            )
        if isinstance(value, dict):
            waiting += [(f"{path}.{key}" if path else key, item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{path}[{at}]", item) for at, item in enumerate(value)]
    return "the whole"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
