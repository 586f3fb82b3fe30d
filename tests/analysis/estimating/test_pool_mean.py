"""Estimates of the full score: unbiased, with intervals that cover.

Planning and the study that compares methods.
"""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from scipy.stats import binomtest
from study import study

from qaldgen.analysis.comparing.significance import paired_tests
from qaldgen.analysis.estimating.pool_mean import NEIGHBOURS, estimate_mean
from qaldgen.analysis.planning import error_of, questions_for_difference, questions_for_error
from qaldgen.analysis.score_files import read_scores
from qaldgen.cli.main import cli
from qaldgen.errors import DataError, UsageError
from qaldgen.sampling import draw
from qaldgen.scoring.intervals import interval
from qaldgen.selection.vectors import Vectors

Array = NDArray[np.float64]


def population(rows: int = 300, seed: int = 0) -> tuple[Vectors, Array]:
    """Return features and 0/1 scores that depend on them."""
    rng = np.random.default_rng(seed)
    matrix = rng.random((rows, 3))
    scores = (rng.random(rows) < 0.1 + 0.7 * matrix[:, 0]).astype(float)
    return Vectors(tuple(f"q{at}" for at in range(rows)), ("a", "b", "c"), matrix, matrix), scores


# --- one estimate ---------------------------------------------------------------------------------


def test_a_simple_random_sample_has_the_interval_of_one() -> None:
    y, n, pool = np.array([1.0, 0.5, 0.0, 1.0, 0.25, 1.0, 0.0, 0.75]), 8, 40
    found = estimate_mean(y, np.full(n, n / pool), pool)
    assert found[:3] == pytest.approx(interval(y, population=pool)[:3])
    assert found.effective_size == pytest.approx(n)


def test_unequal_probabilities_weigh_by_their_inverse() -> None:
    found = estimate_mean([1, 1, 0, 0, 0, 0], [1.0, 1.0, 0.1, 0.1, 0.1, 0.1], 42)
    assert found.estimate == pytest.approx(2 / 42)


def test_the_whole_pool_is_exact() -> None:
    found = estimate_mean([1, 0, 1, 0, 1], [1.0] * 5, 5)
    assert (found.low, found.high) == (found.estimate, found.estimate)
    assert found.estimate == pytest.approx(0.6)


def test_no_interval_below_five_questions() -> None:
    found = estimate_mean([1, 0, 1, 0], [0.1] * 4, 40)
    assert found.estimate == 0.5
    assert np.isnan(found.low)
    assert found.method == "none: fewer than 5 questions"


@pytest.mark.parametrize("value", [0.0, 1.0, 0.3])
def test_equal_scores_still_have_an_interval(value: float) -> None:
    found = estimate_mean([value] * 20, [0.1] * 20, 200)
    assert found.low <= value <= found.high
    assert 0.02 < found.high - found.low < 0.5


def test_certain_questions_add_no_variance() -> None:
    """Exemplars that are all right or all wrong widen nothing: only the others are uncertain."""
    rest = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    plain = estimate_mean([0.5, 0.5, *rest], [1.0, 1.0, *[0.1] * 6], 62)
    mixed = estimate_mean([1.0, 0.0, *rest], [1.0, 1.0, *[0.1] * 6], 62)
    assert mixed.high - mixed.low == pytest.approx(plain.high - plain.low, abs=0.02)


def test_the_local_mean_sees_what_the_features_explain() -> None:
    """Scores that a feature decides have little variance in a sample spread over it."""
    line = np.linspace(0, 1, 30)[:, None]
    scores = (line[:, 0] > 0.5).astype(float)
    local = estimate_mean(scores, np.full(30, 0.1), 300, features=line)
    plain = estimate_mean(scores, np.full(30, 0.1), 300)
    assert local.high - local.low < 0.6 * (plain.high - plain.low)
    assert local.effective_size > 2 * plain.effective_size


