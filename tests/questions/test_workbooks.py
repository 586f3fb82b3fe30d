"""Excel workbooks as questions and as runs."""

from __future__ import annotations

import builtins
import datetime
from pathlib import Path
from typing import Any

import pytest

import qaldgen as qg
from qaldgen.errors import DataError
from qaldgen.questions.file_content import load_content

openpyxl = pytest.importorskip("openpyxl")


def workbook(path: Path, **sheets: list[list[object]]) -> Path:
    """Write a workbook with these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


GOLD: list[list[object]] = [
    ["ID", "Question", "Answer"],
    ["007", "How old is Ann?", 18],
    ["008", "When did it end?", datetime.datetime(1969, 7, 20)],
    ["009", "Is it wet?", True],
]
RUN: list[list[object]] = [["id", "answer"], ["007", "18"], ["008", "1970"], ["009", "yes"]]


def test_a_workbook_is_a_question_set_and_a_run(tmp_path: Path) -> None:
    gold, run = workbook(tmp_path / "gold.xlsx", a=GOLD), workbook(tmp_path / "mine.xlsx", a=RUN)
    scores = qg.score(gold, run)
    assert scores.counts["tp"].to_dict() == {"007": 1, "008": 0, "009": 1}


def test_cells_are_as_they_look(tmp_path: Path) -> None:
    rows: list[list[object]] = [[None, None], ["x", "y"], [7.0, 0.5], [None, None], ["  a, b ", ""]]
    assert load_content(workbook(tmp_path / "a.xlsx", a=rows)).text == 'x,y\n7,0.5\n"a, b",\n'


def test_a_day_has_no_time(tmp_path: Path) -> None:
    rows: list[list[object]] = [[datetime.datetime(1969, 7, 20), datetime.time(20, 17)]]
    assert load_content(workbook(tmp_path / "a.xlsx", a=rows)).text == "1969-07-20,20:17:00\n"


def test_the_first_filled_sheet_is_read_and_the_others_are_named(tmp_path: Path) -> None:
    path = workbook(tmp_path / "gold.xlsx", empty=[], Answers=GOLD, Old=RUN)
    found = qg.load(path)
    assert len(found) == 3
    assert found.notes[0] == (
        "the sheet 'Answers' is read; to read another ('Old'), save it as a file of its own"
    )


def test_the_sheets_of_a_run_are_named(tmp_path: Path) -> None:
    path = workbook(tmp_path / "mine.xlsx", Now=RUN, Old=RUN)
    assert any("the sheet 'Now' is read" in note for note in qg.read_run(path).notes)


def test_an_empty_workbook_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a workbook without any filled cell"):
        qg.load(workbook(tmp_path / "a.xlsx", a=[]))


def test_a_damaged_workbook_is_refused(tmp_path: Path) -> None:
    import zipfile

    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(DataError, match="the workbook is damaged"):
        qg.load(path)


def test_without_openpyxl_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = workbook(tmp_path / "a.xlsx", a=GOLD), builtins.__import__

    def without(name: str, *more: Any, **named: Any) -> Any:  # noqa: ANN401
        if name.startswith("openpyxl"):
            raise ImportError(name)
        return real(name, *more, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DataError, match=r"install openpyxl: pip install 'qaldgen\[excel\]'"):
        qg.load(path)
