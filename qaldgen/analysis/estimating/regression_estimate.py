"""The mean of a pool from a sample with equal inclusion probabilities, by regression.

Scores that are known on the whole pool are control variates. These may be other systems' results,
an earlier version of the system (a baseline), or the verdicts of an automatic judge. The sample may
be easier or harder for them than the pool is; how much of that applies to the new scores is
estimated on the sample, by a ridge regression on at most a few columns. The sample has equal
inclusion probabilities, which makes the estimate right whatever the columns are; bad columns only
cost precision.

The variance compares each question with its nearest sampled neighbours (local mean variance), with
the calibrated weights of the regression. Two imaginary pairs of scores, a best and a worst one
each, are added to it ("plus 2"): graded scores with a small mean, and runs in which all scores so
far are equal, would look too certain without them.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qaldgen.analysis.estimating.pool_mean import NEIGHBOURS, nearest
from qaldgen.defaults import UPPER_QUANTILE
from qaldgen.errors import DataError
from qaldgen.io.text import count
from qaldgen.scoring.mean_bounds import Array, wilson_bounds

#: The indices of each question and of its nearest ones; None for simple random samples, whose
#: design does not spread the questions.
Neighbours: TypeAlias = "NDArray[np.intp] | None"

#: Imaginary pairs of scores in the variance.
_IMAGINARY_PAIRS = 2.0
#: The largest normal deviate: beyond it a result is certain.
_CERTAIN_Z = 40.0
#: Columns with a smaller deviation are taken as constant.
_CONSTANT_DEVIATION = 1e-12


class Moments(NamedTuple):
    """An estimate, its variance, and the degrees of freedom of the variance."""

    estimate: float  # of the mean over the pool
    variance: float  # with the imaginary pairs
    freedom: int  # degrees of freedom: questions, less one, less one for each column
    sample_variance: float  # without the imaginary pairs

    @property
    def z(self) -> float:
        """The estimate in standard errors, turned from Student's t into a normal deviate."""
        if not self.variance:
            if not self.estimate:
                return 0.0
            return math.copysign(_CERTAIN_Z, self.estimate)
        return normal_deviate(self.estimate / math.sqrt(self.variance), self.freedom)


class KnownMeans(NamedTuple):
    """Control variates: scores that are known on the whole pool, a column each."""

    sampled: Array  # the scores on the sampled questions
    means: Array  # the means over the pool

    @classmethod
    def nothing(cls, n: int) -> KnownMeans:
        """Return no columns for `n` questions."""
        return cls(np.empty((n, 0)), np.empty(0))


def regression_estimate(
    scores: Array,
    pool_size: int,
    controls: KnownMeans,
    neighbours: Neighbours,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Moments:
    """Estimate the mean over the pool from an equal-probability sample.

    >>> scores = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 1.0])
    >>> result = regression_estimate(scores, 60, KnownMeans.nothing(6), None)
    >>> round(result.estimate, 3), round(result.variance, 3), result.freedom
    (0.667, 0.068, 5)
    """
    n, columns = controls.sampled.shape
    if n < columns + 3:
        raise DataError(
            f"{count(n, 'question')}: too few for an estimate with {count(columns, 'column')} of"
            " known scores"
        )

    mean = float(scores.mean())
    centred = scores - mean
    shift = 0.0
    parts = centred / n  # what each question contributes to the error
    if columns:
        centre = controls.sampled.mean(axis=0)
        deviation = controls.sampled.std(axis=0)
        # Dividing by infinity turns a constant column into zeros: it takes no part in the
        # regression.
        scale = np.where(deviation > _CONSTANT_DEVIATION, deviation, np.inf)
        z = (controls.sampled - centre) / scale
        gap = (controls.means - centre) / scale
        # One ridge unit per standardised column: hardly any shrinkage in large samples, and always
        # invertible.
        ridge = z.T @ z + np.eye(columns)
        slope = np.linalg.solve(ridge, z.T @ centred)
        weight = 1.0 / n + z @ np.linalg.solve(ridge, gap)
        shift = float(gap @ slope)
        parts = weight * (centred - z @ slope)

    # a regression may leave the range of scores where the known means are extreme
    value = float(np.clip(mean + shift, *bounds))
    unseen = 1.0 - n / pool_size
    freedom = n - 1 - columns
    sample_variance = variance_of_sum(parts, neighbours) * unseen * (n - 1) / freedom

    # What the imaginary pairs add: squares of their distances from the estimate. A pair of -1 and
    # 1 is worth at least 1 wherever the estimate is.
    squares = 1.0 if bounds[0] < 0.0 else value**2 + (1.0 - value) ** 2
    variance = sample_variance + unseen * _IMAGINARY_PAIRS * squares / n**2
    return Moments(value, variance, freedom, sample_variance)


def neighbours_of(points: Array, pool_size: int) -> Neighbours:
    """Return the indices of each question and of its nearest ones, itself first.

    There are more of them, the larger the sampled share of the pool is.
    """
    size = group_size(len(points), pool_size)
    if not size:
        return None
    return nearest(points, size)


def group_size(n: int, pool_size: int) -> int:
    """Return the number of questions with which one is compared, itself included."""
    if n <= NEIGHBOURS or n >= pool_size:
        return 0
    # As the unseen share shrinks, the unseen questions get rarer and lie further apart: compare
    # over a wider neighbourhood.
    return 1 + min(n - 1, round(NEIGHBOURS / (1.0 - n / pool_size)))


def wilson_interval(moments: Moments, n: int) -> tuple[float, float]:
    """Return Wilson's bounds of a mean between 0 and 1, for the effective sample size.

    If all scores are 0 or all are 1, one of them is taken to be different.

    >>> low, high = wilson_interval(Moments(0.5, 0.0025, 99, 0.0025), 100)
    >>> round(low, 3), round(high, 3)
    (0.403, 0.597)
    """
    mean = moments.estimate
    t = quantile(UPPER_QUANTILE, moments.freedom)
    if not moments.variance:
        return mean, mean
    # at a mean of 0 or 1 the product would be 0, and so would the effective size
    size = max(mean * (1.0 - mean), (n - 1) / n**2) / moments.variance
    low, high = wilson_bounds(mean, size, t)
    return min(low, mean), max(high, mean)


@lru_cache(maxsize=10_000)
def quantile(share: float, freedom: int) -> float:
    """Return a quantile of Student's t."""
    from scipy.stats import t

    return float(t.ppf(share, max(freedom, 1)))


def normal_deviate(t: float, freedom: int) -> float:
    """Return the normal deviate that is as unlikely as a value of Student's t.

    >>> round(normal_deviate(2.045, 29), 2), round(normal_deviate(-2.045, 29), 2)
    (1.96, -1.96)
    """
    from scipy.special import ndtri, stdtr

    return math.copysign(min(float(-ndtri(stdtr(max(freedom, 1), -abs(t)))), _CERTAIN_Z), t)


def variance_of_sum(parts: Array, neighbours: Neighbours) -> float:
    """Return the variance of the sum of parts: by local means, or as in a simple random sample."""
    if neighbours is None:
        size = len(parts)
        means = parts.mean()
    else:
        size = neighbours.shape[1]
        means = parts[neighbours].mean(axis=1)
    return float(size / (size - 1) * np.sum((parts - means) ** 2))
