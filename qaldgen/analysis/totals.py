"""How much each question counts in a measure: the weights, and the sizes of ratios of sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qaldgen.errors import DataError
from qaldgen.scoring.measures import Array, Measure, ratio

if TYPE_CHECKING:
    import pandas as pd


def shares(values: Array, weight: Array, measure: Measure) -> tuple[Array, Array]:
    """Return the share of each question, and how much it counts, such that a mean or ratio of sums is their weighted mean.

    Examples
    --------
    >>> from qaldgen.scoring.measures import MEASURES
    >>> found, sizes = shares(np.array([[1.0, 0.0, 3.0], [0.0, 0.0, 0.0]]), np.ones(2), MEASURES["micro-recall"])
    >>> found.tolist(), sizes.tolist()
    ([0.25, 0.0], [4.0, 0.0])
    """
    if measure.is_mean:
        return values[:, 0], weight
    size = values @ np.array(measure.size)
    return ratio(values @ np.array(measure.right), size, 0.0), weight * size


def sizes_if_right(values: Array, weight: Array, measure: Measure) -> Array:
    """Return how much each question counts in a ratio of sums, or would count if it were answered rightly, whichever is more.

    Of a wrong answer to a question with a hundred gold answers, micro precision sees the answers
    given only.

    Examples
    --------
    >>> from qaldgen.scoring.measures import MEASURES
    >>> sizes_if_right(np.array([[3.0, 1.0, 0.0], [0.0, 1.0, 100.0]]), np.ones(2), MEASURES["micro-precision"]).tolist()
    [4.0, 100.0]
    """
    sees_gold = measure.size[2] > 0.0
    right = 0.0 if sees_gold else measure.size[0] * (values[:, 0] + values[:, 2])
    return np.asarray(weight * np.maximum(values @ np.array(measure.size), right))


def question_weights(counts: pd.DataFrame, weights: pd.Series[float] | None) -> Array:
    """Return the weight of each question, 1 where no weights are given.

    Raises
    ------
    DataError
        If a question has no weight, or one that is not positive.
    """
    if weights is None:
        return np.ones(len(counts))
    found = np.asarray(weights.reindex(counts.index), dtype=np.float64)
    bad = np.flatnonzero(~(found > 0.0) | np.isinf(found))
    if len(bad):
        raise DataError(
            f"question {counts.index[bad[0]]}: the weight is {found[bad[0]]:g}; every weight must"
            " be positive"
        )
    return found
