"""Paired tests against exact enumeration and scipy; corrections against their definitions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest, permutation_test

from qaldgen.analysis.comparing import significance
from qaldgen.analysis.comparing.multiplicity import adjust, benjamini_hochberg, holm
from qaldgen.analysis.comparing.significance import (
    PairedTest,
    effect_size,
    paired_tests,
    pairwise_p,
)
from qaldgen.errors import UsageError
from qaldgen.scoring.measures import MEASURES, find_measure, summed_columns


def frame(rng: np.random.Generator, n: int, chance: float = 0.5) -> pd.DataFrame:
    tp, fp, fn = rng.binomial(2, chance, n), rng.binomial(2, 0.3, n), rng.binomial(2, 0.3, n)
    f1 = np.where(tp > 0, 2 * tp / np.maximum(2 * tp + fp + fn, 1), 0.0)
    return pd.DataFrame({"tp": tp, "fp": fp, "fn": fn, "f1": f1}, index=[f"q{k}" for k in range(n)])


def paired_test(a: pd.DataFrame, b: pd.DataFrame, **options: Any) -> PairedTest:  # noqa: ANN401
    """Compare two systems on all questions."""
    everything = np.ones((len(a), 1), dtype=bool)
    return paired_tests([a, b], everything, **options)[0][0]


def sets_of(n: int, number: int) -> NDArray[np.bool_]:
    """Return the masks of so many sets of `n` questions, one below the other."""
    return np.repeat(np.eye(number, dtype=bool), n, axis=0)


def randomisation_p(a: ArrayLike, b: ArrayLike, **options: Any) -> NDArray[np.float64]:  # noqa: ANN401
    """Return the p-values of the randomisation test of two systems."""
    sides = [np.asarray(side, dtype=float).reshape(len(np.asarray(side)), -1) for side in (a, b)]
    return pairwise_p(sides, options.pop("measure", MEASURES["macro-f1"]), **options)[0, 1]


def mcnemar_p(a: ArrayLike, b: ArrayLike) -> float:
    """Return the exact two-sided p value of McNemar's test."""
    left, right = np.asarray(a, dtype=bool), np.asarray(b, dtype=bool)
    wins, losses = int((left & ~right).sum()), int((right & ~left).sum())
    return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


# --- randomisation --------------------------------------------------------------------------------


def by_hand(a: list[float], b: list[float]) -> float:
    """Return the share of all resamples with a difference as large."""
    differences = [x - y for x, y in zip(a, b, strict=True)]
    sums = [
        sum(sign * d for sign, d in zip(signs, differences, strict=True))
        for signs in itertools.product((1, -1), repeat=len(a))
    ]
    return sum(abs(one) >= abs(sum(differences)) - 1e-9 for one in sums) / len(sums)


