"""The matcher follows the question, its gold and the answer: never the company."""

from __future__ import annotations

import itertools
import random

import pandas as pd
import pytest

from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold
from qaldgen.errors import UsageError
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.scoring.evaluation import evaluate, score


def iri(name: str) -> Answers:
    return Answers(rows=((Cell("uri", f"http://x.org/{name}"),),))


def literal(text: str) -> Answers:
    return Answers(rows=((Cell("literal", text),),))


def words(text: str) -> Answers:
    return Answers(texts=((text,),))


WORDS, TERMS, CODE = words("the Old Mill"), iri("Old_Mill"), iri("Q64")
YES = Answers(boolean=True)


def gold(*answers: Answers | None, query: str = "") -> Gold:
    queries = {"": query} if query else {}
    asked = (
        Question(str(at), {"en": ("Where?",)}, answers=one, queries=queries)
        for at, one in enumerate(answers)
    )
    return Gold(QuestionSet("set", "table", tuple(asked)))


def run(*answers: Answers, name: str = "mine") -> Run:
    given = {str(at): Response(str(at), answers=one) for at, one in enumerate(answers)}
    return Run(name, "table", given)


@pytest.mark.parametrize(
    ("asked", "said", "match", "f1"),
    [
        (TERMS, TERMS, "gerbil", 1),
        (TERMS, WORDS, "contains", 1),
        (WORDS, WORDS, "contains", 1),
        (WORDS, TERMS, "contains", 1),
        (words("Old Mill"), TERMS, "contains", 1),
        (YES, YES, "gerbil", 1),
        (YES, words("Yes."), "contains", 1),
        (literal("42"), literal("42"), "gerbil", 1),
        (literal("42"), words("42"), "gerbil", 1),
        (literal("42"), words("There are 42."), "contains", 1),
        (literal("1815-12-10"), words("on 10 December 1815"), "contains", 1),
        (words("42"), literal("42.0"), "contains", 1),
        (CODE, words("42"), "gerbil", 0),
        (Answers(), words("Ulm"), "contains", 0),
    ],
)
def test_the_matcher_follows_gold_and_answer(
    asked: Answers, said: Answers, match: str, f1: float
) -> None:
    counts = score(gold(asked), run(said)).counts
    assert counts[["matcher", "f1"]].to_numpy().tolist() == [[match, f1]]


def test_a_mixed_set_is_mixed_in_one_call() -> None:
    scores = score(gold(TERMS, WORDS, YES), run(TERMS, words("at the Old Mill"), words("Yes.")))
    assert scores.counts["matcher"].tolist() == ["gerbil", "contains", "contains"]
    assert scores.counts["f1"].tolist() == [1.0, 1.0, 1.0]
    assert scores.match == "gerbil and contains" or scores.match == "contains and gerbil"


def test_numbers_and_dates_of_a_set_with_queries_are_terms() -> None:
    asked = [words("42"), words("1815-12-10"), WORDS]
    said = run(literal("42"), words("1815-12-10"), WORDS)
    matchers = score(gold(*asked, query="ASK {}"), said).counts["matcher"].tolist()
    assert matchers == ["gerbil", "gerbil", "contains"]
    assert score(gold(*asked), said).matchers == {"contains": 3}
    assert score(gold(words("42"), TERMS), run(words("42"), TERMS)).matchers == {"gerbil": 2}


@pytest.mark.parametrize(
    ("asked", "said", "why"),
    [
        (CODE, words("Berlin"), "no gold answer has a name"),
        (words("Berlin"), CODE, "the answer has no name, only a code"),
    ],
)
def test_what_cannot_be_judged_counts_as_not_right(asked: Answers, said: Answers, why: str) -> None:
    scores = score(gold(asked, YES), run(said, YES))
    assert scores["macro-f1"] == 0.5
    assert scores.most() == 1.0
    assert scores.statuses() == {"not judged": 1, "answered": 1}
    told = " ".join(scores.notes)
    assert "not judged: 1 of 2 questions (first: 0)" in told
    assert why in told
    assert "between 0.5000 and 1.0000" in told


def test_a_name_makes_an_answer_judged() -> None:
    names = {"Q64": ["Berlin"]}
    for asked, said in itertools.permutations([CODE, words("Berlin")]):
        assert score(gold(asked), run(said), aliases=names)["macro-f1"] == 1.0


def test_a_matcher_that_is_named_stays() -> None:
    scores = score(gold(WORDS, TERMS), run(WORDS, WORDS), match="gerbil")
    assert scores.matchers == {"gerbil": 2}


def test_gerbil_drops_questions_without_a_text_where_all_gold_are_terms() -> None:
    german = Question("0", {"de": ("Wo?",)}, answers=TERMS)
    others = Question("1", {"en": ("Where?",)}, answers=TERMS)
    asked = Gold(QuestionSet("set", "qald-json", (german, others)))
    assert list(score(asked, run(TERMS)).counts.index) == ["1"]
    assert list(score(asked, run(WORDS)).counts.index) == ["1"]
    assert list(score(asked, run(TERMS), language="de").counts.index) == ["0"]


def test_runs_with_the_same_name_are_refused() -> None:
    with pytest.raises(Exception, match="two runs have the name 'mine'"):
        evaluate(gold(TERMS), [run(TERMS), run(WORDS)])


def test_no_run_is_an_evaluation_of_its_rules() -> None:
    made = evaluate(gold(TERMS), (), match="strict")
    assert len(made) == 0
    assert made.score(run(TERMS)).matchers == {"strict": 1}
    with pytest.raises(UsageError, match="there is no matcher"):
        evaluate(gold(TERMS), run(TERMS), match="lax")


ANSWERS = [
    *(TERMS, CODE, WORDS, YES, Answers(), iri("Ulm"), literal("42"), words("42")),
    *(words("It is Ulm."), words("None"), words("No."), Answers(boolean=False), words("Q64")),
]


@pytest.mark.parametrize("seed", range(15))
def test_counts_do_not_depend_on_other_runs(seed: int) -> None:
    rng = random.Random(seed)
    size = rng.randint(1, 6)
    questions = gold(*rng.choices(ANSWERS, k=size), query=rng.choice(["", "ASK {}"]))
    runs = [
        run(*rng.choices(ANSWERS, k=rng.randint(1, size)), name=f"run {at}")
        for at in range(rng.randint(2, 4))
    ]
    alone = {one.name: evaluate(questions, one)[0] for one in runs}
    for some in (runs, runs[::-1], runs[1:]):
        for scores in evaluate(questions, some):
            pd.testing.assert_frame_equal(scores.counts, alone[scores.name].counts)
            assert scores.notes == alone[scores.name].notes


def test_a_weak_run_does_not_turn_a_ranking_over() -> None:
    """Two questions, three systems: one answers with terms, one in words, one with codes."""
    asked = gold(iri("Ulm"), iri("Bonn"), literal("42"), literal("7"))
    terms = run(iri("Ulm"), iri("Bonn"), literal("42"), literal("8"), name="terms")
    worded = run(words("Ulm"), words("in Trier"), words("43"), words("none"), name="words")
    weak = run(*[words("I do not know.")] * 4, name="weak")
    for others in ([], [worded], [worded, weak], [weak]):
        made = evaluate(asked, [terms, *others])
        assert made["terms"]["macro-f1"] == 0.75
        assert [one["macro-f1"] for one in made if one.name == "words"] in ([], [0.25])
