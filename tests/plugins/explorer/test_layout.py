"""The explorer, opened and measured: no word is broken or hidden, wide and narrow."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsers import Seen, running_browser
from explored import serving
from measured import layout_faults, open_all

from qaldgen.plugins.explorer.workspace import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WORD = "Fernsprechvermittlungsamtsvorsteherin"
TEXTS = ["", f" by the {WORD}", " في المدينة القديمة", " 在老城区的大教堂里面", " ในเมืองเก่า"]
NAMES = ["neighbours", "large-language-model-instruct", "نظام", "系统", f"x{WORD}"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as made:
        yield made


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[Path]]]:
    """The address of an explorer, and the runs to drop on it."""
    folder = tmp_path_factory.mktemp("odd")
    answers = {
        f"http://example.org/{'long/' * 20}{at}" if at % 5 == 0 else str(at): (
            str(at) if at % 4 == 0 else f"http://example.org/{'path/' * 12}{WORD}{at}"
        )
        for at in range(120)
    }
    with (folder / "questions.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "question", "answer"])
        for at, (name, answer) in enumerate(answers.items()):
            asked = "How many bells ring" if at % 4 == 0 else "Who rings bell"
            rows.writerow([name, f"{asked}{TEXTS[at % len(TEXTS)]}, {at}?", answer])
    runs = []
    for number, name in enumerate(NAMES):
        path = folder / f"{name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "answer"])
            for at, (key, answer) in enumerate(answers.items()):
                right = at % 4 != 0 and at % (number + 3) != 0
                rows.writerow([key, answer if right else f"no {WORD} {name!a}"])
        runs.append(path)
    with Workspace() as workspace:
        workspace.open(str(folder / "questions.csv"))
        with serving(workspace) as place:
            yield place.url, runs


@pytest.mark.parametrize("width", [1280, 400])
def test_whatever_opens_can_be_read(
    browser: Browser, explorer: tuple[str, list[Path]], width: int
) -> None:
    url, runs = explorer
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.set_default_timeout(120_000)
    seen = Seen(page)
    page.goto(url)
    page.wait_for_selector("html[data-ready=yes]")
    for run in runs:
        if page.locator(".chip", has_text=run.stem).count() == 0:
            page.set_input_files("#file-run", run)
        page.locator(".chip", has_text=run.stem).first.wait_for()
    page.locator(".card .spot-label, .weak-table td").first.wait_for(state="attached")
    panels = page.locator("#panels button:visible")
    for panel in range(max(1, panels.count())):
        if panels.count():
            panels.nth(panel).click()
        for tab in page.get_by_role("tab").all():
            if tab.is_visible():
                tab.click()
                page.wait_for_timeout(300)
                open_all(page)
                assert layout_faults(page) == [], tab.inner_text()
        open_all(page)
        assert layout_faults(page) == [], panel
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    for at in (0, 1, 2, 3, 4):  # a question of each script, in the table and beside the map
        page.get_by_role("tab", name="Weak spots").click()
        page.locator("#rows td.question button").nth(at).click()
        open_all(page)
        assert layout_faults(page) == []
    page.close()
    assert [one for one in seen.messages if "status of 422" not in one] == []
