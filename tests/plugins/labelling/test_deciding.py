"""Which labels decide between systems, and what `compare` makes of them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd
import pytest

import qaldgen as qg
from qaldgen.plugins.labelling import label
from qaldgen.plugins.labelling.deciding import rank_deciding

GOLD = [{"id": f"q{at}", "question": "Who built it?", "answers": ["Ada Mill"]} for at in range(40)]
RUNS = {
    "a": {f"q{at}": "Ada Mill" if at < 20 else "Ada Mull" for at in range(40)},
    "b": {f"q{at}": "Ada Mull" if 10 <= at < 30 else "Ada Mill" for at in range(40)},
}


def sheet(
    path: Path, labels: dict[str, str], runs: dict[str, dict[str, str]] | None = None
) -> Path:
    """Write the answers that decide, labelled by what they say."""
    made = label(qg.evaluate(GOLD, runs or RUNS), size=100, purpose="compare")
    rows = list(csv.DictReader(io.StringIO(made.csv())))
    for row in rows:
        row["label"] = labels.get(row["answer"], "")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_same_answer_of_both_decides_nothing() -> None:
    made = label(qg.evaluate(GOLD, RUNS), size=100, purpose="compare")
    asked = {item.question.id for item in made.items if item.given == "Ada Mull"}
    assert asked == {f"q{at}" for at in (*range(10, 20), *range(30, 40))}


def test_doubtful_answers_of_close_systems_come_first() -> None:
    ids = [str(at) for at in range(40)]
    chances = pd.DataFrame({"a": 0.95, "b": 0.94, "far": 0.05}, index=ids)
    chances.loc["7", :] = [0.6, 0.4, 0.5]
    given = pd.DataFrame({name: [name + id for id in ids] for name in ("a", "b", "far")}, index=ids)
    ranked = rank_deciding(chances, given, {})
    assert ranked[:2] == [("7", "a"), ("7", "b")]
    assert {system for _, system in ranked[2:80]} == {"a", "b"}
    assert rank_deciding(chances.round(), given, {}) == []


def test_labels_are_the_verdicts_of_all_runs_that_gave_the_answer(tmp_path: Path) -> None:
    labels = sheet(tmp_path / "w.csv", {"Ada Mull": "n", "Ada Mill": "y"})
    compared = qg.compare(GOLD, RUNS, labels=labels)
    known = {"a": 20, "b": 20}
    for name, right in known.items():
        told = qg.compare(GOLD, RUNS).overall["estimate"][name]
        found = compared.overall["estimate"][name]
        assert abs(found - right / 40) < abs(told - right / 40)
    three = {**RUNS, "c": {**RUNS["b"], "q0": "Zoe"}}
    labels = sheet(tmp_path / "again.csv", {"Ada Mull": "n", "Ada Mill": "y", "Zoe": "n"}, three)
    with labels.open(encoding="utf-8") as file:
        asked = [(row["id"], row["answer"]) for row in csv.DictReader(file)]
    assert len(asked) == len(set(asked))
    scores = qg.compare(GOLD, three, labels=labels).overall["estimate"]
    assert scores["b"] > scores["c"]


def test_labels_of_other_answers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("id,answer,label\nq1,Ada Mill,y\nq2,Zoe,n\n", encoding="utf-8")
    with pytest.raises(qg.DataError, match=r"no run gives the answer 'Zoe' to question q2"):
        qg.compare(GOLD, RUNS, labels=path)
    path.write_text("id,answer,label\nq1,Ada Mill,\n", encoding="utf-8")
    with pytest.raises(qg.DataError, match="no answer is labelled yet"):
        qg.compare(GOLD, RUNS, labels=path)


def test_labels_to_compare_need_two_runs_and_doubts() -> None:
    with pytest.raises(qg.UsageError, match="two runs or more"):
        label(qg.evaluate(GOLD, RUNS["a"]), purpose="compare")
    terms = [{"id": "1", "question": "Who?", "answers": ["http://x.org/Ada"]}]
    runs = {"a": {"1": ["http://x.org/Ada"]}, "b": {"1": ["http://x.org/Ben"]}}
    with pytest.raises(qg.UsageError, match="a, b: no answer is in words"):
        label(qg.evaluate(terms, runs), purpose="compare")


def test_labels_are_ranked_for_systems_that_are_far_apart_too() -> None:
    ids = [str(n) for n in range(200)]
    chances = pd.DataFrame({"a": 0.99, "b": 0.01}, index=ids)
    chances.loc["7", "b"] = 0.4
    given = pd.DataFrame({"a": "Ann", "b": "Bo"}, index=ids)
    assert rank_deciding(chances, given, {})[0] == ("7", "b")
