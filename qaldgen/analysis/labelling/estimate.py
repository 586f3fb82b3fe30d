"""Prediction-powered inference: hand labels, with an automatic verdict as control variate.

The verdict may be as biased as it likes: its errors are measured on the labelled answers and
subtracted (Angelopoulos and others 2023, Science 382:669). The better it agrees, the fewer labels
are needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qaldgen.analysis import controls
from qaldgen.analysis.controls import Array, Known, Neighbours
from qaldgen.analysis.estimation import effective_size_of
from qaldgen.analysis.intervals import FEWEST
from qaldgen.errors import DataError

_CATEGORIES = ("wrong", "partly", "right")


class Accuracy(NamedTuple):
    """The share of right answers among all questions.

    Attributes
    ----------
    estimate, low, high : float
        With the 95 % interval.
    effective_size : float
        How many labels of a random sample would tell as much; NaN if the labels do not differ.
    """

    estimate: float
    low: float
    high: float
    effective_size: float


def accuracy(
    labels: Array,
    verdicts: Array | None,
    verdict_mean: float,
    answers: int,
    total: int,
    neighbours: Neighbours,
) -> Accuracy:
    """Estimate the share of right answers.

    Parameters
    ----------
    labels
        Labels, 0 to 1, shape (n,).
    verdicts
        The automatic verdict on the same answers, shape (n,); None for none.
    verdict_mean
        Its mean over all answers.
    answers
        How many answers there are.
    total
        How many questions there are; those without an answer are wrong.
    neighbours
        Neighbours of the labelled answers, from `controls.neighbours_of`; None for simple random
        samples.

    Returns
    -------
    Accuracy
        The share among all questions.

    Raises
    ------
    DataError
        If there are too few labels.
    """
    n = len(labels)
    if n < FEWEST:
        raise DataError(
            f"{n} labels are too few for an interval; label {FEWEST} answers at least, better 40"
        )
    known = (
        Known.nothing(n) if verdicts is None else Known(verdicts[:, None], np.array([verdict_mean]))
    )
    moments = controls.estimate_mean(labels, answers, known, neighbours)
    low, high = controls.interval(moments, n)
    # The estimate covers questions with an answer; the others are wrong for certain.
    share = answers / total
    effective = (
        float(answers) if n == answers else effective_size_of(labels, moments.plain, answers)
    )
    return Accuracy(moments.estimate * share, low * share, high * share, effective)


def agreement(one: Array, two: Array) -> tuple[float, float]:
    """Return the share of answers on which two verdicts agree, and Cohen's kappa.

    Verdicts are taken as wrong (0), right (1) or partly right (between). Kappa is NaN if both
    always give one and the same verdict.

    Parameters
    ----------
    one
        The first verdict on each answer, 0 to 1.
    two
        The second verdict on the same answers.

    Returns
    -------
    tuple[float, float]
        Both figures.

    Examples
    --------
    >>> agree, kappa = agreement(np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0]))
    >>> round(agree, 2), round(kappa, 2)
    (0.75, 0.5)
    """
    first, second = _categories(one), _categories(two)
    agreed = float(np.mean(first == second))
    kinds = range(len(_CATEGORIES))
    chance = sum(float(np.mean(first == kind)) * float(np.mean(second == kind)) for kind in kinds)
    return agreed, (agreed - chance) / (1.0 - chance) if chance < 1.0 else math.nan


def labels_needed(
    labels: Array,
    verdicts: Array | None,
    error: float,
    *,
    answers: int | None = None,
    confidence_level: float = 0.95,
) -> int | None:
    """Return how many labels give an interval of plus or minus `error`.

    None if the pilot's labels are all equal.

    Parameters
    ----------
    labels
        Labels of a pilot, 0 to 1, at least two.
    verdicts
        The automatic verdicts on the same answers; None for labels alone.
    error
        Half the width of the interval.
    answers
        How many answers there are; None for an infinite number.
    confidence_level
        Coverage of the interval.

    Returns
    -------
    int | None
        At least 5, at most `answers`.
    """
    spread = float(np.var(labels, ddof=1))
    if spread == 0.0:
        return None
    left = spread * (1.0 - _explained(labels, verdicts))
    mean = float(labels.mean())
    pairs = 2.0 * (mean**2 + (1.0 - mean) ** 2)
    most = answers if answers is not None else 10**7
    low, high = FEWEST, most
    # Bisection works because the width falls as the number of labels grows.
    while low < high:
        n = (low + high) // 2
        unseen = 1.0 - (n / answers if answers else 0.0)
        reach = controls.quantile(0.5 + confidence_level / 2.0, n - 2) * math.sqrt(
            unseen * (left / n + pairs / n**2)
        )
        low, high = (low, n) if reach <= error else (n + 1, high)
    return low


def _explained(labels: Array, verdicts: Array | None) -> float:
    """Return the share of the labels' variance that verdicts explain, adjusted for chance."""
    if verdicts is None or np.ptp(verdicts) == 0.0:
        return 0.0
    square = float(np.corrcoef(labels, verdicts)[0, 1]) ** 2
    n = len(labels)
    return max(0.0, 1.0 - (1.0 - square) * (n - 1) / max(1, n - 2))


def _categories(verdicts: Array | Sequence[float]) -> NDArray[np.intp]:
    values = np.asarray(verdicts, dtype=float)
    return np.where(values >= 1.0, 2, np.where(values <= 0.0, 0, 1))
