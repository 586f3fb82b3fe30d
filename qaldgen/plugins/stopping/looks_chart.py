"""The line chart of the looks at a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from qaldgen.defaults import LEVEL_LABEL
from qaldgen.io.text import shorten
from qaldgen.pictures.style import COLOURS, GREY, figure_bytes, own_style

if TYPE_CHECKING:
    import pandas as pd


def draw_looks(path: pd.DataFrame, looks: pd.DataFrame, title: str, form: str) -> bytes:
    """Draw the difference and its interval by the number of questions asked, and the looks."""
    with own_style():
        figure = Figure(figsize=(6.5, 4.0), layout="constrained")
        axis = figure.subplots()

        axis.fill_between(
            path["questions"],
            path["low"],
            path["high"],
            color=COLOURS[0],
            alpha=0.18,
            lw=0,
            label=f"{LEVEL_LABEL} interval",
        )
        axis.plot(
            path["questions"], path["estimate"], color=COLOURS[0], lw=1.4, label="difference so far"
        )

        label = "look, with its repeated interval"
        for look in looks.to_dict("records"):
            marker: dict[str, Any] = {"fmt": "o", "ms": 3.5, "color": GREY, "label": label}
            if look["verdict"]:
                label = f"look that stops: {look['verdict']}"
                marker = {"fmt": "D", "ms": 5, "color": COLOURS[1], "label": label}
            label = "_nolegend_"  # the legend has the first look and the one that stops
            errors = [[look["difference"] - look["low"]], [look["high"] - look["difference"]]]
            axis.errorbar(look["questions"], look["difference"], errors, capsize=3, lw=1, **marker)

        axis.axhline(0, color=GREY, lw=0.8, ls="--")
        axis.set_xlabel("questions asked")
        axis.set_ylabel("difference")
        axis.set_title(shorten(title, 70), fontsize=10)
        axis.grid(color="#dddddd", lw=0.5)
        axis.legend(frameon=False, fontsize=8)

        return figure_bytes(figure, form)
