"""Draw a benchmark: its pool in two dimensions, a Voronoi diagram, and each feature.

Every picture is written as PNG, SVG and PDF.
"""

from __future__ import annotations

from pathlib import Path

from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.pictures.features import draw_features
from qaldgen.pictures.layouts import FORMS
from qaldgen.pictures.pool import draw_pool
from qaldgen.pictures.scene import scene_of
from qaldgen.pictures.style import own_style, render
from qaldgen.pictures.voronoi import draw_voronoi, pair_columns
from qaldgen.selection.vectors import Vectors


def plot_files(folder: Path) -> list[Path]:
    """Return the files of the plots in a folder."""
    paths = []
    for name in ("pool", "voronoi", "features"):
        paths += [folder / f"{name}.{suffix}" for suffix in FORMS]
    return paths


def plots(
    benchmark: Benchmark, vectors: Vectors, folder: Path, *, pair: tuple[str, str] | None = None
) -> list[tuple[Path, bytes]]:
    """Draw ``pool``, ``voronoi`` and ``features``, each as PNG, SVG and PDF."""
    scene = scene_of(benchmark, vectors)
    columns = pair_columns(scene, pair)
    with own_style():
        figures = (draw_pool(scene), draw_voronoi(scene, columns), draw_features(scene))
        contents = list[bytes]()
        for figure in figures:
            contents += render(figure, benchmark)
    return list(zip(plot_files(folder), contents, strict=True))
