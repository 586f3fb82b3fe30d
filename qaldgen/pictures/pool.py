"""The picture of pool and sample on their first two principal components."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from qaldgen.io.text import shorten
from qaldgen.pictures.scene import Scene, add_legend, handle, merge, size_handles, unit_area
from qaldgen.pictures.style import CLUSTER_COLOURS, FAINT, INK, OUTLIER, SAMPLE, titled_figure
from qaldgen.selection.arrays import Indices, Matrix
from qaldgen.selection.principal_components import principal_components
from qaldgen.selection.variables import column_labels

#: With more pairs of pool and chosen questions than this, no lines to the nearest are drawn.
MAX_PAIRS = 60_000_000
#: A colour for each point, by name.
Colours: TypeAlias = NDArray[np.str_]
#: How far chosen questions at the same point are moved apart, as a share of the picture's width.
_STEP = 0.012


def draw_pool(scene: Scene) -> Figure:
    """Draw the pool, the chosen questions on top, and lines to the nearest chosen question.

    Clusters are coloured if there are few.
    """
    # the questions, and the chosen ones among them
    points, shares, loadings = principal_components(scene.vectors.matrix)
    in_clusters = np.flatnonzero(~scene.outlier)
    members = _spread_equal_points(points[scene.chosen], float(np.ptp(points, axis=0).max()))
    clusters = np.array([member.cluster for member in scene.benchmark.members])
    weights = np.array([member.weight for member in scene.benchmark.members])
    represented = weights * len(scene.vectors)  # how many questions each one stands for
    # small markers on top, so those that stand for many questions are drawn first
    order = np.argsort(-represented, kind="stable")
    places, first_rows, counts = merge(points[in_clusters])

    # for each question the nearest chosen one; none where no lines are drawn
    note = (
        "Principal components of the scaled features: questions that are alike lie close together."
    )
    nearest = None
    has_colours = False
    n_pairs = len(scene.vectors) * len(scene.chosen)
    if len(scene.benchmark.cluster_sizes) > 1 and n_pairs <= MAX_PAIRS:
        matrix = scene.vectors.matrix
        tree = cKDTree(matrix[scene.chosen])
        nearest = np.asarray(tree.query(matrix[in_clusters], workers=-1)[1])
        has_colours = bool(clusters.max() <= len(CLUSTER_COLOURS))
        subject = "Lines and colours" if has_colours else "Lines"
        note += (
            f" {subject} lead to the nearest chosen question, by all features and not only in"
            " these two dimensions."
        )
    if has_colours:
        colours = np.array(CLUSTER_COLOURS)[clusters - 1]
    else:
        colours = np.full(len(clusters), FAINT)

    # the layers; their `zorder` says which is above which
    figure, _ = titled_figure(scene, (9.5, 6.2), "Pool and sample in two dimensions", note)
    axes = figure.add_subplot()
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.06)
    pool_colours: list[str] | None = None
    member_colours: list[str] | None = None
    if nearest is not None:
        _draw_lines(axes, points[in_clusters], members[nearest], colours[nearest])
        if has_colours:
            pool_colours = colours[nearest][first_rows].tolist()
            member_colours = colours[order].tolist()
    unit = min(6.0, unit_area(len(places), max(represented.max(), counts.max())))
    handles = [_draw_questions(axes, places, counts, unit=unit, colours=pool_colours)]
    if scene.outlier.any():
        handles.append(_draw_outliers(axes, points[scene.outlier]))
    handles += _draw_members(
        axes, members[order], represented[order], unit=unit, colours=member_colours
    )
    if has_colours:
        _number_members(axes, members, clusters)

    names = column_labels(scene.vectors)
    for index, axis in enumerate((axes.xaxis, axes.yaxis)):
        axis.set_label_text(_component_label(index, shares[index], loadings[index], names))
        if shares[index] == 0.0:
            axis.set_ticks([])
    add_legend(axes, handles, 1.01)
    return figure


def _draw_questions(
    axes: Axes, places: Matrix, counts: Matrix, unit: float, colours: list[str] | None
) -> Line2D:
    """Draw the questions of the pool, one marker for each place; return its legend entry."""
    axes.scatter(
        places[:, 0],
        places[:, 1],
        s=unit * counts,
        c=FAINT if colours is None else colours,
        alpha=0.65,
        linewidths=0,
        zorder=1.5,
        rasterized=True,
    )

    label = "question of the pool"
    colour = FAINT
    if colours is not None:
        label += ", in the\ncolour of the nearest chosen\nquestion"
        colour = CLUSTER_COLOURS[0]
    if counts.max() > 1:
        label += f"; larger where\nup to {counts.max():,.0f} share a place"
    return handle("o", 30, label, color=colour, alpha=0.65)


def _draw_members(
    axes: Axes, points: Matrix, represented: Matrix, unit: float, colours: list[str] | None
) -> list[Line2D]:
    """Draw the chosen questions by the number they stand for; return their legend entries."""
    is_crowded = len(points) > 2000
    axes.scatter(
        points[:, 0],
        points[:, 1],
        s=12.0 + unit * represented,
        c=SAMPLE if colours is None else colours,
        edgecolors=INK,
        linewidths=0.4 if is_crowded else 1.0,
        zorder=2,
        rasterized=is_crowded,
    )

    label = "chosen question; the area\ngrows with the number of\nquestions it stands for:"
    colour = SAMPLE
    if colours is not None:
        label = (
            "chosen question and number\nof its cluster; the area grows\nwith the number"
            " of\nquestions it stands for:"
        )
        colour = CLUSTER_COLOURS[0]

    sizes = size_handles(float(represented.max()), 12.0, unit, markeredgecolor=INK, color=colour)
    return [handle("", 1, label), *sizes]


def _draw_lines(axes: Axes, starts: Matrix, ends: Matrix, colours: Colours) -> None:
    """Draw a line from each question to the nearest chosen one; equal lines are drawn once."""
    lines, first_rows = np.unique(np.hstack([starts, ends]), axis=0, return_index=True)
    collection = LineCollection(
        list(lines.reshape(-1, 2, 2)),
        colors=colours[first_rows].tolist(),
        linewidths=0.5,
        alpha=min(0.35, max(0.012, 600.0 / max(len(lines), 1))),
        zorder=1,
    )
    collection.set_rasterized(True)
    axes.add_collection(collection)


def _draw_outliers(axes: Axes, points: Matrix) -> Line2D:
    """Draw the questions in no cluster; return their legend entry."""
    outliers, _, _ = merge(points)
    area = 22.0 if len(outliers) < 500 else 9.0
    axes.scatter(
        outliers[:, 0],
        outliers[:, 1],
        s=area,
        c=OUTLIER,
        marker="x",
        linewidths=0.04 * area,
        zorder=0.9,
        rasterized=True,
    )
    return handle("x", 22, f"outlier ({len(points):,}), in no cluster", color=OUTLIER)


def _spread_equal_points(points: Matrix, span: float) -> Matrix:
    """Arrange chosen questions at the same point in a small spiral, so that all are visible."""
    spread_points = points.copy()
    n_earlier = Counter[tuple[float, ...]]()
    for row, place in enumerate(map(tuple, points.round(9).tolist())):
        turn = n_earlier[place]
        n_earlier[place] += 1
        radius = _STEP * span * math.sqrt(turn)
        angle = turn * math.pi * (3.0 - math.sqrt(5.0))
        spread_points[row] += radius * math.cos(angle), radius * math.sin(angle)
    return spread_points


def _component_label(index: int, share: float, loadings: Matrix, names: Sequence[str]) -> str:
    """Return an axis label: the variance explained, and the features that rise or fall along it."""
    if share == 0.0:
        return f"component {index + 1}: no variance"
    largest = np.argsort(-np.abs(loadings).round(9), kind="stable")[:3]
    phrases = []
    for column in largest:
        if abs(loadings[column]) >= 0.5 * abs(loadings[largest[0]]):
            direction = "more" if loadings[column] > 0 else "less"
            phrases.append(f"{direction} {shorten(names[column], 26)}")
    return f"component {index + 1}, {share:.0%} of the variance\n{', '.join(phrases)} →"


def _number_members(axes: Axes, points: Matrix, clusters: Indices) -> None:
    """Write cluster numbers next to the chosen questions; close neighbours share one text."""
    min_distance = 0.05 * float(max(np.ptp(axes.dataLim.get_points(), axis=0).max(), 1e-9))
    outline = [withStroke(linewidth=2.5, foreground="white")]

    queue = list(np.argsort(clusters, kind="stable"))
    while queue:
        distances = np.hypot(*(points[queue] - points[queue[0]]).T)
        group = [
            row for row, distance in zip(queue, distances, strict=True) if distance < min_distance
        ]
        queue = [row for row in queue if row not in group]

        axes.annotate(
            ", ".join(dict.fromkeys(str(clusters[row]) for row in group)),
            tuple(points[group].max(axis=0)),
            (7, 6),
            textcoords="offset points",
            weight="bold",
            zorder=5,
            path_effects=outline,
        )
