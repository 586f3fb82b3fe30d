"""JSON of any shape: parse a text with one class of errors, and take values from it."""

from __future__ import annotations

import json
from typing import Any


def from_json(text: str | bytes, **hooks: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    """Parse a JSON text; nesting too deep for Python is a ValueError, as other mistakes are.

    >>> from_json("[" * 100_000)
    Traceback (most recent call last):
    ...
    ValueError: nested too deeply
    """
    try:
        return json.loads(text, **hooks)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def member(value: object, name: str) -> Any:  # noqa: ANN401 - JSON of any shape
    """Return a member of a JSON object; None if it is missing or the value is no object.

    >>> member({"n": 1}, "n"), member({"n": 1}, "m"), member([1], "n")
    (1, None, None)
    """
    if isinstance(value, dict):
        return value.get(name)
    return None


def as_list(value: object) -> list[Any]:
    """Return a list unchanged, and any other value in a list.

    >>> as_list(["Ulm", "Bonn"]), as_list("Ulm")
    (['Ulm', 'Bonn'], ['Ulm'])
    """
    if isinstance(value, list):
        return value
    return [value]
