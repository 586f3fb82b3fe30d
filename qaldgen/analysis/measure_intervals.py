"""Intervals of any measure, and of the difference of two systems, on sets of questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qaldgen.analysis import mean_bounds
from qaldgen.analysis.intervals import FEWEST, GAFFKE, NO_INTERVAL, Interval, mean_intervals
from qaldgen.analysis.mean_bounds import Array, Flags
from qaldgen.analysis.random_weights import resampled_bounds
from qaldgen.analysis.totals import question_weights, shares, sizes_if_right
from qaldgen.analysis.unseen import typical_size
from qaldgen.io.arguments import check_share, check_whole
from qaldgen.scoring.measures import Measure, find_measure, parts

if TYPE_CHECKING:
    import pandas as pd

#: The methods for ratios of sums, and for measures that are neither a ratio nor a mean.
RATIO, DRAWN = f"{GAFFKE}, ratio of sums", "random weights"


def measure_interval(
    counts: pd.DataFrame,
    measure: str = "macro-f1",
    *,
    weights: pd.Series[float] | None = None,
    population: int | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    random_state: int = 0,
) -> Interval:
    """Return any measure of counts with its interval.

    Gaffke's interval for means and ratios of sums, else one from randomly drawn weights.

    >>> import pandas as pd
    >>> columns = {"tp": [1, 0, 2, 1, 1, 0], "fp": [0, 2, 0, 0, 1, 0], "fn": [0, 1, 0, 0, 0, 3]}
    >>> result = measure_interval(pd.DataFrame(columns), "micro-f1")
    >>> f"{result.estimate:.2f} {result.low:.2f} {result.high:.2f} {result.method}"
    '0.59 0.18 0.91 Gaffke, ratio of sums'
    """
    everything = np.ones((len(counts), 1), dtype=bool)
    return measure_intervals(
        counts,
        everything,
        measure,
        weights=weights,
        populations=[population],
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        random_state=random_state,
    )[0]


def measure_intervals(
    counts: pd.DataFrame,
    masks: Flags,
    measure: str = "macro-f1",
    *,
    weights: pd.Series[float] | None = None,
    populations: Sequence[int | None] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    random_state: int = 0,
) -> list[Interval]:
    """Return `measure_interval` for several sets of questions at once."""
    check_share("confidence_level", confidence_level)
    check_whole("n_resamples", n_resamples, 1)
    check_whole("random_state", random_state, 0)
    kind = find_measure(measure, counts)
    values, weight = parts(counts, kind), question_weights(counts, weights)
    if kind.is_mean:
        return mean_intervals(
            values[:, 0],
            weight,
            masks,
            populations=populations,
            confidence_level=confidence_level,
            bounds=kind.bounds,
        )
    if kind.size:
        return _ratio_intervals(values, weight, masks, kind, confidence_level)
    return _drawn_intervals(
        [values], weight, masks, kind, confidence_level, n_resamples, random_state
    )


def difference_intervals(
    left: Array,
    right: Array,
    weight: Array,
    masks: Flags,
    kind: Measure,
    *,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> list[Interval]:
    """Return the difference of two systems with its interval, left minus right, for each set."""
    if kind.is_mean:
        reach = kind.bounds[1] - kind.bounds[0]
        return mean_intervals(
            left[:, 0] - right[:, 0],
            weight,
            masks,
            confidence_level=confidence_level,
            bounds=(-reach, reach),
        )
    return _drawn_intervals(
        [left, right], weight, masks, kind, confidence_level, 2000, random_state
    )


def _ratio_intervals(
    values: Array, weight: Array, masks: Flags, kind: Measure, confidence_level: float
) -> list[Interval]:
    """Return ratios of sums as weighted means of shares."""
    share, size = shares(values, weight, kind)
    enough = masks.sum(axis=0) >= FEWEST
    lows, highs = np.full((2, len(enough)), np.nan)
    if enough.any():
        # For the lower bound the unseen question is answered wrongly, for the upper one rightly,
        # which can make it count for more.
        ways = (size, sizes_if_right(values, weight, kind))
        unseen = np.array(
            [[typical_size(way[column]) for column in masks[:, enough].T] for way in ways]
        )
        lows[enough], highs[enough] = mean_bounds.bounds(
            mean_bounds.sums_over(share, size, masks[:, enough]),
            unseen,
            kind.bounds,
            confidence_level,
        )
    return [
        _found(_value(kind, values, weight, column), low, high, column, RATIO)
        for column, low, high in zip(masks.T, lows.tolist(), highs.tolist(), strict=True)
    ]


def _drawn_intervals(
    systems: Sequence[Array],
    weight: Array,
    masks: Flags,
    kind: Measure,
    confidence_level: float,
    n_resamples: int,
    random_state: int,
) -> list[Interval]:
    """Return the measure of one system, or the first's minus the second's, by drawn weights."""
    width = len(kind.columns)
    signs = (1.0, -1.0)[: len(systems)]

    def value(totals: Array) -> Array:
        each = (
            sign * kind.value(totals[..., at * width : (at + 1) * width], totals[..., -1])
            for at, sign in enumerate(signs)
        )
        return np.asarray(np.sum(list(each), axis=0))

    results = []
    for column in masks.T:
        own = weight[column]
        # Both systems get the same weights in each draw, so the difference keeps their correlation.
        rows = np.column_stack([*(own[:, None] * values[column] for values in systems), own])
        estimate = float(value(rows.sum(axis=0))) if len(own) else float("nan")
        low = high = float("nan")
        if len(own) >= FEWEST:
            unseen = [_unseen_sizes(values[column], own, kind) for values in systems]
            low, high = resampled_bounds(
                value,
                rows,
                _imaginary(kind, unseen, own, best=(False, True)),
                _imaginary(kind, unseen, own, best=(True, False)),
                confidence_level=confidence_level,
                n_resamples=n_resamples,
                random_state=random_state,
            )
        results.append(_found(estimate, low, high, column, DRAWN))
    return results


def _unseen_sizes(values: Array, weight: Array, kind: Measure) -> tuple[float, float]:
    """Return how much an unseen question counts at worst and at best."""
    if not kind.size:
        return typical_size(weight), typical_size(weight)
    return typical_size(shares(values, weight, kind)[1]), typical_size(
        sizes_if_right(values, weight, kind)
    )


def _imaginary(
    kind: Measure, sizes: Sequence[tuple[float, float]], weight: Array, *, best: tuple[bool, bool]
) -> Array:
    """Return what the imaginary question adds.

    For each system its answer, the best or the worst one, and at last its weight.
    """
    each = [
        size[1] * np.array(kind.best) if right else size[0] * np.array(kind.worst)
        for size, right in zip(sizes, best, strict=False)
    ]
    return np.concatenate([*each, [typical_size(weight)]])


def _found(estimate: float, low: float, high: float, mask: Flags, method: str) -> Interval:
    """Return an interval that contains the estimate even if the denominators nearly vanish."""
    n = int(mask.sum())
    if n < FEWEST:
        return Interval(estimate, float("nan"), float("nan"), n, float("nan"), NO_INTERVAL)
    return Interval(estimate, min(low, estimate), max(high, estimate), n, float("nan"), method)


def _value(kind: Measure, values: Array, weight: Array, mask: Flags) -> float:
    own = weight[mask]
    return float(kind.value(own @ values[mask], own.sum())) if len(own) else float("nan")
