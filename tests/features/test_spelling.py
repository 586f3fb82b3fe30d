"""Slips of the pen in question words. The sentences are our own."""

from __future__ import annotations

import pytest

from qaldgen.features.text.spelling import question_word_meant, spelling_suspect
from qaldgen.features.text.text_features import text_features


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("whcih", "which"),
        ("whichh", "which"),
        ("whih", "which"),
        ("hwat", "what"),
        ("whan", "what"),
        ("wheer", "where"),
        ("whoes", "whose"),
        ("there", "there"),
        ("that", "that"),
        ("witch", "witch"),
        ("mill", "mill"),
        ("what", "what"),
        ("w", "w"),
        ("", ""),
    ],
)
def test_question_word_meant(word: str, meant: str) -> None:
    assert question_word_meant(word) == meant


@pytest.mark.parametrize(
    ("text", "suspect"),
    [
        ("Whcih mill burned?", True),
        ("In whihc year did it burn?", True),
        ("Howmany mills are there?", True),
        ("Which mill did did Ada buy?", True),
        ("Which mill had had a fire?", False),
        ("Which mill is Ada's?", False),
        ("Who wrote the The Mill?", False),
        ("Who's the miller?", False),
        ("What's the oldest mill?", False),
        ("There is which mill?", False),
        ("", False),
    ],
)
def test_spelling_suspect(text: str, suspect: bool) -> None:
    assert spelling_suspect(text) is suspect


def test_only_english_is_looked_at() -> None:
    assert next(text_features(["Whcih mill burned?"]))["spellingSuspect"] is True
    assert "spellingSuspect" not in next(text_features(["Whcih mill burned?"], language="pl"))
