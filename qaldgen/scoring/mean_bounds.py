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

from qaldgen.defaults import UPPER

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: A limit for loops that converge in about ten steps.
_STEPS = 100
#: Iterations end when a step is smaller than this. The saddlepoint converges quadratically, so the
#: error left is about the square of its last step.
_NEAR, _NEAR_SADDLE = 1e-10, 1e-7
#: Nearer to the middle than this the saddlepoint formula is nearly 0 / 0, and its limit is used.
_MIDDLE = 1e-3
#: The z that stands for certainty.
_FAR = 40.0


class Sums(NamedTuple):
    """Weighted sums over questions: one row per sum, one column per kind of question."""

    values: Array  # the score of a question of that kind
    sizes: Array  # how much it counts on average
    #: The shape of the gamma variable that is the random weight: the number of such questions,
    #: divided by the share of them that was not seen; 0 where a sum has none.
    shapes: Array

    def with_unseen(self, value: float, size: Array, shape: float = 1.0) -> Sums:
        """Return the sums with an imaginary question added to each row."""
        rows = self.shapes.shape
        new = np.full(rows[0], value), size, np.full(rows[0], shape)
        return Sums(
            *(
                np.column_stack([np.broadcast_to(a, rows), b])
                for a, b in zip(self, new, strict=True)
            )
        )

    def with_either(self, values: tuple[float, float], sizes: Array, shape: float = 1.0) -> Sums:
        """Return all rows with the first imaginary question, then all rows with the second."""
        each = np.broadcast_to(sizes, (2, len(self.shapes)))
        both = (
            self.with_unseen(value, size, shape) for value, size in zip(values, each, strict=True)
        )
        return Sums(*(np.concatenate(parts) for parts in zip(*both, strict=True)))


def sums_over(values: Array, sizes: Array, masks: Flags) -> Sums:
    """Return the sums over sets of questions; equal questions are one kind.

    >>> sums = sums_over(np.array([0.0, 1.0, 1.0]), np.ones(3), np.ones((3, 1), dtype=bool))
    >>> sums.values.tolist(), sums.shapes.tolist()
    ([0.0, 1.0], [[1.0, 2.0]])
    """
    (value, value_at), (size, size_at) = (
        np.unique(column, return_inverse=True) for column in (values, sizes)
    )
    # One number for each pair of value and size: numbers sort faster than rows.
    pairs, kind = np.unique(value_at * len(size) + size_at, return_inverse=True)
    shapes = [np.bincount(kind[column], minlength=len(pairs)) for column in masks.T]
    of_value, of_size = np.divmod(pairs, max(len(size), 1))
    return Sums(
        value[of_value], size[of_size], np.array(shapes, dtype=float).reshape(-1, len(pairs))
    )


def bounds(sums: Sums, unseen: Array, ends: tuple[float, float]) -> tuple[Array, Array]:
    """Return the lower and the upper bound of the mean of each row.

    >>> zeros = Sums(np.zeros(1), np.ones(1), np.array([[20.0]]))  # 20 questions, all wrong
    >>> low, high = bounds(zeros, np.ones(1), (0.0, 1.0))
    >>> low.tolist(), high.round(3).tolist()
    ([0.0], [0.169])
    """
    z = NormalDist().inv_cdf(UPPER)
    low, high = _solve(
        sums.with_either(ends, unseen), np.repeat([-z, z], len(sums.shapes))
    ).reshape(2, -1)
    return low, high


def two_sided_p(sums: Sums, unseen: Array, ends: tuple[float, float], shape: float = 1.0) -> Array:
    """Return for each row the two-sided p-value of a mean of 0.

    >>> wins = Sums(np.array([-1.0, 1.0]), np.ones(2), np.array([[1.0, 9.0]]))
    >>> two_sided_p(wins, np.ones(1), (-1.0, 1.0)).round(3).tolist()  # the sign test says 0.021
    [0.022]
    """
    below, above = z_scores(
        sums.with_either(ends, unseen, shape), np.zeros(2 * len(sums.shapes))
    ).reshape(2, -1)
    # erfc stays accurate where one minus the normal distribution rounds to 0
    return np.array([min(1.0, math.erfc(-z / math.sqrt(2.0))) for z in np.minimum(below, -above)])


