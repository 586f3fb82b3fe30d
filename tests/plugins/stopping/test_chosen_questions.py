"""Questions that were chosen because a system fails on them: described, never tested."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path

import pytest

import qaldgen as qg
from qaldgen.answers.record import Response
from qaldgen.benchmark.gold import as_gold
from qaldgen.plugins.stopping import gate, race, stop_rule
from qaldgen.plugins.stopping.decision import compare_in_order
from qaldgen.sparql.ready_queries import read_query, with_choice

EXAMPLE = Path(__file__).resolve().parents[3] / "examples"
WHY = "These questions were chosen because first did badly on them"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chosen") / "bench.ttl"
    query = with_choice(read_query("annotated").text, ["first"])
    qg.sample(qg.select(str(EXAMPLE / "features.ttl"), query), 120, method="lpm").save(path)
    return path


def run(bench: Path, name: str, every: int) -> qg.Run:
    """Return a run that answers one question of so many rightly, and fails on the others."""
    answers = {
        question.id: Response(question.id, "failed")
        if at % every
        else Response(question.id, answers=question.answers)
        for at, question in enumerate(qg.load_benchmark(bench).questions)
    }
    return qg.Run(name, "table", answers)


@pytest.fixture(scope="module")
def scored(bench: Path) -> list[qg.Scores]:
    return [qg.score(bench, run(bench, *one)) for one in (("first", 5), ("second", 1))]


def test_a_gate_describes_the_run(bench: Path, scored: list[qg.Scores]) -> None:
    decision = gate(bench, scored[0], above=0.9)
    assert (decision.verdict, len(decision.table), decision.next_look) == ("undecided", 0, None)
    assert decision.sentence == (
        f"{WHY}: scores and differences are described here, not tested."
        f" On the first 120 questions first minus 0.9 is {scored[0]['macro-f1'] - 0.9:+.3f}."
    )
    assert decision.draw("svg").startswith(b"<?xml")
    other = dataclasses.replace(scored[0], run=dataclasses.replace(scored[0].run, name="newer"))
    assert gate(bench, other, above=0.9).verdict == "worse"


def test_two_runs_are_not_tested_in_order(bench: Path, scored: list[qg.Scores]) -> None:
    found = compare_in_order(as_gold(bench), scored)
    assert (found.verdict, len(found.table)) == ("undecided", 0)
    assert found.sentence.startswith(WHY)


def test_nobody_drops_out_of_a_race(bench: Path, scored: list[qg.Scores], tmp_path: Path) -> None:
    found = race(bench, scored, record=tmp_path / "looks.json")
    assert found.alive == ("second", "first")
    assert found.sentence.startswith(WHY)
    assert found.table["score"].tolist() == [1.0, scored[0]["macro-f1"]]
    assert not (tmp_path / "looks.json").exists()


def test_a_race_that_nobody_leaves_is_described_up_to_the_first_missing_answer(bench: Path) -> None:
    first, second = run(bench, "first", 5), run(bench, "second", 1)
    begun = dict(list(second.responses.items())[:30])
    found = race(bench, [first, dataclasses.replace(second, responses=begun)])
    assert found.table["questions"].tolist() == [30, 30]


def test_asking_until_it_is_decided_is_refused(bench: Path, tmp_path: Path) -> None:
    rule = stop_rule(bench, above=0.5)
    with pytest.raises(qg.UsageError, match=WHY):
        rule.begin(rule.order, tmp_path / "first.jsonl", [])
    assert rule.begin(rule.order, tmp_path / "newer.jsonl", []) == ""


def test_hand_labels_come_with_the_same_note(bench: Path, tmp_path: Path) -> None:
    labelling = pytest.importorskip("qaldgen.plugins.labelling")
    answers = run(bench, "first", 2)
    header, *rows = csv.reader(labelling.label(bench, answers, 20).csv().splitlines())
    at = header.index("label")
    sheet = tmp_path / "sheet.csv"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *([*row[:at], "1", *row[at + 1 :]] for row in rows)])
    assert any(WHY in note for note in labelling.score_labels(bench, answers, sheet).notes)