@pytest.mark.parametrize("seed", range(5))
def test_few_questions_are_enumerated(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.choice([0, 0.5, 2 / 3, 1], (2, 8)).tolist()
    assert randomisation_p(a, b)[0] == pytest.approx(by_hand(a, b))


def test_as_many_resamples_as_there_are_ways_to_exchange_are_all_of_them() -> None:
    a, b = [0.3, 0.6, 0.1], [0.0, 0.1, 0.0]
    assert randomisation_p(a, b, n_resamples=8)[0] == pytest.approx(2 / 8)
    drawn = 5 * randomisation_p(a, b, n_resamples=4)[0]  # half as many: (k + 1) / (4 + 1)
    assert drawn == pytest.approx(round(drawn))


def test_a_drawn_exchange_that_gives_the_same_difference_reaches_it() -> None:
    a, b = [1.0] * 7 + [0.5] * 4 + [0.0] * 3, [0.0] * 11 + [1.0] * 3
    drawn = randomisation_p(a, b, n_resamples=8000)[0]
    assert drawn == pytest.approx(by_hand(a, b), abs=0.02)


def test_many_questions_agree_with_scipy() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(60), rng.random(60) - 0.1
    expected = permutation_test(
        (a - b,),
        np.mean,
        permutation_type="samples",
        n_resamples=20_000,
        rng=np.random.default_rng(5),
    )
    assert randomisation_p(a, b, n_resamples=20_000)[0] == pytest.approx(expected.pvalue, abs=0.01)


def test_random_exchanges_agree_with_enumeration() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random(12), rng.random(12) - 0.3
    assert randomisation_p(a, b, n_resamples=4000)[0] == pytest.approx(
        randomisation_p(a, b, n_resamples=4096)[0], abs=0.02
    )


def test_p_is_never_zero() -> None:
    ahead = np.linspace(0.1, 1.0, 200)
    assert randomisation_p(ahead, np.zeros(200), n_resamples=99)[0] == pytest.approx(1 / 100)


def test_equal_systems_have_p_one() -> None:
    assert randomisation_p(np.ones(50), np.ones(50))[0] == 1.0


def test_ties_in_floating_point_count_as_ties() -> None:
    a, b = [0.1, 0.2, 0.3, 0.3], [0.0, 0.0, 0.0, 0.9]
    assert randomisation_p(a, b)[0] == 1.0  # 0.1 + 0.2 + 0.3 - 0.6: the least difference of all


def test_p_depends_on_the_seed_alone() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 100))
    assert randomisation_p(a, b, random_state=3)[0] == randomisation_p(a, b, random_state=3)[0]
    assert randomisation_p(a, b, random_state=3)[0] != randomisation_p(a, b, random_state=4)[0]


def test_blocks_make_as_many_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(significance, "_BLOCK_CELLS", 1000)
    ahead = np.linspace(0.1, 1.0, 30)
    assert randomisation_p(ahead, np.zeros(30), n_resamples=99)[0] == pytest.approx(1 / 100)


def test_zeros_and_ones_agree_with_mcnemar() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.binomial(1, 0.6, 30), rng.binomial(1, 0.4, 30)
    assert int((a != b).sum()) > 10
    assert randomisation_p(a, b, n_resamples=2**20)[0] == pytest.approx(mcnemar_p(a, b))


def test_each_mask_is_a_test_of_its_own() -> None:
    rng = np.random.default_rng(5)
    a, b, masks = rng.random(40), rng.random(40) - 0.1, rng.random((40, 3)) < 0.2
    found = randomisation_p(a, b, masks=masks)
    assert found.tolist() == pytest.approx(
        [randomisation_p(a[mask], b[mask])[0] for mask in masks.T], abs=0.02
    )


def test_each_pair_of_several_systems_has_the_p_of_the_two_alone() -> None:
    rng = np.random.default_rng(2)
    systems = [rng.choice([0, 1 / 3, 0.5, 1], (120, 1), p=[0.3, 0.2, 0.2, 0.3]) for _ in range(3)]
    masks = rng.random((120, 3)) < 0.5
    found = pairwise_p(systems, MEASURES["macro-f1"], masks=masks, n_resamples=20_000)
    assert list(found) == [(0, 1), (0, 2), (1, 2)]
    for (i, j), p in found.items():
        assert p.tolist() == pytest.approx(
            randomisation_p(systems[i], systems[j], masks=masks, n_resamples=20_000), abs=0.02
        )


def test_a_pair_that_hardly_differs_is_exact_beside_others() -> None:
    flat = np.zeros((40, 1))
    few = flat.copy()
    few[:6] = 1.0
    found = pairwise_p([flat, few, 1.0 - flat], MEASURES["macro-f1"], n_resamples=500)
    assert found[0, 1].tolist() == [2 / 2**6]


def test_weights_count_in_the_test() -> None:
    a, b = [1, 0, 0, 0, 0, 0], [0, 1, 1, 1, 1, 1]
    assert randomisation_p(a, b, weights=[100, 1, 1, 1, 1, 1])[0] == pytest.approx(1.0)
    assert randomisation_p(a, b, weights=[1, 100, 1, 1, 1, 1])[0] == pytest.approx(6 / 32)


