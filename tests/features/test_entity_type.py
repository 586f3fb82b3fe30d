"""What kind of named thing is asked for, PolQA's types and TREC's classes.

The sentences are our own.
"""

from __future__ import annotations

import pytest

from qaldgen.features.text.taxonomies import (
    _TYPE_BY_NOUN,
    ENTITY_TYPES,
    TREC_CLASSES,
    entity_type,
    trec_class,
)
from qaldgen.features.text.text_features import load_model, text_features

ENGLISH = {
    "How many mills are there?": ("count", "numeric"),
    "How tall is the mill?": ("quantity", "numeric"),
    "How much flour does it make?": ("quantity", "numeric"),
    "When was the miller born?": ("day", "numeric"),
    "When did the mill burn?": ("year", "numeric"),
    "In which century did the mill burn?": ("century", "numeric"),
    "Who owns the mill?": ("person", "human"),
    "Who is the publisher of the book?": ("company", "human"),
    "Where is the mill?": ("place", "location"),
    "Which river drives the mill?": ("river", "location"),
    "Which cities have mills?": ("city", "location"),
    "What is the first name of the miller?": ("name", "human"),
    "What is the surname of the miller?": ("surname", "human"),
    "Name all films about mills.": ("title", "entity"),
    "Which mill is the oldest?": ("other", "entity"),
    "Why did the mill burn?": (None, "description"),
    "What colour is the mill?": (None, "entity"),
    "What does the abbreviation MIL stand for?": (None, "abbreviation"),
    "Did the mill burn?": (None, None),
}


@pytest.mark.parametrize(("text", "expected"), ENGLISH.items())
def test_english(text: str, expected: tuple[str | None, str | None]) -> None:
    nlp = load_model("en")
    if nlp is None:
        pytest.skip("no English spaCy model is installed")
    found = next(text_features([text], nlp=nlp))
    assert (found.get("answerEntityType"), found.get("expectedAnswerTREC")) == expected


def test_there_are_thirty_four_types() -> None:
    assert len(ENTITY_TYPES) == 34


def test_tables_name_known_types_only() -> None:
    assert set(_TYPE_BY_NOUN.values()) <= set(ENTITY_TYPES)


def test_head_noun_with_a_hyphen_counts_by_its_last_part() -> None:
    assert (
        entity_type("Which mill-town burned?", "which", "resource", "named", "mill-town") == "city"
    )


def test_category_decides_where_no_word_does() -> None:
    assert entity_type("What is it?", "what", "literal-number", "named", None) == "quantity"
    assert entity_type("What is it?", "what", "literal-date", "named", None) == "year"


@pytest.mark.parametrize("kind", sorted(ENTITY_TYPES))
def test_every_type_has_a_class_of_trec(kind: str) -> None:
    assert trec_class("Which?", "which", "named", None, kind) in TREC_CLASSES
