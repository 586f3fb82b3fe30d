"""The explorer in a real browser: filter, edit, sample, take home, drop a run, share."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from browsers import Seen, running_browser
from explored import HOSTILE, QUESTIONS, Place, serving, write_questions, write_run

from qaldgen.benchmark.rdf import load_benchmark
from qaldgen.plugins.explorer.workspace import OpenSet, Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

COUNTS = 'the question says "how many"'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("explored")
    write_questions(made)
    write_run(made, "counts-badly.csv", weak=True)
    return made


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with Workspace() as made:
        yield made


@pytest.fixture(scope="module")
def opened(workspace: Workspace, folder: Path) -> OpenSet:
    return workspace.open(str(folder / "harbours.csv"))


@pytest.fixture(scope="module")
def place(workspace: Workspace, opened: OpenSet) -> Iterator[Place]:
    assert opened.pool.histograms.ids
    with serving(workspace) as made:
        yield made


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as made:
        yield made


def come(browser: Browser, url: str, **context: Any) -> tuple[Page, Seen]:  # noqa: ANN401
    page = browser.new_page(**context)
    seen = Seen(page)
    page.goto(url)
    page.wait_for_selector("html[data-ready=yes]")
    return page, seen


def unexpected(seen: Seen) -> list[str]:
    """Return what the console said; browsers report every refusal there, even one that is shown."""
    return [one for one in seen.messages if "status of 422" not in one]


@pytest.fixture(scope="module")
def only_page(browser: Browser) -> Iterator[Page]:
    """One page for most tests: a new one for each would take a second more."""
    made = browser.new_page()
    yield made
    made.close()


@pytest.fixture
def page(only_page: Page, place: Place) -> Iterator[Page]:
    """The page, loaded anew; afterwards it must have asked nobody else, and said nothing."""
    made, seen = only_page, Seen(only_page)
    made.goto("about:blank")
    made.goto(place.url)
    made.wait_for_selector("html[data-ready=yes]")
    yield made
    seen.stop()
    ours = (place.url.partition("?")[0], "blob:", "data:")
    assert [url for url in seen.requests if not url.startswith(ours)] == []
    assert unexpected(seen) == []


def until(true: Callable[[], bool]) -> None:
    """Wait here: the page's policy forbids evaluating texts, so the browser cannot wait itself."""
    for _ in range(400):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come true")


def count(page: Page) -> Locator:
    return page.locator("#count")


def feature(page: Page, name: str) -> Locator:
    """The histogram of a feature, opened."""
    found = page.locator(
        "details.feature", has=page.locator("small", has_text=re.compile(f"^{name}$"))
    )
    if found.get_attribute("open") is None:
        found.locator("summary").click()
    return found.first


