"""One file with question, gold answer and prediction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pandas as pd
import pytest

import qaldgen as qg

QUESTIONS = ["Where is the minster?", "Who built the mill?", "Which river is there?"]
GOLD, SAID = ["Ulm", "Anna Roth", "Iller"], ["It is in Ulm.", "Karl Roth", "the Iller"]
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
        "Small-7B output": 0.67,
        "answer by rules": 1.0,
    }
    assert qg.report(pd.DataFrame(wide)).systems == ("answer by rules", "Small-7B output")
    pd.DataFrame(wide).drop(columns="expected").to_csv(path, index=False)
    with pytest.raises(qg.DataError, match=r"several systems \('small-7b output', 'answer by rul"):
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


def test_a_plan_and_labels_need_no_run() -> None:
    assert qg.plan(WRITTEN["output"]).errors["mean"].tolist() == [pytest.approx(2 / 3)]
    assert len(qg.label(WRITTEN["csv"], size=2).items) == 2
    wide = WRITTEN["csv"].rename(columns={"prediction": "a answer"}).assign(**{"b answer": GOLD})
    assert qg.plan(wide).differences["difference"].tolist() == [pytest.approx(-1 / 3)]
    with pytest.raises(qg.UsageError, match="several systems"):
        qg.label(wide)
