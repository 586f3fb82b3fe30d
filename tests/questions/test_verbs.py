"""The verbs that read question sets.

What was left out and noticed is said, and broken records are left out on request.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calls import Call, figures

import qaldgen as qg

NOTES = (
    (
        "Note: gold: 1 broken record skipped: record 2: line 3: has 4 cells, the header has 3; "
        "quote cells that contain the separator"
    ),
    "Note: gold: features under their own names: 'level'",
)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """A table with a broken row, a column that nobody knows, and a list in a cell."""
    path = tmp_path / "gold.csv"
    path.write_text(
        'question,answer,level\n"Which moons has Mars?","Phobos; Deimos",easy\nWho,'
        " then?,Ann,x\nWho lit it?,Ann,hard\n"
    )
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"1": ["Phobos", "Deimos"], "3": "Ann"}))
    return path


def test_score_leaves_broken_records_out_by_name_and_says_what_it_noticed(
    call: Call, gold: Path, run: Path
) -> None:
    said = call(
        "score",
        gold,
        run,
        "--skip-broken",
        "--split-answers",
        ";",
        "--match",
        "exact",
        "--format",
        "json",
    )
    assert all(note in said.err.splitlines() for note in NOTES)
    assert figures(said)["Macro F1 score"] == 1.0


def test_list_in_a_cell_scores_nothing_and_is_noted(call: Call, gold: Path, run: Path) -> None:
    said = call("score", gold, run, "--skip-broken", "--match", "exact", "--format", "json")
    assert "1 gold answer looks like several in one text (first: question 1)" in said.err
    assert figures(said)["Macro F1 score"] == 0.5


@pytest.mark.parametrize("verb", ["score", "ask", "annotate"])
def test_broken_record_is_refused_with_the_way_out(
    call: Call, gold: Path, run: Path, tmp_path: Path, verb: str
) -> None:
    more: dict[str, list[object]] = {
        "score": [run],
        "ask": ["--url", "http://127.0.0.1:9/"],
        "annotate": ["-o", tmp_path / "x.ttl"],
    }
    said = call(verb, gold, *more[verb])
    assert said.code == 1
    assert "record 2: line 3: has 4 cells, the header has 3" in said.err
    assert "--skip-broken skips them" in said.err


def test_annotate_says_the_same(call: Call, gold: Path, tmp_path: Path) -> None:
    said = call("annotate", gold, "-o", tmp_path / "x.ttl", "--skip-broken", "--lang", "nl")
    assert said.code == 0
    assert all(note in said.err.splitlines() for note in NOTES)


def test_gold_without_answers_is_told_with_what_was_not_understood(
    call: Call, tmp_path: Path, run: Path
) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text('{"id": 1, "question": "Who lit it?", "lit_by": "Ann"}\n')
    said = call("score", path, run)
    assert said.code == 1
    assert "Note: gold: features under their own names: 'lit_by'" in said.err


def test_line_breaks_and_tabs_are_written_as_in_python(
    call: Call, tmp_path: Path, run: Path
) -> None:
    path = tmp_path / "gold.csv"
    path.write_text('question,answers\nWhich moons has Mars?,"Phobos\nDeimos"\n')
    said = call(
        "score", path, run, "--split-answers", r"\n", "--match", "exact", "--format", "json"
    )
    assert figures(said)["Macro F1 score"] == 1.0


def test_scores_carry_the_notes(gold: Path, run: Path) -> None:
    asked = qg.load(gold, skip_broken=True, split_answers=";")
    scores = qg.score(asked, run, match="exact")
    assert all(note.removeprefix("Note: ") in scores.notes for note in NOTES)
