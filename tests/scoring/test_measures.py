"""Measures are functions of counts and weights."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import pytest
from general_measures import GENERAL
from matched import counts_frame

from qaldgen.analysis.comparing.comparison import compare_runs
from qaldgen.analysis.slices.slicing import Slice
from qaldgen.analysis.slices.weak_spots import _values_to_search
from qaldgen.answers.record import Response, Run
from qaldgen.errors import DataError
from qaldgen.model import Answers, Question
from qaldgen.scoring.counts import Count
from qaldgen.scoring.intervals import measure_interval
from qaldgen.scoring.measures import MEASURES, mean_of, total
from qaldgen.scoring.score import Scores


def table(
    *counts: tuple[int, int, int], status: Sequence[str] = (), hit: Sequence[bool] = ()
) -> pd.DataFrame:
    made = [Count(*count) for count in counts]
    return pd.DataFrame(
        {
            **{
                name: [getattr(count, name) for count in made]
                for name in ("tp", "fp", "fn", "precision", "recall", "f1")
            },
            "status": list(status) or ["answered"] * len(made),
            "hit": list(hit) or [False] * len(made),
        }
    )


def measured(name: str, counts: pd.DataFrame, weights: Sequence[float] | None = None) -> float:
    return MEASURES[name].of(counts, weights)


MIXED = table((1, 1, 0), (0, 0, 2), (2, 0, 2))
#: The measures of right answers.
OF_RIGHT = [
    *(f"{mean}-{what}" for mean in ("micro", "macro") for what in ("precision", "recall", "f1")),
    *("macro-f1-qald", "accuracy", "exact-match", "hit-at-1"),
]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("micro-precision", 3 / 4),
        ("micro-recall", 3 / 7),
        ("micro-f1", 6 / 11),
        ("macro-precision", 1.5 / 3),
        ("macro-recall", 1.5 / 3),
        ("macro-f1", (2 / 3 + 2 / 3) / 3),
        ("macro-f1-qald", 2 * (2.5 / 3) * 0.5 / (2.5 / 3 + 0.5)),
        ("accuracy", (0.5 + 0 + 0.5) / 3),
        ("exact-match", 0.0),
    ],
)
def test_measure_of_three_questions(name: str, expected: float) -> None:
    assert measured(name, MIXED) == pytest.approx(expected, rel=1e-15)


def test_nothing_expected_and_nothing_given_is_right_everywhere() -> None:
    counts = table((0, 0, 0), status=["empty"], hit=[True])
    assert {measured(name, counts) for name in OF_RIGHT} == {1.0}
    assert measured("coverage", counts) == 0


def test_an_answer_where_none_is_expected_is_wrong_everywhere() -> None:
    counts = table((0, 1, 0))
    assert {measured(name, counts) for name in OF_RIGHT if name != "macro-f1-qald"} == {0.0}


def test_no_questions_at_all() -> None:
    counts = table()
    assert [measured(name, counts) for name in ("micro-precision", "micro-recall", "micro-f1")] == [
        1.0
    ] * 3
    assert all(
        math.isnan(measured(name, counts)) for name in GENERAL if not name.startswith("micro")
    )


def test_macro_f1_qald_is_undefined_where_every_question_got_only_wrong_answers() -> None:
    assert math.isnan(measured("macro-f1-qald", table((0, 1, 1), (0, 2, 3))))


def test_macro_f1_qald_forgives_silence_in_precision_only() -> None:
    silent = table((1, 0, 0), (0, 0, 1))
    wrong = table((1, 0, 0), (0, 1, 1))
    assert measured("macro-f1-qald", silent) == pytest.approx(2 / 3)
    assert measured("macro-f1-qald", wrong) == pytest.approx(1 / 2)
    assert measured("macro-f1-qald", table((0, 0, 1))) == 0


def test_macro_f1_is_no_harmonic_mean_of_the_other_two() -> None:
    counts = table((1, 1, 0), (1, 0, 1))
    assert measured("macro-f1", counts) == pytest.approx(2 / 3)
    assert measured("macro-precision", counts) == measured("macro-recall", counts) == 0.75


def test_exact_match_and_accuracy_and_hits() -> None:
    counts = table((2, 0, 0), (1, 0, 1), (1, 1, 1), (0, 1, 0), hit=[True, True, False, False])
    assert measured("exact-match", counts) == 1 / 4
    assert measured("accuracy", counts) == pytest.approx((1 + 1 / 2 + 1 / 3) / 4)
    assert measured("hit-at-1", counts) == 1 / 2


def test_coverage_counts_questions_with_an_answer() -> None:
    counts = table(*[(0, 0, 1)] * 5, status=["answered", "empty", "failed", "timeout", "not asked"])
    assert measured("coverage", counts) == 1 / 5


@pytest.mark.parametrize("name", GENERAL)
def test_equal_weights_change_nothing(name: str) -> None:
    assert measured(name, MIXED, [0.2] * 3) == pytest.approx(measured(name, MIXED))


@pytest.mark.parametrize("name", GENERAL)
def test_a_weight_of_two_is_a_question_twice(name: str) -> None:
    twice = pd.concat([MIXED, MIXED.iloc[[0]]])
    assert measured(name, MIXED, [2, 1, 1]) == pytest.approx(measured(name, twice))


@pytest.mark.parametrize("name", GENERAL)
def test_only_the_proportions_of_weights_matter(name: str) -> None:
    assert measured(name, MIXED, [0.5, 0.3, 0.2]) == pytest.approx(measured(name, MIXED, [5, 3, 2]))


@pytest.mark.parametrize("name", GENERAL)
def test_weight_zero_leaves_a_question_out(name: str) -> None:
    assert measured(name, MIXED, [1, 0, 1]) == pytest.approx(measured(name, MIXED.iloc[[0, 2]]))


def test_sums_are_plain_additions_in_order() -> None:
    values = [1e16, 1.0, -1e16, 0.1, 0.2]
    added = 0.0
    for value in values:
        added += value
    assert total(values) == added != math.fsum(values)
    assert MEASURES["macro-f1"].of(pd.DataFrame({"f1": [0.1] * 3})) == (0.1 + 0.1 + 0.1) / 3


def test_every_measure_says_what_it_is() -> None:
    assert all(
        measure.label and measure.definition and "\n" not in measure.definition
        for measure in MEASURES.values()
    )
    assert len({measure.label for measure in MEASURES.values()}) == len(MEASURES)


def searched(counts: pd.DataFrame, measure: str) -> pd.Series:
    scored = Scores(Run("mine", "table", {}), counts)
    _, scores, _ = _values_to_search([scored], measure, difference=False)
    return scores["mine"]


def test_a_measure_is_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = mean_of(
        "has_wrong",
        "Wrong answers",
        "share of questions with a wrong answer",
        lambda counts: counts["fp"] > 0,
    )
    monkeypatch.setitem(MEASURES, "wrong", wrong)
    counts = table(*[(1, 1, 0), (0, 0, 2)] * 5).set_axis([f"q{number}" for number in range(10)])
    halves = [Slice("half", tuple(counts.index[:5]))]
    compared = compare_runs({"a": counts, "b": counts}, halves, measure="wrong")
    assert measured("wrong", counts) == measure_interval(counts, "wrong").estimate == 0.5
    assert compared.scores.loc[("half", "a"), "estimate"] == 0.6
    assert searched(counts, "wrong").tolist() == [1.0, 0.0] * 5


def test_what_a_measure_makes_is_averaged_over_the_answers_to_a_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(
        MEASURES,
        "square",
        mean_of("square", "Square", "mean squared F1", lambda counts: counts["f1"] ** 2),
    )
    given = tuple(Response("1", answers=Answers(texts=((text,),))) for text in ("half", "right"))
    run = Run("mine", "table", {"1": given[-1]}, repeats={"1": given})

    def matcher(question: Question, response: Response) -> Count:
        return Count(1, 1, 0) if response.answers == Answers(texts=(("half",),)) else Count(1, 0, 0)

    counts = counts_frame([Question("1", {"en": ("Which?",)})], run, matcher)
    assert counts["square"].tolist() == pytest.approx([((2 / 3) ** 2 + 1) / 2])
    assert measured("square", counts) == counts["square"].item()


def test_a_measure_names_the_column_that_is_absent() -> None:
    with pytest.raises(DataError, match="no column 'status', which Coverage needs"):
        measured("coverage", table((1, 0, 0)).drop(columns="status"))


def test_a_search_for_mistakes_looks_where_there_are_most() -> None:
    counts = pd.DataFrame({"wrong_type": [1.0, 0.0]}, index=["bad", "good"])
    assert searched(counts, "wrong-type").to_dict() == {"bad": 0.0, "good": 1.0}
