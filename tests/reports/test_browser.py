"""The page in a real browser.

It sorts, filters, asks nothing of the network and says nothing on the console.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from browsers import Seen, running_browser
from measured import layout_faults, open_all

import qaldgen as qg
from qaldgen.analysis.slices.slicing import Slice
from qaldgen.analysis.slices.weak_spots import find_weak_spots
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.reports.page.html import bundle_script, render_html
from qaldgen.reports.page.map import project
from qaldgen.reports.report import report_scores
from qaldgen.scoring.evaluation import score

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

RES = "http://example.org/resource/"
ASKED = 300
LONG = "To which of the many " + "many " * 2000 + "things is it?"
ARABIC = "ما هي عاصمة السودان؟"


def answers(*names: str) -> Answers:
    return Answers(variables=("x",), rows=tuple((Cell("uri", RES + name),) for name in names))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on 300 questions.

    The first system is right on the first 200 but for 151 to 190, the second on the last 60.
    """
    texts = {1: '</script><script>alert("x")</script>', 2: ARABIC, 4: LONG}
    questions = tuple(
        Question(
            str(n), {"en": (texts.get(n, f"What is thing {n}?"),)}, answers=answers(f"Thing_{n}")
        )
        for n in range(1, ASKED + 1)
    )
    gold = Gold(QuestionSet("things", "table", questions))
    runs = []
    for name, right in (("first", [*range(1, 151), *range(191, 201)]), ("second", range(241, 301))):
        given = {n: f"Thing_{n}" if n in right else "Nothing" for n in range(1, ASKED + 1)}
        many = {3: [f"Thing_with_a_long_name_{n}" for n in range(40)]}
        responses = {
            str(n): Response(str(n), answers=answers(*many.get(n, [given[n]])))
            for n in given
            if n != 300
        }
        runs.append(score(gold, Run(name, "table", responses)))
    ids = tuple(str(n) for n in range(1, ASKED + 1))
    slices = {
        "answerType": [
            Slice("answerType = resource", ids[:250]),
            Slice("answerType = number", ids[250:]),
        ]
    }
    report = report_scores(gold, runs, slices=slices)
    points = np.array([[n % 17, n % 5] for n in range(ASKED)], dtype=float)
    table = pd.DataFrame(
        {"isCount": [150 < n <= 190 for n in range(1, ASKED + 1)],
         "length": [n % 9 for n in range(ASKED)]},
        index=pd.Index(ids, name="id"), dtype=object,
    )  # fmt: skip
    texts_by_id = {question.id: question.text() for question in questions}
    weak = find_weak_spots(runs, table, texts_by_id)
    projection = project(ids, points, ("x", "y"), "two features")
    report = dataclasses.replace(report, projection=projection, weak=weak, table=table)
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(render_html(report))
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as made:
        yield made


def opened(browser: Browser, file: Path, fragment: str = "", **context: Any) -> tuple[Page, Seen]:  # noqa: ANN401
    page = browser.new_page(**context)
    seen = Seen(page)
    page.goto(file.as_uri() + fragment)
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


def shown_rows(page: Page) -> list[str]:
    """Return the questions that are drawn."""
    return page.eval_on_selector_all(  # type: ignore[no-any-return]
        "#rows td.question", "cells => cells.map(cell => cell.textContent)"
    )


def states(page: Page, system: int) -> list[str]:
    """Return what became of the questions that are drawn, for a system."""
    script = f"rows => rows.map(row => row.querySelectorAll('td.system')[{system}].textContent)"
    return page.eval_on_selector_all("#rows tbody tr:not(.opened)", script)  # type: ignore[no-any-return]


def head(page: Page, name: str) -> Any:  # noqa: ANN401
    return page.locator(f'#rows th[data-column="{name}"]')


def said(page: Page) -> str:
    return page.locator("#shown").inner_text()


def wait_for(page: Page, words: str) -> None:
    """Wait until the line above the table begins with these words.

    The search waits for a pause in the typing.
    """
    page.locator("#shown", has_text=re.compile("^" + words)).wait_for()


# --- the first screen ---


