"""The picture of a study: error against sample size, one line for each method."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from qaldgen.reports.pictures.style import GREY, own_style

if TYPE_CHECKING:
    import pandas as pd

#: Okabe and Ito's colours, which colour-blind readers can tell apart; markers and labels tell the methods apart without colour.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c8c00")
_MARKERS = "osD^vPX*<>"


def draw_study(table: pd.DataFrame, form: str) -> bytes:
    """Return the picture of a table of `analysis.study.study` as ``png`` or ``svg``: error, bias and coverage against N.

    Probability designs have solid lines, purposive ones dashed lines.
    """
    panels = (("mae", "mean absolute error"), ("bias", "bias"), ("coverage", "coverage of the 95 % interval"))
    with own_style():
        figure = Figure(figsize=(11, 4.2), layout="constrained")
        axes = figure.subplots(1, len(panels))
        for axis, (column, label) in zip(axes, panels, strict=True):
            for at, (method, rows) in enumerate(table.groupby("method", sort=False)):
                line = "-" if set(rows["design"]) == {"probability"} else "--"
                look = {"marker": _MARKERS[at % 10], "color": COLOURS[at % 8], "ls": line, "lw": 1.2, "ms": 4}
                axis.plot(rows["n"], rows[column], label=str(method), **look)
            axis.set_title(label, fontsize=10)
            axis.set_xlabel("questions in the sample")
            axis.set_xticks(sorted(set(table["n"])))
            axis.grid(color="#dddddd", lw=0.5)
        axes[0].set_ylim(bottom=0)
        axes[1].axhline(0, color=GREY, lw=0.8)
        axes[2].axhline(0.95, color=GREY, lw=0.8, ls="--")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False)
        data = io.BytesIO()
        figure.savefig(
            data, format=form, dpi=150, facecolor="white", metadata={"Date": None} if form == "svg" else {"Software": None}
        )
    return data.getvalue()
