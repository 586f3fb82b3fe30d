"""Questions and runs that are in memory: DataFrames, lists of dicts, dicts."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import qaldgen as qg

GOLD: list[dict[str, Any]] = [
    {"id": "a", "question": "Which moons has Mars?", "answers": ["Phobos", "Deimos"]},
    {"id": "b", "question": "When did the fair open?", "answers": [date(1901, 5, 4)]},
    {"id": "c", "question": "How many bridges has Ulm?", "answers": [np.int64(7)]},
]
FLAT = pd.DataFrame(
    {
        "id": ["a", "b", "c"],
        "question": [row["question"] for row in GOLD],
        "answer": ["Phobos|Deimos", "1901-05-04", "7"],
    }
)
VALUES = [["Phobos", "Deimos"], ["1901-05-04"], ["7"]]


@pytest.mark.parametrize(
    "given", [GOLD, FLAT, FLAT.set_index("id"), pd.DataFrame(GOLD), {"data": GOLD}]
)
def test_questions_are_read_as_from_a_file(given: Any) -> None:  # noqa: ANN401 - any form
    found = qg.load(given)
    assert [question.id for question in found] == ["a", "b", "c"]
    assert [question.answers.values() for question in found if question.answers] == VALUES


def test_names_of_columns_are_those_of_files() -> None:
    found = qg.load(FLAT.rename(columns={"question": "Question Text", "answer": "gold_answer"}))
    assert found.questions[0].text() == "Which moons has Mars?"


def test_whole_numbers_beside_missing_ones_stay_whole() -> None:
    found = qg.load(pd.DataFrame({"question": ["How many?", "Who?"], "answer": [7, None]}))
    answers = found.questions[0].answers
    assert answers is not None and answers.values() == ["7"]
    assert found.questions[1].answers is None or not found.questions[1].answers.values()


RUNS: dict[str, Any] = {
    "dict": {"a": ["Phobos", "Deimos"], "b": None, "c": "8"},
    "records": [{"id": "a", "prediction": "Phobos and Deimos"}, {"id": "c", "prediction": "8"}],
    "table": pd.DataFrame({"id": ["a", "c"], "answer": ["Phobos|Deimos", 8]}),
    "lists": pd.DataFrame({"id": ["a", "c"], "answer": [["Phobos", "Deimos"], ["8"]]}),
    "series": pd.Series({"a": "Phobos and Deimos", "c": "8"}),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_scored_as_from_a_file(name: str) -> None:
    scores = qg.score(GOLD, RUNS[name], match="contains")
    assert scores.counts["f1"].to_dict() == {"a": 1.0, "b": 0.0, "c": 0.0}
    assert scores.name == "run"


def test_several_dicts_are_several_runs() -> None:
    found = qg.compare(GOLD, [RUNS["dict"], {"c": "7"}])
    assert set(found.overall.index) == {"run 1", "run 2"}


def test_one_list_of_records_is_one_run() -> None:
    assert qg.report(FLAT, RUNS["records"]).systems == ("run",)


def test_a_run_can_be_given_a_name() -> None:
    run = qg.read_run({"a": "Phobos"}, name="mine")
    assert qg.score(FLAT, run).name == "mine"


def test_several_runs_are_not_one() -> None:
    with pytest.raises(qg.UsageError, match="compare several with compare"):
        qg.score(GOLD, [{"a": "x"}, {"b": "y"}])


def test_a_table_without_questions_is_refused_with_its_columns() -> None:
    with pytest.raises(qg.DataError, match=r"questions: .*'colour', 'size'"):
        qg.load(pd.DataFrame({"colour": ["red"], "size": [3]}))


def test_a_value_of_another_kind_is_refused() -> None:
    with pytest.raises(qg.UsageError, match="object cannot be read"):
        qg.load([{"question": "Who?", "answer": object()}])


def test_a_frame_of_answers_alone_goes_by_its_index_or_its_order() -> None:
    gold = pd.DataFrame({"question": ["Who?", "Where?"], "gold": ["Ann", "Ulm, old"]}, index=[7, 9])
    said = pd.DataFrame({"answer": ["Ulm, old", "Bo"]}, index=[9, 7])
    assert qg.score(gold, said).counts["f1"].to_dict() == {"7": 0.0, "9": 1.0}
    in_order = said.reset_index(drop=True)
    assert qg.score(gold, in_order).counts["f1"].to_dict() == {"7": 0.0, "9": 0.0}
    numbered = gold.assign(id=["a", "b"])  # an index of row numbers is no id beside one
    assert [one.id for one in qg.load(numbered)] == ["a", "b"]


def test_a_file_with_one_column_of_answers_may_have_a_header(tmp_path: Path) -> None:
    gold = [{"question": "Who?", "gold": "result"}, {"question": "Where?", "gold": "Ulm"}]
    (tmp_path / "run.csv").write_text('answer\nresult\n"Ulm"\n')
    assert qg.score(gold, tmp_path / "run.csv")["accuracy"] == 1.0
    (tmp_path / "lines.txt").write_text("result\nUlm\n")
    assert qg.score(gold, tmp_path / "lines.txt")["accuracy"] == 1.0