def test_the_first_screen_ranks_systems_and_names_the_weakness_above_the_fold(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    names = page.eval_on_selector_all(".ranking .name", "all => all.map(one => one.textContent)")
    assert names == ["first", "second"]
    assert page.locator(".card").first.locator(".spot-label").inner_text() == "the query counts"
    assert "40 questions" in page.locator(".card").first.inner_text()
    assert "Expect a gap of" in page.locator(".card .verdict").first.inner_text()
    assert page.evaluate("document.getElementById('first').getBoundingClientRect().bottom") <= 800


def test_a_card_shows_failed_questions_and_a_click_opens_one(page: Page) -> None:
    failed = page.locator(".card").first.locator(".fails a")
    assert failed.count() == 3
    text = failed.first.inner_text()
    failed.first.click()
    assert page.locator("#rows .opened h3").inner_text() == text


@pytest.mark.parametrize(
    ("label", "ending"), [("QALD JSON", ".json"), ("CSV", ".csv"), ("JSON Lines", ".jsonl")]
)
def test_a_card_makes_the_benchmark_itself(
    page: Page, tmp_path: Path, label: str, ending: str
) -> None:
    card = page.locator(".card").first
    card.get_by_role("button", name="Make a benchmark").click()
    with page.expect_download() as waiting:
        card.get_by_role("button", name=label, exact=True).click()
    saved = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(saved)
    assert saved.name == f"weak-first-1{ending}"
    made = qg.load(saved)
    assert [one.id for one in made] == [str(n) for n in range(151, 191)]
    assert made["160"].text() == "What is thing 160?"
    assert made["160"].answers == answers("Thing_160")


@pytest.mark.parametrize("ending", [".json", ".csv", ".jsonl"])
def test_what_was_chosen_by_whom_stands_in_the_benchmark(
    page: Page, tmp_path: Path, ending: str
) -> None:
    card = page.locator(".card").first
    card.get_by_role("button", name="Make a benchmark").click()
    label = {".json": "QALD JSON", ".csv": "CSV", ".jsonl": "JSON Lines"}[ending]
    with page.expect_download() as waiting:
        card.get_by_role("button", name=label, exact=True).click()
    waiting.value.save_as(tmp_path / "weak")
    assert qg.load(tmp_path / "weak")["160"].chosen_by == ("first", "second")  # as its query says


def test_names_of_answers_are_kept_in_a_benchmark(browser: Browser, tmp_path: Path) -> None:
    rows = [
        {"id": str(n), "question": f"{'How many' if n < 40 else 'Who'} is it, {n}?",
         "answers": [["=Ann, the first", "Ann"]]} for n in range(200)
    ]  # fmt: skip
    made = qg.report(rows, {row["id"]: "Ann" if n >= 40 else "Bo" for n, row in enumerate(rows)})
    path = tmp_path / "report.html"
    path.write_bytes(render_html(made))
    page, _ = opened(browser, path, accept_downloads=True)
    page.get_by_role("button", name="Make a benchmark").first.click()
    for label in ("QALD JSON", "CSV", "JSON Lines"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label, exact=True).first.click()
        saved = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(saved)
        assert qg.load(saved)["7"].answers == qg.load(rows)["7"].answers, label


def test_a_card_gives_the_query_and_the_commands_of_a_sample(page: Page) -> None:
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    page.get_by_role("button", name="Make a benchmark").first.click()
    page.get_by_text("or sample from the question set").first.click()
    page.get_by_role("button", name="Copy commands").first.click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("window.copied").splitlines()
    assert copied[0] == "cat > weak-first-1.rq <<'SPARQL'"
    assert "qaldgen:isCount" in " ".join(copied)
    end = copied.index("SPARQL")
    assert copied[end + 1].startswith("[ -e ")
    assert "|| qaldgen annotate " in copied[end + 1]
    assert "-q weak-first-1.rq -m lpm -n 40 " in copied[end + 2]


def test_a_very_long_question_is_cut_and_opens_in_full(page: Page) -> None:
    page.locator("#rows td.question button", has_text="To which of the many").click()
    assert len(page.locator("#rows .opened h3").inner_text()) <= 301
    page.get_by_text("the whole question").click()
    assert LONG in page.locator("#rows .opened").inner_text()


def test_marks_have_names_where_there_is_no_head(page: Page) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    script = "one => getComputedStyle(one, '::before').content"
    assert "first" in page.locator("#rows td.system").first.evaluate(script)


def test_the_table_of_scores_uses_the_page(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    width = page.evaluate("document.querySelector('.heat').getBoundingClientRect().width")
    assert width > 0.6 * 1280


def test_the_page_says_how_weak_spots_are_searched(page: Page) -> None:
    assert "All kinds of questions" in page.locator("main").inner_text()


def test_the_questions_of_a_card_are_those_of_its_slice(page: Page) -> None:
    page.locator(".card .figures a", has_text="40 questions").first.click()
    assert said(page).startswith("40 of 300 questions")
    assert set(states(page, 0)) == {"wrong"}


# --- scores by kind of question ---


def test_all_questions_come_first_and_a_cell_shows_its_questions(page: Page) -> None:
    rows = page.eval_on_selector_all(
        ".heat tbody th", "all => all.map(one => one.firstChild.textContent)"
    )
    assert rows[0] == "all questions"
    assert set(rows[1:]) == {"answerType = resource", "answerType = number"}
    page.get_by_role("button", name=re.compile("second, answerType = number")).click()
    assert said(page).startswith("50 of 300 questions")
    assert shown_rows(page)[0] == "What is thing 251?"


def test_arrows_move_in_the_table_of_scores_and_one_cell_is_in_the_order_of_tabs(
    page: Page,
) -> None:
    assert page.locator(".heat td button[tabindex='0']").count() == 1
    page.locator(".heat td button[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert (page.evaluate("document.activeElement.getAttribute('aria-label')")).startswith(
        page.locator(".heat tbody tr:nth-child(2) td:nth-child(4) button")
        .inner_text()
        .split("\n")[0][:4]
    )
    assert page.locator(".heat td button[tabindex='0']").count() == 1


# --- the map ---


def canvas_box(page: Page) -> Any:  # noqa: ANN401
    page.locator("#map-view canvas").scroll_into_view_if_needed()
    return page.locator("#map-view canvas").bounding_box()


def test_drawing_around_dots_filters_the_table_and_all_dots_brings_them_back(page: Page) -> None:
    box = canvas_box(page)
    corners = [
        (2, 2),
        (box["width"] / 2, 2),
        (box["width"] / 2, box["height"] - 2),
        (2, box["height"] - 2),
    ]
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.mouse.down()
    for x, y in corners:
        page.mouse.move(box["x"] + x, box["y"] + y, steps=3)
    page.mouse.up()
    chosen = int(said(page).split()[0])
    assert 0 < chosen < 300
    assert page.locator(".map .said").inner_text().startswith(f"{chosen} questions chosen")
    page.get_by_role("button", name="All dots").click()
    assert said(page).startswith("300 of 300")


def test_arrows_go_from_dot_to_dot_and_enter_keeps_the_question(page: Page) -> None:
    page.locator("#map-view canvas").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".tip").is_visible()
    page.keyboard.press("Enter")
    assert page.locator(".pinned h3").inner_text() in page.locator(".tip").inner_text()
    assert page.locator(".pinned .answers").is_visible()


def box_by_keys(page: Page) -> int:
    """Choose the dots of a box by the keyboard alone; returns how many the table shows."""
    page.locator("#map-view canvas").focus()
    for key in ("ArrowRight", "Space", *["ArrowRight"] * 4, *["ArrowDown"] * 3, "Space"):
        page.keyboard.press(key)
    return int(said(page).split()[0])


def test_space_begins_and_ends_a_box(page: Page) -> None:
    chosen = box_by_keys(page)
    assert 1 < chosen < 300
    assert page.locator(".map .said").inner_text().startswith(f"{chosen} questions chosen")


def test_escape_gives_up_a_box(page: Page) -> None:
    page.locator("#map-view canvas").focus()
    for key in ("ArrowRight", "Space", "ArrowDown"):
        page.keyboard.press(key)
    assert page.locator(".map polygon.lasso").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".map polygon.lasso").count() == 0
    assert said(page).startswith("300 of 300")


