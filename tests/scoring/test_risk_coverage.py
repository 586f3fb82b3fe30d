"""What the confidence of a system is worth."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score

import qaldgen as qg
from qaldgen.scoring.risk_coverage import aurc, risk_coverage

GOLD: list[dict[str, object]] = [
    {"id": "1", "question": "Who built the mill?", "answer": "Ada"},
    {"id": "2", "question": "Where is the mill?", "answer": "Ulm"},
    {"id": "3", "question": "Who is the king of the mill?", "answers": []},
]


def expected_area(right: list[bool], confidence: list[float]) -> float:
    """Return the mean over all orders that confidence allows, by hand."""
    areas = []
    for order in permutations(range(len(right))):
        sure = [confidence[at] for at in order]
        if sure == sorted(sure, reverse=True):
            said = [right[at] for at in order]
            risks = [1 - accuracy_score([True] * n, said[:n]) for n in range(1, len(said) + 1)]
            areas.append(np.mean(risks))
    return float(np.mean(areas))


@pytest.mark.parametrize("seed", range(6))
def test_the_area_is_that_of_a_count_by_hand(seed: int) -> None:
    draw = random.Random(seed)
    right = [draw.random() < 0.5 for _ in range(6)]
    confidence = [draw.choice([0.1, 0.4, 0.4, 0.9]) for _ in range(6)]
    counts = pd.DataFrame({"f1": np.array(right, dtype=float), "expected": 1}, index=list("abcdef"))
    found = aurc(counts, pd.Series(confidence, index=list("abcdef")))
    assert found == pytest.approx(expected_area(right, confidence))


def test_the_best_threshold_is_that_of_squad() -> None:
    """Silence is right where there is no answer, as SQuAD 2's script counts its best F1."""
    counts = pd.DataFrame(
        {"f1": [1.0, 0.0, 0.0, 1.0], "expected": [1, 0, 1, 1]}, index=list("abcd")
    )
    sure = pd.Series({"a": -0.1, "b": -0.9, "c": -0.8, "d": -0.3})
    curve = risk_coverage(counts, sure)
    assert curve["f1"].max() == 0.75
    assert curve["f1"].idxmax() == -0.3
    assert curve["coverage"].tolist() == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("column", "sign"),
    [("confidence", 1), ("Probability", 1), ("score", 1), ("no_answer_prob", -1)],
)
def test_confidence_is_read(tmp_path: Path, column: str, sign: int) -> None:
    path = tmp_path / "run.csv"
    path.write_text(f"id,answer,{column}\n1,Ada,0.9\n2,Bonn,0.2\n3,,0.1\n", encoding="utf-8")
    scores = qg.score(GOLD, path)
    assert scores.confidence.tolist() == [sign * 0.9, sign * 0.2, sign * 0.1]
    assert len(scores.risk_coverage()) == 3
    assert any("area under the risk-coverage curve" in note for note in scores.notes)


def test_a_list_of_scores_is_no_confidence() -> None:
    run = qg.read_run([{"id": "1", "answer": "Ada", "score": [0.1, 0.2]}])
    assert run.response("1").confidence is None
