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
        all_questions = Slice(ALL, tuple(map(str, counts.index)))
        for part in [all_questions, *slices]:
            inside = counts[part.mask(counts.index)]
            weight = pd.Series(1.0, inside.index) if weights is None else weights.loc[inside.index]
            columns = [*map(column_of, OUTCOMES), "typed_wrong"]
            weighted = {name: float((inside[name] * weight).sum()) for name in columns}
            for name in OUTCOMES:
                share = _share(weighted[column_of(name)], float(weight.sum()))
                rows.append(
                    (scores.name, part.name, name, float(inside[column_of(name)].sum()), share)
                )
            share = _share(weighted["right_type"], weighted["typed_wrong"])
            rows.append(
                (scores.name, part.name, OF_KNOWN, float(inside["right_type"].sum()), share)
            )
    return pd.DataFrame(rows, columns=["run", "slice", "outcome", "questions", "share"])


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
