"""The score so far, while a system is being asked."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from qaldgen.answers.record import Response
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.scoring.intervals import FEWEST, Interval, interval
from qaldgen.scoring.running_score import RunningScore

MILLS = QuestionSet(
    "mills",
    "table",
    tuple(
        Question(str(number), {"en": (f"Who owns mill {number}?",)}, answers=Answers(texts=owner))
        for number, owner in enumerate([(("Ada Roe",),)] * FEWEST)
    ),
)


def after(names: Sequence[str | None]) -> Interval:
    """Return what is shown after these answers; None is a failure."""
    running = RunningScore(MILLS, "en")
    for number, name in enumerate(names):
        if name is None:
            running.add(Response(str(number), "failed"))
        else:
            running.add(Response(str(number), answers=Answers(texts=((name,),))))
    return running.interval()


@pytest.mark.parametrize("wrong", ["Bo Roe", None])
def test_few_answers_have_a_mean_and_no_interval(wrong: str | None) -> None:
    shown = after(["Ada Roe", wrong, wrong, wrong])
    assert shown.estimate == 0.25
    assert math.isnan(shown.low)
    assert math.isnan(shown.high)


def test_enough_answers_have_the_interval_of_their_scores() -> None:
    shown = after(["Ada Roe"] * (FEWEST - 1) + ["Bo Roe"])
    assert shown == interval([1.0] * (FEWEST - 1) + [0.0])


def test_before_the_first_answer_nothing_is_known() -> None:
    assert all(map(math.isnan, after([])[:3]))
