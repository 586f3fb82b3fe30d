"""Rows for the KGQA leaderboard (github.com/KGQA/leaderboard).

Scores in percent with two decimals, the best system first.
"""

from __future__ import annotations

from collections.abc import Sequence

from qaldgen.io.terminal import one_line
from qaldgen.io.text_tables import markdown_table
from qaldgen.reports.tables.results import markdown
from qaldgen.scoring.measures import MEASURES
from qaldgen.scoring.score import Scores

_HEAD = ("Model / System", "Year", "Precision", "Recall", "F1", "Language", "Reported by")
_MEASURES = ("macro-precision", "macro-recall", "macro-f1")


def leaderboard_rows(
    scored: Sequence[Scores],
    *,
    language: str = "en",
    year: str = "",
    reported_by: str = "",
    head: bool = True,
) -> str:
    """Return a row for each run, in Markdown, with macro precision, recall and F1.

    Parameters
    ----------
    scored
        The runs.
    language
        Language of the questions, as a tag.
    year
        The year of the paper.
    reported_by
        The source of the scores, for instance a Markdown link to the paper.
    head
        Whether to begin with the two header lines.

    Examples
    --------
    >>> import pandas as pd
    >>> from qaldgen.runs.record import Run
    >>> counts = pd.DataFrame({"precision": [1.0, 0.5], "recall": [1.0, 0.0], "f1": [1.0, 0.0]})
    >>> scored = Scores(Run("mine", "table", {}), counts, "gerbil")
    >>> print(leaderboard_rows([scored], year="2026", head=False))
    | mine | 2026 | 75.00 | 50.00 | 50.00 | EN |  |
    <BLANKLINE>
    """
    measured = [
        (one.name, [MEASURES[name].of(one.counts, None) for name in _MEASURES]) for one in scored
    ]
    measured.sort(key=lambda row: -row[1][2])
    # not escaped as Markdown, because it is usually a link
    told = one_line(reported_by).replace("|", r"\|")
    rows = [
        (
            markdown(name),
            markdown(year),
            *(f"{100 * value:.2f}" for value in values),
            language.upper(),
            told,
        )
        for name, values in measured
    ]
    shown = [_HEAD, (":---:",) * len(_HEAD), *rows] if head else rows
    return markdown_table(shown)
