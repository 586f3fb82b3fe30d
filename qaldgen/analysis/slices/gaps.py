"""How large a weak spot is, corrected for its choice, and from which size on one is seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from qaldgen.analysis.comparing.significance import Flags
from qaldgen.analysis.slices.kinds import Kinds
from qaldgen.analysis.slices.search import Fit, NullDistribution, unskewed_sums
from qaldgen.scoring.intervals import NORMAL_REACH
from qaldgen.scoring.measures import Array

#: The number of bootstrap samples.
RESAMPLES = 200
#: In each sample this many kinds compete, those with the largest claims on all questions.
_COMPETING = 1_000
#: Fewer kinds compete if kinds times questions would be more than this (16 MB).
_CELLS = 4_000_000
#: The share of a resample that is made of questions outside of it, on average (.632 bootstrap;
#: Efron 1983, Journal of the American Statistical Association 78).
_OUTSIDE = 0.632
#: The quantile of the normal distribution that gives 80 % power.
_POWER = 0.84
#: Sizes of kinds that `detectable` speaks of, in questions and as shares of all.
_FEW_QUESTIONS = 20
_SHARES = (0.1, 0.2)


class Gap(NamedTuple):
    """How much lower scores are on a kind than elsewhere."""

    observed: float  # on these questions, which chose the kind because it looks bad
    #: What to expect on new questions of the kind, with its 95 % interval.
    expected: float
    low: float
    high: float


class Detectable(NamedTuple):
    """Kinds of `questions` questions are seen from this difference on, with power 80 %."""

    questions: int
    difference: float


def gap_of(
    scores: Array,
    is_unexplained: Flags,
    number: int,
    kinds: Kinds,
    fit: Fit,
    null: NullDistribution,
    seed: int,
) -> Gap:
    """Return how large a finding is.

    Each bootstrap sample chooses the kind that is weakest in it; questions outside of the sample
    say how much of that was luck. Questions are unexplained if they are in no other finding.
    """
    (inside,) = kinds.inside(np.array([number]))
    observed = float(scores[~inside].mean() - scores[inside].mean())
    unexplained_inside = scores[inside & is_unexplained]
    unexplained_outside = scores[~inside & is_unexplained]
    competitors = min(_COMPETING, max(1, _CELLS // len(scores)))
    claims = fit.z + null.bars[kinds.family]
    competing = np.union1d(np.argsort(claims, kind="stable")[:competitors], [number])
    outside = _outside_differences(
        scores[is_unexplained],
        kinds.inside(competing)[:, is_unexplained],
        null.bars[kinds.family[competing]],
        seed,
    )
    luck = 0.0
    if len(outside):
        difference = float(unexplained_outside.mean() - unexplained_inside.mean())
        luck = difference - float(outside.mean())
    error = math.sqrt(_error(scores[inside], scores) + _error(scores[~inside], scores))
    fair = observed - luck
    return Gap(
        observed=observed,
        expected=observed - _OUTSIDE * luck,
        low=max(0.0, min(fair, observed) - NORMAL_REACH * error),
        high=max(fair, observed) + NORMAL_REACH * error,
    )


def _error(kind_scores: Array, scores: Array) -> float:
    """Return the squared standard error of a mean; two imaginary scores keep it above 0."""
    centre = float(scores.mean())
    spread = float(scores.std())
    widened = np.append(kind_scores, [centre - spread, centre + spread])
    return float(widened.var(ddof=1)) / len(kind_scores)


def _outside_differences(scores: Array, competing: Flags, bars: Array, seed: int) -> Array:
    """Return, by sample, how much lower its weakest kind is on the questions outside the sample."""
    questions = len(scores)
    rng = np.random.default_rng(seed)
    samples = rng.integers(questions, size=(RESAMPLES, questions))
    draws = np.stack([np.bincount(sample, minlength=questions) for sample in samples], axis=1)
    inside = competing.astype(np.float32)
    centred = scores - scores.mean()
    weights = np.concatenate([draws * centred[:, None], draws], axis=1).astype(np.float32)
    sums, sizes = np.split((inside @ weights).astype(np.float64), 2, axis=1)
    means = centred @ draws / questions
    deviation = np.sqrt(np.maximum((centred**2) @ draws / questions - means**2, 1e-12))
    sizes = np.clip(sizes, 1.0, questions - 1.0)
    standard = centred / (float(centred.std()) or 1.0)
    z = unskewed_sums((sums - sizes * means) / deviation, sizes, questions, standard)
    winners = np.argmin(z + bars[:, None], axis=0)
    # the questions outside of each sample that belong to its winner, and the other ones
    undrawn = (draws == 0).T.astype(np.float64)
    of_winner = inside[winners] * undrawn
    of_others = undrawn - of_winner
    usable = (of_winner.sum(axis=1) > 0) & (of_others.sum(axis=1) > 0)
    of_winner = of_winner[usable]
    of_others = of_others[usable]
    return np.asarray(
        of_others @ centred / of_others.sum(axis=1) - of_winner @ centred / of_winner.sum(axis=1)
    )


def detectable(
    scores: Array, null: NullDistribution, sizes: Sequence[int] | None = None
) -> tuple[Detectable, ...]:
    """Return the smallest weakness of one condition that is seen with power 80 %, by size.

    A kind is left out if it is too small to be seen with any difference: scores cannot be lower
    than the lowest.
    """
    questions = len(scores)
    spread = float(scores.var())
    bar = float(null.bars[0]) - null.critical
    room = float(scores.mean() - scores.min())
    detectable_sizes = []
    for size in sizes or sorted({_FEW_QUESTIONS, *(round(share * questions) for share in _SHARES)}):
        if not 8 <= size <= questions / 2:
            continue
        for points in range(10, 101):
            difference = points / 100.0
            if difference > room or spread <= 0.0:
                break
            if difference >= _needed(difference, size, questions, scores, bar):
                detectable_sizes.append(Detectable(size, difference))
                break
    return tuple(detectable_sizes)


def _needed(difference: float, size: int, questions: int, scores: Array, bar: float) -> float:
    """Return the difference that is seen with power 80 % if scores on a kind were so much lower."""
    mean = float(scores.mean())
    low = float(scores.min())
    spread = float(scores.var())
    top = float(scores.max())
    reach = (mean - low) * (top - mean)
    graded = spread / reach if reach > 0.0 else 1.0  # 1 for scores of 0 and 1
    outside = mean + difference * size / questions
    inside = outside - difference
    outside_variance = max(0.0, (outside - low) * (top - outside)) * graded
    inside_variance = max(0.0, (inside - low) * (top - inside)) * graded
    error = math.sqrt(inside_variance / size + outside_variance / (questions - size))
    chance = bar * math.sqrt(spread * questions / (size * (questions - size)))
    return chance + _POWER * error
