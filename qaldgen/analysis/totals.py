"""How much each question counts in a measure: the weights, and the sizes of ratios of sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qaldgen.errors import DataError
from qaldgen.scoring.measures import Array, Measure, ratio

if TYPE_CHECKING:
    import pandas as pd


def shares(values: Array, weight: Array, measure: Measure) -> tuple[Array, Array]:
    """Return each question's share and size: a mean or ratio of sums is their weighted mean.

    >>> from qaldgen.scoring.measures import MEASURES
    >>> counts = np.array([[1.0, 0.0, 3.0], [0.0, 0.0, 0.0]])  # tp, fp, fn
    >>> recalls, sizes = shares(counts, np.ones(2), MEASURES["micro-recall"])
    >>> recalls.tolist(), sizes.tolist()
    ([0.25, 0.0], [4.0, 0.0])
    """
    if measure.is_mean:
        return values[:, 0], weight
    size = values @ np.array(measure.size)
    return ratio(values @ np.array(measure.right), size, 0.0), weight * size


def sizes_if_right(values: Array, weight: Array, measure: Measure) -> Array:
    """Return the size of each question, or the size it would have if answered rightly, if larger.

    If an answer to a question with a hundred gold answers is wrong, micro precision only sees the
    answers that were given.

    >>> from qaldgen.scoring.measures import MEASURES
    >>> counts = np.array([[3.0, 1.0, 0.0], [0.0, 1.0, 100.0]])  # tp, fp, fn
    >>> sizes_if_right(counts, np.ones(2), MEASURES["micro-precision"]).tolist()
    [4.0, 100.0]
    """
    # A measure that counts missed gold answers (fn) gives a question the same size, right or wrong.
    sees_gold = measure.size[2] > 0.0
    right = 0.0 if sees_gold else measure.size[0] * (values[:, 0] + values[:, 2])
    return np.asarray(weight * np.maximum(values @ np.array(measure.size), right))


def question_weights(counts: pd.DataFrame, weights: pd.Series[float] | None) -> Array:
    """Return the weight of each question, 1 if no weights are given."""
    if weights is None:
        return np.ones(len(counts))
    aligned = np.asarray(weights.reindex(counts.index), dtype=np.float64)
    bad = np.flatnonzero(~(aligned > 0.0) | np.isinf(aligned))
    if len(bad):
        raise DataError(
            f"question {counts.index[bad[0]]}: the weight is {aligned[bad[0]]:g};"
            " every weight must be positive"
        )
    return aligned
