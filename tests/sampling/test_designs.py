"""Probability designs: chosen as often as promised, exactly as many, spread over the features.

Recorded with the benchmark.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from exports import rendered
from numpy.typing import NDArray

from qaldgen.benchmark.make import sample
from qaldgen.benchmark.rdf import load_benchmark
from qaldgen.benchmark.signature import parse_signature
from qaldgen.errors import UsageError
from qaldgen.sampling import METHODS, draw
from qaldgen.sampling.pivotal import inclusion_probabilities, local_pivotal
from qaldgen.selection.vectors import Vectors

Array = NDArray[np.float64]
REPEATS = 3000
HONEST = ("random", "lpm", "hybrid", "stratified")


def pool(matrix: Array, names: tuple[str, ...] = ()) -> Vectors:
    ids = tuple(f"http://example.org/q{row}" for row in range(1, len(matrix) + 1))
    return Vectors(ids, names or tuple(f"f{at}" for at in range(matrix.shape[1])), matrix, matrix)


def cloud(rows: int, seed: int = 0) -> Vectors:
    """Return vectors with duplicates, a skew feature and a constant one."""
    rng = np.random.default_rng(seed)
    return pool(
        np.column_stack(
            [rng.integers(0, 3, rows) / 2, rng.exponential(size=rows), np.full(rows, 0.5)]
        )
    )


def frequencies(
    vectors: Vectors, n: int, method: str, repeats: int = REPEATS, **options: float | str
) -> Array:
    """Return how often each question is chosen, and check the size of every sample."""
    counts = np.zeros(len(vectors))
    for seed in range(repeats):
        chosen = draw(vectors, n, method, random_state=seed, options=options).chosen
        assert len(chosen) == n
        counts[chosen] += 1
    return counts / repeats


def noise(p: Array, repeats: int = REPEATS) -> Array:
    """Return 4.5 standard errors of a frequency; certain questions have none."""
    return 4.5 * np.sqrt(p * (1 - p) / repeats) + 1e-12


def promised(vectors: Vectors, n: int, method: str, **options: float | str) -> Array:
    """Return each question's inclusion probability, from the samples in which it was chosen."""
    found = np.full(len(vectors), np.nan)
    for seed in range(400):
        drawn = draw(vectors, n, method, random_state=seed, options=options)
        assert drawn.inclusion is not None
        found[drawn.chosen] = drawn.inclusion
    return found


# --- the pivotal method -------------------------------------------------------------------------


def test_unequal_probabilities_are_kept() -> None:
    rng = np.random.default_rng(3)
    p = inclusion_probabilities(rng.random(25) + 0.05, 7)
    points, counts = rng.random((25, 2)), np.zeros(25)
    for seed in range(REPEATS):
        chosen = local_pivotal(points, p, np.random.default_rng(seed))
        assert len(chosen) == 7
        counts[chosen] += 1
    assert np.all(np.abs(counts / REPEATS - p) < noise(p))


