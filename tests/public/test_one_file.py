"""One file with question, gold answer and prediction."""

from __future__ import annotations

import json
from pathlib import Path

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
