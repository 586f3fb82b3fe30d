"""The mean of a pool from a probability sample of it, with an honest interval: two estimators.

**The Hajek mean** (`estimate_mean`), for any inclusion probabilities. Variance by the local mean
of the nearest sampled questions (Stevens & Olsen 2003, Environmetrics 14:593; Grafström & Schelin
2014, Scand. J. Stat. 41:277), each question with its own finite population correction, 1 -
inclusion probability. The interval is Gaffke's (see `mean_bounds`), with random weights that vary
as much as this variance says.

Four corrections, each because intervals covered too little without it, on simulated data:

- The neighbourhood grows with the sampled share f, `NEIGHBOURS` / (1 - f): if most questions are
  sampled, the few others are far apart.
- Where probabilities differ, a rare success may have been met among questions of little weight
  only. The variance is at least that of weights which are unrelated to the scores.
- With other systems' results the residuals are calibrated (Särndal, Swensson & Wretman 1992, 6.6),
  and one degree of freedom is lost.
- The coefficient is shrunk by its own noise, so that useless control variates do little harm in
  small samples.

**The regression estimate** (`regression_estimate`), for equal inclusion probabilities and scores
that are known on the whole pool. These control variates may be other systems' results, an earlier
version of the system (a baseline), or the verdicts of an automatic judge. The sample may be easier
or harder for them than the pool is; how much of that applies to the new scores is estimated on the
sample, by a ridge regression on at most a few columns. The sample has equal inclusion
probabilities, which makes the estimate right whatever the columns are; bad columns only cost
precision.

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
from numpy.typing import ArrayLike, NDArray

from qaldgen.defaults import UPPER_QUANTILE
from qaldgen.errors import DataError
from qaldgen.io.arguments import check_integer
from qaldgen.io.text import count
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
    slope = 0.0
    centred = y  # scores minus what the control variate explains
    calibration = np.ones(n)
    ends = bounds  # of `centred`
    if control is not None:
        x = np.asarray(control, dtype=float)
        slope = _control_slope(y, x, weight, p)
        centred = y - slope * (x - control_mean)
        ends = (bounds[0] - slope * (1.0 - control_mean), bounds[1] + slope * control_mean)
        if slope:
            # factors of the weights that move the weighted mean of the control to that of the pool
            deviation = x - float(weight @ x)
            spread = float(weight @ deviation**2)
            calibration += (control_mean - float(weight @ x)) * deviation / spread
    value = float(np.clip(weight @ centred, *bounds)) if n else math.nan
    result = Estimate(
        estimate=value,
        low=math.nan,
        high=math.nan,
        n=n,
        pool_size=pool_size,
        effective_size=math.nan,
        method=NO_INTERVAL,
        slope=slope,
    )
    if (p == 1.0).all() and n == pool_size:
        method = "exact: the whole pool"
        return result._replace(
            low=value, high=value, effective_size=float(pool_size), method=method
        )
    if n < FEWEST:
        return result
    # Gaffke's interval for the variance of the design
    points = None if features is None else np.asarray(features, dtype=float)
    variance = _hajek_variance(centred, weight, calibration=calibration, p=p, features=points)
    if slope:
        # the coefficient was estimated on the same questions, which costs a degree of freedom
        freedom = _kish(weight[p < 1.0]) - 1.0
        variance *= freedom / max(1.0, freedom - 1.0)
    low, high = _gaffke_bounds(centred, weight, p, variance=variance, ends=ends)
    # half a question wider, since the mean of a pool moves in steps; never beyond what the
    # questions that were seen allow
    half = (bounds[1] - bounds[0]) / (2.0 * pool_size)
    unseen = pool_size - n
    least, most = ((float(y.sum()) + unseen * bound) / pool_size for bound in bounds)
    low = min(max(low - half, least), value)
    high = max(min(high + half, most), value)
    method = f"Hajek mean, {GAFFKE}"
    if points is not None:
        method += ", local mean variance"
    if slope:
        method += ", others"
    effective = effective_size_of(y, variance, pool_size, weight)
    return result._replace(low=low, high=high, effective_size=effective, method=method)


def _check_sample(y: Array, p: Array, pool_size: int, bounds: tuple[float, float]) -> None:
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


def _control_slope(y: Array, x: Array, weight: Array, p: Array) -> float:
    """Return the coefficient of the control variate, between 0 and `_MAX_SLOPE`.

    Weighted least squares, shrunk by its own noise.
    """
    dx = x - weight @ x
    dy = y - weight @ y
    xx = float(weight @ (dx * dx))
    yy = float(weight @ (dy * dy))
    xy = float(weight @ (dx * dy))
    # A negative correlation is taken for noise: good systems should find the same questions easy.
    scores = y[p < 1.0]  # of questions that were not certain to be drawn
    if len(scores) < 2 or np.ptp(scores) < _ROUNDING or xx < _ROUNDING or xy <= 0:
        return 0.0
    unexplained = max(0.0, xx * yy - xy**2) / max(1.0, _kish(weight) - 2.0)
    return min(xy / xx, _MAX_SLOPE) * max(0.0, 1.0 - unexplained / xy**2)


def _kish(weight: Array) -> float:
    """Return the effective sample size with these weights."""
    if not len(weight):
        return 1.0
    return float(weight.sum() ** 2 / np.sum(weight**2))


def _hajek_variance(
    y: Array, weight: Array, calibration: Array, p: Array, features: Array | None
) -> float:
    """Return the variance of the Hajek mean: by local means, or as in a simple random sample."""
    # Questions that were certain to be drawn add no variance.
    is_uncertain = p < 1.0
    scores = y[is_uncertain]
    weights = weight[is_uncertain]
    n = len(scores)
    if n < 2 or np.ptp(scores) < _ROUNDING:
        return 0.0
    parts = (calibration * weight * (y - weight @ y))[is_uncertain]
    unseen = 1.0 - p[is_uncertain]
    variance = random_variance = _random_variance(parts, unseen)
    if not random_variance:
        return 0.0
    if features is not None and n > NEIGHBOURS:
        size = 1 + min(n - 1, round(NEIGHBOURS / float(unseen.mean())))
        local_means = parts[_nearest(features[is_uncertain], size)].mean(axis=1)
        variance = float(size / (size - 1) * np.sum(unseen * (parts - local_means) ** 2))
    mean = float(weights @ scores) / weights.sum()
    # The floor of the second correction: the variance if weights and scores were unrelated.
    spread = n / (n - 1) * float(weights @ (scores - mean) ** 2) / weights.sum()
    least = spread * float(np.sum(weights**2 * unseen))
    return float(variance * max(1.0, least / random_variance))


def _random_variance(parts: Array, unseen: Array) -> float:
    """Return the variance of a sum of parts, one of each question, as in a random sample."""
    n = len(parts)
    if n > 1:
        return float(n / (n - 1) * np.sum(unseen * (parts - parts.mean()) ** 2))
    return 0.0


def _nearest(points: Array, size: int) -> NDArray[np.intp]:
    """Return for each row the `size` nearest rows, itself first, shape (n, size)."""
    from scipy.spatial.distance import cdist

    distance = cdist(points, points, "sqeuclidean")
    # below every distance, so that a question comes first even if others equal it
    np.fill_diagonal(distance, -1.0)
    return np.argsort(distance, axis=1, kind="stable")[:, :size]


def _gaffke_bounds(
    y: Array, weight: Array, p: Array, variance: float, ends: tuple[float, float]
) -> tuple[float, float]:
    """Return Gaffke's bounds with weights that vary as the design does.

    Weights of questions that were certain to be drawn do not vary. The spread of the imaginary
    question does not depend on the design, which so makes no difference if scores are nearly equal.
    """
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
    estimates = regression_estimates(
        scores[None],
        pool_size,
        KnownMeans(controls.sampled[None], controls.means[None]),
        neighbours=neighbours,
        bounds=bounds,
    )
    return estimates.at(0)


class ManyMoments(NamedTuple):
    """The fields of `Moments`, for several estimates at once."""

    #: See `Moments`.
    estimate: Array
    variance: Array
    freedom: int  # common to all
    sample_variance: Array

    def at(self, index: int) -> Moments:
        """Return one of the estimates."""
        return Moments(
            estimate=float(self.estimate[index]),
            variance=float(self.variance[index]),
            freedom=self.freedom,
            sample_variance=float(self.sample_variance[index]),
        )


def regression_estimates(
    scores: Array,
    pool_size: int,
    controls: KnownMeans,
    neighbours: Neighbours,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> ManyMoments:
    """Return several estimates from one sample, each as by `regression_estimate`."""
    n, columns = controls.sampled.shape[1:]
    if n < columns + 3:
        raise DataError(
            f"{count(n, 'question')}: too few for an estimate with {count(columns, 'column')} of"
            " known scores"
        )
    unseen = 1.0 - n / pool_size
    freedom = n - 1 - columns
    mean = scores.mean(axis=1)
    shift, parts = _regress(scores - mean[:, None], controls)
    # a regression may leave the range of scores where the known means are extreme
    value = np.clip(mean + shift, *bounds)
    sample_variance = variance_of_sums(parts, neighbours) * unseen * (n - 1) / freedom
    # What the imaginary pairs add: squares of their distances from the estimate. A pair of -1 and
    # 1 is worth at least 1 wherever the estimate is.
    squares = np.ones_like(value) if bounds[0] < 0.0 else value**2 + (1.0 - value) ** 2
    variance = sample_variance + unseen * _IMAGINARY_PAIRS * squares / n**2
    return ManyMoments(value, variance, freedom, sample_variance)


def _regress(centred: Array, controls: KnownMeans) -> tuple[Array, Array]:
    """Return the corrections of the means, and what each question contributes to their errors."""
    n, columns = controls.sampled.shape[1:]
    if not columns:
        return np.zeros(len(centred)), centred / n
    centre = controls.sampled.mean(axis=1)
    deviation = controls.sampled.std(axis=1)
    # Dividing by infinity turns a constant column into zeros: it takes no part in the regression.
    scale = np.where(deviation > _CONSTANT_DEVIATION, deviation, np.inf)
    z = (controls.sampled - centre[:, None]) / scale[:, None]
    gap = (controls.means - centre) / scale
    # One ridge unit per standardised column: hardly any shrinkage in large samples, and always
    # invertible.
    ridge = np.matmul(z.transpose(0, 2, 1), z) + np.eye(columns)
    slope = np.linalg.solve(ridge, np.matmul(z.transpose(0, 2, 1), centred[:, :, None]))[:, :, 0]
    lever = np.linalg.solve(ridge, gap[:, :, None])
    weight = 1.0 / n + np.matmul(z, lever)[:, :, 0]
    unexplained = centred - np.matmul(z, slope[:, :, None])[:, :, 0]
    return np.sum(gap * slope, axis=1), weight * unexplained


def neighbours_of(points: Array, pool_size: int) -> Neighbours:
    """Return the indices of each question and of its nearest ones, itself first.

    There are more of them, the larger the sampled share of the pool is.
    """
    size = group_size(len(points), pool_size)
    if not size:
        return None
    return _nearest(points, size)


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
    shrink = 1.0 + t**2 / size
    centre = (mean + t**2 / (2.0 * size)) / shrink
    half = t / shrink * math.sqrt(mean * (1.0 - mean) / size + t**2 / (4.0 * size**2))
    return min(max(0.0, centre - half), mean), max(min(1.0, centre + half), mean)


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


def variance_of_sums(parts: Array, neighbours: Neighbours) -> Array:
    """Return the variances of sums of parts: by local means, or as in a simple random sample."""
    if neighbours is None:
        n = parts.shape[1]
        return np.asarray(
            n / (n - 1) * np.sum((parts - parts.mean(axis=1, keepdims=True)) ** 2, axis=1)
        )
    size = neighbours.shape[1]
    return np.asarray(
        size / (size - 1) * np.sum((parts - parts[:, neighbours].mean(axis=2)) ** 2, axis=1)
    )
