"""How far scores rest on guesses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import qaldgen as qg
from qaldgen.analysis.common_questions import with_leads
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.runs.record import Response, Run
from qaldgen.scoring.evaluation import score
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.guesses import SURE, guesses_of, reversed_share


def counts(hits: list[bool], sure: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"hit": hits, SURE: sure})


def test_certain_verdicts_leave_the_interval_of_the_sample() -> None:
    found = guesses_of(counts([True] * 60 + [False] * 40, [1.0] * 100))
    assert found is not None
    wilson = binomtest(60, 100).proportion_ci(method="wilson")
    assert (found.guesses, found.accuracy) == (0, 0.6)
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high))


def test_errors_among_the_sure_widen_it_too() -> None:
    sure = guesses_of(counts([True] * 60 + [False] * 40, [0.95] * 100))
    certain = guesses_of(counts([True] * 60 + [False] * 40, [1.0] * 100))
    assert sure is not None and certain is not None
    assert sure.guesses == 0
    assert sure.high - sure.low > certain.high - certain.low


def test_half_of_the_expected_errors_is_a_standard_error_beside_that_of_the_sample() -> None:
    found = guesses_of(counts([True, False] * 20_000, [0.98] * 40_000))
    assert found is not None
    error = (0.25 / 40_000 + (0.02 / 2) ** 2) ** 0.5
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=5e-3)


def test_a_guess_is_less_sure_than_nine_in_ten() -> None:
    found = guesses_of(counts([True] * 3, [0.89, 0.9, 0.91]))
    assert found is not None and found.guesses == 1


def test_without_probabilities_there_is_nothing_to_say() -> None:
    assert guesses_of(pd.DataFrame({"hit": [True]})) is None


def test_the_interval_covers_what_is_drawn_from_the_probabilities() -> None:
    rng = np.random.default_rng(5)
    hits = rng.random(20_000) < 0.6
    sure = rng.choice([0.95, 0.8], size=20_000)
    right = hits ^ (rng.random(20_000) > sure)
    pool, covered = counts(list(hits), list(sure)), 0
    for _ in range(200):
        found = guesses_of(pool.iloc[rng.integers(20_000, size=200)])
        assert found is not None
        covered += found.low <= right.mean() <= found.high
    assert covered >= 180


def test_a_lead_of_guesses_is_often_lost_and_one_of_certain_verdicts_never() -> None:
    ahead, behind = [True] * 52 + [False] * 48, [True] * 50 + [False] * 50
    certain = reversed_share(counts(ahead, [1.0] * 100), counts(behind, [1.0] * 100))
    guessed = reversed_share(counts(ahead, [0.8] * 100), counts(behind, [0.8] * 100))
    assert certain == 0
    assert guessed > 0.2


def test_scores_of_text_answers_have_the_probability_of_each_verdict() -> None:
    texts = {"1": "Ada Mill", "2": "Perhaps Ada Mill", "3": "Zoe"}
    asked = tuple(
        Question(name, {"en": ("Who?",)}, answers=Answers(texts=(("Ada Mill",),))) for name in texts
    )
    given = {
        name: Response(name, answers=Answers(texts=((text,),))) for name, text in texts.items()
    }
    scores = score(Gold(QuestionSet("set", "table", asked)), Run("mine", "table", given))
    assert (scores.counts[SURE] < 0.9).tolist() == [False, True, False]
    assert any("1 of 3 verdicts are guesses" in note for note in scores.notes)


def test_a_lead_that_depends_on_guesses_is_noted_once() -> None:
    asked = tuple(
        Question(str(at), {"en": ("Who?",)}, answers=Answers(texts=(("Ada Mill",),)))
        for at in range(20)
    )
    gold = Gold(QuestionSet("set", "table", asked))

    def run(name: str, hits: int, text: str) -> Run:
        given = {
            one.id: Response(one.id, answers=Answers(texts=((text if at < hits else "Zoe",),)))
            for at, one in enumerate(asked)
        }
        return Run(name, "table", given)

    near = [score(gold, run("a", 11, "Perhaps Ada Mill")), score(gold, run("b", 10, "Ada Mill"))]
    alike = with_leads(near)
    again = with_leads(alike)
    for one in again:  # what holds for all is not ascribed to one of them
        assert sum("that of a over b" in note for note in one.notes) == 1
    far = [score(gold, run("a", 20, "Ada Mill")), score(gold, run("b", 0, "Ada Mill"))]
    assert not any("depends on guesses" in note for note in with_leads(far)[0].notes)


def test_printed_scores_say_what_was_noted() -> None:
    gold = [{"id": str(at), "question": "Who?", "answers": ["Ada Mill"]} for at in range(9)]
    scores = qg.score(gold, dict.fromkeys(map(str, range(9)), "Perhaps Ada Mill"))
    assert "9 of 9 verdicts are guesses" in str(scores)


def test_measures_of_one_value_are_printed_once() -> None:
    gold = [{"id": str(at), "question": "Who?", "answers": ["Ada Mill"]} for at in range(4)]
    scores = qg.score(gold, {"0": "Ada Mill", "1": "Zoe", "2": "Ben", "3": "Cleo"})
    printed = str(scores)
    assert printed.count("0.2500") == 1
    assert "the same as Accuracy: Micro Precision, " in printed
    assert "Macro F1 score" not in repr(scores) and scores["macro-f1"] == 0.25
    given = {"0": ["http://x.org/Ada"], "1": ["http://x.org/Ben"]}
    terms = [{"id": at, "question": "Who?", "answers": ["http://x.org/Ada"]} for at in "01"]
    assert "Macro F1 score    0.5000" in str(qg.score(terms, given))
