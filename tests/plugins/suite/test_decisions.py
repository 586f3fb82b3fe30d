"""When a kind of questions is decided, and how all kinds share one error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from qaldgen.defaults import ALPHA
from qaldgen.plugins.suite.decisions import (
    NO_DIFFERENCE,
    NOT_ENOUGH,
    InterimDifference,
    SuitePlan,
    interim_difference,
    least_fall,
    plan_for,
    sizes_of_looks,
)


def looks(z: float, sizes: tuple[int, ...]) -> list[InterimDifference]:
    """Return looks whose difference is z standard errors, all of one size."""
    return [InterimDifference(n, z * 0.05, 0.05**2) for n in sizes]


def apart(kinds: str, sizes: tuple[int, ...], difference: float = 0.2) -> SuitePlan:
    """Return the plan of kinds that share no question."""
    orders = {kind: range(1000 * at, 1000 * at + 500) for at, kind in enumerate(kinds)}
    return SuitePlan(orders, dict.fromkeys(kinds, sizes), difference, 0.8)


def test_a_claim_leaves_its_error_to_the_other_kinds() -> None:
    """What is not enough among four kinds is enough once the other three are claimed."""
    sizes = (100,)
    plan = apart("abcd", sizes, 0.9)
    alone = plan.decide({"a": looks(-2.1, sizes), **dict.fromkeys("bcd", looks(0, sizes))})
    beside = plan.decide({"a": looks(-2.1, sizes), **dict.fromkeys("bcd", looks(-9, sizes))})
    assert alone["a"].verdict != "worse"
    assert beside["a"].verdict == "worse"


def test_kinds_that_are_never_looked_at_take_no_error() -> None:
    sizes = {"a": (100,), **{f"small {at}": () for at in range(30)}}
    plan = SuitePlan({name: range(100) for name in sizes}, sizes, 0.9, 0.8)
    seen = {name: looks(-2.0, (100,)) if name == "a" else [] for name in sizes}
    found = plan.decide(seen)
    assert found["a"].verdict == "worse"
    assert {found[name].verdict for name in sizes if name != "a"} == {NOT_ENOUGH}


def test_kinds_of_the_same_questions_share_one_error_and_those_apart_split_it() -> None:
    sizes = dict.fromkeys("abcd", sizes_of_looks(100))
    same = SuitePlan(dict.fromkeys("abcd", range(100)), sizes, 0.2, 0.8)
    assert same.bound("abcd") == pytest.approx(same.bound("a"))
    assert apart("abcd", sizes_of_looks(100)).bound("abcd") > same.bound("a") + 0.3


@pytest.mark.parametrize(
    ("estimate", "verdict"), [(-0.3, "worse"), (0.3, "better"), (0.0, NO_DIFFERENCE), (-0.12, "")]
)
def test_a_look_claims_excludes_the_planned_fall_or_goes_on(estimate: float, verdict: str) -> None:
    found = apart("a", sizes_of_looks(100)).decide(
        {"a": [InterimDifference(30, estimate, 0.07**2)]}
    )
    assert found["a"].verdict == verdict


def test_what_neither_shows_nor_excludes_a_fall_in_the_end_is_not_enough() -> None:
    sizes = sizes_of_looks(40)
    plan = apart("a", sizes)
    seen = [InterimDifference(n, -0.15, 0.1**2) for n in sizes]
    found = plan.decide({"a": seen})["a"]
    assert found.verdict == NOT_ENOUGH
    # the interval is that of a claim, which was not made
    assert found.look is not None
    assert found.look.low < 0 < found.look.high
    assert plan.decide({"a": []})["a"].verdict == ""


def test_verdicts_that_may_be_wrong_widen_the_interval() -> None:
    differences, old = np.repeat([0.0, -1.0], [24, 6]), np.ones(60)
    sure, unsure = (
        interim_difference(differences, old),
        interim_difference(differences, old, verdict_variance=6 * 0.2),
    )
    assert unsure.estimate == sure.estimate
    assert unsure.variance == pytest.approx(sure.variance + 6 * 0.2 / 30**2)


def test_scores_before_tell_how_the_first_questions_differ_from_the_others() -> None:
    """A version that loses every second right answer; the first questions have many of them."""
    old = np.repeat([1.0, 0.0, 1.0, 0.0], [24, 6, 6, 24])
    differences = np.where(np.arange(30) % 2, -old[:30], 0.0)
    found = interim_difference(differences, old)
    assert differences.mean() == -0.4
    assert found.estimate == pytest.approx(-0.25, abs=0.02)
    alike = interim_difference(differences, old[:30])
    assert alike.estimate == pytest.approx(-0.4)
    assert alike.variance > found.variance


def test_sizes_keep_their_promise_and_grow_with_the_number_of_kinds() -> None:
    orders = {str(at): range(150 * at, 150 * (at + 1)) for at in range(6)}
    many = plan_for(orders, 0.2, 0.8, 0.5)
    few = plan_for({"0": orders["0"], "1": range(20)}, 0.2, 0.8, 0.5)
    assert few.sizes["0"][-1] < many.sizes["0"][-1]
    assert few.chance(few.sizes["0"], 0.2, 0.5) >= 0.8
    assert least_fall(few, "0", 0.5) == pytest.approx(0.2, abs=0.011)
    assert (few.sizes["1"], least_fall(few, "1", 0.5)) == ((), None)


def test_a_power_that_no_size_has_takes_all_questions() -> None:
    """It once looked for a larger size for ever."""
    plan = plan_for({"a": range(60), "b": range(40)}, 0.1, 0.99, 0.6)
    assert [sizes[-1] for sizes in plan.sizes.values()] == [60, 40]


@pytest.mark.parametrize("kinds", [1, 6])
def test_false_alarms_stay_within_the_error(kinds: int) -> None:
    """Independent kinds of two systems that are equally good, of which no two share the error."""
    rng = np.random.default_rng(1)
    sizes, repeats, wrong = (30, 45, 60), 150, 0
    plan = apart("abcdef"[:kinds], sizes)
    for _ in range(repeats):
        scores = rng.random((2, kinds, 60)) < 0.5
        old, new = scores.astype(float)
        seen = {
            kind: [interim_difference((new - old)[row, :n], old[row]) for n in sizes]
            for row, kind in enumerate(plan.sizes)
        }
        found = plan.decide(seen)
        wrong += any(outcome.verdict == "worse" for outcome in found.values())
    assert wrong / repeats <= ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / repeats)
