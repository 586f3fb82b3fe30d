"""The command line called in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import pytest

from qaldgen.cli.main import VERBS


class Said(NamedTuple):
    """What a call came to."""

    code: int
    out: str
    err: str


Call: TypeAlias = Callable[..., Said]


def skip_without(verb: str) -> None:
    """Skip a test of a verb whose plug-in is not there."""
    if verb not in VERBS:
        pytest.skip(f"the plug-in of {verb} is not installed")


def figures(said: Said) -> dict[str, Any]:
    """Return the scores that a call printed as JSON."""
    assert said.code == 0, said.err
    return {row["label"]: row["value"] for row in json.loads(said.out)}
