"""The pictures of the report as SVG to be put into the page: heat maps, forest plots, the map of questions.

Ink and grey are CSS variables, so that the page decides how they look in light and in darkness; values are cividis, which
colour-blind readers see as others do, and every value is also written or marked by shape.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any, NamedTuple

import numpy as np
from matplotlib import colormaps, style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from qaldgen.reports.page.map import Projection
from qaldgen.reports.pictures.markers import areas
from qaldgen.reports.pictures.style import GREY, INK, own_style, short
from qaldgen.selection.arrays import Matrix

#: More clusters than this are drawn as a strip without names.
MOST_ROWS = 40
_SIGNIFICANT = "#0072b2"
_CIVIDIS = colormaps["cividis"]
_CELL, _ROW, _LETTER = 0.92, 0.26, 0.075
_PANEL, _EDGE = "#fefefe", "#666666"
_COLOURS = {_PANEL: "var(--panel)", INK: "var(--ink)", GREY: "var(--grey)", _SIGNIFICANT: "var(--strong)"}
_SETTINGS: dict[str, Any] = {
    "text.color": INK, "xtick.color": GREY, "ytick.color": GREY, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
    "axes.labelcolor": INK, "xtick.major.size": 0, "ytick.major.size": 0,
}  # fmt: skip
#: From so many places on a map is an image inside the SVG.
_MANY_PLACES = 1500


class Effect(NamedTuple):
    """A line of a forest plot: a difference with its interval, which is NaN where there is none."""

    label: str
    difference: float
    low: float
    high: float
    significant: bool


def draw_heat_map(rows: Sequence[str], systems: Sequence[str], values: Matrix, marked: NDArray[np.bool_], name: str) -> str:
    """Draw scores from 0 to 1 of shape (rows, systems); `marked` cells get a frame, NaN is left empty."""
    left = 0.15 + _LETTER * max(len(short(row, 34)) for row in rows)
    head = 0.1 + 0.062 * max(len(short(system, 24)) for system in systems)
    width, height = left + _CELL * len(systems) + 0.35, head + _ROW * len(rows) + 0.05
    with _figure(width, height) as figure:
        axes = _axes(figure, left, 0.05, _CELL * len(systems), _ROW * len(rows))
        for (row, column), value in np.ndenumerate(values):
            if value == value:
                _cell(axes, row, column, float(value), framed=bool(marked[row, column]))
        axes.set(xlim=(0, len(systems)), ylim=(len(rows), 0))
        axes.set_yticks(np.arange(len(rows)) + 0.5, [short(row, 34) for row in rows])
        axes.set_xticks(np.arange(len(systems)) + 0.5, [short(system, 24) for system in systems], rotation=35, ha="left")
        axes.xaxis.tick_top()
        return _svg(figure, name, f"Heat map of scores: {len(rows)} rows, {', '.join(systems)}")


def _cell(axes: Axes, row: int, column: int, value: float, *, framed: bool) -> None:
    colour = "#000000" if value > 0.48 else "#ffffff"
    axes.add_patch(Rectangle((column, row), 1.0, 1.0, facecolor=_CIVIDIS(min(max(value, 0.0), 1.0)), linewidth=0))
    if framed:
        axes.add_patch(Rectangle((column + 0.035, row + 0.11), 0.93, 0.78, fill=False, edgecolor=colour, linewidth=1.3))
    axes.text(column + 0.5, row + 0.53, f"{value:.2f}", ha="center", va="center", color=colour, fontsize=8.5)


def draw_strip(systems: Sequence[str], values: Matrix, name: str) -> str:
    """Draw many groups as narrow columns, one row a system, the groups with the lowest mean score to the left.

    `values` has the shape (groups, systems).
    """
    order = np.argsort(values.mean(axis=1), kind="stable")
    left = 0.15 + _LETTER * max(len(short(system, 24)) for system in systems)
    with _figure(left + 6.2, 0.55 + 0.3 * len(systems)) as figure:
        axes = _axes(figure, left, 0.45, 6.0, 0.3 * len(systems))
        axes.pcolormesh(values[order].T, cmap="cividis", vmin=0, vmax=1, rasterized=True)
        axes.invert_yaxis()
        axes.set_yticks(np.arange(len(systems)) + 0.5, [short(system, 24) for system in systems])
        axes.set_xticks([])
        axes.set_xlabel(f"{len(values)} clusters, those with the lowest mean score to the left")
        return _svg(figure, name, f"Scores of {', '.join(systems)} on {len(values)} clusters")


def draw_scale(name: str) -> str:
    """Draw which colour is which score."""
    with _figure(3.4, 0.5) as figure:
        axes = _axes(figure, 0.2, 0.28, 3.0, 0.16)
        axes.imshow(np.linspace(0, 1, 256)[None, :], cmap="cividis", aspect="auto", extent=(0, 1, 0, 1))
        axes.set_yticks([])
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        return _svg(figure, name, "Colours of scores from 0, dark blue, to 1, yellow")


def draw_forest(effects: Sequence[Effect], left_better: str, right_better: str, name: str) -> str:
    """Draw differences with their intervals; significant ones are filled."""
    left = 0.2 + _LETTER * max(len(short(one.label, 48)) for one in effects)
    height = 0.25 * len(effects)
    with _figure(left + 4.2, height + 0.75) as figure:
        axes = _axes(figure, left, 0.55, 3.9, height)
        axes.axvline(0, color=GREY, linewidth=0.8)
        for at, one in enumerate(effects):
            colour = _SIGNIFICANT if one.significant else GREY
            if one.low == one.low:
                axes.plot([one.low, one.high], [at, at], color=colour, linewidth=2.2 if one.significant else 1.1)
            axes.plot(
                [one.difference], [at], marker="s" if one.significant else "o", color=colour, markersize=6,
                markerfacecolor=colour if one.significant else "none",
            )  # fmt: skip
        axes.set_ylim(len(effects) - 0.4, -0.6)
        reach = 1.08 * max(0.05, *(abs(value) for one in effects for value in one[1:4] if value == value))
        axes.set_xlim(-reach, reach)
        axes.set_yticks(range(len(effects)), [short(one.label, 48) for one in effects])
        below: dict[str, Any] = {"transform": axes.transAxes, "va": "top", "fontsize": 8.5}
        axes.text(0, -0.36 / height, f"← {short(left_better, 26)} better", ha="left", **below)
        axes.text(1, -0.36 / height, f"{short(right_better, 26)} better →", ha="right", **below)
        axes.grid(axis="x", color=GREY, alpha=0.25, linewidth=0.5)
        return _svg(figure, name, f"Differences of {len(effects)} comparisons with 95 % intervals")


def draw_map(projection: Projection, scores: Matrix, name: str, description: str) -> str:
    """Draw the questions as dots coloured by score; `scores` has the shape (questions,)."""
    places, inverse, counts = np.unique(projection.points, axis=0, return_inverse=True, return_counts=True)
    means = np.bincount(inverse.ravel(), weights=scores) / counts
    unit = float(np.clip(4400 / len(places), 5, 36))
    with _figure(3.2, 3.2) as figure:
        axes = _axes(figure, 0.0, 0.0, 3.2, 3.2)
        axes.add_patch(Rectangle((0, 0), 1, 1, transform=axes.transAxes, facecolor=_PANEL, linewidth=0, zorder=0))
        for count in np.unique(counts):  # those of one size together, which makes the SVG small
            own = counts == count
            axes.scatter(
                places[own, 0], places[own, 1], s=float(areas(np.array([count], dtype=float), unit)[0]), c=_CIVIDIS(means[own]),
                edgecolors=_EDGE, linewidths=0.35, alpha=0.9, rasterized=len(places) > _MANY_PLACES,
            )  # fmt: skip
        axes.set(xticks=[], yticks=[])
        axes.margins(0.05)
        return _svg(figure, name, description)


@contextmanager
def _figure(width: float, height: float) -> Iterator[Figure]:
    with own_style(), style.context(_SETTINGS):
        yield Figure(figsize=(round(width, 3), round(height, 3)))


def _axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Place axes by inches, so that no layout engine decides about bytes."""
    across, up = figure.get_size_inches()
    axes = figure.add_axes((left / across, bottom / up, width / across, height / up))
    axes.spines[:].set_visible(False)
    return axes