def test_measures_that_are_no_means_exchange_their_counts() -> None:
    rng = np.random.default_rng(6)
    a, b = frame(rng, 9, 0.7), frame(rng, 9, 0.3)
    measure = find_measure("micro-f1", a)
    left, right = summed_columns(a, measure), summed_columns(b, measure)
    sizes = []
    for swapped in itertools.product((False, True), repeat=9):
        swap = np.array(swapped)[:, None]
        one, two = np.where(swap, right, left).sum(axis=0), np.where(swap, left, right).sum(axis=0)
        sizes.append(
            abs(
                float(
                    measure.value_or_zero(one, np.array(9.0))
                    - measure.value_or_zero(two, np.array(9.0))
                )
            )
        )
    assert randomisation_p(left, right, measure=measure)[0] == pytest.approx(
        np.mean(np.array(sizes) >= sizes[0] - 1e-10)
    )


def test_false_positives_are_at_most_nominal() -> None:
    rng = np.random.default_rng(7)
    p = [
        randomisation_p(*rng.choice([0, 0, 0.5, 1], (2, 30)), n_resamples=500)[0]
        for _ in range(600)
    ]
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.07


# --- paired test ----------------------------------------------------------------------------------


def test_figures_of_a_paired_test() -> None:
    a, b = (
        pd.DataFrame({"f1": [1, 1, 0.5, 0, 0.2, 1]}),
        pd.DataFrame({"f1": [0, 0, 0.5, 1, 0.1, 0]}),
    )
    found = paired_test(a, b)
    assert (found.n, found.wins, found.ties, found.losses) == (6, 4, 1, 1)
    assert found.difference == pytest.approx(2.1 / 6)
    assert found.superiority == pytest.approx(4.5 / 6)
    assert found.dz == pytest.approx(0.35 / np.std([1, 1, 0, -1, 0.1, 1], ddof=1))
    assert found.low < found.difference < found.high


def test_exchanged_systems_exchange_everything() -> None:
    rng = np.random.default_rng(8)
    a, b = frame(rng, 30), frame(rng, 30)
    one, two = paired_test(a, b), paired_test(b, a)
    assert (one.difference, one.low, one.wins, one.p) == pytest.approx(
        (-two.difference, -two.high, two.losses, two.p)
    )


def test_below_five_questions_there_is_no_test() -> None:
    found = paired_test(pd.DataFrame({"f1": [1.0] * 4}), pd.DataFrame({"f1": [0.0] * 4}))
    assert math.isnan(found.p)
    assert math.isnan(found.low)


def test_micro_f1_gets_an_interval_by_drawn_weights() -> None:
    rng = np.random.default_rng(9)
    a, b = frame(rng, 80, 0.8), frame(rng, 80, 0.3)
    found = paired_test(a, b, measure="micro-f1", n_resamples=500)
    assert found.method == "random weights"
    assert 0.0 < found.low < found.difference < found.high
    assert found.p < 0.01


def test_several_sets_are_tested_as_each_alone() -> None:
    rng = np.random.default_rng(10)
    a, b, masks = frame(rng, 40), frame(rng, 40), rng.random((40, 2)) < 0.3
    for found, mask in zip(
        paired_tests([a, b], masks)[0],
        masks.T,
        strict=True,
    ):
        alone = paired_test(a[mask], b[mask])
        assert found[:4] == pytest.approx(alone[:4])
        assert found.p == pytest.approx(alone.p, abs=0.03)


@pytest.mark.parametrize("n", [10, 40])
def test_intervals_of_differences_cover_the_truth(n: int) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.binomial(1, 0.5, 5000).astype(float), rng.choice([0, 0, 0.5, 1], 5000)
    covered = []
    for _ in range(10):
        chosen = rng.integers(0, 5000, 50 * n)
        samples = [pd.DataFrame({"f1": scores[chosen]}) for scores in (a, b)]
        (found,) = paired_tests(samples, sets_of(n, 50), n_resamples=2)
        covered += [one.low <= (a - b).mean() <= one.high for one in found]
    assert np.mean(covered) >= 0.93


