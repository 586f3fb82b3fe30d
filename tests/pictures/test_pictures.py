"""Pictures of a benchmark: right words, stable bytes, small files, and no pool too odd to draw."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.typing import ArrayLike

from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.benchmark.make import sample
from qaldgen.errors import UsageError
from qaldgen.io.outputs import check_writable, write_all
from qaldgen.pictures import draw as plots
from qaldgen.pictures import style
from qaldgen.pictures import voronoi as voronoi_picture
from qaldgen.pictures.features import draw_features, panels_of
from qaldgen.pictures.pool import draw_pool
from qaldgen.pictures.scene import Scene, scene_of
from qaldgen.pictures.voronoi import pair_columns
from qaldgen.reports.page.slice_groups import heading
from qaldgen.selection.scaling import scale
from qaldgen.selection.vectors import Vectors

NAMES = [
    f"{name}.{kind}" for name in ("pool", "voronoi", "features") for kind in ("png", "svg", "pdf")
]
LONG = "http://example.org/ontology/AClassWithAVeryLongNameThatWouldNotFitAnywhere"


def table(raw: ArrayLike, names: list[str] | None = None, scaling: str = "max") -> Vectors:
    values = np.asarray(raw, dtype=float)
    features = tuple(names or [f"f{at}" for at in range(values.shape[1])])
    ids = tuple(f"http://x.org/q{at}" for at in range(len(values)))
    return Vectors(ids, features, values, scale(scaling, values, features, ids), scaling)


def mixed(n: int = 400) -> Vectors:
    """Numbers, a skewed one, a category with many values, and names that are markup or maths."""
    rng = np.random.default_rng(3)
    kinds = (rng.integers(0, 20, n)[:, None] == np.arange(20)).astype(float)
    raw = np.hstack(
        [rng.poisson(9, (n, 1)), rng.integers(0, 3, (n, 1)), rng.lognormal(0, 3, (n, 1)), kinds]
    )
    return table(
        raw, ["length", "a<b & $x_1$", "answers", *(f"kind={LONG}{at}" for at in range(20))], "log"
    )


def words(path: Path) -> str:
    return " ".join(
        "".join(element.itertext())
        for element in ET.fromstring(path.read_bytes()).findall(".//{*}text")
    )


def said(figure: Figure) -> str:
    """What a figure says, without the work of rendering it."""
    return " ".join(text.get_text() for text in figure.findobj(Text) if isinstance(text, Text))


def png_size(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


@pytest.fixture(scope="module")
def pool() -> Vectors:
    return mixed()


@pytest.fixture(scope="module")
def chosen(pool: Vectors) -> Benchmark:
    return sample(pool, 30, method="feasible")


def draw_all(
    benchmark: Benchmark,
    vectors: Vectors,
    folder: Path,
    *,
    pair: tuple[str, str] | None = None,
    force: bool = False,
) -> list[Path]:
    """Write the plots into a folder, as `sample --plots` does."""
    for path in plots.plot_files(folder):
        check_writable(path, force=force, new_folders=True)
    files = plots.plots(benchmark, vectors, folder, pair=pair)
    write_all(files, force=force, new_folders=True)
    return [path for path, _ in files]


def draw_svgs(
    benchmark: Benchmark, vectors: Vectors, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[Path]:
    """Write the plots as SVG alone: the other formats are drawn alike, and take longer."""
    draw = style.figure_bytes

    def draw_svg(figure: Figure, form: str, *more: object) -> bytes:
        return draw(figure, form, *more) if form == "svg" else b""  # type: ignore[arg-type]

    monkeypatch.setattr(style, "figure_bytes", draw_svg)
    return [path for path in draw_all(benchmark, vectors, folder) if path.suffix == ".svg"]


@pytest.fixture(scope="module")
def drawn(pool: Vectors, chosen: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plots") / "made" / "here"
    assert draw_all(chosen, pool, folder) == [folder / name for name in NAMES]
    return folder


def test_files(drawn: Path) -> None:
    assert sorted(path.name for path in drawn.iterdir()) == sorted(NAMES)
    for name in ("pool", "voronoi", "features"):
        width, height = png_size(drawn / f"{name}.png")
        assert 900 < width < 2500
        assert 400 < height < 2500
        assert (drawn / f"{name}.svg").stat().st_size < 1_500_000


def test_words(drawn: Path, chosen: Benchmark) -> None:
    for name in ("pool", "voronoi", "features"):
        text = words(drawn / f"{name}.svg")
        assert "30 of 400 questions, feasible, from table" in text
        assert chosen.signature in text
    pool = words(drawn / "pool.svg")
    assert "% of the variance" in pool
    assert "nearest chosen question" in pool
    features = words(drawn / "features.svg")
    for word in (
        "length",
        "a<b & $x_1$",
        "log scale; mean: pool",
        "kind",
        "8 others",
        "…",
        "mean of the pool",
        "mean of the sample",
    ):
        assert word in features
    assert LONG not in features
    assert "not shown" not in features
    assert "as selected" in words(drawn / "voronoi.svg")


def test_same_bytes_whatever_the_settings(
    pool: Vectors, chosen: Benchmark, drawn: Path, tmp_path: Path
) -> None:
    with mpl.rc_context(
        {"svg.hashsalt": None, "axes.facecolor": "black", "font.size": 30, "text.parse_math": True}
    ):
        before = dict(mpl.rcParams)
        draw_all(chosen, pool, tmp_path)
        assert dict(mpl.rcParams) == before
    for name in NAMES:
        assert (tmp_path / name).read_bytes() == (drawn / name).read_bytes(), name


def test_no_pyplot() -> None:
    code = (
        "import sys, qaldgen.pictures.draw as p\nwith p.own_style(): pass\nassert"
        " 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_default_pair(pool: Vectors, chosen: Benchmark) -> None:
    assert [pool.features[column] for column in pair_columns(scene_of(chosen, pool), None)] == [
        "answers",
        "length",
    ]


@pytest.mark.parametrize(
    ("columns", "pair"),
    [
        ([range(6), [0, 5] * 3, [0, 1, 2, 3, 4, 2], range(6)], [0, 3]),
        ([[0, 5] * 3, [0, 1, 2] * 2, range(6)], [2, 0]),
        ([[0, 1, 2] * 2, [0, 5] * 3, [5, 0] * 3], [1, 2]),
    ],
    ids=["five values, first of equals", "one with five", "none with five"],
)
def test_default_pair_prefers_many_values(columns: list[list[float]], pair: list[int]) -> None:
    pool = table(np.column_stack(columns))
    assert pair_columns(scene_of(sample(pool, 6), pool), None) == pair


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("length", "lenght"), "did you mean length. choose one of length, a<b"),
        (("length", "length"), "two different"),
    ],
)
def test_wrong_pair(
    pool: Vectors, chosen: Benchmark, tmp_path: Path, pair: tuple[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        draw_all(chosen, pool, tmp_path / "new", pair=pair)
    assert not (tmp_path / "new").exists()


def test_other_pool(chosen: Benchmark, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not chosen from these questions"):
        draw_all(chosen, table([[1.0], [2.0]], ["f"]), tmp_path)


def test_folder_is_a_file(pool: Vectors, chosen: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="Not a directory"):
        draw_all(chosen, pool, tmp_path / "file")


def test_nothing_is_overwritten_or_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = table([[1.0, 2.0], [3.0, 1.0], [2.0, 2.0]])
    benchmark = sample(pool, 2)
    (tmp_path / "features.svg").write_text("mine")
    with pytest.raises(UsageError, match=r"features\.svg: already exists"):
        draw_all(benchmark, pool, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["features.svg"]

    def fail(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(plots, "draw_features", fail)
        with pytest.raises(MemoryError):
            draw_all(benchmark, pool, tmp_path, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["features.svg"]
    assert (tmp_path / "features.svg").read_text() == "mine"
    draw_all(benchmark, pool, tmp_path, pair=("f1", "f0"), force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(NAMES)
    assert "f1, scaled by max" in words(tmp_path / "voronoi.svg")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("raw", "n"),
    [
        ([[float(at % 7)] for at in range(30)], 5),
        ([[3.0]], 1),
        (np.ones((20, 3)), 2),
        ([[0.0, 5.0], [2.0, 7.0]], 2),
    ],
    ids=["one feature", "one question", "constants", "two questions"],
)
def test_odd_pools(raw: ArrayLike, n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = table(raw)
    for path in draw_svgs(sample(pool, n, method="feasible"), pool, tmp_path, monkeypatch):
        assert f"{n} of {len(pool)} questions" in words(path)


def extremes() -> ArrayLike:
    """Return columns with numbers far larger and smaller than anything that is measured."""
    powers = 10.0 ** np.linspace(-90, 90, 40)
    largest = np.linspace(0.9, 1.0, 40) * 1.7e90
    return np.column_stack(
        [
            powers,
            -powers,
            largest,
            np.where(np.arange(40) % 2, largest, -largest),
            np.arange(40) * 5e-90,
        ]
    )


def test_cells_that_cannot_be_told_apart_are_not_drawn_and_it_is_said_why() -> None:
    values = np.random.default_rng(0).random((500, 2))
    pool = table(values)
    scene = scene_of(sample(pool, 450, method="random"), pool)
    figure = voronoi_picture.draw_voronoi(scene, pair_columns(scene, None))
    assert "Not drawn: by f0 and f1 the chosen questions make 450 cells" in " ".join(
        said(figure).split()
    )
    assert not figure.axes


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scaling", ["minmax", "rank", "zscore"])
@pytest.mark.parametrize(
    "pair", [None, ("f0", "f3"), ("f2", "f4")], ids=["default", "wide", "large"]
)
def test_extremes_can_be_drawn(scaling: str, pair: tuple[str, str] | None) -> None:
    pool = table(extremes(), scaling=scaling)
    scene = scene_of(sample(pool, 5, method="random"), pool)
    for panel in panels_of(scene):
        assert panel.pool.sum() == pytest.approx(1.0)
    figure = voronoi_picture.draw_voronoi(scene, pair_columns(scene, pair))
    assert not {"inf", "nan"} & set(said(figure).lower().split())
    said(draw_features(scene))


def test_many_columns() -> None:
    pool = table(np.random.default_rng(5).poisson(2, (300, 157)))
    scene = scene_of(sample(pool, 12, method="random"), pool)
    text = said(draw_features(scene))
    assert "the 24 that differ most, 133 not shown" in text
    assert text.count("mean: pool") == 24
    assert "Lines lead" not in said(draw_pool(scene))


def test_many_questions_small_svg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = table(np.random.default_rng(6).random((10_000, 3)))
    paths = draw_svgs(sample(pool, 8), pool, tmp_path, monkeypatch)
    assert max(path.stat().st_size for path in paths) < 1_500_000


def test_outliers() -> None:
    rng = np.random.default_rng(7)
    pool = table(np.vstack([rng.random((60, 2)) / 10, [[1.0, 0.9], [0.2, 1.0]]]))
    benchmark = sample(pool, 3, method="db+km++", radius=0.1)
    assert benchmark.outliers == 2
    text = said(draw_pool(scene_of(benchmark, pool)))
    assert "outlier (2), in no cluster" in text
    assert "of its cluster" in text
    assert scene_of(benchmark, pool).outlier.tolist() == [False] * 60 + [True] * 2


def test_cells_fill_the_box() -> None:
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.5], [0.5, 1.0], [0.25, 0.75]])
    low, high = np.array([-0.1, -0.1]), np.array([1.1, 1.1])
    polygons, tints = voronoi_picture._cells(points, low, high)
    areas = [
        0.5 * abs(np.dot(p[:, 0], np.roll(p[:, 1], 1)) - np.dot(p[:, 1], np.roll(p[:, 0], 1)))
        for p in polygons
    ]
    assert sum(areas) == pytest.approx(float(np.prod(high - low)))
    assert len(set(tints)) >= 3


def test_bars_hold_every_question() -> None:
    rng = np.random.default_rng(8)
    columns = [
        rng.poisson(30, 500),
        rng.lognormal(0, 4, 500),
        rng.normal(-5, 2, 500),
        np.append(np.zeros(300), np.arange(200.0) ** 3),
    ]
    pool = table(np.column_stack(columns), scaling="minmax")
    for panel in panels_of(scene_of(sample(pool, 50, method="random"), pool)):
        assert panel.pool.sum() == pytest.approx(1.0)
        assert panel.sample.sum() == pytest.approx(1.0)
        assert len(panel.pool) <= 26


@pytest.mark.parametrize(
    "draw", [draw_features, draw_pool, "voronoi"], ids=["features", "pool", "voronoi"]
)
def test_features_are_called_by_their_labels(draw: Callable[[Scene], Figure] | str) -> None:
    pool = table(np.random.default_rng(7).random((60, 2)), ["tpCount", "avgEntitiesWords"])
    scene = scene_of(sample(pool, 6, method="random"), pool)
    if isinstance(draw, str):
        text = said(voronoi_picture.draw_voronoi(scene, pair_columns(scene, None)))
    else:
        text = said(draw(scene))
    assert "number of triple p" in text
    assert "tpCount" not in text
    assert "avgEntitiesWords" not in text


@pytest.mark.parametrize(
    ("feature", "title"),
    [
        ("hopCount", "Number of hops (hopCount)"),
        ("length", "Length in words (length)"),
        ("isCount, hopCount", "The query counts, number of hops (isCount, hopCount)"),
        ("myOwn", "myOwn"),
    ],
)
def test_groups_of_slices_are_headed_by_labels(feature: str, title: str) -> None:
    assert heading(feature).title == title
