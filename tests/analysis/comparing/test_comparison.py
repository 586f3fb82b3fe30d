"""Comparison of systems.

Who wins, rank reversals, what is chance, and that nothing is found where there is nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import qaldgen as qg
from qaldgen.analysis.comparing import comparison
from qaldgen.analysis.comparing.comparison import (
    Comparison,
    compare_runs,
    families_in_words,
    find_reversals,
)
from qaldgen.analysis.comparing.multiplicity import Significance, adjust
from qaldgen.analysis.comparing.significance import paired_tests
from qaldgen.analysis.slices.slicing import ALL, Slice, slices_by
from qaldgen.errors import UsageError

IDS = [f"q{n}" for n in range(100)]
COUNT, PLAIN = Slice("count", tuple(IDS[:30])), Slice("plain", tuple(IDS[30:]))


def counts(scores: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"f1": scores}, index=IDS)


def flipped() -> Comparison:
    """A is better on 70 plain questions, B on 30 count questions."""
    a, b = counts([0.0] * 30 + [1.0] * 70), counts([1.0] * 25 + [0.0] * 75)
    return compare_runs({"A": a, "B": b}, [COUNT, PLAIN], tests=Significance(n_resamples=2000))


def test_overall_is_sorted_and_has_intervals() -> None:
    found = flipped().overall
    assert found.index.tolist() == ["A", "B"]
    assert found["estimate"].tolist() == pytest.approx([0.7, 0.25])
    assert found["low"]["A"] < 0.7 < found["high"]["A"]


def test_winners_by_slice() -> None:
    found = flipped().winners
    assert found["winner"].to_dict() == {ALL: "A", "count": "B", "plain": "A"}
    assert found["n"].to_dict() == {ALL: 100, "count": 30, "plain": 70}


def test_a_reversal_is_named_with_both_differences() -> None:
    (reversal,) = flipped().reversals
    assert reversal.certain
    assert (reversal.leader, reversal.other, reversal.slice, reversal.n) == ("A", "B", "count", 30)
    assert reversal.sentence.startswith("A leads overall by 0.450 (corrected p below 0.001)")
    assert ", B leads on count by 0.833 (n = 30, corrected p below 0.001)" in reversal.sentence


def test_a_reversal_that_may_be_chance_says_so() -> None:
    a, b = counts([0.0] * 3 + [1.0] * 97), counts([1.0] * 3 + [0.0] * 97)
    (reversal,) = compare_runs(
        {"A": a, "B": b}, [Slice("few", tuple(IDS[:5]))], tests=Significance(n_resamples=500)
    ).reversals
    assert not reversal.certain
    assert reversal.sentence.endswith(
        "B has the higher score on few by 0.200 (n = 5, corrected p = 1), but this may be chance."
    )
    assert "leads" not in reversal.sentence


def test_an_overall_lead_that_may_be_chance_says_so() -> None:
    a, b = counts([0.0] * 30 + [1.0] * 36 + [0.0] * 34), counts([1.0] * 30 + [0.0] * 70)
    (reversal,) = compare_runs(
        {"A": a, "B": b}, [COUNT], tests=Significance(n_resamples=500)
    ).reversals
    assert not reversal.certain
    assert reversal.sentence.startswith("B leads on count by 1.000")
    assert (
        "overall there is no evidence of a difference between A and B (0.060, corrected p = "
        in reversal.sentence
    )


def test_p_is_corrected_for_every_pair_and_on_slices_for_every_slice() -> None:
    rng = np.random.default_rng(0)
    systems = {name: counts(list(rng.binomial(1, 0.5, 100).astype(float))) for name in "ABC"}
    found = compare_runs(systems, [COUNT, PLAIN], tests=Significance(correct="bh"))
    assert (found.tests, found.slice_tests) == (3, 6)
    for overall in (True, False):
        family = found.pairs[np.array([name == ALL for name in found.pairs["slice"]]) == overall]
        assert family["p_adjusted"].tolist() == pytest.approx(
            adjust(family["p"].to_numpy(), "bh").tolist()
        )
    a, c, everything = systems["A"].iloc[:30], systems["C"].iloc[:30], np.ones((30, 1), dtype=bool)
    ((alone,),) = paired_tests([a, c], everything)
    row = found.pairs[
        (found.pairs["a"] == "A") & (found.pairs["b"] == "C") & (found.pairs["slice"] == "count")
    ].iloc[0]
    assert row["difference"] == pytest.approx(alone.difference)
    assert row["p"] == pytest.approx(alone.p, abs=0.03)


@pytest.mark.parametrize("correct", ["holm", "bh"])
def test_slices_do_not_change_the_verdict_on_all_questions(correct: str) -> None:
    rng = np.random.default_rng(7)
    a = rng.binomial(1, 0.7, 100).astype(float)
    systems = {"A": counts(list(a)), "B": counts(list(np.where(rng.random(100) < 0.25, 0.0, a)))}
    slices = [Slice(f"s{at}", tuple(IDS[at : at + 20])) for at in range(40)]
    alone, beside = (
        compare_runs(systems, some, tests=Significance(correct=correct)) for some in ([], slices)
    )
    assert [str(one.winners.loc[ALL, "winner"]) for one in (alone, beside)] == ["A", "A"]
    assert alone.pairs.iloc[0].to_dict() == beside.pairs.iloc[0].to_dict()


def test_slices_without_a_test_do_not_count() -> None:
    found = flipped()
    more = compare_runs(
        {"A": counts([1.0] * 100), "B": counts([0.0] * 100)},
        [Slice("few", tuple(IDS[:4]))],
        tests=Significance(n_resamples=200),
    )
    assert (found.slice_tests, more.slice_tests) == (2, 0)
    assert more.winners.loc["few", "winner"] == "tie"


def test_enough_exchanges_are_made_for_so_many_tests() -> None:
    slices = [Slice(f"s{n}", tuple(IDS[n:])) for n in range(50)]
    found = compare_runs(
        {"A": counts([1.0] * 100), "B": counts([0.0] * 100)},
        slices,
        tests=Significance(n_resamples=10),
    )
    assert (found.n_resamples, found.n_slice_resamples) == (40, 2000)
    assert found.winners.loc[ALL, "winner"] == "A"


def test_each_family_is_told() -> None:
    said = families_in_words(flipped())
    assert said.startswith(
        "1 paired test on all questions (2,000 random resamples) and 2 on slices (2,000)"
    )
    assert said.endswith("p corrected by holm, separately for each of these families")


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("macro-f1", "equal means"),
        ("f1", "equal means"),
        ("micro-f1", "exchanged"),
        ("macro-f1-qald", "exchanged"),
    ],
)
def test_it_is_told_what_is_tested(measure: str, said: str) -> None:
    assert said in comparison.tested_in_words(measure)


def test_the_winner_must_beat_every_other() -> None:
    a, b, c = counts([1.0] * 100), counts([1.0] * 98 + [0.0] * 2), counts([0.0] * 100)
    found = compare_runs({"A": a, "B": b, "C": c}, tests=Significance(n_resamples=200)).winners.loc[
        ALL
    ]
    assert (found["winner"], found["best"], found["not_worse"]) == ("tie", "A", "B")


def test_the_verdict_says_which_difference_would_have_been_seen() -> None:
    a, b = counts([1.0, 0.0] * 50), counts([1.0] * 52 + [0.0] * 48)
    found = compare_runs({"A": a, "B": b})
    row = found.pairs.iloc[0]
    assert row["p_adjusted"] > 0.05
    # two-sided at 5 %, and seen in 80 %, in standard errors; the bounds are 1.96 away
    least = (row["high"] - row["low"]) / 2 * (1.959964 + 0.841621) / 1.959964
    assert f"A difference of about {least:.2f} would have been seen" in found.verdict


def test_rows_in_another_order_are_the_same_questions() -> None:
    a, b = counts([1.0] * 50 + [0.0] * 50), counts([0.0] * 60 + [1.0] * 40)
    one, two = compare_runs({"A": a, "B": b}), compare_runs({"A": a, "B": b.iloc[::-1]})
    assert one.pairs["p"].tolist() == two.pairs["p"].tolist()
    assert one.pairs["difference"].tolist() == two.pairs["difference"].tolist()


def test_other_questions_are_refused_by_name(refused: Callable[..., str]) -> None:
    a = counts([1.0] * 100)
    assert "B: 1 question with a score only in A (q7)" in refused(
        lambda: compare_runs({"A": a, "B": a.drop("q7")})
    )
    assert "A: 1 question with a score only in B (q7)" in refused(
        lambda: compare_runs({"A": a.drop("q7"), "B": a})
    )
    doubled = pd.concat([a, a.loc[["q3"]]])
    assert "B: question q3 is scored twice" in refused(lambda: compare_runs({"A": a, "B": doubled}))


def test_wrong_calls_are_refused(refused: Callable[..., str]) -> None:
    a = counts([1.0] * 100)
    assert "two systems or more" in refused(lambda: compare_runs({"A": a}), UsageError)
    assert "'count'" in refused(lambda: compare_runs({"A": a, "B": a}, [COUNT, COUNT]), UsageError)
    assert "unknown correction 'x'" in refused(
        lambda: compare_runs({"A": a, "B": a}, tests=Significance(correct="x")), UsageError
    )
    assert "unknown measure 'x'" in refused(
        lambda: compare_runs({"A": a, "B": a}, measure="x"), UsageError
    )


def test_shuffled_systems_are_seldom_told_apart() -> None:
    rng = np.random.default_rng(1)
    slices = [Slice(f"s{n}", tuple(IDS[n * 10 : n * 10 + 20])) for n in range(9)]
    found = 0
    for _ in range(60):
        scores = rng.choice([0.0, 0.0, 0.5, 1.0], (2, 100))
        result = compare_runs(
            {"A": counts(list(scores[0])), "B": counts(list(scores[1]))},
            slices,
            tests=Significance(n_resamples=400),
        )
        found += bool((result.pairs["p_adjusted"] <= 0.05).any())
    assert found <= 7  # 3 expected at most; 7 or fewer with probability 0.99


def test_micro_f1_can_be_compared() -> None:
    rng = np.random.default_rng(2)
    frames = {
        name: pd.DataFrame({"tp": rng.binomial(3, chance, 100), "fp": 1, "fn": 1}, index=IDS)
        for name, chance in (("A", 0.9), ("B", 0.2))
    }
    found = compare_runs(frames, [COUNT], measure="micro-f1", tests=Significance(n_resamples=300))
    assert found.winners["winner"].to_dict() == {ALL: "A", "count": "A"}


def test_qald_9_systems(shared_data: Path) -> None:
    path = shared_data / "system-scores" / "Y_qald9_kbqa.csv"
    if not path.is_file():
        pytest.skip(f"the scores of systems are not at {path}")
    scores, features = (
        pd.read_csv(path, index_col=0),
        pd.read_csv(path.with_name("F_qald9_kbqa.csv"), index_col=0),
    )
    scores, features = scores[~scores.index.duplicated()], features[~features.index.duplicated()]
    systems = {name: pd.DataFrame({"f1": scores[name]}) for name in ("GANSWER2", "QAKIS")}
    slices = [
        one
        for feature in ("n_tp", "n_ent", "f_count", "superl")
        for one in slices_by(features, feature)
    ]
    found = compare_runs(systems, slices)
    assert found.winners.loc[ALL, "winner"] == "GANSWER2"
    assert set(found.winners["winner"]) == {"GANSWER2", "tie"}
    assert not any(reversal.certain for reversal in found.reversals)


def test_fewer_mistakes_are_ahead() -> None:
    index = [f"q{number}" for number in range(60)]
    careful = pd.DataFrame({"f1": 0.0, "wrong_type": 0.0}, index=index)
    careless = careful.assign(wrong_type=[1.0] * 40 + [0.0] * 20)
    easy = Slice("easy", tuple(index[40:]))

    found = compare_runs({"A": careless, "B": careful}, [easy], measure="wrong-type")

    assert list(found.overall.index) == ["B", "A"]
    assert found.winners.loc[ALL, "winner"] == "B"
    (whole,) = found.pairs[found.pairs["slice"] == ALL].to_dict("records")
    assert (whole["difference"], whole["losses"], whole["wins"]) == (pytest.approx(2 / 3), 40, 0)
    assert found.in_order("A", "B", whole["difference"]) == ("B", "A")
    assert found.reversals == ()


def test_a_reversal_in_mistakes_names_who_makes_fewer() -> None:
    index = [f"q{number}" for number in range(60)]
    a = pd.DataFrame({"wrong_type": [1.0] * 40 + [0.0] * 20}, index=index)
    b = 1 - a

    (reversal,) = compare_runs(
        {"A": a, "B": b}, [Slice("hard for B", tuple(index[40:]))], measure="wrong-type"
    ).reversals

    assert (reversal.leader, reversal.other) == ("B", "A")


def test_reversals_are_certain_up_to_the_level_and_these_come_first() -> None:
    rows = [
        *(("a", "b", ALL, 90, 0.2, 0.01, 0.05), ("a", "b", "long", 30, -0.3, 0.02, 0.05)),
        *(("a", "c", ALL, 90, 0.1, 0.04, 0.06), ("a", "c", "short", 30, -0.4, 0.001, 0.01)),
        *(("b", "c", ALL, 90, -0.1, 0.01, 0.01), ("b", "c", "odd", 30, 0.2, 0.005, 0.0501)),
    ]
    columns = ["a", "b", "slice", "n", "difference", "p", "p_adjusted"]
    found = find_reversals(pd.DataFrame(rows, columns=columns), 0.05)
    assert [(one.leader, one.other, one.slice, one.certain) for one in found] == [
        ("a", "b", "long", True),
        ("a", "c", "short", False),
        ("c", "b", "odd", False),
    ]


def test_questions_chosen_because_a_system_fails_are_described_and_not_tested() -> None:
    a, b = counts([0.0] * 60 + [1.0] * 40), counts([1.0] * 100)
    why = "These questions were chosen because A did badly on them."
    found = compare_runs({"A": a, "B": b}, [COUNT], untested=why)
    assert found.verdict == f"B 1.000, A 0.400. {why}"
    assert found.tests == found.slice_tests == 0
    assert found.pairs[["low", "high", "p", "p_adjusted"]].isna().all(axis=None)
    assert found.pairs["difference"].tolist() == pytest.approx([-0.6, -1.0])
    assert not found.reversals


def test_a_slice_that_a_system_chose_by_failing_is_described_beside_tested_ones() -> None:
    a, b = counts([0.0] * 60 + [1.0] * 40), counts([1.0] * 100)
    other = Slice("other", COUNT.ids)
    found = compare_runs({"A": a, "B": b}, [COUNT, other], untested_slices=[COUNT.name])
    pairs = {row["slice"]: row for row in found.pairs.to_dict("records")}
    named, other_row = pairs[COUNT.name], pairs["other"]
    assert all(np.isnan(named[name]) for name in ("low", "high", "p", "p_adjusted"))
    assert named["difference"] == other_row["difference"]
    assert other_row["p"] == other_row["p_adjusted"]
    assert found.slice_tests == 1
    assert found.winners.loc[COUNT.name, "winner"] == "tie"


def test_it_is_said_that_answers_in_words_count_by_their_probability() -> None:
    names = [{"id": f"{n}", "question": "Who?", "answers": ["Ada Mill"]} for n in range(12)]
    words = {row["id"]: "Ada Mill" for row in names}
    found = qg.compare(names, [words, {**words, "3": "Bo Kim"}])
    assert any("'qaldgen score' counts them" in note for note in found.notes)
    terms = [{**row, "answers": [f"http://x.org/{row['id']}"]} for row in names]
    right = {row["id"]: row["answers"] for row in terms}
    found = qg.compare(terms, [right, {**right, "3": ["http://x.org/4"]}])
    assert not any("'qaldgen score' counts them" in note for note in found.notes)