def test_others_correct_an_unlucky_sample() -> None:
    """The sample is too easy by .2 for the others, so the estimate comes down."""
    others = np.array([1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0])
    found = estimate_mean(others, np.full(10, 0.1), 100, control=others, control_mean=0.5)
    assert found.slope == pytest.approx(1.0)
    assert found.estimate == pytest.approx(0.5)


def test_others_that_disagree_are_not_used() -> None:
    y = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    found = estimate_mean(y, np.full(6, 0.1), 60, control=1 - y, control_mean=0.1)
    assert found.slope == 0.0
    assert found.estimate == 0.5


def test_differences_of_two_systems_may_be_negative() -> None:
    found = estimate_mean([-1, 0, 0, 0, -1, 1, 0, -1], [0.1] * 8, 80, bounds=(-1.0, 1.0))
    assert found.estimate == -0.25
    assert -1 <= found.low < -0.25 < found.high <= 1


@pytest.mark.parametrize(
    ("scores", "inclusion", "pool", "said"),
    [
        ([1, 0], [0.5], 4, "2 scores need as many inclusion probabilities; there are 1"),
        ([1, 0], [0.5, 0.0], 4, "must be above 0 and at most 1"),
        ([1, 2], [0.5, 0.5], 4, "score 2 is 2"),
        ([1, float("nan")], [0.5, 0.5], 4, "score 2 is nan"),
        ([1, 0], [0.5, 0.5], 1, "the pool of 1 questions is smaller than the 2 drawn from it"),
    ],
)
def test_impossible_numbers_are_refused(
    scores: list[float], inclusion: list[float], pool: int, said: str
) -> None:
    with pytest.raises(DataError, match=said):
        estimate_mean(scores, inclusion, pool)


@pytest.mark.parametrize(
    ("method", "n"), [("random", 30), ("lpm", 30), ("hybrid", 40), ("stratified", 30), ("lpm", 8)]
)
def test_estimates_are_unbiased_and_intervals_cover(method: str, n: int) -> None:
    vectors, scores = population()
    errors, hits = [], 0
    for seed in range(400):
        drawn = draw(vectors, n, method, random_state=seed)
        assert drawn.inclusion is not None
        features = None if method == "random" else vectors.matrix[drawn.chosen]
        found = estimate_mean(
            scores[drawn.chosen], drawn.inclusion, len(vectors), features=features
        )
        errors.append(found.estimate - scores.mean())
        hits += found.low <= scores.mean() <= found.high
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(400)
    assert 0.925 <= hits / 400 <= 0.995


def coverage(
    scores: Sequence[Array], n: int, method: str, vectors: Vectors, **options: float | str
) -> list[float]:
    """Return for each system the share of 300 samples whose interval holds its true mean."""
    hits = [0] * len(scores)
    for seed in range(300):
        drawn = draw(vectors, n, method, random_state=seed, options=options)
        assert drawn.inclusion is not None
        features = vectors.matrix[drawn.chosen]
        for at, y in enumerate(scores):
            found = estimate_mean(y[drawn.chosen], drawn.inclusion, len(y), features=features)
            hits[at] += found.low - 1e-9 <= y.mean() <= found.high + 1e-9
    return [number / 300 for number in hits]


def test_rare_failures_among_questions_of_little_weight_do_not_deceive() -> None:
    """Random members of unequal clusters.

    The few failures may all be met, or missed, among the small ones.
    """
    rng = np.random.default_rng(2)
    matrix = rng.random((60, 6))
    vectors = Vectors(tuple(f"q{at:02d}" for at in range(60)), tuple("abcdef"), matrix, matrix)
    y = np.ones(60)
    y[[7, 23]] = 0.0
    assert min(coverage([y, 1 - y], 30, "feasible", vectors, per_cluster=1)) > 0.93


