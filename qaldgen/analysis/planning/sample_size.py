"""How many questions it takes for an error: normal approximations, good enough for a plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_number, check_share, check_whole
from qaldgen.scoring.intervals import FEWEST
from qaldgen.scoring.mean_bounds import Array, Sums, two_sided_p

if TYPE_CHECKING:
    import pandas as pd


#: What the local pivotal method saves: its variance over that of a simple random sample, measured
#: on four data sets with 25 to 200 questions (docs/fewer-questions.md).
LPM_DESIGN_EFFECT = 0.84
#: By design the variance over that of a simple random sample.
DESIGNS = {"random": 1.0, "lpm": LPM_DESIGN_EFFECT}
#: The largest sample of a curve.
_LARGEST = 1000


def questions_for_error(
    scores: ArrayLike,
    error: float,
    *,
    pool_size: int | None = None,
    design_effect: float = 1.0,
) -> int | None:
    """Return how many questions give an interval of plus or minus `error` around the mean.

    None if all scores are equal: a pilot without spread says nothing about that of the pool.

    >>> questions_for_error([0, 1] * 50, 0.1), questions_for_error([0, 1] * 50, 0.1, pool_size=150)
    (98, 59)
    """
    check_number("error", error, above=0)
    check_design(pool_size, design_effect)
    variance = variance_of(scores)
    enough = variance * design_effect * (quantile_of(0.975) / error) ** 2
    return _size(enough, pool_size) if variance else None


def error_of(
    scores: ArrayLike,
    sizes: Iterable[int],
    *,
    pool_size: int | None = None,
    design_effect: float = 1.0,
) -> list[float]:
    """Return half the width of the 95 % interval for each size; 0 for the whole pool."""
    check_design(pool_size, design_effect)
    variance, z = variance_of(scores) * design_effect, quantile_of(0.975)
    return [
        z * math.sqrt(variance * max(0.0, 1 / n - (1 / pool_size if pool_size else 0.0)))
        for n in sizes
    ]


def error_curves(scores: pd.DataFrame, pool_size: int | None) -> pd.DataFrame:
    """Return the error by size (index), for each system and design (columns)."""
    import pandas as pd

    largest = min(pool_size or _LARGEST, _LARGEST)
    sizes = np.unique(np.geomspace(10, largest, 300).astype(int)).tolist()
    return pd.DataFrame(
        {
            (system, design): error_of(
                column, sizes, pool_size=pool_size, design_effect=design_effect
            )
            for system, column in scores.items()
            for design, design_effect in DESIGNS.items()
        },
        index=sizes,
    )


def check_design(pool_size: int | None, design_effect: float) -> None:
    """Refuse a pool or a design that cannot be."""
    check_number("design_effect", design_effect, above=0)
    if pool_size is not None:
        check_whole("pool_size", pool_size, 1)


def _size(without_end: float, pool_size: int | None) -> int:
    """Return the whole number of questions, with the finite population correction."""
    if pool_size is None:
        return max(2, math.ceil(without_end))
    return min(pool_size, max(2, math.ceil(without_end / (1 + without_end / pool_size))))


def variance_of(scores: ArrayLike) -> float:
    """Return the variance of scores; refuse those that say nothing about it."""
    values = np.asarray(scores, dtype=float)
    if len(values) < 2:
        raise UsageError(
            f"{len(values)} scores are too few to plan with; give those of at least two questions"
        )
    if not np.isfinite(values).all():
        raise UsageError("a score is not a finite number; every question needs one to plan with")
    return float(values.var(ddof=1))


def quantile_of(share: float) -> float:
    """Return a quantile of the normal distribution."""
    from scipy.special import ndtri

    return float(ndtri(share))


Counts = NDArray[np.int64]
#: The level of the test of `compare`.
_ALPHA = 0.05
#: Simulated comparisons for each size that is tried, and resamples of each graded one.
_REPEATS, _RESAMPLES = 1000, 499
#: From so many questions on, the randomisation test of graded scores is as good as normal.
_MANY = 200
#: More questions need no simulation: the normal approximation is as good.
_NORMAL = 10_000_000
#: Graded differences are simulated to two decimals.
_DECIMALS = 2
#: By how much sizes grow in the search, and how near the power of those that settle it must be.
_STEP, _NEAR = 1.3, 0.1
#: Beyond it a tilt leaves no kind but one.
_STEEPEST = 500.0
#: Sums that differ by less are equal.
_ROUNDING = 1e-9


def questions_for_difference(
    differences: ArrayLike,
    *,
    difference: float | None = None,
    pool_size: int | None = None,
    design_effect: float = 1.0,
    power: float = 0.8,
    random_state: int = 0,
) -> int | None:
    """Return how many questions it takes until `compare` finds a difference between two systems.

    `differences` are the scores of one system minus those of the other, question by question.
    Samples of the pilot's differences are tested as `compare` tests two systems; with `difference`,
    of a pilot that is as like it as can be but has this mean. None if the systems are equal on
    average, or differ by the same amount on every question: then the pilot does not say. None, too,
    if not even the whole pool would do.

    >>> questions_for_difference([1] * 30 + [-1] * 10 + [0] * 60, pool_size=40) is None
    True
    """
    check_share("power", power)
    check_whole("random_state", random_state, 0)
    check_design(pool_size, design_effect)
    values = np.asarray(differences, dtype=float)
    kinds, often = np.unique(np.round(values, _DECIMALS), return_counts=True)
    shares = often / len(values)
    variance, mean = variance_of(values), float(values.mean())
    if difference is not None:
        if not kinds.min() < difference < kinds.max():
            return None
        shares, mean = _tilted(kinds, shares, difference), difference
        variance = float(shares @ kinds**2) - mean**2
    if abs(mean) < _ROUNDING or variance == 0 or not kinds.any():
        return None
    rng = np.random.default_rng(random_state)

    def reached(n: int) -> float:
        counts = _samples(shares, n, pool_size, design_effect, rng)
        return float(np.mean(p_values(kinds, counts, rng) <= _ALPHA))

    most = pool_size or np.iinfo(np.int32).max
    if pool_size is not None and (pool_size < FEWEST or reached(pool_size) < power):
        return None
    spread = (quantile_of(1 - _ALPHA / 2) + quantile_of(power)) / mean
    guess = max(FEWEST, variance * design_effect * spread**2)
    if pool_size is not None:
        guess /= 1 + guess / pool_size
    if guess > _NORMAL:
        return min(most, math.ceil(guess))
    return _least(reached, power, int(np.clip(guess, FEWEST, most)), most)


def _tilted(kinds: Array, shares: Array, mean: float) -> Array:
    """Return the shares nearest to these, by relative entropy, for which the mean is another."""

    def weights(slope: float) -> Array:
        weights = shares * np.exp(slope * kinds)
        return np.asarray(weights / weights.sum())

    from scipy.optimize import brentq

    slope = brentq(lambda slope: float(weights(slope) @ kinds) - mean, -_STEEPEST, _STEEPEST)
    return weights(slope)


def _least(reached: Callable[[int], float], power: float, guess: int, most: int) -> int:
    """Return the least size that reaches a power, of which simulations tell nearly the truth."""
    tried: dict[int, float] = {}

    def enough(n: int) -> bool:
        tried[n] = reached(n)
        return tried[n] >= power

    low = high = guess
    while high < most and not enough(high):
        low, high = high, min(most, math.ceil(_STEP * high))
    while low == high > FEWEST or (low in tried and tried[low] >= power and low > FEWEST):
        high, low = low, max(FEWEST, math.floor(low / _STEP))
        enough(low)
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    # Each simulation errs by about a percent: a line through those near by errs by less.
    near = {n: share for n, share in tried.items() if abs(share - power) < _NEAR}
    if len(near) > 2:
        slope, offset = np.polyfit(np.log(list(near)), list(near.values()), 1)
        if slope > 0:
            return int(np.clip(math.ceil(math.exp((power - offset) / slope)), FEWEST, most))
    return high


def _samples(
    shares: Array, n: int, pool: int | None, effect: float, rng: np.random.Generator
) -> Counts:
    """Return how often each kind of question is in samples of `n`, shape (samples, kinds)."""
    # a design that spreads its questions acts like a smaller pool: both lower the variance
    unseen = effect * (1.0 - n / pool if pool else 1.0)
    if unseen >= 1.0:
        return rng.multinomial(n, shares, _REPEATS)
    size = round(n / (1.0 - unseen))
    there = np.diff(np.round(np.cumsum(shares) * size), prepend=0.0).astype(np.int64)
    return rng.multivariate_hypergeometric(there, n, _REPEATS, method="marginals")


def p_values(kinds: Array, counts: Counts, rng: np.random.Generator) -> Array:
    """Return the p-value of each sample by the tests of `significance.paired_tests`."""
    there = kinds != 0.0
    if np.ptp(np.abs(kinds[there])) == 0.0:
        from scipy.stats import binom

        wins, losses = (counts[:, side].sum(axis=1) for side in (kinds > 0.0, kinds < 0.0))
        # McNemar's exact test; p of equal means is never larger.
        tail = binom.cdf(np.minimum(wins, losses), wins + losses, 0.5)
        return np.asarray(np.minimum(1.0, 2.0 * tail))
    ones = np.ones(len(kinds))
    sums = Sums(kinds, ones, counts.astype(float))
    equal = two_sided_p(sums, np.ones(len(counts)), (-1.0, 1.0), shape=0.5)
    return np.maximum(equal, _exchanged_p(kinds[there], counts[:, there], rng))


def _exchanged_p(kinds: Array, counts: Counts, rng: np.random.Generator) -> Array:
    """Return p of the randomisation test for each sample; all samples share the resamples."""
    observed = np.abs(counts @ kinds)
    most = int(counts.sum(axis=1).max())
    if most > _MANY:
        from scipy.special import ndtr

        return np.asarray(2.0 * ndtr(-observed / np.sqrt(counts @ kinds**2)))
    sizes = counts.sum(axis=1)
    differences = np.zeros((len(counts), most))
    differences[np.arange(most) < sizes[:, None]] = np.repeat(
        np.tile(kinds, len(counts)), counts.ravel()
    )
    signs = rng.integers(0, 2, (_RESAMPLES, most)) * 2.0 - 1.0
    reaching = (np.abs(signs @ differences.T) >= observed - _ROUNDING).sum(axis=0)
    return np.asarray((reaching + 1.0) / (_RESAMPLES + 1.0))
