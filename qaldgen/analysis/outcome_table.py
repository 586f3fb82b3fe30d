"""How often each outcome and mistake occurs, for each run, on all questions and on slices."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from qaldgen.analysis.slices.slicing import Slice, whole_slice
from qaldgen.errors import UsageError
from qaldgen.scoring.missing import DEFAULT
from qaldgen.scoring.mistakes import OUTCOMES, column_of
from qaldgen.scoring.score import Scores

#: The share of the right type among wrong answers whose kind or type is known.
OF_KNOWN = "right type, of wrong answers with a known kind or type"


def outcome_table(
    all_scores: Sequence[Scores],
    slices: Sequence[Slice] = (),
    *,
    missing: str = DEFAULT,
    weights: pd.Series[float] | None = None,
) -> pd.DataFrame:
    """Return how often each outcome occurred, for each run, on all questions and on slices."""
    rows = []
    for scores in all_scores:
        if "outcome" not in scores.counts:
            raise UsageError(f"{scores.name}: has no outcomes; with_outcomes adds them")
        counts = scores.with_missing(missing)
        all_weights = pd.Series(1.0, counts.index) if weights is None else weights
        for part in [whole_slice(counts.index), *slices]:
            part_counts = counts[part.mask(counts.index)]
            weight = all_weights.loc[part_counts.index]
            columns = [column_of(name) for name in OUTCOMES]
            n_questions = part_counts[columns].sum()
            weighted = part_counts[[*columns, "typed_wrong"]].mul(weight, axis="index").sum()
            for name, column in zip(OUTCOMES, columns, strict=True):
                share = _share(weighted[column], weight.sum())
                rows.append((scores.name, part.name, name, float(n_questions[column]), share))
            share = _share(weighted["right_type"], weighted["typed_wrong"])
            n_right_type = float(n_questions["right_type"])
            rows.append((scores.name, part.name, OF_KNOWN, n_right_type, share))
    return pd.DataFrame(rows, columns=["run", "slice", "outcome", "questions", "share"])


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")
