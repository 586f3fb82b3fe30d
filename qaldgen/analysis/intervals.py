"""Confidence intervals: Wilson with an effective number of questions for means, the bootstrap for everything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from qaldgen.analysis.totals import Array, find_measure, parts, question_weights
from qaldgen.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

#: Fewer questions than this get no interval.
FEWEST = 5
#: The method of an interval that is none.
NO_INTERVAL = f"none: fewer than {FEWEST} questions"
_BLOCK_CELLS = 4_000_000


class Interval(NamedTuple):
    """An estimate and its confidence interval.

    Attributes
    ----------
    estimate, low, high : float
        The bounds are NaN where there is no interval.
    n : int
        Questions.
    effective_n : float
        How many 0/1 scores of a simple random sample would tell as much; infinite where the whole pool is seen, NaN for the
        bootstrap.
    method : str
        How it was made, or why there is none.
    """

    estimate: float
    low: float
    high: float
    n: int
    effective_n: float
    method: str


def interval(
    scores: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    population: int | None = None,
    level: float = 0.95,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """Return the mean of scores with Wilson's interval.

    The number of trials is the effective one, m (1 - m) / v, with m the mean of the scores, scaled to 0..1, and v its variance:
    so graded scores, weights and a finite pool are all allowed (Korn and Graubard 1998, Survey Methodology 24). The quantile is
    Student's with n - 1 degrees. Where all scores are equal v says nothing, and n takes the place of the effective n.

    Parameters
    ----------
    scores
        One per question, of shape (n,), within `bounds`.
    weights
        How many questions of the pool each stands for, positive. Unequal ones cost: see Kish's number, (sum w)^2 / sum w^2.
    population
        The number of questions in the pool from which these were drawn, for the finite population correction; None where the
        questions stand for all questions of their kind.
    level
        The wanted coverage.
    bounds
        Least and largest possible score; (-1, 1) for differences of scores.

    Raises
    ------
    DataError
        If a score is outside the bounds or missing, a weight is not positive, or the pool is smaller than the sample.

    Examples
    --------
    >>> found = interval([1, 1, 1, 0, 0, 1, 1, 1, 0, 1])
    >>> f"{found.estimate:.2f} {found.low:.2f} {found.high:.2f}"
    '0.70 0.34 0.91'
    >>> interval([1, 0, 1]).method
    'none: fewer than 5 questions'
    """
    from scipy.stats import t

    values = np.asarray(scores, dtype=float)
    weight = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    n = len(values)
    _check(values, weight, population, bounds)
    low, high = bounds
    estimate = float(weight @ values / weight.sum()) if n else float("nan")
    if n < FEWEST:
        return Interval(estimate, float("nan"), float("nan"), n, float("nan"), NO_INTERVAL)
    if population == n:
        return Interval(estimate, estimate, estimate, n, float("inf"), "exact: the whole pool")
    unseen = 1.0 if population is None else 1.0 - n / population
    effective = _effective_n((values - low) / (high - low), weight) / unseen
    lower, upper = wilson((estimate - low) / (high - low), effective, float(t.ppf(0.5 + level / 2, n - 1)))
    method = "Wilson" if population is None else f"Wilson, pool of {population:,}"
    return Interval(estimate, low + lower * (high - low), low + upper * (high - low), n, effective, method)


def _check(values: Array, weight: Array, population: int | None, bounds: tuple[float, float]) -> None:
    bad = np.flatnonzero(~((values >= bounds[0]) & (values <= bounds[1])))
    if len(bad):
        raise DataError(f"score {bad[0] + 1} is {values[bad[0]]:g}; scores lie between {bounds[0]:g} and {bounds[1]:g}")
    if len(weight) != len(values) or not (weight > 0.0).all():
        raise DataError(f"{len(values)} scores need as many positive weights; there are {int((weight > 0.0).sum())}")
    if population is not None and population < len(values):
        raise DataError(
            f"the pool of {population} questions is smaller than the {len(values)} drawn from it; give the size of the pool"
        )


def _effective_n(shares: Array, weight: Array) -> float:
    """Return m (1 - m) / v of scores in 0..1, with the larger of Kish's and the linearised variance; Kish's n where v is 0.

    Kish's takes weights to have nothing to do with scores; the linearised one counts that, but is too small where n is.
    """
    n, total = len(weight), float(weight.sum())
    kish = total**2 / float(weight @ weight)
    mean = float(weight @ shares) / total
    squares = (shares - mean) ** 2
    if float(squares.max()) < 1e-12:
        return kish
    linearised = n / (n - 1.0) * float(weight**2 @ squares) / total**2
    return mean * (1.0 - mean) / max(float(weight @ squares) / total / (kish - 1.0), linearised)


def wilson(share: float, trials: float, quantile: float) -> tuple[float, float]:
    """Return Wilson's bounds of a share of so many trials, kept within 0..1 against rounding.

    Examples
    --------
    >>> f"{wilson(0.0, 16.0, 2.0)[1]:.2f}"
    '0.20'
    """
    square = quantile**2 / trials
    centre = (share + square / 2.0) / (1.0 + square)
    half = float(np.sqrt(share * (1.0 - share) * square + square**2 / 4.0)) / (1.0 + square)
    return max(0.0, centre - half), min(1.0, centre + half)


def measure_interval(
    counts: pd.DataFrame,
    measure: str = "macro-f1",
    *,
    weights: pd.Series[float] | None = None,
    population: int | None = None,
    level: float = 0.95,
    repeats: int = 2000,
    random_state: int = 0,
) -> Interval:
    """Return any measure of counts with its interval: Wilson for a mean of scores, else the bootstrap.

    Parameters
    ----------
    counts
        One row a question.
    measure
        A name of `totals.MEASURES`, or a column of `counts`.
    weights
        By question.
    population
        Size of the pool; means only.
    level
        The wanted coverage.
    repeats, random_state
        Of the bootstrap.

    Examples
    --------
    >>> import pandas as pd
    >>> counts = pd.DataFrame({"tp": [1, 0, 2, 1, 1, 0], "fp": [0, 2, 0, 0, 1, 0], "fn": [0, 1, 0, 0, 0, 3]})
    >>> found = measure_interval(counts, "micro-f1")
    >>> f"{found.estimate:.2f} {found.low:.2f} {found.high:.2f} {found.method}"
    '0.59 0.22 0.94 bootstrap (BCa)'
    """
    kind = find_measure(measure, counts)
    values, weight = parts(counts, kind), question_weights(counts, weights)
    if kind.is_mean:
        return interval(values[:, 0], weights=weight, population=population, level=level, bounds=kind.bounds)
    estimate = float(kind.value(weight @ values, weight.sum())) if len(values) else float("nan")
    if len(values) < FEWEST:
        return Interval(estimate, float("nan"), float("nan"), len(values), float("nan"), NO_INTERVAL)

    different, often = np.unique(np.column_stack([weight[:, None] * values, weight]), axis=0, return_counts=True)

    def statistic(counted: Array) -> Array:
        return kind.value(counted @ different[:, :-1], counted @ different[:, -1])

    low, high = bootstrap(statistic, often, level=level, repeats=repeats, random_state=random_state)
    return Interval(estimate, low, high, len(values), float("nan"), "bootstrap (BCa)")


def bootstrap(
    statistic: Callable[[Array], Array], often: ArrayLike, *, level: float = 0.95, repeats: int = 2000, random_state: int = 0
) -> tuple[float, float]:
    """Return the BCa bootstrap interval of a statistic of questions (Efron 1987, JASA 82).

    Questions with equal counts are of one kind; drawing kinds by how often they stand there is drawing questions, and there are
    few kinds even among very many questions.

    Parameters
    ----------
    statistic
        Its values, of shape (repeats,), for a matrix of shape (repeats, kinds) that says how often each kind was drawn.
    often
        How many questions are of each kind, shape (kinds,).
    level
        The wanted coverage.
    repeats
        Resamples.
    random_state
        The seed.
    """
    from scipy.stats import norm

    rng = np.random.default_rng(random_state)
    kinds = np.asarray(often, dtype=float)
    k, n = len(kinds), int(kinds.sum())
    block = max(1, _BLOCK_CELLS // k)
    sizes = [min(block, repeats - start) for start in range(0, repeats, block)]
    drawn = np.concatenate([statistic(rng.multinomial(n, kinds / n, size).astype(float)) for size in sizes])
    estimate = float(statistic(kinds[None, :])[0])
    left_out = np.concatenate([statistic(kinds - np.eye(min(block, k - at), k, at)) for at in range(0, k, block)])
    below = (np.sum(drawn < estimate) + np.sum(drawn == estimate) / 2.0 + 0.5) / (repeats + 1.0)  # never 0 or 1
    bias = norm.ppf(below)
    skew = kinds @ left_out / n - left_out
    cubes, squares = float(kinds @ skew**3), float(kinds @ skew**2)
    acceleration = cubes / (6.0 * squares**1.5) if squares > 0.0 else 0.0
    shifted = bias + norm.ppf([0.5 - level / 2, 0.5 + level / 2])
    low, high = np.quantile(drawn, norm.cdf(bias + shifted / (1.0 - acceleration * shifted)))
    return float(low), float(high)
