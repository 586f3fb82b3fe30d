"""Prediction-powered inference: hand labels, with an automatic verdict as control variate.

The verdict may be biased, because its errors are measured on the labelled answers and
subtracted (Angelopoulos and others 2023, Science 382:669). The better it agrees, the fewer labels
are needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qaldgen.analysis.estimating.pool_mean import effective_size_of
from qaldgen.analysis.estimating.regression_estimate import Neighbours, variance_of_sum
from qaldgen.defaults import UPPER_QUANTILE
from qaldgen.errors import DataError
from qaldgen.scoring.intervals import FEWEST
from qaldgen.scoring.mean_bounds import Array

#: Each group has one imaginary label, half of it right and half wrong (Jeffreys' prior). For a
#: bound, this much more of it is on the side of the bound, less if there are several groups. A
#: count in one group moves in steps, and without caution its interval covers only 89 % for some
#: shares of right answers; the steps of several groups blur each other. All of the label on the
#: side of the bound would be Clopper and Pearson's rule, which covers 96 to 99 %.
_CAUTION = 0.35
#: Smaller groups, as a share of all answers, do not blur the steps of the others.
_SMALL_SHARE = 0.05
#: Verdicts between wrong and right are split into this many groups.
_GROUPS_BETWEEN = 3
#: That labels vary as in a random sample of right and wrong answers is assumed with the weight of
#: this many disagreements.
_PRIOR_DISAGREEMENTS = 5.0


class Group(NamedTuple):
    """Answers with about equal verdicts."""

    answers: int  # the number of answers
    labels: int  # the number of these with a label
    right: float  # the sum of the labels


def assign_groups(
    verdicts: Array,
    strata: NDArray[np.intp] | None = None,
    label_rows: NDArray[np.intp] | None = None,
) -> NDArray[np.intp]:
    """Return the number of each answer's group: wrong, between, right, and without a verdict.

    With `strata` a group is within a stratum, and one that none of the `label_rows` is in joins the
    group of its stratum with the most labels.

    >>> assign_groups(np.array([0.0, 1.0, 0.5, np.nan, 1.0])).tolist()
    [0, 4, 3, 5, 4]
    """
    groups = np.where(verdicts >= 1.0, _GROUPS_BETWEEN + 1, 0)
    between = (verdicts > 0.0) & (verdicts < 1.0)
    if between.any():
        edges = np.quantile(verdicts[between], np.arange(1, _GROUPS_BETWEEN) / _GROUPS_BETWEEN)
        groups[between] = 1 + np.searchsorted(edges, verdicts[between], side="right")
    groups[np.isnan(verdicts)] = _GROUPS_BETWEEN + 2
    if strata is None or label_rows is None:
        return groups

    groups = np.unique(np.column_stack([strata, groups]), axis=0, return_inverse=True)[1].ravel()
    n_labels = np.bincount(groups[label_rows], minlength=groups.max() + 1)
    for stratum in np.unique(strata):
        numbers = np.unique(groups[strata == stratum])
        unlabelled = np.isin(groups, numbers[n_labels[numbers] == 0])
        groups[unlabelled] = numbers[n_labels[numbers].argmax()]
    return groups


def label_information(labels: Array, expected: Array, neighbours: Neighbours) -> float:
    """Return the number of random labels, right or wrong, that are as informative as one label.

    It is more than 1 if the sample is spread over features on which the labels depend, or if labels
    are partly right.
    """
    n = len(labels)
    as_random = float(np.sum(expected * (1.0 - expected)))
    explained = variance_of_sum(labels - expected, neighbours) * (n - 1) / n
    return (as_random + _PRIOR_DISAGREEMENTS) / (explained + _PRIOR_DISAGREEMENTS)


def accuracy_interval(groups: Sequence[Group], worth: float = 1.0) -> tuple[float, float]:
    """Return bounds of the share of right answers among all answers, from labels of some.

    Each label counts as `worth` labels of a random sample.

    >>> low, high = accuracy_interval([Group(60, 20, 18.0), Group(40, 20, 1.0)])
    >>> round(low, 2), round(high, 2)
    (0.47, 0.62)
    """
    # counted in random labels; rounded up, as one answer without a label must not vanish
    unseen = [math.ceil((group.answers - group.labels) * worth - 1e-9) for group in groups]
    hits = [group.right * worth for group in groups]
    misses = [(group.labels - group.right) * worth for group in groups]
    answers = sum(group.answers for group in groups)
    n_large = sum(group.answers >= _SMALL_SHARE * answers for group in groups)
    imagined = 0.5 + _CAUTION / n_large**2
    total = sum(unseen) + sum(hits) + sum(misses)
    most_right = _bound_hits(unseen, hits, misses, imagined)
    most_wrong = _bound_hits(unseen, misses, hits, imagined)
    return 1.0 - (sum(misses) + most_wrong) / total, (sum(hits) + most_right) / total


def _bound_hits(
    unseen: Sequence[int], hits: Sequence[float], misses: Sequence[float], imagined: float
) -> int:
    """Return an upper bound of the hits among unseen answers: a quantile of the sum over groups."""
    from scipy.special import betaln, gammaln

    size = sum(unseen) + 1
    # the Fourier transform of the distribution of a sum is the product of the transforms
    transform = np.ones(size // 2 + 1, dtype=complex)
    for n, hit, miss in zip(unseen, hits, misses, strict=True):
        # the beta-binomial chances of 0, 1, ..., `number` hits
        a = hit + imagined
        b = miss + 1.0 - imagined
        k = np.arange(n + 1)
        log = betaln(k + a, n - k + b) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
        chance = np.exp(log - log.max())
        transform *= np.fft.rfft(chance / chance.sum(), size)
    cumulated = np.cumsum(np.fft.irfft(transform, size)) if size > 1 else np.ones(1)
    # less a tolerance for the rounding of the transform
    return min(int(np.searchsorted(cumulated, UPPER_QUANTILE - 1e-9)), size - 1)


class Accuracy(NamedTuple):
    """The share of right answers among all questions."""

    #: The estimate, and its 95 % interval.
    estimate: float
    low: float
    high: float
    #: The number of random labels that would be as informative; NaN if all labels are equal.
    effective_size: float


def estimate_accuracy(
    labels: Array,
    label_rows: NDArray[np.intp],
    verdicts: Array,
    total: int,
    neighbours: Neighbours,
    strata: NDArray[np.intp] | None = None,
) -> Accuracy:
    """Estimate the share of right answers from labels, by groups of answers with similar verdicts.

    Parameters
    ----------
    labels
        The hand labels, from 0 (wrong) to 1 (right).
    label_rows
        The rows of the labelled answers among all answers.
    verdicts
        The automatic verdict on every answer, from 0 to 1; NaN where there is none.
    total
        The number of all questions; those without an answer count as wrong.
    neighbours
        The neighbours of the labelled answers in a spread sample; None for a simple random sample.
    strata
        The stratum of every answer; None if all answers had the same chance to be drawn. A group
        never has answers of several strata.
    """
    n = len(labels)
    answers = len(verdicts)
    if n < FEWEST:
        raise DataError(
            f"too few labels for an interval ({n}); label at least {FEWEST} answers, preferably 40"
        )
    group_numbers = assign_groups(verdicts, strata, label_rows)

    # a group without a label has the mean of all labels
    group_of_label = group_numbers[label_rows]
    sizes = np.bincount(group_numbers)
    counts = np.bincount(group_of_label, minlength=len(sizes))
    label_sums = np.bincount(group_of_label, weights=labels, minlength=len(sizes))
    means = np.where(counts > 0, label_sums / np.maximum(counts, 1), labels.mean())
    groups = [
        Group(int(sizes[number]), int(counts[number]), float(label_sums[number]))
        for number in np.flatnonzero(sizes).tolist()
    ]

    expected = np.asarray(means[group_of_label])
    estimate = float(sizes @ means) / answers
    low, high = accuracy_interval(groups, label_information(labels, expected, neighbours))

    # the labels of a random sample with an equal error; a label stands for a part of its group
    effective_size = float(answers)
    if n < answers:
        answers_per_label = (sizes / np.maximum(counts, 1))[group_of_label]
        weight = answers_per_label / answers_per_label.sum()
        parts = weight * (labels - expected) * np.sqrt(1.0 - 1.0 / answers_per_label)
        # the mean of each group costs a degree of freedom
        variance = variance_of_sum(parts, neighbours) * (n - 1) / max(1, n - len(groups))
        effective_size = effective_size_of(labels, variance, answers, weight)

    # questions without an answer are wrong
    share = answers / total
    low = min(low, estimate) * share
    high = max(high, estimate) * share
    return Accuracy(estimate * share, low, high, effective_size)
