"""The answer type expected from the text alone: rules, the table, and how often they are right."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from qaldgen.features.text.answer_type import (
    BIAS,
    CATEGORIES,
    category_by_form,
    expected_category,
    signal_weights,
    signals,
)
from qaldgen.features.text.question_words import wh_type
from qaldgen.model import ANSWER_TYPES

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"
EXAMPLES = [
    ("Is the mill old?", "boolean"),
    ("Did Ada buy the mill?", "boolean"),
    ("How many mills are there?", "literal-number"),
    ("Count the mills.", "literal-number"),
    ("How tall is the mill?", "literal-number"),
    ("What is the population of the valley?", "literal-number"),
    ("When did the mill burn?", "literal-date"),
    ("In which year was the mill built?", "literal-date"),
    ("What is the birth date of Ada?", "literal-date"),
    ("What is the nickname of the miller?", "literal-string"),
    ("What is the postal code of the valley?", "literal-string"),
    ("Who owns the mill?", "resource"),
    ("Which mills burned?", "resource"),
    ("Where is the mill?", "resource"),
]


def builder() -> Any:  # noqa: ANN401
    if str(BENCHMARKS) not in sys.path:
        sys.path.insert(0, str(BENCHMARKS))
    return importlib.import_module("build_answer_types")


@pytest.fixture(scope="module")
def smart(shared_data: Path) -> list[tuple[str, str, str]]:
    path = shared_data / "smart" / "smarttask_dbpedia_train.json"
    if not path.is_file():
        pytest.skip(f"the questions of SMART 2020 are not at {path}")
    questions: list[tuple[str, str, str]] = builder().read(path)
    return questions


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("What year did Ada receive the mill?", "literal-date"),
        ("Was Ada born in Kiel?", "boolean"),
        ("What number of wheels does the mill have?", "literal-number"),
        ("In which century was the mill built?", "literal-date"),
        ("what age can you rent a mill in kiel", "literal-number"),
        ("For what reason did the mill close?", "literal-string"),
        ("What does KMG stand for?", "literal-string"),
        ("Which river is the longest?", "resource"),
    ],
)
def test_what_the_form_makes_certain(text: str, category: str) -> None:
    assert category_by_form(text, wh_type(text)) == category
    assert expected_category(text) == category


@pytest.mark.parametrize("text", ["What is the mill?", "Which is it?", "Name it."])
def test_what_the_form_leaves_open(text: str) -> None:
    assert category_by_form(text, wh_type(text)) is None


@pytest.mark.parametrize(("text", "category"), EXAMPLES)
def test_categories(text: str, category: str) -> None:
    assert expected_category(text) == category


@pytest.mark.parametrize("text", ["", "?", "Qwxyz vbnm?"])
def test_any_text_has_a_category(text: str) -> None:
    assert expected_category(text) in CATEGORIES


def test_categories_map_to_the_answer_types() -> None:
    assert list(CATEGORIES.values()) == ["boolean", "number", "date", "string", "resource"]
    assert set(CATEGORIES.values()) <= set(ANSWER_TYPES)


def test_signals_of_a_question() -> None:
    found = signals("What is the rye price of 1812?", "what")
    assert {
        "W what",
        "what is the",
        "^ what",
        "$ 0000 ?",
        "h rye price",
        "H number",
        "A number",
    } <= found
    assert {"p pric", "x ice", "h rye price", "h price"} <= found
    assert "1812" not in " ".join(found)


def test_table_is_compact_and_holds_no_question() -> None:
    known = signal_weights()
    assert BIAS in known
    assert len(known) <= 6001
    assert {len(weights) for weights in known.values()} == {len(CATEGORIES)}
    assert max(len(re.sub(r"^(m )?[\^$hHpxsWA]? ?", "", signal).split()) for signal in known) <= 4


def test_questions_of_smart_that_were_not_learnt_from(smart: list[tuple[str, str, str]]) -> None:
    told = builder().smart_category
    pairs = builder().predicted(smart, 0)
    assert len(pairs) > 3000
    assert sum(told(guess) == told(category) for guess, category in pairs) / len(pairs) >= 0.95
    assert sum(guess == category for guess, category in pairs) / len(pairs) >= 0.945


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What is the atomic number of iron?", "D number"),
        ("What is PubMed Health of asthma?", "Dt string"),
        ("What is the inception of the mill?", "D 1 date"),
    ],
)
def test_labels_of_properties_are_evidence(text: str, kind: str) -> None:
    assert kind in signals(text, "what")


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("height of the mill", "literal-number"),
        ("population of the valley", "literal-number"),
        ("The nickname of the miller?", "literal-string"),
        ("the owner of the mill", "resource"),
        ("In which timezone is the mill?", "resource"),
        ("Does the miller speak, write  or sign in Latin?", "boolean"),
        ("Who gave the birth date of the miller?", "literal-date"),
        ("Who ground the corn of the valley?", "resource"),
    ],
)
def test_phrases_and_odd_questions(text: str, category: str) -> None:
    assert expected_category(text) == category


def test_builder_does_nothing_without_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert builder().main([str(tmp_path / "none.json")]) == 0
    assert "nothing done" in capsys.readouterr().out


def test_a_single_question_leaves_nothing_behind() -> None:
    names = ["aa", "bb", "cc", "dd", "ee"]
    questions = [
        (f"r{at}", f"What is the mill of {name}?", "resource") for at, name in enumerate(names)
    ]
    questions += [
        (f"n{at}", f"What is the load of {name}?", "literal-number")
        for at, name in enumerate(names)
    ]
    questions += [(f"d{at}", "Name the day.", "literal-date") for at in range(5)]
    questions += [(f"s{at}", "Name the code.", "literal-string") for at in range(5)]
    questions += [(f"b{at}", "The mill burned?", "boolean") for at in range(5)]
    learned = builder().weights(questions)
    assert "mill" in learned
    assert not set(names) & {word for signal in learned for word in signal.split()}
