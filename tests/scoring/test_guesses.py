"""How far scores rest on guesses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import qaldgen as qg
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.scoring.evaluation import score
from qaldgen.scoring.guesses import (
    SURE,
    Prior,
    count_guesses,
    expected_share,
    fitted_prior,
    learn_prior,
    reversed_share,
)
from qaldgen.scoring.judging import RunScorer
from qaldgen.scoring.leads import with_leads
from qaldgen.scoring.verdict_model import MAX_UNSURE, SignEvidence, fitted_model


def counts(hits: list[bool], sure: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"hit": hits, SURE: sure})


def test_certain_verdicts_leave_the_interval_of_the_sample() -> None:
    found = count_guesses(counts([True] * 60 + [False] * 40, [1.0] * 100))
    assert found is not None
    wilson = binomtest(60, 100).proportion_ci(method="wilson")
    assert (found.guesses, found.accuracy, found.labels) == (0, 0.6, 0)
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high))


def test_the_error_of_the_prior_moves_all_verdicts_to_one_side() -> None:
    found = count_guesses(counts([True, False] * 20_000, [0.97] * 40_000), Prior(0.0, 1.0))
    assert found is not None
    error = (0.25 / 40_000 + (0.97 * 0.03) ** 2) ** 0.5
    assert found.expected - found.low == pytest.approx(1.96 * error, rel=0.01)


@pytest.mark.parametrize(
    ("labels", "missed"), [(0, 0.081), (60, (0.081**-2 + 30 / (0.081 * 0.919)) ** -0.5)]
)
def test_people_may_accept_what_was_judged_wrong(labels: int, missed: float) -> None:
    found = count_guesses(counts([True, False] * 50_000, [0.98] * 100_000), Prior(0.0, 0, labels))
    assert found is not None
    assert fitted_model().missed == 0.081
    # half of the answers were judged wrong
    assert found.high - found.expected == pytest.approx(1.96 * missed / 2, rel=5e-3)
    assert found.expected - found.low == pytest.approx(1.96 * (0.25 / 100_000) ** 0.5, rel=5e-3)


def test_verdicts_that_no_prior_moves_leave_the_interval_of_the_sample() -> None:
    found = count_guesses(counts([True] * 400, [MAX_UNSURE] * 400), Prior(0.0, 2.0))
    assert found is not None
    wilson = binomtest(356, 400).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high))


def test_the_prior_that_a_sample_teaches_varies_with_the_sample() -> None:
    frame = counts([True, False] * 200, [0.8] * 400)
    alone, together = (count_guesses(frame, Prior(0.0, 0.1, learnt=part)) for part in (0.0, 1.0))
    assert alone is not None and together is not None
    variance = (0.3**2 + 2 * 0.16) / 400 + (0.1 * 0.16) ** 2
    assert together.expected - together.low == pytest.approx(1.96 * variance**0.5, rel=0.01)
    assert together.low < alone.low


def test_a_wide_interval_says_what_labels_would_narrow_it() -> None:
    found = count_guesses(counts([True] * 600 + [False] * 400, [0.8] * 1000), Prior(0.0, 1.0))
    assert found is not None and found.labels == 50
    assert found.narrowed < (found.high - found.low) / 3
    assert "50 labels by hand" in str(found)


def runs_of(share: float, size: int, rng: np.random.Generator) -> tuple[list[SignEvidence], Any]:
    """Return answers whose signs say what they mean, and which are right."""
    right = rng.random(size) < share
    return [SignEvidence(float(one)) for one in rng.normal(np.where(right, 2.0, -2.0), 2.0)], right


@pytest.mark.parametrize("share", [0.1, 0.5, 0.85])
def test_the_prior_of_a_run_is_learnt_from_the_run(share: float) -> None:
    rng = np.random.default_rng(3)
    evidence, _ = runs_of(share, 2000, rng)
    learnt = learn_prior(evidence)
    assert 1 / (1 + np.exp(-learnt.log_odds)) == pytest.approx(share, abs=0.1)


def test_a_few_answers_teach_nothing() -> None:
    differing = [SignEvidence(4.0), SignEvidence(4.0), SignEvidence(-4.0)] * 10
    assert learn_prior(differing[1:]) == fitted_prior()
    assert learn_prior(differing) != fitted_prior()


def test_answers_that_are_all_alike_teach_nothing_however_many_they_are() -> None:
    for size in (37, 4000):
        learnt = learn_prior([SignEvidence(1.0)] * size)
        assert learnt.log_odds == pytest.approx(fitted_prior().log_odds)
        assert learnt.error >= fitted_prior().error
    nearly = learn_prior([SignEvidence(1.0), SignEvidence(1.1)] * 200)
    assert nearly.log_odds == pytest.approx(fitted_prior().log_odds, abs=0.1)


@pytest.mark.parametrize(
    ("gold", "usual", "odd"),
    [
        ("no", "No.", "Ulmia"),
        ("no", "No.", "Yes."),
        ("yes", "Yes, it does.", "No."),
        ("yes", "Yes.", "1905"),
        ("yes", "Yes.", "I do not know."),
        ("yes", "Yes.", "Zoe Quint, a miller"),
    ],
)
def test_no_prior_makes_right_what_answers_no_yes_no_question(
    gold: str, usual: str, odd: str
) -> None:
    asked = [{"id": str(at), "question": "Is it old?", "answers": [gold]} for at in range(38)]
    scores = qg.score(asked, dict.fromkeys(map(str, range(37)), usual) | {"37": odd})
    assert scores.counts["hit"][:37].all() and not scores.counts["hit"].iloc[37]


def test_the_wrong_one_of_yes_and_no_is_wrong_in_at_least_three_of_four() -> None:
    asked = [{"id": str(at), "question": "Is it old?", "answers": ["yes"]} for at in range(38)]
    scores = qg.score(asked, dict.fromkeys(map(str, range(37)), "Yes.") | {"37": "No."})
    assert scores.counts[SURE].iloc[37] >= 0.75


def test_labels_count_for_more_than_what_the_run_says() -> None:
    evidence = [SignEvidence(0.0)] * 400
    learnt = learn_prior(evidence, dict.fromkeys(range(100), 1.0) | dict.fromkeys(range(5), 0.0))
    assert learnt.labels == 100
    assert 1 / (1 + np.exp(-learnt.log_odds)) > 0.9
    assert learnt.error < learn_prior(evidence).error


def test_labels_leave_less_of_the_prior_to_the_answers_of_the_run() -> None:
    evidence, right = runs_of(0.5, 400, np.random.default_rng(4))
    labels = dict(enumerate(right[:100].astype(float).tolist()))
    assert 0 < learn_prior(evidence, labels).learnt < learn_prior(evidence).learnt < 1


def test_a_guess_is_less_sure_than_nine_in_ten() -> None:
    found = count_guesses(counts([True] * 3, [0.89, 0.9, 0.91]))
    assert found is not None and found.guesses == 1


def test_without_probabilities_there_is_nothing_to_say() -> None:
    assert count_guesses(pd.DataFrame({"hit": [True]})) is None


@pytest.mark.parametrize("share", [0.2, 0.75])
def test_the_interval_covers_runs_whose_signs_hold(share: float) -> None:
    rng, covered = np.random.default_rng(5), 0
    evidence, right = runs_of(share, 5000, rng)
    for _ in range(100):
        drawn = rng.integers(5000, size=200)
        prior = learn_prior([evidence[at] for at in drawn])
        chance = np.array([evidence[at].chance(prior.log_odds) for at in drawn])
        found = count_guesses(
            counts(list(chance > 0.5), list(np.maximum(chance, 1 - chance))), prior
        )
        assert found is not None
        covered += bool(found.low <= right.mean() <= found.high)
    assert covered >= 90


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


def test_a_lead_by_best_guess_that_is_none_by_expectation_is_told() -> None:
    asked = [{"id": str(at), "question": "Who?", "answers": ["Ada Mill"]} for at in range(20)]

    def run(hits: int, wrong: str) -> dict[str, str]:
        return {str(at): "Ada Mill" if at < hits else wrong for at in range(20)}

    made = qg.evaluate(asked, {"a": run(11, "Zoe"), "b": run(10, "Ada Mull")})
    near = made["b"].counts[SURE][10:]
    assert (near < 0.9).all() and not made["b"].counts["hit"][10:].any()
    (told,) = {
        note for one in with_leads(made.scores) for note in one.notes if "expected (" in note
    }
    assert told.startswith("a is ahead of b by best guess (0.550, 0.500) and behind")
    same = qg.evaluate(asked, {"a": run(11, "Zoe"), "b": run(10, "Zoe")})
    assert not any("expected (" in note for one in with_leads(same.scores) for note in one.notes)


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


def test_a_comparison_takes_answers_in_words_as_right_with_their_probability() -> None:
    asked = [{"id": str(at), "question": "Who?", "answers": ["Ada Mill"]} for at in range(40)]
    runs = {"a": dict.fromkeys(map(str, range(40)), "Ada Mill's brother"), "b": {"0": "Ada Mill"}}
    made = qg.evaluate(asked, runs)
    compared = qg.compare(made)
    assert made["a"]["macro-f1"] == 1.0
    assert compared.overall.loc["a", "estimate"] == pytest.approx(expected_share(made["a"].counts))


def test_hand_labels_are_verdicts_and_teach_the_prior() -> None:
    asked = [{"id": str(at), "question": "Who?", "answers": ["Ada Mill"]} for at in range(60)]
    made = qg.evaluate(asked, {"a": dict.fromkeys(map(str, range(60)), "Ada Millner")})
    (before,) = made
    labels = dict.fromkeys(map(str, range(30)), 0.0)
    after = RunScorer(made.gold, before.rules._replace(labels=labels)).score(before.run)
    assert before.counts["hit"].all()
    assert not after.counts["hit"].any() and (after.counts[SURE][:30] == 1).all()
    assert (after.counts[SURE][30:] > 0.7).all()


@pytest.mark.parametrize(("gold", "said", "right"), [
    ("Pier 4 Cafe", "Pier 5 Cafe", False),
    ("Vol. 4", "Vol. 3", False),
    ("Ulm 4", "Ulm", True),  # the number of the question need not be said again
])  # fmt: skip
def test_a_name_with_another_number_is_another_name_even_if_the_question_has_it(
    gold: str, said: str, right: bool
) -> None:
    questions = [{"id": 1, "question": "What is on pier 4?", "answer": gold}]
    assert qg.score(questions, {"1": said}, match="contains")["accuracy"] == right


@pytest.mark.parametrize(("asked", "gold", "said", "right"), [
    ("What was the revenue (in USD millions)?", "$1577.00", "$1,577 million", True),
    ("What was the revenue (in USD millions)?", "$1577.00", "$1.577 billion", True),
    ("What was the revenue (in USD millions)?", "$1577.00", "$1,577 billion", False),
    ("What is the revenue of the 3 million shops?", "1577", "1,577 million", False),
    ("What is the ratio?", "0.75", "It is 3/4.", True),
    ("What is the ratio?", "0.75", r"\frac{3}{4}", True),
    ("What is the ratio?", "0.5", "3/4", False),
    ("How many?", "2", "on 10/5", False),  # a date is no number
])  # fmt: skip
def test_a_number_may_be_in_the_scale_of_the_question_or_a_fraction(
    asked: str, gold: str, said: str, right: bool
) -> None:
    questions = [{"id": 1, "question": asked, "answer": gold}]
    assert qg.score(questions, {"1": said}, match="contains")["accuracy"] == right


@pytest.mark.parametrize(("said", "sure"), [("3-5 May 2001", False), ("3 May 2001", True)])
def test_beside_the_name_of_a_month_its_number_is_another_day(said: str, sure: bool) -> None:
    questions = [{"id": 1, "question": "When was it?", "answer": "2001-05-03"}]
    chances = qg.score(questions, {"1": said}, match="contains").sure
    assert chances is not None
    assert (chances.iloc[0] > 0.95) == sure


@pytest.mark.parametrize(("gold", "said", "right"), [
    ("3500", "3.5k", True), ("12000", "12 K ships", True), ("3500", "3.5 km", False),
    ("300", "300 K", True), ("option1", "option2", False), ("B12", "B6", False),
])  # fmt: skip
def test_thousands_may_be_short_and_numbers_within_words(gold: str, said: str, right: bool) -> None:
    questions = [{"id": 1, "question": "How many or which?", "answer": gold}]
    assert qg.score(questions, {"1": said}, match="contains")["accuracy"] == right


def test_other_characters_of_the_same_sound_are_no_guess_in_japanese() -> None:
    gold = [{"id": "1", "question": "何でできていますか?", "answers": ["紙"]}]
    scores = qg.score(gold, {"1": "鉄"}, language="ja")
    assert scores["macro-f1"] == 0
    assert not any("guess" in note for note in scores.notes)


def test_characters_may_be_simplified_in_chinese() -> None:
    gold = [{"id": "1", "question": "什么?", "answers": ["飞机"]}]
    assert qg.score(gold, {"1": "飛機"}, language="zh")["macro-f1"] == 1
