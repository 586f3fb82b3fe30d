"""Which kinds of questions got worse: claims about many kinds, while the answers come in.

Each kind is looked at as `gate` looks at a run, at sizes that are fixed beforehand. All kinds share
one error: Holm's procedure with the bounds of a group-sequential test at each look (Maurer and
Bretz 2013, Statistics in Biopharmaceutical Research 5), so that in at most 5 % of the runs anything
is called worse when nothing is, however the kinds overlap, and the same for better. A claim is
about new questions of the kind: a kind of which every question was asked is no exact result.

A kind is also decided where a fall as large as it was planned for is excluded: in most runs nothing
has changed, and waiting for a difference would ask every question. At most 10 % of such falls are
missed so.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from qaldgen.analysis.estimating.pool_mean import KnownMeans, Moments, regression_estimate
from qaldgen.analysis.stopping.group_sequential import (
    FIRST_LOOK,
    Look,
    boundaries,
    look,
    plan_looks,
)
from qaldgen.defaults import ALPHA
from qaldgen.scoring.mean_bounds import Array

#: The chance that a difference as large as planned is called none, over all looks.
_MISSED = 0.1
NO_DIFFERENCE, NOT_ENOUGH = "no difference", "not enough"
#: New questions of the kind: a pool without end.
_ENDLESS = 10**9
#: More looks than `gate` takes: most kinds end without a claim, which is seen at any of them.
_GROWTH = 1.2
#: Simulated runs behind a size, and the step of sizes.
_RUNS, _STEP = 20_000, 5


class KindLook(NamedTuple):
    """What one look at a kind showed: new minus old."""

    n: int  # questions
    estimate: float
    variance: float

    @property
    def moments(self) -> Moments:
        """The same for the rules of `gate`."""
        return Moments(self.estimate, self.variance, self.n - 1, self.variance)


class Outcome(NamedTuple):
    """What is known about a kind."""

    verdict: str  # ``better``, ``worse``, ``no difference``, ``not enough``; empty to go on
    look: Look | None = None  # the look that decided, or the last one; None if there was none


def look_at(differences: Array, doubt: float = 0.0) -> KindLook:
    """Return what the differences of the first questions show, new minus old.

    `doubt` is the sum of the variances of verdicts that may be wrong.

    >>> look_at(np.repeat([0.0, -1.0], [24, 6])).estimate
    -0.2
    """
    n = len(differences)
    nothing = KnownMeans.nothing(n)
    moments = regression_estimate(differences, _ENDLESS, nothing, None, (-1.0, 1.0))
    return KindLook(n, moments.estimate, moments.variance + doubt / n**2)


def sizes_of(largest: int) -> tuple[int, ...]:
    """Return the questions at each look; none for a kind with too few questions for any.

    >>> sizes_of(100), sizes_of(29)
    ((30, 35, 40, 50, 60, 70, 85, 100), ())
    """
    if largest < FIRST_LOOK:
        return ()
    return plan_looks(largest, _ENDLESS, growth=_GROWTH).sizes


def decide(
    plans: Mapping[str, Sequence[int]],
    looks: Mapping[str, Sequence[KindLook]],
    difference: float,
) -> dict[str, Outcome]:
    """Return what is known about each kind from the looks that were taken so far.

    `plans` has by kind the questions at each look, and none of a kind that is never looked at.
    """
    claims: dict[str, Look] = {}
    tested = [kind for kind, sizes in plans.items() if sizes]
    while True:
        # each claim that is made leaves the error to those that are not
        alpha = ALPHA / max(1, len(tested) - len(claims))
        made = {
            kind: found
            for kind in tested
            if kind not in claims and (found := _claim(plans[kind], looks[kind], alpha)) is not None
        }
        if not made:
            break
        claims |= made
    return {
        kind: Outcome(claims[kind].verdict, claims[kind])
        if kind in claims
        else _without_claim(sizes, looks[kind], difference)
        for kind, sizes in plans.items()
    }


def _claim(sizes: Sequence[int], looks: Sequence[KindLook], alpha: float) -> Look | None:
    """Return the first look that makes a claim at a level."""
    return next((one for one in _judged(sizes, looks, alpha) if one.verdict), None)


def _judged(sizes: Sequence[int], looks: Sequence[KindLook], alpha: float) -> list[Look]:
    bounds = boundaries(tuple(map(float, sizes)), 2.0 * alpha)  # for claims on either side
    return [_look(one, bound) for one, bound in zip(looks, bounds[: len(looks)], strict=True)]


@functools.lru_cache(maxsize=10_000)
def _look(one: KindLook, bound: float) -> Look:
    return look(one.moments, one.n, bound)


def _without_claim(sizes: Sequence[int], looks: Sequence[KindLook], difference: float) -> Outcome:
    """Return whether a fall as large as planned is excluded, or cannot be any more."""
    if not looks:
        return Outcome("" if sizes else NOT_ENOUGH)
    judged = _judged(sizes, looks, _MISSED)
    excluding = next((one for one in judged if one.low > -difference), None)
    if excluding is not None:
        return Outcome(NO_DIFFERENCE, excluding)
    return Outcome(NOT_ENOUGH if len(looks) == len(sizes) else "", judged[-1])


@functools.cache
def power(largest: int, difference: float, deviation: float, kinds: int) -> float:
    """Return the chance that a fall is called worse, with all questions of a kind at hand.

    Parameters
    ----------
    largest
        Questions of the last look.
    difference
        How much the score falls.
    deviation
        The standard deviation of the difference of one question.
    kinds
        How many kinds share the error.

    Examples
    --------
    >>> round(power(200, 0.2, 0.5, 8), 2), round(power(60, 0.2, 0.5, 8), 2)
    (0.94, 0.54)
    """
    sizes = np.array(sizes_of(largest), dtype=float)
    if not len(sizes):
        return 0.0
    steps = np.diff(sizes, prepend=0.0)
    # simulated, since a run may stop for two reasons at each look
    noise = np.random.default_rng(0).standard_normal((_RUNS, len(sizes)))
    sums = np.cumsum(noise * deviation * np.sqrt(steps), axis=1) - difference * sizes
    estimate = sums / sizes
    error = np.sqrt(deviation**2 / sizes + 2.0 / sizes**2)
    times = tuple(sizes.tolist())
    worse = estimate / error <= -np.array(boundaries(times, 2.0 * ALPHA / kinds))
    none = estimate - error * np.array(boundaries(times, 2.0 * _MISSED)) > -difference
    first_claim = np.where(worse.any(axis=1), worse.argmax(axis=1), len(sizes))
    first_none = np.where(none.any(axis=1), none.argmax(axis=1), len(sizes))
    return float(np.mean((first_claim < len(sizes)) & (first_claim <= first_none)))


def size_for(difference: float, wanted: float, deviation: float, kinds: int) -> int:
    """Return how many questions of a kind show a fall with a power.

    >>> size_for(0.2, 0.8, 0.5, 8)
    95
    """
    low, high = FIRST_LOOK - _STEP, FIRST_LOOK
    while power(high, difference, deviation, kinds) < wanted:
        low, high = high, 2 * high
    while high - low > _STEP:
        middle = (low + high) // (2 * _STEP) * _STEP
        if power(middle, difference, deviation, kinds) < wanted:
            low = middle
        else:
            high = middle
    return high


def least_difference(largest: int, wanted: float, deviation: float, kinds: int) -> float:
    """Return the least fall that so many questions show with a power; NaN if they show none.

    >>> least_difference(125, 0.8, 0.5, 8)
    0.18
    """
    found = (step / 100 for step in range(1, 100))
    return next(
        (fall for fall in found if power(largest, fall, deviation, kinds) >= wanted), math.nan
    )


def deviation_of(disagreement: float, difference: float) -> float:
    """Return the deviation of differences if two versions differ on a share of the questions.

    >>> round(deviation_of(0.3, 0.2), 3)
    0.51
    """
    return math.sqrt(max(disagreement, difference) - difference**2)
