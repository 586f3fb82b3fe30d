"""Verdicts that a file states beside the answers: shown beside ours, and compared with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import qaldgen as qg
from qaldgen.answers.reading import read_systems
from qaldgen.benchmark.gold import Gold
from qaldgen.cli.main import cli
from qaldgen.questions.reading import read_questions
from qaldgen.scoring.evaluation import score

N_ASKED = 12
RIGHT = [number % 3 != 0 for number in range(N_ASKED)]
#: Each says of the answer to a question whether it is right.
FORMS: dict[str, Callable[[bool], dict[str, object]]] = {
    "correct": lambda right: {"correct": right},
    "words": lambda right: {"verdict": "Correct" if right else "Incorrect"},
    "score": lambda right: {"score": int(right)},
    "object": lambda right: {"metrics": {"em": float(right)}},
    "grade": lambda right: {"grade": "CORRECT" if right else "NOT_ATTEMPTED"},
}


def asked(number: int) -> dict[str, object]:
    return {"id": f"q{number}", "question": f"Who built mill {number}?", "gold": f"Ada {number}"}


def said(number: int) -> str:
    return f"Ada {number}" if RIGHT[number] else "Bo"


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", FORMS)
def test_a_stated_verdict_stands_beside_ours(tmp_path: Path, form: str) -> None:
    rows = [
        asked(number) | {"prediction": said(number)} | FORMS[form](RIGHT[number])
        for number in range(N_ASKED)
    ]
    [run] = read_systems(written(tmp_path / "run.jsonl", rows))

    assert [bool(one.verdicts[0][1]) for one in run.responses.values()] == RIGHT


def test_it_may_count_in_place_of_ours(tmp_path: Path) -> None:
    rows = [asked(0), asked(1)]
    gold = written(tmp_path / "gold.jsonl", rows)
    answers = [{"id": "q0", "answer": "Bo", "f1": 0.5}, {"id": "q1", "answer": "Bo", "f1": 0}]
    run = written(tmp_path / "run.jsonl", answers)

    found = qg.score(gold, run, match="logged")

    assert found["macro-f1"] == 0.25


def test_each_of_several_systems_has_its_own(tmp_path: Path) -> None:
    rows = [
        asked(number)
        | {"GPT-4 answer": said(number), "GPT-4 correct": RIGHT[number]}
        | {"t5 answer": "Bo", "is_correct_t5": False, "em": 1}  # of neither
        for number in range(N_ASKED)
    ]
    table = CliRunner().invoke(cli, ["score", str(written(tmp_path / "both.jsonl", rows))]).stdout

    assert "correct (stated)    0.6667" in table
    assert "iscorrect (stated)  -                      0.0000" in table
    assert "em" not in table


def test_systems_in_an_object_have_theirs(tmp_path: Path) -> None:
    rows = [
        asked(number)
        | {
            "results": {
                "gpt": {"answer": said(number), "correct": RIGHT[number]},
                "t5": {"answer": "Bo", "correct": False},
            }
        }
        for number in range(N_ASKED)
    ]
    runs = read_systems(written(tmp_path / "run.jsonl", rows))

    stated = {run.name: [one.verdicts for one in run.responses.values()] for run in runs}
    assert stated["gpt"][:2] == [(("correct", 0.0),), (("correct", 1.0),)]
    assert stated["t5"][:2] == [(("correct", 0.0),)] * 2


def test_it_is_no_feature_of_the_question(tmp_path: Path) -> None:
    rows = [
        asked(number) | {"prediction": said(number), "correct": RIGHT[number], "topic": "mills"}
        for number in range(N_ASKED)
    ]
    questions = read_questions(written(tmp_path / "both.jsonl", rows))

    assert questions.questions[0].metadata == {"prediction": "Bo", "topic": "mills"}


def test_nor_is_how_sure_a_system_is(tmp_path: Path) -> None:
    rows = [
        asked(number) | {"prediction": said(number), "confidence": number / 20, "seconds": 2}
        for number in range(N_ASKED)
    ]
    path = written(tmp_path / "both.jsonl", rows)
    [scores] = qg.evaluate(path)

    assert read_questions(path).questions[0].metadata.keys() == {"prediction"}
    assert scores.confidence["q3"] == 0.15


def test_beside_no_answers_it_is_one(tmp_path: Path) -> None:
    rows = [asked(number) | {"correct": RIGHT[number]} for number in range(N_ASKED)]
    questions = read_questions(written(tmp_path / "gold.jsonl", rows))

    assert questions.questions[0].metadata == {"correct": "false"}


def test_scores_that_are_no_verdicts_are_confidences(tmp_path: Path) -> None:
    rows = [{"id": f"q{number}", "answer": "Bo", "score": number / 10} for number in range(9)]
    [run] = read_systems(written(tmp_path / "run.jsonl", rows))

    response = run.response("q3")
    assert (response.confidence, response.verdicts) == (0.3, ())


def warnings(folder: Path, stated: list[object], answer: str = "Bo") -> list[str]:
    gold = Gold(read_questions(written(folder / "gold.jsonl", list(map(asked, range(N_ASKED))))))
    rows: list[dict[str, object]] = [
        {"id": f"q{number}", "answer": answer, "correct": verdict}
        for number, verdict in enumerate(stated)
    ]
    [run] = read_systems(written(folder / "run.jsonl", rows), gold=gold.questions)
    return [note for note in score(gold, run).notes if "verdicts agree" in note]


def test_other_verdicts_than_ours_are_noted(tmp_path: Path) -> None:
    [warning] = warnings(tmp_path, list(RIGHT))

    assert "by 'correct' in its file, 8 of 12 answers are right, here 0" in warning
    assert "only 4 verdicts agree" in warning


def test_a_few_other_verdicts_are_not(tmp_path: Path) -> None:
    assert warnings(tmp_path, [number < 2 for number in range(N_ASKED)]) == []


def test_shares_are_not_compared_with_verdicts(tmp_path: Path) -> None:
    assert warnings(tmp_path, [0.7] * N_ASKED) == []


def test_formats_of_data_sets_have_them_too(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {
            "question": f"Who built mill {number}?",
            "choices": ["Ada", "Bo"],
            "program": [],
            "answer": "Ada",
            "predicted_answer": "Ada" if RIGHT[number] else "Bo",
            "accuracy": RIGHT[number],
            "judge": {"is_correct": RIGHT[number]},
        }
        for number in range(N_ASKED)
    ]
    path = written(tmp_path / "both.jsonl", rows)
    questions = read_questions(path)
    table = CliRunner().invoke(cli, ["score", str(path)]).stdout

    assert questions.format == "kqa-pro"
    assert questions.questions[0].metadata.keys() == {"choices", "predicted_answer"}
    assert "accuracy (stated)    0.6667" in table
    assert "is_correct (stated)  0.6667" in table


def test_samples_are_not_compared_one_by_one(tmp_path: Path) -> None:
    gold = Gold(read_questions(written(tmp_path / "gold.jsonl", list(map(asked, range(N_ASKED))))))
    rows: list[dict[str, object]] = [
        {
            "id": f"q{at}",
            "sample": sample,
            "answer": f"Ada {at}" if sample else "Bo",
            "correct": sample > 0,
        }
        for at in range(N_ASKED)
        for sample in range(3)
    ]
    [run] = read_systems(written(tmp_path / "run.jsonl", rows), gold=gold.questions)
    assert not [note for note in score(gold, run).notes if "verdicts agree" in note]


def test_the_answers_are_no_verdict_on_themselves(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"id": f"q{at}", "score": at % 2} for at in range(N_ASKED)]
    [run] = read_systems(written(tmp_path / "run.jsonl", rows), answer_field=["score"])
    assert {one.verdicts for one in run.responses.values()} == {()}


def test_an_answer_may_be_a_verdict_on_a_claim(tmp_path: Path) -> None:
    texts = ("supported", "refuted", "unclear")
    rows: list[dict[str, object]] = [
        {"id": f"q{at}", "question": f"Claim {at}?", "answer": {"verdict": texts[at % 3]}}
        for at in range(N_ASKED)
    ]
    gold = read_questions(written(tmp_path / "gold.jsonl", rows))
    said: list[dict[str, object]] = [
        {"id": f"q{at}", "verdict": texts[at % 2]} for at in range(N_ASKED)
    ]
    [run] = read_systems(written(tmp_path / "run.jsonl", said), gold=gold)
    assert score(Gold(gold), run)["accuracy"] == pytest.approx(1 / 3)
