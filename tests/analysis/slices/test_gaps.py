"""Sizes do not flatter, and what would have been seen is seen as often as said."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from qaldgen.analysis.slices import detectable, gaps, search
from qaldgen.analysis.slices.kinds import Kinds, kinds_of

SIZE = 400


@pytest.fixture(scope="module")
def kinds() -> Kinds:
    rng = np.random.default_rng(2)
    columns = {f"kind {at}": rng.random(SIZE) < 0.15 for at in range(40)}
    table = pd.DataFrame(columns, dtype=object)
    return kinds_of(table, table.index)


def weak(kinds: Kinds, gap: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return scores that are lower on a kind, and the chance of failing."""
    rng = np.random.default_rng(seed)
    fails = 0.15 + gap * kinds.masks[int(rng.integers(len(kinds.singles)))]
    return (rng.random(SIZE) >= fails).astype(float), fails


def test_expected_gaps_are_less_biased_than_observed_ones_and_covered(kinds: Kinds) -> None:
    rows = []
    for seed in range(80):
        scores, fails = weak(kinds, 0.22, seed)
        null = search.null_distribution(
            scores[:, None], kinds, alpha=0.05, n_resamples=99, seed=seed
        )
        (fit,) = search.fit_kinds(scores[:, None], kinds)
        for one in search.find_weak_kinds(scores, kinds, null, fit, 0.05)[:1]:
            (inside,) = kinds.inside(np.array([one.number]))
            true = fails[inside].mean() - fails[~inside].mean()
            rest = np.ones(SIZE, dtype=bool)
            size = gaps.gap_of(
                one.number, scores, kinds, is_unexplained=rest, fit=fit, null=null, seed=seed
            )
            # what luck may have added widens an interval downwards only
            below, above = size.observed - size.low, size.high - size.observed
            assert below > above or size.expected >= size.observed or size.low == 0.0
            rows.append((size.observed - true, size.expected - true, size.low <= true <= size.high))
    observed, expected, covered = np.mean(rows, axis=0)
    assert len(rows) > 25
    assert observed > 0.03
    assert abs(expected) < observed
    assert covered > 0.88


def test_what_is_detectable_is_detected_about_as_often_as_said(
    kinds: Kinds, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    at = int(np.abs(kinds.masks.sum(axis=1) - 60).argmin())
    inside = kinds.masks[at]
    quiet = (rng.random(SIZE) >= 0.2).astype(float)
    null = search.null_distribution(quiet[:, None], kinds, alpha=0.05, n_resamples=199, seed=0)
    monkeypatch.setattr(detectable, "_SHARES", (inside.mean(),))
    seen = detectable.find_detectable(quiet, null)[-1]
    assert seen.questions == inside.sum()
    gap = seen.difference
    share = inside.mean()
    fails = 0.2 - gap * share + gap * inside
    hits = 0
    for _ in range(200):
        scores = (rng.random(SIZE) >= fails).astype(float)
        (fit,) = search.fit_kinds(scores[:, None], kinds)
        hits += fit.z[at] + null.bars[0] <= null.critical
    assert 0.7 < hits / 200 < 0.92


def test_what_cannot_be_lower_is_not_promised(kinds: Kinds) -> None:
    low = np.zeros(SIZE)
    low[:20] = 1.0
    null = search.null_distribution(low[:, None], kinds, alpha=0.05, n_resamples=99, seed=0)
    assert detectable.find_detectable(low, null) == ()
    assert detectable.find_detectable(np.ones(SIZE), null) == ()


def test_the_weakest_kind_of_a_resample_is_sought_in_its_standard_deviations() -> None:
    competing = np.zeros((2, SIZE), dtype=bool)
    competing[0, :80] = competing[1, 200:280] = True
    rng = np.random.default_rng(0)
    scores = (rng.random(SIZE) >= np.where(competing[0], 0.6, 0.1)).astype(float)
    gap = scores[~competing[0]].mean() - scores[competing[0]].mean()
    # the first kind lies eight deviations below the mean; its bar is only two higher
    differences = gaps._undrawn_differences(scores, competing, np.array([3.0, 1.0]), 0)
    assert abs(differences.mean() - gap) < 0.02