def _svg(figure: Figure, name: str, description: str) -> str:
    """Return the picture to be put into a page: no header, ids of its own, ink and grey as the page has them."""
    data = io.StringIO()
    figure.savefig(data, format="svg", transparent=True, dpi=144, metadata={"Date": None, "Creator": None})
    text = data.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"\s*<metadata>.*?</metadata>|<style type=\"text/css\">.*?</style>|<!--.*?-->", "", text, flags=re.DOTALL)
    used = set(re.findall(r'(?:url\(#|href="#)([\w-]+)', text))
    text = re.sub(r' id="([^"]+)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", text)
    text = re.sub(r'(url\(#|href="#)([\w-]+)', rf"\1{name}-\2", text)
    for colour, variable in _COLOURS.items():
        text = text.replace(colour, variable)
    width = round(float(figure.get_size_inches()[0]) * 96)
    tag, _, rest = re.sub(r' style="([^"]*)"', _attributes, text).partition(">")
    tag = re.sub(r' (width|height|version)="[^"]*"', "", tag)
    opening = f'<svg role="img" aria-label="{escape(description)}" width="{width}"'
    return re.sub(r"\s+", " ", tag.replace("<svg", opening)) + ">" + rest


def _attributes(style: re.Match[str]) -> str:
    """Return what a style says as attributes of SVG, for a page whose policy forbids styles beside its own."""
    declared = dict(part.strip().split(": ", 1) for part in style[1].split(";") if part.strip())
    font = declared.pop("font", "")  # older matplotlib writes size and weight in one
    for name, value in (("font-size", re.search(r"[\d.]+px", font)), ("font-weight", re.match(r"(?:bold|\d+)(?= )", font))):
        declared |= {name: value[0]} if value else {}
    declared.pop("font-family", None)  # the page has its own
    return "".join(f' {name}="{value}"' for name, value in declared.items())
