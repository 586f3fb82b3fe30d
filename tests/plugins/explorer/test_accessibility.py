"""The explorer, judged by axe-core: nothing serious, wide, narrow and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from accessible import browser, faults, page  # noqa: F401 - fixtures
from explored import serving, write_questions, write_run

from qaldgen.plugins.explorer.workspace import OpenSet, Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path, OpenSet]]:
    """Return the address of an explorer, the folder of two runs for it, and what it has open."""
    folder = tmp_path_factory.mktemp("accessible")
    for name, weak in (("counts-badly.csv", True), ("fair.csv", False)):
        write_run(folder, name, weak=weak)
    with Workspace() as workspace:
        opened = workspace.open(str(write_questions(folder)))
        with serving(workspace) as place:
            yield place.url, folder, opened


def test_the_explorer_has_no_serious_fault(
    page: Page,  # noqa: F811
    explorer: tuple[str, Path, OpenSet],
) -> None:
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
