"""The matcher follows the data: words are matched as words, terms by GERBIL's rules."""

from __future__ import annotations

import pytest

from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.runs.record import Response, Run
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.matchers import resolve
from qaldgen.scoring.score import score

WORDS = Answers(texts=(("the Old Mill",),))
TERMS = Answers(rows=((Cell("uri", "http://x.org/Old_Mill"),),))


def gold(*answers: Answers) -> Gold:
    asked = (Question(str(at), {"en": ("Where?",)}, answers=one) for at, one in enumerate(answers))
    return Gold(QuestionSet("set", "table", tuple(asked)))


def run(*answers: Answers, name: str = "mine") -> Run:
    given = {str(at): Response(str(at), answers=one) for at, one in enumerate(answers)}
    return Run(name, "table", given)


@pytest.mark.parametrize(
    ("asked", "given", "match"),
    [
        (TERMS, TERMS, "gerbil"),
        (TERMS, WORDS, "contains"),
        (WORDS, WORDS, "contains"),
        (WORDS, TERMS, "contains"),
        (Answers(boolean=True), Answers(boolean=True), "gerbil"),
        (Answers(boolean=True), Answers(texts=(("Yes",),)), "contains"),
    ],
)
def test_the_matcher_follows_the_answers(asked: Answers, given: Answers, match: str) -> None:
    assert score(gold(asked), run(given)).match == match


def test_a_number_is_matched_alike_whether_a_file_has_it_as_text_or_as_term() -> None:
    as_text = Answers(texts=(("42",),))
    as_term = Answers(rows=((Cell("literal", "42"),),))
    yes = Answers(boolean=True)
    for number in (as_text, as_term):
        assert score(gold(as_text, yes), run(number, yes)).match == "contains"
        assert score(gold(as_term, yes), run(number, yes)).match == "gerbil"
        found = score(gold(TERMS, as_text), run(TERMS, number))
        assert found.match == "gerbil"
        assert found.counts["f1"].tolist() == [1.0, 1.0]
        assert score(gold(WORDS, as_text), run(WORDS, number)).match == "contains"


def test_without_answers_the_gold_decides() -> None:
    assert resolve(gold(WORDS)).match == "contains"
    assert resolve(gold(TERMS)).match == "gerbil"


def test_all_runs_of_a_call_have_one_matcher() -> None:
    several = [run(TERMS, TERMS, name="a"), run(WORDS, WORDS, WORDS, name="b")]
    assert resolve(gold(TERMS), several).match == "contains"


def test_answers_of_both_kinds_say_what_was_chosen_and_what_the_other_gives() -> None:
    scores = score(gold(TERMS, TERMS, TERMS), run(WORDS, WORDS, TERMS))
    assert scores.match == "contains"
    note = next(note for note in scores.notes if "--match gerbil" in note)
    assert "2 answers in words, 1 with terms" in note
    assert any("macro F1 would be 0.333 by gerbil" in note for note in scores.notes)


@pytest.mark.parametrize(("most", "one"), [(WORDS, TERMS), (TERMS, WORDS)])
def test_a_few_answers_of_the_other_kind_are_not_told(most: Answers, one: Answers) -> None:
    assert resolve(gold(TERMS), [run(*[most] * 100, one)]).other == ""
    assert resolve(gold(TERMS), [run(*[most] * 30, one)]).other != ""


def test_gold_in_words_needs_a_text_matcher_whatever_most_answers_are() -> None:
    assert resolve(gold(WORDS, WORDS), [run(WORDS, TERMS, TERMS)]).match == "contains"


def test_a_matcher_that_is_named_stays() -> None:
    assert score(gold(WORDS), run(WORDS), match="gerbil").match == "gerbil"
