"""Pictures of a benchmark: its pool in two dimensions, a Voronoi picture, and feature by feature, as PNG and SVG."""

from __future__ import annotations

import difflib
import io
import math
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qaldgen.benchmark.record import Benchmark
from qaldgen.errors import QaldgenError, UsageError
from qaldgen.files import check_writable, write_atomic
from qaldgen.sampling import draw
from qaldgen.vectors import Matrix, Vectors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.transforms import Bbox

Rows = NDArray[np.intp]

MAX_PANELS = 24
MAX_BARS = 12
MAX_COLOURS = 10
_MAX_PAIRS = 60_000_000
_DPI, _SVG_DPI = 150, 120
_POOL, _POOL_EDGE, _SAMPLE = "#76aed6", "#3f7099", "#c44e00"
_INK, _GREY, _FAINT = "#222222", "#6b6b6b", "#93a9ba"
#: Okabe and Ito's, without black and with yellow darkened for points on white, then three of Paul Tol's.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900", "#882255", "#332288", "#999999")
_SOFT = ("#dbe9f6", "#fde8cf", "#dff0dc", "#f3e0ee", "#f7f4cf", "#d9efef", "#ebe6f7", "#ececec")
_POOL_BAR: dict[str, Any] = {"facecolor": _POOL, "edgecolor": _POOL_EDGE, "linewidth": 0.4}
_SAMPLE_BAR: dict[str, Any] = {"facecolor": "#fcdcc4", "edgecolor": _SAMPLE, "hatch": "////", "linewidth": 0.4}
_POOL_MEAN: dict[str, Any] = {"color": "#1f4e79", "linestyle": (0, (3, 1.5)), "linewidth": 1.3}
_SAMPLE_MEAN: dict[str, Any] = {"color": _SAMPLE, "linestyle": "-", "linewidth": 1.3}
_STYLE = {
    "svg.hashsalt": "qaldgen",
    "svg.fonttype": "none",
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "font.size": 9,
    "axes.edgecolor": _GREY,
    "axes.linewidth": 0.6,
    "hatch.linewidth": 0.6,
}


class _Scene(NamedTuple):
    """A benchmark in its pool: the rows of its members and of the outliers."""

    benchmark: Benchmark
    vectors: Vectors
    chosen: Rows
    outlier: NDArray[np.bool_]


class _Panel(NamedTuple):
    """Bars of one feature at 0, 1, ...: shares of pool and sample, tick labels, the two means as values and as places."""

    name: str
    pool: Matrix
    sample: Matrix
    ticks: list[tuple[float, str]]
    means: tuple[float, float] | None = None
    places: tuple[float, float] | None = None
    axis: str = ""


def draw_all(
    benchmark: Benchmark, vectors: Vectors, folder: Path, *, pair: tuple[str, str] | None = None, force: bool = False
) -> list[Path]:
    """Draw ``pool``, ``voronoi`` and ``features``, each as PNG and SVG; either all files are drawn or none is written.

    Parameters
    ----------
    benchmark
        The sample.
    vectors
        The pool from which it was chosen.
    folder
        Where the pictures go; made if it does not exist.
    pair
        The two features of the Voronoi picture; by default those that spread most in the sample.
    force
        Whether files that exist are overwritten.

    Raises
    ------
    UsageError
        If a feature is unknown, the benchmark is not of this pool, or a file exists and `force` is not set.
    """
    scene = _scene(benchmark, vectors)
    columns = _pair_columns(scene, pair)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made a folder ({error.strerror or error}); name another") from error
    targets = [folder / f"{name}.{kind}" for name in ("pool", "voronoi", "features") for kind in ("png", "svg")]
    for path in targets:
        check_writable(path, force=force)
    with _own_style():
        figures = (_draw_pool(scene), _draw_voronoi(scene, columns), _draw_features(scene))
        for figure in figures:
            _lay_out(figure)
        rendered = [_render(figure, kind, benchmark) for figure in figures for kind in ("png", "svg")]
    for path, data in zip(targets, rendered, strict=True):
        write_atomic(path, data)
    return targets


