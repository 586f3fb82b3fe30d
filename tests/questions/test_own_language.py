"""A set without English is read in its own language; a choice of the user stands."""

from __future__ import annotations

import pytest

import qaldgen as qg

GERMAN = [
    {"Nr.": 1, "Frage": "Welche Stadt?", "Gold": "http://x.org/Ulm", "System A": "http://x.org/Ulm"},
    {"Nr.": 2, "Frage": "Welcher Fluss?", "Gold": "http://x.org/Iller", "System A": "http://x.org/Inn"},
]  # fmt: skip


def test_questions_in_one_language_are_scored_in_it() -> None:
    scores = qg.score(GERMAN)
    assert scores["macro-f1"] == 0.5
    assert any("they are read in 'de'" in note for note in scores.notes)


def test_a_language_that_the_user_names_stands() -> None:
    with pytest.raises(qg.UsageError, match="'fr'; `language` may be de"):
        qg.score(GERMAN, language="fr")


def test_of_several_languages_the_most_frequent_is_chosen() -> None:
    gold = [{**GERMAN[0], "question_fr": "Quelle ville ?"}, GERMAN[1]]
    assert qg.score(gold)["macro-f1"] == 0.5


def test_features_are_in_it_too() -> None:
    made = qg.annotate([{"id": row["Nr."], "Frage": row["Frage"]} for row in GERMAN])
    assert made.language == "de"
    assert any("they are read in 'de'" in note for note in made.notes)
    assert made.to_frame()["length"].tolist() == [2, 2]
