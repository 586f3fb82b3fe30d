"""One panel per feature: bars of pool and sample side by side, and the means of both."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from qaldgen.features.labels import label_of
from qaldgen.io.text import shorten
from qaldgen.pictures.scene import Scene
from qaldgen.pictures.style import (
    GREY,
    POOL,
    POOL_EDGE,
    SAMPLE,
    round_values,
    short_number,
    titled_figure,
)
from qaldgen.selection.arrays import Matrix
from qaldgen.selection.variables import features_of_variables

#: Up to this many different values get a bar each. More numbers are binned; the remaining
#: categories share one bar.
MAX_BARS = 12
#: Larger whole numbers are binned instead of getting a bar each.
_COUNTABLE = 2.0**52
#: If the largest number exceeds the median by this factor, most numbers would share one even bin.
_SKEWED = 50.0
#: Of more features than this, those whose shares differ most have a panel.
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


class Panel(NamedTuple):
    """The bars of one feature, at positions 0, 1, ..."""

    name: str
    pool: Matrix  # the share of the pool at each bar
    sample: Matrix  # the share of the sample at each bar
    ticks: list[tuple[float, str]]  # positions and labels
    means: tuple[float, float] | None = None  # of pool and sample
    mean_positions: tuple[float, float] | None = None
    axis: str = ""  # a note on the scale


def panels_of(scene: Scene) -> list[Panel]:
    """Return a panel for each feature; the columns ``variable=value`` of a category share one."""
    groups: dict[tuple[str, bool], list[int]] = {}
    for column, name in enumerate(scene.vectors.features):
        variable, equals, _ = name.partition("=")
        raw = scene.vectors.raw[:, column]
        is_category = bool(equals) and raw.min() >= 0.0 and raw.max() <= 1.0
        if is_category:
            name = variable
        groups.setdefault((name, is_category), []).append(column)
    feature_of = features_of_variables(scene.vectors.query)
    panels = []
    for (name, is_category), columns in groups.items():
        label = label_of(feature_of.get(name, name))
        if is_category:
            panels.append(_make_category_panel(scene, label, columns))
        else:
            panels.append(_make_number_panel(scene, label, columns[0]))
    return panels


def _make_category_panel(scene: Scene, name: str, columns: list[int]) -> Panel:
    """Return the panel of a category: a bar for each frequent value, and one for all others."""
    pool = scene.vectors.raw[:, columns]
    parts = (pool, pool[scene.chosen])
    order = np.argsort(-pool.mean(axis=0), kind="stable")
    bars = order
    if len(order) > MAX_BARS + 1:  # a bar for a single other value would save nothing
        bars = order[:MAX_BARS]
    merged = order[len(bars) :]

    labels = []
    for bar in bars:
        value = scene.vectors.features[columns[bar]].partition("=")[2]
        labels.append(shorten(value or "(empty)", 20))

    shares = [part[:, bars].mean(axis=0) for part in parts]
    if len(merged):
        labels.append(f"{len(merged):,} others")
        shares = [
            np.append(share, part[:, merged].max(axis=1).mean())
            for share, part in zip(shares, parts, strict=True)
        ]

    ticks = [(float(position), label) for position, label in enumerate(labels)]
    return Panel(name, pool=shares[0], sample=shares[1], ticks=ticks)


def _make_number_panel(scene: Scene, name: str, column: int) -> Panel:
    """Return the panel of a number: a bar for each value, or for each bin if there are many."""
    pool = scene.vectors.raw[:, column]
    sample = pool[scene.chosen]
    means = (float(pool.mean()), float(sample.mean()))

    values, value_of = np.unique(pool, return_inverse=True)
    axis = ""
    if len(values) <= MAX_BARS:  # a bar for each value
        edges = marks = values
        positions = np.arange(float(len(values)))
        shares = [
            np.bincount(part, minlength=len(values)) / len(part)
            for part in (value_of, value_of[scene.chosen])
        ]
    else:  # a bar between each two edges
        edges, axis = _bin_edges(pool)
        positions = np.arange(float(len(edges))) - 0.5
        shares = [
            np.histogram(np.clip(part, edges[0], edges[-1]), edges)[0] / len(part)
            for part in (pool, sample)
        ]
        step = math.ceil(len(edges) / 8)
        marks = edges[::step] if axis else round_values(edges[0], edges[-1])

    pool_mean, sample_mean = np.interp(means, edges, positions)
    ticks = [
        (float(np.interp(mark, edges, positions)), short_number(mark))
        for mark in marks
        if edges[0] <= mark <= edges[-1]
    ]

    return Panel(
        name,
        pool=shares[0],
        sample=shares[1],
        ticks=ticks,
        means=means,
        mean_positions=(pool_mean, sample_mean),
        axis=axis,
    )


def _bin_edges(raw: Matrix) -> tuple[Matrix, str]:
    """Return the borders of the bins, and ``log scale`` if they are not evenly spaced."""
    median = float(np.median(raw)) or float(np.median(raw[raw != 0.0]))
    if raw.min() >= 0.0 and raw.max() > _SKEWED * median:
        smallest = raw[raw > 0.0].min()
        largest = raw.max()
        powers = range(math.floor(math.log10(smallest)), math.ceil(math.log10(largest * 1.001)) + 1)
        steps = (1.0, 2.0, 5.0) if len(powers) <= 7 else (1.0,)
        marks = list[float]()
        for power in powers:
            marks += [step * 10.0**power for step in steps]
        edges = np.array(marks)
        start = int(np.sum(edges <= smallest)) - 1
        stop = int(np.sum(edges <= largest)) + 1
        edges = edges[start:stop]
        if raw.min() == 0.0:
            edges = np.insert(edges, 0, 0.0)
        return edges, "log scale"

    if np.abs(raw).max() < _COUNTABLE and np.array_equal(raw, raw.round()):
        width = max(1, math.ceil((raw.max() - raw.min() + 1) / 25))
        return np.arange(raw.min() - 0.5, raw.max() + width, width), ""
    return np.linspace(raw.min(), raw.max(), 21), ""


def draw_features(scene: Scene) -> Figure:
    """Draw a panel for each feature; at most `MAX_PANELS`, those that differ most."""
    panels = panels_of(scene)
    differences = [float(np.abs(panel.pool - panel.sample).sum()) for panel in panels]
    most_different = np.argsort(np.round(np.negative(differences), 9), kind="stable")
    indices = sorted(most_different[:MAX_PANELS])

    note = "Share of the questions by value; each chosen question counts once."
    heading = "Features of pool and sample"
    if len(panels) > len(indices):
        left_out = len(panels) - len(indices)
        heading += f": the {len(indices)} that differ most, {left_out:,} not shown"

    columns = min(4, math.ceil(math.sqrt(len(indices))))
    rows = math.ceil(len(indices) / columns)
    figure, room = titled_figure(
        scene, (max(6.6, 3.1 * columns), 2.3 * rows), heading, note, extra=0.2
    )
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, index in zip(grid, indices, strict=False):
        _draw_panel(axes, panels[index])
    for axes in grid[len(indices) :]:
        axes.set_axis_off()

    # the legend is above the panels
    handles = [
        Patch(label="pool", **_POOL_BAR),
        Patch(label="sample", **_SAMPLE_BAR),
        Line2D([], [], label="mean of the pool", **_POOL_MEAN),
        Line2D([], [], label="mean of the sample", **_SAMPLE_MEAN),
    ]
    anchor = (0.12 / figure.get_figwidth(), room + 0.26 / figure.get_figheight())
    legend = figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=anchor,
        frameon=False,
        fontsize=8,
        ncols=4,
        borderaxespad=0.0,
        borderpad=0.2,
    )
    legend.set_in_layout(False)
    return figure


def _draw_panel(axes: Axes, panel: Panel) -> None:
    """Draw the bars of a feature, its ticks, and the means of a number."""
    positions = np.arange(len(panel.pool))
    # the bars of a category are horizontal: its values have long names
    is_category = panel.means is None
    draw_bars = axes.barh if is_category else axes.bar
    draw_bars(positions - 0.2, panel.pool, 0.4, **_POOL_BAR)
    draw_bars(positions + 0.2, panel.sample, 0.4, **_SAMPLE_BAR)

    value_axis: Axis = axes.yaxis if is_category else axes.xaxis
    share_axis: Axis = axes.xaxis if is_category else axes.yaxis
    tick_positions, labels = zip(*panel.ticks, strict=True)
    value_axis.set_ticks(tick_positions, labels, fontsize=7)
    share_axis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    share_axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))

    axes.tick_params(labelsize=7, length=2)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(shorten(panel.name, 26), fontsize=9, weight="bold", loc="left", pad=4)

    if is_category:
        axes.invert_yaxis()

    if panel.means is not None and panel.mean_positions is not None:
        axes.axvline(panel.mean_positions[0], **_POOL_MEAN)
        axes.axvline(panel.mean_positions[1], **_SAMPLE_MEAN)
        label = f"mean: pool {short_number(panel.means[0])}, sample {short_number(panel.means[1])}"
        if panel.axis:
            label = f"{panel.axis}; {label}"
        axes.set_xlabel(label, fontsize=7, color=GREY)
