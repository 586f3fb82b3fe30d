"""Intervals: Wilson's by its formula and by coverage, the bootstrap, and what gets none."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, t

from qaldgen.analysis.intervals import bootstrap, interval, measure_interval, wilson
from qaldgen.analysis.totals import MEASURES, find_measure, parts, question_weights
from qaldgen.errors import DataError, UsageError
from qaldgen.scoring import measures as scoring

Refused = Callable[..., str]


def counts(*rows: tuple[int, int, int]) -> pd.DataFrame:
    frame = pd.DataFrame(list(rows), columns=["tp", "fp", "fn"], index=[f"q{n}" for n in range(len(rows))])
    given, expected = frame["tp"] + frame["fp"], frame["tp"] + frame["fn"]
    nothing = (given == 0) & (expected == 0)
    frame["precision"] = (frame["tp"] / given.where(given > 0, 1)).where(~nothing, 1.0)
    frame["recall"] = (frame["tp"] / expected.where(expected > 0, 1)).where(~nothing, 1.0)
    total = frame["precision"] + frame["recall"]
    frame["f1"] = 2 * frame["precision"] * frame["recall"] / total.where(total > 0, 1)
    return frame


# --- Wilson -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("right", "n"), [(0, 8), (3, 8), (40, 100), (100, 100)])
def test_wilson_bounds_equal_those_of_scipy(right: int, n: int) -> None:
    expected = binomtest(right, n).proportion_ci(method="wilson")
    assert wilson(right / n, n, 1.959963984540054) == pytest.approx((expected.low, expected.high))


def test_the_effective_n_of_zeros_and_ones_is_one_less_than_n() -> None:
    assert interval([1, 0, 0, 1, 1, 0, 1]).effective_n == pytest.approx(6.0)


def test_the_quantile_is_students() -> None:
    found = interval([1, 0, 0, 1, 1, 0, 1])
    assert (found.low, found.high) == pytest.approx(wilson(4 / 7, 6.0, float(t.ppf(0.975, 6))))


def test_scores_that_vary_less_than_zeros_and_ones_tell_more() -> None:
    graded, binary = interval([0.4, 0.6, 0.5, 0.5, 0.45, 0.55]), interval([1, 0, 1, 0, 1, 0])
    assert graded.estimate == pytest.approx(binary.estimate)
    assert graded.high - graded.low < (binary.high - binary.low) / 2


def test_equal_scores_get_the_interval_of_n() -> None:
    found = interval([0.0] * 20)
    assert found.low == 0.0
    assert found.high == pytest.approx(wilson(0.0, 20.0, float(t.ppf(0.975, 19)))[1])


def test_weights_weigh_the_estimate_and_widen_the_interval() -> None:
    scores = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0]
    plain, weighted = interval(scores), interval(scores, weights=[6, 1, 1, 1, 1, 1, 1, 1])
    assert weighted.estimate == pytest.approx(10 / 13)
    assert weighted.effective_n <= 13**2 / 43 - 1 + 1e-9
    assert weighted.high - weighted.low > plain.high - plain.low


def test_the_size_of_weights_does_not_matter() -> None:
    scores, weights = np.array([1, 0, 0, 1, 0.5, 0]), np.array([1, 2, 3, 1, 2, 1])
    assert interval(scores, weights=weights) == pytest.approx((*interval(scores, weights=100 * weights)[:5], "Wilson"))


def test_a_small_pool_narrows_the_interval() -> None:
    scores = [1, 0] * 10
    effective = [interval(scores, population=pool).effective_n for pool in (10**9, 40, 25)]
    assert effective == pytest.approx([19.0, 38.0, 95.0])


def test_the_whole_pool_leaves_no_doubt() -> None:
    found = interval([1, 0, 1, 1, 0], population=5)
    assert (found.low, found.high, found.method) == (0.6, 0.6, "exact: the whole pool")


@pytest.mark.parametrize("n", [0, 1, 4])
def test_below_five_questions_there_is_no_interval(n: int) -> None:
    found = interval([1.0] * n)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.method == "none: fewer than 5 questions"


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


@pytest.mark.parametrize("n", [5, 20, 60])
@pytest.mark.parametrize("kind", ["binary", "graded", "pool", "weighted"])
def test_intervals_cover_the_truth(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    pool = rng.binomial(1, 0.4, 200).astype(float) if kind != "graded" else rng.choice([0, 0, 0.5, 0.8, 1], 200)
    size = 0.5 + rng.random(200)
    covered = []
    for _ in range(600):
        if kind == "weighted":
            chosen = rng.choice(200, n, p=size / size.sum())
            found = interval(pool[chosen], weights=1.0 / size[chosen])
        else:
            chosen = rng.choice(200, n, replace=kind != "pool")
            found = interval(pool[chosen], population=200 if kind == "pool" else None)
        covered.append(found.low <= pool.mean() <= found.high)
    assert 0.93 <= np.mean(covered) <= (0.995 if n == 5 else 0.985)


# --- measures -----------------------------------------------------------------------------------------------------


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
    assert {name: measure_interval(frame, name).estimate for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize("name", MEASURES)
def test_measures_are_those_of_scoring(name: str) -> None:
    frame = counts((1, 1, 0), (0, 0, 2), (0, 0, 0), (0, 3, 1), (2, 0, 1))
    frame = frame.assign(hit=[True, False, False, False, True], status=["answered", "empty", "failed", "answered", "answered"])
    weights = pd.Series([1.0, 2.0, 0.5, 1.0, 3.0], index=frame.index)
    found = measure_interval(frame, name, weights=weights)
    assert found.estimate == pytest.approx(scoring.MEASURES[name].of(frame, weights.tolist()), abs=1e-12)


def test_every_measure_of_scoring_can_be_resampled() -> None:
    assert list(MEASURES) == list(scoring.MEASURES)


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
    assert "question q1" in refused(lambda: parts(frame, find_measure("f1", frame)))


def test_a_missing_weight_names_the_question(refused: Refused) -> None:
    message = refused(lambda: question_weights(counts((1, 0, 0), (1, 0, 0)), pd.Series({"q0": 1.0})), DataError)
    assert "question q1" in message


# --- bootstrap ----------------------------------------------------------------------------------------------------


def test_bootstrap_is_that_of_scipy() -> None:
    from scipy.stats import bootstrap as reference

    values = np.random.default_rng(3).exponential(size=40)
    expected = reference((values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(1)).confidence_interval
    found = bootstrap(lambda drawn: drawn @ values / 40, np.ones(40), repeats=20_000)
    assert found == pytest.approx((expected.low, expected.high), abs=0.02)


def test_kinds_of_equal_questions_are_drawn_like_questions() -> None:
    values = np.array([0.0, 1.0, 4.0])
    kinds = bootstrap(lambda drawn: drawn @ values / 30, [20, 7, 3], repeats=20_000)
    each = bootstrap(lambda drawn: drawn @ np.repeat(values, [20, 7, 3]) / 30, np.ones(30), repeats=20_000)
    assert kinds == pytest.approx(each, abs=0.03)


def test_very_many_questions_take_no_time() -> None:
    rng = np.random.default_rng(0)
    frame = counts(*rng.integers(0, 3, (100_000, 3)).tolist())
    found = measure_interval(frame, "micro-f1")
    assert found.low < found.estimate < found.high
    assert found.high - found.low < 0.01


def test_bootstrap_depends_on_the_seed_alone() -> None:
    frame = counts(*[(n % 3, n % 2, n % 4) for n in range(20)])
    first, again, other = (measure_interval(frame, "micro-f1", random_state=seed) for seed in (1, 1, 2))
    assert first[:3] == again[:3]
    assert first[:3] != other[:3]


def test_bootstrap_in_blocks_covers_every_question(monkeypatch: pytest.MonkeyPatch) -> None:
    from qaldgen.analysis import intervals

    frame = counts(*[(n % 3, n % 2, n % 4) for n in range(20)])
    whole = measure_interval(frame, "micro-f1")
    monkeypatch.setattr(intervals, "_BLOCK_CELLS", 140)
    assert measure_interval(frame, "micro-f1")[:3] == pytest.approx(whole[:3])


def test_weights_count_in_the_bootstrap() -> None:
    frame = counts((1, 0, 0), (0, 1, 1), (1, 0, 0), (0, 1, 1), (1, 0, 0))
    found = measure_interval(frame, "micro-f1", weights=pd.Series([1, 3, 1, 3, 1], index=frame.index, dtype=float))
    assert found.estimate == pytest.approx(3 / 9)
    assert found.low < 3 / 9 < found.high
