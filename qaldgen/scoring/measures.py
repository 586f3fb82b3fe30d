"""Measures: functions of the counts of the questions, and of weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

#: One weight for each row of the counts; only their proportions matter. None for equal weights.
Weights: TypeAlias = "Sequence[float] | None"


class Measure(NamedTuple):
    """One number about a run.

    Attributes
    ----------
    of : callable
        Computes it from the table of `qaldgen.scoring.frame.counts_frame` and from weights.
    label : str
        Its name in tables; of GERBIL's measures the name that GERBIL gives it.
    definition : str
        What it is, in one line.
    """

    of: Callable[[pd.DataFrame, Weights], float]
    label: str
    definition: str


def total(values: Iterable[float], weights: Weights = None) -> float:
    """Return the sum, added in order.

    Plain additions, as in Java: ``sum`` compensates rounding errors since Python 3.12, and numpy adds in pairs, so that the last
    bits would differ from GERBIL's.

    Examples
    --------
    >>> total([0.1] * 3), total([1, 3], [2, 0.5])
    (0.30000000000000004, 3.5)
    """
    result = 0.0
    for value in values if weights is None else (value * weight for value, weight in zip(values, weights, strict=True)):
        result += value
    return result


def mean(values: Sequence[float], weights: Weights = None) -> float:
    """Return the weighted mean; NaN where there is nothing, or no weight.

    Examples
    --------
    >>> mean([1.0, 0.0], [3, 1]), mean([])
    (0.75, nan)
    """
    size = len(values) if weights is None else total(weights)
    return total(values, weights) / size if size else math.nan


def precision_recall_f1(tp: float, fp: float, fn: float) -> tuple[float, float, float]:
    """Return precision, recall and their harmonic mean of counts that may be weighted; all 1 where there is nothing at all."""
    if not tp:
        value = 0.0 if fp or fn else 1.0
        return value, value, value
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    return precision, recall, 2 * precision * recall / (precision + recall)


def _micro(at: int) -> Callable[[pd.DataFrame, Weights], float]:
    def of(counts: pd.DataFrame, weights: Weights = None) -> float:
        tp, fp, fn = (total(counts[name].tolist(), weights) for name in ("tp", "fp", "fn"))
        return precision_recall_f1(tp, fp, fn)[at]

    return of


def _mean_of(column: str) -> Callable[[pd.DataFrame, Weights], float]:
    def of(counts: pd.DataFrame, weights: Weights = None) -> float:
        return mean(counts[column].astype(float).tolist(), weights)

    return of


def macro_f1_qald(counts: pd.DataFrame, weights: Weights = None) -> float:
    """Return GERBIL's Macro F1 QALD: the harmonic mean of mean precision and mean recall, where silence has precision 1.

    NaN, which GERBIL shows as ``?``, where both means are 0: every question got an answer, and all of them are wrong.
    """
    if "precision_qald" in counts:
        values = counts["precision_qald"].tolist()
    else:
        silent = (counts["tp"] == 0) & (counts["fp"] == 0)
        values = [1.0 if quiet else value for quiet, value in zip(silent, counts["precision"].tolist(), strict=True)]
    precision = mean(values, weights)
    recall = mean(counts["recall"].tolist(), weights)
    return 2 * precision * recall / (precision + recall) if precision + recall else math.nan


def accuracy(counts: pd.DataFrame, weights: Weights = None) -> float:
    """Return the mean share of right answers among all gold and given ones of a question; 1 where there are neither.

    The accuracy of multi-label classification (S. Godbole and S. Sarawagi, PAKDD 2004).
    """
    if "share_right" in counts:
        return mean(counts["share_right"].tolist(), weights)
    rows = zip(counts["tp"].tolist(), counts["fp"].tolist(), counts["fn"].tolist(), strict=True)
    return mean([tp / (tp + fp + fn) if tp or fp or fn else 1.0 for tp, fp, fn in rows], weights)


def exact_match(counts: pd.DataFrame, weights: Weights = None) -> float:
    """Return the share of questions with every gold answer and nothing else."""
    exact = counts["exact"] if "exact" in counts else (counts["fp"] == 0) & (counts["fn"] == 0)
    return mean(exact.astype(float).tolist(), weights)


def coverage(counts: pd.DataFrame, weights: Weights = None) -> float:
    """Return the share of questions with at least one answer, right or wrong."""
    answered = counts["answered"] if "answered" in counts else counts["status"] == "answered"
    return mean(answered.astype(float).tolist(), weights)


#: Every measure, by name; the first seven are GERBIL's.
MEASURES: dict[str, Measure] = {
    "micro-precision": Measure(_micro(0), "Micro Precision", "right answers of all answers given, over all questions together"),
    "micro-recall": Measure(_micro(1), "Micro Recall", "right answers of all gold answers, over all questions together"),
    "micro-f1": Measure(_micro(2), "Micro F1 score", "harmonic mean of Micro Precision and Micro Recall"),
    "macro-precision": Measure(
        _mean_of("precision"), "Macro Precision", "mean precision of the questions; 0 where a question with answers got none"
    ),
    "macro-recall": Measure(_mean_of("recall"), "Macro Recall", "mean recall of the questions"),
    "macro-f1": Measure(
        _mean_of("f1"), "Macro F1 score", "mean F1 of the questions, not the harmonic mean of the two numbers above"
    ),
    "macro-f1-qald": Measure(
        macro_f1_qald, "Macro F1 QALD", "harmonic mean of mean precision and mean recall, silence counting as precision 1"
    ),
    "accuracy": Measure(accuracy, "Accuracy", "mean of right answers / (gold answers and answers given, each counted once)"),
    "exact-match": Measure(exact_match, "Exact match", "share of questions with all gold answers and no other"),
    "hit-at-1": Measure(_mean_of("hit"), "Hit@1", "share of questions whose first answer is right"),
    "coverage": Measure(coverage, "Coverage", "share of questions that got at least one answer, right or wrong"),
}
