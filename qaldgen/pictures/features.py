"""One panel per feature: bars of pool and sample side by side, and the means of both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from qaldgen.io.shorten import short
from qaldgen.pictures.feature_bars import Panel, panels_of
from qaldgen.pictures.scene import Scene
from qaldgen.pictures.style import GREY, POOL, POOL_EDGE, SAMPLE, page, short_number

MAX_PANELS = 24
_POOL_BAR: dict[str, Any] = {"facecolor": POOL, "edgecolor": POOL_EDGE, "linewidth": 0.4}
_SAMPLE_BAR: dict[str, Any] = {
    "facecolor": "#fcdcc4",
    "edgecolor": SAMPLE,
    "hatch": "////",
    "linewidth": 0.4,
}
_POOL_MEAN: dict[str, Any] = {"color": "#1f4e79", "linestyle": (0, (3, 1.5)), "linewidth": 1.3}
_SAMPLE_MEAN: dict[str, Any] = {"color": SAMPLE, "linestyle": "-", "linewidth": 1.3}


def draw_features(scene: Scene) -> Figure:
    """Draw one panel per feature.

    If there are more than `MAX_PANELS`, draw those in which pool and sample differ most.
    """
    panels = panels_of(scene)
    differs = [-float(np.abs(panel.pool - panel.sample).sum()) for panel in panels]
    shown = sorted(np.argsort(np.round(differs, 9), kind="stable")[:MAX_PANELS])
    note = "Share of the questions by value; each chosen question counts once."
    heading = "Features of pool and sample"
    if len(panels) > len(shown):
        heading += f": the {len(shown)} that differ most, {len(panels) - len(shown):,} not shown"
    wide = min(4, math.ceil(math.sqrt(len(shown))))
    deep = math.ceil(len(shown) / wide)
    figure, room = page(scene, (max(6.6, 3.1 * wide), 2.3 * deep), heading, note, extra=0.2)
    grid = figure.subplots(deep, wide, squeeze=False).ravel()
    for axes, at in zip(grid, shown, strict=False):
        _draw_panel(axes, panels[at])
    for axes in grid[len(shown) :]:
        axes.set_axis_off()
    _explain(figure, room)
    return figure


def _explain(figure: Figure, room: float) -> None:
    """Put the legend above the panels."""
    bars = [Patch(label="pool", **_POOL_BAR), Patch(label="sample", **_SAMPLE_BAR)]
    lines = [
        Line2D([], [], label="mean of the pool", **_POOL_MEAN),
        Line2D([], [], label="mean of the sample", **_SAMPLE_MEAN),
    ]
    where = (0.12 / figure.get_figwidth(), room + 0.26 / figure.get_figheight())
    look: dict[str, Any] = {
        "frameon": False,
        "fontsize": 8,
        "ncols": 4,
        "borderaxespad": 0.0,
        "borderpad": 0.2,
    }
    figure.legend(
        handles=[*bars, *lines], loc="upper left", bbox_to_anchor=where, **look
    ).set_in_layout(False)


def _draw_panel(axes: Axes, panel: Panel) -> None:
    places, flat = np.arange(len(panel.pool)), panel.means is None
    draw_bars = axes.barh if flat else axes.bar
    draw_bars(places - 0.2, panel.pool, 0.4, **_POOL_BAR)
    draw_bars(places + 0.2, panel.sample, 0.4, **_SAMPLE_BAR)
    along, across = (axes.yaxis, axes.xaxis) if flat else (axes.xaxis, axes.yaxis)
    along.set_ticks(
        [place for place, _ in panel.ticks], [label for _, label in panel.ticks], fontsize=7
    )
    across.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    across.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.tick_params(labelsize=7, length=2)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(short(panel.name, 26), fontsize=9, weight="bold", loc="left", pad=4)
    if flat:
        axes.invert_yaxis()
    if panel.means is not None and panel.places is not None:
        axes.axvline(panel.places[0], **_POOL_MEAN)
        axes.axvline(panel.places[1], **_SAMPLE_MEAN)
        words = f"mean: pool {short_number(panel.means[0])}, sample {short_number(panel.means[1])}"
        axes.set_xlabel(f"{panel.axis}; {words}" if panel.axis else words, fontsize=7, color=GREY)
