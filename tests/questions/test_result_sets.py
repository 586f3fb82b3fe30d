"""Result sets of text2sparql-client and t2s-metrics, as gold questions and as runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qaldgen.answers.reading import read_run
from qaldgen.benchmark.gold import Gold
from qaldgen.errors import DataError
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.questions.reading import read_questions
from qaldgen.scoring.evaluation import score

IRI = "http://example.org/dept-1"
TRUE = {
    "co:1-en": {IRI: 1},
    "co:1-es": {IRI: 1},
    "co:2-en": {"+49-1": 1, "+49-2": 1},
    "co:3-en": {"true": 0},
    "co:4-en": {},
    "order_required": ["co:2-en"],
}
PRED = {"co:1-en": {IRI: 1}, "co:2-en": {"+49-1": 1}, "co:3-en": {"true": 1}, "co:4-en": {}}


def written(folder: Path, name: str, document: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(document))
    return path


def test_a_result_set_is_gold(tmp_path: Path) -> None:
    found = read_questions(written(tmp_path, "true.json", TRUE))

    answers = {one.id: one.answers for one in found.questions}
    assert found.format == "result-sets" and list(answers) == list(TRUE)[:-1]
    assert [cell.type for cell in (answers["co:1-en"] or Answers()).rows[0] if cell] == ["uri"]
    assert answers["co:3-en"] == Answers(boolean=False)
    assert [list(one.texts) for one in found.questions] == [["en"], ["es"], ["en"], ["en"], ["en"]]
    assert "names stand for texts" in found.notes[0] and "of 1 are empty" in found.notes[1]


def test_a_run_of_t2s_metrics_has_queries_and_no_texts(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    lines = [
        {"id": str(at), "golden": "ASK { ?a ?b 1 }", "generated": "SELECT ?x WHERE { ?x ?y 1 }"}
        for at in (1, 2)
    ]
    lines.append({"id": "3", "golden": "ASK { ?a ?b 1 }", "generated": ""})
    path.write_text("\n".join(map(json.dumps, lines)))
    run = read_run(path)

    # right by itself where the gold is empty
    assert (run.response("3").status, run.response("3").error) == (
        "failed",
        "the system gave no query",
    )
    found = run.response("1")
    assert (found.status, found.answers, found.query) == (
        "failed",
        None,
        "SELECT ?x WHERE { ?x ?y 1 }",
    )
    assert "2 of 3 answers are SPARQL queries without results" in run.notes[0]


def test_a_text_that_mentions_a_query_stays_a_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    answers = ["Ulm", "Bonn", "Select one {of these}"]
    path.write_text("\n".join(json.dumps({"id": a, "answer": a}) for a in answers))
    assert {one.status for one in read_run(path).responses.values()} == {"answered"}


def test_true_and_pred_give_scores(tmp_path: Path) -> None:
    gold = read_questions(written(tmp_path, "true.json", TRUE))
    run = read_run(written(tmp_path, "pred.json", PRED), gold=gold)

    assert run.format == "result-sets"
    assert run.notes == ()
    f1 = score(Gold(gold), run).counts["f1"].round(3).to_dict()
    assert f1 == {"co:1-en": 1.0, "co:2-en": 0.667, "co:3-en": 0.0, "co:4-en": 1.0}


@pytest.mark.parametrize(("language", "ids"), [("en", {"1", "2", "3", "4"}), ("es", {"1"})])
def test_the_ids_of_the_questions_are_found_in_names(
    tmp_path: Path, language: str, ids: set[str]
) -> None:
    asked = tuple(Question(str(at), {"en": (f"What is {at}?",)}) for at in range(1, 5))
    run = read_run(
        written(tmp_path, "pred.json", {**PRED, "co:1-es": {IRI: 1}}),
        gold=QuestionSet("co", "text2sparql", asked),
        language=language,
    )

    assert run.responses.keys() == ids


def test_numbers_other_than_0_and_1_are_no_result_set(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a question set"):
        read_questions(written(tmp_path, "scores.json", {"co:1-en": {"f1": 0.5}}))
