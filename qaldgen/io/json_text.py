"""JSON texts: one error for whatever is wrong with them."""

from __future__ import annotations

import json
from typing import Any


def from_json(text: str | bytes, **hooks: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    """Return the value of a JSON text; a ValueError, too, if nested deeper than Python follows.

    >>> from_json("[" * 100_000)
    Traceback (most recent call last):
    ...
    ValueError: nested too deeply
    """
    try:
        return json.loads(text, **hooks)
    except RecursionError:
        raise ValueError("nested too deeply") from None
