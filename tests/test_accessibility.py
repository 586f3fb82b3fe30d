"""The demo report and the explorer, judged by axe-core: nothing serious, wide, narrow and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsers import running_browser
from explored import serving, write_questions, write_run

import qaldgen as qg
from qaldgen.api.reporting import write_report
from qaldgen.explorer.workspace import Opened, Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
VIEWS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 800}},
    "narrow": {"viewport": {"width": 400, "height": 800}},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as made:
        yield made


@pytest.fixture(params=VIEWS)
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    made = browser.new_page(**VIEWS[request.param])
    made.set_default_timeout(120_000)  # the search for weak spots may still run for the page before
    yield made
    made.close()


def faults(page: Page) -> list[str]:
    """Return what axe-core finds serious or critical, with the first elements that have it."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="axe-core is not installed; pip install axe-playwright-python",
    )
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: "
        + "; ".join(f"{node['target']} {node['html'][:200]}" for node in one["nodes"][:3])
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    questions, graph = EXAMPLES / "questions.json", str(EXAMPLES / "graph.ttl")
    runs = [qg.ask(questions, name, kg=graph) for name in ("typed", "templates")]
    path = tmp_path_factory.mktemp("accessible") / "report.html"
    write_report(qg.report(questions, runs, title="qaldgen example"), path)
    return path


def test_the_demo_report_has_no_serious_fault(page: Page, report: Path) -> None:
    page.goto(report.as_uri())
    page.wait_for_selector("#rows tbody tr")
    assert faults(page) == []
    page.eval_on_selector_all("details", "all => all.forEach((one) => { one.open = true; })")
    assert faults(page) == []


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path, Opened]]:
    """Return the address of an explorer, the folder of two runs for it, and what it has open."""
    folder = tmp_path_factory.mktemp("accessible")
    for name, weak in (("counts-badly.csv", True), ("fair.csv", False)):
        write_run(folder, name, weak=weak)
    with Workspace() as workspace:
        opened = workspace.open(str(write_questions(folder)))
        with serving(workspace) as place:
            yield place.url, folder, opened


def test_the_explorer_has_no_serious_fault(page: Page, explorer: tuple[str, Path, Opened]) -> None:
    url, folder, opened = explorer
    opened.runs.clear()
    page.goto(url)
    page.wait_for_selector("html[data-ready=yes]")
    for name in ("counts-badly.csv", "fair.csv"):
        page.set_input_files("#file-run", folder / name)
        page.locator(".chip", has_text=name.removesuffix(".csv")).first.wait_for()
    page.locator(".card .spot-label").first.wait_for(state="attached")
    page.eval_on_selector_all("details", "all => all.forEach((one) => { one.open = true; })")
    panels = page.locator("#panels button:visible")
    for panel in range(max(1, panels.count())):
        if panels.count():
            panels.nth(panel).click()
        assert faults(page) == []
    for tab in page.get_by_role("tab").all():
        tab.click()
        assert faults(page) == []
