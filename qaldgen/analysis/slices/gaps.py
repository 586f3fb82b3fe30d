"""How large a weak spot is, corrected for its choice.

The claim of a kind is its z plus the bar of its family (`search.NullDistribution`): the lower, the
larger the claim. The kind with the largest claim was also lucky to look as bad as it does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from qaldgen.analysis.slices.kinds import Kinds
from qaldgen.analysis.slices.search import Fit, NullDistribution, unskewed_sums
from qaldgen.scoring.intervals import NORMAL_REACH
from qaldgen.scoring.mean_bounds import Array, Flags

#: The number of bootstrap samples.
RESAMPLES = 200
#: In each sample this many kinds compete, those with the largest claims on all questions.
_MAX_COMPETING = 1_000
#: Fewer kinds compete if kinds times questions would be more than this (16 MB).
_MAX_CELLS = 4_000_000
#: The share of the luck that is taken off an observed gap (.632 bootstrap; Efron 1983, Journal of
#: the American Statistical Association 78): a sample has this share of all questions, on average.
_LUCK_TAKEN_OFF = 0.632


class Gap(NamedTuple):
    """How much lower scores are on a kind than elsewhere."""

    observed: float  # on these questions, which chose the kind because it looks bad
    #: What to expect on new questions of the kind, with its 95 % interval.
    expected: float
    low: float
    high: float


def gap_of(
    number: int,
    scores: Array,
    kinds: Kinds,
    *,
    is_unexplained: Flags,
    fit: Fit,
    null: NullDistribution,
    seed: int,
) -> Gap:
    """Return how much lower scores are on the kind of a finding, given by its number.

    Each bootstrap sample chooses the kind that is weakest in it; the questions that were not drawn
    say how much of that was luck. Questions are unexplained if they are in no other finding.
    """
    is_inside = kinds.mask(number)
    observed = _difference(scores, is_inside)

    competitors = min(_MAX_COMPETING, max(1, _MAX_CELLS // len(scores)))
    claims = fit.z + null.bars[kinds.family]
    competing = np.union1d(np.argsort(claims, kind="stable")[:competitors], [number])
    undrawn_differences = _undrawn_differences(
        scores[is_unexplained],
        kinds.inside(competing)[:, is_unexplained],
        null.bars[kinds.family[competing]],
        seed,
    )
    luck = 0.0
    if len(undrawn_differences):
        unexplained = _difference(scores[is_unexplained], is_inside[is_unexplained])
        luck = unexplained - float(undrawn_differences.mean())

    corrected = observed - luck
    error = math.sqrt(
        _squared_error(scores[is_inside], scores) + _squared_error(scores[~is_inside], scores)
    )
    return Gap(
        observed=observed,
        expected=observed - _LUCK_TAKEN_OFF * luck,
        low=max(0.0, min(corrected, observed) - NORMAL_REACH * error),
        high=max(corrected, observed) + NORMAL_REACH * error,
    )


def _difference(scores: Array, is_inside: Flags) -> float:
    """Return how much lower the mean score is inside a kind than elsewhere."""
    return float(scores[~is_inside].mean() - scores[is_inside].mean())


def _squared_error(some_scores: Array, scores: Array) -> float:
    """Return the squared standard error of the mean of some of the scores.

    Two imaginary scores, one standard deviation of all scores from their mean, keep it above 0.
    """
    centre = float(scores.mean())
    spread = float(scores.std())
    widened = np.append(some_scores, [centre - spread, centre + spread])
    return float(widened.var(ddof=1)) / len(some_scores)


def _undrawn_differences(scores: Array, competing: Flags, bars: Array, seed: int) -> Array:
    """Return how much lower the weakest kind of each bootstrap sample is on undrawn questions.

    `competing` has a row for each kind. A sample is left out if it drew all questions of its
    weakest kind, or all others.
    """
    n_questions = len(scores)
    rng = np.random.default_rng(seed)
    samples = rng.integers(n_questions, size=(RESAMPLES, n_questions))
    draws = np.stack([np.bincount(sample, minlength=n_questions) for sample in samples], axis=1)
    indicators = competing.astype(np.float32)
    centred = scores - scores.mean()

    # for each kind and sample the sum of the scores drawn inside the kind, and their number
    weights = np.concatenate([draws * centred[:, None], draws], axis=1).astype(np.float32)
    sums, sizes = np.split((indicators @ weights).astype(np.float64), 2, axis=1)
    sizes = np.clip(sizes, 1.0, n_questions - 1.0)
    # the same sums of scores that are standardised within each sample
    means = centred @ draws / n_questions
    variances = (centred**2) @ draws / n_questions - means**2
    standard_sums = (sums - sizes * means) / np.sqrt(np.maximum(variances, 1e-12))
    deviation = float(centred.std())
    standard = centred
    if deviation > 0.0:
        standard = centred / deviation
    z = unskewed_sums(standard_sums, sizes, n_questions, float((standard**3).mean()))
    weakest = np.argmin(z + bars[:, None], axis=0)

    undrawn = (draws == 0).T.astype(np.float64)
    undrawn_inside = indicators[weakest] * undrawn
    undrawn_elsewhere = undrawn - undrawn_inside
    sizes_inside = undrawn_inside.sum(axis=1)
    sizes_elsewhere = undrawn_elsewhere.sum(axis=1)
    usable = (sizes_inside > 0) & (sizes_elsewhere > 0)
    means_inside = undrawn_inside[usable] @ centred / sizes_inside[usable]
    means_elsewhere = undrawn_elsewhere[usable] @ centred / sizes_elsewhere[usable]
    return np.asarray(means_elsewhere - means_inside)
