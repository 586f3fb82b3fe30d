"""The picture of a plan: the error to be expected against the number of questions, one line for each system."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from qaldgen.analysis.planning import error_of
from qaldgen.reports.pictures.study import COLOURS
from qaldgen.reports.pictures.style import own_style

if TYPE_CHECKING:
    import pandas as pd

_LARGEST = 1000
_STYLES = ("--", "-")


def draw_plan(scores: pd.DataFrame, pool: int | None, designs: Mapping[str, float], form: str) -> bytes:
    """Return half the width of the 95 % interval against N, as ``png`` or ``svg``.

    Parameters
    ----------
    scores
        Of a pilot, one column a system.
    pool
        Questions in the pool; None for a pool without end.
    designs
        Sampling method to design effect; the first is dashed, the second solid.
    form
        ``png`` or ``svg``.
    """
    sizes = np.unique(np.geomspace(10, min(pool or _LARGEST, _LARGEST), 300).astype(int)).tolist()
    with own_style():
        figure = Figure(figsize=(6.5, 4.5), layout="constrained")
        axis = figure.subplots()
        for at, (system, column) in enumerate(scores.items()):
            for line, (method, effect) in zip(_STYLES, designs.items(), strict=False):
                error = error_of(column, sizes, pool_size=pool, design_effect=effect)
                axis.plot(sizes, error, color=COLOURS[at % len(COLOURS)], ls=line, lw=1.2, label=f"{system}, {method}")
        axis.set_xlabel("questions in the sample")
        axis.set_ylabel("error: half the width of the 95 % interval")
        axis.set_ylim(bottom=0)
        axis.grid(color="#dddddd", lw=0.5)
        axis.legend(frameon=False, fontsize=7, ncols=2)
        data = io.BytesIO()
        metadata = {"Date": None} if form == "svg" else {"Software": None}
        figure.savefig(data, format=form, dpi=150, facecolor="white", metadata=metadata)
    return data.getvalue()
