"""The form of English questions: question word, command, formulation, information sought."""

from __future__ import annotations

import pytest

from qaldgen.features.catalogue import all_features
from qaldgen.features.text.letters import sentences, syllables, words
from qaldgen.features.text.question_words import wh_type
from qaldgen.features.text.taxonomies import entity_kind, formulation, information_sought

FORMS = {
    "What boils at this height?": "what",
    "what's her trade": "what",
    "Whats a good harbour for small boats?": "what",
    "In what valley is the mill?": "what",
    "The miller's dog is called what?": "what",
    "Which mills burned?": "which",
    "Whihc mills burned?": "which",
    "Whcih mills burned?": "which",
    "Wheer is the mill?": "where",
    "Howmany mills are there?": "how-many",
    "The mill burned. Who rebuilt it?": "who",
    "Who rebuilt the mill that burned? It stood in Dee.": "who",
    "The mill burned. Name the miller.": "command",
    "On which hill does the mill stand?": "which",
    "A cousin of which miller is Ada?": "which",
    "Ada's brothers run which mills?": "which",
    "Who owns the mill?": "who",
    "After the flood, who rebuilt the mill?": "who",
    "Among the millers who paid, who was first?": "who",
    "Whom did Ada pay?": "whom",
    "From whom were the stones bought?": "whom",
    "Whose mill is this?": "whose",
    "When did the mill burn?": "when",
    "Since when does it stand?": "when",
    "Where is the mill?": "where",
    "Ada was born where?": "where",
    "Why did it burn?": "why",
    "How come it burned?": "why",
    "How did it burn?": "how",
    "How many mills are there?": "how-many",
    "For how many mills did Ada pay?": "how-many",
    "how much flour is left": "how-much",
    "How wide is the stream?": "how-adj",
    "How often does it flood?": "how-adj",
    "Is the mill old?": "yes-no",
    "Doesn't the mill grind on Sundays?": "yes-no",
    "So, did it burn?": "yes-no",
    "Is the mill old or new?": "none",
    "Name the mills.": "command",
    "Please list all mills which burned!": "command",
    "Can you tell me who owns the mill?": "command",
    "I want to know the owner.": "command",
    "Count the mills whose owner is Ada": "command",
    "Name of the mill?": "none",
    "Name mills that are where?": "command",
    "In the old mill when did it burn": "when",
    "In the history of the mill, What is the best year?": "what",
    "The owner of the mill?": "none",
    "The miller who paid?": "none",
    '"Who Is Ada" is sung by the miller': "none",
    "?": "none",
}


@pytest.mark.parametrize(("text", "code"), FORMS.items())
def test_question_class(text: str, code: str) -> None:
    assert wh_type(text) == code


def test_every_class_is_shown_and_no_other() -> None:
    assert set(FORMS.values()) == set(all_features()["whType"].codes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who owns the mill?", "plain"),
        ("Name the owner of the mill.", "command"),
        ("The mill burned. Who owned it?", "compound"),
        ("Who was Dr. Roe of St. Ives?", "plain"),
        ("Who followed J. R. Roe in No. 7?", "plain"),
        ('Who sang "Stop! Go home." on the radio?', "plain"),
        ("So... Who was it?", "plain"),
        ("Who owned the mill, and is she still alive?", "compound"),
        ("What is the mill called and how old is it?", "compound"),
        ("When did it burn and who was the owner?", "compound"),
        ("When and where did it burn?", "plain"),
        ("Which mill is old and is on the river?", "plain"),
        ("Which miller who was born here and who was poor left?", "plain"),
    ],
)
def test_formulation(text: str, expected: str) -> None:
    assert formulation(text, wh_type(text)).label == expected


@pytest.mark.parametrize(
    ("text", "category", "plural", "expected"),
    [
        ("Who owns the mill?", "resource", False, "single-entity"),
        ("Is the mill old?", "boolean", False, "yes-no"),
        ("Is the mill old or new?", "resource", False, "entity-choice"),
        ("Which is older, the mill or the bridge?", "resource", False, "entity-choice"),
        ("Who has one or more mills?", "resource", False, "single-entity"),
        ("Which mills burned?", "resource", True, "multiple-entities"),
        ("Which two brothers own the mill?", "resource", False, "multiple-entities"),
        ("Count the mills.", "literal-number", True, "single-entity"),
        ("What is the nickname of the miller?", "literal-string", False, "other-name"),
        ("What does the abbreviation MLR stand for?", "literal-string", False, "other-name"),
        ("Fill in: all roads lead to ____", "resource", False, "gap-filling"),
    ],
)
def test_information_sought(text: str, category: str, plural: bool, expected: str) -> None:
    assert information_sought(text, wh_type(text), category, plural=plural).label == expected


@pytest.mark.parametrize(
    ("code", "category", "head", "expected"),
    [
        ("yes-no", "boolean", None, "yes-no"),
        ("who", "resource", None, "named"),
        ("how-many", "literal-number", "mill", "named"),
        ("what", "resource", "profession", "unnamed"),
        ("what", "resource", None, "unnamed"),
        ("why", "resource", None, "unnamed"),
        ("which", "resource", "town", "named"),
    ],
)
def test_answer_entity_kind(code: str, category: str, head: str | None, expected: str) -> None:
    assert entity_kind(code, category, head).label == expected


def test_sentences_end_at_marks_before_capitals() -> None:
    assert sentences("It burned. Why? Nobody knows") == ["It burned.", "Why?", "Nobody knows"]


def test_words_keep_endings_and_ordinals() -> None:
    assert words("Who’s the 3rd-best miller of 1,500?") == [
        "who's",
        "the",
        "3rd",
        "best",
        "miller",
        "of",
        "1,500",
    ]


@pytest.mark.parametrize(
    ("word", "count"),
    [("mill", 1), ("miller", 2), ("stone", 1), ("table", 2), ("area", 2), ("by", 1), ("the", 1)],
)
def test_syllables(word: str, count: int) -> None:
    assert syllables(word) == count
