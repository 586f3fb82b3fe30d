"""Scores of systems with their intervals: ranked on all questions, and by kind of question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from qaldgen.defaults import LEVEL_LABEL
from qaldgen.io.text import shorten
from qaldgen.pictures.style import COLOURS, GREY, MARKERS, figure_bytes, paper_style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: The most characters of the label of a row.
_MAX_LABEL = 48
#: The characters of the legend that fit into a line.
_LEGEND_CHARS = 64
#: The least height of a row, in inches.
_ROW_HEIGHT = 0.17
#: The height of each system in a row, in inches.
_SYSTEM_HEIGHT = 0.055
#: The height of the axis and the legend, in inches.
_AXIS_HEIGHT = 0.75


def plot_ranking(
    axis: Axes, scores: pd.DataFrame, ranks: Mapping[str, tuple[int, int]], measure: str
) -> Axes:
    """Draw the score of each system, the best on top, with its interval, figures and rank range.

    `scores` has ``estimate``, ``low`` and ``high`` by system.
    """
    names = [str(name) for name in scores.index]
    for row, score in enumerate(scores.itertuples()):
        _draw_interval(axis, row, score, colour=COLOURS[0], marker="o")
        axis.annotate(
            f"{score.estimate:.2f}",
            (1, row),
            (4, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            annotation_clip=False,
        )

    labels = []
    for name in names:
        best, worst = ranks[name]
        rank = str(best) if best == worst else f"{best}–{worst}"
        labels.append(f"{rank}  {shorten(name, 26)}")

    _set_rows(axis, labels)
    axis.set_xlabel(f"{measure}, with {LEVEL_LABEL} intervals")
    return axis


def plot_kinds(axis: Axes, kinds: pd.DataFrame, systems: Sequence[str], measure: str) -> Axes:
    """Draw the scores of systems by kind of question, one row for each kind.

    `kinds` has ``label``, ``n``, ``system``, ``estimate``, ``low`` and ``high``.
    """
    rows = {label: row for row, label in enumerate(dict.fromkeys(kinds["label"]))}
    spacing = 0.7 / len(systems)
    for index, system in enumerate(systems):
        colour = COLOURS[index % len(COLOURS)]
        marker = MARKERS[index % len(MARKERS)]
        offset = spacing * (index - (len(systems) - 1) / 2)
        for score in kinds[kinds["system"] == system].itertuples():
            _draw_interval(
                axis, rows[str(score.label)] + offset, score, colour=colour, marker=marker
            )
        axis.plot([], [], marker, color=colour, ms=4, label=shorten(system, 26))

    sizes = kinds.groupby("label", sort=False)["n"].first()
    _set_rows(axis, [f"{shorten(str(label), _MAX_LABEL)} ({n:,})" for label, n in sizes.items()])
    axis.set_xlabel(f"{measure}, with {LEVEL_LABEL} intervals")

    if len(systems) > 1:
        longest = max(len(shorten(system, 26)) for system in systems)
        columns = max(1, _LEGEND_CHARS // (longest + 6))
        axis.legend(
            frameon=False, loc="lower right", bbox_to_anchor=(1, 1), borderpad=0, ncols=columns
        )
    return axis


def _draw_interval(axis: Axes, row: float, score: Any, colour: str, marker: str) -> None:  # noqa: ANN401 - a row
    """Draw an estimate and its interval, as far as they are defined."""
    if not math.isnan(score.low):
        axis.plot([score.low, score.high], [row, row], color=colour, lw=1.4, alpha=0.55)
    if not math.isnan(score.estimate):
        axis.plot([score.estimate], [row], marker, color=colour, ms=4, clip_on=False, zorder=3)


def _set_rows(axis: Axes, labels: Sequence[str]) -> None:
    """Name the rows, the first on top, on a scale from 0 to 1."""
    axis.set_yticks(range(len(labels)), labels)
    axis.set_ylim(len(labels) - 0.5, -0.5)
    axis.set_xlim(0, 1)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color="#dddddd", lw=0.5)
    axis.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    axis.spines["bottom"].set_color(GREY)


def draw_ranking(
    scores: pd.DataFrame, ranks: Mapping[str, tuple[int, int]], measure: str, form: str
) -> bytes:
    """Return the ranking as a figure of one column."""
    with paper_style("one-column") as width:
        size = (width, _AXIS_HEIGHT + 1.2 * _ROW_HEIGHT * len(scores))
        figure = Figure(figsize=size, layout="constrained")
        plot_ranking(figure.subplots(), scores, ranks, measure)
        return figure_bytes(figure, form)


def draw_kinds(kinds: pd.DataFrame, systems: Sequence[str], measure: str, form: str) -> bytes:
    """Return the scores by kind as a figure of two columns."""
    rows = kinds["label"].nunique()
    with paper_style("two-column") as width:
        height = _AXIS_HEIGHT + rows * max(_ROW_HEIGHT, _SYSTEM_HEIGHT * len(systems) + 0.06)
        figure = Figure(figsize=(width, height), layout="constrained")
        plot_kinds(figure.subplots(), kinds, systems, measure)
        return figure_bytes(figure, form)
