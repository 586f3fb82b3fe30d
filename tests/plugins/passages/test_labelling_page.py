"""The page to label with, in a browser: keys fill in the worksheet that the page saves."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from browsers import running_browser

from qaldgen.model import Question
from qaldgen.plugins.passages.collection import Passage
from qaldgen.plugins.passages.judgements import read_judgements
from qaldgen.plugins.passages.passage_sheets import Candidate, PassageSheet


def test_keys_fill_in_the_worksheet_of_passages(tmp_path: Path) -> None:
    question = Question("q", {"pl": ("Gdzie stoi młyn?",)})
    texts = {"a": "Młyn stoi w lesie.", "b": "<b>Las</b>", "c": "טחנה"}
    candidates = [Candidate(question, Passage(name, text)) for name, text in texts.items()]
    page = tmp_path / "page.html"
    html = PassageSheet(tuple(candidates), "bm25", "pl").page("sheet.csv")
    page.write_text(html, encoding="utf-8")
    with running_browser() as browser:
        shown, errors = browser.new_page(), list[str]()
        shown.on("pageerror", lambda error: errors.append(str(error)))
        shown.goto(page.as_uri())
        assert shown.locator("h1").inner_text() == "Does the passage answer the question?"
        assert shown.locator("#item p").all_inner_texts()[-1] == texts["a"]
        shown.keyboard.press("y")
        assert shown.locator("#item p").all_inner_texts()[-1] == texts["b"]
        for key in "pnuns":  # partly is no mark here, u takes one back
            shown.keyboard.press(key)
        assert shown.locator("#done").is_visible()
        with shown.expect_download() as download:
            shown.keyboard.press("w")
        saved = download.value.path().read_text(encoding="utf-8")
    assert errors == []
    assert [row["label"] for row in csv.DictReader(io.StringIO(saved))] == ["y", "n", "s"]
    (tmp_path / "sheet.csv").write_text(saved, encoding="utf-8")
    assert read_judgements(tmp_path / "sheet.csv").relevance == {
        ("q", "a"): True,
        ("q", "b"): False,
    }
