"""Confidence intervals of measures, and of differences of two systems, on sets of questions.

Means and ratios of sums have Gaffke's interval (see `mean_bounds`), other measures an interval from
random weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qaldgen.defaults import MEASURE, SEED, UPPER_QUANTILE
from qaldgen.errors import DataError
from qaldgen.io.arguments import check_integer
from qaldgen.scoring.mean_bounds import Array, Flags, sums_over, typical_size, typical_sizes
from qaldgen.scoring.mean_bounds import bounds as bounds_of_mean
from qaldgen.scoring.measures import Measure, find_measure, ratio, summed_columns, weights_in

if TYPE_CHECKING:
    import pandas as pd


#: The half width of an interval in standard errors, by the normal distribution.
NORMAL_REACH = NormalDist().inv_cdf(UPPER_QUANTILE)
#: No interval is given for fewer questions than this.
FEWEST = 5
#: The method that is named where there is no interval.
NO_INTERVAL = f"none: fewer than {FEWEST} questions"
#: The method for means of scores.
GAFFKE = "Gaffke"
#: The method for ratios of sums.
RATIO = f"{GAFFKE}, ratio of sums"
#: The method for measures that are neither a ratio nor a mean.
DRAWN = "random weights"
#: How many weights of each question are drawn.
_DRAWS = 2000
#: The most weights in memory (32 MB); larger draws are made in blocks.
_BLOCK_CELLS = 4_000_000


class Interval(NamedTuple):
    """An estimate and its confidence interval."""

    #: The bounds are NaN where there is no interval.
    estimate: float
    low: float
    high: float
    n: int  # questions
    #: The effective sample size: how many questions of equal weight, drawn from an infinite pool,
    #: would tell as much. Kish's number divided by the share of the pool that was not seen;
    #: infinite if the whole pool is seen.
    effective_n: float
    method: str  # how it was made, or why there is none


def interval(
    scores: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    population: int | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """Return the mean of scores with Gaffke's interval.

    For scores of 0 and 1 it is that of Clopper and Pearson.

    >>> result = interval([1, 1, 1, 0, 0, 1, 1, 1, 0, 1])
    >>> f"{result.estimate:.2f} {result.low:.2f} {result.high:.2f}"
    '0.70 0.35 0.93'
    >>> interval([1, 0, 1]).method
    'none: fewer than 5 questions'
    """
    values = np.asarray(scores, dtype=float)
    weight = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    mask = np.ones((len(values), 1), dtype=bool)
    return mean_intervals(values, weight, mask, population=population, bounds=bounds)[0]


def mean_intervals(
    values: Array,
    weight: Array,
    masks: Flags,
    *,
    population: int | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> list[Interval]:
    """Return the mean of each of several sets of questions with its interval, as `interval` does.

    `masks` has a column for each set, `weight` a number for each question.
    """
    check_scores(values, bounds)
    if len(weight) != len(values) or not (weight > 0.0).all():
        raise DataError(
            f"{len(values)} scores need as many positive weights; there are"
            f" {int((weight > 0.0).sum())}"
        )
    sizes = masks.sum(axis=0)
    pool = math.inf if population is None else population
    if pool < sizes.max(initial=0):
        raise DataError(
            f"the pool of {pool:.0f} questions is smaller than the {sizes.max()} drawn from it;"
            " give the size of the pool"
        )

    # empty sets and complete pools divide by 0; NaN and infinity are the right results
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (weight * values) @ masks / (weight @ masks)
        sampled_share = np.where(sizes > 0, sizes / pool, 0.0)
        effective_sizes = (weight @ masks) ** 2 / (weight**2 @ masks) / (1.0 - sampled_share)

    lows, highs = np.full((2, len(sizes)), np.nan)
    large_sets = np.flatnonzero((sizes >= FEWEST) | (sampled_share == 1.0))
    if len(large_sets):
        lows[large_sets], highs[large_sets] = _bounds_of_means(
            values, weight, masks[:, large_sets], means[large_sets], pool=pool, bounds=bounds
        )

    intervals = []
    for index, n in enumerate(sizes.tolist()):
        if n == pool:
            method = "exact: the whole pool"
        elif n < FEWEST:
            method = NO_INTERVAL
        elif population is None:
            method = GAFFKE
        else:
            method = f"{GAFFKE}, pool of {population:,}"
        result = Interval(
            estimate=float(means[index]),
            low=float(lows[index]),
            high=float(highs[index]),
            n=n,
            effective_n=float(effective_sizes[index]),
            method=method,
        )
        intervals.append(result)

    return intervals


def _bounds_of_means(
    values: Array,
    weight: Array,
    masks: Flags,
    means: Array,
    *,
    pool: float,
    bounds: tuple[float, float],
) -> tuple[Array, Array]:
    """Return the bounds of the means of a pool from the questions that were drawn from it."""
    seen = masks.sum(axis=0) / pool
    # the more of a pool was seen, the less random are the weights of its questions; those of a
    # complete pool are nearly constant, instead of a division by 0
    unseen = np.maximum(1.0 - seen, 1e-9)
    sums = sums_over(values, weight, masks)
    sums = sums._replace(shapes=sums.shapes / unseen[:, None])
    low, high = bounds_of_mean(sums, typical_sizes(weight, masks), bounds)
    # wider by half a question of the pool, since its mean moves in steps, but within what the
    # questions that were seen allow, and around the estimate whatever rounding did
    half = (bounds[1] - bounds[0]) / (2.0 * pool)
    least, most = (seen * means + (1.0 - seen) * end for end in bounds)
    low = np.minimum(np.maximum(low - half, least), means)
    high = np.maximum(np.minimum(high + half, most), means)
    return low, high


def check_scores(values: Array, bounds: tuple[float, float]) -> None:
    """Refuse scores that are missing or out of their range."""
    invalid = np.flatnonzero(~((values >= bounds[0]) & (values <= bounds[1])))
    if len(invalid):
        raise DataError(
            f"score {invalid[0] + 1} is {values[invalid[0]]:g};"
            f" scores lie between {bounds[0]:g} and {bounds[1]:g}"
        )


class Shares(NamedTuple):
    """The share and the size of each question; a ratio of sums is the weighted mean of shares."""

    shares: Array
    sizes: Array


def shares_of(values: Array, weight: Array, measure: Measure) -> Shares:
    """Return the shares of a measure, by the columns that it adds up.

    >>> from qaldgen.scoring.measures import MEASURES
    >>> counts = np.array([[1.0, 0.0, 3.0], [0.0, 0.0, 0.0]])  # tp, fp, fn
    >>> recalls, sizes = shares_of(counts, np.ones(2), MEASURES["micro-recall"])
    >>> recalls.tolist(), sizes.tolist()
    ([0.25, 0.0], [4.0, 0.0])
    """
    if measure.is_mean:
        return Shares(values[:, 0], weight)
    size = values @ np.array(measure.size)
    return Shares(ratio(values @ np.array(measure.right), size, 0.0), weight * size)


def sizes_if_right(values: Array, weight: Array, measure: Measure) -> Array:
    """Return the size of each question, or the size it would have if answered rightly, if larger.

    If an answer to a question with a hundred gold answers is wrong, micro precision only sees the
    answers that were given.

    >>> from qaldgen.scoring.measures import MEASURES
    >>> counts = np.array([[3.0, 1.0, 0.0], [0.0, 1.0, 100.0]])  # tp, fp, fn
    >>> sizes_if_right(counts, np.ones(2), MEASURES["micro-precision"]).tolist()
    [4.0, 100.0]
    """
    # A measure that counts missed gold answers (fn) gives a question the same size, right or wrong.
    size = values @ np.array(measure.size)
    if measure.size[2] == 0.0:
        size = np.maximum(size, measure.size[0] * (values[:, 0] + values[:, 2]))
    return np.asarray(weight * size)


def question_weights(counts: pd.DataFrame, weights: pd.Series[float] | None) -> Array:
    """Return the weight of each question, 1 if no weights are given."""
    if weights is None:
        return np.ones(len(counts))
    aligned = np.asarray(weights.reindex(counts.index), dtype=np.float64)
    invalid = np.flatnonzero(~(aligned > 0.0) | np.isinf(aligned))
    if len(invalid):
        raise DataError(
            f"question {counts.index[invalid[0]]}: the weight is {aligned[invalid[0]]:g};"
            " every weight must be positive"
        )
    return aligned


def measure_interval(
    counts: pd.DataFrame,
    measure: str = MEASURE,
    *,
    weights: pd.Series[float] | None = None,
    population: int | None = None,
    random_state: int = SEED,
) -> Interval:
    """Return any measure of counts with its interval.

    The estimate is that of `Measure.of` to the last bit: NaN where the measure is undefined.

    >>> import pandas as pd
    >>> columns = {"tp": [1, 0, 2, 1, 1, 0], "fp": [0, 2, 0, 0, 1, 0], "fn": [0, 1, 0, 0, 0, 3]}
    >>> result = measure_interval(pd.DataFrame(columns), "micro-f1")
    >>> f"{result.estimate:.2f} {result.low:.2f} {result.high:.2f} {result.method}"
    '0.59 0.18 0.91 Gaffke, ratio of sums'
    """
    mask = np.ones((len(counts), 1), dtype=bool)
    intervals = measure_intervals(
        counts, mask, measure, weights=weights, population=population, random_state=random_state
    )
    estimate = find_measure(measure, counts).of(counts, weights_in(weights, counts))
    return intervals[0]._replace(estimate=estimate)


def measure_intervals(
    counts: pd.DataFrame,
    masks: Flags,
    measure: str,
    *,
    weights: pd.Series[float] | None = None,
    population: int | None = None,
    random_state: int = SEED,
) -> list[Interval]:
    """Return `measure_interval` for several sets of questions; estimates may differ by rounding."""
    check_integer("random_state", random_state, 0)
    spec = find_measure(measure, counts)
    values = summed_columns(counts, spec)
    weight = question_weights(counts, weights)
    if spec.is_mean:
        return mean_intervals(
            values[:, 0], weight, masks, population=population, bounds=spec.bounds
        )
    if spec.size:
        return _ratio_intervals(values, weight, masks, spec)
    return _resampled_intervals([values], weight, masks, spec, random_state=random_state)


def difference_intervals(
    left: Array,
    right: Array,
    weight: Array,
    masks: Flags,
    spec: Measure,
    *,
    random_state: int,
) -> list[Interval]:
    """Return the difference of two systems with its interval, left minus right, for each set."""
    if spec.is_mean:
        reach = spec.bounds[1] - spec.bounds[0]
        differences = left[:, 0] - right[:, 0]
        return mean_intervals(differences, weight, masks, bounds=(-reach, reach))
    return _resampled_intervals([left, right], weight, masks, spec, random_state=random_state)


def _ratio_intervals(values: Array, weight: Array, masks: Flags, spec: Measure) -> list[Interval]:
    """Return ratios of sums as weighted means of shares."""
    share, size = shares_of(values, weight, spec)
    enough = masks.sum(axis=0) >= FEWEST
    lows, highs = np.full((2, len(enough)), np.nan)
    if enough.any():
        # For the lower bound the unseen question is answered wrongly, for the upper one rightly,
        # which can make it count for more.
        sets = masks[:, enough]
        if_right = sizes_if_right(values, weight, spec)
        unseen = np.stack([typical_sizes(size, sets), typical_sizes(if_right, sets)])
        sums = sums_over(share, size, sets)
        lows[enough], highs[enough] = bounds_of_mean(sums, unseen, spec.bounds)

    intervals = []
    for column, low, high in zip(masks.T, lows.tolist(), highs.tolist(), strict=True):
        weights = weight[column]
        estimate = float("nan")
        if len(weights):
            estimate = float(spec.value_or_zero(weights @ values[column], weights.sum()))
        intervals.append(_make_interval(estimate, low, high, mask=column, method=RATIO))

    return intervals


def _resampled_intervals(
    systems: Sequence[Array],
    weight: Array,
    masks: Flags,
    spec: Measure,
    random_state: int,
) -> list[Interval]:
    """Return the measure of a system, or the difference of two, with intervals by random weights.

    `systems` has for each system the columns that the measure adds up.
    """
    width = len(spec.columns)

    def statistic(totals: Array) -> Array:
        values = spec.value_or_zero(totals[..., :width], totals[..., -1])
        if len(systems) > 1:
            values = values - spec.value_or_zero(totals[..., width:-1], totals[..., -1])
        return values

    results = []
    for column in masks.T:
        weights = weight[column]
        # Both systems get the same weights in each draw, so the difference keeps their correlation.
        weighted = [weights[:, None] * values[column] for values in systems]
        rows = np.column_stack([*weighted, weights])

        estimate = low = high = float("nan")
        if len(weights):
            estimate = float(statistic(rows.sum(axis=0)))

        if len(weights) >= FEWEST:
            # an unseen question if a system is wrong on it, and if it is right, by system
            wrong = []
            right = []
            for values in systems:
                size_if_wrong = size_if_right = typical_size(weights)
                if spec.size:
                    size_if_wrong = typical_size(shares_of(values[column], weights, spec).sizes)
                    size_if_right = typical_size(sizes_if_right(values[column], weights, spec))
                wrong.append(size_if_wrong * np.array(spec.worst))
                right.append(size_if_right * np.array(spec.best))
            # a difference is smallest if the first system is wrong there and the second right
            weight_there = [typical_size(weights)]
            low, high = resampled_bounds(
                statistic,
                rows,
                worst=np.concatenate([wrong[0], *right[1:], weight_there]),
                best=np.concatenate([right[0], *wrong[1:], weight_there]),
                random_state=random_state,
            )

        results.append(_make_interval(estimate, low, high, mask=column, method=DRAWN))
    return results


def resampled_bounds(
    statistic: Callable[[Array], Array],
    rows: Array,
    worst: ArrayLike,
    best: ArrayLike,
    *,
    random_state: int = SEED,
) -> tuple[float, float]:
    """Return bounds of a statistic of weighted totals; for a mean they are nearly Gaffke's.

    `rows` are the summands of the questions, `worst` and `best` those of an imaginary question.

    >>> rows = np.array([[1.0, 1.0]] * 7 + [[0.0, 1.0]] * 3)  # 7 of 10
    >>> def share(totals):
    ...     return totals[:, 0] / totals[:, 1]
    >>> low, high = resampled_bounds(share, rows, [0.0, 1.0], [1.0, 1.0])
    >>> round(low, 1), round(high, 1)
    (0.3, 0.9)
    """
    rng = np.random.default_rng(random_state)
    # equal questions share one gamma variable, whose shape is their number: a sum of exponentials
    distinct, sizes = _distinct_rows(rows)
    low = []
    high = []
    block = max(1, _BLOCK_CELLS // len(distinct))
    for start in range(0, _DRAWS, block):
        size = min(block, _DRAWS - start)
        totals = rng.standard_gamma(sizes, (size, len(distinct))) @ distinct
        # both bounds use the same draws, so that the lower one is never above the upper one
        unseen = rng.standard_exponential((size, 1))
        low.append(statistic(totals + unseen * np.asarray(worst)))
        high.append(statistic(totals + unseen * np.asarray(best)))
    lower = np.quantile(np.concatenate(low), 1 - UPPER_QUANTILE)
    upper = np.quantile(np.concatenate(high), UPPER_QUANTILE)
    return float(lower), float(upper)


def _distinct_rows(rows: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return the different rows in order, and how often each occurs."""
    # one number for each row, which keeps their order: numbers sort ten times as fast as rows
    codes = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        values, value_codes = np.unique(column, return_inverse=True)
        _, codes = np.unique(codes * len(values) + value_codes, return_inverse=True)
    _, indices, sizes = np.unique(codes, return_index=True, return_counts=True)
    return rows[indices], sizes


def _make_interval(estimate: float, low: float, high: float, mask: Flags, method: str) -> Interval:
    """Return an interval that contains the estimate even if the denominators nearly vanish."""
    n = int(mask.sum())
    if n < FEWEST:
        return Interval(estimate, float("nan"), float("nan"), n, float("nan"), NO_INTERVAL)
    return Interval(estimate, min(low, estimate), max(high, estimate), n, float("nan"), method)