def _scene(benchmark: Benchmark, vectors: Vectors) -> _Scene:
    """Find the members in the pool, and the outliers by drawing again: a benchmark keeps their number only."""
    position = {iri: row for row, iri in enumerate(vectors.ids)}
    missing = [member.iri for member in benchmark.members if member.iri not in position]
    if missing or benchmark.features != vectors.features:
        what = f"{missing[0]} is not in the pool" if missing else "its features are others"
        raise UsageError(f"the benchmark was not chosen from these questions ({what}); give the selection that it was made from")
    chosen = np.array([position[member.iri] for member in benchmark.members], dtype=np.intp)
    outlier = np.zeros(len(vectors), dtype=np.bool_)
    made = benchmark.provenance
    if benchmark.outliers:
        try:
            again = draw(vectors, made.size, made.method, random_state=made.random_state, options=made.options)
        except QaldgenError:  # made by a method that is not installed here
            return _Scene(benchmark, vectors, chosen, outlier)
        if set(again.chosen.tolist()) == set(chosen.tolist()):  # else other versions computed it: which they were is not known
            outlier = again.cluster < 0
    return _Scene(benchmark, vectors, chosen, outlier)


def _pair_columns(scene: _Scene, pair: tuple[str, str] | None) -> list[int]:
    """Return the columns of the two features of the Voronoi picture; one where there is only one feature."""
    names = scene.vectors.features
    if pair is None:
        spread, pool_spread = scene.vectors.matrix[scene.chosen].std(axis=0), scene.vectors.matrix.std(axis=0)
        order = np.lexsort((-pool_spread.round(9), -spread.round(9)))
        return [int(column) for column in order[:2]]
    for name in pair:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            more = f" and {len(names) - 40} more" if len(names) > 40 else ""
            meant = f" Did you mean {near[0]}?" if near else ""
            raise UsageError(f"feature {name!r} does not exist; the features are {', '.join(names[:40])}{more}.{meant}")
    if pair[0] == pair[1]:
        raise UsageError(f"the two features of the Voronoi picture are both {pair[0]!r}; name two different ones")
    return [names.index(name) for name in pair]


@contextmanager
def _own_style() -> Iterator[None]:
    """Draw by our settings, whatever the user's are, and leave those as they were."""
    import warnings

    from matplotlib import style

    with style.context(["default", _STYLE]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def _lay_out(figure: Figure) -> None:
    """Lay the figure out once, for both files."""
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)
        figure.set_layout_engine("none")


def _render(figure: Figure, kind: str, benchmark: Benchmark) -> bytes:
    buffer = io.BytesIO()
    metadata = {"Title": _short(benchmark.title, 200), "Description": _short(benchmark.signature, 1000)}
    metadata.update({"Date": None} if kind == "svg" else {"Software": None})  # type: ignore[dict-item]
    figure.savefig(buffer, format=kind, dpi=_SVG_DPI if kind == "svg" else _DPI, facecolor="white", metadata=metadata)
    return buffer.getvalue()


def _page(scene: _Scene, size: tuple[float, float], heading: str, note: str, extra: float = 0.0) -> tuple[Figure, Bbox]:
    """Return a figure with heading, what was chosen from what, a note, `extra` inches, room of `size`, and the signature."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.transforms import Bbox

    width, made = size[0], scene.benchmark.provenance
    chosen = f"{len(scene.chosen):,} of {len(scene.vectors):,} questions, {_short(made.method, 20)}"
    chosen += f", from {_short(made.data_name, int(width * 12) - len(chosen))}"
    signature = textwrap.wrap(_short(scene.benchmark.signature, 600).replace("|", "| "), int(width * 19))
    notes = textwrap.wrap(note, int(width * 13))
    top, bottom = 0.62 + 0.16 * len(notes) + extra, 0.15 + 0.12 * len(signature)
    height = size[1] + top + bottom
    figure = Figure(figsize=(width, height))
    room = Bbox.from_bounds(0.01, bottom / height, 0.98, size[1] / height)
    figure.set_layout_engine(ConstrainedLayoutEngine(rect=room.bounds, w_pad=0.08, h_pad=0.08))
    texts = ((heading, 0.12, 13, _INK), (chosen, 0.37, 10, _INK), ("\n".join(notes), 0.57, 8, _GREY))
    for text, down, points, colour in texts:
        weight = "bold" if text == heading else "normal"
        figure.text(0.12 / width, 1 - down / height, text, va="top", fontsize=points, color=colour, weight=weight)
    lines = "\n".join(signature).replace("| ", "|")
    figure.text(0.12 / width, 0.08 / height, lines, va="bottom", fontsize=5.5, color=_GREY, family="monospace")
    return figure, room


def _short(text: str, length: int) -> str:
    """Return `text` as one printable line of at most `length` characters, an ellipsis in the middle.

    Examples
    --------
    >>> _short("http://dbpedia.org/ontology/Person", 15)
    'http://…/Person'
    """
    text = "".join(character if character.isprintable() else " " for character in text)
    half = (length - 1) // 2
    return text if len(text) <= length else f"{text[: length - 1 - half]}…{text[len(text) - half :]}"


def _number(value: float) -> str:
    """Return a number as short as a tick label must be."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if unit == 'k' else size):.3g}{unit}".replace("-", "−")
    return (f"{value:.4g}" if abs(value) >= 1000 else f"{value:.3g}").replace("-", "−")


