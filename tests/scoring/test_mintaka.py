"""Hits@1 by the rules of Mintaka's script, on our own questions and on its example predictions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from matched import counts_frame

from qaldgen.answers.reading import read_run
from qaldgen.questions.reading import read_questions
from qaldgen.scoring.matchers import make_matcher
from qaldgen.scoring.rules import Rules


def hits(folder: Path, golds: Mapping[str, object], given: Path) -> dict[str, bool]:
    """Return which questions a run hits; a gold answer is written as in Mintaka's files."""
    records = []
    for name, gold in golds.items():
        entities = gold is None or (isinstance(gold, list) and str(gold[0])[:1] == "Q")
        kind = "entity" if entities else "boolean" if isinstance(gold, bool) else "string"
        values = gold if isinstance(gold, list) or gold is None else [gold]
        if kind == "entity" and isinstance(values, list):
            values = [{"name": one, "label": {"en": f"Brick {one}"}} for one in values]
        answer = {"answerType": kind, "answer": values, "mention": "some brick"}
        records.append(
            {"id": name, "question": f"Which brick is {name}?", "translations": {},
             "questionEntity": [], "answer": answer, "category": "toys",
             "complexityType": "generic"}
        )  # fmt: skip
    path = folder / "mintaka.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    questions = read_questions(path).questions
    counts = counts_frame(questions, read_run(given), make_matcher("mintaka", Rules()))
    return {str(name): right for name, right in (counts["f1"] == 1).items()}


#: Gold answer, what a system says, and what the script makes of it.
CASES: dict[str, tuple[object, object, bool]] = {
    "one": (["Q1"], "Q1", True),
    "other": (["Q1"], "Q2", False),
    "any of several": (["Q1", "Q2"], "Q2", True),
    "more than asked": (["Q1"], ["Q3", "Q1"], True),
    "none of several": (["Q1", "Q2"], ["Q3", "Q4"], False),
    "part of an id": (["Q12"], "Q1", False),
    "no answer": (["Q1"], None, False),
    "nothing linked, no answer": (None, None, True),
    "nothing linked, an answer": (None, "Q1", False),
    "nothing linked, its words": (None, "some brick", False),
    "truth": (True, True, True),
    "untruth": (True, False, False),
    "number": (5, 5, True),
    "other number": (5, 6, False),
    "date": ("1970-08-02", "1970-08-02", True),
    "other date": ("1970-08-02", "1970-08-03", False),
}


def test_any_given_answer_that_is_gold_is_a_hit(tmp_path: Path) -> None:
    run = tmp_path / "run.json"
    run.write_text(json.dumps({name: said for name, (_, said, _) in CASES.items()}))
    found = hits(tmp_path, {name: gold for name, (gold, _, _) in CASES.items()}, run)
    assert found == {name: right for name, (_, _, right) in CASES.items()}


def test_all_example_predictions_hit_themselves_and_no_others(
    shared_data: Path, tmp_path: Path
) -> None:
    path = shared_data / "mintaka" / "example_kg_predictions.json"
    if not path.is_file():
        pytest.skip(f"the predictions are not at {path}; set QALDGEN_TEST_DATA to their folder")
    said = json.loads(path.read_text(encoding="utf-8"))
    own = {
        name: [one] if isinstance(one, str) and one.startswith("Q") else one
        for name, one in list(said.items())[::10]
    }
    assert all(hits(tmp_path, own, path).values())
    others = {name: None if one is not None else ["Q1"] for name, one in own.items()}
    assert not any(hits(tmp_path, others, path).values())
