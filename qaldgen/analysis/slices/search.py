"""The search: the largest claim over all kinds and systems, then what is left beside it.

The null is that of the largest claim (max-T; Westfall and Young 1993, Resampling-Based Multiple
Testing): scores are dealt out to the questions at random, whole rows of systems together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from qaldgen.analysis.slices.conditions import Conditions
from qaldgen.scoring.formulas import Array

#: A claim is a difference of at least so much, in the unit of the scores.
LEAST_DIFFERENCE = 0.1
#: How many weak spots of a system are looked for.
MOST = 5
#: Kinds with less left of them than so many questions, when findings are explained, are skipped.
_LEAST_LEFT = 4.0
#: Kinds that fit nearly as well as the best (z), and have nearly its questions (Jaccard), are other
#: names for it; of a code (`cost_of`) more kinds are.
_AS_GOOD, _SAME = 0.95, 0.8
_CODE, _AS_GOOD_AS_CODE, _SAME_AS_CODE = 5, 0.85, 0.6
#: Where a system hardly ever fails, the variance of scores is at least this part of its mean.
_LEAST_VARIANCE = 0.25
#: Permutations are made in blocks of at most so many scores (64 MB).
_BLOCK_CELLS = 8_000_000
#: Sums of the same scores in another order differ by rounding.
_ROUNDING = 1e-6


class Null(NamedTuple):
    """What a page about nothing claims.

    Attributes
    ----------
    bars : ndarray of float
        Of each family the value that 5 % of its smallest z fall below, with the sign changed. It is
        added to z, so that singles and pairs can be compared.
    smallest : ndarray of float
        The smallest z + bar of each permutation, in order.
    critical, beside : float
        The first claim about a system must be at most `critical`. Those beside it must be at most
        `beside`, at half the level: no finding explains its shadows completely.
    """

    bars: Array
    smallest: Array
    critical: float
    beside: float

    def p(self, claim: float) -> float:
        """Return the chance of a claim as large on a page about nothing."""
        below = int(np.searchsorted(self.smallest, claim + _ROUNDING, side="right"))
        return (1 + below) / (1 + len(self.smallest))


class Finding(NamedTuple):
    """A kind on which a system is weak.

    Attributes
    ----------
    number : int
        The kind that is named.
    best : int
        The kind that fits best, which has nearly the same questions.
    p : float
        The chance that a page about nothing makes as large a claim.
    """

    number: int
    best: int
    p: float


class Fit(NamedTuple):
    """How low scores are on each kind: the difference from the other questions, and z."""

    difference: Array
    z: Array


def null_of(
    scores: Array, conditions: Conditions, *, alpha: float, n_resamples: int, seed: int
) -> Null:
    """Return the null of a page.

    Parameters
    ----------
    scores
        Shape (questions, systems).
    conditions
        The kinds.
    alpha
        The chance that a page about nothing claims anything.
    n_resamples
        How many permutations.
    seed
        Of the permutations.
    """
    questions, systems = scores.shape
    standard = _standardised(scores)
    skew = np.asarray((standard**3).mean(axis=0))
    rng = np.random.default_rng(seed)
    order = [rng.permutation(questions) for _ in range(n_resamples)]
    least = np.empty((len(conditions.families), n_resamples))
    step = max(1, _BLOCK_CELLS // (questions * systems))
    for start in range(0, n_resamples, step):
        some = np.stack(order[start : start + step])  # (permutations, questions)
        dealt = np.moveaxis(standard[some], 1, 0).reshape(questions, -1).astype(np.float32)
        for at, family in enumerate(conditions.families):
            found = _least(conditions, family, dealt, np.tile(skew, len(some)))
            least[at, start : start + step] = found.reshape(len(some), systems).min(axis=1)
    bars = -np.sort(least, axis=1)[:, _rank(alpha, n_resamples)]
    smallest = np.sort((least + bars[:, None]).min(axis=0))
    first, beside = (smallest[_rank(level, n_resamples)] for level in (alpha, alpha / 2.0))
    return Null(bars, smallest, float(first), float(beside))


def _rank(alpha: float, n_resamples: int) -> int:
    return max(0, math.floor(alpha * (n_resamples + 1)) - 1)


def _standardised(scores: Array) -> Array:
    centred = scores - scores.mean(axis=0)
    deviation = centred.std(axis=0)
    return np.asarray(centred / np.where(deviation > 0.0, deviation, 1.0))


def _least(
    conditions: Conditions,
    family: slice,
    dealt: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
    skew: Array,
) -> Array:
    """Return the smallest z of a family in each column of standardised scores."""
    questions = len(dealt)
    least = np.zeros(dealt.shape[1])
    for start, inside in conditions.blocks(family):
        sums = inside @ dealt
        sizes = conditions.sizes[start : start + len(inside)]
        # kinds of one size have one variance and one skew, so only their smallest sum counts
        cuts = np.flatnonzero(np.diff(sizes, prepend=-1.0))
        for low, high in zip(cuts, [*cuts[1:], len(sizes)], strict=True):
            size = sizes[low]
            z = sums[low:high].min(axis=0) / _deviation(size, questions)
            np.minimum(least, unskewed(z, skew * _skew_of(size, questions)), out=least)
    return least


def _deviation(size: Array, questions: int) -> Array:
    """Return the standard deviation of the sum of standardised scores drawn at random."""
    return np.sqrt(size * (questions - size) / (questions - 1.0))


def _skew_of(size: Array, questions: int) -> Array:
    """Return the skew of that sum, for scores of skew 1."""
    spread = np.sqrt(np.maximum(size * (questions - size), 1.0))
    return (questions - 2.0 * size) * math.sqrt(questions - 1.0) / ((questions - 2.0) * spread)


def unskewed(z: Array, skew: Array) -> Array:
    """Return z as if it came from a normal distribution (Wilson and Hilferty 1931, PNAS 17).

    Examples
    --------
    >>> unskewed(np.array([-3.0, -3.0, 1.0]), np.array([0.0, -0.5, 0.0])).round(2).tolist()
    [-3.0, -2.5, 1.0]
    """
    safe = np.where(np.abs(skew) < 1e-3, 1.0, skew)
    bent = 6.0 / safe * (np.cbrt(np.maximum(safe / 2.0 * z + 1.0, 0.0)) - 1.0) + safe / 6.0
    return np.where(np.abs(skew) < 1e-3, z, bent)


def unskewed_sums(sums: Array, sizes: Array, questions: int, scores: Array) -> Array:
    """Return sums of standardised scores as unskewed z; the skew is that of the scores."""
    deviation = float(scores.std()) or 1.0
    skew = float(((scores - scores.mean()) ** 3).mean()) / deviation**3
    return unskewed(sums / _deviation(sizes, questions), skew * _skew_of(sizes, questions))


def fit(scores: Array, conditions: Conditions, basis: Array | None = None) -> Fit:
    """Return how low the scores of a system are on each kind.

    With a basis, once its columns are explained: by least squares, as partial differences.

    Parameters
    ----------
    scores
        Shape (questions,).
    conditions
        The kinds.
    basis
        Orthonormal columns; None for the constant alone.
    """
    questions = len(scores)
    columns = np.full((questions, 1), questions**-0.5) if basis is None else basis
    left = scores - columns @ (columns.T @ scores)
    variance = _variance(left, columns)
    if float(variance.max()) <= _ROUNDING:
        return Fit(np.zeros(len(conditions)), np.zeros(len(conditions)))
    weighted = variance[:, None] * columns
    joined = np.column_stack([left, variance, columns, weighted]).astype(np.float32)
    sums = np.concatenate([
        inside @ joined for family in conditions.families for _, inside in conditions.blocks(family)
    ]).astype(np.float64)  # fmt: skip
    total, spread = sums[:, 0], sums[:, 1]
    along, across = np.split(sums[:, 2:], 2, axis=1)
    information = conditions.sizes - (along**2).sum(axis=1)
    # the variance of the total of what is left of a kind when the columns are taken out of it
    spread = spread - 2.0 * (along * across).sum(axis=1)
    spread += ((along @ (columns.T @ weighted)) * along).sum(axis=1)
    enough = (information >= _LEAST_LEFT) & (spread > 0.0)
    z = total / np.sqrt(np.where(enough, spread, 1.0))
    skew = float(((left - left.mean()) ** 3).mean()) / float(left.std()) ** 3
    z = unskewed(z, skew * _skew_of(conditions.sizes, questions))
    difference = total / np.where(enough, information, 1.0)
    return Fit(np.where(enough, difference, 0.0), np.where(enough, z, 0.0))


def _variance(left: Array, columns: Array) -> Array:
    """Return the variance of each score: where a system hardly ever fails, it is small."""
    degrees = max(1, len(left) - columns.shape[1])
    overall = float(left @ left) / degrees
    local = columns @ (columns.T @ left**2) * len(left) / degrees
    return np.asarray(np.maximum(local, _LEAST_VARIANCE * overall))


def find(scores: Array, conditions: Conditions, null: Null) -> tuple[list[Finding], Fit]:
    """Return the kinds on which a system is weak, each beside those before it, and the first fit.

    Parameters
    ----------
    scores
        Shape (questions,).
    conditions
        The kinds.
    null
        That of the page.
    """
    first = step = fit(scores, conditions)
    bar = null.bars[conditions.family]
    findings: list[Finding] = []
    explained = [np.ones(len(scores))]
    while len(findings) < MOST:
        claims = np.where(
            (np.minimum(step.difference, -LEAST_DIFFERENCE) == step.difference)
            & (first.difference <= -LEAST_DIFFERENCE),
            step.z + bar,
            math.inf,
        )
        best = _plainest(np.flatnonzero(claims <= claims.min() + _ROUNDING), conditions)
        if not claims[best] <= (null.beside if findings else null.critical) + _ROUNDING:
            break
        named = _named(best, step.z, claims, conditions)
        findings.append(Finding(named, best, null.p(float(claims[best]))))
        explained += list(conditions.inside(np.unique([named, best])).astype(np.float64))
        step = fit(scores, conditions, _orthonormal(explained))
    return findings, first


def _orthonormal(columns: list[Array]) -> Array:
    """Return orthonormal columns that span the given ones."""
    basis, values, _ = np.linalg.svd(np.array(columns).T, full_matrices=False)
    return np.asarray(basis[:, values > _ROUNDING * values[0]])


def _plainest(
    numbers: np.ndarray[tuple[int, ...], np.dtype[np.intp]], conditions: Conditions
) -> int:
    """Return the plainest of some kinds: one condition before two, then by cost and name."""
    return int(
        min(
            numbers.tolist(),
            key=lambda one: (conditions.family[one], conditions.cost[one], one),
        )
    )


def _named(best: int, z: Array, claims: Array, conditions: Conditions) -> int:
    """Return the plainest of the kinds that fit about as well as the best one."""
    code = conditions.cost[best] >= _CODE
    as_good, same = (_AS_GOOD_AS_CODE, _SAME_AS_CODE) if code else (_AS_GOOD, _SAME)
    near = np.flatnonzero((z <= as_good * z[best]) & np.isfinite(claims))
    inside = conditions.inside(near)
    (own,) = conditions.inside(np.array([best]))
    alike = (inside & own).sum(axis=1) / (inside | own).sum(axis=1)
    kept = alike >= same
    near, alike = near[kept], alike[kept]
    order = np.lexsort((near, -alike, conditions.cost[near], conditions.family[near]))
    return int(near[order[0]])
