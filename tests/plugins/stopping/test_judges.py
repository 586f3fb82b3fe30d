"""Verdicts of a judge, which nobody has checked, decide nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calls import Call

import qaldgen as qg
from qaldgen.plugins.stopping import gate

GOLD = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]


@pytest.mark.parametrize(
    "words",
    [
        ("gate", "bench.ttl", "one.csv", "--above", "0.4"),
        ("race", "bench.ttl", "one.csv", "two.csv"),
        ("compare", "bench.ttl", "one.csv", "two.csv", "--sequential"),
    ],
)
def test_verbs_that_decide_refuse_a_judge_before_it_costs_anything(
    tmp_path: Path, call: Call, words: tuple[str, ...]
) -> None:
    qg.sample(GOLD, 40, method="random").save(tmp_path / "bench.ttl")
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text("id,answer\n" + "".join(f"{n},{n}\n" for n in range(60)))
    # nobody listens there
    judge = ("--judge", "openai:http://127.0.0.1:9/v1", "--judge-model", "m")
    said = call(*words, "--match", "judge", *judge, "--judge-journal", "j.jsonl", cwd=tmp_path)
    assert said.code == 2
    assert "do not decide who is better" in said.err


def test_a_judge_decides_no_gate(tmp_path: Path) -> None:
    bench, answers = qg.sample(GOLD, 40, method="random"), tmp_path / "run.json"
    answers.write_text(json.dumps({f"{n}": "yes" for n in range(60)}))
    verdicts = qg.judge(bench, answers, lambda text: True, judge_all=True)
    with pytest.raises(qg.UsageError, match="verdicts of a judge do not decide"):
        gate(qg.evaluate(bench, answers, match=verdicts), above=0.4)
