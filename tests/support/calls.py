"""The command line called in this process, or several times in another."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import pytest

from qaldgen.cli.main import VERBS


class Said(NamedTuple):
    """What a call came to."""

    code: int
    out: str
    err: str


Call: TypeAlias = Callable[..., Said]


#: Makes calls one after the other, and writes how each ended to stderr.
SEVERAL_CALLS = """
import sys
from qaldgen.cli.main import main
given = sys.argv[1:]
while given:
    end = given.index(";")
    sys.argv[1:], given = given[:end], given[end + 1 :]
    code = 0
    try:
        main()
    except SystemExit as leave:
        code = leave.code or 0
    sys.stdout.flush()
    print(f"\\n<<{code}>>", end="", file=sys.stderr, flush=True)
"""


def several_calls(*calls: Sequence[str | bytes], before: str = "") -> list[str | bytes]:
    """Return a command that makes calls in one process, since starting it is what takes long."""
    words = [word for call in calls for word in (*call, ";")]
    return [sys.executable, "-c", before + SEVERAL_CALLS, *words]


def parts_of(told: str) -> list[tuple[str, int]]:
    """Return what each call of `several_calls` told, and how it ended."""
    parts = re.findall(r"(.*?)\r?\n<<(\d+)>>", told, re.DOTALL)
    return [(part, int(code)) for part, code in parts]


def skip_without(verb: str) -> None:
    """Skip a test of a verb whose plug-in is not there."""
    if verb not in VERBS:
        pytest.skip(f"the plug-in of {verb} is not installed")


def figures(said: Said) -> dict[str, Any]:
    """Return the scores that a call printed as JSON."""
    assert said.code == 0, said.err
    return {row["label"]: row["value"] for row in json.loads(said.out)}
