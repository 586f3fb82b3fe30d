"""How many answers are right, of which only some have a label: an interval.

Answers with the same automatic verdict form a group. Within a group the labelled answers are drawn
like all others, so the right ones among those without a label follow a beta-binomial distribution
(Pólya's urn; its parameters are the labels seen, and a little more). The distribution of their sum
is the convolution over the groups, and the bounds are its quantiles: whole numbers of answers.
A pool that is nearly all labelled, groups of a handful, and verdicts that never erred so far need
no treatment of their own: they are what the distribution is about.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qaldgen.analysis.estimating.pool_mean import Neighbours, variance_of_sums
from qaldgen.analysis.mean_bounds import Array

#: Each group has one imaginary label, half of it right and half wrong (Jeffreys' prior). For a
#: bound, this much more of it is on the side of the bound, less where there are several groups. A
#: count in one group moves in steps, and without caution its interval covers only 89 % for some
#: shares of right answers; the steps of several groups blur each other. All of the label on the
#: side of the bound would be Clopper and Pearson's rule, which covers 96 to 99 %.
_CAUTION = 0.35
#: Smaller groups, as a share of all answers, do not blur the steps of the others.
_SMALL = 0.05
#: Verdicts between wrong and right are split into as many groups.
_BETWEEN = 3
#: How many disagreements' worth of evidence says that labels vary as in a random sample of right
#: and wrong answers.
_DOUBT = 5.0


class Group(NamedTuple):
    """Answers with about the same verdict."""

    answers: int  # all of them
    labels: int  # how many have a label
    right: float  # the sum of the labels
    mean: float  # the share of right answers that is expected of it


def groups_of(verdicts: Array) -> NDArray[np.intp]:
    """Return the group of each answer: wrong, between (by size), right, and without a verdict.

    >>> groups_of(np.array([0.0, 1.0, 0.5, np.nan, 1.0])).tolist()
    [0, 4, 3, 5, 4]
    """
    found = np.where(verdicts >= 1.0, _BETWEEN + 1, 0)
    between = (verdicts > 0.0) & (verdicts < 1.0)
    if between.any():
        edges = np.quantile(verdicts[between], np.arange(1, _BETWEEN) / _BETWEEN)
        found[between] = 1 + np.searchsorted(edges, verdicts[between], side="right")
    found[np.isnan(verdicts)] = _BETWEEN + 2
    return found


def information(labels: Array, expected: Array, neighbours: Neighbours) -> float:
    """Return how many random labels that are right or wrong one label is worth.

    More than 1 where the sample is spread over what the labels depend on, and where labels are
    partly right.
    """
    n = len(labels)
    as_random = float(np.sum(expected * (1.0 - expected)))
    found = variance_of_sums((labels - expected)[None], neighbours)[0] * (n - 1) / n
    return (as_random + _DOUBT) / (float(found) + _DOUBT)


def interval(
    groups: Sequence[Group], worth: float = 1.0, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Return bounds of the share of right answers among all answers.

    >>> low, high = interval([Group(60, 20, 18.0, 0.9), Group(40, 20, 1.0, 0.05)])
    >>> round(low, 2), round(high, 2)
    (0.47, 0.62)
    """
    # The unit is what a random label is worth, so the numbers of answers and labels grow alike.
    # Rounded up, because one answer without a label must not vanish.
    unseen = [math.ceil((one.answers - one.labels) * worth - 1e-9) for one in groups]
    right = [one.right * worth for one in groups]
    wrong = [(one.labels - one.right) * worth for one in groups]
    answers = sum(one.answers for one in groups)
    large = sum(one.answers >= _SMALL * answers for one in groups)
    imagined = 0.5 + _CAUTION / large**2
    share = 0.5 + confidence_level / 2.0
    total = sum(unseen) + sum(right) + sum(wrong)
    most_right = _quantile(unseen, right, wrong, imagined, share)
    most_wrong = _quantile(unseen, wrong, right, imagined, share)
    return 1.0 - (sum(wrong) + most_wrong) / total, (sum(right) + most_right) / total


def _quantile(
    unseen: Sequence[int],
    hits: Sequence[float],
    misses: Sequence[float],
    imagined: float,
    share: float,
) -> int:
    """Return how many unseen answers may be hits: a quantile of the sum over all groups."""
    size = sum(unseen) + 1
    # The transform of a sum is the product of the transforms.
    transform = np.ones(size // 2 + 1, dtype=complex)
    for count, hit, miss in zip(unseen, hits, misses, strict=True):
        chance = _beta_binomial(count, hit + imagined, miss + 1.0 - imagined)
        transform *= np.fft.rfft(chance, size)
    reached = np.cumsum(np.fft.irfft(transform, size)) if size > 1 else np.ones(1)
    # Rounding of the transform must not push the last step below the share.
    return min(int(np.searchsorted(reached, share - 1e-9)), size - 1)


def _beta_binomial(count: int, a: float, b: float) -> Array:
    """Return the chances of 0, 1, ..., `count` hits."""
    from scipy.special import betaln, gammaln

    k = np.arange(count + 1)
    log = betaln(k + a, count - k + b) - gammaln(k + 1.0) - gammaln(count - k + 1.0)
    chance = np.exp(log - log.max())
    return np.asarray(chance / chance.sum())
