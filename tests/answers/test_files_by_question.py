"""Runs with a file for each question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import qaldgen as qg

GOLD = [
    {"id": "a1", "question": "Where is the mill?", "answer": "http://example.org/Ulm"},
    {"id": "a2", "question": "Who lit the lamp?", "answer": "http://example.org/Ann"},
    {"id": "a3", "question": "How many stairs are there?", "answer": "7"},
    {"id": "a4", "question": "Is it lit?", "answer": "true"},
]
SAID = {"a1": "http://example.org/Ulm", "a2": "http://example.org/Bo", "a3": "7"}
_SRX = """<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#">
<head><variable name="x"/></head>
<results><result><binding name="x"><{kind}>{said}</{kind}></binding></result></results></sparql>"""


def written(form: str, said: str) -> str:
    """Return the text of a file with an answer."""
    kind = "uri" if said.startswith("http") else "literal"
    bindings = [{"x": {"type": kind, "value": said}}]
    return {
        "srx": _SRX.format(kind=kind, said=said),
        "srj": json.dumps({"head": {"vars": ["x"]}, "results": {"bindings": bindings}}),
        "json": json.dumps({"answer": said, "seconds": 2}),
        "csv": f"x\n{said}\n",
        "txt": f"{said}\n",
    }[form]


@pytest.mark.parametrize("form", ["srx", "srj", "json", "csv", "txt"])
def test_a_folder_with_a_file_for_each_question_is_a_run(form: str, tmp_path: Path) -> None:
    folder = tmp_path / "ours"
    folder.mkdir()
    for name, said in SAID.items():
        (folder / f"{name}.{form}").write_text(written(form, said), encoding="utf-8")
    scores = qg.score(GOLD, folder)
    assert (scores.name, scores["macro-f1"]) == ("ours", 0.5)
    assert list(scores.counts["status"]) == ["answered"] * 3 + ["not asked"]
    assert f"{folder}: has a file for each of 3 questions" in scores.notes


def test_a_folder_with_a_file_for_each_question_is_read_beside_answers_in_memory(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "ours"
    folder.mkdir()
    for name, said in SAID.items():
        (folder / f"{name}.txt").write_text(f"{said}\n", encoding="utf-8")
    runs: list[Any] = [folder, {"a1": "http://example.org/Ulm"}]
    evaluation = qg.evaluate(GOLD, runs)
    assert {run.name: run["macro-f1"] for run in evaluation} == {"run": 0.25, "ours": 0.5}


def test_broken_results_of_a_question_are_named(tmp_path: Path) -> None:
    for name, said in SAID.items():
        (tmp_path / f"{name}.srx").write_text(written("srx", said)[:-20], encoding="utf-8")
    with pytest.raises(qg.DataError, match=r"a1\.srx.*no results of a SPARQL query"):
        qg.score(GOLD, tmp_path)


def test_files_for_fewer_than_half_of_the_questions_are_runs(tmp_path: Path) -> None:
    (tmp_path / "a1.csv").write_text("id,answer\na3,7\n", encoding="utf-8")
    assert qg.score(GOLD, tmp_path)["macro-f1"] == 0.25


@pytest.mark.parametrize("text", ["id,answer\n{}", "{}", "lines"])
def test_tries_called_by_numbers_stay_runs_where_questions_are_numbered(
    text: str, tmp_path: Path
) -> None:
    gold = [{**question, "id": number} for number, question in enumerate(GOLD, 1)]
    suffix = "txt" if text == "lines" else "csv"
    for name, last in (("1", "true"), ("2", "false")):
        said = [*SAID.values(), last]
        body = "\n".join(f"{n},{answer}" for n, answer in enumerate(said, 1))
        whole = "\n".join(said) if text == "lines" else text.format(body)
        (tmp_path / f"{name}.{suffix}").write_text(f"{whole}\n", encoding="utf-8")
    scores = {run.name: run["macro-f1"] for run in qg.evaluate(gold, tmp_path)}
    assert scores == {"1": 0.75, "2": 0.5}


def test_the_gold_in_a_folder_of_runs_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text(json.dumps(GOLD), encoding="utf-8")
    (tmp_path / "ours.json").write_text(json.dumps(SAID), encoding="utf-8")
    assert [run.name for run in qg.evaluate(tmp_path / "gold.json", tmp_path)] == ["ours"]