def counting(page: Page) -> None:
    """Keep the questions that ask for a number."""
    feature(page, "whType").get_by_role("button", name=COUNTS).click()
    wait_for_count(page, QUESTIONS // 4)


def wait_for_count(page: Page, n: int) -> None:
    page.locator("#count", has_text=re.compile(rf"> {n} question")).wait_for()


def sampled(page: Page, n: int) -> None:
    page.locator(".found b", has_text=re.compile(f"^{n} question")).wait_for()


def draw(page: Page, size: int) -> None:
    page.fill("#size", str(size))
    page.click("#draw")
    sampled(page, size)


def saved(page: Page, form: str, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.locator(f"button[data-form={form}]").click()
    file = folder / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


def test_the_first_view_has_histograms_map_sample_and_table(page: Page) -> None:
    assert count(page).inner_text() == f"{QUESTIONS} questions"
    assert page.locator("details.feature[open] .hist-bar").count() > 5
    sampled(page, 50)
    assert page.locator(".windowed tbody tr:not(.space)").count() > 5
    label = page.locator("#map-view canvas").get_attribute("aria-label") or ""
    assert label.startswith(f"Map of {QUESTIONS} questions")


def test_the_page_says_that_the_data_are_still_read(browser: Browser, folder: Path) -> None:
    go_on = threading.Event()
    with Workspace() as workspace:

        def work() -> None:
            assert go_on.wait(60)
            workspace.open(str(folder / "harbours.csv"))

        workspace.read("harbours.csv", work)
        with serving(workspace) as place:
            page = browser.new_page()
            seen = Seen(page)
            page.goto(place.url)
            page.locator(".busy", has_text="Reading harbours.csv").wait_for()
            page.click("#draw")
            page.locator("#sample-view .refused", has_text="no data set is open").wait_for()
            go_on.set()
            page.wait_for_selector("html[data-ready=yes]")
            sampled(page, 50)
            assert page.locator(".busy").inner_text() == ""
            assert page.locator("#sample-view .refused").is_hidden()
            page.close()
    assert unexpected(seen) == []


def test_without_data_the_page_says_what_to_open(browser: Browser, folder: Path) -> None:
    with Workspace() as workspace, serving(workspace) as place:
        page = browser.new_page()
        page.goto(place.url)
        page.get_by_role("heading", name="Which questions?").wait_for()
        assert page.locator("#map-view").is_hidden()
        page.set_input_files("#file-data", str(folder / "harbours.csv"))
        page.wait_for_selector("html[data-ready=yes]")
        assert page.locator("#map-view").is_visible()
        assert page.locator("#start").is_hidden()
        page.close()


def test_histograms_filter_each_other(page: Page) -> None:
    before = feature(page, "length").locator(".hist-words").inner_text()
    counting(page)
    other = feature(page, "expectedAnswerCategory")
    texts = other.locator(".cat").all_inner_texts()
    assert any(
        text.startswith("expects a number") and text.endswith(str(QUESTIONS // 4)) for text in texts
    )
    assert feature(page, "length").locator(".hist-words").inner_text() == before
    page.get_by_role("button", name="Clear all filters").click()
    page.locator("#count", has_text=re.compile(rf"^{QUESTIONS} questions$")).wait_for()


def test_histograms_out_of_view_follow_when_the_dragging_stops(page: Page, opened: OpenSet) -> None:
    items = page.locator("details.feature")
    items.evaluate_all("all => all.forEach((one) => { one.open = true; })")
    counting(page)
    rare = [one for one in opened.pool.histograms.columns if one.kind == "category"][-1]
    left = next(one for one in opened.pool.histograms.columns if one.name == "whType")
    place = [bar.label for bar in left.bins].index(COUNTS)
    inside = rare.codes[left.codes == place]
    wanted = [int((inside == at).sum()) for at in range(len(rare.bins))]
    shown = items.filter(has=page.locator("small", has_text=re.compile(f"^{rare.name}$")))
    until(lambda: [int(one) for one in shown.locator(".cat-count").all_inner_texts()] == wanted)


def opaque_pixels(page: Page) -> int:
    """Return how many pixels of the map are covered by dots that are not faded."""
    return int(
        page.evaluate("""() => {
      const map = document.querySelector("#map-view canvas");
      const canvas = new OffscreenCanvas(map.width, map.height);
      const pen = canvas.getContext("2d", { willReadFrequently: true });
      pen.drawImage(map, 0, 0);
      const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, at) => at % 4 === 3 && value > 200).length;
    }""")
    )


def test_dots_that_are_filtered_out_fade_and_come_back(page: Page) -> None:
    sampled(page, 50)
    before = opaque_pixels(page)
    counting(page)
    until(lambda: 0 < opaque_pixels(page) < 0.6 * before)
    page.get_by_role("button", name="Clear all filters").click()
    until(lambda: opaque_pixels(page) == before)


def test_a_tip_goes_with_the_focus(page: Page) -> None:
    page.focus("#map-view canvas")
    page.keyboard.press("ArrowRight")
    page.locator(".tip").wait_for()
    page.keyboard.press("Tab")
    page.locator(".tip").wait_for(state="hidden")


def test_dragging_over_bars_keeps_a_range(page: Page, opened: OpenSet) -> None:
    chart = feature(page, "length").locator(".hist")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 1, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 20, steps=4)
    page.mouse.up()
    column = next(one for one in opened.pool.histograms.columns if one.name == "length")
    last = int(0.3 * len(column.bins))
    wait_for_count(page, int((column.codes <= last).sum()))


def test_sliders_work_by_keys_and_say_what_is_kept(page: Page, opened: OpenSet) -> None:
    low = page.get_by_role("slider", name="length in words, from")
    low.focus()
    page.keyboard.press("ArrowRight")
    column = next(one for one in opened.pool.histograms.columns if one.name == "length")
    n = int((column.codes >= 1).sum())
    wait_for_count(page, n)
    assert f"{n} questions" in (low.get_attribute("aria-valuetext") or "")


def open_sparql(page: Page) -> Locator:
    page.locator(".sparql summary").click()
    box = page.locator("#sparql")
    until(lambda: box.input_value() != "")
    return box


def test_the_query_follows_the_filters(page: Page) -> None:
    box = open_sparql(page)
    counting(page)
    until(lambda: "?filter1" in box.input_value())
    assert "code/whType/how-many" in box.input_value()


def test_an_edited_query_selects_and_an_error_stands_beside_it(page: Page) -> None:
    box = open_sparql(page)
    text = box.input_value()
    box.fill("SELECT ?qId { ?qId")
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator(".sparql .refused", has_text="does not parse").wait_for()
    assert count(page).inner_text() == f"{QUESTIONS} questions"
    box.fill(text.rstrip().removesuffix("}") + "FILTER (?words > 9) }")
    box.press("Control+Enter")
    page.locator("#count", has_text=re.compile(rf"^{QUESTIONS} >")).wait_for()
    assert page.locator(".sparql .refused").is_hidden()
    assert unquote(page.url).count("sq=~") == 1


def test_an_edit_can_be_undone(page: Page) -> None:
    box = open_sparql(page)
    text = box.input_value()
    box.fill("nothing")
    assert "detached" in (page.locator("#filters-view .features").get_attribute("class") or "")
    page.get_by_role("button", name="Back to the histograms").click()
    until(lambda: box.input_value() == text)


def test_the_sample_is_drawn_and_downloads_can_be_loaded(page: Page, tmp_path: Path) -> None:
    counting(page)
    page.select_option("#method", "lpm")
    draw(page, 7)
    assert "known chance" in page.locator(".found").inner_text()
    benchmark = load_benchmark(saved(page, "turtle", tmp_path))
    assert len(benchmark.members) == 7
    assert all(question.text().startswith("How many") for question in benchmark.questions)
    signature = saved(page, "signature", tmp_path).read_text(encoding="utf-8").strip()
    assert signature == benchmark.signature
    assert (
        len(json.loads(saved(page, "qald-json", tmp_path).read_text(encoding="utf-8"))["questions"])
        == 7
    )
    assert "?filter1" in saved(page, "query", tmp_path).read_text(encoding="utf-8")
    assert "-m lpm -n 7 --seed 0" in page.locator("#command").text_content()  # type: ignore[operator]


def test_a_sample_says_that_the_selection_has_changed(page: Page) -> None:
    sampled(page, 50)
    assert page.locator(".stale").is_hidden()
    counting(page)
    page.locator(".stale").wait_for()


def test_a_sample_that_cannot_be_is_refused_beside_the_button(page: Page) -> None:
    counting(page)
    page.fill("#size", "99")
    page.click("#draw")
    page.locator("#sample-view .refused", has_text="impossible").wait_for()


def test_all_questions_are_listed_but_few_are_drawn(page: Page) -> None:
    page.get_by_role("tab", name="Questions").click()
    table = page.locator(".windowed")
    assert table.get_attribute("aria-rowcount") == str(QUESTIONS + 1)
    assert table.locator("tbody tr:not(.space)").count() < 80
    page.eval_on_selector(".rows", "region => { region.scrollTop = region.scrollHeight; }")
    table.locator("td.text", has_text=f"Norden{QUESTIONS}?").wait_for()


def test_hostile_texts_are_shown_and_not_run(page: Page) -> None:
    page.get_by_role("tab", name="Questions").click()
    page.fill("#find-question", "onerror")
    shown = page.locator(".windowed td.text button", has_text="onerror")
    shown.click()
    assert shown.inner_text() == f"Who painted {HOSTILE}?"
    assert page.locator(".pinned h3").inner_text() == f"Who painted {HOSTILE}?"
    assert page.evaluate("window.ran") is None


def test_drawing_around_dots_lists_them(page: Page) -> None:
    page.get_by_role("tab", name="Questions").click()
    canvas = page.locator("#map-view canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.mouse.down()
    for x, y in ((0.6, 0.01), (0.6, 0.99), (0.01, 0.99)):
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=3)
    page.mouse.up()
    page.locator("#tab-view [role=status]", has_text="drawn around").wait_for()


def test_the_address_brings_the_view_back(browser: Browser, page: Page, place: Place) -> None:
    counting(page)
    page.select_option("#method", "random")
    draw(page, 9)
    page.get_by_role("tab", name="Questions").click()
    # the address that the driver keeps is renewed by calls alone
    until(lambda: "whType" in page.evaluate("location.href"))
    assert "tower" not in unquote(page.url).lower()
    assert place.token not in page.url.partition("#")[2]
    other, seen = come(browser, page.url)
    sampled(other, 9)
    wait_for_count(other, QUESTIONS // 4)
    assert other.locator("#method").input_value() == "random"
    assert other.get_by_role("tab", name="Questions").get_attribute("aria-selected") == "true"
    other.close()
    assert unexpected(seen) == []


@pytest.mark.parametrize(
    "fragment",
    [
        "#d=0123456789ab&zz=%3Cb%3E1",
        "#x=none:1..2;y&sq=~%%%&m=worst&n=-3",
        "#c=column:x:99&t=none&sq=~AAAA",
    ],
)
def test_an_address_that_says_nonsense_is_told_and_left_out(
    browser: Browser, place: Place, fragment: str
) -> None:
    page, seen = come(browser, place.url + fragment)
    sampled(page, 50)
    assert count(page).inner_text() == f"{QUESTIONS} questions"
    assert page.locator("#dropped b").count() == 0
    page.close()
    assert unexpected(seen) == []


def test_two_tabs_do_not_disturb_each_other(browser: Browser, page: Page, place: Place) -> None:
    other, _ = come(browser, place.url)
    counting(page)
    draw(page, 5)
    draw(other, 11)
    assert count(other).inner_text() == f"{QUESTIONS} questions"
    assert "--seed 0" in (other.locator("#command").text_content() or "")
    assert "selection.rq" not in (other.locator("#command").text_content() or "")
    other.close()


def test_the_explorer_works_by_keys_alone(page: Page) -> None:
    page.focus("#size")
    page.keyboard.press("Control+a")
    page.keyboard.type("6")
    page.keyboard.press("Enter")
    sampled(page, 6)
    page.focus("#map-view canvas")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.locator(".pinned h3").inner_text() in page.locator(".tip").inner_text()
    page.get_by_role("tab", name="Sample").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", name="Questions").get_attribute("aria-selected") == "true"
    assert page.evaluate("document.activeElement.id") == "tab-questions"


def test_everything_to_use_has_a_name(page: Page) -> None:
    script = """() => [...document.querySelectorAll(
        "button, input, select, textarea, canvas, [role=region], [role=group]")]
      .filter((one) => one.offsetParent && !one.getAttribute("aria-label")
        && !one.textContent.trim() && !one.labels?.length
        && one.getAttribute("aria-hidden") !== "true")
      .map((one) => one.outerHTML.slice(0, 90))"""
    assert page.evaluate(script) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_narrow_screen_one_panel_shows_at_a_time(
    browser: Browser, place: Place, scheme: str
) -> None:
    page, seen = come(
        browser, place.url, color_scheme=scheme, viewport={"width": 400, "height": 800}
    )
    for name, what in (
        ("Filter", "#find-feature"),
        ("Map", "#map-view canvas"),
        ("Sample", "#draw"),
        ("Tables", ".windowed"),
    ):
        page.locator("#panels button", has_text=name).click()
        page.locator(what).wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 27)")
    page.close()
    assert unexpected(seen) == []


def dropped(page: Page, file: Path, name: str) -> None:
    """Drop a file on the page."""
    script = """([text, name]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      document.body.dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(script, [file.read_text(encoding="utf-8"), name])


def test_a_dropped_run_shows_where_it_is_weak_and_one_click_makes_a_benchmark(
    page: Page, folder: Path, tmp_path: Path, opened: OpenSet
) -> None:
    hostile = '<b onclick="window.ran = 1">bad & wörse.csv'
    dropped(page, folder / "counts-badly.csv", hostile)
    page.get_by_role("dialog").get_by_role("button", name="answers of a system").click()
    card = page.locator(".card").first
    card.locator(".spot-label").wait_for(timeout=60_000)
    assert card.locator(".spot-label").inner_text() == COUNTS
    assert page.locator(".ranking .name").inner_text() == "b onclick=-window.ran = 1--bad - wörse"
    assert page.locator("#map-colour option", has_text="score of").count() == 1
    assert f"on {COUNTS}: 0.00" in page.locator("#weak-line").inner_text()
    card.get_by_role("button", name="Make a benchmark of this weakness").click()
    sampled(page, QUESTIONS // 4)
    assert "40 questions" in page.locator(".told").inner_text()
    # of the weakness alone, not of all questions
    chosen = page.locator("#weak-line", has_text="These questions were chosen because")
    chosen.wait_for(timeout=60_000)
    benchmark = load_benchmark(saved(page, "turtle", tmp_path))
    assert all(question.text().startswith("How many") for question in benchmark.questions)
    page.locator(".chip button").click()
    page.locator(".chip").wait_for(state="detached")
    assert opened.runs == {}


def test_a_dropped_question_set_is_opened_and_a_broken_one_refused(
    browser: Browser, place: Place, tmp_path: Path
) -> None:
    page, seen = come(browser, place.url)
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    dropped(page, broken, "broken.json")
    page.get_by_role("dialog").get_by_role("button", name="a data set").click()
    page.locator("#dropped p", has_text="broken.json").wait_for()
    two = tmp_path / "two.ttl"
    two.write_text(
        '<urn:a> <https://schema.org/text> "How long?"@en ;'
        " <http://qald-gen.aksw.org/vocab#charCount> 9 .\n"
        '<urn:b> <https://schema.org/text> "Who?"@en ;'
        " <http://qald-gen.aksw.org/vocab#charCount> 4 .\n",
        encoding="utf-8",
    )
    page.set_input_files("#file-data", two)
    page.locator("#count", has_text=re.compile("^2 questions")).wait_for()
    assert (
        page.locator("#data-set").evaluate("select => select.selectedOptions[0].text") == "two.ttl"
    )
    page.close()
    assert unexpected(seen) == []


def test_a_stopped_explorer_says_so_and_the_filters_still_work(
    browser: Browser, workspace: Workspace, opened: OpenSet
) -> None:
    with serving(workspace) as place:
        page, _ = come(browser, place.url)
        sampled(page, 50)
        # opening it asks for its column, which must be here before the explorer stops
        feature(page, "whType").get_by_role("button", name=COUNTS).wait_for()
    counting(page)
    page.click("#draw")
    page.locator("#banner", has_text="does not answer").wait_for()
    page.get_by_role("button", name="Clear all filters").click()
    page.locator("#count", has_text=re.compile(rf"^{QUESTIONS} questions$")).wait_for()
    page.close()
