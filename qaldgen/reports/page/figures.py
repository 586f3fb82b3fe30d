"""The figures of a report for a paper: the ranking, and the scores by kind of question."""

from __future__ import annotations

import itertools

import pandas as pd

from qaldgen.reports.page.contents import Report
from qaldgen.reports.page.data import rank_ranges
from qaldgen.scoring.intervals import FEWEST

#: The figures, by the part of the file name.
PARTS = ("ranking", "kinds")
#: A feature with more kinds than this is left out; only clusters have so many.
_MOST_KINDS = 40


def overall_of(report: Report) -> pd.DataFrame:
    """Return the score of each system on all questions, the best first."""
    overall = report.scores[report.scores["feature"] == ""].set_index("system")
    return overall.loc[list(report.systems), ["estimate", "low", "high"]]


def scores_by_kind(report: Report) -> pd.DataFrame:
    """Return the scores on all questions, then on each kind that is large enough for a score."""
    all_slices = itertools.chain.from_iterable(report.slices.values())
    labels = {part.name: part.label for part in all_slices}
    features = [name for name, group in report.slices.items() if len(group) <= _MOST_KINDS]
    scores = report.scores[report.scores["feature"].isin(["", *features])]
    scores = scores[(scores["n"] >= FEWEST) | (scores["feature"] == "")]
    return scores.assign(label=scores["slice"].map(labels).fillna("all questions"))


def figures(report: Report, form: str) -> dict[str, bytes]:
    """Return each figure as ``svg`` or ``pdf``."""
    from qaldgen.pictures.scores import draw_kinds, draw_ranking

    ranks = rank_ranges(report.comparison, report.systems)
    return {
        "ranking": draw_ranking(overall_of(report), ranks, report.measured, form),
        "kinds": draw_kinds(scores_by_kind(report), report.systems, report.measured, form),
    }
