"""The weak spots of systems in words and as a table, as the cards of the page show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.weak_spots import WeakSpot
    from qaldgen.reports.page.build import Report


def weak_sentences(report: Report) -> list[str]:
    """Return a line for each system: what it is weak on, or why nothing is named.

    Parameters
    ----------
    report
        The report; without a search for weak spots there are no lines.

    Returns
    -------
    list of str
        In the order of the systems.
    """
    lines = []
    for system in report.systems:
        spots = report.weak.spots.get(system)
        if spots is None:
            continue
        said = "; ".join(map(_in_words, spots))
        note = report.weak.notes.get(system, "")
        lines.append(f"{system} is weak on: {said}." if spots else f"{system}: {note}")
    return lines


def _in_words(spot: WeakSpot) -> str:
    questions = f"{len(spot.slice):,} question{'' if len(spot.slice) == 1 else 's'}"
    verdict = "confirmed" if spot.confirmed else "may be chance"
    figures = f"{spot.score:.2f} here, {spot.elsewhere:.2f} elsewhere, {spot.overall:.2f} overall"
    return f"{spot.slice.label} ({figures}, {questions}, {verdict})"


def weak_table(report: Report, *, people: bool = False) -> pd.DataFrame:
    """Return one row for each weak spot.

    Parameters
    ----------
    report
        The report.
    people
        Without what only programs use.
    """
    import pandas as pd

    rows = [
        _row(report, system, number, spot)
        for system in report.systems
        for number, spot in enumerate(report.weak.spots.get(system, ()), 1)
    ]
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    return frame[list(_FOR_PEOPLE)].rename(columns=_FOR_PEOPLE) if people else frame


_COLUMNS = [
    "system", "number", "slice", "label", "n", "score", "elsewhere", "overall", "estimate", "low",
    "high", "p_adjusted", "confirmed", "other_names", "sparql",
]  # fmt: skip
_FOR_PEOPLE = {
    "system": "system", "label": "weak on", "n": "n", "score": "here", "elsewhere": "elsewhere",
    "overall": "overall", "p_adjusted": "corrected p",
}  # fmt: skip


def _row(report: Report, system: str, number: int, spot: WeakSpot) -> Sequence[object]:
    nothing = (float("nan"),) * 3
    return [
        system, number, spot.slice.name, spot.slice.label, len(spot.slice), spot.score,
        spot.elsewhere, spot.overall,
        *report.weak.estimates.get((system, spot.slice.name), nothing),
        spot.p, spot.confirmed, "; ".join(spot.other_names), spot.slice.sparql,
    ]  # fmt: skip
