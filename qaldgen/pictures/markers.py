"""Markers whose area shows how many questions share a point, and their legend."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from qaldgen.selection.arrays import Indices, Matrix


def merge(points: Matrix) -> tuple[Matrix, Indices, Matrix]:
    """Return the distinct points, the first row of each, and its number of questions."""
    places, first, counts = np.unique(
        points.round(9) + 0.0, axis=0, return_index=True, return_counts=True
    )
    return places, first, counts.astype(float)


def unit_area(places: int, largest: float) -> float:
    """Return the area of a marker for a single question.

    The fewer points, the larger the area, but no marker is larger than 450 square points.

    Parameters
    ----------
    places
        The number of distinct points.
    largest
        The largest number of questions at one point.

    Returns
    -------
    float
        In square points, the unit of the sizes in `Axes.scatter`.
    """
    return min(6.0 * min(max(0.2, math.sqrt(1000.0 / places)), 4.0), 450.0 / largest)


def areas(counts: Matrix, unit: float) -> Matrix:
    """Return areas of markers that are proportional to the numbers of questions.

    Parameters
    ----------
    counts
        The number of questions at each point, of shape (n_places,).
    unit
        The area for one question, in square points; see `unit_area`.

    Returns
    -------
    array of shape (n_places,)
        In square points.
    """
    return unit * counts


def handle(marker: str, area: float, label: str, **style: object) -> Line2D:
    """Return the legend entry of a marker.

    Parameters
    ----------
    marker
        A matplotlib marker; empty for an entry with text only.
    area
        The area of the marker, in square points.
    label
        The text next to it.
    **style
        Further properties of the `Line2D`.
    """
    look: dict[str, Any] = style
    return Line2D(
        [], [], linestyle="", marker=marker, markersize=math.sqrt(area), label=label, **look
    )


def size_handles(largest: float, least: float, unit: float, **style: object) -> list[Line2D]:
    """Return legend entries for the sizes of markers.

    They show 1, 10, 100, ... questions and the largest number.

    Parameters
    ----------
    largest
        The largest number of questions that a marker shows.
    least
        An area that is added to every marker, in square points.
    unit
        The area for one question, in square points; see `unit_area`.
    **style
        Further properties of the `Line2D` of each entry.
    """
    counts = [10**power for power in range(8) if 10**power < largest / 3] + [max(1, round(largest))]
    return [
        handle("o", least + unit * n, f"{n:,} question{'s' * (n > 1)}", **style) for n in counts
    ]


def explain(axes: Axes, handles: list[Line2D], right: float) -> None:
    """Put the legend beside the axes.

    Parameters
    ----------
    axes
        The axes, to which the legend is added.
    handles
        The entries, from top to bottom.
    right
        The left edge of the legend, as a share of the width of the axes: above 1 it is to the right
        of them.
    """
    look: dict[str, Any] = {
        "frameon": False,
        "fontsize": 8,
        "labelspacing": 1.3,
        "handlelength": 3.0,
    }
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(right, 1.0), **look)
