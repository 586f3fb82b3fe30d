"""A benchmark within its pool, and markers for points that questions share."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.errors import UsageError
from qaldgen.io.text import count
from qaldgen.selection.arrays import Indices, Matrix
from qaldgen.selection.vectors import Vectors


def merge(points: Matrix) -> tuple[Matrix, Indices, Matrix]:
    """Return the distinct points, the first row of each, and its number of questions."""
    places, first_rows, counts = np.unique(
        points.round(9) + 0.0, axis=0, return_index=True, return_counts=True
    )
    return places, first_rows, counts.astype(float)


def unit_area(places: int, largest: float) -> float:
    """Return the area of a marker for a single question; others are proportional to their number.

    The area is larger for fewer places; the marker of the `largest` number has at most 450 square
    points.
    """
    return min(6.0 * min(max(0.2, math.sqrt(1000.0 / places)), 4.0), 450.0 / largest)


def handle(marker: str, area: float, label: str, **style: object) -> Line2D:
    """Return the legend entry of a marker."""
    look: dict[str, Any] = style
    return Line2D(
        [], [], linestyle="", marker=marker, markersize=math.sqrt(area), label=label, **look
    )


def size_handles(largest: float, least: float, unit: float, **style: object) -> list[Line2D]:
    """Return legend entries for the sizes of markers: 1, 10, 100, ... and the largest number."""
    sizes = [10**power for power in range(8) if 10**power < largest / 3] + [max(1, round(largest))]
    return [handle("o", least + unit * size, count(size, "question"), **style) for size in sizes]


def add_legend(axes: Axes, handles: list[Line2D], right: float) -> None:
    """Put the legend to the right of the axes, at `right` in their coordinates."""
    look: dict[str, Any] = {
        "frameon": False,
        "fontsize": 8,
        "labelspacing": 1.3,
        "handlelength": 3.0,
    }
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(right, 1.0), **look)


class Scene(NamedTuple):
    """A benchmark within its pool: the rows of its members and of the outliers."""

    benchmark: Benchmark
    vectors: Vectors
    chosen: Indices
    outlier: NDArray[np.bool_]


def scene_of(benchmark: Benchmark, vectors: Vectors) -> Scene:
    """Return the scene of a benchmark in its pool; refuse another pool."""
    row_by_iri = {iri: row for row, iri in enumerate(vectors.ids)}
    missing = [member.iri for member in benchmark.members if member.iri not in row_by_iri]
    if missing or benchmark.features != vectors.features:
        reason = f"{missing[0]} is not in the pool" if missing else "its features are others"
        raise UsageError(
            f"the benchmark was not chosen from these questions ({reason}); give the selection that"
            " it was made from"
        )
    chosen = np.array([row_by_iri[member.iri] for member in benchmark.members], dtype=np.intp)
    clustered = set(itertools.chain.from_iterable(benchmark.pool_clusters))
    is_unclustered = np.array([iri not in clustered for iri in vectors.ids], dtype=np.bool_)
    return Scene(benchmark, vectors, chosen, outlier=is_unclustered & (benchmark.outliers > 0))
