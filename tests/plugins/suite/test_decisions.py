"""When a kind of questions is decided, and how all kinds share one error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from qaldgen.defaults import ALPHA
from qaldgen.plugins.suite.decisions import (
    NO_DIFFERENCE,
    NOT_ENOUGH,
    KindLook,
    decide,
    least_difference,
    look_at,
    power,
    size_for,
    sizes_of,
)


def looks(z: float, sizes: tuple[int, ...]) -> list[KindLook]:
    """Return looks whose difference is z standard errors, all of one size."""
    return [KindLook(n, z * 0.05, 0.05**2) for n in sizes]


def test_a_claim_leaves_its_error_to_the_other_kinds() -> None:
    """What is not enough among four kinds is enough once the other three are claimed."""
    sizes = (100,)
    plans = dict.fromkeys("abcd", sizes)
    alone = decide(plans, {"a": looks(-2.1, sizes), **dict.fromkeys("bcd", looks(0, sizes))}, 0.9)
    beside = decide(plans, {"a": looks(-2.1, sizes), **dict.fromkeys("bcd", looks(-9, sizes))}, 0.9)
    assert alone["a"].verdict != "worse"
    assert beside["a"].verdict == "worse"


def test_kinds_that_are_never_looked_at_take_no_error() -> None:
    sizes = (100,)
    plans = {"a": sizes, **{f"small {at}": () for at in range(30)}}
    seen = {name: looks(-2.0, sizes) if name == "a" else [] for name in plans}
    found = decide(plans, seen, 0.9)
    assert found["a"].verdict == "worse"
    assert {found[name].verdict for name in plans if name != "a"} == {NOT_ENOUGH}


@pytest.mark.parametrize(
    ("estimate", "verdict"), [(-0.3, "worse"), (0.3, "better"), (0.0, NO_DIFFERENCE), (-0.12, "")]
)
def test_a_look_claims_excludes_the_planned_fall_or_goes_on(estimate: float, verdict: str) -> None:
    sizes = sizes_of(100)
    found = decide({"a": sizes}, {"a": [KindLook(30, estimate, 0.07**2)]}, 0.2)
    assert found["a"].verdict == verdict


def test_what_neither_shows_nor_excludes_a_fall_in_the_end_is_not_enough() -> None:
    sizes = sizes_of(40)
    seen = [KindLook(n, -0.15, 0.1**2) for n in sizes]
    assert decide({"a": sizes}, {"a": seen}, 0.2)["a"].verdict == NOT_ENOUGH
    assert decide({"a": sizes}, {"a": []}, 0.2)["a"].verdict == ""


def test_verdicts_that_may_be_wrong_widen_the_interval() -> None:
    apart = np.repeat([0.0, -1.0], [24, 6])
    sure, unsure = look_at(apart), look_at(apart, doubt=6 * 0.2)
    assert unsure.estimate == sure.estimate
    assert unsure.variance == pytest.approx(sure.variance + 6 * 0.2 / 30**2)


def test_sizes_keep_their_promise_and_grow_with_the_number_of_kinds() -> None:
    few, many = (size_for(0.2, 0.8, 0.5, kinds) for kinds in (2, 16))
    assert few < many
    assert power(few, 0.2, 0.5, 2) >= 0.8
    assert least_difference(few, 0.8, 0.5, 2) <= 0.2
    assert math.isnan(least_difference(20, 0.8, 0.5, 2))


@pytest.mark.parametrize("kinds", [1, 6])
def test_false_alarms_stay_within_the_error(kinds: int) -> None:
    """Independent kinds of two systems that are equally good, which is where Holm is tightest."""
    rng = np.random.default_rng(1)
    sizes, repeats, wrong = sizes_of(60), 300, 0
    for _ in range(repeats):
        apart = rng.choice([-1.0, 0.0, 1.0], size=(kinds, 60), p=[0.2, 0.6, 0.2])
        seen = {f"{k}": [look_at(row[:n]) for n in sizes] for k, row in enumerate(apart)}
        found = decide(dict.fromkeys(seen, sizes), seen, 0.2)
        wrong += any(outcome.verdict == "worse" for outcome in found.values())
    assert wrong / repeats <= ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / repeats)
