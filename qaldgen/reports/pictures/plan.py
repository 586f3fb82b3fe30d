"""The picture of a plan: expected error against the number of questions, one line per system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from qaldgen.analysis.planning import error_of
from qaldgen.io.shorten import short
from qaldgen.reports.pictures.paper import DEFAULT, figure_bytes, paper_style
from qaldgen.reports.pictures.study import COLOURS
from qaldgen.reports.pictures.style import GREY

if TYPE_CHECKING:
    import pandas as pd

_LARGEST = 1000
_STYLES = ("--", "-")
#: More lines than this are hard to tell apart. If there are more systems, those with the largest,
#: middle and smallest error are drawn.
MOST_SYSTEMS = 4


def draw_plan(
    scores: pd.DataFrame,
    pool: int | None,
    designs: Mapping[str, float],
    form: str,
    *,
    wanted: float | None = None,
    layout: str = DEFAULT,
) -> bytes:
    """Draw half the width of the 95 % interval against N.

    Parameters
    ----------
    scores
        Scores of a pilot, one column per system.
    pool
        Number of questions in the pool; None for an infinite pool.
    designs
        Sampling method to design effect; the first is dashed, the second solid.
    form
        ``png``, ``svg`` or ``pdf``.
    wanted
        The target error, to be marked; None for none.
    layout
        A key of `paper.LAYOUTS`.
    """
    sizes = np.unique(np.geomspace(10, min(pool or _LARGEST, _LARGEST), 300).astype(int)).tolist()
    shown = _told_apart(scores)
    with paper_style(layout) as width:
        figure = Figure(figsize=(width, max(2.4, 0.6 * width)), layout="constrained")
        axis = figure.subplots()
        ends = []
        for at, system in enumerate(shown):
            for line, (_, effect) in zip(_STYLES, designs.items(), strict=False):
                error = error_of(scores[system], sizes, pool_size=pool, design_effect=effect)
                axis.plot(sizes, error, color=COLOURS[at], ls=line, lw=1.2)
            ends.append((float(error[-1]), short(system, 24), COLOURS[at]))
        _label_lines(axis, ends, float(sizes[-1]))
        if wanted is not None:
            axis.axhline(wanted, color=GREY, lw=0.9)
            words = f"wanted: ±{100 * wanted:g} %"
            middle: dict[str, Any] = {
                "xytext": (0, 2),
                "textcoords": "offset points",
                "ha": "center",
                "color": GREY,
            }
            axis.annotate(words, (0.6 * sizes[-1], wanted), **middle)
        left_out = (
            f" ({len(shown)} of {scores.shape[1]} systems)" if len(shown) < scores.shape[1] else ""
        )
        axis.set_title(f"How many questions does it take?{left_out}")
        how = ", ".join(
            f"{'dashed' if line == '--' else 'solid'}: {name}"
            for line, name in zip(_STYLES, designs, strict=False)
        )
        axis.set_xlabel(f"questions in the sample ({how})")
        axis.set_ylabel("error (half of the 95 % interval)")
        axis.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
        axis.set_ylim(bottom=0)
        axis.grid(color="#dddddd", lw=0.5)
        return figure_bytes(figure, form)


def _told_apart(scores: pd.DataFrame) -> list[str]:
    """Return the systems to draw: all, or a selection that spans the whole range of errors."""
    spread = scores.std(ddof=1).sort_values(kind="stable")
    places = np.unique(np.linspace(0, len(spread) - 1, MOST_SYSTEMS).round().astype(int))
    return [str(spread.index[at]) for at in places]


def _label_lines(axis: Axes, ends: list[tuple[float, str, str]], right: float) -> None:
    """Write the names at the ends of the lines, shifted where they would overlap."""
    last, gap = -np.inf, 0.05 * axis.get_ylim()[1]
    for value, name, colour in sorted(ends):
        last = max(value, last + gap)
        axis.annotate(
            name,
            (right, last),
            (4, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            annotation_clip=False,
        )
