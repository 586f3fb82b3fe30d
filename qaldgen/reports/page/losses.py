"""What the retriever and what the reader of each system missed, as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.reports.page.build import Report

#: The caption of the table.
LOSSES = "What the retriever and the reader missed"
_COUNTS = ("right", "right without passage", "retriever miss", "reader miss")


def loss_frame(report: Report) -> pd.DataFrame:
    """Return one row for each kind of question and system.

    How many answers are right, and who missed the others.

    Parameters
    ----------
    report
        With its losses.
    """
    import pandas as pd

    table = report.losses
    if table is None:
        return pd.DataFrame()
    labels = {one.name: one.label for slices in report.slices.values() for one in slices}
    rows = []
    # the systems are listed below each other, so that a slice can be compared at a glance
    for name in dict.fromkeys(table["slice"]):
        label = labels.get(name, "all questions")
        for row in table[table["slice"] == name].to_dict("records"):
            n = int(row["n"])
            cells = {kind: _share(int(row[kind]), n) for kind in _COUNTS}
            rows.append({"questions": label, "system": row["system"], "n": n, **cells})
    return pd.DataFrame(rows)


def _share(count: int, n: int) -> str:
    return f"{count:,} ({count / n:.0%})" if n else "0"
