"""Replies to questions with choices: which choice a letter, a number or a sentence means."""

from __future__ import annotations

import pytest

import qaldgen as qg
from qaldgen.answers.reading import read_run
from qaldgen.benchmark.gold import as_gold
from qaldgen.scoring.rules import Rules
from qaldgen.scoring.worded_answers import verdicts_by_rule

MILLS = {"question": "Where is the Old Mill?", "choices": ["Ulm", "Bonn", "Kiel", "Trier"]}


def scored(reply: object, *, answer: object = "B", match: str = "auto") -> float:
    gold = [{"id": "1", **MILLS, "answer": answer}]
    return qg.score(gold, {"1": reply}, match=match)["macro-f1"]


@pytest.mark.parametrize("reply", [
    "B", "(b)", "B. Bonn", "Bonn", "The answer is B.", "The answer is (B).", "Answer: B",
    "The correct option is B.", r"So \boxed{B}", "**B**", "<answer>B</answer>",
    '{"answer": "B"}', "B\n\nExplanation: it stands at the river.", "I would choose option B",
    "<think>Is it A, or C?</think>B", "<think>The answer is C? No.</think>B",
    "<think>It is C.</think>The answer is B.", "Is it A? Is it C?\nAnswer: B",
])  # fmt: skip
def test_letter_of_the_right_choice_is_right_however_it_is_said(reply: str) -> None:
    assert scored(reply) == 1.0


@pytest.mark.parametrize("reply", [
    "A", "Answer: C", "The answer is A.", "**D**", "Either B or C", "Option E",
    "It is vitamin B that mills lack", "A mill",
])  # fmt: skip
def test_other_letters_and_letters_that_name_no_choice_are_not(reply: str) -> None:
    assert scored(reply) == 0.0


@pytest.mark.parametrize("match", ["exact", "contains", "token-f1"])
def test_letter_is_read_whatever_the_matcher(match: str) -> None:
    assert scored("The answer is B.", match=match) == 1.0


@pytest.mark.parametrize(("answer", "reply", "right"), [
    (1, 1, 1.0), (1, "1", 1.0), (1, "B", 1.0), (1, 2, 0.0), ("B", 1, 1.0), ("B", 2, 0.0),
])  # fmt: skip
def test_number_of_a_choice_counts_from_0_unless_the_numbers_show_another_first(
    answer: object, reply: object, right: float
) -> None:
    assert scored(reply, answer=answer) == right


def test_number_that_is_itself_a_choice_is_that_choice() -> None:
    gold = [{"id": "1", "question": "How many?", "choices": ["3", "1", "2"], "answer": "1"}]
    assert qg.score(gold, {"1": "1"})["macro-f1"] == 1.0
    assert qg.score(gold, {"1": "3"})["macro-f1"] == 0.0


@pytest.mark.parametrize("right,wrong", [
    ("Tricuspid", "Bicuspid"), ("red", "red and blue"), ("5 m", "500 cm"), ("10%", "10"),
    ("1939", "1939-1945"), ("acid", "amino acid"), ("rises", "rises, then falls"),
    ("True, False", "False, True"), ("Vitamin B1", "Vitamin B12"), ("has a wall", "has no wall"),
])  # fmt: skip
@pytest.mark.parametrize("reply", ["B", "Answer: B", "{wrong}", "B. {wrong}", "**{wrong}**"])
def test_another_choice_is_wrong_however_like_the_right_one_it_is(
    right: str, wrong: str, reply: str
) -> None:
    gold = [{"id": "1", "question": "Which?", "choices": [right, wrong, "none"], "answer": "A"}]
    run = {"1": reply.format(wrong=wrong)}
    assert qg.score(gold, run)["macro-f1"] == 0.0
    assert qg.score(gold, {"1": f"A) {right}"})["macro-f1"] == 1.0


