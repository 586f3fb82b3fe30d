"""Pictures for a paper.

Sizes of columns, letters of 8 points, marks, bands, per cent, and the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from study import draw_study

from qaldgen.analysis.planning import error_curves
from qaldgen.errors import UsageError
from qaldgen.pictures.layouts import FORMS, LAYOUTS, picture_form
from qaldgen.pictures.line_charts import MOST_SYSTEMS, draw_plan
from qaldgen.pictures.pool import _spread_equal_points


def curves(systems: int, pool_size: int | None = None) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    scores = {f"system {at}": rng.random(60) < 0.1 + 0.08 * at for at in range(systems)}
    return error_curves(pd.DataFrame(scores).astype(float), pool_size)


def studied() -> pd.DataFrame:
    rows = [
        {
            "method": method,
            "n": n,
            "design": design,
            "mae": 1 / n,
            "mae_se": 0.1 / n,
            "bias": 0.01,
            "coverage": 0.93,
        }
        for method, design in (("lpm", "probability"), ("feasible", "purposive"))
        for n in (25, 50, 200)
    ]
    return pd.DataFrame(rows)


def words(svg: bytes) -> str:
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg.decode("utf-8")))


DRAWN: list[Callable[[str, str], bytes]] = [
    lambda form, layout: draw_plan(curves(3), form, layout=layout),
    lambda form, layout: draw_study(studied(), form, layout),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("draw", DRAWN)
def test_figures_have_the_width_of_their_layout(
    draw: Callable[[str, str], bytes], layout: str
) -> None:
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", draw("pdf", layout))
    assert box is not None
    assert float(box[1]) / 72 == pytest.approx(LAYOUTS[layout].width, abs=0.01)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("draw", DRAWN)
def test_figures_have_the_same_bytes(draw: Callable[[str, str], bytes], form: str) -> None:
    made = draw(form, "one-column")
    assert made == draw(form, "one-column")
    assert made.startswith({"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[form])


def test_a_plan_marks_the_wanted_error_and_names_lines_directly() -> None:
    shown = words(draw_plan(curves(3), "svg", wanted=0.05))
    for word in (
        "wanted: ±5 %",
        "How many questions does it take?",
        "system 0",
        "system 2",
        "dashed: random, solid: lpm",
    ):
        assert word in shown


def test_a_plan_of_many_systems_draws_those_that_can_be_told_apart_and_says_so() -> None:
    shown = words(draw_plan(curves(9, 500), "svg"))
    assert f"({MOST_SYSTEMS} of 9 systems)" in shown
    assert len(set(re.findall(r"system \d", shown))) == MOST_SYSTEMS


def test_a_study_has_numeric_axes_in_per_cent_and_titles() -> None:
    shown = words(draw_study(studied(), "svg"))
    for word in ("Mean absolute error", "Coverage of the 95 % interval", " %", "25", "200"):
        assert word in shown


def test_a_missing_standard_error_makes_no_band() -> None:
    table = studied().assign(mae_se=float("nan"))
    assert draw_study(table, "svg")


def test_chosen_questions_of_one_place_are_moved_apart() -> None:
    points = _spread_equal_points(np.array([[0.0, 0.0]] * 5 + [[1.0, 1.0]]), 1.0)
    gaps = [
        float(np.hypot(*(one - other))) for at, one in enumerate(points) for other in points[:at]
    ]
    assert min(gaps) > 0.005
    assert points[5].tolist() == [1.0, 1.0]


def test_wrong_endings_and_styles_are_refused(refused: Callable[..., str]) -> None:
    assert ".pdf" in refused(lambda: picture_form("plan.docx"), UsageError)
    assert "did you mean two-column?" in refused(
        lambda: draw_plan(curves(2), "png", layout="two-colum"), UsageError
    )


def test_ticks_of_a_study_without_bias_differ() -> None:
    """Rounding errors around 0 once filled the axis, every tick of which read 0.00000 %."""
    shown = words(draw_study(studied().assign(bias=1e-17, coverage=1.0), "svg"))
    assert "0.00000 %" not in shown
    assert {"0.25 %", "0.50 %"} <= set(re.findall(r"[\d.]+ %", shown))
