"""Lists of answers in words are compared as sets; single texts need one gold answer."""

from __future__ import annotations

from typing import Any

import pytest

import qaldgen as qg

GOLD: list[dict[str, Any]] = [
    {"id": "1", "question": "Which moons has Mars?", "answers": ["Phobos", "Deimos"]},
    {"id": "2", "question": "Who wrote it?", "answers": [["Ada Mill", "A. Mill"]]},
]


@pytest.mark.parametrize(("moons", "f1", "matcher"), [
    (["Phobos", "Deimos"], 1.0, "exact"),
    (["phobos"], 2 / 3, "exact"),
    ("['Phobos']", 2 / 3, "exact"),
    (["Phobos", "Deimos", "Io"], 0.8, "exact"),
    (["Io"], 0.0, "exact"),
    ("Phobos", 1.0, "contains"),
    ("They are Deimos and Phobos.", 1.0, "contains"),
])  # fmt: skip
def test_a_list_is_to_be_complete(moons: Any, f1: float, matcher: str) -> None:  # noqa: ANN401
    run = [{"id": "1", "prediction": moons}, {"id": "2", "prediction": "Ada Mill"}]
    row = qg.score(GOLD, run).counts.loc["1"]
    assert row["f1"] == pytest.approx(f1)
    assert row["matcher"] == matcher


@pytest.mark.parametrize(("authors", "f1", "matcher"), [
    (["Ada Mill"], 1.0, "contains"),
    (["It was Ada Mill."], 1.0, "contains"),
    (["Ada Mill", "Bo Kim"], 2 / 3, "exact"),
    (["Ada Mill", "A. Mill"], 1.0, "exact"),  # names of one answer
])  # fmt: skip
def test_beside_one_gold_answer_only_several_are_a_list(
    authors: list[str], f1: float, matcher: str
) -> None:
    run: list[dict[str, Any]] = [
        {"id": "1", "prediction": "Phobos"},
        {"id": "2", "prediction": authors},
    ]
    row = qg.score(GOLD, run).counts.loc["2"]
    assert row["f1"] == pytest.approx(f1)
    assert row["matcher"] == matcher


def test_sentences_in_a_list_are_said_not_to_count() -> None:
    run: list[dict[str, Any]] = [
        {"id": "1", "prediction": ["Phobos", "and Deimos, too"]},
        {"id": "2", "prediction": "?"},
    ]
    scores = qg.score(GOLD, run)
    assert scores.counts.at["1", "f1"] == pytest.approx(0.5)
    (said,) = [note for note in scores.notes if "compared as sets" in note]
    assert "in 1 question (first: 1)" in said
    assert qg.score(GOLD, run, match="contains").counts.at["1", "f1"] == 1.0


def test_gold_answers_of_one_name_count_once() -> None:
    gold: list[dict[str, Any]] = [
        {"id": "1", "question": "Which moons?", "answers": ["Phobos", "phobos", "Deimos"]}
    ]
    assert qg.score(gold, gold)["macro-f1"] == 1.0


@pytest.mark.parametrize(
    "reply",
    ["Deimos\nPhobos", "- Phobos\n- Deimos", "The moons are:\n1. Phobos\n2. **Deimos**\n"],
)
def test_answers_in_lines_are_a_list_where_the_gold_has_several(reply: str) -> None:
    gold = [{"id": "1", "question": "Which moons has Mars?", "answers": ["Phobos", "Deimos"]}]
    assert qg.score(gold, {"1": reply})["macro-f1"] == 1.0
    other = reply.replace("Deimos", "Io")
    assert qg.score(gold, {"1": other})["macro-f1"] == 0.5


def test_lines_of_other_texts_are_no_list() -> None:
    gold = [{"id": "1", "question": "Which moons has Mars?", "answers": ["Phobos", "Deimos"]}]
    scores = qg.score(gold, {"1": "Phobos and Deimos\nBoth are small."})
    assert scores.matchers == {"contains": 1}
    one = [{"id": "1", "question": "Where is the minster?", "answers": ["Ulm"]}]
    assert qg.score(one, {"1": "Ulm\nGermany"}).matchers == {"contains": 1}


def test_notes_on_terms_in_bold_are_no_part_of_the_answers() -> None:
    gold = [{"id": "1", "question": "Which towns?", "answers": [["Ulm"], ["Bonn"], ["Trier"]]}]
    replies = (
        "1. **Ulm** (south)\n2. **Bonn** (west)\n3. **Trier** (west)",
        "- **Ulm** – south\n- **Bonn** – west\n- **Trier** – west",
    )
    assert [qg.score(gold, {"1": reply})["macro-f1"] for reply in replies] == [1, 1]


@pytest.mark.parametrize("reply", [
    "- The Mill (1980)\n- The Weir (1987)", "1. The Mill – 1980\n2. The Weir – 1987",
    "- The Mill: an old one\n- The Weir: a new one", "* The Mill, 1980\n* The Weir, 1987",
])  # fmt: skip
def test_a_note_behind_the_name_of_an_item_is_no_part_of_it(reply: str) -> None:
    gold = [{"id": "1", "question": "Which films?", "answers": [["The Mill"], ["The Weir"]]}]
    assert qg.score(gold, {"1": reply})["macro-f1"] == 1
    other = reply.replace("Weir", "Lamp")
    assert qg.score(gold, {"1": other})["macro-f1"] == 0.5


@pytest.mark.parametrize(("gold", "answers"), [
    (["1", "5"], ["1,234", "5,678"]), (["1990", "2000"], ["1990–1995", "2000–2005"]),
    (["12", "14"], ["12:30", "14:15"]), (["Paris", "Rome"], ["Paris (not sure)", "Oslo"]),
])  # fmt: skip
def test_what_belongs_to_a_number_or_denies_a_name_is_no_note(
    gold: list[str], answers: list[str]
) -> None:
    questions = [{"id": "1", "question": "Which?", "answers": [[one] for one in gold]}]
    assert qg.score(questions, {"1": answers})["macro-f1"] == 0