def test_the_address_keeps_the_dots_that_were_chosen(browser: Browser, page: Page) -> None:
    box_by_keys(page)
    other = browser.new_page()
    other.goto(page.url)
    other.wait_for_selector("#rows tbody tr")
    assert (said(other), shown_rows(other)) == (said(page), shown_rows(page))
    assert other.locator(".map .said").inner_text() == page.locator(".map .said").inner_text()
    other.close()


def test_questions_at_one_place_do_not_hide_each_other(browser: Browser) -> None:
    page = browser.new_page()
    placed = "window.placed = placeDots([...Array(12).fill([0, 0]), [1, 1], [1, 0]], 520, 4.5);"
    page.set_content(f'<script type="module">{bundle_script("map.js")}\n{placed}</script>')
    dots = page.evaluate("window.placed")
    page.close()
    apart = [math.dist(one, other) for at, one in enumerate(dots) for other in dots[:at]]
    assert min(apart) > 4.5
    assert math.dist(dots[0], dots[12]) > 600
    assert all(0 < value < 520 for dot in dots for value in dot)


# --- question by question ---


def test_text_of_the_data_is_shown_and_not_run(page: Page) -> None:
    assert shown_rows(page)[0] == '</script><script>alert("x")</script>'
    assert page.evaluate("document.scripts.length") == 2


