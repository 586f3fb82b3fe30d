"""Numbers and ordinal numbers in words and in digits, in gold answers and in replies."""

from __future__ import annotations

import pytest
from by_rules import contains

import qaldgen as qg
from qaldgen.answers.record import Response
from qaldgen.model import Answers, Question


def is_right(gold: str, text: str, language: str = "en") -> bool:
    question = Question("1", {language: ("?",)}, answers=Answers(texts=((gold,),)))
    response = Response("1", answers=Answers(texts=((text,),)))
    return contains(question, response, language=language) == (1, 0, 0)


@pytest.mark.parametrize(
    ("gold", "text", "language"),
    [
        ("12th dynasty", "Under the twelfth dynasty.", "en"),
        ("twelfth dynasty", "Under the 12th dynasty.", "en"),
        ("the 22nd regiment", "It was the twenty-second regiment.", "en"),
        ("Third Mill Act", "the 3rd Mill Act of Ulm", "en"),
        ("14. Mühle", "Bei der vierzehnten Mühle.", "de"),
        ("die vierzehnte Mühle", "An der 14. Mühle.", "de"),
        ("seizième moulin", "C'est le 16e moulin.", "fr"),
        ("12. młyn", "Przy dwunastym młynie.", "pl"),
        ("six weeks", "42 days", "en"),
        ("six weeks", "6 weeks", "en"),
        ("eleven", "11", "en"),
        ("elf", "Es sind 11.", "de"),
    ],
)
def test_numbers_in_words_and_in_digits_are_equal(gold: str, text: str, language: str) -> None:
    assert is_right(gold, text, language)


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        ("12th dynasty", "the thirteenth dynasty"),
        ("twelfth dynasty", "the 2nd dynasty"),
        ("six weeks", "7 weeks"),
        ("six weeks", "6 days"),
        ("Eleven Mills", "11"),  # a name
        ("6", "the sixth"),  # an order is no number
    ],
)
def test_other_numbers_in_words_are_not(gold: str, text: str) -> None:
    assert not is_right(gold, text)


@pytest.mark.parametrize(("gold", "reply", "right"), [
    ("$3.5 million", "It cost £3.5 million.", False), ("€2,500", "It cost 2,500 euros.", True),
    ("40 dollars", "40 USD", True), ("£40", "It was €40.", False),
    ("40", "It was €40.", True),
])  # fmt: skip
def test_sum_in_another_currency_is_another_sum(gold: str, reply: str, right: bool) -> None:
    question = [{"id": "1", "question": "What did it cost?", "answers": [gold]}]
    assert qg.score(question, {"1": reply})["macro-f1"] == float(right)


@pytest.mark.parametrize(("gold", "reply"), [
    ("four hospitals", "seven hospitals"), ("vier Krankenhäuser", "sieben Krankenhäuser"),
    ("vier Krankenhäuser", "7 Krankenhäuser"), ("أربعة بالمئة", "سبعة بالمئة"),
    ("Apollo eleven", "Apollo thirteen"),
])  # fmt: skip
def test_a_name_with_another_number_in_words_is_no_guess(gold: str, reply: str) -> None:
    scores = qg.score([{"id": "1", "question": "What?", "answers": [gold]}], {"1": reply})
    assert scores["macro-f1"] == 0
    assert not any("guess" in note for note in scores.notes)


@pytest.mark.parametrize("reply", ["It's blue, but I can't really see it.", "Blue, but who knows?"])
def test_an_answer_before_an_abstention_counts(reply: str) -> None:
    question = [{"id": "1", "question": "Which colour has it?", "answers": ["blue"]}]
    assert qg.score(question, {"1": reply})["macro-f1"] == 1
