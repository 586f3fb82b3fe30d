"""Notes on what is odd about the answers of a run."""

from __future__ import annotations

import pytest

from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.scoring.evaluation import score


def told(gold: list[bool], given: list[Answers]) -> list[str]:
    questions = tuple(
        Question(str(at), {"en": (f"Is number {at} in the list?",)}, answers=Answers(boolean=truth))
        for at, truth in enumerate(gold)
    )
    responses = {str(at): Response(str(at), answers=one) for at, one in enumerate(given)}
    scored = score(
        Gold(QuestionSet("set", "table", questions)),
        Run("mine", "table", responses),
        match="contains",
    )
    return [note for note in scored.notes if "yes-no" in note]


@pytest.mark.parametrize("answer", [Answers(boolean=False), Answers(texts=(("No.",),))])
def test_a_system_that_always_says_no_is_told(answer: Answers) -> None:
    assert told([True] * 8 + [False] * 6, [answer] * 14) == [
        "mine: of yes-no questions, 0 of 8 are right where the answer is yes, 6 of 6 where it is"
        " no; it may say no whatever is asked"
    ]


def test_a_system_that_always_says_yes_is_told() -> None:
    (note,) = told([True] * 6 + [False] * 9, [Answers(boolean=True)] * 15)
    assert "it may say yes whatever is asked" in note


@pytest.mark.parametrize(
    ("gold", "wrong"),
    [
        ([True] * 4 + [False] * 40, range(4)),  # too few to tell
        ([True] * 6 + [False] * 6, [0, 1, 2]),  # less than half
        ([True] * 10 + [False] * 10, [0, 1, 2, 3, 10, 11, 12, 13]),  # as often wrong on both
        ([True] * 20, range(20)),  # yes is the only answer
    ],
)
def test_what_chance_explains_is_not_told(gold: list[bool], wrong: list[int]) -> None:
    given = [Answers(boolean=truth != (at in wrong)) for at, truth in enumerate(gold)]
    assert told(gold, given) == []


@pytest.mark.parametrize("right", [True, False])
def test_answers_in_another_language_are_told_unless_most_are_right(right: bool) -> None:
    who = "Ada Mill" if right else "Zoe Quint"
    texts = [f"Die alte Mühle am Fluss wurde von {who} gebaut, im Jahr {at}." for at in range(9)]
    questions = tuple(
        Question(str(at), {"en": ("Who built it?",)}, answers=Answers(texts=(("Ada Mill",),)))
        for at in range(9)
    )
    run = Run("mine", "table", {
        str(at): Response(str(at), answers=Answers(texts=((text,),)))
        for at, text in enumerate(texts)
    })  # fmt: skip
    notes = score(Gold(QuestionSet("set", "table", questions)), run, match="contains").notes
    assert any("are in 'de', not in 'en'" in note for note in notes) is not right
