"""Estimates of the score on the whole pool, the summary, and features as slices."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from asked import prepare

import qaldgen as qg
from qaldgen.analysis.estimating.estimate import estimate_runs
from qaldgen.analysis.estimating.known_scores import KnownScores, known_scores
from qaldgen.analysis.feature_table import sampling_query, slices_by_features, slices_by_queries
from qaldgen.analysis.slices.slicing import Slice
from qaldgen.annotation.statements import question_iri
from qaldgen.answers.record import Response, Run, status_of
from qaldgen.benchmark.gold import Gold, load_gold
from qaldgen.benchmark.question_features import features_of
from qaldgen.errors import UsageError
from qaldgen.model import Question, QuestionSet
from qaldgen.reports.report import report_scores
from qaldgen.reports.tables.scores import score_with_interval, side_by_side, slices_side_by_side
from qaldgen.scoring.evaluation import score
from qaldgen.scoring.measures import MEASURES
from qaldgen.scoring.score import Scores, summarise
from qaldgen.selection.vectors import Vectors
from qaldgen.sparql.ready_queries import read_query
from qaldgen.stores.local import open_file

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples"
Refused = Callable[..., str]


@pytest.fixture(scope="module")
def full() -> Gold:
    """All questions of the example."""
    return load_gold(EXAMPLE / "questions.json")


@pytest.fixture(scope="module")
def scored(full: Gold) -> dict[str, Scores]:
    """Three systems on all of them."""
    graph, found = open_file(EXAMPLE / "graph.ttl"), {}
    for name in ("typed", "lookup", "templates"):
        answer = prepare(name, graph)
        given = {
            question.id: answer(question.text()).answers for question in full.questions.questions
        }
        responses = {id_: Response(id_, status_of(one), one) for id_, one in given.items()}
        found[name] = score(full, Run(name, "journal", responses))
    return found


def drawn(full: Gold, vectors: Vectors, n: int = 60, method: str = "lpm", seed: int = 0) -> Gold:
    """Return a sample as gold, without a file between."""
    bench = qg.sample(vectors, n, method=method, random_state=seed)
    by_tail = {
        question_iri(full.questions, one).rpartition("/")[2]: one
        for one in full.questions.questions
    }
    questions = tuple(
        Question(by_tail[tail].id, by_tail[tail].texts, iri=iri) for iri, tail in _tails(bench)
    )
    chance = {
        one.id: member.inclusion
        for one, member in zip(questions, bench.members, strict=True)
        if member.inclusion
    }
    return Gold(QuestionSet("sample", "rdf", questions), {}, {}, chance, bench)


def _tails(bench: qg.Benchmark) -> list[tuple[str, str]]:
    return [(member.iri, member.iri.rpartition("/")[2]) for member in bench.members]


def on(gold: Gold, one: Scores) -> Scores:
    return Scores(one.run, one.counts.loc[[question.id for question in gold.questions.questions]])


@pytest.fixture(scope="module")
def samples(full: Gold, few_features: Vectors) -> list[Gold]:
    """Fifty samples of the pool."""
    return [drawn(full, few_features, seed=seed) for seed in range(50)]


def test_intervals_of_fifty_samples_hold_the_score_on_the_pool(
    samples: list[Gold], scored: dict[str, Scores]
) -> None:
    truth = scored["typed"].counts["f1"].mean()
    others = pd.DataFrame({name: scored[name].counts["f1"] for name in ("lookup", "templates")})
    held = {"sample": 0, "with others": 0}
    errors = []
    for gold in samples:
        for row in estimate_runs(
            gold, [on(gold, scored["typed"])], pool_scores=KnownScores(others)
        ).to_dict("records"):
            held[str(row["estimator"])] += row["low"] <= truth <= row["high"]
            errors.append(row["estimate"] - truth)
    assert min(held.values()) >= 45, held
    assert abs(float(np.mean(errors))) < 0.02


def test_a_report_on_a_sample_has_the_difference_that_is_estimated(
    samples: list[Gold], scored: dict[str, Scores]
) -> None:
    runs = [on(samples[0], scored[name]) for name in ("typed", "lookup")]
    comparison = report_scores(samples[0], runs).comparison
    assert comparison is not None
    pair = comparison.pairs.iloc[0]
    row = estimate_runs(samples[0], runs).set_index("estimator").loc["difference"]
    assert row["run"] == f"{pair['a']} - {pair['b']}"
    assert row["low"] < row["estimate"] < row["high"]
    figures = (row["estimate"], row["low"], row["high"])
    assert (pair["difference"], pair["low"], pair["high"]) == figures


def test_others_by_id_or_iri_and_never_the_run_itself(
    full: Gold, few_features: Vectors, scored: dict[str, Scores]
) -> None:
    gold = drawn(full, few_features)
    others = pd.DataFrame({name: scored[name].counts["f1"] for name in ("lookup", "typed")})
    iris = {one.id: one.iri for one in gold.questions.questions}
    by_iri = others.rename(index=iris)
    one = on(gold, scored["typed"])
    same, alone = (
        estimate_runs(gold, [one], pool_scores=KnownScores(table))
        for table in (by_iri, others[["lookup"]])
    )
    pd.testing.assert_frame_equal(estimate_runs(gold, [one], pool_scores=KnownScores(others)), same)
    pd.testing.assert_frame_equal(same, alone)
    assert same["estimator"].tolist() == ["sample", "with others"]


def test_others_must_be_other_systems_on_the_whole_pool(
    full: Gold, few_features: Vectors, scored: dict[str, Scores], refused: Refused
) -> None:
    gold, one = drawn(full, few_features), scored["typed"]
    others = pd.DataFrame({"lookup": scored["lookup"].counts["f1"]})
    first = gold.questions.questions[0].id
    sampled = [question.id for question in gold.questions.questions]

    def estimated(table: pd.DataFrame) -> Callable[[], object]:
        return lambda: estimate_runs(gold, [on(gold, one)], pool_scores=KnownScores(table))

    assert f"1 of 60 questions of the benchmark have no results (first: {first})" in refused(
        estimated(others.drop(first))
    )
    assert "has results on 60 questions, the pool has 245" in refused(
        estimated(others.loc[sampled])
    )
    assert "those of typed itself" in refused(
        estimated(others.rename(columns={"lookup": "typed"})), UsageError
    )


def test_a_purposive_sample_or_no_benchmark_or_no_mean_is_refused(
    full: Gold, few_features: Vectors, scored: dict[str, Scores], refused: Refused
) -> None:
    chosen = drawn(full, few_features, 20, "feasible-exmp")
    one = scored["typed"]
    assert "feasible-exmp chose these questions on purpose" in refused(
        lambda: estimate_runs(chosen, [on(chosen, one)]), UsageError
    )
    assert "needs the benchmark as RDF" in refused(lambda: estimate_runs(full, [one]), UsageError)
    honest = drawn(full, few_features)
    assert "not micro-f1" in refused(
        lambda: estimate_runs(honest, [on(honest, one)], measure="micro-f1"), UsageError
    )


def test_the_summary_has_the_value_of_the_measure_and_both_denominators(
    scored: dict[str, Scores],
) -> None:
    one = scored["typed"]
    status = one.counts["status"].where(np.arange(245) >= 5, "failed")
    lacking = Scores(one.run, one.counts.assign(status=status))
    found = summarise([lacking], missing=("zero", "skip")).set_index(["missing", "measure"])
    assert found.loc[("zero", "macro-f1"), "value"] == MEASURES["macro-f1"].of(one.counts, None)
    assert found["questions"].groupby("missing").first().to_dict() == {"skip": 240, "zero": 245}
    table = side_by_side(found.reset_index())
    assert table.iloc[-1].tolist() == ["Questions", "245", "240"]
    assert list(table.columns) == ["measure", "typed (missing is 0)", "typed (missing left out)"]


def test_a_score_without_interval_or_value_is_said() -> None:
    nan = float("nan")
    assert [
        score_with_interval(0.5, 0.25, 0.75),
        score_with_interval(0.5, nan, nan),
        score_with_interval(nan, nan, nan),
    ] == [
        "0.5000 [0.250, 0.750]",
        "0.5000",
        "undefined",
    ]


def test_slices_stand_side_by_side_and_each_run_has_its_n_where_they_differ() -> None:
    rows = pd.DataFrame(
        {
            "run": ["A", "A", "B", "B"],
            "slice": ["x", "y"] * 2,
            "n": [5, 6, 5, 6],
            "estimate": 0.5,
            "low": 0.1,
            "high": 0.9,
        }
    )
    assert list(slices_side_by_side(rows).columns) == ["slice", "n", "A", "B"]
    assert list(slices_side_by_side(rows.assign(n=[5, 6, 5, 4])).columns) == [
        "slice",
        "n, A",
        "A",
        "n, B",
        "B",
    ]


def test_features_clusters_and_crossings_as_slices(full: Gold, refused: Refused) -> None:
    table = features_of(full)
    assert "have no clusters" in refused(lambda: slices_by_features(table, ["cluster"]), UsageError)
    clustered = features_of(
        Gold(
            full.questions,
            clusters={one.id: at % 3 for at, one in enumerate(full.questions.questions)},
        )
    )
    assert [len(one) for one in slices_by_features(clustered, ["cluster"])] == [82, 82, 81]
    crossed = slices_by_features(table, ["answerType, isCount", "isCount"])
    assert {one.name for one in crossed} >= {
        "answerType = number and isCount = yes",
        "isCount = no",
    }
    assert len(slices_by_features(table, ["isCount", "isCount"])) == 2


def test_a_feature_slice_and_its_query_are_the_same_questions(full: Gold, tmp_path: Path) -> None:
    one = next(
        one
        for one in slices_by_features(features_of(full), ["answerType,isCount"])
        if "isCount = yes" in one.name
    )
    path = tmp_path / "again.rq"
    path.write_text(sampling_query(one), encoding="utf-8")
    (back,) = slices_by_queries(full, [read_query(path)])
    assert (back.name, set(back.ids)) == ("again", set(one.ids))
    assert sampling_query(Slice("mine", ("1",), query="SELECT ?q {}")) == "SELECT ?q {}"


def test_a_ready_query_keeps_its_whole_name(full: Gold) -> None:
    assert [one.name for one in slices_by_queries(full, [read_query("listing-1.2")])] == [
        "listing-1.2"
    ]


def test_differences_are_estimated_on_the_same_questions(
    full: Gold, few_features: Vectors, scored: dict[str, Scores]
) -> None:
    gold = drawn(full, few_features)
    pair = [on(gold, scored[name]) for name in ("typed", "lookup")]
    rows = estimate_runs(gold, pair).set_index("run").to_dict("index")
    found = rows["typed - lookup"]
    assert found["estimator"] == "difference"
    assert found["estimate"] == pytest.approx(
        rows["typed"]["estimate"] - rows["lookup"]["estimate"]
    )
    unpaired = (
        sum((rows[name]["high"] - rows[name]["low"]) ** 2 for name in ("typed", "lookup")) ** 0.5
    )
    assert found["high"] - found["low"] < 1.1 * unpaired


def test_slices_of_the_pool_are_estimated_and_have_no_interval_below_five_questions(
    full: Gold, samples: list[Gold], scored: dict[str, Scores]
) -> None:
    truth = scored["typed"].counts["f1"]
    kinds = {question.id: question.answer_type for question in full.questions.questions}
    boolean = Slice("boolean", tuple(name for name, kind in kinds.items() if kind == "boolean"))
    held, sizes = [], []
    for gold in samples[:40]:
        rows = (
            estimate_runs(gold, [on(gold, scored["typed"])], slices=[boolean])
            .set_index("slice")
            .to_dict("index")
        )
        found = rows["boolean"]
        sizes.append(found["pool"])
        if found["questions"] < 5:
            assert math.isnan(found["low"])
        else:
            held.append(found["low"] <= truth.loc[list(boolean.ids)].mean() <= found["high"])
    assert np.mean(held) >= 0.88
    assert np.mean(sizes) == pytest.approx(len(boolean), rel=0.1)


def test_known_scores_keep_their_families_and_refuse_a_second_source_of_them() -> None:
    table = pd.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]}, index=["1", "2"])
    known = known_scores(table, {"a": "old"})
    with_baseline = known_scores(known, baseline="b")
    assert with_baseline is not None
    assert with_baseline.families == {"a": "old"}
    assert with_baseline.columns("c").columns.tolist() == ["baseline", "strangers"]
    with pytest.raises(UsageError, match="families or a baseline of its own"):
        known_scores(known, {"b": "new"})
    with pytest.raises(UsageError, match="families or a baseline of its own"):
        known_scores(with_baseline)
