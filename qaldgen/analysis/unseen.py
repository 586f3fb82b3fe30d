"""How much an unseen question counts: the size of the imaginary question of an interval.

A weight is part of the design, and an unseen question has one like those at hand. The number of
answers to a question has a heavy tail instead: somewhere there is a question with more answers than
all that were seen, and it decides a micro measure.
"""

from __future__ import annotations

import math

import numpy as np

from qaldgen.analysis.gaffke import Array


def typical_size(sizes: Array) -> float:
    """Return the mean size, each question weighted by its size.

    This is the total divided by Kish's effective number of questions.

    Parameters
    ----------
    sizes
        Shape (questions,).

    Returns
    -------
    float
        1 if there are no questions.

    Examples
    --------
    >>> typical_size(np.array([1.0, 1.0, 4.0]))
    3.0
    """
    total = float(sizes.sum())
    return float(sizes @ sizes) / total if total > 0.0 else 1.0


def next_size(sizes: Array) -> float:
    """Return the size of a question that is larger than all that were seen.

    The largest size times exp(2 h), where h is Hill's estimate of how slowly the tail falls: the
    mean log of the sqrt(n) largest sizes relative to the next one (Hill 1975, Annals of Statistics
    3). For a Pareto tail, the log of a size beyond the largest exceeds it by h on average. Equal
    sizes have h = 0.

    Parameters
    ----------
    sizes
        Shape (questions,); zeros are ignored.

    Returns
    -------
    float
        1 if there are no sizes.

    Examples
    --------
    >>> next_size(np.ones(30))
    1.0
    >>> round(next_size(np.array([1.0, 1.0, 1.0, 2.0, 1.0, 40.0, 3.0, 1.0, 2.0])))
    386
    """
    present = sizes[sizes > 0.0]
    if not len(present):
        return 1.0
    count = min(math.isqrt(len(sizes)), len(present) - 1)
    largest = np.sort(present)[::-1][: count + 1]
    slowness = float(np.mean(np.log(largest[:count] / largest[count]))) if count else 0.0
    return float(largest[0]) * math.exp(2.0 * slowness)
