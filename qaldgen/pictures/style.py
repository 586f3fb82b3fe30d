"""The style of all pictures: colours, settings, pages with a title, figures for a paper."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
from matplotlib import style
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.io.text import shorten
from qaldgen.pictures.layouts import find_layout
from qaldgen.pictures.scene import Scene

POOL = "#76aed6"
POOL_EDGE = "#3f7099"
SAMPLE = "#c44e00"
INK = "#222222"
GREY = "#6b6b6b"
#: The pool if clusters are not coloured.
FAINT = "#93a9ba"
#: Questions of the pool in no cluster.
OUTLIER = "#8c8c8c"
#: Okabe and Ito's colours, which colour-blind readers can distinguish; markers and labels show the
#: system or method without colour.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c8c00")
MARKERS = "osD^vPX*<>"
#: For clusters: Okabe and Ito's, without black and with yellow darkened for points on white, then
#: three of Paul Tol's.
CLUSTER_COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#b8a900",
    "#882255",
    "#332288",
    "#999999",
)
#: For cells side by side: light, so that points and text stand out.
CELL_COLOURS = (
    "#dbe9f6",
    "#fde8cf",
    "#dff0dc",
    "#f3e0ee",
    "#f7f4cf",
    "#d9efef",
    "#ebe6f7",
    "#ececec",
)
#: Metadata with dates and versions, which would change the bytes of the same figure.
_UNDATED: dict[str, dict[str, None]] = {
    "png": {"Software": None}, "svg": {"Date": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}  # fmt: skip
_PNG_DPI = 150
#: The resolution of the rasterised parts of SVG and PDF.
_SVG_DPI = 120
_SETTINGS = {
    "svg.hashsalt": "qaldgen",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # TrueType fonts, so that text stays text, as publishers require
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "font.size": 9,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.6,
    "hatch.linewidth": 0.6,
}
#: The settings for sizes of text, which are all one size in a paper.
_FONT_SIZES = (
    "font.size", "axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize",
    "legend.fontsize",
)  # fmt: skip


@contextmanager
def own_style() -> Iterator[None]:
    """Use our settings while drawing, and restore the user's afterwards."""
    with style.context(["default", _SETTINGS]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def titled_figure(
    scene: Scene, size: tuple[float, float], heading: str, note: str, extra: float = 0.0
) -> tuple[Figure, float]:
    """Return a figure with heading, note and signature, and space for a picture.

    A line below the heading gives the size of the sample and of the pool, the method and the data.
    Sizes and distances are in inches.
    """
    width = size[0]
    provenance = scene.benchmark.provenance
    method = shorten(provenance.method, 20)
    subtitle = f"{len(scene.chosen):,} of {len(scene.vectors):,} questions, {method}"
    subtitle += f", from {shorten(provenance.data_name, int(width * 12) - len(subtitle))}"
    signature = textwrap.wrap(
        shorten(scene.benchmark.signature, 600).replace("|", "| "), int(width * 19)
    )
    notes = textwrap.wrap(note, int(width * 13))

    top = 0.62 + 0.16 * len(notes) + extra
    bottom = 0.15 + 0.12 * len(signature)
    height = size[1] + top + bottom
    figure = Figure(figsize=(width, height))
    room = Bbox.from_bounds(0.01, bottom / height, 0.98, size[1] / height)
    figure.set_layout_engine(ConstrainedLayoutEngine(rect=room.bounds, w_pad=0.08, h_pad=0.08))

    margin = 0.12 / width
    figure.text(margin, 1 - 0.12 / height, heading, va="top", fontsize=13, color=INK, weight="bold")
    figure.text(margin, 1 - 0.37 / height, subtitle, va="top", fontsize=10, color=INK)
    figure.text(margin, 1 - 0.57 / height, "\n".join(notes), va="top", fontsize=8, color=GREY)
    lines = "\n".join(signature).replace("| ", "|")
    figure.text(
        margin, 0.08 / height, lines, va="bottom", fontsize=5.5, color=GREY, family="monospace"
    )

    return figure, room.y1


def render(figure: Figure, benchmark: Benchmark) -> tuple[bytes, bytes, bytes]:
    """Return a figure as PNG, SVG and PDF, all with one layout."""
    if isinstance(engine := figure.get_layout_engine(), ConstrainedLayoutEngine):
        engine.execute(figure)
        figure.set_layout_engine("none")
        # the last bits of a layout differ from run to run, and bytes must not
        for axes in figure.axes:
            x, y, width, height = (
                round(side, 6) for side in axes.get_position(original=True).bounds
            )
            axes.set_position((x, y, width, height))
    title = shorten(benchmark.title, 200)
    description = shorten(benchmark.signature, 1000)
    metadata = {"Title": title, "Description": description}
    return (
        figure_bytes(figure, "png", _PNG_DPI, metadata),
        figure_bytes(figure, "svg", _SVG_DPI, metadata),
        figure_bytes(figure, "pdf", _SVG_DPI, {"Title": title, "Subject": description}),
    )


def round_values(low: float, high: float) -> NDArray[np.float64]:
    """Return round numbers, in ascending order, that cover a range."""
    if not 1e-300 < high / 2 - low / 2 < 1e300:
        return np.array([low, high])
    return np.asarray(MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high))


def short_number(value: float) -> str:
    """Return a number as short as a tick label must be.

    >>> [short_number(value) for value in (0.123456, 1234.0, 15998.0, -2e6)]
    ['0.123', '1234', '16k', '−2M']
    """
    for least, size, unit in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k"), (1e3, 1.0, "")):
        if abs(value) >= least:
            digits = 3 if unit else 4
            return f"{value / size:.{digits}g}{unit}".replace("-", "−")
    return f"{value:.3g}".replace("-", "−")


@contextmanager
def paper_style(layout: str) -> Iterator[float]:
    """Set matplotlib's style for a layout, and yield the width of the figure in inches."""
    width, points = find_layout(layout)
    settings: dict[str, object] = dict.fromkeys(_FONT_SIZES, points)
    with own_style(), style.context({**settings, "axes.titleweight": "bold"}):
        yield width


def figure_bytes(
    figure: Figure, form: str, dpi: int = 200, about: Mapping[str, str] | None = None
) -> bytes:
    """Return a figure as ``png``, ``svg`` or ``pdf``; the same figure gives the same bytes."""
    data = io.BytesIO()
    # matplotlib reads these settings when it saves a figure, not when it draws it
    with own_style():
        metadata = {**(about or {}), **_UNDATED[form]}
        figure.savefig(data, format=form, dpi=dpi, facecolor="white", metadata=metadata)
    return data.getvalue()
