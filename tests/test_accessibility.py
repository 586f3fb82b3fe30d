"""The demo report, judged by axe-core: nothing serious, wide, narrow and dark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from accessible import browser, faults, page  # noqa: F401 - fixtures

import qaldgen as qg
from qaldgen.reports.page.formats import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Page

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    questions, graph = EXAMPLES / "questions.json", str(EXAMPLES / "graph.ttl")
    runs = [qg.ask(questions, name, kg=graph) for name in ("typed", "templates")]
    path = tmp_path_factory.mktemp("accessible") / "report.html"
    write_report(qg.report(questions, runs, title="qaldgen example"), path)
    return path


def test_the_demo_report_has_no_serious_fault(page: Page, report: Path) -> None:  # noqa: F811
    page.goto(report.as_uri())
    page.wait_for_selector("#rows tbody tr")
    assert faults(page) == []
    page.eval_on_selector_all("details", "all => all.forEach((one) => { one.open = true; })")
    assert faults(page) == []