def test_systems_stand_side_by_side(page: Page) -> None:
    assert states(page, 0)[:3] == ["right", "right", "wrong"]
    assert states(page, 1)[:3] == ["wrong", "wrong", "wrong"]


def test_a_click_sorts_and_a_second_click_turns_round(page: Page) -> None:
    assert head(page, "system-0").get_attribute("aria-sort") == "none"
    head(page, "system-0").locator("button").click()
    assert head(page, "system-0").get_attribute("aria-sort") == "ascending"
    assert "right" not in states(page, 0)
    head(page, "system-0").locator("button").click()
    assert head(page, "system-0").get_attribute("aria-sort") == "descending"
    assert set(states(page, 0)) == {"right"}


def test_questions_sort_as_people_count_by_keyboard(page: Page) -> None:
    head(page, "question").locator("button").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert head(page, "question").get_attribute("aria-sort") == "descending"
    assert shown_rows(page)[1:3] == ["What is thing 300?", "What is thing 299?"]


def test_search_finds_words_of_questions_and_answers(page: Page) -> None:
    page.fill("#search", "thing_77")
    wait_for(page, "1 of 300")
    assert shown_rows(page) == ["What is thing 77?"]
    page.fill("#search", "السودان")
    page.locator("#rows td.question", has_text=ARABIC).wait_for()
    wait_for(page, "1 of 300")
    page.fill("#search", "no such words")
    wait_for(page, "0 of 300")
    page.click("button[type=reset]")
    wait_for(page, "300 of 300")


def test_filters_combine(page: Page) -> None:
    page.select_option("#system", "second")
    page.select_option("#kind", "right")
    assert said(page).startswith("59 of 300")
    page.select_option("#kind", "differ")
    assert said(page).startswith("218 of 300")
    page.select_option("#slice", "answerType = number")
    assert said(page).startswith("49 of 300")
    page.select_option("#kind", "not asked")
    assert said(page).startswith("1 of 300")


def test_rows_are_drawn_a_piece_at_a_time(page: Page) -> None:
    assert len(shown_rows(page)) < 300
    for _ in range(8):
        page.eval_on_selector(
            "#rows-region", "region => { region.scrollTop = region.scrollHeight; }"
        )
        page.wait_for_timeout(60)
    assert len(shown_rows(page)) == 300
    assert page.locator("#more").is_hidden()


def test_rows_out_of_view_do_not_make_the_page_longer(page: Page) -> None:
    for _ in range(3):
        page.eval_on_selector(
            "#rows-region", "region => { region.scrollTop = region.scrollHeight; }"
        )
        page.wait_for_timeout(60)
    ends = page.evaluate(
        "[document.documentElement.scrollHeight, document.body.getBoundingClientRect().height]"
    )
    assert ends[0] <= ends[1] + 1


def boxes(page: Page) -> dict[str, bool]:
    script = (
        "all => Object.fromEntries(all.map(one => [one.parentElement.textContent, one.checked]))"
    )
    return page.eval_on_selector_all("#columns input", script)  # type: ignore[no-any-return]


