"""Intervals.

By their definition and by coverage, what they become for a small change, and what gets none.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from general_measures import GENERAL
from scipy.stats import binomtest, t

from qaldgen.errors import DataError, UsageError
from qaldgen.scoring import intervals
from qaldgen.scoring.intervals import (
    interval,
    mean_intervals,
    measure_interval,
    measure_intervals,
    question_weights,
    resampled_bounds,
)
from qaldgen.scoring.mean_bounds import typical_size
from qaldgen.scoring.measures import MEASURES, find_measure, summed_columns

Refused = Callable[..., str]


def counts(*rows: tuple[int, int, int]) -> pd.DataFrame:
    frame = pd.DataFrame(
        list(rows), columns=["tp", "fp", "fn"], index=[f"q{n}" for n in range(len(rows))]
    )
    given, expected = frame["tp"] + frame["fp"], frame["tp"] + frame["fn"]
    nothing = (given == 0) & (expected == 0)
    frame["precision"] = (frame["tp"] / given.where(given > 0, 1)).where(~nothing, 1.0)
    frame["recall"] = (frame["tp"] / expected.where(expected > 0, 1)).where(~nothing, 1.0)
    total = frame["precision"] + frame["recall"]
    frame["f1"] = 2 * frame["precision"] * frame["recall"] / total.where(total > 0, 1)
    return frame


def sets_of(n: int, number: int) -> np.ndarray:
    """Return the masks of so many sets of `n` rows, one below the other: faster than each alone."""
    return np.repeat(np.eye(number, dtype=bool), n, axis=0)


# --- means ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "n"), [(0, 8), (3, 8), (1, 20), (40, 100), (100, 100), (0, 1000)]
)
def test_zeros_and_ones_get_the_interval_of_clopper_and_pearson(right: int, n: int) -> None:
    expected = binomtest(right, n).proportion_ci(method="exact")
    found = interval([1.0] * right + [0.0] * (n - right))
    assert (found.low, found.high) == pytest.approx(
        (expected.low, expected.high), abs=0.002 + 0.005 * expected.high / n
    )


@pytest.mark.parametrize("scores", [[0.0, 0.3, 0.3, 0.9, 1.0, 0.1], [1e-4] + [0.0] * 20, [0.5] * 5])
def test_bounds_are_the_quantiles_of_means_with_random_weights(scores: list[float]) -> None:
    """The saddlepoint against 400,000 draws of Dirichlet weights."""
    rng = np.random.default_rng(0)
    weights = rng.standard_exponential((400_000, len(scores) + 1))
    weights /= weights.sum(axis=1, keepdims=True)
    low, high = (weights @ np.array([*scores, end]) for end in (0.0, 1.0))
    found = interval(scores)
    assert found.low == pytest.approx(np.quantile(low, 0.025), rel=0.02, abs=1e-6)
    assert found.high == pytest.approx(np.quantile(high, 0.975), rel=0.02)


def test_one_tiny_score_does_not_collapse_the_interval() -> None:
    nothing, tiny = interval([0.0] * 50), interval([0.0] * 49 + [0.0001])
    assert nothing.high == pytest.approx(1 - 0.025 ** (1 / 50), rel=0.01)
    assert tiny.high == pytest.approx(nothing.high, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_a_small_change_of_a_score_is_a_small_change_of_the_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.choice([0.0, 0.0, 0.5, 1.0], rng.integers(5, 40))
    found = np.array(interval(scores)[1:3])
    for at in range(len(scores)):
        moved = scores.copy()
        moved[at] += 1e-6 if moved[at] < 1.0 else -1e-6
        assert np.abs(np.array(interval(moved)[1:3]) - found).max() < 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_a_better_score_never_lowers_a_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, weights = rng.random(12), 0.1 + rng.random(12)
    before = interval(scores, weights=weights)
    for at in range(12):
        better = scores.copy()
        better[at] = 1.0
        after = interval(better, weights=weights)
        assert after.low >= before.low - 1e-9
        assert after.high >= before.high - 1e-9


def test_scores_that_vary_less_than_zeros_and_ones_tell_more() -> None:
    graded, binary = (
        interval([0.4, 0.6, 0.5, 0.5, 0.45, 0.55] * 3),
        interval([1, 0, 1, 0, 1, 0] * 3),
    )
    assert graded.estimate == pytest.approx(binary.estimate)
    assert graded.high - graded.low < (binary.high - binary.low) / 2


def test_weights_weigh_the_estimate_and_widen_the_interval() -> None:
    scores = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0]
    plain, weighted = interval(scores), interval(scores, weights=[6, 1, 1, 1, 1, 1, 1, 1])
    assert weighted.estimate == pytest.approx(10 / 13)
    assert weighted.effective_n == pytest.approx(13**2 / 43)
    assert weighted.high - weighted.low > plain.high - plain.low


def test_the_size_of_weights_does_not_matter() -> None:
    scores, weights = np.array([1, 0, 0, 1, 0.5, 0]), np.array([1, 2, 3, 1, 2, 1])
    assert interval(scores, weights=weights) == pytest.approx(
        (*interval(scores, weights=100 * weights)[:5], "Gaffke")
    )


def test_a_small_pool_narrows_the_interval() -> None:
    scores = [1, 0] * 10
    found = [interval(scores, population=pool) for pool in (10**9, 40, 25)]
    assert [one.effective_n for one in found] == pytest.approx([20.0, 40.0, 100.0])
    widths = [one.high - one.low for one in found]
    assert widths[0] == pytest.approx(interval(scores).high - interval(scores).low, abs=1e-6)
    assert widths[0] > 1.3 * widths[1] > 1.7 * widths[2]


def test_what_was_seen_of_a_pool_is_certain() -> None:
    found = interval([1.0] * 3 + [0.0] * 17, population=22)
    assert found.low >= 3 / 22
    assert found.high <= 5 / 22 + 1e-12


def test_bounds_are_widened_by_half_a_question_of_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = np.array([[0.3], [0.7]])
    monkeypatch.setattr(intervals, "bounds_of_mean", lambda *_: bounds)
    result = interval([1, 0] * 5, population=100)
    assert (result.low, result.high) == pytest.approx((0.295, 0.705))


def test_the_whole_pool_leaves_no_doubt() -> None:
    found = interval([1, 0, 1, 1, 0], population=5)
    assert (found.low, found.high) == pytest.approx((0.6, 0.6))
    assert found.method == "exact: the whole pool"


def test_a_pool_of_one_question_is_known_by_its_answer() -> None:
    found = interval([1.0], population=1)
    assert (found.low, found.high) == (1.0, 1.0)
    assert found.method == "exact: the whole pool"


@pytest.mark.parametrize("n", [0, 1, 4])
def test_below_five_questions_there_is_no_interval(n: int) -> None:
    found = interval([1.0] * n)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.method == "none: fewer than 5 questions"


def test_five_questions_have_an_interval() -> None:
    found = interval([1, 0, 1, 1, 0])
    assert (found.method, found.low < found.estimate < found.high) == ("Gaffke", True)


def test_five_questions_get_one() -> None:
    assert interval([1.0] * 5).low > 0.3


def test_differences_lie_between_minus_one_and_one() -> None:
    found = interval([-1.0] * 12, bounds=(-1.0, 1.0))
    assert found.low == pytest.approx(-1.0)
    assert -1.0 < found.high < 0.0


def test_bad_scores_weights_and_pools_are_refused(refused: Refused) -> None:
    assert "score 2 is 1.5" in refused(lambda: interval([0.0, 1.5]))
    assert "score 1 is nan" in refused(lambda: interval([float("nan")]))
    assert "positive weights" in refused(lambda: interval([0.0, 1.0], weights=[1.0, 0.0]))
    assert "smaller than the 6" in refused(lambda: interval([0.0] * 6, population=5))


@pytest.mark.parametrize("n", [20, 50])
@pytest.mark.parametrize(
    "kind", ["rare", "rare and small rest", "skewed", "bimodal", "pool", "weighted"]
)
def test_intervals_cover_the_truth(kind: str, n: int) -> None:
    """A part of what benchmarks/null_rates.py measures."""
    rng = np.random.default_rng(n)
    shapes = {
        "rare": (np.arange(400) < 20).astype(float),
        "rare and small rest": np.where(np.arange(400) < 20, 1.0, 0.1 * rng.random(400)),
        "skewed": rng.beta(0.1, 1.9, 400),
    }
    population = shapes.get(kind, rng.choice([0, 0, 0.5, 0.8, 1], 400))
    size = 0.5 + rng.random(400) if kind == "weighted" else np.ones(400)
    replace, share = kind != "pool", size / size.sum()
    chosen = np.concatenate([rng.choice(400, n, replace, share) for _ in range(250)])
    found = mean_intervals(
        population[chosen],
        1.0 / size[chosen],
        sets_of(n, 250),
        population=None if replace else 400,
    )
    assert np.mean([one.low <= population.mean() <= one.high for one in found]) >= 0.93


@pytest.mark.parametrize(("name", "wider"), [("0/1", 1.1), ("graded", 1.1)])
def test_intervals_are_nearly_as_short_as_those_of_wilson(name: str, wider: float) -> None:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(40):
        scores = rng.choice([0.0, 1.0] if name == "0/1" else [0.0, 0.0, 0.4, 1.0], 60)
        mean, variance, quantile = scores.mean(), scores.var() / 59, float(t.ppf(0.975, 59)) ** 2
        square = quantile * variance / (mean * (1.0 - mean))
        wilson = 2.0 * np.sqrt(mean * (1.0 - mean) * square + square**2 / 4.0) / (1.0 + square)
        one = interval(scores)
        found.append((one.high - one.low) / wilson)
    assert np.mean(found) < wider


# --- measures -------------------------------------------------------------------------------------


def test_measures_by_hand() -> None:
    frame = counts((1, 1, 0), (0, 0, 2), (0, 0, 0), (0, 3, 1))
    expected = {
        "precision": 1.5 / 4,
        "recall": 2 / 4,
        "macro-f1": (2 / 3 + 1) / 4,
        "micro-precision": 1 / 5,
        "micro-recall": 1 / 4,
        "micro-f1": 2 / 9,
        "macro-f1-qald": 2 * (2.5 / 4) * 0.5 / (2.5 / 4 + 0.5),
    }
    assert {name: measure_interval(frame, name).estimate for name in expected} == pytest.approx(
        expected
    )


@pytest.mark.parametrize("name", GENERAL)
def test_measures_are_those_of_scoring(name: str) -> None:
    frame = counts((1, 1, 0), (0, 0, 2), (0, 0, 0), (0, 3, 1), (2, 0, 1))
    frame = frame.assign(
        hit=[True, False, False, False, True],
        status=["answered", "empty", "failed", "answered", "answered"],
    )
    weights = pd.Series([1.0, 2.0, 0.5, 1.0, 3.0], index=frame.index)
    found = measure_interval(frame, name, weights=weights)
    assert found.estimate == pytest.approx(MEASURES[name].of(frame, weights.tolist()), abs=1e-12)


def test_micro_of_nothing_expected_and_nothing_given_is_one() -> None:
    assert measure_interval(counts((0, 0, 0)), "micro-f1").estimate == 1.0


def test_micro_without_a_right_answer_is_zero() -> None:
    assert measure_interval(counts((0, 2, 1)), "micro-f1").estimate == 0.0


def test_any_column_is_a_measure() -> None:
    assert measure_interval(pd.DataFrame({"hit": [1, 0]}), "hit").estimate == 0.5


def test_unknown_measure_is_refused(refused: Refused) -> None:
    message = refused(lambda: find_measure("f2", counts((1, 0, 0))), UsageError)
    assert "f2" in message
    assert "micro-f1" in message


def test_a_missing_score_names_the_question(refused: Refused) -> None:
    frame = counts((1, 0, 0), (1, 0, 0))
    frame.loc["q1", "f1"] = float("nan")
    assert "question q1" in refused(lambda: summed_columns(frame, find_measure("f1", frame)))


def test_a_missing_weight_names_the_question(refused: Refused) -> None:
    message = refused(
        lambda: question_weights(counts((1, 0, 0), (1, 0, 0)), pd.Series({"q0": 1.0})), DataError
    )
    assert "question q1" in message


# --- measures that are no means -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["micro-precision", "micro-recall", "micro-f1"])
def test_micro_measures_of_questions_of_one_size_are_means(name: str) -> None:
    frame = counts(*[(1, 0, 0)] * 12, *[(0, 1, 1)] * 8)
    assert measure_interval(frame, name)[:3] == pytest.approx(interval([1.0] * 12 + [0.0] * 8)[:3])


@pytest.mark.parametrize("name", ["micro-precision", "micro-recall", "micro-f1", "macro-f1-qald"])
@pytest.mark.parametrize("row", [(1, 0, 0), (0, 1, 1), (0, 0, 1), (2, 1, 1), (0, 0, 0)])
def test_no_measure_has_an_interval_of_no_width(name: str, row: tuple[int, int, int]) -> None:
    found = measure_interval(counts(*[row] * 30), name)
    assert 0.0 <= found.low <= np.nan_to_num(found.estimate) <= found.high <= 1.0
    assert found.high - found.low > 0.05


def test_micro_f1_has_the_bounds_of_drawn_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "_DRAWS", 60_000)
    rng = np.random.default_rng(1)
    frame = counts(*rng.integers(0, 4, (30, 3)).tolist())
    kind = find_measure("micro-f1", frame)
    values = summed_columns(frame, kind)
    size = typical_size(values @ np.array(kind.size))
    drawn = resampled_bounds(
        lambda totals: kind.value_or_zero(totals, totals[..., 0]),
        values,
        size * np.array(kind.worst),
        size * np.array(kind.best),
    )  # fmt: skip
    assert measure_interval(frame, "micro-f1")[1:3] == pytest.approx(drawn, abs=0.01)


#: Numbers of gold answers, and the mean width that an interval may have with 50 questions.
SIZES: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {
    "geometric": (lambda rng, n: rng.geometric(0.5, n), 0.36),
    "log-normal": (lambda rng, n: np.ceil(np.exp(rng.normal(0.7, 1.2, n))), 0.48),
    "long lists": (lambda rng, n: np.where(rng.random(n) < 0.15, rng.integers(10, 40, n), 1), 0.5),
}


@pytest.mark.parametrize("sizes", SIZES)
def test_micro_f1_covers_the_truth_and_is_narrow(sizes: str) -> None:
    draw, widest = SIZES[sizes]
    rng = np.random.default_rng(3)
    gold = draw(rng, 20_000)
    tp = np.where(rng.random(20_000) < 0.6, gold, 0)
    frame = pd.DataFrame({"tp": tp, "fp": (tp == 0).astype(int), "fn": gold - tp})
    truth = 2 * frame["tp"].sum() / (2 * frame["tp"] + frame["fp"] + frame["fn"]).sum()
    drawn = frame.iloc[rng.integers(0, 20_000, 50 * 200)]
    found = measure_intervals(drawn, sets_of(50, 200), "micro-f1")
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.93
    assert np.mean([one.high - one.low for one in found]) < widest


def test_very_many_questions_take_no_time() -> None:
    rng = np.random.default_rng(0)
    frame = counts(*rng.integers(0, 3, (100_000, 3)).tolist())
    for name in ("micro-f1", "macro-f1-qald"):
        found = measure_interval(frame, name)
        assert found.low < found.estimate < found.high
        assert found.high - found.low < 0.01


def test_drawn_weights_depend_on_the_seed_alone() -> None:
    frame = counts(*[(n % 3, n % 2, n % 4) for n in range(20)])
    first, again, other = (
        measure_interval(frame, "macro-f1-qald", random_state=seed) for seed in (1, 1, 2)
    )
    assert first[:3] == again[:3]
    assert first[:3] != other[:3]


def test_weights_in_blocks_cover_every_question(monkeypatch: pytest.MonkeyPatch) -> None:

    frame = counts(*[(n % 3, n % 2, n % 4) for n in range(20)])
    whole = measure_interval(frame, "macro-f1-qald")
    monkeypatch.setattr(intervals, "_BLOCK_CELLS", 140)
    assert measure_interval(frame, "macro-f1-qald")[:3] == pytest.approx(whole[:3], abs=0.05)


def test_weights_count_in_micro_measures() -> None:
    frame = counts((1, 0, 0), (0, 1, 1), (1, 0, 0), (0, 1, 1), (1, 0, 0))
    found = measure_interval(
        frame, "micro-f1", weights=pd.Series([1, 3, 1, 3, 1], index=frame.index, dtype=float)
    )
    assert found.estimate == pytest.approx(3 / 9)
    assert found.low < 3 / 9 < found.high


def test_several_sets_get_the_intervals_of_each_alone() -> None:
    rng = np.random.default_rng(2)
    frame, masks = (
        counts(*rng.integers(0, 3, (40, 3)).tolist()),
        rng.random((40, 3)) < [0.5, 0.2, 0.05],
    )
    for name in ("macro-f1", "micro-f1", "macro-f1-qald"):
        alone = [measure_interval(frame[mask], name) for mask in masks.T]
        for one, other in zip(measure_intervals(frame, masks, name), alone, strict=True):
            assert one[:5] == pytest.approx(other[:5], nan_ok=True)


@pytest.mark.parametrize("n", [20, 50])
def test_micro_precision_allows_for_long_lists_that_were_not_answered(n: int) -> None:
    """Few questions are answered, and wrong answers are shorter than gold answers."""
    rng = np.random.default_rng(n)

    def drawn(size: int) -> pd.DataFrame:
        gold = np.maximum(1, np.exp(rng.normal(0.7, 1.2, size)).astype(int))
        right = rng.random(size) < 0.06
        frame = pd.DataFrame(
            {"tp": np.where(right, gold, 0), "fp": np.where(right, 0, rng.integers(0, 2, size))}
        )
        return frame.assign(fn=gold - frame["tp"])

    whole = drawn(1_000_000)[["tp", "fp"]].sum()
    truth = whole["tp"] / whole.sum()
    found = measure_intervals(drawn(100 * n), sets_of(n, 100), "micro-precision")
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.93


@pytest.mark.parametrize("seed", range(20))
def test_equal_rows_are_counted_as_numpy_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.choice([-0.5, 0.0, 1e-9, 1.0, 3.0], (rng.integers(1, 80), rng.integers(1, 5)))
    kinds, often = intervals._distinct_rows(rows)
    expected, number = np.unique(rows, axis=0, return_counts=True)
    assert (kinds == expected).all()
    assert (often == number).all()