@pytest.mark.parametrize(
    ("wins", "losses"), [(0, 9), (5, 5), (7, 6), (30, 10), (61, 40), (300, 220), (500, 0)]
)
def test_zeros_and_ones_have_the_p_of_mcnemar(wins: int, losses: int) -> None:
    """However many questions the systems differ on: nothing is drawn."""
    a, b = np.repeat([1, 0, 1], [wins, losses, 40]), np.repeat([0, 1, 1], [wins, losses, 40])
    test = paired_test(pd.DataFrame({"f1": a}), pd.DataFrame({"f1": b}))
    assert test.p == pytest.approx(mcnemar_p(a, b), rel=1e-9)


def test_sets_with_equal_differences_are_exact_beside_others() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.binomial(1, 0.6, 80).astype(float), rng.binomial(1, 0.4, 80).astype(float)
    a[:40] += rng.random(40) / 3
    masks = np.column_stack([np.arange(80) >= 40, np.ones(80, dtype=bool)])
    graded, exact = randomisation_p(a, b), mcnemar_p(a[40:], b[40:])
    assert randomisation_p(a, b, masks=masks).tolist() == pytest.approx([exact, graded[0]])


@pytest.mark.parametrize(("chance", "n"), [(0.05, 10), (0.05, 50), (0.1, 20), (0.2, 10), (0.2, 50)])
def test_systems_with_equal_means_are_seldom_told_apart_however_skewed(
    chance: float, n: int
) -> None:
    """One is a little better on most questions, the other much better on a few.

    The randomisation test errs in up to 60 %.
    """
    rng = np.random.default_rng(n)
    wrong = 0
    for _ in range(10):
        a, b = np.full(20 * n, chance), (rng.random(20 * n) < chance).astype(float)
        samples = [pd.DataFrame({"f1": scores}) for scores in (a, b)]
        (found,) = paired_tests(samples, sets_of(n, 20), n_resamples=200)
        wrong += sum(one.p <= 0.05 for one in found)
    assert wrong <= 19  # 10 expected at most; exceeded with probability 0.005


def test_a_clear_difference_of_graded_scores_is_found() -> None:
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(60):
        a, b = rng.choice([0, 0.3, 0.5, 1, 1, 1], 50), rng.choice([0, 0, 0.3, 0.5, 1], 50)
        found += (
            paired_test(pd.DataFrame({"f1": a}), pd.DataFrame({"f1": b}), n_resamples=1000).p
            <= 0.05
        )
    assert found >= 50  # the randomisation test alone finds 55


def test_equal_differences_have_no_effect_size() -> None:
    assert math.isnan(effect_size(np.array([0.1, 0.1, 0.1])))


# --- corrections ----------------------------------------------------------------------------------


def test_holm_by_definition() -> None:
    p = np.array([0.02, 0.001, 0.5, 0.011, 0.02])
    order = np.argsort(p, kind="stable")
    expected, highest = np.empty(5), 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (5 - rank) * p[at]))
        expected[at] = highest
    assert holm(p).tolist() == pytest.approx(expected.tolist())


def test_benjamini_hochberg_by_definition() -> None:
    p = np.sort(np.random.default_rng(0).random(20))
    expected = [min(1.0, *(20 * p[j] / (j + 1) for j in range(i, 20))) for i in range(20)]
    assert benjamini_hochberg(p).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_nan_counts_for_nothing(correction: str) -> None:
    found = adjust([0.01, float("nan"), 0.04], correction)
    assert math.isnan(found[1])
    assert found[[0, 2]].tolist() == pytest.approx(adjust([0.01, 0.04], correction).tolist())


def test_nothing_looked_at_needs_no_correction() -> None:
    assert adjust([float("nan")]).tolist() == pytest.approx([float("nan")], nan_ok=True)


def test_unknown_correction_is_refused(refused: Callable[..., str]) -> None:
    assert "holm, bh" in refused(lambda: adjust([0.1], "bonferroni"), UsageError)
