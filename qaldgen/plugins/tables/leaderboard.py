"""Rows for the KGQA leaderboard (github.com/KGQA/leaderboard).

Scores in percent with two decimals, the best system first.
"""

from __future__ import annotations

from collections.abc import Sequence

from qaldgen.benchmark.gold import Gold
from qaldgen.io.terminal import escape_line
from qaldgen.io.text import markdown_table
from qaldgen.options import Option
from qaldgen.reports.tables.results import markdown
from qaldgen.reports.tables.score_formats import ScoreFormat
from qaldgen.scoring.measures import MEASURES
from qaldgen.scoring.score import Scores

_HEAD = ("Model / System", "Year", "Precision", "Recall", "F1", "Language", "Reported by")
_MEASURES = ("macro-precision", "macro-recall", "macro-f1")


def leaderboard_rows(
    gold: Gold, scored: Sequence[Scores], *, year: str = "", reported_by: str = ""
) -> bytes:
    """Return a row for each run, in Markdown, with macro precision, recall and F1."""
    values_by_system = []
    for scores in scored:
        values = [MEASURES[name].of(scores.counts, None) for name in _MEASURES]
        values_by_system.append((scores.name, values))
    values_by_system.sort(key=lambda row: -row[1][2])
    language = scored[0].rules.language.upper()
    # not escaped as Markdown, as it is usually a link
    source = escape_line(reported_by).replace("|", r"\|")
    rows = [_HEAD, (":---:",) * len(_HEAD)]
    for name, values in values_by_system:
        percent = [f"{100 * value:.2f}" for value in values]
        rows.append((markdown(name), markdown(year), *percent, language, source))
    return markdown_table(rows).encode()


LEADERBOARD = ScoreFormat(
    leaderboard_rows,
    "rows for the KGQA leaderboard, in Markdown",
    (
        Option("year", "", "year of the paper"),
        Option("reported_by", "", "source of the scores, for instance a Markdown link"),
    ),
)
