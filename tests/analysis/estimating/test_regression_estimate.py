"""Estimates with scores that are known on the whole pool.

Right whatever they are, and sure enough.
"""

from __future__ import annotations

import numpy as np
import pytest

from qaldgen.analysis.estimating.regression_estimate import (
    KnownMeans,
    Moments,
    group_size,
    neighbours_of,
    normal_deviate,
    regression_estimate,
    wilson_interval,
)
from qaldgen.errors import DataError


def covered(
    scores: np.ndarray, columns: np.ndarray, n: int, repeats: int = 400
) -> tuple[float, float, float]:
    """Return coverage, bias and mean squared error over that of plain means, of random samples."""
    rng, size, hits, errors, plain = np.random.default_rng(0), len(scores), 0, [], []
    for _ in range(repeats):
        rows = rng.choice(size, n, replace=False)
        found = regression_estimate(
            scores[rows], size, KnownMeans(columns[rows], columns.mean(axis=0)), None
        )
        low, high = wilson_interval(found, n)
        hits += low <= scores.mean() <= high
        errors.append(found.estimate - scores.mean())
        plain.append(scores[rows].mean() - scores.mean())
    return (
        hits / repeats,
        float(np.mean(errors)),
        float(np.mean(np.square(errors)) / np.mean(np.square(plain))),
    )


def test_a_good_column_sharpens_and_a_bad_one_does_no_harm() -> None:
    rng = np.random.default_rng(1)
    scores = (rng.random(600) < 0.4).astype(float)
    good = np.abs(scores - (rng.random(600) < 0.1))
    for columns, most in (
        (good[:, None], 0.5),
        (rng.random((600, 2)), 1.1),
        (np.column_stack([good, 1 - good]), 0.5),
    ):
        coverage, bias, ratio = covered(scores, columns, 60)
        assert coverage > 0.92
        assert abs(bias) < 0.01
        assert ratio < most


def test_two_columns_tell_more_than_their_mean() -> None:
    """A relative beside a stranger: with one column for both, the relative would drown."""
    rng = np.random.default_rng(2)
    scores = (rng.random(800) < 0.5).astype(float)
    relative = np.abs(scores - (rng.random(800) < 0.08))
    stranger = (rng.random(800) < 0.5).astype(float)
    together = covered(scores, ((relative + stranger) / 2)[:, None], 80)[2]
    apart = covered(scores, np.column_stack([stranger, relative]), 80)[2]
    assert apart < 0.8 * together


def test_the_variance_is_that_of_what_known_scores_leave_unexplained() -> None:
    rng = np.random.default_rng(5)
    n, pool_size = 50, 500
    known = rng.random(n)
    scores = 0.8 * known + 0.1 * rng.random(n)
    # the sample has the mean of the pool, so that every question weighs 1 / n
    controls = KnownMeans(known[:, None], np.array([known.mean()]))
    found = regression_estimate(scores, pool_size, controls, None)
    z = (known - known.mean()) / known.std()
    unexplained = scores - scores.mean() - z * (z @ scores) / (n + 1)  # one ridge unit
    expected = (1 - n / pool_size) * np.sum(unexplained**2) / (n * (n - 2))
    assert found.sample_variance == pytest.approx(expected)
    assert found.sample_variance < 0.1 * scores.var() / n


def test_graded_scores_with_a_small_mean_are_covered() -> None:
    """Two imaginary pairs of scores.

    Without them, one good answer in twenty looks surer than it is.
    """
    rng = np.random.default_rng(3)
    scores = np.where(rng.random(500) < 0.06, rng.random(500), 0.0)
    coverage, _, _ = covered(scores, np.empty((500, 0)), 50)
    assert coverage >= 0.93


@pytest.mark.parametrize("value", [0.0, 1.0, 0.4])
def test_equal_scores_keep_the_interval_open(value: float) -> None:
    found = regression_estimate(np.full(30, value), 400, KnownMeans.nothing(30), None)
    low, high = wilson_interval(found, 30)
    assert low <= value <= high
    assert 0.05 < high - low < 0.5


def test_the_whole_pool_is_exact_whatever_is_known() -> None:
    rng = np.random.default_rng(4)
    scores, columns = rng.random(40), rng.random((40, 2))
    found = regression_estimate(scores, 40, KnownMeans(columns, columns.mean(axis=0)), None)
    assert found.estimate == pytest.approx(scores.mean())
    assert found.variance == 0.0
    assert wilson_interval(found, 40) == (found.estimate, found.estimate)


def test_a_column_that_does_not_vary_changes_nothing_but_a_degree_of_freedom() -> None:
    scores = np.random.default_rng(5).random(25)
    with_it = regression_estimate(
        scores, 100, KnownMeans(np.full((25, 1), 0.7), np.array([0.2])), None
    )
    without = regression_estimate(scores, 100, KnownMeans.nothing(25), None)
    assert with_it.estimate == without.estimate
    assert with_it.sample_variance == pytest.approx(without.sample_variance * 24 / 23)


def test_neighbours_are_more_where_most_of_the_pool_is_asked() -> None:
    assert [group_size(n, 100) for n in (4, 10, 50, 90, 100)] == [0, 5, 9, 41, 0]
    near = neighbours_of(np.arange(10.0)[:, None], 1000)
    assert near is not None
    assert near[:, 0].tolist() == list(range(10))
    assert set(near[5].tolist()) == {3, 4, 5, 6, 7}


def test_too_few_questions_for_the_columns_are_refused() -> None:
    with pytest.raises(DataError, match="4 questions: too few for an estimate with 2 columns"):
        regression_estimate(np.zeros(4), 10, KnownMeans(np.zeros((4, 2)), np.zeros(2)), None)


def test_deviates_follow_student() -> None:
    assert normal_deviate(0.0, 29) == 0.0
    assert normal_deviate(3.0, 10) == pytest.approx(2.47, abs=0.01)
    assert normal_deviate(-60.0, 40) < -8
    assert 30 < normal_deviate(900.0, 500) < 50
    assert Moments(0.2, 0.0, 9, 0.0).z == 40.0
    assert Moments(0.0, 0.0, 9, 0.0).z == 0.0
