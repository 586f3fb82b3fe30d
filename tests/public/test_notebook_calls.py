"""What people write in a notebook before they read the docs."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import qaldgen as qg

GOLD = [
    {"id": f"q{at}", "question": f"Which number follows {at}?", "answers": [str(at + 1)]}
    for at in range(60)
]


def answers(right: int) -> dict[str, str]:
    return {f"q{at}": str(at + 1) if at < right else "none" for at in range(60)}


def scored(right: int, name: str) -> Any:  # noqa: ANN401 - scores of the public name
    return qg.score(GOLD, qg.read_run(answers(right), name=name))


def test_scores_have_measures_by_name() -> None:
    scores = scored(45, "mine")
    assert scores["macro-f1"] == scores.measures()["value"]["macro-f1"] == 0.75
    with pytest.raises(qg.UsageError, match="macro-f1"):
        scores["makro-f1"]


def test_questions_of_a_benchmark_are_a_sequence() -> None:
    bench = qg.sample(GOLD, 5)
    assert len(bench.questions) == 5
    assert bench.questions[0].text().startswith("Which number")
    assert bench.questions_in("de")[0].text("de").startswith("Which number")


def test_the_matrix_of_vectors_is_an_array() -> None:
    vectors = qg.select(GOLD)
    assert vectors.matrix.shape == (60, len(vectors.features))


def test_plan_takes_scores_of_one_system_or_several() -> None:
    mine, other = scored(45, "mine"), scored(30, "other")
    apart = qg.plan(mine, other).differences["difference"].tolist()
    assert apart == qg.plan([mine, other]).differences["difference"].tolist() == [0.25]
    assert qg.plan(mine).errors["system"].tolist() == ["mine"]


def test_plan_refuses_two_systems_of_one_name() -> None:
    with pytest.raises(qg.DataError, match="two runs have the name"):
        qg.plan(scored(45, "mine"), scored(30, "mine"))


def test_a_comparison_begins_with_who_is_better() -> None:
    found = qg.compare(GOLD, [scored(30, "other"), scored(55, "mine")])
    first = str(found).splitlines()[0]
    assert first.startswith("mine is better than other on all 60 questions, by 0.41")
    assert "corrected p below 0.001" in first and first == found.verdict
    assert found.verdict in found._repr_html_()


def test_without_evidence_the_visible_difference_is_named() -> None:
    verdict = qg.compare(GOLD, [scored(30, "other"), scored(31, "mine")]).verdict
    assert verdict.startswith("There is no evidence of a difference between mine and other")
    assert verdict.endswith("would have been seen in 4 of 5 such comparisons.")


def test_the_visible_difference_shrinks_with_the_interval() -> None:
    found = qg.compare(GOLD, [scored(30, "other"), scored(31, "mine")])
    row = {"low": -0.1, "high": 0.1, "p_adjusted": 0.5}
    # 2.8 standard errors, where half the interval is 1.96
    assert "about 0.14 would" in found._detectable_sentence(row)
    assert found._detectable_sentence({**row, "p_adjusted": 0.01}) == ""


def test_of_several_systems_the_best_is_named_or_none() -> None:
    clear = qg.compare(GOLD, [scored(10, "low"), scored(30, "middle"), scored(55, "top")])
    assert clear.verdict.startswith("top is better than each of the 2 others. top is better")
    close = qg.compare(GOLD, [scored(54, "a"), scored(55, "b"), scored(20, "c")])
    assert close.verdict.startswith("No system is shown to be the best; beside b: a. There is no")


def test_too_few_questions_are_not_tested() -> None:
    gold = pd.DataFrame(GOLD[:3])
    found = qg.compare(gold, [{"q0": "1"}, {"q1": "none"}])
    assert found.verdict == "run 1 is 0.325 ahead of run 2; 3 questions are too few for a test."
