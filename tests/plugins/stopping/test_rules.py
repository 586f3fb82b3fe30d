"""What the rules say of answers so far: looks that stand, precision, races."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, t

from qaldgen.analysis.estimating.pool_mean import Estimate
from qaldgen.analysis.estimating.regression_estimate import KnownMeans, Moments, regression_estimate
from qaldgen.errors import DataError, UsageError
from qaldgen.plugins.stopping.look_plan import plan_looks
from qaldgen.plugins.stopping.looks import Look, take_look, take_looks
from qaldgen.plugins.stopping.ranking import RACE_GROWTH, Ranking, eliminate
from qaldgen.plugins.stopping.rule import check_target, is_precise

PLAN = plan_looks(200, 5000)


def means(*values: float) -> dict[int, Moments]:
    return {
        n: Moments(value, 0.0025, n - 1, 0.0025)
        for n, value in zip(PLAN.sizes, values, strict=False)
    }


def test_looks_are_taken_in_order_until_one_stops() -> None:
    taken = take_looks(PLAN, 200, means(0.0, 0.05, 0.2, 0.3).__getitem__)
    assert [one.n for one in taken.looks] == [30, 40, 55]
    assert (taken.verdict, taken.decided, taken.next_look) == ("better", True, None)


def test_a_look_needs_all_of_its_answers() -> None:
    taken = take_looks(PLAN, 54, means(0.0, 0.05, 0.9).__getitem__)
    assert [one.n for one in taken.looks] == [30, 40]
    assert (taken.verdict, taken.next_look) == ("undecided", 55)


def test_a_look_that_was_taken_stands_whatever_the_answers_say_now() -> None:
    earlier = [Look(30, 0.3, 0.1, 0.5, 4.0, 2.5, "better")]
    again = take_looks(PLAN, 200, means(*[0.0] * 7).__getitem__, earlier=earlier)
    assert again.looks == tuple(earlier)
    undecided = [Look(30, 0.0, -0.1, 0.1, 0.0, 2.5)]
    again = take_looks(PLAN, 40, means(0.9, 0.0).__getitem__, earlier=undecided)
    assert again.looks[0] == undecided[0]
    assert again.verdict == "undecided"


def test_no_look_is_left_at_the_end() -> None:
    taken = take_looks(PLAN, 200, means(*[0.0] * 7).__getitem__)
    assert (taken.verdict, taken.next_look) == ("undecided", None)
    assert taken.looks[-1].n == 200


def test_the_repeated_interval_excludes_zero_just_where_the_look_stops() -> None:
    for apart in np.linspace(-0.3, 0.3, 41):
        found = take_look(Moments(0.5 + apart, 0.0036, 39, 0.0036), 40, 2.7, 0.5)
        assert (found.low > 0 or found.high < 0) == bool(found.verdict)


@pytest.mark.parametrize(("n", "bound"), [(30, 2.54), (40, 2.7), (200, 2.1), (5000, 1.96)])
def test_a_look_stops_at_its_bound_and_not_before(n: int, bound: float) -> None:
    """The bound is a normal deviate; with few questions t takes its place, at the same p."""
    critical = float(t.ppf(norm.cdf(bound), n - 1))
    for share, verdict in ((0.995, ""), (1.005, "better"), (-0.995, ""), (-1.005, "worse")):
        found = take_look(
            Moments(0.5 + share * critical * 0.06, 0.0036, n - 1, 0.0036), n, bound, 0.5
        )
        assert found.verdict == verdict
        assert found.high - found.low == pytest.approx(2 * critical * 0.06, rel=1e-6)
        assert found.z == pytest.approx(norm.isf(t.sf(share * critical, n - 1)), rel=1e-6)
    at_bound = Moments(0.6, 0.0036, n - 1, 0.0036)
    assert take_look(at_bound, n, take_look(at_bound, n, bound, 0.5).z, 0.5).verdict == "better"


@pytest.mark.parametrize("at", range(len(PLAN.sizes)))
def test_each_look_of_a_plan_has_its_own_bound(at: int) -> None:
    n, bound = PLAN.sizes[at], PLAN.bounds[at]
    critical = float(t.ppf(norm.cdf(bound), n - 1)) * 0.05
    for share, decided in ((0.995, False), (1.005, True)):
        told = means(*[0.0] * at, share * critical, *[0.0] * 7)
        assert take_looks(PLAN, n, told.__getitem__).decided == decided


def test_the_whole_pool_decides_by_any_difference_and_none_by_none() -> None:
    plan = plan_looks(40, 40)
    for apart, verdict in ((0.001, "better"), (-0.001, "worse"), (0.0, "undecided")):
        seen = {n: Moments(apart, 0.0 if n == 40 else 1.0, n - 1, 0.0) for n in plan.sizes}
        assert take_looks(plan, 40, seen.__getitem__).verdict == verdict


def test_a_look_survives_its_record() -> None:
    for one in (Look(30, 0.1, -0.1, 0.3, 1.2, 2.5), Look(40, 0.2, 0.2, 0.2, 40.0, 0.0, "better")):
        assert Look.of(one.record(), "here") == one
    with pytest.raises(DataError, match="here: a look is damaged"):
        Look.of({"n": 30}, "here")


# --- precision ------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [0.0, -0.1, float("nan")])
def test_a_precision_that_there_is_not_is_refused(width: float) -> None:
    with pytest.raises(UsageError, match="the half-width"):
        check_target(width, None, None, None)


@pytest.mark.parametrize(
    ("low", "high", "reached"),
    [(0.4, 0.4999, True), (0.4, 0.5001, False), (0.0, 0.09, True), (float("nan"),) * 2 + (False,)],
)
def test_an_interval_is_precise_enough_by_its_half_width(
    low: float, high: float, reached: bool
) -> None:
    found = Estimate(0.45, low, high, 100, 500, 100.0, "")
    assert is_precise(found, 0.05) == reached


# --- races ----------------------------------------------------------------------------------------


def systems(chances: dict[str, float], size: int = 1000, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: (rng.random(size) < chance).astype(float) for name, chance in chances.items()}


def run_race(
    scores: dict[str, np.ndarray], ready: dict[str, int] | None = None, largest: int = 200
) -> Ranking:
    def difference(one: str, two: str, n: int) -> Moments:
        return regression_estimate(
            scores[one][:n] - scores[two][:n], 1000, KnownMeans.nothing(n), None, (-1.0, 1.0)
        )

    told = ready or dict.fromkeys(scores, 1000)
    return eliminate(scores, told, difference, largest=largest, pool_size=1000)


def test_who_is_clearly_behind_leaves_and_the_best_stays() -> None:
    found = run_race(systems({"good": 0.8, "middle": 0.6, "bad": 0.1}))
    left = found.table.set_index("system")["left at"]
    assert found.alive[0] == "good"
    assert left["bad"] == 30
    behind = found.table.set_index("system")["behind"]
    assert behind["bad"] == pytest.approx(0.7, abs=0.2)
    assert behind.max() == behind["bad"]
    assert found.calls == found.table["questions"].sum() < 600


@pytest.mark.parametrize("rivals", [1, 3])
def test_a_system_leaves_at_the_bound_that_its_rivals_share(rivals: int) -> None:
    """Only one side of a test can drop the best: twice alpha, divided by the rivals."""
    names = [f"s{at}" for at in range(rivals + 1)]
    scores = {name: np.full(1000, 1.0 - at / 10) for at, name in enumerate(names)}
    bound = plan_looks(200, 1000, alpha=2 * 0.05 / rivals, growth=RACE_GROWTH).bounds[0]
    for share, left in ((0.99, []), (1.01, ["s1"])):
        told = {("s0", "s1"): share * bound}

        def difference(one: str, two: str, n: int, told: dict = told) -> Moments:  # type: ignore[type-arg]
            return Moments(told.get((one, two), 0.0), 1.0, 10**9, 1.0)

        ready = dict.fromkeys(names, 30)
        found = eliminate(scores, ready, difference, largest=200, pool_size=1000)
        assert [name for name in names if name not in found.alive] == left


def test_who_has_left_needs_no_further_answers() -> None:
    scores = systems({"good": 0.9, "bad": 0.1})
    found = run_race(scores, {"good": 1000, "bad": 30})
    assert (found.alive, found.next_look) == (("good",), None)


def test_a_race_waits_for_answers_and_says_up_to_where() -> None:
    scores = systems({"one": 0.5, "two": 0.5})
    found = run_race(scores, {"one": 200, "two": 54})
    assert (set(found.alive), found.next_look) == ({"one", "two"}, 60)


def test_the_best_is_kept_in_most_races() -> None:
    kept = [
        "best" in run_race(systems({"best": 0.56, "b": 0.5, "c": 0.5, "d": 0.5}, seed=seed)).alive
        for seed in range(60)
    ]
    assert np.mean(kept) >= 0.95


def test_one_system_is_no_race() -> None:
    with pytest.raises(UsageError, match="a race needs at least two systems"):
        run_race(systems({"a": 0.5}))
