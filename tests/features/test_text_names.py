"""The names in English questions, with and without capitals, and how rules skip their words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from qaldgen.features.text import text_features as text
from qaldgen.features.text.name_field import FieldWeights, best_states, weights
from qaldgen.features.text.names import find_names, names_by_capitals, readable
from qaldgen.features.text.text_features import FeatureValue, load_model, text_features

if TYPE_CHECKING:
    from spacy.language import Language

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"


@pytest.fixture(scope="module")
def english() -> Language:
    model = load_model("en")
    if model is None:
        pytest.skip(
            f"no English spaCy model is installed; one of {', '.join(text.MODELS['en'])} is needed"
        )
    return model


def names(question: str, nlp: Language | None = None) -> list[str]:
    doc = nlp(readable(question)) if nlp else None
    return [question[name.start : name.end] for name in find_names(question, doc)]


def one(question: str, nlp: Language | None = None) -> dict[str, FeatureValue]:
    (features,) = text_features([question], nlp=nlp)
    return features


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Who wrote The Old Mill of Dee?", ["The Old Mill of Dee"]),
        ("Was Ada Roe born in Kiel?", ["Ada Roe", "Kiel"]),
        ("Which mills of Ada's brother Eva Roe bought are in Kiel?", ["Ada", "Eva Roe", "Kiel"]),
        ("What is the first mill that was built in March 1812?", []),
        ("How many km is it from Kiel to Bad Dee?", ["Kiel", "Bad Dee"]),
        ("Who sang 'Mills and Wheels'?", ["Mills and Wheels"]),
        ("Which King of Dee died in 1812?", ["Dee"]),
        ("What year was it built?", []),
    ],
)
def test_names_by_capitals(question: str, found: list[str]) -> None:
    assert names(question) == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("who is the president of peru", ["peru"]),
        ("what year was it built", []),
        ("how many us states have a coast", ["us"]),
        ("tell us which bridges burned", []),
        ("is ada roe male or female", ["ada roe"]),
        ("was the mill in peru or chile", ["peru", "chile"]),
        ("WHO IS THE PRESIDENT OF PERU?", ["PERU"]),
    ],
)
def test_names_without_capitals(question: str, found: list[str], english: Language) -> None:
    assert names(question, english) == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Who wrote Song of the Wheel?", ["Song of the Wheel"]),
        ("Who sang Corn in the Wind?", ["Corn in the Wind"]),
        ("Who lives in Germany and France?", ["Germany", "France"]),
        ("Who founded the University in Kiel?", ["University", "Kiel"]),
        (
            "Who wrote Grinding Corn with Water: A Study of Wheels?",
            ["Grinding Corn with Water: A Study of Wheels"],
        ),
        ("Who runs the Kiel Mill Association (KMA) today?", ["Kiel Mill Association (KMA"]),
        ('Who sang "the Old Mill"?', ["the Old Mill"]),
        ("In the history of Peru, What Is the oldest mill?", ["Peru"]),
        ("Whhich mill is in Peru?", ["Peru"]),
        ("What is the wIndex of Ada Roe?", ["Ada Roe"]),
        ("which french city is the oldest", ["french"]),
        ("Is corn related to water?", []),
        ("Which European mill was built by ada roe", ["European", "ada roe"]),
    ],
)
def test_names_in_odd_cases(question: str, found: list[str], english: Language) -> None:
    assert names(question, english) == found


@pytest.mark.parametrize(
    ("question", "flag"),
    [
        ("Who directed Ernest Goes West?", "hasSuperlative"),
        ("Who directed Harvest of the Best?", "hasSuperlative"),
        ("Who founded Most Mills?", "hasSuperlative"),
        ("When did Topmost Ltd close?", "hasSuperlative"),
        ("Who starred in Never Say No?", "hasNegation"),
        ("Who wrote Mill No. 4?", "hasNegation"),
        ("Which band recorded Nothing Without You?", "hasNegation"),
        ("Who sang After the Harvest?", "hasTemporal"),
        ("Who wrote Seven Mills?", "hasNumber"),
        ("Who wrote More Than Bread?", "hasComparative"),
        ("Who directed The Second Mill?", "hasOrdinal"),
    ],
)
def test_flags_do_not_read_names(question: str, flag: str) -> None:
    assert one(question)[flag] is False


@pytest.mark.parametrize(
    ("question", "flag", "value"),
    [
        ("Which mill has at most two wheels?", "hasSuperlative", False),
        ("Which mill has at most two wheels?", "hasComparative", True),
        ("After whom is the mill named?", "hasTemporal", False),
        ("Which mill burned after 1812?", "hasTemporal", True),
        ("Which mill has no wheel?", "hasNegation", True),
        ("Which mill is the best in Forest Hill?", "hasSuperlative", True),
    ],
)
def test_flags_read_the_rest(question: str, flag: str, value: bool) -> None:
    assert one(question)[flag] is value


@pytest.mark.parametrize(
    ("question", "head"),
    [
        ("Which US states have a mill?", "state"),
        ("who was the denver broncos quarterback last year", "quarterback"),
        ("What is the name of the river at the mill?", "river"),
        ("Which Ada Roe novel is the oldest?", "novel"),
        ("which french city is the oldest", "city"),
        ("Whose mill burned?", None),
    ],
)
def test_head_word_beside_names(question: str, head: str | None, english: Language) -> None:
    assert one(question, english).get("headwordLemma") == head


@pytest.mark.parametrize(
    ("question", "head"),
    [
        ("What is the wIndex of Ada Roe?", "wIndex"),
        ("What is the VIAF ID of Ada?", "ID"),
        ("WHICH MILLS ARE IN PERU?", "MILLS"),
    ],
)
def test_head_word_as_written(question: str, head: str, english: Language) -> None:
    assert one(question, english)["headword"] == head


@pytest.mark.parametrize(
    ("question", "sought"),
    [
        ("Is the mill in Kiel or in Peru?", "entity-choice"),
        ("All old mills built in Kiel?", "multiple-entities"),
        ("The mill in Kiel?", "single-entity"),
    ],
)
def test_choices_and_phrases(question: str, sought: str, english: Language) -> None:
    assert one(question, english)["informationSought"] == sought


def test_numbers_dates_and_amounts_are_counted_apart(english: Language) -> None:
    features = one("Who was the first miller to sell 10 mills in Kiel in 1812?", english)
    assert features["namedEntityCount"] == 1
    assert {"ORDINAL", "CARDINAL", "DATE"} <= set(features["valueTypes"])  # type: ignore[arg-type]
    assert set(features["namedEntityTypes"]).isdisjoint({"ORDINAL", "CARDINAL", "DATE"})  # type: ignore[arg-type]


def test_a_question_without_names(english: Language) -> None:
    features = one("What year was the first mill built?", english)
    assert (features["namedEntityCount"], features["hasNamedEntity"]) == (0, False)
    assert not features["namedEntityTypes"]


def test_names_that_the_model_sees_apart_are_two(english: Language) -> None:
    assert names("Did Newton and Leibniz meet in London?", english) == [
        "Newton",
        "Leibniz",
        "London",
    ]
    assert names("Who wrote Beauty and the Beast?", english) == ["Beauty and the Beast"]


def test_best_states_weigh_the_moves() -> None:
    moves = dict.fromkeys((-1, 0, 1, 2), (0, 0, 0))
    found = [["a"], ["b"], ["a"]]
    apart = FieldWeights({"a": (2, 1), "b": (-1, -1)}, moves)
    assert best_states(found, apart) == [1, 0, 1]
    together = FieldWeights(apart.signals, {**moves, 1: (0, 0, 3), 2: (0, 0, 3)})
    assert best_states(found, together) == [1, 2, 2]
    assert best_states(found, FieldWeights({}, moves)) == [0, 0, 0]
    assert best_states([], apart) == []


def test_table_holds_no_question() -> None:
    assert max(len(signal.split()) for signal in weights().signals) <= 3


def test_capitals_of_other_languages() -> None:
    text = 'Czy Ada Roe mieszka w Kiel 7? Gdzie jest "Młyn"?'
    found = [text[name.start : name.end] for name in names_by_capitals(text)]
    assert found == ["Ada Roe", "Kiel 7", '"Młyn"']
