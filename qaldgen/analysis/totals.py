"""Measures as functions of weighted totals over questions, so that resampling and slicing never look at an answer again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qaldgen.errors import DataError, UsageError
from qaldgen.scoring import measures

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


class Measure(NamedTuple):
    """A measure of many questions.

    Attributes
    ----------
    words : str
        What it is called in tables.
    columns : tuple of str
        The columns of the counts that are added up.
    value : callable
        Its value for totals of shape (..., columns) and the sum of the weights, of shape (...).
    worst, best : tuple of float
        The columns of a question, of size 1, that was answered as badly or as well as can be.
    is_mean : bool
        Whether it is the mean of a score per question, within `bounds`.
    bounds : tuple of float
        Least and largest value.
    right, size : tuple of float
        For a ratio of sums: how often each column counts above, and below, the line; empty for all else.
    """

    words: str
    columns: tuple[str, ...]
    value: Callable[[Array, Array], Array]
    worst: tuple[float, ...]
    best: tuple[float, ...]
    is_mean: bool = False
    bounds: tuple[float, float] = (0.0, 1.0)
    right: tuple[float, ...] = ()
    size: tuple[float, ...] = ()


def _mean(totals: Array, weight: Array) -> Array:
    return _ratio(totals[..., 0], weight)


def _ratio(above: Array, below: Array) -> Array:
    """Divide; 0 where there is nothing to divide by."""
    return np.divide(above, below, out=np.zeros(np.broadcast_shapes(above.shape, below.shape)), where=below > 0.0)


def _harmonic(precision: Array, recall: Array) -> Array:
    return _ratio(2.0 * precision * recall, precision + recall)


def _micro_precision(totals: Array, weight: Array) -> Array:
    return np.where(_nothing(totals), 1.0, _ratio(totals[..., 0], totals[..., 0] + totals[..., 1]))


def _micro_recall(totals: Array, weight: Array) -> Array:
    return np.where(_nothing(totals), 1.0, _ratio(totals[..., 0], totals[..., 0] + totals[..., 2]))


def _micro_f1(totals: Array, weight: Array) -> Array:
    return _harmonic(_micro_precision(totals, weight), _micro_recall(totals, weight))


def _nothing(totals: Array) -> NDArray[np.bool_]:
    return np.asarray(np.abs(totals).sum(axis=-1) == 0.0, dtype=np.bool_)


def _f1_qald(totals: Array, weight: Array) -> Array:
    return _harmonic(_ratio(totals[..., 0], weight), _ratio(totals[..., 1], weight))


def _precision_qald(counts: pd.DataFrame) -> pd.Series[float]:
    """GERBIL's precision for Macro F1 QALD: 1 where answers were expected and none was given."""
    silent = (counts["tp"] == 0) & (counts["fp"] == 0) & (counts["fn"] > 0)
    return counts["precision"].astype(float).mask(silent, 1.0)


def _share_right(counts: pd.DataFrame) -> pd.Series[float]:
    """Right answers of all gold and given ones; 1 where there are neither."""
    named = counts["tp"] + counts["fp"] + counts["fn"]
    return (counts["tp"] / named.where(named > 0)).fillna(1.0)


def _label(name: str) -> str:
    return measures.MEASURES[name].label


_COUNTS = ("tp", "fp", "fn")


def _mean_of(name: str, column: str) -> Measure:
    return Measure(_label(name), (column,), _mean, (0.0,), (1.0,), is_mean=True)


def _micro(name: str, value: Callable[[Array, Array], Array], size: tuple[float, float, float]) -> Measure:
    """Return a micro measure: right answers (tp) divided by answers, both counted `size[0]` times."""
    often, wrong = size[0], size[1] + size[2]
    worst, best = (0.0, size[1] / wrong, size[2] / wrong), (1.0 / often, 0.0, 0.0)
    return Measure(_label(name), _COUNTS, value, worst, best, right=(often, 0.0, 0.0), size=size)


