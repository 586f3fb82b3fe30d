"""Plan the number of hand labels for an error, alone and with automatic verdicts."""

from __future__ import annotations

import math
from bisect import bisect_left
from pathlib import Path

import numpy as np
import pandas as pd

from qaldgen.analysis.score_files import read_scores
from qaldgen.defaults import HALF_WIDTH
from qaldgen.errors import UsageError
from qaldgen.plugins.labelling.agreement import agreement
from qaldgen.plugins.labelling.label_scores import PROBABILITY
from qaldgen.scoring.intervals import FEWEST, NORMAL_REACH
from qaldgen.scoring.mean_bounds import Array

#: Squared disagreements that are added for those that the pilot has not met, as measured on the
#: widths of intervals with 40 to 400 labels.
_BEYOND = 0.75
#: The fewest labels of a pilot from which the spread is estimated.
_MIN_LABELS = 10


def plan_labels(
    scores: pd.DataFrame | str | Path,
    labels: str,
    *,
    error: float = HALF_WIDTH,
    answers: int | None = None,
) -> pd.DataFrame:
    """Return the number of hand labels for an error, alone and with each automatic verdict."""
    table = read_scores(scores, gaps=True) if isinstance(scores, (str, Path)) else scores
    if labels not in table.columns:
        raise UsageError(
            f"`labels` {labels}: there is no such column; there are"
            f" {', '.join(map(str, table.columns))}"
        )
    table = table.dropna(subset=[labels])
    if len(table) < _MIN_LABELS:
        raise UsageError(
            f"{len(table)} labels are too few to plan with; label {_MIN_LABELS} answers at least"
        )

    by_hand = table[labels].to_numpy(dtype=float)
    probabilities = table[PROBABILITY].to_numpy(dtype=float) if PROBABILITY in table else np.ones(1)
    weight: Array = np.broadcast_to(1.0 / probabilities, by_hand.shape)
    n_alone = labels_needed(by_hand, None, error, answers=answers, weight=weight)
    rows: list[tuple[str, float, float, int | None]] = [("none", math.nan, math.nan, n_alone)]
    for name in table.columns:
        if name in (labels, PROBABILITY):
            continue
        verdicts = table[name].to_numpy(dtype=float)
        share_agreed, kappa = agreement(by_hand, verdicts, weight)

        has_verdict = ~np.isnan(verdicts)
        # an answer without a verdict gets the mean, which explains nothing of its label
        mean = verdicts[has_verdict].mean() if has_verdict.any() else 0.0
        filled_verdicts = np.where(has_verdict, verdicts, mean)
        size = labels_needed(by_hand, filled_verdicts, error, answers=answers, weight=weight)
        rows.append((str(name), share_agreed, kappa, size))

    plan = pd.DataFrame(rows, columns=["verdict", "agreement", "kappa", "labels"])
    return plan.astype({"labels": "Int64"})


def labels_needed(
    labels: Array,
    verdicts: Array | None,
    error: float,
    *,
    answers: int | None = None,
    weight: Array | None = None,
) -> int | None:
    """Return the number of labels for an interval of plus or minus `error`, from 5 to `answers`.

    None if the labels of the pilot are all equal. Without `verdicts` it is for labels alone.
    """
    spread = float(np.cov(labels, aweights=weight))
    if spread == 0.0:
        return None

    explained_share = 0.0
    beyond = 0.0
    if verdicts is not None:
        beyond = _BEYOND
        if np.ptp(verdicts) > 0.0:
            covariance = np.cov(labels, verdicts, aweights=weight)
            square = float(covariance[0, 1] ** 2 / (covariance[0, 0] * covariance[1, 1]))
            n = len(labels)
            # adjusted for chance
            explained_share = max(0.0, 1.0 - (1.0 - square) * (n - 1) / max(1, n - 2))
    unexplained_variance = spread * (1.0 - explained_share)

    def is_enough(size: int) -> bool:
        unlabelled_share = 1.0 - size / answers if answers else 1.0
        variance = unlabelled_share * (unexplained_variance / size + beyond / size**2)
        return NORMAL_REACH * math.sqrt(variance) <= error

    # the interval gets narrower with every label
    most = answers if answers is not None else 10**7
    return FEWEST + bisect_left(range(FEWEST, most), True, key=is_enough)
