"""Golds that normalise to nothing, silent answers, and questions that were not asked."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from general_measures import GENERAL

from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold, load_gold
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.scoring.counts import Matcher
from qaldgen.scoring.evaluation import score
from qaldgen.scoring.matchers import MATCHERS, extraction_for, make_matcher
from qaldgen.scoring.measures import find_measure
from qaldgen.scoring.rules import Rules

WORDS = ["exact", "token-f1", "contains"]
#: The metric of a shared task, which must not change: half the letters of a flag may be wrong.
OTHERS = [name for name in ("poleval", "poleval-paper", "strict", "gerbil") if name in MATCHERS]
NOTHING = ["", " ", "-", "?", "...", "…", "🇨🇭", "☀️", "\u200b", "\ufe0f", "、", "»«"]
GOLDS = ["🇧🇷", "❤️", "!!!", "¿?", "。", "The", "the a", "$", "— —", "★"]


def matcher(name: str) -> Matcher:
    return make_matcher(name, Rules(extract=extraction_for(name, "auto")))


def f1(name: str, variants: tuple[str, ...], answer: str) -> float:
    question = Question("1", {"en": ("Which one is it?",)}, answers=Answers(texts=(variants,)))
    count = matcher(name)(question, Response("1", answers=Answers(texts=((answer,),))))
    assert count is not None
    return count.f1


@pytest.mark.parametrize("name", WORDS)
def test_nothing_is_never_right(name: str) -> None:
    assert [
        (gold, answer)
        for gold, answer in itertools.product(GOLDS, NOTHING)
        if f1(name, ("Ulm", gold), answer) or f1(name, (gold,), answer)
    ] == []


@pytest.mark.parametrize("name", [*WORDS, *OTHERS])
def test_a_name_without_words_is_matched_by_itself(name: str) -> None:
    golds = ("The", "the a") if name in WORDS else GOLDS
    assert [gold for gold in golds if f1(name, (gold,), gold) != 1] == []


@pytest.mark.parametrize("name", WORDS)
def test_a_name_of_signs_is_matched_by_nothing_else(name: str) -> None:
    answers = ["It was fun!!!", "! !", "!!!!", "the", "!!"]
    assert [answer for answer in answers if f1(name, ("!!!",), answer)] == []


@pytest.mark.parametrize("name", [*WORDS, *(name for name in OTHERS if name.startswith("poleval"))])
def test_silence_is_never_right_where_an_answer_is_expected(name: str) -> None:
    golds = [("Ulm", "🇧🇷"), ("🇧🇷",), ("?",), ("The",), ("",), (" ",)]
    silence = [Answers(), Answers(texts=(("",),)), Answers(texts=((),))]
    for variants, answers in itertools.product(golds, silence):
        question = Question("1", {"en": ("Which?",)}, answers=Answers(texts=(variants,)))
        count = matcher(name)(question, Response("1", "empty", answers=answers))
        assert count is not None
        assert count.f1 == 0, (variants, answers)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, kind in MATCHERS.items()
        if kind.answers and not kind.gerbil and name != "judge"
    ],
)
def test_a_question_without_a_reply_never_scores(name: str) -> None:
    """Not even where no answer is expected; for GERBIL's rules see the oracle."""
    golds = [Answers(), Answers(texts=((),)), Answers(texts=(("!",),)), Answers(boolean=True)]
    asked = tuple(Question(str(at), {"en": ("Q?",)}, answers=one) for at, one in enumerate(golds))
    for status in ("not asked", "failed", "timeout"):
        given = {str(at): Response(str(at), status) for at in range(len(golds))}
        counts = score(Gold(QuestionSet("g", "t", asked)), Run("r", "t", given), match=name).counts
        better = [one for one in GENERAL if find_measure(one, counts).of(counts, None) > 0]
        assert better == [], status


def test_no_real_question_is_answered_by_nothing(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "llm-answers" / "mkqa" / "questions.json"
    if not path.exists():
        pytest.skip(f"{path} is missing")
    gold = load_gold(path)
    run = tmp_path / "run.json"
    for answer, name in itertools.product(["", "-", "?", "🏴"], WORDS):
        answers = [{"id": one.id, "answer": answer} for one in gold.questions.questions]
        run.write_text(json.dumps(answers), encoding="utf-8")
        counts = score(gold, read_run(run, gold=gold.questions), match=name).counts
        expecting = counts[counts["expected"] > 0]
        assert len(expecting) > 500
        assert expecting["f1"].max() == 0, (answer, name)


def test_an_abstention_may_be_right_where_the_gold_allows_one() -> None:
    variants = ("I have no comment", "It depends on the mill")
    said = {"I do not know.": 1.0, "It depends on the mill": 1.0, "Ulm": 0.0}
    assert {text: f1("contains", variants, text) for text in said} == said
    assert f1("contains", ("It depends on the mill",), "I do not know.") == 0.0
