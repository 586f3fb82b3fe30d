"""A rule that is told scores as they come in, and says when to stop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import qaldgen as qg
from qaldgen.plugins.stopping import stop_rule
from qaldgen.plugins.stopping.rule import StopRule
from qaldgen.selection.vectors import Vectors

EXAMPLE = Path(__file__).resolve().parents[3] / "examples"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, few_features: Vectors) -> Path:
    path = tmp_path_factory.mktemp("rules") / "bench.ttl"
    qg.sample(few_features, 150, method="lpm").save(path)
    return path


def scores(seed: int = 0, chance: float = 0.4) -> list[float]:
    return [float(one < chance) for one in np.random.default_rng(seed).random(150)]


def run(rule: StopRule, values: list[float]) -> tuple[int, str]:
    """Tell a rule all scores in order until it stops; return after how many it did, and why."""
    for at, (name, value) in enumerate(zip(rule.order, values, strict=False), 1):
        rule.see(name, value)
        if reason := rule.stop():
            return at, reason
    return len(values), ""


def test_it_stops_at_the_first_look_that_is_precise_enough(bench: Path) -> None:
    rule = stop_rule(bench, until=0.11)
    n, reason = run(rule, scores())
    looks = rule.records[1:]
    assert [one["n"] for one in looks] == list(range(30, n + 1, 10))
    assert [one["reached"] for one in looks] == [False] * (len(looks) - 1) + [True]
    assert looks[-1]["high"] - looks[-1]["low"] <= 0.22
    assert reason.startswith(f"precise enough after {n} questions")


def test_the_interval_at_the_stop_is_the_one_that_score_prints(bench: Path, tmp_path: Path) -> None:
    rule = stop_rule(bench, until=0.11)
    n, _ = run(rule, scores())
    journal = tmp_path / "mine.jsonl"
    from qaldgen.answers.journal import open_journal
    from qaldgen.answers.record import Response

    benchmark = qg.load_benchmark(bench)
    with open_journal(journal) as kept:
        for question, value in zip(benchmark.questions[:n], scores(), strict=False):
            answers = (
                question.answers
                if value and question.answers and question.answers.values()
                else None
            )
            kept.add(
                Response(
                    question.id,
                    "answered" if answers else "failed",
                    answers,
                    error="" if answers else "no",
                )
            )
    own = qg.score(benchmark, journal).counts["f1"]
    told = stop_rule(bench, until=0.11)
    for name in told.order[:n]:
        told.see(name, float(own[name]))
    told.stop()
    row = qg.estimate(bench, [journal]).table.iloc[0]
    assert (row["low"], row["high"]) == pytest.approx(
        (told.records[-1]["low"], told.records[-1]["high"])
    )


def test_answers_in_any_order_wait_for_the_beginning(bench: Path) -> None:
    """Parallel calls: the second question comes last."""
    rule, values = stop_rule(bench, above=0.9), scores(chance=0.1)
    for name, value in list(zip(rule.order, values, strict=False))[:60]:
        if name != rule.order[1]:
            rule.see(name, value)
            assert rule.stop() == ""
    rule.see(rule.order[1], 0.0)
    assert rule.stop().startswith("worse than 0.9 after 30 questions")


def test_a_later_try_opens_no_look_again(bench: Path) -> None:
    rule, values = stop_rule(bench, above=0.5), scores(chance=0.5)
    for name, value in zip(rule.order[:30], values, strict=False):
        rule.see(name, value)
    rule.stop()
    seen = list(rule.records)
    for name in rule.order[:30]:
        rule.see(name, 1.0)
    assert rule.stop() == ""
    assert rule.records == seen


def test_the_first_score_of_a_question_counts(bench: Path) -> None:
    once, twice = (stop_rule(bench, until=0.11) for _ in range(2))
    for name, value in zip(once.order[:30], scores(), strict=False):
        once.see(name, value)
        twice.see(name, value)
        twice.see(name, 1.0 - value)
    assert (twice.stop(), twice.records[1:]) == (once.stop(), once.records[1:])
    assert len(once.records) == 2


def test_a_run_that_was_killed_goes_on_with_its_looks(bench: Path) -> None:
    whole = stop_rule(bench, above=0.3)
    values = scores(3, 0.45)
    stopped, why = run(whole, values)
    for cut in (29, 30, 47):
        first, second = stop_rule(bench, above=0.3), stop_rule(bench, above=0.3)
        run(first, values[:cut])
        second.resume(first.records)
        assert run(second, values) == (stopped, why)
        assert second.records == whole.records


def test_another_plan_is_refused_on_resuming(bench: Path) -> None:
    first = stop_rule(bench, above=0.5)
    for other in (
        stop_rule(bench, above=0.4),
        stop_rule(bench, above=0.5, largest=100),
        stop_rule(bench, until=0.05),
    ):
        with pytest.raises(qg.UsageError, match="looked at under another plan"):
            other.resume(first.records)


def test_the_end_without_a_decision_is_a_reason_too(bench: Path) -> None:
    n, reason = run(stop_rule(bench, above=0.5, largest=60), [1.0, 0.0] * 75)
    assert n == 60
    assert reason == "undecided after 60 questions, and no look is left"


def test_others_make_it_stop_earlier(bench: Path, few_features: Vectors) -> None:
    rng = np.random.default_rng(1)
    truth = pd.Series((rng.random(245) < 0.4).astype(float), index=list(few_features.ids))
    other = pd.DataFrame({"other": np.abs(truth - (rng.random(245) < 0.1))}, index=truth.index)
    iris = [question.iri for question in qg.load_benchmark(bench).questions]
    own = truth.loc[iris].tolist()
    alone, helped = (
        run(stop_rule(bench, until=0.09, others=table), own)[0] for table in (None, other)
    )
    assert helped < alone


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "say when to stop"),
        ({"until": 0.05, "above": 0.5}, "say when to stop"),
        ({"until": 0.0}, "the half-width"),
    ],
)
def test_rules_that_there_are_not_are_refused(
    bench: Path, options: dict[str, float], said: str
) -> None:
    with pytest.raises(qg.UsageError, match=said):
        stop_rule(bench, **options)  # type: ignore[arg-type]


def test_a_rule_that_is_none_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(qg.UsageError, match="say when to stop"):
        stop_rule(tmp_path / "absent.ttl")


@pytest.mark.parametrize(("name", "score"), [("nobody", 0.5), ("", 1.5), ("", float("nan"))])
def test_scores_that_there_are_not_are_refused(bench: Path, name: str, score: float) -> None:
    rule = stop_rule(bench, until=0.05)
    with pytest.raises(qg.UsageError, match=r"not one of the benchmark|must be between 0 and 1"):
        rule.see(name or rule.order[0], score)
