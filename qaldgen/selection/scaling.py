"""Scalings, which normalise features so that none outweighs the others; their effect as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from qaldgen.errors import DataError
from qaldgen.selection.arrays import Matrix

if TYPE_CHECKING:
    import pandas as pd

#: Takes raw values, and returns them scaled.
Scaling: TypeAlias = Callable[[Matrix], Matrix]

#: The squares of larger values overflow, and deviations would be infinite.
_MAX_VALUE = 1e150
#: The size of the lowest part of a scale.
LOWEST_PART = 0.01


def scale_max(raw: Matrix) -> Matrix:
    """Divide each column by its largest value (QaldGen, Section 2.2); a column of zeros stays."""
    return raw / _replace_zeros(raw.max(axis=0))


def scale_minmax(raw: Matrix) -> Matrix:
    """Map each column to 0..1 by its minimum and maximum; a constant column becomes 0."""
    low: Matrix = raw.min(axis=0)
    return np.asarray((raw - low) / _replace_zeros(raw.max(axis=0) - low))


def scale_rank(raw: Matrix) -> Matrix:
    """Replace each value by its rank in the column, mapped to 0..1; ties share their mean rank."""
    from scipy.stats import rankdata

    if len(raw) < 2:
        return np.zeros_like(raw)
    return np.asarray((rankdata(raw, method="average", axis=0) - 1.0) / (len(raw) - 1))


def scale_log(raw: Matrix) -> Matrix:
    """Take log(1 + x) and divide each column by its maximum."""
    logarithm = np.log1p(raw)
    return logarithm / _replace_zeros(logarithm.max(axis=0))


def scale_zscore(raw: Matrix) -> Matrix:
    """Subtract the mean of each column and divide by its standard deviation (ddof = 1).

    A constant column becomes 0.
    """
    if len(raw) < 2:
        return np.zeros_like(raw)
    # exactly constant: the mean of equal numbers can differ from them in the last bit
    constant = raw.min(axis=0) == raw.max(axis=0)
    centred = np.where(constant, 0.0, raw - raw.mean(axis=0))
    return centred / _replace_zeros(np.where(constant, 0.0, raw.std(axis=0, ddof=1)))


#: The scalings by name.
SCALINGS: dict[str, Scaling] = {
    "max": scale_max,
    "minmax": scale_minmax,
    "rank": scale_rank,
    "log": scale_log,
    "zscore": scale_zscore,
}
#: Those that need values of at least 0.
_FOR_POSITIVE = frozenset({"max", "log"})


def scale(name: str, raw: Matrix, features: Sequence[str], ids: Sequence[str]) -> Matrix:
    """Normalise finite values with the named scaling; refuse values that it cannot take."""
    large = np.argwhere(np.abs(raw) > _MAX_VALUE)
    if len(large):
        row, column = large[0]
        raise DataError(
            f"?{features[column]} is {raw[row, column]:g} for {ids[row]}; features are numbers up"
            f" to {_MAX_VALUE:g} in size; correct the value, or leave the feature out of the query"
        )
    negative = np.argwhere(raw < 0)
    if name in _FOR_POSITIVE and len(negative):
        row, column = negative[0]
        raise DataError(
            f"?{features[column]} is {raw[row, column]:g} for {ids[row]}; scaling {name} needs"
            " values of at least 0; use the `scaling` minmax, rank or zscore"
        )
    return SCALINGS[name](raw)


def column_deviations(values: Matrix) -> Matrix:
    """Return the standard deviation of each column (ddof = 1, or 0 for a single row)."""
    return np.asarray(values.std(axis=0, ddof=1 if len(values) > 1 else 0))


def spread_table(features: Sequence[str], raw: Matrix, matrix: Matrix) -> pd.DataFrame:
    """Describe each feature, before and after scaling: range, median, deviation, distinct values.

    ``scaled_low`` is the share of questions in the lowest hundredth of the scaled range.
    """
    import pandas as pd

    low = matrix.min(axis=0)
    narrow = matrix - low < LOWEST_PART * _replace_zeros(matrix.max(axis=0) - low)
    return pd.DataFrame(
        {
            "min": raw.min(axis=0),
            "median": np.median(raw, axis=0),
            "max": raw.max(axis=0),
            "std": column_deviations(raw),
            "distinct": [len(np.unique(column)) for column in raw.T],
            "scaled_median": np.median(matrix, axis=0),
            "scaled_std": column_deviations(matrix),
            "scaled_low": narrow.mean(axis=0),
        },
        index=pd.Index(features, name="feature"),
    )


def _replace_zeros(divisor: Matrix) -> Matrix:
    """Replace zeros by ones, so that columns can be divided by them."""
    return np.where(divisor == 0.0, 1.0, divisor)
