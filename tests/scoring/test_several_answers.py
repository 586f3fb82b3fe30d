"""A reply that names some of several gold answers, and guesses that differ in their doubt."""

from __future__ import annotations

import pytest
from by_rules import verdict_on

from qaldgen.answers.record import Response
from qaldgen.model import Answers, Question
from qaldgen.scoring.verdict_model import MAX_UNSURE, MIN_SURE, SignEvidence, Verdict

MILLERS = ("Ada Mill", "Bo Weir", "Cleo Ford")


def verdict(text: str, gold: tuple[str, ...]) -> Verdict:
    answers = Answers(texts=tuple((name,) for name in gold))
    question = Question("1", {"en": ("Who ran the mill?",)}, answers=answers)
    found = verdict_on(question, Response("1", answers=Answers(texts=((text,),))))
    assert found is not None
    return found


@pytest.mark.parametrize("text", ["Ada Mill and Cleo Ford.", "It was Bo Weir with Ada Mill."])
def test_two_of_three_answers_are_never_surely_right(text: str) -> None:
    found = verdict(text, MILLERS)
    assert found.sign == "some"
    assert found.probability < MIN_SURE


def test_one_of_two_answers_is_never_surely_right() -> None:
    assert verdict("Ada Mill ran it.", MILLERS[:2]).probability < MIN_SURE


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("Ada Mill ran it.", ("Ada Mill", "Ada Jane Mill")),  # names of one
        ("Ada Mill, Bo Weir and Cleo Ford ran it.", MILLERS),
        ("It was Ada Mill who ran it.", ("Ada Mill", "Mill", "Ada Jane Mill")),  # names of one
    ],
)
def test_all_answers_or_names_of_one_are_sure(text: str, gold: tuple[str, ...]) -> None:
    assert verdict(text, gold).probability >= MIN_SURE


def test_guesses_below_the_bound_differ_by_their_signs() -> None:
    chances = [SignEvidence(odds, MAX_UNSURE).chance(0.0) for odds in (1.0, 3.0, 5.0)]
    assert chances == sorted(set(chances))
    assert chances[-1] < MAX_UNSURE
