"""Bounds of a mean that allow for questions that were not seen.

The mean is taken with random weights: those of a Dirichlet distribution over the questions at hand
and one imaginary question, which has the worst possible score for the lower bound and the best for
the upper one. These are Gaffke's bounds (Gaffke 2005, Mathematical Methods of Statistics 14;
Learned-Miller and Thomas 2019, arXiv 1905.06208). For scores of 0 and 1 they are the interval of
Clopper and Pearson; without the imaginary question they would be the Bayesian bootstrap (Rubin
1981, Annals of Statistics 9).

Such a mean lies below a value exactly if a weighted sum of gamma variables is negative. The
saddlepoint approximation gives the probability almost exactly (Barndorff-Nielsen 1986, Biometrika
73), so nothing is drawn at random, and the bounds follow every score smoothly.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qaldgen.defaults import UPPER_QUANTILE

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: A limit for loops that converge in about ten steps.
_MAX_STEPS = 100
#: The search for a bound ends at a step below this.
_NEAR = 1e-10
#: The search for a saddlepoint ends at a step below this; it converges quadratically, so the
#: remaining error is about the square of its last step.
_NEAR_SADDLE = 1e-7
#: Below this root the saddlepoint formula is nearly 0 / 0, and its limit is used.
_MIDDLE = 1e-3
#: The z of certainty.
_CERTAIN_Z = 40.0


class Sums(NamedTuple):
    """Weighted sums over questions: one row per sum, one column per kind of question."""

    values: Array  # the score of a question of that kind
    sizes: Array  # how much it counts on average
    #: The shape of the gamma variable that is the random weight: the number of such questions,
    #: divided by the share of them that was not seen; 0 where a sum has none.
    shapes: Array

    def with_unseen(self, value: float, size: Array, shape: float) -> Sums:
        """Return the sums with an imaginary question added to each row."""
        grid, count = self.shapes.shape, len(self.shapes)
        return Sums(
            values=np.column_stack([np.broadcast_to(self.values, grid), np.full(count, value)]),
            sizes=np.column_stack([np.broadcast_to(self.sizes, grid), size]),
            shapes=np.column_stack([self.shapes, np.full(count, shape)]),
        )

    def with_both_ends(self, values: tuple[float, float], sizes: Array, shape: float = 1.0) -> Sums:
        """Return all rows with the worst imaginary question, then all rows with the best one."""
        low_size, high_size = np.broadcast_to(sizes, (2, len(self.shapes)))
        low = self.with_unseen(values[0], low_size, shape)
        high = self.with_unseen(values[1], high_size, shape)
        return Sums(
            values=np.concatenate([low.values, high.values]),
            sizes=np.concatenate([low.sizes, high.sizes]),
            shapes=np.concatenate([low.shapes, high.shapes]),
        )


def sums_over(values: Array, sizes: Array, masks: Flags) -> Sums:
    """Return the sums over sets of questions; equal questions are one kind.

    >>> sums = sums_over(np.array([0.0, 1.0, 1.0]), np.ones(3), np.ones((3, 1), dtype=bool))
    >>> sums.values.tolist(), sums.shapes.tolist()
    ([0.0, 1.0], [[1.0, 2.0]])
    """
    distinct_values, value_codes = np.unique(values, return_inverse=True)
    distinct_sizes, size_codes = np.unique(sizes, return_inverse=True)
    # one number for each pair of value and size: numbers sort faster than rows
    codes = value_codes * len(distinct_sizes) + size_codes
    pairs, pair_numbers = np.unique(codes, return_inverse=True)
    shapes = [np.bincount(pair_numbers[column], minlength=len(pairs)) for column in masks.T]
    value_indices, size_indices = np.divmod(pairs, max(len(distinct_sizes), 1))
    return Sums(
        values=distinct_values[value_indices],
        sizes=distinct_sizes[size_indices],
        shapes=np.array(shapes, dtype=float).reshape(-1, len(pairs)),
    )


def bounds(sums: Sums, unseen: Array, ends: tuple[float, float]) -> tuple[Array, Array]:
    """Return the lower and the upper bound of the mean of each row.

    `unseen` are the sizes of the imaginary questions, `ends` their scores, the worst and the best.
    Newton's method from a normal guess finds the limits that have the z of the level, with
    bisection when a step leaves the bracket.

    >>> zeros = Sums(np.zeros(1), np.ones(1), np.array([[20.0]]))  # 20 questions, all wrong
    >>> low, high = bounds(zeros, np.ones(1), (0.0, 1.0))
    >>> low.tolist(), high.round(3).tolist()
    ([0.0], [0.169])
    """
    quantile = NormalDist().inv_cdf(UPPER_QUANTILE)
    z = np.repeat([-quantile, quantile], len(sums.shapes))
    sums = sums.with_both_ends(ends, unseen)
    has_kind = sums.shapes > 0.0
    low = np.where(has_kind, sums.values, np.inf).min(axis=1)
    high = np.where(has_kind, sums.values, -np.inf).max(axis=1)
    total = np.sum(sums.shapes * sums.sizes, axis=1)
    mean = np.sum(sums.shapes * sums.sizes * sums.values, axis=1) / total

    gaps = sums.sizes * (sums.values - mean[:, None])
    error = np.sqrt(np.sum(sums.shapes * gaps**2, axis=1)) / total
    # strictly between the extreme values, because there is no saddlepoint at an end
    limits = np.clip(mean + z * error, low + 0.01 * (high - low), high - 0.01 * (high - low))

    tilt = np.zeros(len(limits))
    for _ in range(_MAX_STEPS):
        z_now, slope, tilt = _roots(sums, limits, tilt)
        low = np.where(z_now < z, limits, low)
        high = np.where(z_now < z, high, limits)
        unbounded = np.full(len(limits), np.inf)
        step = limits - np.divide(z_now - z, slope, out=unbounded, where=slope > 0.0)
        step = np.where((step > low) & (step < high), step, low + (high - low) / 2.0)
        is_near = np.abs(step - limits) <= _NEAR
        limits = step
        if is_near.all():
            break

    lower, upper = limits.reshape(2, -1)
    return lower, upper


def two_sided_p(sums: Sums, unseen: Array, ends: tuple[float, float]) -> Array:
    """Return for each row the two-sided p-value of a mean of 0; see `bounds`.

    Half an imaginary question on each side brings it close to the mid-p value of the sign test.

    >>> wins = Sums(np.array([-1.0, 1.0]), np.ones(2), np.array([[1.0, 9.0]]))
    >>> two_sided_p(wins, np.ones(1), (-1.0, 1.0)).round(3).tolist()  # the sign test says 0.012
    [0.01]
    """
    both_ends = sums.with_both_ends(ends, unseen, shape=0.5)
    below, above = z_scores(both_ends, np.zeros(2 * len(sums.shapes))).reshape(2, -1)
    # erfc stays accurate where one minus the normal distribution rounds to 0
    return np.array([min(1.0, math.erfc(-z / math.sqrt(2.0))) for z in np.minimum(below, -above)])


def z_scores(sums: Sums, limits: Array) -> Array:
    """Return how surely each row's mean lies below a limit, as a normal quantile.

    >>> even = Sums(np.array([0.0, 1.0]), np.ones(2), np.array([[10.0, 10.0]]))
    >>> [round(float(z_scores(even, np.array([limit]))[0]), 2) for limit in (0.3, 0.5, 0.7)]
    [-1.84, 0.0, 1.84]
    """
    return _roots(sums, limits, np.zeros(len(limits))).z


class _Roots(NamedTuple):
    """For each row its z score, nearly the derivative of z (0 at its ends), and the saddlepoint."""

    z: Array
    slope: Array
    tilt: Array


def _roots(sums: Sums, limits: Array, start: Array) -> _Roots:
    """Return the z of a mean below each limit, starting from a saddlepoint nearby."""
    # a gap of 0 takes no part in the sums, as if the row did not have this kind of question
    gaps = np.where(sums.shapes > 0.0, sums.sizes * (sums.values - limits[:, None]), 0.0)
    sizes = np.broadcast_to(sums.sizes, gaps.shape)
    least = gaps.min(axis=1)
    most = gaps.max(axis=1)
    certain = np.where(most <= 0.0, _CERTAIN_Z, -_CERTAIN_Z)
    roots = _Roots(certain, np.zeros(len(gaps)), np.zeros(len(gaps)))
    # if all values lie on one side of the limit, z is certain and there is no saddlepoint
    is_between = (least < 0.0) & (most > 0.0)
    if is_between.all():
        return _signed_root(gaps, sizes, sums.shapes, start)
    if is_between.any():
        uncertain = _signed_root(
            gaps[is_between], sizes[is_between], sums.shapes[is_between], start[is_between]
        )
        for values, uncertain_values in zip(roots, uncertain, strict=True):
            values[is_between] = uncertain_values
    return roots


def _signed_root(gaps: Array, sizes: Array, shapes: Array, start: Array) -> _Roots:
    """Return the z of the chance that the sum of gamma variables with these scales is negative."""
    tilt = _saddlepoint(gaps, shapes, start)
    inverse = 1.0 - tilt[:, None] * gaps
    # rounding can make the sum slightly negative where the tilt is nearly 0
    root = np.sign(tilt) * np.sqrt(np.maximum(2.0 * np.sum(shapes * np.log(inverse), axis=1), 0.0))
    curve = np.sum(shapes * (gaps / inverse) ** 2, axis=1)
    middle = np.abs(root) < _MIDDLE
    safe = np.where(middle, 1.0, root)
    ratio = np.where(middle, 1.0, tilt * np.sqrt(curve) / safe)
    skewness = 2.0 * np.sum(shapes * gaps**3, axis=1) / np.sum(shapes * gaps**2, axis=1) ** 1.5
    # Barndorff-Nielsen's correction of the signed root; a sixth of the skewness is its limit
    z = root + np.where(middle, skewness / 6.0, np.log(ratio) / safe)
    slope = np.where(middle, 1.0 / np.sqrt(curve), tilt / safe) * np.sum(
        shapes * sizes / inverse, axis=1
    )
    return _Roots(z, slope, tilt)


def _saddlepoint(gaps: Array, shapes: Array, start: Array) -> Array:
    """Return the root of the derivative of the cumulant function.

    The derivative is the sum of shape * gap / (1 - tilt * gap); Newton's method within a bracket.
    """
    # the cumulant function is finite between the reciprocals of the extreme gaps
    low = 1.0 / gaps.min(axis=1)
    high = 1.0 / gaps.max(axis=1)
    # the cumulant function is always finite at 0, so 0 is a valid start for any values
    tilt = np.where((start > low) & (start < high), start, 0.0)
    for _ in range(_MAX_STEPS):
        scaled = gaps / (1.0 - tilt[:, None] * gaps)
        slope = np.sum(shapes * scaled, axis=1)
        curve = np.sum(shapes * scaled**2, axis=1)
        low = np.where(slope <= 0.0, tilt, low)
        high = np.where(slope > 0.0, tilt, high)
        step = tilt - slope / curve
        step = np.where((step > low) & (step < high), step, (low + high) / 2.0)
        is_near = np.abs(step - tilt) * np.sqrt(curve) < _NEAR_SADDLE
        tilt = step
        if is_near.all():
            break
    return tilt


def wilson_bounds(mean: float, size: float, z: float) -> tuple[float, float]:
    """Return Wilson's bounds of a mean of `size` scores between 0 and 1.

    >>> [round(bound, 3) for bound in wilson_bounds(0.5, 100, 1.96)]
    [0.404, 0.596]
    """
    shrinkage = 1.0 + z**2 / size
    centre = (mean + z**2 / (2.0 * size)) / shrinkage
    half_width = z / shrinkage * math.sqrt(mean * (1.0 - mean) / size + z**2 / (4.0 * size**2))
    return max(0.0, centre - half_width), min(1.0, centre + half_width)


def typical_size(sizes: Array) -> float:
    """Return the mean size, each question weighted by its size.

    This is the total divided by Kish's effective number of questions. A long list weighs more than
    its share of the questions, so the imaginary question has many answers if any has.

    >>> import numpy as np
    >>> typical_size(np.array([1.0, 1.0, 4.0]))
    3.0
    """
    total = float(sizes.sum())
    if total > 0.0:
        return float(sizes @ sizes) / total
    return 1.0


def typical_sizes(sizes: Array, masks: Flags) -> Array:
    """Return the typical size of each set of questions, which is a column of `masks`."""
    return np.array([typical_size(sizes[mask]) for mask in masks.T])
