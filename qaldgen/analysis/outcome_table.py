"""How often each outcome and mistake occurs, for each run, on all questions and on slices."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from qaldgen.analysis.slices.slicing import ALL, Slice
from qaldgen.errors import UsageError
from qaldgen.scoring.missing import DEFAULT
from qaldgen.scoring.mistakes import OUTCOMES, column_of
from qaldgen.scoring.score import Scores

#: The share of the right type among wrong answers whose kind or type is known.
OF_KNOWN = "right type, of wrong answers with a known kind or type"


def outcome_table(
    scored: Sequence[Scores],
    slices: Sequence[Slice] = (),
    *,
    missing: str = DEFAULT,
    weights: pd.Series[float] | None = None,
) -> pd.DataFrame:
    """Return how often each outcome occurred, for each run, on all questions and on slices."""
    rows = []
    for scores in scored:
        if "outcome" not in scores.counts:
            raise UsageError(f"{scores.name}: has no outcomes; with_outcomes adds them")
        counts = scores.with_missing(missing)
        all_questions = Slice(ALL, tuple(map(str, counts.index)))
        for part in [all_questions, *slices]:
            inside = counts[part.mask(counts.index)]
            weight = pd.Series(1.0, inside.index) if weights is None else weights.loc[inside.index]
            for name in OUTCOMES:
                hit = inside[column_of(name)]
                share = float((hit * weight).sum() / weight.sum()) if len(inside) else float("nan")
                rows.append((scores.name, part.name, name, float(hit.sum()), share))
            right = inside["right_type"]
            typed_weight = float((inside["typed_wrong"] * weight).sum())
            share = float((right * weight).sum()) / typed_weight if typed_weight else float("nan")
            rows.append((scores.name, part.name, OF_KNOWN, float(right.sum()), share))
    return pd.DataFrame(rows, columns=["run", "slice", "outcome", "questions", "share"])