def z_scores(sums: Sums, at: Array) -> Array:
    """Return how surely each row's mean lies below a value, as a normal quantile.

    >>> even = Sums(np.array([0.0, 1.0]), np.ones(2), np.array([[10.0, 10.0]]))
    >>> [round(float(z_scores(even, np.array([at]))[0]), 2) for at in (0.3, 0.5, 0.7)]
    [-1.84, 0.0, 1.84]
    """
    return _roots(sums, at, np.zeros(len(at))).z


def _solve(sums: Sums, z: Array) -> Array:
    """Return where `z_scores` equals `z`, one value per row.

    Newton's method from a normal guess, with bisection when a step leaves the bracket.
    """
    there = sums.shapes > 0.0
    low = np.where(there, sums.values, np.inf).min(axis=1)
    high = np.where(there, sums.values, -np.inf).max(axis=1)
    total = np.sum(sums.shapes * sums.sizes, axis=1)
    mean = np.sum(sums.shapes * sums.sizes * sums.values, axis=1) / total
    error = (
        np.sqrt(np.sum(sums.shapes * (sums.sizes * (sums.values - mean[:, None])) ** 2, axis=1))
        / total
    )
    # strictly between the extreme values, because there is no saddlepoint at an end
    at = np.clip(mean + z * error, low + 0.01 * (high - low), high - 0.01 * (high - low))
    tilt = np.zeros(len(at))
    for _ in range(_STEPS):
        reached, slope, tilt = _roots(sums, at, tilt)
        low = np.where(reached < z, at, low)
        high = np.where(reached < z, high, at)
        step = at - np.divide(reached - z, slope, out=np.full(len(at), np.inf), where=slope > 0.0)
        step = np.where((step > low) & (step < high), step, low + (high - low) / 2.0)
        done = np.abs(step - at) <= _NEAR
        at = step
        if done.all():
            break
    return np.asarray(at)


class _Roots(NamedTuple):
    """For each row `z_scores`, nearly its derivative (0 at its ends), and the saddlepoint."""

    z: Array
    slope: Array
    tilt: Array


def _roots(sums: Sums, at: Array, start: Array) -> _Roots:
    """Return the z of a mean below `at`, starting from a saddlepoint nearby."""
    # a gap of 0 takes no part in the sums, as if the row did not have this kind of question
    gaps = np.where(sums.shapes > 0.0, sums.sizes * (sums.values - at[:, None]), 0.0)
    least = gaps.min(axis=1)
    most = gaps.max(axis=1)
    roots = _Roots(np.where(most <= 0.0, _FAR, -_FAR), np.zeros(len(gaps)), np.zeros(len(gaps)))
    # If all values lie on one side of `at`, the answer is certain and there is no saddlepoint.
    both = (least < 0.0) & (most > 0.0)
    if both.all():
        return _signed_root(gaps, np.broadcast_to(sums.sizes, gaps.shape), sums.shapes, start)
    if both.any():
        sizes = np.broadcast_to(sums.sizes, gaps.shape)
        some = _signed_root(gaps[both], sizes[both], sums.shapes[both], start[both])
        for whole, part in zip(roots, some, strict=True):
            whole[both] = part
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
    # The cumulant function is finite between the reciprocals of the extreme gaps.
    low = 1.0 / gaps.min(axis=1)
    high = 1.0 / gaps.max(axis=1)
    # the cumulant function is always finite at 0, so 0 is a valid start for any values
    tilt = np.where((start > low) & (start < high), start, 0.0)
    for _ in range(_STEPS):
        scaled = gaps / (1.0 - tilt[:, None] * gaps)
        slope = np.sum(shapes * scaled, axis=1)
        curve = np.sum(shapes * scaled**2, axis=1)
        low = np.where(slope <= 0.0, tilt, low)
        high = np.where(slope > 0.0, tilt, high)
        step = tilt - slope / curve
        step = np.where((step > low) & (step < high), step, (low + high) / 2.0)
        done = np.abs(step - tilt) * np.sqrt(curve) < _NEAR_SADDLE
        tilt = step
        if done.all():
            break
    return tilt


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