def _areas(counts: ArrayLike, unit: float) -> Matrix:
    """Return the areas of markers for so many questions: a hundred times the questions, ten times the area."""
    return np.asarray(unit * np.sqrt(np.asarray(counts, dtype=float)))


def _unit(places: int, largest: float) -> float:
    """Return the area of the marker of one question: the larger the fewer they are, but none becomes larger than 450."""
    return min(6.0 * min(max(0.2, math.sqrt(1000.0 / places)), 4.0), 450.0 / math.sqrt(largest))


def _mark(axes: Axes, points: Matrix, areas: Matrix | float, colour: str | list[str], **style: object) -> None:
    look: dict[str, Any] = style
    axes.scatter(points[:, 0], points[:, 1], s=areas, c=colour, **look)


def _handle(marker: str, area: float, label: str, **style: object) -> Line2D:
    from matplotlib.lines import Line2D

    look: dict[str, Any] = style
    return Line2D([], [], linestyle="", marker=marker, markersize=math.sqrt(area), label=label, **look)


def _size_handles(largest: float, least: float, unit: float, **style: object) -> list[Line2D]:
    """Return legend entries for marker sizes: 1, 10, 100, ... and the largest number of questions."""
    counts = [10**power for power in range(8) if 10**power < largest / 3] + [max(1, round(largest))]
    return [_handle("o", least + unit * math.sqrt(n), f"{n:,} question{'s' * (n > 1)}", **style) for n in counts]


def _merge(points: Matrix) -> tuple[Matrix, Matrix]:
    """Return the different points, and how many questions lie on each."""
    places, counts = np.unique(points.round(9) + 0.0, axis=0, return_counts=True)
    return places, counts.astype(float)


# ---------------------------------------------------------------------------------------------------------- pool and sample


