"""A set in one language other than English is scored in it; a choice of the user stands."""

from __future__ import annotations

import math

import qaldgen as qg

GERMAN = [
    {"Nr.": 1, "Frage": "Welche Stadt?", "Gold": "http://x.org/Ulm", "System A": "http://x.org/Ulm"},
    {"Nr.": 2, "Frage": "Welcher Fluss?", "Gold": "http://x.org/Iller", "System A": "http://x.org/Inn"},
]  # fmt: skip


def test_questions_in_one_language_are_scored_in_it() -> None:
    scores = qg.score(GERMAN)
    assert scores["macro-f1"] == 0.5
    assert any("all questions are in 'de'" in note for note in scores.notes)


def test_a_language_that_the_user_names_stands() -> None:
    assert math.isnan(qg.score(GERMAN, language="fr")["macro-f1"])


def test_of_several_languages_none_is_chosen() -> None:
    gold = [{**GERMAN[0], "question_fr": "Quelle ville ?"}, GERMAN[1]]
    assert math.isnan(qg.score(gold)["macro-f1"])