def test_intervals_cover_where_most_of_the_pool_is_sampled() -> None:
    """A score that a feature decides.

    The questions left out are spread, so their nearest neighbours say too little.
    """
    rng = np.random.default_rng(0)
    matrix = rng.random((60, 6))
    vectors = Vectors(tuple(f"q{at:02d}" for at in range(60)), tuple("abcdef"), matrix, matrix)
    assert min(coverage([matrix[:, 0]], 50, "lpm", vectors)) > 0.92


@pytest.mark.parametrize("others", [np.linspace(1.0, 0.0, 12), np.repeat([1.0, 0.0], [2, 10])])
def test_failures_of_all_but_certain_questions_still_have_an_interval_with_others(
    others: Array,
) -> None:
    """Two exemplars right, all others wrong.

    The others' results must not make the interval look sure, even if they are the very same: each
    of the ten questions stands for 20, and no more than 2 of 202 are known to be right.
    """
    y, p = np.array([1.0, 1.0] + [0.0] * 10), np.array([1.0, 1.0] + [0.05] * 10)
    found = estimate_mean(y, p, 202, control=others, control_mean=0.4)
    assert found.slope == 0.0
    assert found.estimate == pytest.approx(2 / 202)
    assert found.high > 0.15


def test_the_coefficient_is_shrunk_by_its_noise() -> None:
    """By 1 - 1 / t2, with t2 = r2 (n - 2) / (1 - r2).

    The part of the square of Student's t that is not chance.
    """
    rng = np.random.default_rng(1)
    y = rng.random(12)
    known = y + 4 * rng.random(12)
    r2 = float(np.corrcoef(known, y)[0, 1]) ** 2
    wanted = float(np.polyfit(known, y, 1)[0]) * (1 - (1 - r2) / r2 / 10)
    found = [
        estimate_mean(y, np.full(12, 0.1), 120, control=x, control_mean=0.5).slope
        for x in (y, known)
    ]
    assert found == pytest.approx([1.0, wanted])


def test_others_cost_a_degree_of_freedom() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(8)
    known = y + 0.3 * rng.random(8)
    found = estimate_mean(y, np.full(8, 0.01), 800, control=known, control_mean=float(known.mean()))
    residual = y - found.slope * known
    plain = estimate_mean(
        np.clip(residual - residual.mean() + y.mean(), 0, 1), np.full(8, 0.01), 800
    )
    assert found.slope > 0.3
    assert found.high - found.low > 1.05 * (plain.high - plain.low)


# --- planning -------------------------------------------------------------------------------------


def test_the_planned_size_gives_the_planned_error() -> None:
    scores = np.tile([0.0, 1.0, 1.0], 100)
    n = questions_for_error(scores, 0.05, pool_size=1000)
    assert n is not None
    assert (
        error_of(scores, [n, n - 1], pool_size=1000)[0]
        <= 0.05
        < error_of(scores, [n, n - 1], pool_size=1000)[1]
    )


def test_a_design_that_saves_needs_fewer_questions() -> None:
    scores = np.tile([0.0, 1.0], 100)
    plain = questions_for_error(scores, 0.05)
    assert plain is not None
    assert questions_for_error(scores, 0.05, design_effect=0.5) == pytest.approx(plain / 2, abs=1)


def test_no_more_questions_than_the_pool_has() -> None:
    assert questions_for_error([0.0, 1.0] * 10, 0.0001, pool_size=20) == 20


PAIRS = {
    "few differ": np.repeat([1.0, -1.0, 0.0], [30, 12, 300]),
    "many differ": np.repeat([1.0, -1.0, 0.0], [150, 100, 90]),
    "clear": np.repeat([1.0, -1.0, 0.0], [60, 5, 60]),
}


