"""From a sample to the full benchmark: the estimate of a mean score with an honest interval.

Only for probability designs: the inclusion probabilities must be known. Variance by the local mean of the nearest sampled
questions (Stevens & Olsen 2003, Environmetrics 14:593; Grafström & Schelin 2014, Scand. J. Stat. 41:277), each question with its
own finite population correction, 1 - inclusion probability; Wilson's interval with the effective number of questions and
Student's quantile (Korn & Graubard 1998, Surv. Methodol. 24:193).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qaldgen.analysis.intervals import FEWEST, NO_INTERVAL, wilson
from qaldgen.errors import DataError

Array = NDArray[np.float64]

#: Sampled neighbours with which a question is compared for the variance.
NEIGHBOURS = 4
#: Control variates take at most this much of the others' difference.
_LARGEST_SLOPE = 1.5


class Estimate(NamedTuple):
    """The estimate of a mean over the full benchmark.

    Attributes
    ----------
    estimate, low, high : float
        With the interval's bounds; NaN where there is none.
    n, pool_size : int
        Questions in the sample and in the pool.
    worth : float
        How many questions a simple random sample would need for the same variance; NaN where there is no interval.
    method : str
        How it was made, or why there is no interval.
    slope : float
        The weight of the control variate; 0 without one.
    """

    estimate: float
    low: float
    high: float
    n: int
    pool_size: int
    worth: float
    method: str
    slope: float = 0.0


def estimate_mean(
    scores: ArrayLike,
    inclusion: ArrayLike,
    pool_size: int,
    *,
    features: ArrayLike | None = None,
    others: ArrayLike | None = None,
    others_mean: float = 0.0,
    bounds: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
) -> Estimate:
    """Estimate the mean score over the pool from a probability sample.

    Parameters
    ----------
    scores
        Of the sampled questions, shape (n,), within `bounds`.
    inclusion
        Their inclusion probabilities, shape (n,), over 0 and up to 1.
    pool_size
        Questions in the pool.
    features
        Normalised features of the sampled questions, shape (n, n_features), in which the design spread its questions; None for
        simple random samples, whose neighbours mean nothing.
    others
        Mean scores of other systems on the sampled questions, shape (n,): a control variate (difference estimator; PPI++,
        Angelopoulos, Duchi & Zrnic 2023, arXiv 2311.01453). Its coefficient is estimated on the sample.
    others_mean
        The mean of `others` over the whole pool.
    bounds
        Least and largest possible score; (-1, 1) for differences of two systems.
    level
        The wanted coverage.

    Raises
    ------
    DataError
        If a number is out of its range.

    Examples
    --------
    >>> found = estimate_mean([1, 0, 1, 1, 0, 1, 1, 0, 1, 1], [0.1] * 10, 100)
    >>> f"{found.estimate:.2f} {found.low:.2f} {found.high:.2f}, worth {found.worth:.0f}"
    '0.70 0.36 0.91, worth 10'
    """
    y, p = np.asarray(scores, dtype=float), np.asarray(inclusion, dtype=float)
    _check(y, p, pool_size, bounds)
    weight = 1.0 / p / np.sum(1.0 / p) if len(p) else p
    slope, centred = 0.0, y
    if others is not None:
        x = np.asarray(others, dtype=float)
        slope = _slope(y, x, weight)
        centred = y - slope * (x - others_mean)
    value = float(np.clip(weight @ centred, *bounds)) if len(y) else float("nan")
    n = len(y)
    if (p == 1.0).all() and n == pool_size:
        return Estimate(value, value, value, n, pool_size, float(pool_size), "exact: the whole pool", slope)
    if n < FEWEST:
        return Estimate(value, float("nan"), float("nan"), n, pool_size, float("nan"), NO_INTERVAL, slope)
    variance = _variance(centred, weight, p, None if features is None else np.asarray(features, dtype=float))
    low, high = _bounds(value, variance, weight, p, bounds, level)
    method = "Hajek mean, Wilson" + (", local mean variance" if features is not None else "") + (", others" if slope else "")
    return Estimate(value, low, high, n, pool_size, _worth(y, weight, variance, pool_size), method, slope)


def _check(y: Array, p: Array, pool_size: int, bounds: tuple[float, float]) -> None:
    if len(y) != len(p):
        raise DataError(f"{len(y)} scores need as many inclusion probabilities; there are {len(p)}")
    if not ((p > 0) & (p <= 1)).all():
        raise DataError("an inclusion probability is not above 0 and at most 1; the design of the sample must be known")
    bad = np.flatnonzero(~((y >= bounds[0]) & (y <= bounds[1])))
    if len(bad):
        raise DataError(f"score {bad[0] + 1} is {y[bad[0]]:g}; scores lie between {bounds[0]:g} and {bounds[1]:g}")
    if pool_size < len(y):
        raise DataError(f"the pool of {pool_size} questions is smaller than the {len(y)} drawn from it")


def _slope(y: Array, x: Array, weight: Array) -> float:
    """Return the coefficient of the control variate, by weighted least squares, kept within 0 and `_LARGEST_SLOPE`."""
    spread = float(weight @ (x - weight @ x) ** 2)
    if spread < 1e-12:
        return 0.0
    return float(np.clip(weight @ ((x - weight @ x) * (y - weight @ y)) / spread, 0.0, _LARGEST_SLOPE))


def _variance(y: Array, weight: Array, p: Array, features: Array | None) -> float:
    """Return the variance of the Hajek mean: by the local means of neighbours, or as in a simple random sample."""
    part = weight * (y - weight @ y)
    open_ = np.flatnonzero(p < 1.0)  # questions that were certain add no variance
    if len(open_) < 2:
        return 0.0
    if features is None or len(open_) <= NEIGHBOURS:
        shared = part[open_] - part[open_].mean()
        return float(len(open_) / (len(open_) - 1) * np.sum((1 - p[open_]) * shared**2))
    group = _neighbours(features[open_])
    local = part[open_][group].mean(axis=1)
    size = group.shape[1]
    return float(size / (size - 1) * np.sum((1 - p[open_]) * (part[open_] - local) ** 2))


def _neighbours(points: Array) -> NDArray[np.intp]:
    """Return each row with its `NEIGHBOURS` nearest rows, shape (n, 1 + NEIGHBOURS); itself stands first."""
    from scipy.spatial.distance import cdist

    distance = cdist(points, points, "sqeuclidean")
    np.fill_diagonal(distance, -1.0)
    return np.argsort(distance, axis=1, kind="stable")[:, : NEIGHBOURS + 1]


def _bounds(
    value: float, variance: float, weight: Array, p: Array, bounds: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return Wilson's bounds with the effective number of questions; Kish's number where all scores are equal."""
    from scipy.stats import t

    low, high = bounds
    share, scaled = (value - low) / (high - low), variance / (high - low) ** 2
    unseen = float(1.0 - np.mean(p)) or 1.0
    kish = float(1.0 / np.sum(weight**2)) / unseen
    effective = share * (1.0 - share) / scaled if scaled > 1e-12 and 0 < share < 1 else kish
    freedom = max(1, int(np.sum(p < 1.0)) - 1)
    lower, upper = wilson(share, effective, float(t.ppf(0.5 + level / 2, freedom)))
    return low + lower * (high - low), low + upper * (high - low)


def _worth(y: Array, weight: Array, variance: float, pool_size: int) -> float:
    """Return the size of the simple random sample whose mean has this variance."""
    spread = float(len(y) / (len(y) - 1) * (weight @ (y - weight @ y) ** 2))
    return 1.0 / (variance / spread + 1.0 / pool_size) if spread > 1e-12 else float("nan")
