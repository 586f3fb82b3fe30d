"""Draw a benchmark: its pool in two dimensions, a Voronoi diagram, and each feature.

Every picture is written as PNG, SVG and PDF.
"""

from __future__ import annotations

from pathlib import Path

from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.errors import UsageError
from qaldgen.io.outputs import check_writable, write_all
from qaldgen.pictures.features import draw_features
from qaldgen.pictures.pool import draw_pool
from qaldgen.pictures.scene import scene_of
from qaldgen.pictures.style import own_style, render
from qaldgen.pictures.voronoi import draw_voronoi, pair_columns
from qaldgen.selection.vectors import Vectors


def draw_all(
    benchmark: Benchmark,
    vectors: Vectors,
    folder: Path,
    *,
    pair: tuple[str, str] | None = None,
    force: bool = False,
) -> list[Path]:
    """Draw ``pool``, ``voronoi`` and ``features``, each as PNG, SVG and PDF."""
    # if one of them fails, no file is written
    scene = scene_of(benchmark, vectors)
    columns = pair_columns(scene, pair)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot be made a folder ({error.strerror or error}); name another", where=folder
        ) from error
    targets = [
        folder / f"{name}.{kind}"
        for name in ("pool", "voronoi", "features")
        for kind in ("png", "svg", "pdf")
    ]
    for path in targets:
        check_writable(path, force=force)
    with own_style():
        figures = (draw_pool(scene), draw_voronoi(scene, columns), draw_features(scene))
        rendered = [data for figure in figures for data in render(figure, benchmark)]
    write_all(list(zip(targets, rendered, strict=True)), force=force)
    return targets
