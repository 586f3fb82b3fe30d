"""The mean of a pool from a probability sample of it, with an honest interval: the Hajek mean.

It is for any inclusion probabilities (`regression_estimate` has the estimate for equal ones).
Variance by the local mean of the nearest sampled questions (Stevens & Olsen 2003, Environmetrics
14:593; Grafström & Schelin 2014, Scand. J. Stat. 41:277), each question with its own finite
population correction, 1 - inclusion probability. The interval is Gaffke's (see `mean_bounds`), with
random weights that vary as much as this variance says.

Four corrections, each because intervals covered too little without it, on simulated data:

- The neighbourhood grows with the sampled share f, `NEIGHBOURS` / (1 - f): if most questions are
  sampled, the few others are far apart.
- Where probabilities differ, a rare success may have been met among questions of little weight
  only. The variance is at least that of weights which are unrelated to the scores.
- With other systems' results the residuals are calibrated (Särndal, Swensson & Wretman 1992, 6.6),
  and one degree of freedom is lost.
- The coefficient is shrunk by its own noise, so that useless control variates do little harm in
  small samples.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qaldgen.errors import DataError
from qaldgen.io.arguments import check_integer
from qaldgen.scoring.intervals import FEWEST, GAFFKE, NO_INTERVAL, Interval, check_scores
from qaldgen.scoring.mean_bounds import Array, Sums, typical_size
from qaldgen.scoring.mean_bounds import bounds as bounds_of_mean

#: Sampled neighbours with which a question is compared for the variance, if the sample is a small
#: part of the pool.
NEIGHBOURS = 4
#: The largest coefficient of a control variate.
_MAX_SLOPE = 1.5
#: Scores that differ by less are taken as equal.
_ROUNDING = 1e-12


class Estimate(NamedTuple):
    """The estimate of a mean over the full benchmark."""

    #: With the interval's bounds; NaN where there is none.
    estimate: float
    low: float
    high: float
    #: Questions in the sample and in the pool.
    n: int
    pool_size: int
    #: How many questions a simple random sample would need for the same variance; NaN where there
    #: is no interval, and where the scores do not differ.
    effective_size: float
    method: str  # how it was made, or why there is no interval
    slope: float = 0.0  # the weight of the control variate; 0 without one

    @property
    def interval(self) -> Interval:
        """The estimate as an interval of a measure."""
        return Interval(
            self.estimate, self.low, self.high, self.n, self.effective_size, self.method
        )


def estimate_mean(
    scores: ArrayLike,
    inclusion: ArrayLike,
    pool_size: int,
    *,
    features: ArrayLike | None = None,
    control: ArrayLike | None = None,
    control_mean: float = 0.0,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Estimate:
    """Estimate the mean score over the pool from a probability sample.

    >>> result = estimate_mean([1, 0, 1, 1, 0, 1, 1, 0, 1, 1], [0.1] * 10, 100)
    >>> f"{result.estimate:.2f} {result.low:.2f} {result.high:.2f}"
    '0.70 0.36 0.93'
    >>> round(result.effective_size)
    10
    """
    check_integer("pool_size", pool_size, 0)
    y = np.asarray(scores, dtype=float)
    p = np.asarray(inclusion, dtype=float)
    _check_sample(y, p, pool_size, bounds)

    weight = 1.0 / p / np.sum(1.0 / p)
    n = len(y)
    controlled = _ControlledScores(y, bounds, slope=0.0, calibration=np.ones(n))
    if control is not None:
        controlled = _control(y, np.asarray(control, dtype=float), control_mean, weight, p, bounds)
    value = float(np.clip(weight @ controlled.values, *bounds)) if n else math.nan

    low = high = effective_size = math.nan
    if (p == 1.0).all() and n == pool_size:
        low = high = value
        effective_size = float(pool_size)
        method = "exact: the whole pool"
    elif n < FEWEST:
        method = NO_INTERVAL
    else:
        points = None if features is None else np.asarray(features, dtype=float)
        variance = _hajek_variance(controlled, weight, p, points)
        low, high = _gaffke_bounds(controlled, weight, p, variance)

        # half a question wider, since the mean of a pool moves in steps; never beyond what the
        # questions that were seen allow
        half = (bounds[1] - bounds[0]) / (2.0 * pool_size)
        unseen = pool_size - n
        least, most = ((float(y.sum()) + unseen * bound) / pool_size for bound in bounds)
        low = min(max(low - half, least), value)
        high = max(min(high + half, most), value)
        effective_size = effective_size_of(y, variance, pool_size, weight)
        method = f"Hajek mean, {GAFFKE}"
        if points is not None:
            method += ", local mean variance"
        if controlled.slope:
            method += ", others"

    return Estimate(
        estimate=value,
        low=low,
        high=high,
        n=n,
        pool_size=pool_size,
        effective_size=effective_size,
        method=method,
        slope=controlled.slope,
    )


def _check_sample(y: Array, p: Array, pool_size: int, bounds: tuple[float, float]) -> None:
    """Refuse scores `y` and probabilities `p` that no sample of such a pool can have."""
    if len(y) != len(p):
        raise DataError(f"{len(y)} scores need as many inclusion probabilities; there are {len(p)}")
    if not ((p > 0) & (p <= 1)).all():
        raise DataError(
            "inclusion probabilities must be above 0 and at most 1;"
            " the design of the sample must be known"
        )
    check_scores(y, bounds)
    if pool_size < len(y):
        raise DataError(
            f"the pool of {pool_size} questions is smaller than the {len(y)} drawn from it"
        )


class _ControlledScores(NamedTuple):
    """Scores minus what a control variate explains; as they are without one."""

    values: Array
    ends: tuple[float, float]  # the least and the largest possible value
    slope: float  # the coefficient of the control variate
    #: Factors of the weights that move the weighted mean of the control to that of the pool.
    calibration: Array


def _control(
    y: Array,
    x: Array,
    control_mean: float,
    weight: Array,
    p: Array,
    bounds: tuple[float, float],
) -> _ControlledScores:
    """Return the scores `y` minus what the control variate `x` explains.

    The slope, between 0 and `_MAX_SLOPE`, is that of weighted least squares, shrunk by its own
    noise. A negative correlation is taken for noise: good systems should find the same questions
    easy.
    """
    mean = weight @ x
    dx = x - mean
    dy = y - weight @ y
    xx = float(weight @ (dx * dx))
    yy = float(weight @ (dy * dy))
    xy = float(weight @ (dx * dy))
    slope = 0.0
    calibration = np.ones(len(y))
    scores = y[p < 1.0]  # of questions that were not certain to be drawn
    has_spread = len(scores) >= 2 and np.ptp(scores) >= _ROUNDING and xx >= _ROUNDING
    if has_spread and xy > 0:
        unexplained = max(0.0, xx * yy - xy**2) / max(1.0, _kish(weight) - 2.0)
        slope = min(xy / xx, _MAX_SLOPE) * max(0.0, 1.0 - unexplained / xy**2)
    if slope:
        calibration += (control_mean - float(mean)) * dx / xx
    ends = (bounds[0] - slope * (1.0 - control_mean), bounds[1] + slope * control_mean)
    return _ControlledScores(y - slope * (x - control_mean), ends, slope, calibration)


def _kish(weight: Array) -> float:
    """Return the effective sample size with these weights."""
    return float(weight.sum() ** 2 / np.sum(weight**2))


def _hajek_variance(
    controlled: _ControlledScores, weight: Array, p: Array, features: Array | None
) -> float:
    """Return the variance of the Hajek mean: by local means, or as in a simple random sample."""
    y = controlled.values
    # Questions that were certain to be drawn add no variance.
    is_uncertain = p < 1.0
    scores = y[is_uncertain]
    weights = weight[is_uncertain]
    n = len(scores)
    if n < 2 or np.ptp(scores) < _ROUNDING:
        return 0.0

    parts = (controlled.calibration * weight * (y - weight @ y))[is_uncertain]
    unseen = 1.0 - p[is_uncertain]
    variance = random_variance = _random_variance(parts, unseen)
    if not random_variance:
        return 0.0

    if features is not None and n > NEIGHBOURS:
        size = 1 + min(n - 1, round(NEIGHBOURS / float(unseen.mean())))
        local_means = parts[nearest(features[is_uncertain], size)].mean(axis=1)
        variance = float(size / (size - 1) * np.sum(unseen * (parts - local_means) ** 2))

    mean = float(weights @ scores) / weights.sum()
    # The floor of the second correction: the variance if weights and scores were unrelated.
    spread = n / (n - 1) * float(weights @ (scores - mean) ** 2) / weights.sum()
    least = spread * float(np.sum(weights**2 * unseen))
    variance = float(variance * max(1.0, least / random_variance))

    if controlled.slope:
        # the coefficient was estimated on the same questions, which costs a degree of freedom
        freedom = _kish(weight[is_uncertain]) - 1.0
        variance *= freedom / max(1.0, freedom - 1.0)

    return variance


def _random_variance(parts: Array, unseen: Array) -> float:
    """Return the variance of a sum of parts, one of each question, as in a random sample."""
    n = len(parts)
    if n > 1:
        return float(n / (n - 1) * np.sum(unseen * (parts - parts.mean()) ** 2))
    return 0.0


def nearest(points: Array, size: int) -> NDArray[np.intp]:
    """Return for each row the `size` nearest rows, itself first, shape (n, size)."""
    from scipy.spatial.distance import cdist

    distance = cdist(points, points, "sqeuclidean")
    # below every distance, so that a question comes first even if others equal it
    np.fill_diagonal(distance, -1.0)
    return np.argsort(distance, axis=1, kind="stable")[:, :size]


def _gaffke_bounds(
    controlled: _ControlledScores, weight: Array, p: Array, variance: float
) -> tuple[float, float]:
    """Return Gaffke's bounds with weights that vary as the design does.

    The weight of a question that was certain to be drawn does not vary. The imaginary question of
    the bounds varies equally in all designs, so the design matters little if scores are nearly
    equal.
    """
    y = controlled.values
    ends = controlled.ends
    # A certain question gets a nearly constant weight instead of a division by 0.
    unseen = np.maximum(1.0 - p, 1e-9)
    size = typical_size((weight * unseen)[p < 1.0])
    imaginary_variance = (size * (ends[1] - ends[0]) / 2.0) ** 2
    random_variance = _random_variance((weight * (y - weight @ y))[p < 1.0], 1.0 - p[p < 1.0])
    factor = (random_variance + imaginary_variance) / (variance + imaginary_variance)
    sums = Sums(np.clip(y, *ends), weight * unseen / factor, (factor / unseen)[None, :])
    low, high = bounds_of_mean(sums, np.array([size]), ends)
    return float(low[0]), float(high[0])


def effective_size_of(
    y: Array, variance: float, pool_size: int, weight: Array | None = None
) -> float:
    """Return the size of the simple random sample whose mean has this variance."""
    if weight is None:
        weight = np.full(len(y), 1.0 / len(y))
    spread = float(len(y) / (len(y) - 1) * (weight @ (y - weight @ y) ** 2))
    if min(spread, variance) > _ROUNDING:
        return 1.0 / (variance / spread + 1.0 / pool_size)
    return float("nan")
