"""Files in forms made by chance, with the names of fields that people use: each is read right."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import qaldgen as qg

Row = dict[str, Any]
#: Questions, gold answers and wrong answers.
ASKED = [
    ("Who lit the lamp?", "Ann Lee", "Bea Low"),
    ("Where is the mill?", "Ulm", "Bonn"),
    ("How many wheels has it?", "8", "6"),
    ("Which river turns it?", "Danube", "Rhine"),
    ("When was it built?", "1912", "1915"),
    ("Is the lamp on?", "yes", "no"),
]
#: Which answers of two systems are right.
RIGHT = ((1, 1, 0, 1, 1, 0), (0, 1, 1, 0, 0, 1))
ACCURACIES = [sum(right) / len(right) for right in RIGHT]
QUESTION = ("question", "query", "input", "prompt", "question_text", "q", "user_input")
GOLD = (
    "answer", "gold", "ground_truth", "expected_answer", "reference", "target", "correct_answer",
    "gold_answers", "expected", "truth", "answers", "golden_answer", "gt",
)  # fmt: skip
PREDICTION = (
    "prediction", "response", "model_output", "generated_answer", "pred", "predicted_answer",
    "llm_response", "final_answer", "completion", "rag_answer", "reply", "actual_output", "result",
)  # fmt: skip
IDS = ("id", "qid", "question_id", "idx", "example_id", "")
SYSTEMS = (
    ("gpt-4", "llama-2"), ("baseline", "rag"), ("vanilla", "graph_rag"), ("dense", "hybrid"),
    ("model_1", "model_2"), ("ours", "prior work"),
)  # fmt: skip
#: What stands beside answers: settings, scores, passages that name right and wrong ones.
BESIDE: dict[str, Callable[[int], Any]] = {
    "latency": lambda at: 1.5 + at,
    "is_correct": lambda at: bool(at % 2),
    "category": lambda at: "xy"[at % 2],
    "context": lambda at: f"A text on {ASKED[at][1]} and {ASKED[at - 1][2]}.",
    "difficulty": lambda at: "easy",
    "sources": lambda at: [f"doc{at}", f"doc{at + 1}"],
    "tokens": lambda at: {"in": 5, "out": at},
    "retrieved_docs": lambda at: [{"id": at, "text": ASKED[at][2]}],
}


def said(system: int, at: int) -> str:
    """The answer of a system to a question."""
    return ASKED[at][1 if RIGHT[system][at] else 2]


def rows_by_chance(draw: random.Random) -> tuple[list[Row], str]:
    """Records of the questions with gold answers, and a name for the field of predictions."""
    question, gold, key = draw.choice(QUESTION), draw.choice(GOLD), draw.choice(IDS)
    beside = draw.sample(sorted(BESIDE), draw.randint(0, 4))
    rows = []
    for at, (text, answer, _) in enumerate(ASKED):
        ids = {key: f"q{at}"} if key else {}
        others = {name: BESIDE[name](at) for name in beside}
        rows.append({**ids, question: text, gold: answer, **others})
    return rows, draw.choice(PREDICTION)


def with_answers(rows: list[Row], field: str, system: int) -> list[Row]:
    return [{**row, field: said(system, at)} for at, row in enumerate(rows)]


#: Documents with the answers of one system, and of two, whose names and records they get.
OF_ONE: dict[str, Callable[[list[Row]], Any]] = {
    "list": lambda rows: rows,
    "results": lambda rows: {"config": {"k": 5}, "accuracy": 0.5, "results": rows},
    "by key": lambda rows: {f"q{at}": row for at, row in enumerate(rows)},
}
OF_TWO: dict[str, Callable[[dict[str, list[Row]]], Any]] = {
    "lists": lambda parts: {"date": "1 May", **parts},
    "runs": lambda parts: {"runs": [{"name": name, "results": parts[name]} for name in parts]},
    "details": lambda parts: {
        "summary": {name: {"acc": 0.5} for name in parts},
        "details": {name: {"acc": 0.5, "results": parts[name]} for name in parts},
    },
    "rows": lambda parts: [{**row, "system": name} for name in parts for row in parts[name]],
    "pairs of rows": lambda parts: [
        {**row, "config": name}
        for rows in zip(*parts.values(), strict=True)
        for name, row in zip(parts, rows, strict=True)
    ],
}
WIDE = ("{}_answer", "answer_{}", "{}_response", "{}_output", "pred_{}", "{}")


@pytest.mark.parametrize("seed", range(30))
def test_answers_of_one_system_beside_the_gold(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    rows = with_answers(*rows_by_chance(draw), 0)
    form = draw.choice([*OF_ONE, "csv"])
    path = tmp_path / "run.csv"
    if form == "csv":
        pd.DataFrame(rows).to_csv(path, index=draw.random() < 0.5)
    else:
        path = tmp_path / "run.json"
        path.write_text(json.dumps(OF_ONE[form](rows)))
    (scores,) = qg.evaluate(path)
    assert scores["accuracy"] == pytest.approx(ACCURACIES[0])


@pytest.mark.parametrize("seed", range(40))
def test_answers_of_two_systems_beside_the_gold(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    rows, prediction = rows_by_chance(draw)
    names = draw.choice(SYSTEMS)
    form = draw.choice([*OF_TWO, "wide", "objects", "one object"])
    path = tmp_path / "run.json"
    document: Any = []
    if form in OF_TWO:
        parts = {name: with_answers(rows, prediction, at) for at, name in enumerate(names)}
        document = OF_TWO[form](parts)
    for at, row in enumerate(rows if not document else []):
        answers: Row = {name: said(system, at) for system, name in enumerate(names)}
        if form == "objects":
            document.append({**row, **{name: {"answer": answers[name]} for name in names}})
        elif form == "one object":
            document.append({**row, "responses": answers})
        else:
            column = WIDE[seed % len(WIDE)]
            document.append({**row, **{column.format(name): answers[name] for name in names}})
    path.write_text(json.dumps(document))
    evaluation = qg.evaluate(path)
    assert sorted(scores["accuracy"] for scores in evaluation) == pytest.approx(sorted(ACCURACIES))
