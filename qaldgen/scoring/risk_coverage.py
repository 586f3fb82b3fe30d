"""What the confidence of a system is worth: the risk-coverage curve and the area under it.

References
----------
Y. Geifman and R. El-Yaniv: Selective Classification for Deep Neural Networks, NeurIPS 2017; the
area under the risk-coverage curve is that of their Bias-Reduced Uncertainty Estimation, ICLR 2019.
P. Rajpurkar et al.: Know What You Don't Know (SQuAD 2), ACL 2018, for the best threshold.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qaldgen.io.text import count
from qaldgen.scoring.counts import ABSTAINED
from qaldgen.scoring.measures import MEASURES

if TYPE_CHECKING:
    import pandas as pd


def risk_coverage(counts: pd.DataFrame, confidence: pd.Series[float]) -> pd.DataFrame:
    """Return the scores of a system if it answered only the questions of which it is surest.

    Parameters
    ----------
    counts
        One row per question.
    confidence
        How sure the system is, by question; higher is surer. Questions without a value count as
        unanswered.

    Returns
    -------
    pandas.DataFrame
        One row for each threshold, the highest first (index): ``coverage``, the share of all
        questions that are answered at it; ``risk``, the mean of 1 - F1 of these; ``f1``, the macro
        F1 of all questions if the others were left unanswered, which is right where there is no
        gold answer.

    Examples
    --------
    >>> import pandas as pd
    >>> counts = pd.DataFrame({"f1": [1.0, 0.0, 1.0], "expected": [1, 1, 1]}, index=list("abc"))
    >>> risk_coverage(counts, pd.Series({"a": 0.9, "b": 0.5, "c": 0.7})).round(2).values.tolist()
    [[0.33, 0.0, 0.33], [0.67, 0.0, 0.67], [1.0, 0.33, 0.67]]
    """
    import pandas as pd

    confidence = confidence.reindex(counts.index).dropna()
    f1 = counts["f1"].astype(float)
    f1_if_unanswered = (counts["expected"] == 0).astype(float)
    rows = pd.DataFrame({
        "error": 1.0 - f1[confidence.index],
        "gain": f1[confidence.index] - f1_if_unanswered[confidence.index],
        "answered": 1.0,
    })  # fmt: skip
    sums = rows.groupby(confidence).sum().sort_index(ascending=False).cumsum()
    return pd.DataFrame({
        "coverage": sums["answered"] / len(counts),
        "risk": sums["error"] / sums["answered"],
        "f1": (f1_if_unanswered.sum() + sums["gain"]) / len(counts),
    })  # fmt: skip


def aurc(counts: pd.DataFrame, confidence: pd.Series[float]) -> float:
    """Return the area under the risk-coverage curve (AURC): less is better.

    The mean of the risks at 1, 2, ... answered questions, the surest first. Equally sure ones come
    in random order: the mean over all orders counts.

    Parameters
    ----------
    counts, confidence
        See `risk_coverage`.

    Returns
    -------
    float
        From 0 to 1; NaN without any confidence.

    Examples
    --------
    >>> import pandas as pd
    >>> counts = pd.DataFrame({"f1": [1.0, 0.0], "expected": [1, 1]}, index=list("ab"))
    >>> [aurc(counts, pd.Series({"a": a, "b": 0.5})) for a in (0.9, 0.1, 0.5)]
    [0.25, 0.75, 0.5]
    """
    import numpy as np

    confidence = confidence.reindex(counts.index).dropna()
    errors = (1.0 - counts["f1"].astype(float))[confidence.index]
    # in a random order, each of equally sure questions is expected to have their mean error
    errors = errors.groupby(confidence).transform("mean")
    surest_first = confidence.sort_values(ascending=False, kind="stable").index
    errors_in_order = errors.loc[surest_first].to_numpy()
    risks = np.cumsum(errors_in_order) / np.arange(1, len(errors_in_order) + 1)
    if not len(risks):
        return np.nan
    return float(risks.mean())


def risk_coverage_notes(
    name: str, counts: pd.DataFrame, confidence: pd.Series[float]
) -> Iterator[str]:
    """Say how many answers are words such as "I don't know", and how good the confidence is."""
    parts = []

    n_abstained = int((counts["status"] == ABSTAINED).sum())
    if n_abstained:
        coverage = MEASURES["coverage"].of(counts)
        accuracy = MEASURES["selective-accuracy"].of(counts)
        text = f'{count(n_abstained, "question")} got no answer but words such as "I don\'t know":'
        if coverage:
            text += f" {coverage:.3f} of all are answered, with an accuracy of {accuracy:.3f}"
        else:
            text += " none is answered"
        parts.append(text)

    if confidence.nunique() > 1:
        curve = risk_coverage(counts, confidence)
        macro_f1 = float(counts["f1"].mean())
        best_row = int(curve["f1"].to_numpy().argmax())  # of equal scores the highest threshold
        threshold = float(curve.index[best_row])
        best_f1 = float(curve["f1"].iloc[best_row])
        parts.append(
            "by its confidence, the area under the risk-coverage curve is"
            f" {aurc(counts, confidence):.3f}"
        )
        if best_f1 > macro_f1:
            parts.append(
                f"without the answers below {threshold:g}, macro F1 would be {best_f1:.3f} instead"
                f" of {macro_f1:.3f}"
            )

    if parts:
        yield f"{name}: {'; '.join(parts)}"
