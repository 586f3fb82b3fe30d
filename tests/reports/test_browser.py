"""The page in a real browser: it sorts, filters, asks nothing of the network and says nothing on the console."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from qaldgen.analysis.compare import compare_runs
from qaldgen.analysis.slices import Slice
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.reports.page.build import build_report, large_enough
from qaldgen.reports.page.html import render_html
from qaldgen.reports.page.map import project
from qaldgen.runs.record import Response, Run
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.score import score

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

RES = "http://example.org/resource/"
ASKED = 300
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")
ARABIC = "ما هي عاصمة السودان؟"


def answers(*names: str) -> Answers:
    return Answers(variables=("x",), rows=tuple((Cell("uri", RES + name),) for name in names))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on 300 questions: the first system is right on the first 200, the second on the last 60."""
    texts = {1: '</script><script>alert("x")</script>', 2: ARABIC}
    questions = tuple(
        Question(str(n), {"en": (texts.get(n, f"What is thing {n}?"),)}, answers=answers(f"Thing_{n}"))
        for n in range(1, ASKED + 1)
    )
    gold = Gold(QuestionSet("things", "table", questions))
    runs = []
    for name, right in (("first", range(1, 201)), ("second", range(241, 301))):
        given = {n: f"Thing_{n}" if n in right else "Nothing" for n in range(1, ASKED + 1)}
        many = {3: [f"Thing_with_a_long_name_{n}" for n in range(40)]}
        responses = {str(n): Response(str(n), answers=answers(*many.get(n, [given[n]]))) for n in given if n != 300}
        runs.append(score(gold, Run(name, "table", responses)))
    ids = tuple(str(n) for n in range(1, ASKED + 1))
    slices = {"answerType": [Slice("answerType = resource", ids[:250]), Slice("answerType = number", ids[250:])]}
    report = build_report(
        gold, runs, comparison=compare_runs({one.name: one.counts for one in runs}, large_enough(slices)), slices=slices,
    )  # fmt: skip
    points = np.array([[n % 17, n % 5] for n in range(ASKED)], dtype=float)
    report = dataclasses.replace(report, projection=project(ids, points, ("x", "y"), "two features"))
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(render_html(report))
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window; QALDGEN_TEST_BROWSER names another file."""
    found = os.environ.get("QALDGEN_TEST_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no browser is installed; 'apt-get install chromium' or QALDGEN_TEST_BROWSER helps")
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed; pip install playwright")
    with driver.sync_playwright() as running:
        made = running.chromium.launch(executable_path=found, args=list(QUIET))
        yield made
        made.close()


class Seen:
    """What a page did beside showing itself."""

    def __init__(self, page: Page) -> None:
        self.requests: list[str] = []
        self.messages: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("dialog", lambda dialog: self.messages.append(f"dialog: {dialog.message}"))


def opened(browser: Browser, file: Path, **context: Any) -> tuple[Page, Seen]:  # noqa: ANN401
    page = browser.new_page(**context)
    seen = Seen(page)
    page.goto(file.as_uri())
    page.wait_for_selector("#rows tbody tr")
    return page, seen


@pytest.fixture
def page(browser: Browser, file: Path) -> Iterator[Page]:
    """The page; afterwards it must have asked for itself alone and said nothing."""
    made, seen = opened(browser, file)
    yield made
    made.close()
    assert seen.requests == [file.as_uri()]
    assert seen.messages == []


def column(page: Page, name: str) -> list[str]:
    """Return the cells of a column that are drawn."""
    return page.eval_on_selector_all(f"#rows td.{name}", "cells => cells.map(cell => cell.textContent)")  # type: ignore[no-any-return]


def head(page: Page, name: str) -> Any:  # noqa: ANN401
    return page.locator(f'#rows th[data-column="{name}"]')


def said(page: Page) -> str:
    return page.locator("#shown").inner_text()


def wait_for(page: Page, words: str) -> None:
    """Wait until the line above the table begins with these words; the search waits for a pause in the typing."""
    page.locator("#shown", has_text=re.compile("^" + words)).wait_for()


def test_text_of_the_data_is_shown_and_not_run(page: Page) -> None:
    assert column(page, "question")[0] == '</script><script>alert("x")</script>'
    assert page.evaluate("document.scripts.length") == 2


def test_a_click_sorts_and_a_second_click_turns_round(page: Page) -> None:
    assert head(page, "f1").get_attribute("aria-sort") == "none"
    head(page, "f1").locator("button").click()
    assert head(page, "f1").get_attribute("aria-sort") == "ascending"
    assert set(column(page, "f1")) == {"0.000"}
    head(page, "f1").locator("button").click()
    assert head(page, "f1").get_attribute("aria-sort") == "descending"
    assert set(column(page, "f1")) == {"1.000"}
    assert column(page, "id")[:2] == ["1", "2"]


def test_ids_sort_as_numbers_by_keyboard(page: Page) -> None:
    head(page, "id").locator("button").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert head(page, "id").get_attribute("aria-sort") == "descending"
    assert column(page, "id")[:4] == ["300", "300", "299", "299"]


def test_search_finds_words_of_questions_and_answers(page: Page) -> None:
    page.fill("#search", "thing_77")
    wait_for(page, "2 of 600 rows")
    assert column(page, "id") == ["77", "77"]
    page.fill("#search", "السودان")
    page.locator("#rows td.id", has_text=re.compile("^2$")).first.wait_for()
    assert column(page, "id") == ["2", "2"]
    wait_for(page, "2 of 600 rows, 1 question;")
    page.fill("#search", "no such words")
    wait_for(page, "0 of 600 rows")
    page.click("button[type=reset]")
    wait_for(page, "600 of 600 rows")


def test_filters_combine(page: Page) -> None:
    page.select_option("#system", label="second")
    assert said(page).startswith("300 of 600 rows, 300 questions")
    page.select_option("#score", "right")
    assert said(page).startswith("59 of 600 rows")
    page.select_option("#score", "differ")
    assert said(page).startswith("258 of 600 rows")
    page.select_option("#slice", label="answerType = number (50)")
    assert said(page).startswith("49 of 600 rows")
    page.select_option("#status", "not asked")
    assert said(page).startswith("0 of 600 rows")


def test_a_link_of_a_slice_shows_its_questions(page: Page) -> None:
    page.locator("details:has([data-slice]) summary").first.click()
    page.locator("[data-slice='answerType = number']").click()
    assert said(page).startswith("100 of 600 rows, 50 questions")
    assert column(page, "id")[0] == "251"


def test_rows_are_drawn_a_piece_at_a_time(page: Page) -> None:
    assert len(column(page, "id")) < 600
    for _ in range(8):
        page.eval_on_selector("#rows-region", "region => { region.scrollTop = region.scrollHeight; }")
        page.wait_for_timeout(60)
    assert len(column(page, "id")) == 600
    assert page.locator("#more").is_hidden()


def test_columns_can_be_hidden(page: Page) -> None:
    page.locator(".columns summary").click()
    page.get_by_label("Gold answers").uncheck()
    assert column(page, "gold") == []
    assert head(page, "gold").count() == 0
    assert len(column(page, "given")) == len(column(page, "id"))


def test_long_values_are_cut_and_whole_in_the_title(page: Page) -> None:
    page.fill("#search", "long_name")
    wait_for(page, "2 of 600 rows")
    cell = page.locator("#rows td.given").first
    assert cell.inner_text().splitlines()[-1] == "…"
    assert (cell.get_attribute("title") or "").endswith("… 40 answers in all")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_text_stands_out_and_nothing_is_wider_than_the_window(browser: Browser, file: Path, scheme: str, width: int) -> None:
    page, seen = opened(browser, file, color_scheme=scheme, viewport={"width": width, "height": 900})
    paper, ink = page.evaluate("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
    assert (brightness(paper) > brightness(ink)) is (scheme == "light")
    assert abs(brightness(paper) - brightness(ink)) > 180
    label = page.evaluate("getComputedStyle(document.querySelector('#slices ~ .blocks svg text')).fill")
    assert label == ink
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
    assert seen.requests == [file.as_uri()]
    assert seen.messages == []


def brightness(colour: str) -> float:
    """Return the mean of the channels of ``rgb(r, g, b)``."""
    return sum(float(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")) / 3


def test_the_print_has_light_paper_and_opens_what_is_folded(browser: Browser, file: Path) -> None:
    page, seen = opened(browser, file, color_scheme="dark")
    assert page.locator("main details:not([open])").count() > 0
    page.pdf()
    assert page.locator("main details:not([open])").count() == 0
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper')").strip() == "#ffffff"
    assert page.locator(".filters").is_hidden()
    page.close()
    assert seen.messages == []


INJECTED = (
    "<base href='https://example.org/'><script>window.ran = 1</script><img src='x' onerror='window.ran = 2'>"
    "<p id='styled' style='color: rgb(1, 2, 3)'>x</p><style>#styled { color: rgb(4, 5, 6); }</style>"
    "<form id='sent' action='https://example.org/'><button>x</button></form><iframe src='https://example.org/'></iframe>"
)


def test_policy_stops_markup_that_got_into_the_page(browser: Browser, file: Path, tmp_path: Path) -> None:
    hurt = tmp_path / "hurt.html"
    hurt.write_text(file.read_text(encoding="utf-8").replace("<main", INJECTED + "<main"), encoding="utf-8")
    page, seen = opened(browser, hurt)
    page.evaluate("document.getElementById('sent').requestSubmit()")
    page.wait_for_timeout(100)
    assert page.evaluate("window.ran") is None
    assert page.url == hurt.as_uri()
    assert page.evaluate("document.baseURI") == hurt.as_uri()
    assert page.evaluate("getComputedStyle(document.getElementById('styled')).color") not in {"rgb(1, 2, 3)", "rgb(4, 5, 6)"}
    assert [url for url in seen.requests if url.startswith("http")] == []
    assert sum("Content Security Policy" in message for message in seen.messages) >= 5
    page.close()
