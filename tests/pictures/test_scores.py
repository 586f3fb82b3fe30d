"""Figures of a report: ranked intervals and scores by kind, whole and the same each time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure

import qaldgen as qg
from qaldgen.reports.report import ShownReport

SYSTEMS = 6


def made(systems: int = SYSTEMS) -> ShownReport:
    rows = [
        {
            "id": str(n),
            "question": f"{'How many' if n < 30 else 'Who'} is it, {n}?",
            "answer": "Ann",
        }
        for n in range(80)
    ]
    given = {
        f"system {at} with a long name": {
            str(n): "Ann" if n % (at + 2) else "Bo" for n in range(80)
        }
        for at in range(systems)
    }
    return qg.report(rows, given)


@pytest.fixture(scope="module")
def report() -> ShownReport:
    return made()


def texts(svg: bytes) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg.decode("utf-8"))


@pytest.mark.parametrize("form", ["svg", "pdf"])
def test_a_report_is_saved_as_two_figures_with_the_same_bytes(
    report: ShownReport, form: str, tmp_path: Path
) -> None:
    first, second = (
        [path.read_bytes() for path in report.save(tmp_path / f"{name}.{form}")] for name in "ab"
    )
    assert sorted(path.name for path in tmp_path.iterdir())[:2] == [
        f"a.kinds.{form}", f"a.ranking.{form}",
    ]  # fmt: skip
    assert first == second


def test_the_ranking_says_ranks_systems_scores_and_measure(
    report: ShownReport, tmp_path: Path
) -> None:
    words = texts(report.save(tmp_path / "a.svg")[0].read_bytes())
    best = report.systems[0]
    assert any(word.endswith(best) for word in words)
    assert "Accuracy, with 95 % intervals" in words or "Macro F1, with 95 % intervals" in words
    everywhere = report.scores[report.scores["feature"] == ""].set_index("system")
    assert f"{float(everywhere['estimate'][best]):.2f}" in words


def test_kinds_have_a_row_each_and_a_legend(report: ShownReport, tmp_path: Path) -> None:
    words = texts(report.save(tmp_path / "a.svg")[1].read_bytes())
    assert "all questions (80)" in words
    assert 'the question says "how many" (30)' in [word.replace("&quot;", '"') for word in words]
    assert set(report.systems) <= set(words)


@pytest.mark.parametrize("kind", ["ranking", "kinds"])
def test_plot_draws_on_given_axes_and_returns_them(report: ShownReport, kind: str) -> None:
    axes = Figure(layout="constrained").subplots()
    assert report.plot(kind, ax=axes) is axes  # type: ignore[arg-type]
    assert len(axes.lines) >= 2 * SYSTEMS


@pytest.mark.parametrize("systems", [1, 12])
def test_no_label_leaves_the_figure(systems: int) -> None:
    figure = Figure(figsize=(7, 9), layout="constrained")
    axes = made(systems).plot("kinds", ax=figure.subplots())
    figure.draw_without_rendering()
    whole = figure.bbox
    legend = axes.get_legend()
    named = [*axes.get_yticklabels(), axes.xaxis.label, *(legend.get_texts() if legend else [])]
    for label in named:
        box = label.get_window_extent()
        assert box.x0 >= whole.x0 - 1
        assert box.x1 <= whole.x1 + 1
        assert box.y0 >= whole.y0 - 1


def test_an_unknown_figure_is_refused(report: ShownReport) -> None:
    with pytest.raises(qg.UsageError, match="kinds"):
        report.plot("kind")  # type: ignore[arg-type]
