"""The line chart of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from qaldgen.defaults import LAYOUT, LEVEL_LABEL
from qaldgen.io.text import shorten
from qaldgen.pictures.style import COLOURS, GREY, figure_bytes, paper_style

if TYPE_CHECKING:
    import pandas as pd


_STYLES = ("--", "-")
#: More lines than this are hard to tell apart. If there are more systems, those with the largest,
#: middle and smallest error are drawn.
MOST_SYSTEMS = 4


def draw_plan(
    curves: pd.DataFrame, form: str, *, wanted: float | None = None, layout: str = LAYOUT
) -> bytes:
    """Draw half the width of the 95 % interval against the number of questions.

    Of many systems some are drawn, which span the range of errors.
    """
    largest_errors = curves.max().groupby(level=0, sort=False).first().sort_values(kind="stable")
    ranks = np.unique(np.linspace(0, len(largest_errors) - 1, MOST_SYSTEMS).round().astype(int))
    names = [str(largest_errors.index[rank]) for rank in ranks]
    largest = float(curves.index[-1])
    systems = curves.columns.unique(0).tolist()
    designs = curves.columns.unique(1).tolist()

    with paper_style(layout) as width:
        figure = Figure(figsize=(width, max(2.4, 0.6 * width)), layout="constrained")
        axis = figure.subplots()
        ends = []
        for system, colour in zip(names, COLOURS, strict=False):
            for line, design in zip(_STYLES, designs, strict=False):
                error = curves[system, design]
                axis.plot(curves.index, error, color=colour, ls=line, lw=1.2)
            ends.append((float(error.iloc[-1]), shorten(system, 24), colour))

        # names at the ends of the lines, shifted where they would overlap
        height = -np.inf
        gap = 0.05 * axis.get_ylim()[1]
        for value, label, colour in sorted(ends):
            height = max(value, height + gap)
            axis.annotate(
                label,
                (largest, height),
                (4, 0),
                textcoords="offset points",
                va="center",
                color=colour,
                annotation_clip=False,
            )

        if wanted is not None:
            axis.axhline(wanted, color=GREY, lw=0.9)
            axis.annotate(
                f"wanted: ±{100 * wanted:g} %",
                (0.6 * largest, wanted),
                (0, 2),
                textcoords="offset points",
                ha="center",
                color=GREY,
            )

        title = "How many questions does it take?"
        if len(names) < len(systems):
            title += f" ({len(names)} of {len(systems)} systems)"
        axis.set_title(title)

        line_styles = []
        for line, design in zip(_STYLES, designs, strict=False):
            style = "dashed" if line == "--" else "solid"
            line_styles.append(f"{style}: {design}")
        axis.set_xlabel(f"questions in the sample ({', '.join(line_styles)})")
        axis.set_ylabel(f"error (half of the {LEVEL_LABEL} interval)")
        axis.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
        axis.set_ylim(bottom=0)
        axis.grid(color="#dddddd", lw=0.5)

        return figure_bytes(figure, form)
