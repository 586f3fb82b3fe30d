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

from qaldgen.analysis.estimating.pool_mean import Neighbours, effective_size_of, variance_of_sums
from qaldgen.analysis.intervals import FEWEST
from qaldgen.analysis.labelling.unlabelled import Group, groups_of, information, interval
from qaldgen.analysis.mean_bounds import Array
from qaldgen.errors import DataError

#: The column with the probability that a labelled answer was drawn; one stands for its inverse.
PROBABILITY = "probability"
_CATEGORIES = ("wrong", "partly", "right")


class Accuracy(NamedTuple):
    """The share of right answers among all questions."""

    #: With the 95 % interval.
    estimate: float
    low: float
    high: float
    #: How many random labels would be as informative; NaN if all labels are equal.
    effective_size: float


def accuracy(
    labels: Array,
    chosen: NDArray[np.intp],
    verdicts: Array,
    total: int,
    neighbours: Neighbours,
    strata: NDArray[np.intp] | None = None,
) -> Accuracy:
    """Estimate the share of right answers.

    The labels of each group of answers with about the same verdict speak for that group. `labels`
    are 0 to 1, on the answers `chosen`; `verdicts` are on every answer, NaN where there is none;
    `total` counts all questions, and those without an answer are wrong; `neighbours` are those of
    the labelled answers, None for a simple random sample; `strata` are those of every answer, if
    they were not all drawn alike: then no group goes beyond a stratum.
    """
    n, answers = len(labels), len(verdicts)
    if n < FEWEST:
        raise DataError(
            f"too few labels for an interval ({n}); label at least {FEWEST} answers, preferably 40"
        )
    group = groups_of(verdicts)
    if strata is not None:
        group = _within(strata, group, chosen)
    groups, expected = _grouped(labels, chosen, group)
    estimate = sum(one.answers * one.mean for one in groups) / answers
    low, high = interval(groups, information(labels, expected, neighbours))
    # The estimate covers questions with an answer; the others are wrong for certain.
    share = answers / total
    return Accuracy(
        estimate * share,
        min(low, estimate) * share,
        max(high, estimate) * share,
        _effective_size(labels, expected, groups, group[chosen], neighbours),
    )


def _within(
    strata: NDArray[np.intp], group: NDArray[np.intp], chosen: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return groups within strata; one without a label joins the most labelled of its stratum."""
    cells = np.unique(np.column_stack([strata, group]), axis=0, return_inverse=True)[1].ravel()
    labels = np.bincount(cells[chosen], minlength=cells.max() + 1)
    for stratum in np.unique(strata):
        own = np.unique(cells[strata == stratum])
        most = own[labels[own].argmax()]
        cells[np.isin(cells, own[labels[own] == 0])] = most
    return np.asarray(cells)


def _grouped(
    labels: Array, chosen: NDArray[np.intp], group: NDArray[np.intp]
) -> tuple[list[Group], Array]:
    """Return the groups that there are, and the mean label of each labelled answer's group."""
    sizes = np.bincount(group)
    counts = np.bincount(group[chosen], minlength=len(sizes))
    right = np.bincount(group[chosen], weights=labels, minlength=len(sizes))
    # A group without a label is taken to be like the others.
    means = np.where(counts > 0, right / np.maximum(counts, 1), labels.mean())
    groups = [
        Group(*one)
        for one in zip(sizes.tolist(), counts.tolist(), right.tolist(), means.tolist(), strict=True)
        if one[0]
    ]
    return groups, np.asarray(means[group[chosen]])


def _effective_size(
    labels: Array,
    expected: Array,
    groups: Sequence[Group],
    group: NDArray[np.intp],
    neighbours: Neighbours,
) -> float:
    """Return how many labels of a random sample would have the same error."""
    n, answers = len(labels), sum(one.answers for one in groups)
    if n == answers:
        return float(answers)
    # The groups that have a label, in the order of their numbers.
    which = np.unique(group, return_inverse=True)[1]
    size, drawn = (
        np.array([one[field] for one in groups if one.labels], dtype=float)[which]
        for field in (0, 1)
    )
    weight = size / drawn / (size / drawn).sum()
    parts = weight * (labels - expected) * np.sqrt(1.0 - drawn / size)
    # Each group's mean is fitted to the labels, which costs a degree of freedom.
    left = float(variance_of_sums(parts[None], neighbours)[0])
    variance = left * (n - 1) / max(1, n - len(groups))
    return effective_size_of(labels, variance, answers, weight)


def agreement(one: Array, two: Array, weight: Array | None = None) -> tuple[float, float]:
    """Return the share of answers on which two verdicts agree, and Cohen's kappa.

    Verdicts are taken as wrong (0), right (1) or partly right (between); `weight` says for how many
    answers each one stands. Kappa is NaN if both
    always give one and the same verdict.

    >>> agree, kappa = agreement(np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0]))
    >>> round(agree, 2), round(kappa, 2)
    (0.75, 0.5)
    """
    first, second = _categories(one), _categories(two)

    def share(of: NDArray[np.bool_]) -> float:
        return float(np.average(of, weights=weight))

    agreed = share(first == second)
    kinds = range(len(_CATEGORIES))
    chance = sum(share(first == kind) * share(second == kind) for kind in kinds)
    return agreed, (agreed - chance) / (1.0 - chance) if chance < 1.0 else math.nan


def _categories(verdicts: Array | Sequence[float]) -> NDArray[np.intp]:
    values = np.asarray(verdicts, dtype=float)
    return np.where(values >= 1.0, 2, np.where(values <= 0.0, 0, 1))
