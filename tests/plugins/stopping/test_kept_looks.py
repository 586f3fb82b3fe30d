"""A plan that was looked at is kept, and no other takes its place."""

from __future__ import annotations

from collections.abc import Callable

from qaldgen.errors import DataError, UsageError
from qaldgen.plugins.stopping.kept_looks import check_plan

Refused = Callable[..., str]
PLAN = {"rule": "group-sequential", "sizes": [30, 40], "note": "ü\u2028"}
LOOK = {"n": 30, "estimate": 0.1, "verdict": ""}
KNOWN = ({"plan": PLAN}, LOOK)


def test_the_same_plan_goes_on() -> None:
    assert check_plan("mine.jsonl", PLAN, KNOWN) == (LOOK,)
    assert check_plan("mine.jsonl", PLAN, ()) == ()


def test_another_plan_is_refused_by_what_differs(refused: Refused) -> None:
    other = {**PLAN, "sizes": [30, 50]}
    said = refused(lambda: check_plan("mine.jsonl", other, KNOWN), UsageError)
    assert "was looked at under another plan (sizes: [30, 40], now [30, 50])" in said


def test_of_long_settings_the_place_where_they_differ_is_shown(refused: Refused) -> None:
    first, second = ({**PLAN, "benchmark": "a" * 90 + f"|seed:{seed}|v:1"} for seed in (1, 2))
    said = refused(lambda: check_plan("mine.jsonl", second, [{"plan": first}]), UsageError)
    assert "seed:1|v:1" in said
    assert "seed:2|v:1" in said


def test_looks_without_a_plan_are_refused(refused: Refused) -> None:
    said = refused(lambda: check_plan("mine.jsonl", PLAN, [LOOK]), DataError)
    assert "looks without a plan" in said
