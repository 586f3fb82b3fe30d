"""Bounds of the share of right answers, of which only some have a label."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import hypergeom

from qaldgen.plugins.labelling.accuracy import (
    Group,
    accuracy_interval,
    assign_groups,
    estimate_accuracy,
    label_information,
)
from qaldgen.plugins.labelling.labels_needed import labels_needed


def test_all_labelled_leaves_nothing_open() -> None:
    assert accuracy_interval([Group(10, 10, 4.0), Group(5, 5, 5.0)]) == pytest.approx((0.6, 0.6))


def test_right_and_wrong_are_alike() -> None:
    one = accuracy_interval([Group(90, 20, 17.0), Group(60, 20, 2.0)])
    other = accuracy_interval([Group(90, 20, 3.0), Group(60, 20, 18.0)])
    assert one == pytest.approx((1.0 - other[1], 1.0 - other[0]))


def test_bounds_count_the_answers_that_are_known() -> None:
    low, high = accuracy_interval([Group(50, 45, 45.0)])
    assert low >= 45 / 50
    assert high == 1.0


@pytest.mark.parametrize("worth", [0.3, 1.0, 2.5])
def test_one_answer_without_a_label_stays_open(worth: float) -> None:
    low, high = accuracy_interval([Group(40, 39, 20.0)], worth)
    assert low == pytest.approx(20 / 40, abs=0.03)
    assert high == pytest.approx(21 / 40, abs=0.03)
    assert high - low > 0.01


def test_answers_like_none_that_has_a_label_are_taken_to_be_like_the_others() -> None:
    labels = np.array([1.0] * 32 + [0.0] * 8)
    found = estimate_accuracy(labels, np.arange(40), np.repeat([1.0, 0.0], 40), 80, None)
    assert found.estimate == pytest.approx(0.8)


def test_a_verdict_that_never_erred_may_still_err() -> None:
    low, high = accuracy_interval([Group(300, 20, 20.0), Group(258, 20, 0.0)])
    assert low < 300 / 558 - 0.04
    assert high > 300 / 558 + 0.04


@pytest.mark.parametrize("size", [80, 150, 600])
@pytest.mark.parametrize("share", [0.05, 0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("n", [40, 60])
def test_intervals_of_labels_alone_cover(size: int, share: float, n: int) -> None:
    # exact: the sum over all samples that are possible
    right = round(share * size)
    coverage = 0.0
    for seen in range(n + 1):
        chance = float(hypergeom.pmf(seen, size, right, n))
        low, high = accuracy_interval([Group(size, n, float(seen))]) if chance > 1e-9 else (1, 0)
        coverage += chance * (low - 1e-9 <= right / size <= high + 1e-9)
    assert coverage >= 0.935


#: Answers; those that are right and called right; all that are called right; and those that are
#: right but not called so.
POOLS = {
    "errs on both sides": (558, 270, 300, 30),
    "too strict only": (558, 260, 260, 40),
    "too lenient only": (558, 230, 280, 0),
    "rarely right": (300, 12, 30, 6),
    "mostly right, small": (150, 120, 128, 12),
    "of little use": (600, 210, 300, 120),
}


@pytest.mark.parametrize("n", [40, 100])
@pytest.mark.parametrize("pool", POOLS)
def test_intervals_with_a_verdict_cover(pool: str, n: int) -> None:
    size, right_called_right, called_right, right_called_wrong = POOLS[pool]
    rng = np.random.default_rng(5)
    cells = [
        right_called_right,
        called_right - right_called_right,
        right_called_wrong,
        size - called_right - right_called_wrong,
    ]
    truth = (right_called_right + right_called_wrong) / size
    drawn, times = np.unique(
        rng.multivariate_hypergeometric(cells, n, 400), axis=0, return_counts=True
    )
    held = 0
    for (both, lenient, strict, neither), count in zip(drawn.tolist(), times, strict=True):
        called = Group(called_right, both + lenient, float(both))
        others = Group(size - called_right, strict + neither, float(strict))
        low, high = accuracy_interval([called, others])
        held += count * (low - 1e-9 <= truth <= high + 1e-9)
    # three standard errors of 400 draws below 94 %
    assert held / 400 >= 0.905


def test_one_sided_errors_that_were_not_met_are_inside() -> None:
    # 12 % of the samples of 40 meet none of the 5 % of answers on which the verdict is too strict
    size, n = 558, 40
    truth = np.r_[np.ones(300), np.zeros(258)]
    verdict = truth.copy()
    verdict[:28] = 0.0
    own = np.r_[100:122, 400:418]
    assert len(own) == n
    found = estimate_accuracy(truth[own], own, verdict, size, None)
    assert found.estimate == pytest.approx(272 / 558)
    assert found.low <= 300 / 558 <= found.high


def test_groups_follow_the_verdicts_of_all_answers() -> None:
    found = assign_groups(np.array([0.0, 1.0, 0.1, 0.4, 0.9, np.nan]))
    assert len(set(found.tolist())) == 6
    assert len(set(assign_groups(np.full(4, 0.5)).tolist())) == 1


def test_a_verdict_in_degrees_helps_more_than_none() -> None:
    rng = np.random.default_rng(2)
    truth = (rng.random(500) < 0.6).astype(float)
    verdict = np.clip(0.15 + 0.7 * truth + rng.normal(0, 0.15, 500), 0.0, 1.0)
    own = rng.choice(500, 60, replace=False)
    helped, alone = (
        estimate_accuracy(truth[own], own, said, 500, None)
        for said in (verdict, np.full(500, np.nan))
    )
    assert helped.high - helped.low < 0.7 * (alone.high - alone.low)


def test_a_rare_verdict_that_has_no_label_widens_by_its_answers_only() -> None:
    truth = np.r_[np.ones(250), np.zeros(250)]
    verdict = truth.copy()
    verdict[:10] = np.nan
    own = np.r_[20:50, 300:330]
    found = estimate_accuracy(truth[own], own, verdict, 500, None)
    whole = estimate_accuracy(truth[own], own, truth, 500, None)
    assert found.high - found.low <= whole.high - whole.low + 10 / 500


def test_labels_are_worth_more_where_they_vary_less_than_right_and_wrong() -> None:
    rng = np.random.default_rng(1)
    binary = (rng.random(100) < 0.5).astype(float)
    assert label_information(binary, np.full(100, binary.mean()), None) == pytest.approx(1.0)
    partly = 0.25 + binary / 2.0
    assert label_information(partly, np.full(100, partly.mean()), None) > 2.0


@pytest.mark.parametrize(("agree", "size"), list(itertools.product([0.84, 0.95], [300, 3000])))
def test_planned_labels_give_about_the_wanted_error(agree: float, size: int) -> None:
    rng = np.random.default_rng(0)
    truth = (rng.random(size) < 0.6).astype(float)
    verdict = np.where(rng.random(size) < agree, truth, 1.0 - truth)
    planned = labels_needed(truth[:200], verdict[:200], 0.05, answers=size)
    assert planned is not None
    draws = (rng.choice(size, planned, replace=False) for _ in range(20))
    found = [estimate_accuracy(truth[own], own, verdict, size, None) for own in draws]
    half = np.mean([(one.high - one.low) / 2.0 for one in found])
    assert half == pytest.approx(0.05, rel=0.15)
