"""Line charts of a study of samples, of a plan, and of a sequential test."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter

from qaldgen.io.text import short
from qaldgen.pictures.style import DEFAULT, GREY, figure_bytes, own_style, paper_style

if TYPE_CHECKING:
    import pandas as pd


#: Okabe and Ito's colours, which colour-blind readers can tell apart; markers and labels tell the
#: methods apart without colour.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c8c00")
MARKERS = "osD^vPX*<>"
_PANELS = (
    ("mae", "Mean absolute error"), ("bias", "Bias"), ("coverage", "Coverage of the 95 % interval"),
)  # fmt: skip
#: Half a 95 % interval, in standard errors.
_HALF = 1.96
#: An axis of percentages spans at least two points.
_LEAST_SPAN = 0.02


def draw_study(table: pd.DataFrame, form: str, layout: str = DEFAULT) -> bytes:
    """Draw the result of `qaldgen.study`: error, bias and coverage against N, in percent."""
    # probability designs have solid lines, purposive ones dashed lines; the bands are 95 %
    # intervals of the mean error
    with paper_style(layout) as width:
        narrow = width < 4
        size = (width, 2.1 * len(_PANELS) + 0.6) if narrow else (width, 0.36 * width + 0.7)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(len(_PANELS), 1) if narrow else figure.subplots(1, len(_PANELS))
        for axis, (column, title) in zip(axes, _PANELS, strict=True):
            for at, (method, rows) in enumerate(table.groupby("method", sort=False)):
                _draw_method(axis, rows, column, at, str(method))
            axis.set_title(title)
            axis.set_xlabel("questions in the sample")
            axis.set_xscale("log")
            axis.xaxis.set_major_locator(FixedLocator(sorted(set(table["n"].tolist()))))
            axis.xaxis.set_minor_locator(NullLocator())
            axis.xaxis.set_major_formatter("{x:g}")
            axis.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
            axis.grid(color="#dddddd", lw=0.5)
            _widen(axis)
        axes[0].set_ylim(bottom=0)
        axes[1].axhline(0, color=GREY, lw=0.8)
        axes[2].axhline(0.95, color=GREY, lw=0.8, ls="--")
        columns = 3 if narrow else 6
        figure.legend(
            *axes[0].get_legend_handles_labels(),
            loc="outside lower center",
            ncols=columns,
            frameon=False,
        )
        return figure_bytes(figure, form)


def _widen(axis: Any) -> None:  # noqa: ANN401 - matplotlib
    """Make the axis span at least `_LEAST_SPAN`."""
    # otherwise the rounding errors of a bias of 0 would fill it, and all ticks would look the same
    low, high = axis.get_ylim()
    missing = _LEAST_SPAN - (high - low)
    if missing > 0:
        axis.set_ylim(low - missing / 2, high + missing / 2)


def _draw_method(axis: Any, rows: pd.DataFrame, column: str, at: int, name: str) -> None:  # noqa: ANN401 - matplotlib
    line = "-" if set(rows["design"]) == {"probability"} else "--"
    colour = COLOURS[at % len(COLOURS)]
    axis.plot(
        rows["n"],
        rows[column],
        label=name,
        marker=MARKERS[at % 10],
        color=colour,
        ls=line,
        lw=1.2,
        ms=4,
    )
    if column == "mae" and rows["mae_se"].notna().any():
        reach = _HALF * rows["mae_se"].fillna(0.0)
        axis.fill_between(
            rows["n"], rows[column] - reach, rows[column] + reach, color=colour, alpha=0.15, lw=0
        )


_STYLES = ("--", "-")
#: More lines than this are hard to tell apart. If there are more systems, those with the largest,
#: middle and smallest error are drawn.
MOST_SYSTEMS = 4


def draw_plan(
    curves: pd.DataFrame, form: str, *, wanted: float | None = None, layout: str = DEFAULT
) -> bytes:
    """Draw half the width of the 95 % interval against the number of questions."""
    shown = _told_apart(curves)
    largest = float(curves.index[-1])
    systems, designs = (curves.columns.unique(level).tolist() for level in (0, 1))
    with paper_style(layout) as width:
        figure = Figure(figsize=(width, max(2.4, 0.6 * width)), layout="constrained")
        axis = figure.subplots()
        ends = []
        for at, system in enumerate(shown):
            for line, design in zip(_STYLES, designs, strict=False):
                error = curves[system, design]
                axis.plot(curves.index, error, color=COLOURS[at], ls=line, lw=1.2)
            ends.append((float(error.iloc[-1]), short(system, 24), COLOURS[at]))
        _label_lines(axis, ends, largest)
        if wanted is not None:
            axis.axhline(wanted, color=GREY, lw=0.9)
            words = f"wanted: ±{100 * wanted:g} %"
            middle: dict[str, Any] = {
                "xytext": (0, 2),
                "textcoords": "offset points",
                "ha": "center",
                "color": GREY,
            }
            axis.annotate(words, (0.6 * largest, wanted), **middle)
        left_out = f" ({len(shown)} of {len(systems)} systems)" if len(shown) < len(systems) else ""
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


def _told_apart(curves: pd.DataFrame) -> list[str]:
    """Return the systems to draw: all, or a selection that spans the whole range of errors."""
    error = curves.max().groupby(level=0, sort=False).first().sort_values(kind="stable")
    places = np.unique(np.linspace(0, len(error) - 1, MOST_SYSTEMS).round().astype(int))
    return [str(error.index[at]) for at in places]


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


def draw_looks(path: pd.DataFrame, looks: pd.DataFrame, title: str, form: str) -> bytes:
    """Draw how the difference and its interval changed as answers arrived, and the looks."""
    with own_style():
        figure = Figure(figsize=(6.5, 4.0), layout="constrained")
        axis = figure.subplots()
        axis.fill_between(
            path["questions"],
            path["low"],
            path["high"],
            color=COLOURS[0],
            alpha=0.18,
            lw=0,
            label="95 % interval",
        )
        axis.plot(
            path["questions"], path["estimate"], color=COLOURS[0], lw=1.4, label="difference so far"
        )
        for at, look in enumerate(looks.to_dict("records")):
            stopped = bool(look["verdict"])
            axis.errorbar(
                look["questions"], look["difference"],
                [[look["difference"] - look["low"]], [look["high"] - look["difference"]]],
                fmt="D" if stopped else "o", ms=5 if stopped else 3.5,
                color=COLOURS[1] if stopped else GREY, capsize=3, lw=1,
                label=_label(look, first=at == 0),
            )  # fmt: skip
        axis.axhline(0, color=GREY, lw=0.8, ls="--")
        axis.set_xlabel("questions asked")
        axis.set_ylabel("difference")
        axis.set_title(short(title, 70), fontsize=10)
        axis.grid(color="#dddddd", lw=0.5)
        axis.legend(frameon=False, fontsize=8)
        return figure_bytes(figure, form)


def _label(look: Mapping[Hashable, object], *, first: bool) -> str:
    """Return the legend label of a look; looks that did not stop share one label."""
    if look["verdict"]:
        return f"look that stops: {look['verdict']}"
    return "look, with its repeated interval" if first else "_nolegend_"