#: The measures of `scoring.measures`, which says what they are, in a form that can be resampled; every other numeric column
#: of the counts is a measure too, namely its mean.
MEASURES: dict[str, Measure] = {
    "micro-precision": _micro("micro-precision", _micro_precision, (1.0, 1.0, 0.0)),
    "micro-recall": _micro("micro-recall", _micro_recall, (1.0, 0.0, 1.0)),
    "micro-f1": _micro("micro-f1", _micro_f1, (2.0, 1.0, 1.0)),
    "macro-precision": _mean_of("macro-precision", "precision"),
    "macro-recall": _mean_of("macro-recall", "recall"),
    "macro-f1": _mean_of("macro-f1", "f1"),
    "macro-f1-qald": Measure(_label("macro-f1-qald"), ("precision_qald", "recall"), _f1_qald, (0.0, 0.0), (1.0, 1.0)),
    "accuracy": _mean_of("accuracy", "share_right"),
    "exact-match": _mean_of("exact-match", "exact"),
    "hit-at-1": _mean_of("hit-at-1", "hit"),
    "coverage": _mean_of("coverage", "answered"),
}
#: Columns that follow from others: what they need, and how they are made.
_DERIVED: dict[str, tuple[tuple[str, ...], Callable[[pd.DataFrame], pd.Series[float]]]] = {
    "precision_qald": (("precision", *_COUNTS), _precision_qald),
    "share_right": (_COUNTS, _share_right),
    "exact": (_COUNTS, lambda counts: ((counts["fp"] == 0) & (counts["fn"] == 0)).astype(float)),
    "answered": (("status",), lambda counts: (counts["status"] == "answered").astype(float)),
}


def find_measure(name: str, counts: pd.DataFrame) -> Measure:
    """Return the measure of that name, or the mean of the column of that name.

    Raises
    ------
    UsageError
        If there is neither.

    Examples
    --------
    >>> import pandas as pd
    >>> find_measure("micro-f1", pd.DataFrame()).words
    'Micro F1 score'
    """
    if name in MEASURES:
        return MEASURES[name]
    if name in counts.columns:
        least = -1.0 if bool((counts[name] < 0).any()) else 0.0
        return Measure(name, (name,), _mean, (least,), (1.0,), is_mean=True, bounds=(least, 1.0))
    known = ", ".join([*MEASURES, *(str(column) for column in counts.columns if column not in MEASURES)])
    raise UsageError(f"unknown measure {name!r}; known: {known}")


def parts(counts: pd.DataFrame, measure: Measure) -> Array:
    """Return what a measure adds up, of shape (questions, columns).

    Raises
    ------
    DataError
        If a column is absent or a value is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> counts = pd.DataFrame({"tp": [1, 0], "fp": [0, 2], "fn": [0, 1]})
    >>> measure = find_measure("micro-f1", counts)
    >>> float(measure.value(parts(counts, measure).sum(axis=0), np.array(2.0)))
    0.4
    """
    columns = []
    for name in measure.columns:
        sources, derive = _DERIVED.get(name, ((name,), lambda counts, name=name: counts[name].astype(float)))
        if name in _DERIVED and name in counts.columns:  # of several answers to a question, the mean
            columns.append(counts[name].to_numpy(dtype=float))
            continue
        absent = next((source for source in sources if source not in counts.columns), None)
        if absent is not None:
            raise DataError(f"the counts have no column {absent!r}, which {measure.words} needs; score the run first")
        column = derive(counts).to_numpy(dtype=float)
        if np.isnan(column).any():
            question = counts.index[int(np.flatnonzero(np.isnan(column))[0])]
            raise DataError(f"question {question}: {name} is missing; every question needs a score (0 where none was earned)")
        columns.append(column)
    return np.column_stack(columns)


def shares(values: Array, weight: Array, measure: Measure) -> tuple[Array, Array]:
    """Return the share of each question, and how much it counts, such that a mean or ratio of sums is their weighted mean.

    Examples
    --------
    >>> found, sizes = shares(np.array([[1.0, 0.0, 3.0], [0.0, 0.0, 0.0]]), np.ones(2), MEASURES["micro-recall"])
    >>> found.tolist(), sizes.tolist()
    ([0.25, 0.0], [4.0, 0.0])
    """
    if measure.is_mean:
        return values[:, 0], weight
    size = values @ np.array(measure.size)
    return _ratio(values @ np.array(measure.right), size), weight * size


def sizes_if_right(values: Array, weight: Array, measure: Measure) -> Array:
    """Return how much each question counts in a ratio of sums, or would count if it were answered rightly, whichever is more.

    Of a wrong answer to a question with a hundred gold answers, micro precision sees the answers given only.

    Examples
    --------
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
        raise DataError(f"question {counts.index[bad[0]]}: the weight is {found[bad[0]]:g}; every weight must be positive")
    return found