@pytest.mark.parametrize("pool", [False, True])
@pytest.mark.parametrize("pair", PAIRS)
def test_the_planned_size_finds_the_difference_as_often_as_promised(pair: str, pool: bool) -> None:
    """By McNemar's exact test of scipy, on samples that are drawn here."""
    differences, rng = PAIRS[pair], np.random.default_rng(4)
    n = questions_for_difference(differences, pool_size=len(differences) if pool else None)
    assert n is not None
    found = []
    for _ in range(3000):
        drawn = rng.choice(differences, n, replace=not pool)
        found.append((int((drawn > 0).sum()), int((drawn < 0).sum())))
    p = {one: binomtest(one[0], sum(one)).pvalue if sum(one) else 1.0 for one in set(found)}
    assert 0.775 < np.mean([p[one] <= 0.05 for one in found]) < 0.835


def test_graded_scores_are_planned_with_the_test_of_compare() -> None:
    rng = np.random.default_rng(5)
    a = np.round(rng.beta(1.2, 0.8, 300), 1)
    b = np.where(rng.random(300) < 0.6, a, np.round(rng.beta(0.8, 1.2, 300), 1))
    n = questions_for_difference(a - b)
    assert n is not None
    rows = rng.integers(0, 300, n * 150)
    samples = np.repeat(np.eye(150, dtype=bool), n, axis=0)
    counts = [pd.DataFrame({"f1": scores[rows]}) for scores in (a, b)]
    (found,) = paired_tests(counts, samples, n_resamples=400)
    assert np.mean([one.p <= 0.05 for one in found]) == pytest.approx(0.8, abs=0.08)


def test_a_design_that_saves_finds_a_difference_with_fewer_questions() -> None:
    plain, saving = (questions_for_difference(PAIRS["many differ"], design_effect=one)
        for one in (1.0, 0.5))  # fmt: skip
    assert plain is not None
    assert saving is not None
    assert 0.75 * plain < saving < 0.97 * plain


def test_no_plan_where_the_whole_pool_would_not_do() -> None:
    slight = np.repeat([1.0, -1.0, 0.0], [12, 8, 80])
    assert questions_for_difference(slight, pool_size=100) is None
    assert questions_for_difference(slight) is not None


def test_a_pilot_without_spread_says_nothing() -> None:
    assert questions_for_error([1.0, 1.0, 1.0], 0.05) is None
    assert questions_for_difference([1.0, 1.0, 1.0]) is None


def test_equal_systems_cannot_be_told_apart() -> None:
    assert questions_for_difference([1.0, -1.0]) is None


@pytest.mark.parametrize("error", [0.0, -1.0, float("nan")])
def test_an_error_of_nothing_is_refused(error: float) -> None:
    with pytest.raises(UsageError, match="a number above 0"):
        questions_for_error([0.0, 1.0], error)


# --- the study ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small_study() -> pd.DataFrame:
    """Three methods on a population whose outer questions are hard."""
    rng = np.random.default_rng(5)
    matrix = rng.random((120, 4))
    far = np.linalg.norm(matrix - matrix.mean(axis=0), axis=1)
    chance = np.clip(1.2 - 1.4 * far, 0, 1)
    scores = pd.DataFrame(
        {name: (rng.random(120) < chance).astype(float) for name in ("one", "two", "three")}
    )
    scores.index = pd.Index([f"q{at}" for at in range(120)])
    vectors = Vectors(tuple(scores.index), ("a", "b", "c", "d"), matrix, matrix, scaling="minmax")
    methods = ["random", "lpm", "feasible-exmp"]
    found = study(scores, vectors, sizes=[20], methods=methods, n_repeats=60)
    return found.table.set_index("method")


def figure(table: pd.DataFrame, method: str, name: str) -> float:
    return float(table.to_dict("index")[method][name])


def test_the_study_finds_the_bias_of_exemplars(small_study: pd.DataFrame) -> None:
    assert figure(small_study, "feasible-exmp", "bias") < -0.15
    assert small_study["design"].to_dict() == {
        "random": "probability",
        "lpm": "probability",
        "feasible-exmp": "purposive",
    }
    assert abs(figure(small_study, "lpm", "bias")) < 0.04


