"""The page to label answers with, in a real browser and with keys alone."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsers import Seen, running_browser

from qaldgen.plugins.labelling import label
from qaldgen.plugins.labelling.agreement import agree

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZE = 8


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Questions whose ids are numbers, and answers, one of them hostile."""
    questions = [
        {"id": str(at), "question": f"Which moon is number {at}?", "answers": [f"Moon {at}"]}
        for at in range(30, 0, -1)
    ]
    (tmp_path / "gold.json").write_text(json.dumps(questions))
    answers = {str(at): f"<b>Moon {at}</b>" for at in range(1, 31)}
    (tmp_path / "run.json").write_text(json.dumps(answers))
    return tmp_path


def opened(browser: Browser, folder: Path, resume: Path | None = None) -> tuple[Page, Seen]:
    sheet = label(folder / "gold.json", folder / "run.json", SIZE, resume=resume)
    name = "page.html" if resume is None else "on.html"
    (folder / name).write_text(sheet.page("w.csv"), encoding="utf-8")
    page = browser.new_page(accept_downloads=True)
    seen = Seen(page)
    page.goto((folder / name).as_uri())
    return page, seen


def press(page: Page, keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def reload_until(page: Page, expected: tuple[str, str]) -> None:
    # A page stores its state without waiting, and a busy browser may load the next one sooner.
    for _ in range(20):
        page.wait_for_timeout(250)
        page.reload()
        if (asked(page), progress(page)) == expected:
            return
    assert (asked(page), progress(page)) == expected


def saved(page: Page, folder: Path) -> list[dict[str, str]]:
    with page.expect_download() as waiting:
        page.keyboard.press("w")
    path = folder / "w.csv"
    waiting.value.save_as(path)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def asked(page: Page) -> str:
    return page.inner_text("#item p:nth-of-type(1)")


def progress(page: Page) -> str:
    return page.inner_text("#progress")


def test_keys_label_skip_undo_and_save_the_worksheet(browser: Browser, folder: Path) -> None:
    page, seen = opened(browser, folder)
    first = asked(page)
    assert page.inner_text("#item p:nth-of-type(3)").startswith("<b>Moon")
    press(page, "yn")
    third = asked(page)
    press(page, "pu")
    assert asked(page) == third
    press(page, "psxZ")
    assert progress(page) == f"4 of {SIZE} labelled"
    page.keyboard.press("Control+y")
    assert progress(page) == f"4 of {SIZE} labelled"
    rows = saved(page, folder)
    assert [row["label"] for row in rows] == ["y", "n", "p", "s", *[""] * (SIZE - 4)]
    assert rows[0]["question"] == first
    found = agree(folder / "w.csv", folder / "w.csv")
    assert found.answers == 3
    assert not seen.messages
    assert all(url.startswith(("file:", "blob:")) for url in seen.requests)
    page.close()


def test_all_labelled_says_so_and_undo_goes_back(browser: Browser, folder: Path) -> None:
    page, _ = opened(browser, folder)
    press(page, "y" * (SIZE + 2))
    assert page.is_visible("#done")
    assert not page.is_visible("#item")
    press(page, "u")
    assert page.is_visible("#item")
    assert progress(page) == f"{SIZE - 1} of {SIZE} labelled"
    page.close()


def test_a_page_that_is_opened_again_goes_on_where_it_was(browser: Browser, folder: Path) -> None:
    page, _ = opened(browser, folder)
    press(page, "yny")
    where = asked(page)
    reload_until(page, (where, f"3 of {SIZE} labelled"))
    press(page, "uuu")
    first = asked(page)
    reload_until(page, (first, f"0 of {SIZE} labelled"))
    page.close()


def test_a_page_goes_on_with_a_worksheet_and_undoes_its_last_label(
    browser: Browser, folder: Path
) -> None:
    page, _ = opened(browser, folder)
    press(page, "ynp")
    last = saved(page, folder)[2]["question"]
    page.close()
    page, _ = opened(browser, folder, resume=folder / "w.csv")
    assert progress(page) == f"3 of {SIZE} labelled"
    press(page, "u")
    assert asked(page) == last
    reload_until(page, (last, f"2 of {SIZE} labelled"))
    press(page, "n")
    assert [row["label"] for row in saved(page, folder)][:4] == ["y", "n", "n", ""]
    page.close()
