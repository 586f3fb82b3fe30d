"""The verdict of a log as what counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_logs import inspect_log, inspect_sample, json_file

from qaldgen.formats.reading import read_questions
from qaldgen.model import Question
from qaldgen.runs.reading import read_run
from qaldgen.runs.record import Response
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.logged import logged
from qaldgen.scoring.score import Scores, score

ASKED = Question("1", {"en": ("Which town?",)})


@pytest.mark.parametrize("share", [0.0, 0.25, 1 / 3, 0.5, 0.999, 1.0])
def test_a_share_is_precision_recall_and_f1(share: float) -> None:
    count = logged(ASKED, Response("1", verdicts=(("judge", share),)))

    assert count is not None
    assert (count.precision, count.recall, count.f1) == pytest.approx(
        (share, share, share), abs=1e-3
    )


@pytest.mark.parametrize("verdicts", [(), (("stars", 4.0),), (("loss", -0.5),)])
def test_without_a_score_from_0_to_1_nobody_can_tell(
    verdicts: tuple[tuple[str, float], ...],
) -> None:
    assert logged(ASKED, Response("1", verdicts=verdicts)) is None


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
