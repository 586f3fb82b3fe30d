"""Words of quantity are no adjectives, groups have types, and names hide words of time."""

from __future__ import annotations

import pytest

from qaldgen.features.text.text_features import load_model, text_features


def found(text: str) -> dict[str, object]:
    model = load_model("en")
    if model is None:
        pytest.skip("no spaCy model for English is installed")
    return dict(next(text_features([text], nlp=model)))


@pytest.mark.parametrize(
    "text",
    [
        "How many mills burned?",
        "How much water flows?",
        "Which few mills burned?",
        "Which towns have more than three mills?",
        "Which town has the most mills?",
        "Which town has the fewest mills?",
        "Which towns have less rain?",
        "Which town has several mills?",
        "Who has enough money?",
        "Who was the third mayor?",
        "Which 20th century writer was it?",
    ],
)
def test_words_of_quantity_are_no_adjectives(text: str) -> None:
    features = found(text)
    assert features["totalAdjectives"] == 0
    assert (features["adjectives"], features["JJ"]) == ((), False)
    assert (features["JJR"], features["JJS"]) == (False, False)


@pytest.mark.parametrize(
    ("text", "adjectives"),
    [
        ("Give me many old mills.", ("old",)),
        ("Which mill is the oldest?", ("oldest",)),
        ("Which is the most beautiful mill?", ("beautiful",)),
    ],
)
def test_others_stay(text: str, adjectives: tuple[str, ...]) -> None:
    assert found(text)["adjectives"] == adjectives


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Give me all Dutch parties.", "organisation"),
        ("Which bands were founded in Bremen?", "band"),
        ("Which company makes the mill?", "company"),
        ("Which TV station shows the game?", "company"),
        ("Which station is the oldest in Ulm?", "building"),
        ("Which committee chose the winner?", "organisation"),
        ("What is the ethnic group of the miller?", "nationality"),
        ("Which tribe lives on the island?", "nationality"),
        ("Which family owned the castle?", "dynasty"),
        ("Give me the grandchildren of the miller.", "person"),
        ("Which nurses worked in the hospital?", "person"),
        ("Who founded the mill?", "person"),
    ],
)
def test_groups_are_no_persons(text: str, kind: str) -> None:
    assert found(text)["answerEntityType"] == kind


@pytest.mark.parametrize(
    ("text", "temporal"),
    [
        ("Who produced the US steel hour?", False),
        ("Is happy hour a film?", False),
        ("Who wrote 1984?", False),
        ("Which mill opens for an hour?", True),
        ("What happened at the last minute?", True),
        ("What did she write in 1984?", True),
    ],
)
def test_time_inside_a_name_is_none(text: str, temporal: bool) -> None:
    assert found(text)["hasTemporal"] is temporal