def test_the_study_knows_that_random_is_random(small_study: pd.DataFrame) -> None:
    assert figure(small_study, "random", "deff") == pytest.approx(1.0, abs=0.35)
    assert figure(small_study, "random", "coverage") > 0.88
    assert figure(small_study, "feasible-exmp", "coverage") < 0.6
    assert figure(small_study, "feasible-exmp", "effective_size") < 10


def test_more_jobs_change_no_figure() -> None:
    vectors, scores = population(60)
    table = pd.DataFrame({"a": scores, "b": 1 - scores}, index=pd.Index(vectors.ids))
    one, two = (
        study(table, vectors, sizes=[10], methods=["lpm"], n_repeats=12, n_jobs=jobs).table
        for jobs in (1, 2)
    )
    pd.testing.assert_frame_equal(one, two)


def test_a_family_never_helps_its_own() -> None:
    vectors, scores = population(60)
    noise = np.random.default_rng(1).integers(0, 2, 60).astype(float)
    table = pd.DataFrame({"a": scores, "a2": scores, "b": noise}, index=pd.Index(vectors.ids))
    apart, together = (
        study(table, vectors, sizes=[10], methods=["lpm"], n_repeats=30, others=families).table
        for families in ({"a": "x", "a2": "x"}, {})
    )
    assert together["mae"].iloc[0] < apart["mae"].iloc[0]


def test_one_family_alone_has_no_others() -> None:
    vectors, scores = population(20)
    table = pd.DataFrame({"a": scores, "b": scores}, index=pd.Index(vectors.ids))
    with pytest.raises(UsageError, match="all systems are of one family"):
        study(table, vectors, sizes=[5], others={"a": "x", "b": "x"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,a\nq1,0.5\nq2,x\n", "question q2, a: 'x' is not a number"),
        ("id,a\nq1,0.5\nq2,1.5\n", "question q2, a: 1.5 is not a score within 0 and 1"),
        ("id\nq1\n", "a table with a header"),
        ("", "cannot be read as a table of scores"),
        ("id,a\nq1,\n", "question q1, a: '' is not a number"),
    ],
)
def test_bad_score_tables_are_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=said):
        read_scores(path)


