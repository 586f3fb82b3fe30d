"""FEASIBLE's Voronoi diagram: the plane of two features, divided among the chosen questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axis import Axis
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from scipy.spatial import Voronoi

from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.text import shorten
from qaldgen.pictures.scene import Scene, add_legend, handle, merge, size_handles, unit_area
from qaldgen.pictures.style import (
    CELL_COLOURS,
    GREY,
    INK,
    POOL,
    POOL_EDGE,
    SAMPLE,
    round_values,
    short_number,
    titled_figure,
)
from qaldgen.selection.arrays import Matrix
from qaldgen.selection.variables import column_labels

#: A feature with fewer distinct values would put all questions into a few rows or columns.
MIN_VALUES = 5
#: More cells than this are too small to be told apart.
MOST_CELLS = 400
#: Up to this many values of a feature all become ticks.
MAX_TICKS = 12


def pair_columns(scene: Scene, pair: tuple[str, str] | None) -> list[int]:
    """Return the columns of the two features to draw.

    By default, they are those that vary most in the sample, by the standard deviation of the scaled
    values. Features with at least `MIN_VALUES` distinct values in the pool take precedence; of
    equal features the first does.
    """
    names = scene.vectors.features
    if pair is None:
        has_few_values = [len(np.unique(column)) < MIN_VALUES for column in scene.vectors.raw.T]
        spread = scene.vectors.matrix[scene.chosen].std(axis=0).round(9)
        return [int(column) for column in np.lexsort((-spread, has_few_values))[:2]]
    for name in pair:
        if name not in names:
            raise UsageError(f"feature {name!r} does not exist; {one_of(name, names)}")
    if pair[0] == pair[1]:
        raise UsageError(
            f"the two features of the Voronoi picture are both {pair[0]!r}; name two different ones"
        )
    return [names.index(name) for name in pair]


def draw_voronoi(scene: Scene, columns: Sequence[int]) -> Figure:
    """Draw pool and sample in the plane of two features, with the cells of the chosen questions."""
    plane = np.zeros((len(scene.vectors), 2))
    plane[:, : len(columns)] = scene.vectors.matrix[:, columns]
    low, high = _box_around(plane)
    places, _, counts = merge(plane)
    chosen, _, chosen_counts = merge(plane[scene.chosen])

    labels = column_labels(scene.vectors)
    names = [shorten(labels[column], 40) for column in columns]
    heading = "Cells of the chosen questions"
    if len(chosen) > MOST_CELLS:
        note = (
            f"Not drawn: by {' and '.join(names)} the chosen questions make {len(chosen):,} cells,"
            f" and more than {MOST_CELLS} cannot be told apart. Draw a smaller sample, or name two"
            " features of fewer values."
        )
        return titled_figure(scene, (9.5, 0.4), heading, note)[0]
    note = (
        "Each cell is the part of the plane that is nearest to one chosen question by"
        f" {' and '.join(names)} alone. Different places in this plane: {len(chosen):,} of chosen"
        f" questions, {len(places):,} of the pool."
    )

    size = 5.4 * (high - low) / (high - low).max()
    figure, room = titled_figure(scene, (9.5, max(2.6, size[1]) + 1.05), heading, note)
    figure.set_layout_engine("none")  # the engine does not support axes of equal units
    width, height = figure.get_size_inches()
    axes = figure.add_axes(
        (0.75 / width, room - 0.55 / height - size[1] / height, size[0] / width, size[1] / height)
    )
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")

    # scaled values below and left, original values above and right
    _label_axis(
        axes.xaxis, axes.secondary_xaxis("top").xaxis, scene, column=columns[0], name=names[0]
    )
    if len(columns) > 1:
        _label_axis(
            axes.yaxis, axes.secondary_yaxis("right").yaxis, scene, column=columns[1], name=names[1]
        )
    if len(columns) == 1:
        axes.set_yticks([])
        axes.set_ylabel("(there is one feature only)")

    # the cells below the questions, and their borders above those of the pool
    polygons, tints = _cells(chosen, low, high)
    axes.add_collection(PolyCollection(polygons, facecolors=tints, edgecolors="none", zorder=1.0))
    borders: dict[str, Any] = {"facecolors": "none", "edgecolors": "#777777", "linewidths": 0.7}
    axes.add_collection(PolyCollection(polygons, zorder=1.2, **borders))

    # the questions by place; many of the pool are pale, so that cells show through
    unit = unit_area(len(places), counts.max())
    is_crowded = len(places) > 3000
    axes.scatter(
        places[:, 0],
        places[:, 1],
        s=unit * counts,
        c=POOL,
        edgecolors=POOL_EDGE,
        alpha=0.4 if is_crowded else None,
        linewidths=0 if is_crowded else 0.4,
        zorder=1.1,
        rasterized=True,
    )
    axes.scatter(
        chosen[:, 0],
        chosen[:, 1],
        s=np.maximum(unit * chosen_counts, 12.0),
        c=SAMPLE,
        marker="D",
        edgecolors=INK,
        linewidths=0.8,
        zorder=1.3,
    )
    handles = [
        handle("D", 30, "chosen questions", color=SAMPLE, markeredgecolor=INK),
        handle("o", 40, "questions of the pool", color=POOL, markeredgecolor=POOL_EDGE),
        handle(
            "s",
            60,
            "cells: colours only tell\nneighbours apart",
            color=CELL_COLOURS[1],
            markeredgecolor=GREY,
        ),
        handle("", 1, "The area of both grows with the\nnumber of questions at a place:"),
        *size_handles(float(counts.max()), 0.0, unit, color=POOL, markeredgecolor=POOL_EDGE),
    ]
    add_legend(axes, handles, 1 + 0.65 / size[0])
    return figure


def _box_around(points: Matrix) -> tuple[Matrix, Matrix]:
    """Return the lower and the upper corner of a box around points, with a margin.

    Its sides differ by a factor of three at most.
    """
    low = points.min(axis=0)
    high = points.max(axis=0)
    sides = high - low
    if not sides.any():
        sides = np.ones(2)
    sides = np.maximum(sides, sides.max() / 3.0) * 1.1
    return (low + high - sides) / 2.0, (low + high + sides) / 2.0


def _label_axis(scaled: Axis, original: Axis, scene: Scene, column: int, name: str) -> None:
    """Label an axis with scaled values, and the opposite one with original values."""
    scaled.set_label_text(f"{name}, scaled by {scene.vectors.scaling}")
    first, last = scaled.get_view_interval()
    span = last - first
    values, first_rows = np.unique(scene.vectors.raw[:, column], return_index=True)
    positions = scene.vectors.matrix[first_rows, column]

    candidates = values
    if len(values) > MAX_TICKS:
        linear_positions = np.interp(values, values[[0, -1]], positions[[0, -1]])
        candidates = round_values(values[0], values[-1])
        if np.abs(linear_positions - positions).max() > 0.01 * span:
            powers = list[float]()
            for power in range(-2, 10):
                powers += [step * 10.0**power for step in (1, 2, 5)]
            whole = values[values == values.round()]
            candidates = np.concatenate([[0.0], powers, np.negative(powers), whole])
        candidates = candidates[(candidates >= values[0]) & (candidates <= values[-1])]

    # at least a sixteenth of the axis apart
    ticks: list[float] = []
    labels = []
    for value in candidates:
        position = float(np.interp(value, values, positions))
        if all(abs(position - other) >= span / 16.0 for other in ticks):
            ticks.append(position)
            labels.append(short_number(value))
    original.set_ticks(ticks, labels, fontsize=8, color=GREY)
    original.set_label_text(f"{name} as selected", color=GREY, fontsize=8)


def _cells(points: Matrix, low: Matrix, high: Matrix) -> tuple[list[Matrix], list[str]]:
    """Return the Voronoi cells of distinct points within a box, and a colour for each.

    Neighbouring cells have different colours.
    """
    # Each point is mirrored at the four sides, so that the sides become borders of cells.
    mirrored_points = [points]
    for side in (low, high):
        for axis in (0, 1):
            mirror = points.copy()
            mirror[:, axis] = 2.0 * side[axis] - points[:, axis]
            mirrored_points.append(mirror)

    diagram = Voronoi(np.vstack(mirrored_points))
    neighbours: list[set[int]] = [set() for _ in points]
    for first, second in diagram.ridge_points:
        if first < len(points) and second < len(points):
            neighbours[first].add(int(second))
            neighbours[second].add(int(first))

    tints: list[int] = []  # indices of `CELL_COLOURS`
    polygons = []
    for index, point in enumerate(points):
        region = diagram.regions[diagram.point_region[index]]
        # a corner of -1 lies between points that are too close to distinguish
        corners = diagram.vertices[[corner for corner in region if corner >= 0]]
        angles = np.arctan2(corners[:, 1] - point[1], corners[:, 0] - point[0])
        polygons.append(np.clip(corners[np.argsort(angles)], low, high))

        used_tints = {tints[neighbour] for neighbour in neighbours[index] if neighbour < index}
        tints.append(next((tint for tint in range(len(CELL_COLOURS)) if tint not in used_tints), 0))

    return polygons, [CELL_COLOURS[tint] for tint in tints]