def test_boxes_say_which_columns_are_shown_after_a_click_on_a_slice_and_a_reset(page: Page) -> None:
    page.locator(".columns summary").click()
    at_first = boxes(page)
    assert at_first == {
        "Id": False,
        "first": True,
        "second": True,
        "Difference": True,
        "Gold": False,
    }
    page.get_by_label("Difference", exact=True).uncheck()
    page.get_by_label("Gold", exact=True).check()
    assert head(page, "differ").count() == 0
    assert head(page, "gold").count() == 1
    page.locator(".tables summary").click()
    page.locator("[data-slice='answerType = number']").click()
    assert said(page).startswith("50 of 300")
    assert boxes(page) == {**at_first, "Difference": False, "Gold": True}
    page.click("button[type=reset]")
    assert boxes(page) == at_first
    assert head(page, "differ").count() == 1
    assert head(page, "gold").count() == 0


def test_an_opened_row_shows_answers_as_links_query_and_features(page: Page) -> None:
    page.fill("#search", "thing_78")
    wait_for(page, "1 of 300")
    page.locator("#rows td.question button").click()
    opened = page.locator("#rows .opened")
    assert opened.locator("a", has_text="Thing 78").first.get_attribute("href") == f"{RES}Thing_78"
    opened.locator("summary").click()
    assert "the query counts" in opened.locator("dl").inner_text()
    page.locator("#rows td.question button").click()
    assert page.locator("#rows .opened").count() == 0


def test_long_lists_of_answers_say_how_many_there_are(page: Page) -> None:
    page.fill("#search", "long_name")
    wait_for(page, "1 of 300")
    page.locator("#rows td.question button").click()
    assert "… 40 answers in all" in page.locator("#rows .opened").inner_text()


def test_guesses_are_marked_named_and_can_be_listed(browser: Browser, tmp_path: Path) -> None:
    asked = [
        Question(str(n), {"en": (f"Which is {n}?",)}, answers=answers(f"Thing_{n}"))
        for n in range(60)
    ]
    gold = Gold(QuestionSet("things", "table", tuple(asked)))
    given = {str(n): Response(str(n), answers=answers(f"Thing_{n}")) for n in range(60)}
    right = score(gold, Run("mine", "table", given))
    counts = right.counts.assign(sure=[0.7] * 5 + [0.98] * 55)
    report = report_scores(gold, [dataclasses.replace(right, counts=counts)])
    report.save(tmp_path / "report.html")
    page, seen = opened(browser, tmp_path / "report.html")
    assert "8 % of the verdicts are guesses" in page.locator("header").inner_text()
    assert page.locator("#rows .guess").count() == 5
    assert states(page, 0)[4:6] == ["?right, a guess", "right"]
    beside = """one => {
        one.parentElement.style.maxWidth = '4px';
        const [mark, guess] = [...one.children].map((part) => part.getBoundingClientRect());
        return guess.left >= mark.right - 1 && guess.top < mark.bottom;
    }"""
    assert page.locator("#rows .marked", has=page.locator(".guess")).first.evaluate(beside)
    page.select_option("#kind", "guess")
    assert said(page).startswith("5 of 60")
    page.locator("#rows td.question button").first.click()
    assert "right with a probability of 0.70" in page.locator("#rows .opened .doubt").inner_text()
    page.close()
    assert seen.messages == []


# --- the address ---


def test_the_address_keeps_what_is_chosen(browser: Browser, page: Page) -> None:
    page.select_option("#slice", "answerType = number")
    page.select_option("#kind", "wrong")
    page.locator("#rows td.question button").nth(1).click()
    other = browser.new_page()
    other.goto(page.url)
    other.wait_for_selector("#rows tbody tr")
    assert said(other) == said(page)
    assert (
        other.locator("#rows .opened h3").inner_text()
        == page.locator("#rows .opened h3").inner_text()
    )
    other.close()


