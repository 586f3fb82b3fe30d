"""One file with question, gold answer and prediction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pandas as pd
import pytest

import qaldgen as qg

QUESTIONS = ["Where is the minster?", "Who built the mill?", "Which river is there?"]
GOLD, SAID = ["Ulm", "Anna Roth", "Iller"], ["It is in Ulm.", "Karl Berg", "the Iller"]
WRITTEN = {
    "csv": pd.DataFrame({"question": QUESTIONS, "gold": GOLD, "prediction": SAID}),
    "answer beside": pd.DataFrame({"q": QUESTIONS, "answer": GOLD, "Model Answer": SAID}),
    "reference": pd.DataFrame(
        {"id": [7, 8, 9], "text": QUESTIONS, "reference": GOLD, "answer": SAID}
    ),
    "output": pd.DataFrame({"input": QUESTIONS, "target": GOLD, "output": SAID}),
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("lines", [False, True])
def test_a_file_with_both_needs_no_run(tmp_path: Path, name: str, lines: bool) -> None:
    table, path = WRITTEN[name], tmp_path / "mine.data"
    if lines:
        path.write_text("\n".join(json.dumps(row) for row in table.to_dict("records")))
    else:
        table.to_csv(path, index=False)
    scores = qg.score(path)
    assert scores.name == "mine"
    assert scores.counts["f1"].tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_frame_with_both_needs_no_run(name: str) -> None:
    assert qg.score(WRITTEN[name]).counts["f1"].tolist() == [1.0, 0.0, 1.0]
    assert qg.report(WRITTEN[name]).systems == ("run",)


@pytest.mark.parametrize("column", ["answer", "output"])
def test_one_column_is_not_gold_and_prediction(column: str) -> None:
    frame = pd.DataFrame({"question": QUESTIONS, column: GOLD})
    with pytest.raises(qg.UsageError, match=f"'{column}' is taken for .*'prediction'"):
        qg.score(frame)


def test_a_set_that_was_read_needs_a_run() -> None:
    with pytest.raises(qg.UsageError, match="name a run too"):
        qg.score(qg.load(WRITTEN["csv"]))


def test_a_column_for_each_system_is_a_run_for_each(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    wide = {"q": QUESTIONS, "expected": GOLD, "Small-7B output": SAID, "answer by rules": GOLD}
    pd.DataFrame(wide).to_csv(path, index=False)
    found = qg.compare(path)
    assert found.overall["estimate"].round(2).to_dict() == {
        "Small-7B": 0.67,
        "rules": 0.99,
    }
    assert qg.report(pd.DataFrame(wide)).systems == ("rules", "Small-7B")
    pd.DataFrame(wide).drop(columns="expected").to_csv(path, index=False)
    with pytest.raises(qg.UsageError, match=r"one run is needed .* not 2 of them"):
        qg.score(WRITTEN["csv"], path)


@pytest.mark.parametrize(
    "names",
    [("User question", "Reference answer", "Reply"), ("query", "label", "actual"),
     ("inputs", "targets", "outputs"), ("instruction", "output", "generated")],
)  # fmt: skip
@pytest.mark.parametrize("orient", ["records", "split", "columns", None])
def test_json_of_any_shape_has_both(
    tmp_path: Path,
    names: tuple[str, str, str],
    orient: Literal["records", "split", "columns"] | None,
) -> None:
    frame = pd.DataFrame(dict(zip(names, (QUESTIONS, GOLD, SAID), strict=True)))
    path = tmp_path / "mine.json"
    if orient is None:
        path.write_text(json.dumps({"model": "m", "results": frame.to_dict("records")}))
    else:
        frame.to_json(path, orient=orient)
    scores = qg.score(path)
    assert (scores.name, scores.counts["f1"].tolist()) == ("mine", [1.0, 0.0, 1.0])


def test_what_a_system_said_is_not_called_unread(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    long = [f"{text} {'So it is. ' * 200}" for text in SAID]
    pd.DataFrame({"question": QUESTIONS, "gold": GOLD, "our response": long}).to_csv(path)
    notes = [str(note) for note in (*qg.load(path).notes, *qg.score(path).notes)]
    assert not any("not read" in note for note in notes)
    assert any("reads the answers from 'our response'" in note for note in notes)


def test_one_question_twice_keeps_its_own_answer() -> None:
    frame = pd.DataFrame({"question": QUESTIONS[:1] * 2, "gold": ["Ulm", "Bonn"]})
    frame["prediction"] = ["in Bonn", "in Bonn"]
    assert qg.score(frame).counts["f1"].tolist() == [0.0, 1.0]


def test_a_plan_needs_no_run() -> None:
    assert qg.plan(WRITTEN["output"]).errors["mean"].tolist() == [pytest.approx(2 / 3)]
    wide = (
        WRITTEN["csv"].rename(columns={"prediction": "rules answer"}).assign(**{"b answer": GOLD})
    )
    assert qg.plan(wide).differences["difference"].tolist() == [pytest.approx(-1 / 3)]


#: One row for each question and system; the second system was not asked the last question.
LONG = [
    {"question": question, "expected": gold, "model": model, "output": said}
    for question, gold, right, wrong in zip(QUESTIONS, GOLD, GOLD, SAID, strict=True)
    for model, said in (("rules", right), ("small", wrong))
][:-1]


@pytest.mark.parametrize("ids", [False, True])
def test_rows_of_several_systems_are_a_run_for_each(tmp_path: Path, ids: bool) -> None:
    rows = [{"qid": row["question"][:3], **row} for row in LONG] if ids else LONG
    (tmp_path / "long.jsonl").write_text("\n".join(map(json.dumps, rows)))
    pd.DataFrame(rows).to_csv(tmp_path / "long.csv")
    for data in (pd.DataFrame(rows), tmp_path / "long.jsonl", tmp_path / "long.csv"):
        assert len(qg.load(data)) == 3
        scores = qg.compare(data).overall["estimate"]
        assert scores.to_dict() == pytest.approx({"rules": 1, "small": 1 / 3}, abs=0.02)


def test_a_run_file_of_several_systems_is_a_run_for_each(tmp_path: Path) -> None:
    gold = [
        {"id": str(at), "question": one, "answer": right}
        for at, (one, right) in enumerate(zip(QUESTIONS, GOLD, strict=True))
    ]
    long = [
        {"id": str(at), "system": name, "answer": said}
        for name, every in (("rules", GOLD), ("small", SAID))
        for at, said in enumerate(every)
    ]
    wide = [
        {"id": str(at), "rules answer": right, "answer_small": said}
        for at, (right, said) in enumerate(zip(GOLD, SAID, strict=True))
    ]
    for rows in (long, wide):
        pd.DataFrame(rows).to_csv(tmp_path / "runs.csv", index=False)
        for runs in (rows, tmp_path / "runs.csv", [tmp_path / "runs.csv"]):
            assert qg.compare(gold, runs).overall["estimate"].round(2).to_dict() == {
                "rules": 0.99,
                "small": 0.67,
            }
        with pytest.raises(qg.DataError, match=r"several systems \('rules', 'small'\)"):
            qg.read_run(tmp_path / "runs.csv")


def test_a_model_that_answers_its_own_questions_is_no_system_of_its_own() -> None:
    routed = [
        {"id": str(at), "model": f"m{at % 2}", "answer": said} for at, said in enumerate(SAID)
    ]
    assert len(qg.read_run(routed).responses) == 3


@pytest.mark.parametrize(("document", "name"), [
    ({"1": {"answer": "Ulm", "tokens": 3}, "2": {"answer": "Ann"}}, "mine"),
    ({"model": "small", "predictions": {"1": "Ulm", "2": "Ann"}}, "small"),
    ({"results": [{"id": 1, "output": "Ulm"}, {"id": 2, "output": {"answer": "Ann"}}]}, "mine"),
    ({"system": "small", "answers": {"1": {"answer": "Ulm"}, "2": {"answer": "Ann"}}}, "small"),
])  # fmt: skip
def test_answers_inside_an_object_are_found(
    tmp_path: Path, document: dict[str, object], name: str
) -> None:
    (tmp_path / "mine.json").write_text(json.dumps(document))
    run = qg.read_run(tmp_path / "mine.json")
    said = [one.answers.values() for one in run.responses.values() if one.answers]
    assert (run.name, list(run.responses), said) == (name, ["1", "2"], [["Ulm"], ["Ann"]])


def test_a_column_with_the_name_of_a_model_is_a_system() -> None:
    frame = pd.DataFrame({"question": QUESTIONS, "gold": GOLD, "gpt-4o": SAID})
    assert qg.score(frame).counts["status"].eq("answered").any()


def test_a_column_with_topics_makes_slices() -> None:
    frame = pd.DataFrame({"question": QUESTIONS, "gold": GOLD, "prediction": SAID})
    frame["topic"] = ["places", "people", "places"]
    frame["subject"] = ["Q1", "Q2", "Q3"]  # of a fact, as in SimpleQuestions
    found = qg.describe(frame).properties.loc["qaldgen:topicCategory"]
    assert found["questions"] == 3
    assert "places" in str(found["frequent"])
