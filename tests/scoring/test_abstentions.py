"""Replies in words that give no answer."""

from __future__ import annotations

import pytest

import qaldgen as qg

GOLD: list[dict[str, object]] = [
    {"id": "1", "question": "Who built the mill?", "answer": "Ada"},
    {"id": "2", "question": "Where is the mill?", "answer": "Ulm"},
    {"id": "3", "question": "Who is the king of the mill?", "answers": []},
]


@pytest.mark.parametrize(
    "said", ["None", "nan", "null", "N/A", "I don't know.", "unanswerable", "ich weiß nicht"]
)
def test_a_reply_without_an_answer_is_an_abstention(said: str) -> None:
    scores = qg.score(GOLD, {"1": "Ada", "2": said, "3": ""})
    assert scores.statuses() == {"answered": 1, "abstained": 1, "empty": 1}
    assert scores["macro-f1"] == pytest.approx(2 / 3)  # in the denominator
    assert scores["coverage"] == pytest.approx(1 / 3)
    assert scores["selective-accuracy"] == 1.0


@pytest.mark.parametrize("said", ["I don't know, but perhaps Ulm.", "Not in Bonn", "0", "no"])
def test_an_answer_is_no_abstention(said: str) -> None:
    assert qg.score(GOLD, {"1": "Ada", "2": said, "3": ""}).statuses()["answered"] == 2


def test_abstentions_do_not_raise_the_score_of_terms() -> None:
    gold = [{"id": str(at), "question": f"Who is {at}?", "answer": f"Q{at}"} for at in range(1, 9)]
    given = {str(at): f"Q{at}" if at % 2 else "None" for at in range(1, 9)}
    scores = qg.score(gold, given)
    assert scores["macro-f1"] == 0.5
    assert scores.statuses() == {"answered": 4, "abstained": 4}


@pytest.mark.parametrize(("language", "said", "right"), [
    ("en", "It is impossible to know.", True),
    ("en", "It's unknown.", True),
    ("en", "It is unknown to most that it is Ulm.", False),
    ("de", "Das lässt sich nicht sagen.", True),
    ("fr", "Personne ne le sait.", True),
    ("pl", "Nikt tego nie wie.", True),
])  # fmt: skip
def test_where_nothing_can_be_known_an_answer_may_say_so_in_other_words(
    language: str, said: str, right: bool
) -> None:
    gold = [{"id": 1, "question": "Where?", "answer": []}]
    scores = qg.score(gold, {"1": said}, language=language, match="contains")
    assert scores["accuracy"] == right