def test_scores_of_the_score_verb_are_read(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("run,id,tp,f1\nx,q1,1,1.0\nx,q2,0,0.0\ny,q1,0,0.0\ny,q2,1,0.5\n")
    assert read_scores(path).to_dict() == {"x": {"q1": 1.0, "q2": 0.0}, "y": {"q1": 0.0, "q2": 0.5}}


def test_an_iri_is_its_last_part_in_the_other_table() -> None:
    vectors, scores = population(30)
    table = pd.DataFrame({"a": scores}, index=pd.Index(vectors.ids))
    iris = dataclasses.replace(
        vectors, ids=tuple(f"http://example.org/q#{name}" for name in vectors.ids)
    )
    long = table.set_axis(list(iris.ids), axis=0)
    same, by_iri, long_by_id = (
        study(scored, pool, sizes=[8], methods=["random"], n_repeats=3).table
        for scored, pool in ((table, vectors), (table, iris), (long, vectors))
    )
    pd.testing.assert_frame_equal(by_iri, same)
    pd.testing.assert_frame_equal(long_by_id, same)


def test_ids_that_do_not_meet_are_shown() -> None:
    vectors, scores = population(3)
    table = pd.DataFrame({"a": scores}, index=pd.Index(["01", "02", "03"]))
    with pytest.raises(
        DataError, match=r"3 of 3 .* no scores \(first: q0; ids of the scores look like 01\)"
    ):
        study(table, vectors, sizes=[2])


def test_samples_without_an_interval_have_no_coverage() -> None:
    vectors, scores = population(30)
    table = pd.DataFrame({"a": scores}, index=pd.Index(vectors.ids))
    found = study(table, vectors, sizes=[4], methods=["lpm"], n_repeats=3)
    assert found.table["coverage"].isna().all()


def write_tables(folder: Path) -> tuple[str, str]:
    vectors, scores = population(60)
    table = pd.DataFrame({"a": scores, "b": 1 - scores}, index=pd.Index(vectors.ids, name="id"))
    table.to_csv(folder / "scores.csv")
    vectors.to_frame().to_csv(folder / "features.csv")
    return str(folder / "scores.csv"), str(folder / "features.csv")


def test_the_verb_plan_prints_sizes_and_pairs_and_draws(tmp_path: Path) -> None:
    scores, _ = write_tables(tmp_path)
    call = ["plan", scores, "--error", "0.1", "--pool", "60", "--plot", str(tmp_path / "p.svg")]
    found = CliRunner().invoke(cli, call, catch_exceptions=False)
    assert "questions until a score is known within +-0.1" in found.stderr
    assert "a - b" in found.stdout
    assert "wanted: ±10 %" in (tmp_path / "p.svg").read_text()


@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_plan_for_programs_is_one_table(form: str, tmp_path: Path) -> None:
    path = tmp_path / "pilot.csv"
    path.write_text("id,a,b\nq1,1,0\nq2,1,1\nq3,1,0\n")
    found = CliRunner().invoke(cli, ["plan", str(path), "--format", form], catch_exceptions=False)
    rows = (
        json.loads(found.stdout)
        if form == "json"
        else pd.read_csv(io.StringIO(found.stdout)).to_dict("records")
    )
    assert [(row["for"], row["systems"]) for row in rows] == [
        ("error", "a"),
        ("error", "b"),
        ("difference", "a - b"),
    ]
    assert rows[1]["random"] > rows[1]["lpm"]
    assert "a: all scores of the pilot are equal" in found.stderr


def test_sizes_that_nobody_named_are_those_below_the_pool() -> None:
    vectors, scores = population(60)
    table = pd.DataFrame({"a": scores}, index=pd.Index(vectors.ids))
    found = study(table, vectors, methods=["random"], n_repeats=2)
    assert found.table["n"].tolist() == [25, 50]


def test_questions_without_features_are_counted() -> None:
    vectors, scores = population(30)
    table = pd.DataFrame({"a": [*scores, 1.0]}, index=pd.Index([*vectors.ids, "more"]))
    found = study(table, vectors, sizes=[5], methods=["random"], n_repeats=3)
    assert found.notes == ("1 of 31 questions have scores but no features; they are left out",)


def test_the_coefficient_of_the_others_costs_a_degree_of_freedom() -> None:
    rng = np.random.default_rng(3)
    others = rng.random(20)
    scores = (others + rng.normal(0, 0.2, 20) > 0.5).astype(float)
    result = estimate_mean(
        scores, [0.1] * 20, 200, control=others, control_mean=float(others.mean())
    )
    rest = scores - result.slope * (others - others.mean())
    variance = 0.9 * float(((rest - rest.mean()) ** 2).sum()) / 18 / 20
    assert result.effective_size == pytest.approx(1 / (variance / scores.var(ddof=1) + 1 / 200))


def test_local_variance_is_that_of_groups_of_neighbours() -> None:
    rng = np.random.default_rng(8)
    scores, n, pool = rng.random(30), 30, 300
    line = np.arange(30.0)[:, None]
    result = estimate_mean(scores, [n / pool] * n, pool, features=line)
    unseen = 1 - n / pool
    size = 1 + round(NEIGHBOURS / unseen)
    near = [sorted(range(n), key=lambda other: abs(other - at))[:size] for at in range(n)]
    gaps = [scores[at] - scores[group].mean() for at, group in enumerate(near)]
    variance = unseen * size / (size - 1) * float(np.square(gaps).sum()) / n**2
    assert result.effective_size == pytest.approx(1 / (variance / scores.var(ddof=1) + 1 / pool))
