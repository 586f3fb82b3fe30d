"""CSV that a spreadsheet does not run, and that our readers read back as it was."""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from qaldgen.analysis.score_files import read_scores
from qaldgen.annotation.iri_labels import read_labels
from qaldgen.answers.reading import read_run
from qaldgen.io.csv_cells import dump_csv, protect, unprotect
from qaldgen.questions.reading import read_questions
from qaldgen.questions.writing import dump_records
from qaldgen.reports.tables.results import dump_frame

ATTACKS = [
    "=1+1", "=cmd|'/c calc'!A1", "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", '"=1',
    '"" =1', "\u00a0=1",
    "\u200b=1", "\ufeff=1", "＝1", "＋1", "－1", "＠a", "﹦1", "\tplain", "-", "=", "-5 or -6",
    "-0044-03-15", "+48 22 123",
    "--5", "-1.2.3", "-INF", "-5|-6", "-5 °C", "-5%", "-1,5", "-٣",
]  # fmt: skip
NUMBERS = ["-5", "+5", "-5.25", "-.5", "-5.", "+1e9", "-1E-07", "-0"]
PLAIN = [
    "",
    "a=b",
    "a-b",
    "x@y.org",
    "'=1",
    "'-ing' forms",
    "' quoted",
    "1=1",
    "Łódź",
    "…=",
    "a\nb",
    "don't",
]


def cells(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_formula_becomes_text() -> None:
    assert [attack for attack in ATTACKS if protect(attack) != "' " + attack] == []


def test_numbers_and_plain_text_stay() -> None:
    assert [text for text in NUMBERS + PLAIN if not protect(text) == text == unprotect(text)] == []


def test_every_cell_comes_back() -> None:
    for text, times in itertools.product([*ATTACKS, *NUMBERS, *PLAIN], range(3)):
        marked = "' " * times + text
        written = protect(marked)
        assert unprotect(written) == marked
        assert written[:1] not in set("=+-@\t\r\n＝＋－＠") or written in NUMBERS, marked


def test_random_cells_come_back() -> None:
    draw = random.Random(9)
    for _ in range(20_000):
        cell = "".join(draw.choices("'= -+@\t\r\n\"a5.e＝", k=draw.randrange(7)))
        assert unprotect(protect(cell)) == cell


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_text_with_any_separator_is_one_cell(separator: str) -> None:
    line = dump_csv(["a", "b"], [["1", f"text{separator}=1+1"]]).splitlines()[1]
    assert line == f'1,"text{separator}=1+1"'


def test_values_are_written_as_pandas_writes_them() -> None:
    frame = pd.DataFrame(
        {
            "n": [1.0, np.nan, -2.5, 1e-7, 1e300],
            "b": [True, False, True, None, False],
            "t": ["a,b", 'q"', "", "x", None],
        }
    )
    expected = frame.to_csv(index=False, lineterminator="\n")
    assert (
        dump_csv(frame.columns, zip(*(frame[name].tolist() for name in frame), strict=True))
        == expected
    )


def records(frame: pd.DataFrame, form: str) -> bytes:
    names = list(map(str, frame.columns))
    return dump_records(
        (
            dict(zip(names, row, strict=True))
            for row in zip(*(frame[n].tolist() for n in names), strict=True)
        ),
        form,
    )


TABLES: dict[str, Callable[[pd.DataFrame], str]] = {
    "select, sample, export": lambda frame: records(frame, "csv").decode(),
    "score, compare, slices, report, plan": lambda frame: dump_frame(frame, "csv"),
}


@pytest.mark.parametrize("dump", TABLES.values(), ids=TABLES.keys())
def test_tables_have_no_formula_in_cells_and_head(dump: Callable[[pd.DataFrame], str]) -> None:
    frame = pd.DataFrame({"id": ["=1", "2"], "=head": ["@a", "b"], "n": [-5.0, 2.0]})
    assert cells(dump(frame)) == [
        ["id", "' =head", "n"],
        ["' =1", "' @a", "-5.0"],
        ["2", "b", "2.0"],
    ]


@pytest.mark.parametrize(("ending", "separator"), [("csv", ","), ("tsv", "\t")])
def test_question_set_comes_back(tmp_path: Path, ending: str, separator: str) -> None:
    text = dump_csv(
        ["id", "text", "answers"], [["=1", "=cmd|'/c calc'!A1", "-5|=x"], ["-2", "'=1", "-5"]]
    )
    path = tmp_path / f"set.{ending}"
    path.write_text(text.replace(",", separator), encoding="utf-8")
    first, second = read_questions(path).questions
    assert (first.id, first.text()) == ("=1", "=cmd|'/c calc'!A1")
    assert first.answers is not None
    assert first.answers.texts == (("-5",), ("=x",))
    assert (second.id, second.text()) == ("-2", "'=1")


@pytest.mark.parametrize("head", [["id", "answer"], None], ids=["head", "no-head"])
def test_run_comes_back(tmp_path: Path, head: list[str] | None) -> None:
    rows = [["=1", "@a"], ["2", "-5"]]
    (tmp_path / "run.csv").write_text(
        dump_csv(head or rows[0], rows if head else rows[1:]), encoding="utf-8"
    )
    run = read_run(tmp_path / "run.csv")
    assert {name: one.answers and one.answers.texts for name, one in run.responses.items()} == {
        "=1": (("@a",),),
        "2": (("-5",),),
    }


def test_scores_come_back(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(
        dump_csv(["id", "=system"], [["=1", 0.5], ["@2", 1]]), encoding="utf-8"
    )
    assert read_scores(tmp_path / "scores.csv").to_dict() == {"=system": {"=1": 0.5, "@2": 1.0}}


def test_labels_come_back(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(
        dump_csv(["iri", "label"], [["http://x.org/a", "@home"]]), encoding="utf-8"
    )
    assert read_labels(tmp_path / "labels.csv") == {"http://x.org/a": "@home"}


def test_forms_for_programs_that_are_no_spreadsheets_keep_their_text() -> None:
    frame = pd.DataFrame({"id": ["=1"], "text": ["@a"]})
    assert json.loads(records(frame, "jsonl")) == {"id": "=1", "text": "@a"}
    assert json.loads(dump_frame(frame, "json")) == [{"id": "=1", "text": "@a"}]


def test_no_table_is_written_past_the_rule() -> None:
    source = Path(__file__).resolve().parent.parent.parent / "qaldgen"
    writers = ["csv.writer", "DictWriter", ".to_csv("]
    found = [
        path.name
        for path in source.rglob("*.py")
        for word in writers
        if word in path.read_text(encoding="utf-8")
    ]
    # tables that are read again, and those that are only hashed
    assert set(found) - {"running.py", "decision.py"} == {"file_content.py"}


@pytest.mark.parametrize(
    ("form", "row"),
    [("csv", "y,\n"), ("json", '"n": null'), ("text", "y  -"), ("markdown", "| y | - |")],
)
def test_a_whole_number_that_is_missing_is_no_error(form: str, row: str) -> None:
    numbers = pd.Series([1, None], dtype="Int64")
    assert row in dump_frame(pd.DataFrame({"a": ["x", "y"], "n": numbers}), form)