def test_unknown_choices_of_an_address_are_left_out_and_named(browser: Browser, file: Path) -> None:
    page, seen = opened(
        browser, file, fragment="#f=%3Cb%3Enone%3C%2Fb%3E&zz=1&s=first&q=%E0%A4%A&a=%25"
    )
    assert said(page).startswith("300 of 300")
    note = page.locator("#dropped").inner_text()
    assert "f=%3Cb%3E" in note
    assert "zz=1" in note
    assert "a=%25" in note
    assert "s=first" not in note
    page.close()
    assert seen.messages == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_text_stands_out_and_nothing_is_wider_than_the_window(
    browser: Browser, file: Path, scheme: str, width: int
) -> None:
    page, seen = opened(
        browser, file, color_scheme=scheme, viewport={"width": width, "height": 900}
    )
    paper, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert (brightness(paper) > brightness(ink)) is (scheme == "light")
    assert abs(brightness(paper) - brightness(ink)) > 180
    assert page.evaluate("getComputedStyle(document.querySelector('.forest > span')).color") == ink
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
    assert seen.requests == [file.as_uri()]
    assert seen.messages == []


#: Elements with names of systems that are cut off, and the narrowest label of a kind of question.
CUT = """[...document.querySelectorAll(
    '.ranking .name, .heat thead th, .heat thead span, #rows thead button, .weak-table tbody th')]
    .filter((one) => one.offsetParent && (one.scrollWidth > one.clientWidth + 1
        || one.scrollHeight > one.clientHeight + 1))
    .map((one) => one.textContent)"""
#: Captions that are wider than the window, and heads of columns too narrow for a word of a name.
WIDE = """[...document.querySelectorAll('caption, .numbers thead th')]
    .map((one) => [one, one.getBoundingClientRect().width])
    .filter(([one, width]) => one.offsetParent
        && (one.tagName === 'CAPTION' ? width > innerWidth : width < 60))
    .map(([one]) => one.textContent)"""
NARROWEST = """Math.min(...[...document.querySelectorAll('.heat tbody th')]
    .map((one) => one.getBoundingClientRect().width))"""


@pytest.mark.parametrize("systems", [2, 3, 16])
def test_names_of_systems_are_whole(browser: Browser, tmp_path: Path, systems: int) -> None:
    rows = [{"id": str(at), "question": f"Who is {at}?", "answer": "Ann"} for at in range(60)]
    for at in range(30):
        rows[at]["question"] = f"How many are {at}?"
    given = {
        f"large-language-model-instruct-{n}": {
            str(at): "Ann" if at % (n + 2) else "Bo" for at in range(60)
        }
        for n in range(systems)
    }
    path = tmp_path / "report.html"
    qg.report(rows, given).save(path)
    for width in (1280, 400):
        page, seen = opened(browser, path, viewport={"width": width, "height": 800})
        assert page.locator(".heat thead th").count() == systems + 2
        assert page.evaluate(CUT) == []
        assert page.evaluate(WIDE) == []
        assert page.evaluate(NARROWEST) >= 100
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()
        assert seen.messages == []


# --- everything that opens, measured ---

LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
LONG_IRI = f"{RES}{'a/very/long/path/' * 8}{LONG_WORD}?query={'x' * 200}"
#: What data sets hold: long words, Arabic, Hebrew, Chinese, Thai, Emoji, nothing.
TEXTS = [
    f"What is a {LONG_WORD}?",
    ARABIC,
    "מהי עיר הבירה של ישראל?",
    "美国的第一任总统是谁,他在哪里出生,他什么时候去世?",
    "ใครเป็นผู้เขียนนวนิยายเรื่องนี้",
    "Which 👩‍🔬 discovered it?",
    "?",
]
SYSTEMS = [
    "neighbours",
    "large-language-model-instruct",
    "نظام الإجابة",
    "系统",
    LONG_WORD,
    *(f"system-{n}" for n in range(11)),
]