@pytest.mark.parametrize("block", [2, 7])
def test_blocks_change_neither_size_nor_probabilities(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qaldgen.sampling.pivotal.BLOCK", block)
    points, p, counts = cloud(23).matrix, np.full(23, 9 / 23), np.zeros(23)
    for seed in range(REPEATS):
        chosen = local_pivotal(points, p, np.random.default_rng(seed))
        assert len(chosen) == 9
        counts[chosen] += 1
    assert np.all(np.abs(counts / REPEATS - p) < noise(p))


def test_a_sum_that_is_no_whole_number_is_rounded_up_or_down() -> None:
    p = np.full(10, 0.25)
    sizes = [
        len(local_pivotal(np.arange(10.0)[:, None], p, np.random.default_rng(seed)))
        for seed in range(REPEATS)
    ]
    assert set(sizes) == {2, 3}
    assert np.mean(sizes) == pytest.approx(2.5, abs=4.5 * 0.5 / np.sqrt(REPEATS))


def test_certain_and_impossible_rows_stay_so() -> None:
    p = np.array([1.0, 0.0, 0.5, 0.5, 1.0])
    for seed in range(50):
        chosen = set(local_pivotal(np.zeros((5, 1)), p, np.random.default_rng(seed)).tolist())
        assert {0, 4} <= chosen
        assert 1 not in chosen


def test_neighbours_are_seldom_chosen_together() -> None:
    """Two groups far from each other with an even number each.

    Half of each is chosen, never all of one.
    """
    vectors = pool(np.repeat([[0.0], [10.0]], 4, axis=0))
    for seed in range(200):
        chosen = draw(vectors, 4, "lpm", random_state=seed).chosen
        assert np.sum(chosen < 4) == 2


def test_samples_lie_closer_to_the_pool_than_random_ones() -> None:
    vectors = pool(np.random.default_rng(1).random((200, 3)))
    mean = vectors.matrix.mean(axis=0)

    def spread(method: str) -> float:
        draws = [
            vectors.matrix[draw(vectors, 20, method, random_state=seed).chosen].mean(axis=0)
            for seed in range(200)
        ]
        return float(np.mean((np.array(draws) - mean) ** 2))

    assert spread("lpm") < 0.5 * spread("random")


def test_equally_near_rows_are_equally_likely_to_meet() -> None:
    """Of three equal questions each pair is chosen equally often."""
    pairs = {(0, 1): 0, (0, 2): 0, (1, 2): 0}
    for seed in range(REPEATS):
        chosen = sorted(draw(pool(np.zeros((3, 1))), 2, "lpm", random_state=seed).chosen.tolist())
        pairs[(chosen[0], chosen[1])] += 1
    assert min(pairs.values()) > REPEATS / 3 - 4.5 * np.sqrt(REPEATS * 2 / 9)


def test_one_dominating_size_is_certain_and_the_rest_share_what_is_left() -> None:
    assert inclusion_probabilities(np.array([1e9, 1.0, 1.0, 2.0]), 2).tolist() == [
        1.0,
        0.25,
        0.25,
        0.5,
    ]


def test_as_many_as_there_are_sizes_is_all_of_them() -> None:
    assert inclusion_probabilities(np.array([5.0, 1.0, 3.0]), 3).tolist() == [1.0, 1.0, 1.0]


# --- the designs --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 3, 9])
@pytest.mark.parametrize("method", [name for name in HONEST if name != "hybrid"])
def test_equal_designs_choose_every_question_equally_often(method: str, n: int) -> None:
    vectors = cloud(10)
    share = promised(vectors, n, method)
    assert share == pytest.approx(n / 10)
    assert np.all(np.abs(frequencies(vectors, n, method) - share) < noise(share))


@pytest.mark.parametrize(("size", "n"), [(30, 10), (10, 9), (12, 2)])
def test_hybrid_keeps_its_promise(size: int, n: int) -> None:
    vectors = cloud(size)
    share = promised(vectors, n, "hybrid", exemplars=0.3)
    certain = int(0.3 * n + 0.5)
    assert np.sum(share == 1) == certain
    assert share[share < 1] == pytest.approx((n - certain) / (size - certain))
    assert np.all(
        np.abs(frequencies(vectors, n, "hybrid", 1000, exemplars=0.3) - share) < noise(share, 1000)
    )


def test_hybrid_without_exemplars_is_the_local_pivotal_method() -> None:
    drawn, plain = (
        draw(cloud(40), 8, "hybrid", options={"exemplars": 0.0}),
        draw(cloud(40), 8, "lpm"),
    )
    assert sorted(drawn.chosen.tolist()) == sorted(plain.chosen.tolist())


def test_hybrid_of_exemplars_alone_is_refused() -> None:
    with pytest.raises(UsageError, match="below 1"):
        draw(cloud(20), 5, "hybrid", options={"exemplars": 1.0})


def strata_pool() -> Vectors:
    """Return 24 questions of kind a, 12 of kind b, 4 of kind c, with another feature."""
    kinds = np.repeat([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [24, 12, 4], axis=0)
    other = np.random.default_rng(2).random((40, 1))
    return pool(np.column_stack([kinds, other]), ("kind=a", "kind=b", "kind=c", "words"))


def per_stratum(chosen: NDArray[np.intp]) -> list[int]:
    return [
        int(np.sum((chosen >= low) & (chosen < high)))
        for low, high in ((0, 24), (24, 36), (36, 40))
    ]


def test_each_stratum_gets_its_share() -> None:
    for seed in range(30):
        assert per_stratum(
            draw(strata_pool(), 10, "stratified", random_state=seed, options={"by": "kind"}).chosen
        ) == [6, 3, 1]


def test_shares_that_are_no_whole_numbers_are_rounded_to_a_neighbour_and_right_on_average() -> None:
    found = np.array(
        [
            per_stratum(
                draw(strata_pool(), 7, "stratified", random_state=s, options={"by": "kind"}).chosen
            )
            for s in range(800)
        ]
    )
    exact = np.array([4.2, 2.1, 0.7])
    assert np.all((found == np.floor(exact)) | (found == np.ceil(exact)))
    assert found.mean(axis=0) == pytest.approx(exact, abs=0.08)


def test_a_smaller_power_gives_small_strata_more() -> None:
    found = [
        draw(strata_pool(), 9, "stratified", options={"by": "kind", "power": power})
        for power in (1.0, 0.0)
    ]
    assert per_stratum(found[1].chosen) == [3, 3, 3]
    assert found[1].inclusion is not None
    assert sorted(set(found[1].inclusion.round(4).tolist())) == [0.125, 0.25, 0.75]
    assert per_stratum(found[0].chosen)[2] <= 1


def test_an_unknown_stratum_names_the_features() -> None:
    with pytest.raises(
        UsageError,
        match=r"the query has no feature 'kindd'; did you mean kind\? choose one of kind, words",
    ):
        draw(strata_pool(), 5, "stratified", options={"by": "kindd"})


def test_large_questions_are_chosen_more_often_with_pps() -> None:
    sizes = np.array([0.0, 0.0, 3.0, 8.0, 99.0, 0.0, 3.0, 15.0])
    vectors = pool(sizes[:, None], ("rs",))
    share = promised(vectors, 3, "lpm", pps="rs")
    assert share == pytest.approx(inclusion_probabilities(np.sqrt(sizes + 1), 3))
    assert np.all(np.abs(frequencies(vectors, 3, "lpm", pps="rs") - share) < noise(share))


def test_a_category_is_no_size() -> None:
    with pytest.raises(UsageError, match="is not a size"):
        draw(strata_pool(), 5, "lpm", options={"pps": "kind"})


def test_sizes_that_leave_a_question_no_chance_are_refused() -> None:
    with pytest.raises(
        UsageError, match="an inclusion probability would be 1e-12; sizes or strata differ too much"
    ):
        inclusion_probabilities(np.array([1e12, 1.0]), 1)


def test_a_power_that_leaves_small_strata_no_chance_is_refused() -> None:
    with pytest.raises(UsageError, match="a power closer to 1"):
        draw(strata_pool(), 7, "stratified", options={"by": "kind", "power": 1000.0})


def test_a_power_above_one_gives_large_strata_more() -> None:
    drawn = draw(strata_pool(), 9, "stratified", options={"by": "kind", "power": 1.5})
    assert drawn.inclusion is not None
    assert per_stratum(drawn.chosen)[0] in (6, 7)
    assert drawn.inclusion[0] > 9 / 40


@pytest.mark.parametrize(
    ("method", "option", "value"), [("feasible", "per_cluster", 1.5), ("km++", "iterations", 2.5)]
)
def test_a_count_is_a_whole_number(method: str, option: str, value: float) -> None:
    with pytest.raises(UsageError, match=f"{option} is {value}; it must be a whole number"):
        draw(cloud(20), 5, method, options={option: value})


def test_a_name_is_no_number() -> None:
    with pytest.raises(UsageError, match=r"by is 1\.0; it must be a text"):
        draw(cloud(20), 5, "stratified", options={"by": 1.0})


@pytest.mark.parametrize(
    "name", ["whType,answerType", "1", "nan", "kind=a|b", "größe", "'x'", "50%", "a, b"]
)
def test_names_of_features_are_read_back_from_signature_and_file(name: str, tmp_path: Path) -> None:
    names = tuple(part.strip() for part in name.split(","))
    matrix = np.random.default_rng(0).integers(0, 2, (30, len(names))).astype(float)
    made = sample(pool(matrix, names), 6, method="stratified", by=name)
    line = made.signature.replace(
        "q:none@", "q:none@" + "0" * 8
    )  # a table without a query has no hash of one
    assert parse_signature(line).options == {"by": name, "power": 1.0}
    made.save(tmp_path / "b.ttl")
    assert load_benchmark(tmp_path / "b.ttl") == made


# --- random members of clusters -----------------------------------------------------------------


@pytest.mark.parametrize("method", ["feasible", "km++", "agglomerative"])
def test_random_members_are_honest_within_their_clusters(method: str) -> None:
    vectors = pool(np.concatenate([np.zeros((12, 2)), np.ones((6, 2)), np.full((2, 2), 9.0)]))
    drawn = draw(vectors, 6, method, options={"per_cluster": 2})
    assert drawn.inclusion is not None
    assert np.bincount(drawn.cluster[drawn.chosen]).tolist() == [2, 2, 2]
    sizes = drawn.sizes()[drawn.cluster[drawn.chosen]]
    assert drawn.inclusion == pytest.approx(2 / sizes)
    assert drawn.weights().sum() == pytest.approx(1.0)


def test_seats_that_small_clusters_cannot_fill_go_to_the_largest() -> None:
    vectors = pool(np.concatenate([np.zeros((12, 1)), np.full((1, 1), 5.0)]))
    drawn = draw(vectors, 6, "agglomerative", options={"per_cluster": 3})
    assert sorted(np.bincount(drawn.cluster[drawn.chosen]).tolist()) == [1, 5]


def test_members_of_a_cluster_are_chosen_equally_often() -> None:
    vectors = pool(np.concatenate([np.zeros((5, 1)), np.ones((3, 1))]))
    found = frequencies(vectors, 2, "agglomerative", 2000, per_cluster=1)
    share = np.array([0.2] * 5 + [1 / 3] * 3)
    assert np.all(np.abs(found - share) < noise(share, 2000))


# --- what a benchmark says of its design --------------------------------------------------------


@pytest.mark.parametrize("method", [name for name in METHODS if name not in HONEST])
def test_the_methods_of_the_paper_are_purposive(method: str) -> None:
    made = sample(cloud(30), 6, method=method)
    assert made.design == "purposive"
    assert {member.inclusion for member in made.members} == {None}


@pytest.mark.parametrize("method", HONEST)
def test_honest_designs_say_the_probability_of_each_question(method: str) -> None:
    made = sample(cloud(30), 6, method=method)
    assert made.design == "probability"
    assert sum(member.weight for member in made.members) == pytest.approx(1.0)
    inverse = np.array([1 / (member.inclusion or np.nan) for member in made.members])
    assert [member.weight for member in made.members] == pytest.approx(
        (inverse / inverse.sum()).tolist()
    )


@pytest.mark.parametrize("method", [name for name in METHODS if name != "db+km++"])
def test_the_whole_pool_is_certain(method: str) -> None:
    assert [member.inclusion for member in sample(cloud(5), 5, method=method).members] == [1.0] * 5


@pytest.mark.parametrize("method", ["hybrid", "feasible"])
def test_the_design_is_stored_and_read_back(
    method: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = sample(cloud(30), 6, method=method)
    path = tmp_path_factory.mktemp("bench") / "b.ttl"
    made.save(path)
    assert load_benchmark(path) == made


def test_json_and_table_say_the_probability() -> None:
    made = sample(cloud(12), 4, method="lpm")
    table = rendered(made, "csv")
    assert "inclusion_probability" in table.decode().splitlines()[0]
    assert (
        "inclusion_probability"
        not in rendered(sample(cloud(12), 4, method="feasible"), "csv").decode()
    )


def test_a_size_that_hardly_exceeds_its_share_is_certain_too() -> None:
    assert inclusion_probabilities(np.array([1.0, 1.0, 2.2]), 2).tolist() == [0.5, 0.5, 1.0]
