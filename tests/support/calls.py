"""The command line called in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias


class Said(NamedTuple):
    """What a call came to."""

    code: int
    out: str
    err: str


Call: TypeAlias = Callable[..., Said]


def figures(said: Said) -> dict[str, Any]:
    """Return the scores that a call printed as JSON."""
    assert said.code == 0, said.err
    return {row["label"]: row["value"] for row in json.loads(said.out)}