@pytest.fixture(scope="module", params=[1, 4, 16])
def odd_report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on texts, answers and names of all kinds."""
    rows = [
        {
            "id": f"{LONG_IRI}{at}" if at % 9 == 0 else str(at),
            "question": f"{'How many' if at < 30 else 'Who'} is it, {at}? {TEXTS[at % len(TEXTS)]}",
            "answer": [LONG_IRI, f"{RES}Thing_{at}"] if at % 2 else [ARABIC, LONG_WORD],
        }
        for at in range(80)
    ]
    given = {
        name: {
            str(row["id"]): row["answer"] if at % (n + 2) else [f"{LONG_IRI}{n}"] * (n + 1)
            for at, row in enumerate(rows)
        }
        for n, name in enumerate(SYSTEMS[: request.param])
    }
    path = tmp_path_factory.mktemp("odd") / "report.html"
    qg.report(rows, given).save(path)
    return path


@pytest.mark.parametrize("width", [1280, 400])
def test_whatever_opens_can_be_read(browser: Browser, odd_report: Path, width: int) -> None:
    page, seen = opened(browser, odd_report, viewport={"width": width, "height": 900})
    assert layout_faults(page) == []
    for at in (0, 1, 3, 4):
        page.locator("#rows td.question button").nth(at).click()
        open_all(page)
        assert page.locator("#rows .opened .answers th").first.is_visible()
        assert layout_faults(page) == [], f"question {at} opened"
    page.locator(".columns summary").evaluate("one => { one.parentElement.open = true; }")
    for box in page.locator("#columns input").all():
        box.check()
    for button in page.get_by_role("button", name="Make a benchmark").all():
        button.click()
    assert layout_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
    assert seen.messages == []


def test_an_opened_question_names_the_systems_on_one_line(page: Page) -> None:
    page.locator("#rows td.question button").first.click()
    widths = page.eval_on_selector_all(
        "#rows .opened .answers th", "all => all.map((one) => one.getBoundingClientRect().width)"
    )
    assert min(widths) > 100


@pytest.mark.parametrize(("fault", "body"), [
    ("broken", '<table><td style="max-width: 1em; overflow-wrap: anywhere">templates</table>'),
    ("spills", '<p style="width: 3em">templates</p>'),
    ("cut", '<p style="width: 2em; overflow: hidden; text-overflow: ellipsis; '
     'white-space: nowrap">templates</p>'),
    ("clipped", '<svg width="50"><text x="0" y="15" text-anchor="middle">-1</text></svg>'),
])  # fmt: skip
def test_the_measure_sees_what_people_cannot_read(browser: Browser, fault: str, body: str) -> None:
    page = browser.new_page()
    page.set_content(body)
    assert [one.partition(":")[0] for one in layout_faults(page)] == [fault]
    page.close()


def brightness(colour: str) -> float:
    """Return the mean of the channels of ``rgb(r, g, b)``."""
    return sum(float(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")) / 3


def test_the_print_has_light_paper_and_is_short(browser: Browser, file: Path) -> None:
    page, seen = opened(browser, file, color_scheme="dark")
    pages = re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(format="A4"))
    assert len(pages) <= 6
    page.emulate_media(media="print")
    assert (
        page.evaluate(
            "getComputedStyle(document.documentElement).getPropertyValue('--paper')"
        ).strip()
        == "#ffffff"
    )
    assert page.locator(".filters").is_hidden()
    page.close()
    assert seen.messages == []


INJECTED = (
    "<base href='https://example.org/'><script>window.ran = 1</script><img src='x'"
    " onerror='window.ran = 2'><p id='styled' style='color: rgb(1, 2, 3)'>x</p><style>#styled {"
    " color: rgb(4, 5, 6); }</style><form id='sent'"
    " action='https://example.org/'><button>x</button></form><iframe"
    " src='https://example.org/'></iframe>"
)


def test_policy_stops_markup_that_got_into_the_page(
    browser: Browser, file: Path, tmp_path: Path
) -> None:
    hurt = tmp_path / "hurt.html"
    hurt.write_text(
        file.read_text(encoding="utf-8").replace("<main", INJECTED + "<main"), encoding="utf-8"
    )
    page, seen = opened(browser, hurt)
    page.evaluate("document.getElementById('sent').requestSubmit()")
    page.wait_for_timeout(100)
    assert page.evaluate("window.ran") is None
    assert page.url == hurt.as_uri()
    assert page.evaluate("document.baseURI") == hurt.as_uri()
    assert page.evaluate("getComputedStyle(document.getElementById('styled')).color") not in {
        "rgb(1, 2, 3)",
        "rgb(4, 5, 6)",
    }
    assert [url for url in seen.requests if url.startswith("http")] == []
    assert sum("Content Security Policy" in message for message in seen.messages) >= 5
    page.close()