def test_labels_of_a_question_win_over_those_of_the_others() -> None:
    gold = [
        {"id": "1", "question": "Which?", "answerKey": "B",
         "choices": {"text": ["tin", "salt"], "label": ["A", "B"]}},
        {"id": "2", "question": "Which gas?", "answerKey": "3",
         "choices": {"text": ["tin", "salt", "neon"], "label": ["1", "2", "3"]}},
    ]  # fmt: skip
    assert qg.score(gold, {"1": "B", "2": "3"})["macro-f1"] == 1.0
    assert qg.score(gold, {"1": "A", "2": "2"})["macro-f1"] == 0.0


def test_what_asks_for_labels_knows_the_choice_that_a_reply_names() -> None:
    gold = [{"id": str(n), **MILLS, "answer": "B"} for n in range(40)]
    replies = {str(n): "<think>It is C.</think>B" if n % 2 else "It is in Bonn." for n in range(40)}
    opened = as_gold(gold)
    runs = [read_run(replies, name="mine", gold=opened.questions)]
    worded = [verdict.question.id for verdict in verdicts_by_rule(opened, runs, Rules())]
    assert worded == [str(n) for n in range(0, 40, 2)]


def test_letters_in_several_replies_are_choices_too() -> None:
    gold = [{"id": "1", **MILLS, "answer": "B"}]
    run = [
        {"id": "1", "samples": ["<think>It is C.</think>B", "The answer is C.", "I take option B"]}
    ]
    assert qg.score(gold, run, repeats_as="majority")["macro-f1"] == 1.0
    assert qg.score(gold, run, repeats_as="mean")["macro-f1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("reply", [
    "BD", "B, D", "B and D", "B. Bonn, D. Trier", "正确答案是：BD", "The answer is B, D.",
    ["B", "D"], "B、D",
])  # fmt: skip
def test_several_letters_are_read_with_and_without_separators(reply: object) -> None:
    assert scored(reply, answer="BD") == 1.0


def test_columns_of_endings_and_an_object_of_options_are_choices() -> None:
    gold = [{"question": "And then?", "ending0": "It rained.", "ending1": "It froze.", "label": 1}]
    assert qg.load(gold)["1"].gold.values() == ["It froze."]
    option = {"question": "Which river?", "option": {"A": "Danube", "B": "Rhine"}, "answer": "AB"}
    assert qg.load([option])["1"].gold.values() == ["Danube", "Rhine"]


def test_a_whole_number_may_be_a_float() -> None:
    gold: list[dict[str, object]] = [
        {
            "id": "1",
            "question": "Where is the mill?",
            "choices": ["Ulm", "Bonn", "Kiel"],
            "answer": 3,
        },
        {
            "id": "2",
            "question": "Where is the lamp?",
            "choices": ["Ulm", "Bonn", "Kiel"],
            "answer": 1,
        },
        {"id": "3", "question": "How much?", "choices": ["3.0", "2.0", "1.0"], "answer": "2.0"},
    ]
    scores = qg.score(gold, {"1": "3.0", "2": 1.0, "3": "2.0"})
    assert scores.counts["hit"].tolist() == [1, 1, 1]


@pytest.mark.parametrize(("gold", "replies", "f1"), [
    (["A", "B,C", "AD", "D"], ["A", "B", "A, D", "The answer is D."], [1, 2 / 3, 1, 1]),
    (["b", "a,c", "N/A", "e"], ["b", "a,d", "n/a", "(e)"], [1, 1 / 2, 1, 1]),
    (["AI", "BE", "CD", "FBI"], ["AI", "AB", "CD", "FBI"], [1, 0, 1, 1]),  # words
])  # fmt: skip
def test_several_letters_are_gold_without_choices(
    gold: list[str], replies: list[str], f1: list[float]
) -> None:
    rows = [{"id": str(at), "question": f"Which is {at}?", "answer": gold[at]} for at in range(4)]
    scores = qg.score(rows, {str(at): reply for at, reply in enumerate(replies)})
    assert scores.counts["f1"].tolist() == pytest.approx(f1)


def test_a_version_is_no_number() -> None:
    gold = [{"id": "1", "question": "Which?", "choices": ["Mill 3", "Mill 3.0"], "answer": "B"}]
    assert qg.score(gold, {"1": "mill 3.0"})["accuracy"] == 1.0