def _components(matrix: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Return the first two principal components of the rows, their shares of the variance, and their loadings."""
    centred = matrix - matrix.mean(axis=0)
    _, lengths, axes = np.linalg.svd(np.linalg.qr(centred, mode="r"), full_matrices=False)
    lengths = np.where(lengths > 1e-9 * max(1.0, float(np.abs(matrix).max())), lengths, 0.0)
    total = float(np.sum(lengths**2)) or 1.0
    loadings, shares = np.zeros((2, matrix.shape[1])), np.zeros(2)
    for at in range(min(2, int(np.count_nonzero(lengths)))):
        sign = np.sign(axes[at, np.abs(axes[at]).round(9).argmax()])
        loadings[at], shares[at] = axes[at] * sign, lengths[at] ** 2 / total
    return centred @ loadings.T, shares, loadings


def _component_label(at: int, share: float, loadings: Matrix, names: Sequence[str]) -> str:
    """Say how much a component explains, and of which features there is more or less along its axis."""
    if share == 0.0:
        return f"component {at + 1}: no variance"
    largest = np.argsort(-np.abs(loadings).round(9), kind="stable")[:3]
    mostly = [int(column) for column in largest if abs(loadings[column]) >= 0.5 * abs(loadings[largest[0]])]
    words = ", ".join(f"{'more' if loadings[column] > 0 else 'less'} {_short(names[column], 22)}" for column in mostly)
    return f"component {at + 1}, {share:.0%} of the variance\n{words} →"


def _nearest(scene: _Scene) -> Rows | None:
    """Return for each pool question the nearest member by all features; None where one cluster is all, or the work too much."""
    from scipy.spatial import cKDTree

    if len(scene.benchmark.cluster_sizes) < 2 or len(scene.vectors) * len(scene.chosen) > _MAX_PAIRS:
        return None
    return np.asarray(cKDTree(scene.vectors.matrix[scene.chosen]).query(scene.vectors.matrix, workers=-1)[1], dtype=np.intp)


def _draw_pool(scene: _Scene) -> Figure:
    points, shares, loadings = _components(scene.vectors.matrix)
    points = points.round(9) + 0.0
    nearest = _nearest(scene)
    clusters = np.array([member.cluster for member in scene.benchmark.members])
    coloured = nearest is not None and clusters.max() <= MAX_COLOURS
    note = "Principal components of the scaled features: questions that are alike lie close together."
    if nearest is not None:
        note += " Lines and colours" if coloured else " Lines"
        note += " lead to the nearest chosen question, by all features and not only in these two dimensions."
    figure, _ = _page(scene, (9.5, 6.2), "Pool and sample in two dimensions", note)
    axes = figure.add_subplot()
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.06)
    colours = np.array([_COLOURS[cluster - 1] if coloured else _FAINT for cluster in clusters])
    if nearest is not None:
        rows = np.flatnonzero(~scene.outlier)
        _draw_lines(axes, points[rows], points[scene.chosen][nearest[rows]], colours[nearest[rows]])
    stands_for = np.array([member.weight for member in scene.benchmark.members]) * len(scene.vectors)
    places, counts = _merge(points[~scene.outlier])
    unit = min(6.0, _unit(len(places), max(stands_for.max(), counts.max())))
    handles = _draw_pool_points(axes, scene, points, unit, colours[nearest] if coloured else None)
    handles += _draw_members(axes, points[scene.chosen], stands_for, unit, colours if coloured else None)
    if coloured:
        _number_members(axes, points[scene.chosen], clusters)
    axes.set_xlabel(_component_label(0, shares[0], loadings[0], scene.vectors.features))
    axes.set_ylabel(_component_label(1, shares[1], loadings[1], scene.vectors.features))
    for axis, share in zip((axes.xaxis, axes.yaxis), shares, strict=True):
        if share == 0.0:
            axis.set_ticks([])
    _explain(axes, handles, 1.01)
    return figure


def _explain(axes: Axes, handles: list[Line2D], right: float) -> None:
    look = {"frameon": False, "fontsize": 8, "labelspacing": 1.3, "handlelength": 3.0}
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(right, 1.0), **look)


def _draw_lines(axes: Axes, points: Matrix, goals: Matrix, colours: NDArray[np.str_]) -> None:
    from matplotlib.collections import LineCollection

    lines, at = np.unique(np.hstack([points, goals]), axis=0, return_index=True)
    alpha = min(0.35, max(0.012, 600.0 / max(len(lines), 1)))
    shown = LineCollection(list(lines.reshape(-1, 2, 2)), colors=colours[at].tolist(), linewidths=0.5, alpha=alpha, zorder=1)
    shown.set_rasterized(True)
    axes.add_collection(shown)


def _draw_pool_points(axes: Axes, scene: _Scene, points: Matrix, unit: float, colours: NDArray[np.str_] | None) -> list[Line2D]:
    """Draw pool questions, one marker for each place, and outliers; return their legend entries."""
    rows = np.flatnonzero(~scene.outlier)
    places, at, counts = np.unique(points[rows], axis=0, return_index=True, return_counts=True)
    colour = _FAINT if colours is None else colours[rows][at].tolist()
    areas = _areas(counts, unit)
    _mark(axes, places, areas, colour, alpha=0.65, linewidths=0, zorder=1.5, rasterized=True)
    label = "question of the pool" if colours is None else "question of the pool, in the\ncolour of the nearest chosen\nquestion"
    if counts.max() > 1:
        label += f"; larger where\nup to {counts.max():,} share a place"
    handles = [_handle("o", 30, label, color=_FAINT if colours is None else _COLOURS[0], alpha=0.65)]
    if scene.outlier.any():
        outliers, _ = _merge(points[scene.outlier])
        area = 22.0 if len(outliers) < 500 else 9.0
        _mark(axes, outliers, area, "#8c8c8c", marker="x", linewidths=0.04 * area, zorder=0.9, rasterized=True)
        handles.append(_handle("x", 22, f"outlier ({scene.outlier.sum():,}), in no cluster", color="#8c8c8c"))
    elif scene.benchmark.outliers:
        handles.append(_handle("", 1, f"{scene.benchmark.outliers:,} outliers are not marked"))
    return handles


def _draw_members(axes: Axes, points: Matrix, stands_for: Matrix, unit: float, colours: NDArray[np.str_] | None) -> list[Line2D]:
    """Draw the chosen questions, small ones on top; return the legend entries."""
    order = np.argsort(-stands_for, kind="stable")
    areas = 12.0 + _areas(stands_for[order], unit)
    face = _SAMPLE if colours is None else colours[order].tolist()
    many = len(points) > 2000
    _mark(axes, points[order], areas, face, edgecolors=_INK, linewidths=0.4 if many else 1.0, zorder=2, rasterized=many)
    label = "chosen question; the area\ngrows with the number of\nquestions it stands for:"
    if colours is not None:
        label = "chosen question and number\nof its cluster; the area grows\nwith the number of\nquestions it stands for:"
    look = {"markeredgecolor": _INK, "color": _SAMPLE if colours is None else _COLOURS[0]}
    return [_handle("", 1, label), *_size_handles(float(stands_for.max()), 12.0, unit, **look)]


def _number_members(axes: Axes, points: Matrix, clusters: Rows) -> None:
    """Write cluster numbers beside the chosen questions, one text for those that lie close together."""
    from matplotlib.patheffects import withStroke

    near = 0.05 * float(max(np.ptp(axes.dataLim.get_points(), axis=0).max(), 1e-9))
    left = list(np.argsort(clusters, kind="stable"))
    while left:
        group = [at for at in left if np.hypot(*(points[at] - points[left[0]])) < near]
        left = [at for at in left if at not in group]
        x, y = points[group].max(axis=0)
        words = ", ".join(dict.fromkeys(str(clusters[at]) for at in group))
        outline = [withStroke(linewidth=2.5, foreground="white")]
        axes.annotate(words, (x, y), (7, 6), textcoords="offset points", weight="bold", zorder=5, path_effects=outline)


# -------------------------------------------------------------------------------------------------------------------- Voronoi


def _box(points: Matrix) -> tuple[Matrix, Matrix]:
    """Return the corners of a box around the points, with a margin, and no more than three times as long as it is high."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = high - low if (high - low).max() > 0 else np.ones(2)
    size = np.maximum(size, size.max() / 3.0) * 1.1
    return (low + high - size) / 2.0, (low + high + size) / 2.0


def _cells(points: Matrix, low: Matrix, high: Matrix) -> tuple[list[Matrix], list[str]]:
    """Return the Voronoi cells of different points within a box, and colours of which neighbours have different ones.

    Each point is mirrored at the four sides, so that the sides are borders of cells.
    """
    from scipy.spatial import Voronoi

    mirrored = [points]
    for side in (low, high):
        for at in (0, 1):
            mirror = points.copy()
            mirror[:, at] = 2.0 * side[at] - points[:, at]
            mirrored.append(mirror)
    diagram = Voronoi(np.vstack(mirrored))
    neighbours: dict[int, set[int]] = {at: set() for at in range(len(points))}
    for one, other in diagram.ridge_points:
        if one < len(points) and other < len(points):
            neighbours[int(one)].add(int(other))
            neighbours[int(other)].add(int(one))
    tint: dict[int, int] = {}
    polygons = []
    for at, point in enumerate(points):
        corners = diagram.vertices[[corner for corner in diagram.regions[diagram.point_region[at]] if corner >= 0]]
        angles = np.arctan2(corners[:, 1] - point[1], corners[:, 0] - point[0])
        polygons.append(np.clip(corners[np.argsort(angles)], low, high))
        used = {tint.get(other) for other in neighbours[at]}
        tint[at] = next((colour for colour in range(len(_SOFT)) if colour not in used), 0)
    return polygons, [_SOFT[tint[at]] for at in range(len(points))]


def _draw_cells(axes: Axes, points: Matrix, low: Matrix, high: Matrix) -> None:
    """Fill the cells below the questions, and draw their borders over the pool's."""
    from matplotlib.collections import PolyCollection

    many = len(points) > 2000
    polygons, tints = _cells(points, low, high)
    axes.add_collection(PolyCollection(polygons, facecolors=tints, edgecolors="none", zorder=1.0, rasterized=many))
    borders = PolyCollection(polygons, facecolors="none", edgecolors="#777777", linewidths=0.2 if many else 0.7, zorder=1.2)
    borders.set_rasterized(many)
    axes.add_collection(borders)


def _draw_voronoi(scene: _Scene, columns: Sequence[int]) -> Figure:
    plane = np.zeros((len(scene.vectors), 2))
    plane[:, : len(columns)] = scene.vectors.matrix[:, columns]
    low, high = _box(plane)
    places, counts = _merge(plane)
    chosen, chosen_counts = _merge(plane[scene.chosen])
    names = [_short(scene.vectors.features[column], 40) for column in columns]
    note = f"Each cell is the part of the plane that is nearest to one chosen question by {' and '.join(names)} alone. "
    note += f"Different places in this plane: {len(chosen):,} of chosen questions, {len(places):,} of the pool."
    size = 5.4 * (high - low) / (high - low).max()
    figure, room = _page(scene, (9.5, max(2.6, size[1]) + 1.05), "Cells of the chosen questions", note)
    figure.set_layout_engine("none")  # it cannot do axes of equal units
    width, height = figure.get_size_inches()
    top = room.y1 - 0.55 / height
    axes = figure.add_axes((0.75 / width, top - size[1] / height, size[0] / width, size[1] / height))
    unit, many = _unit(len(places), counts.max()), len(chosen) > 2000
    look = {"alpha": 0.4, "linewidths": 0} if len(places) > 3000 else {"linewidths": 0.4}
    _draw_cells(axes, chosen, low, high)
    _mark(axes, places, _areas(counts, unit), _POOL, edgecolors=_POOL_EDGE, zorder=1.1, rasterized=True, **look)
    areas = np.maximum(_areas(chosen_counts, unit), 3.0 if many else 12.0)
    _mark(axes, chosen, areas, _SAMPLE, marker="D", edgecolors=_INK, linewidths=0.8, zorder=1.3, rasterized=many)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    _name_plane(axes, scene, columns, names)
    handles = [
        _handle("D", 30, "chosen questions", color=_SAMPLE, markeredgecolor=_INK),
        _handle("o", 40, "questions of the pool", color=_POOL, markeredgecolor=_POOL_EDGE),
        _handle("", 1, "The area of both grows with the\nnumber of questions at a place:"),
        *_size_handles(float(counts.max()), 0.0, unit, color=_POOL, markeredgecolor=_POOL_EDGE),
    ]
    _explain(axes, handles, 1 + 0.65 / size[0])
    return figure


def _name_plane(axes: Axes, scene: _Scene, columns: Sequence[int], names: Sequence[str]) -> None:
    """Label the axes: below and left the scaled values, above and right the values as selected."""
    axes.set_xlabel(f"{names[0]}, scaled by {scene.vectors.scaling}")
    if len(columns) == 1:
        axes.set_yticks([])
        axes.set_ylabel("(there is one feature only)")
    else:
        axes.set_ylabel(f"{names[1]}, scaled by {scene.vectors.scaling}")
    for at, column in enumerate(columns):
        limits = (axes.get_xlim, axes.get_ylim)[at]()
        ticks = _raw_ticks(scene.vectors.raw[:, column], scene.vectors.matrix[:, column], limits[1] - limits[0])
        other = axes.secondary_xaxis("top") if at == 0 else axes.secondary_yaxis("right")
        show = other.set_xticks if at == 0 else other.set_yticks
        show([place for place, _ in ticks], [label for _, label in ticks], fontsize=8, color=_GREY)
        (other.set_xlabel if at == 0 else other.set_ylabel)(f"{names[at]} as selected", color=_GREY, fontsize=8)


def _raw_ticks(raw: Matrix, scaled: Matrix, span: float) -> list[tuple[float, str]]:
    """Return where to write which raw values along a scaled axis, at least a sixteenth of its length apart."""
    from matplotlib.ticker import MaxNLocator

    values, at = np.unique(raw, return_index=True)
    places = scaled[at]
    candidates = values
    if len(values) > MAX_BARS:
        straight = np.interp(values, values[[0, -1]], places[[0, -1]])
        candidates = np.asarray(MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(values[0], values[-1]))
        if np.abs(straight - places).max() > 0.01 * span:
            powers = [step * 10.0**power for power in range(-2, 10) for step in (1, 2, 5)]
            candidates = np.array([0.0, *powers, *(-power for power in powers), *values[values == values.round()]])
        candidates = candidates[(candidates >= values[0]) & (candidates <= values[-1])]
    ticks: list[tuple[float, str]] = []
    for value in candidates:
        place = float(np.interp(value, values, places))
        if all(abs(place - other) >= span / 16.0 for other, _ in ticks):
            ticks.append((place, _number(value)))
    return ticks


# ------------------------------------------------------------------------------------------------------------------- features


def _panels(scene: _Scene) -> list[_Panel]:
    """Return one panel for each feature; the columns ``variable=value`` of a category share one."""
    groups: dict[tuple[str, bool], list[int]] = {}
    for column, name in enumerate(scene.vectors.features):
        variable, equals, _ = name.partition("=")
        category = equals and 0.0 <= scene.vectors.raw[:, column].min() <= scene.vectors.raw[:, column].max() <= 1.0
        groups.setdefault((variable, True) if category else (name, False), []).append(column)
    return [
        _category_panel(scene, name, columns) if category else _number_panel(scene, name, columns[0])
        for (name, category), columns in groups.items()
    ]


def _category_panel(scene: _Scene, name: str, columns: list[int]) -> _Panel:
    raw = scene.vectors.raw[:, columns]
    sample = raw[scene.chosen]
    order = np.argsort(-raw.mean(axis=0), kind="stable")
    shown, rest = (order, order[:0]) if len(order) <= MAX_BARS + 1 else (order[:MAX_BARS], order[MAX_BARS:])
    labels = [_short(scene.vectors.features[columns[at]].partition("=")[2] or "(empty)", 20) for at in shown]
    shares = [part[:, shown].mean(axis=0) for part in (raw, sample)]
    if len(rest):
        labels.append(f"{len(rest):,} others")
        shares = [np.append(share, part[:, rest].max(axis=1).mean()) for share, part in zip(shares, (raw, sample), strict=True)]
    return _Panel(name, shares[0], shares[1], [(float(at), label) for at, label in enumerate(labels)])


def _number_panel(scene: _Scene, name: str, column: int) -> _Panel:
    raw = scene.vectors.raw[:, column]
    sample = raw[scene.chosen]
    means = (float(raw.mean()), float(sample.mean()))
    values, inverse = np.unique(raw, return_inverse=True)
    if len(values) <= MAX_BARS:
        shares = [np.bincount(part, minlength=len(values)) / len(part) for part in (inverse, inverse[scene.chosen])]
        ticks = [(float(at), _number(value)) for at, value in enumerate(values)]
        places = np.interp(means, values, np.arange(len(values)))
        return _Panel(name, shares[0], shares[1], ticks, means, (places[0], places[1]))
    edges, axis = _edges(raw)
    shares = [np.histogram(part, edges)[0] / len(part) for part in (raw, sample)]
    at_edges = np.arange(float(len(edges))) - 0.5
    places = np.interp(means, edges, at_edges)
    return _Panel(name, shares[0], shares[1], _bin_ticks(edges, at_edges, bool(axis)), means, (places[0], places[1]), axis)


def _edges(raw: Matrix) -> tuple[Matrix, str]:
    """Return the borders of the bins, and a word on the axis where it is not even."""
    median = float(np.median(raw)) or float(np.median(raw[raw != 0.0]))
    if raw.min() >= 0.0 and raw.max() > 50.0 * median:
        positive = raw[raw > 0.0]
        powers = range(math.floor(math.log10(positive.min())), math.ceil(math.log10(raw.max() * 1.001)) + 1)
        steps = (1.0, 2.0, 5.0) if len(powers) <= 7 else (1.0,)
        edges = np.array([step * 10.0**power for power in powers for step in steps])
        first, last = int(np.sum(edges <= positive.min())) - 1, int(np.sum(edges <= raw.max()))
        edges = edges[first : last + 1]
        return (np.insert(edges, 0, 0.0) if raw.min() == 0.0 else edges), "log scale"
    if np.array_equal(raw, raw.round()):
        width = max(1, math.ceil((raw.max() - raw.min() + 1) / 25))
        return np.arange(raw.min() - 0.5, raw.max() + width, width), ""
    return np.linspace(raw.min(), raw.max(), 21), ""


def _bin_ticks(edges: Matrix, places: Matrix, logarithmic: bool) -> list[tuple[float, str]]:
    from matplotlib.ticker import MaxNLocator

    values = (
        edges[:: math.ceil(len(edges) / 8)]
        if logarithmic
        else MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(edges[0], edges[-1])
    )
    values = values[(values >= edges[0]) & (values <= edges[-1])]
    return [(float(np.interp(value, edges, places)), _number(value)) for value in values]


def _draw_features(scene: _Scene) -> Figure:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    panels = _panels(scene)
    differs = [-float(np.abs(panel.pool - panel.sample).sum()) for panel in panels]
    shown = sorted(np.argsort(np.round(differs, 9), kind="stable")[:MAX_PANELS])
    note = "Share of the questions by value; each chosen question counts once."
    heading = "Features of pool and sample"
    if len(panels) > len(shown):
        heading += f": the {len(shown)} that differ most, {len(panels) - len(shown):,} not shown"
    wide = min(4, math.ceil(math.sqrt(len(shown))))
    deep = math.ceil(len(shown) / wide)
    figure, room = _page(scene, (max(6.6, 3.1 * wide), 2.3 * deep), heading, note, extra=0.2)
    grid = figure.subplots(deep, wide, squeeze=False).ravel()
    for axes, at in zip(grid, shown, strict=False):
        _draw_panel(axes, panels[at])
    for axes in grid[len(shown) :]:
        axes.set_axis_off()
    bars = [Patch(label="pool", **_POOL_BAR), Patch(label="sample", **_SAMPLE_BAR)]
    lines = [Line2D([], [], label="mean of the pool", **_POOL_MEAN), Line2D([], [], label="mean of the sample", **_SAMPLE_MEAN)]
    where = (0.12 / figure.get_figwidth(), room.y1 + 0.26 / figure.get_figheight())
    look = {"frameon": False, "fontsize": 8, "ncols": 4, "borderaxespad": 0.0, "borderpad": 0.2}
    figure.legend(handles=[*bars, *lines], loc="upper left", bbox_to_anchor=where, **look).set_in_layout(False)
    return figure


def _draw_panel(axes: Axes, panel: _Panel) -> None:
    from matplotlib.ticker import MaxNLocator

    places, flat = np.arange(len(panel.pool)), panel.means is None
    draw_bars = axes.barh if flat else axes.bar
    for shares, shift, look in ((panel.pool, -0.2, _POOL_BAR), (panel.sample, 0.2, _SAMPLE_BAR)):
        draw_bars(places + shift, shares, 0.4, **look)
    along, across = (axes.yaxis, axes.xaxis) if flat else (axes.xaxis, axes.yaxis)
    along.set_ticks([place for place, _ in panel.ticks], [label for _, label in panel.ticks], fontsize=7)
    across.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    across.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.tick_params(labelsize=7, length=2)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(_short(panel.name, 26), fontsize=9, weight="bold", loc="left", pad=4)
    if flat:
        axes.invert_yaxis()
    if panel.means is not None and panel.places is not None:
        for place, look in zip(panel.places, (_POOL_MEAN, _SAMPLE_MEAN), strict=True):
            axes.axvline(place, **look)
        words = f"mean: pool {_number(panel.means[0])}, sample {_number(panel.means[1])}"
        axes.set_xlabel(f"{panel.axis}; {words}" if panel.axis else words, fontsize=7, color=_GREY)
