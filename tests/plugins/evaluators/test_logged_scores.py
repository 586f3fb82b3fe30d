"""The verdict of a log as what counts."""

from __future__ import annotations

from pathlib import Path

from made_logs import inspect_log, inspect_sample, json_file

from qaldgen.formats.reading import read_questions
from qaldgen.runs.reading import read_run
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.score import Scores, score


def scored(folder: Path, *samples: object) -> Scores:
    path = json_file(folder / "log.json", inspect_log(*samples))
    return score(Gold(read_questions(path)), read_run(path), match="logged")


def test_failures_are_wrong_and_what_has_no_score_is_named(tmp_path: Path) -> None:
    found = scored(
        tmp_path, inspect_sample("1"), inspect_sample("2", None), inspect_sample("3", scores={})
    )

    assert found.counts["f1"].to_dict() == {"1": 1.0, "2": 0.0} and found.unjudged == ("3",)
    assert any("1 of 3 questions (first: 3)" in note for note in found.notes)


def test_no_gold_answers_are_needed(tmp_path: Path) -> None:
    found = scored(tmp_path, inspect_sample("1", target=""), inspect_sample("2", "Bonn", target=""))

    assert found.counts["f1"].tolist() == [1.0, 0.0]
    assert not any("gold" in note for note in found.notes)


def test_of_several_scores_the_one_that_counts_is_told(tmp_path: Path) -> None:
    found = scored(tmp_path, inspect_sample("1", scores={"a": {"value": 1}, "b": {"value": 0}}))

    assert any("(a, b), a counts" in note for note in found.notes)
