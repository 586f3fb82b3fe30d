"""Every method keeps one contract; FEASIBLE keeps the rules of its reference implementation."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from qaldgen.errors import DataError, UsageError
from qaldgen.io.text import natural_key
from qaldgen.sampling import METHODS, diversity, draw
from qaldgen.sampling.farthest import feasible_exemplars
from qaldgen.sampling.sample import Sample, from_labels, members_at_random
from qaldgen.selection.vectors import Vectors

Matrix = NDArray[np.float64]


def pool(matrix: Matrix) -> Vectors:
    """Return vectors with the ids q1, q2, ..., already in natural order."""
    values = np.asarray(matrix, dtype=float)
    ids = tuple(f"http://example.org/q{row}" for row in range(1, len(values) + 1))
    return Vectors(ids, tuple(f"f{column}" for column in range(values.shape[1])), values, values)


def grid(rows: int, seed: int = 0, levels: int = 4, columns: int = 3) -> Vectors:
    """Return vectors with many duplicates and ties, and one constant column."""
    values = np.random.default_rng(seed).integers(0, levels, (rows, columns)) / max(levels - 1, 1)
    return pool(np.column_stack([values, np.full(rows, 0.5)]))


def continuous(rows: int, seed: int = 0, columns: int = 4) -> Vectors:
    return pool(np.random.default_rng(seed).random((rows, columns)))


# --- the contract -------------------------------------------------------------------------------

methods = pytest.mark.parametrize("method", METHODS)


@methods
@pytest.mark.parametrize(
    "vectors",
    [grid(40), continuous(40), pool(np.zeros((40, 2)))],
    ids=["grid", "continuous", "equal"],
)
def test_exactly_n_different_questions(method: str, vectors: Vectors) -> None:
    for n in (1, 2, 7, 39, 40):
        chosen = draw(vectors, n, method).chosen.tolist()
        assert len(chosen) == len(set(chosen)) == n
        assert all(0 <= row < len(vectors) for row in chosen), n


@methods
@pytest.mark.parametrize("vectors", [grid(60), continuous(60)], ids=["grid", "continuous"])
def test_every_cluster_has_a_chosen_question_and_the_weights_share_out_the_pool(
    method: str, vectors: Vectors
) -> None:
    sample = draw(vectors, 9, method)
    assert set(sample.cluster[sample.chosen]) == set(sample.cluster[sample.cluster >= 0])
    assert sample.weights().sum() == pytest.approx(np.mean(sample.cluster >= 0))


@methods
def test_same_seed_same_sample(method: str) -> None:
    vectors = grid(80, seed=3)
    first, second = (draw(vectors, 11, method, random_state=5) for _ in range(2))
    assert first.chosen.tolist() == second.chosen.tolist()
    assert first.cluster.tolist() == second.cluster.tolist()


@pytest.mark.parametrize("method", ["km++", "db+km++", "random"])
def test_another_seed_gives_another_sample(method: str) -> None:
    vectors = continuous(200)
    chosen = {
        tuple(draw(vectors, 10, method, random_state=seed, options=_one_trial(method)).chosen)
        for seed in range(4)
    }
    assert len(chosen) > 1


def _one_trial(method: str) -> dict[str, float | str]:
    return {"trials": 1, "iterations": 1} if "km" in method else {}


@methods
def test_a_constant_column_is_harmless(method: str) -> None:
    vectors = continuous(50)
    with_constant = pool(np.column_stack([vectors.matrix, np.ones(50)]))
    assert (
        draw(vectors, 6, method).chosen.tolist() == draw(with_constant, 6, method).chosen.tolist()
    )


@methods
@pytest.mark.parametrize(
    ("n", "said"), [(0, "of 1 or more"), (-1, "of 1 or more"), (21, "choose from 1 to 20")]
)
def test_impossible_size_is_refused(method: str, n: int, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        draw(grid(20), n, method)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "db+km++"])
def test_a_pool_of_one(method: str) -> None:
    assert draw(pool(np.array([[0.3, 0.2]])), 1, method).chosen.tolist() == [0]


def test_unknown_method_names_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"unknown method 'kmeans'.*feasible-exmp.*km\+\+"):
        draw(grid(20), 3, "kmeans")


def test_option_of_another_method_names_its_owner() -> None:
    with pytest.raises(
        UsageError, match=r"method 'km\+\+' has no option 'radius'; it belongs to db\+km\+\+"
    ):
        draw(grid(20), 3, "km++", options={"radius": 0.1})


@pytest.mark.parametrize(
    ("method", "option", "value"),
    [
        ("km++", "iterations", 0),
        ("km++", "trials", -2),
        ("db+km++", "radius", -0.1),
        ("db+km++", "radius", math.inf),
    ],
)
def test_option_out_of_range_is_refused(method: str, option: str, value: float) -> None:
    with pytest.raises(UsageError, match=option):
        draw(grid(20), 3, method, options={option: value})


def test_unknown_linkage_is_refused() -> None:
    with pytest.raises(UsageError, match="ward, average, complete"):
        draw(grid(20), 3, "agglomerative", options={"linkage": "single"})


# --- FEASIBLE -----------------------------------------------------------------------------------


def reference_exemplars(points: list[tuple[float, ...]], n: int) -> list[int]:
    """Write out the published rules in plain Python: ties to the lowest row."""
    mean = [sum(column) / len(points) for column in zip(*points, strict=True)]
    chosen = [max(range(len(points)), key=lambda row: (distance(points[row], mean), -row))]
    while len(chosen) < n:
        rest = [row for row in range(len(points)) if row not in chosen]
        chosen.append(
            max(rest, key=lambda row: (sum(distance(points[row], points[e]) for e in chosen), -row))
        )
    return chosen


def distance(a: tuple[float, ...] | list[float], b: tuple[float, ...] | list[float]) -> float:
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += (x - y) ** 2
    return math.sqrt(total)


def reference_owner(vectors: Vectors, exemplars: list[int]) -> list[int]:
    """Assign to the nearest exemplar, visited in order of ids; strictly nearer wins."""
    points = [tuple(row) for row in vectors.matrix.tolist()]
    visit = sorted(range(len(exemplars)), key=lambda position: vectors.ids[exemplars[position]])
    owner = []
    for row, point in enumerate(points):
        if row in exemplars:
            owner.append(exemplars.index(row))
            continue
        best, nearest = -1, math.inf
        for position in visit:
            if (d := distance(points[exemplars[position]], point)) < nearest:
                best, nearest = position, d
        owner.append(best)
    return owner


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [1, 2, 5, 17, 59])
def test_exemplars_are_those_of_the_written_rules(seed: int, n: int) -> None:
    vectors = continuous(60, seed)
    expected = reference_exemplars([tuple(row) for row in vectors.matrix.tolist()], n)
    assert draw(vectors, n, "feasible-exmp").chosen.tolist() == expected


@pytest.mark.parametrize(
    "vectors",
    [grid(70, 1), grid(130, 2, levels=3, columns=2), continuous(70)],
    ids=["70 on a grid", "130 on a grid", "70 continuous"],
)
@pytest.mark.parametrize("n", [2, 6, 20])
def test_clusters_are_those_of_the_written_rules_ties_included(vectors: Vectors, n: int) -> None:
    sample = draw(vectors, n, "feasible-exmp")
    assert sample.cluster.tolist() == reference_owner(vectors, sample.chosen.tolist())


def test_ties_of_the_assignment_go_to_the_lexicographically_first_exemplar() -> None:
    rows = [[0.0, 0.0]] * 9 + [
        [1.0, 0.0],
        [0.5, 0.0],
        [0.0, 0.0],
    ]  # q1 and q10 become exemplars, q11 is between them
    sample = draw(pool(np.array(rows)), 2, "feasible-exmp")
    ids = [f"q{row + 1}" for row in sample.chosen]
    assert sorted(ids) == ["q1", "q10"]
    assert ids[sample.cluster[10]] == "q1"


def test_representative_is_nearest_to_the_mean_and_the_lowest_row_of_equals() -> None:
    matrix = np.array([[0.0], [0.2], [0.4], [0.4], [10.0]])
    sample = draw(pool(matrix), 2, "feasible")
    assert sorted(sample.chosen.tolist()) == [1, 4]


def test_feasible_chooses_one_of_each_cluster() -> None:
    vectors = grid(90, 4)
    exemplars, sample = draw(vectors, 12, "feasible-exmp"), draw(vectors, 12, "feasible")
    assert sample.cluster.tolist() == exemplars.cluster.tolist()
    assert sample.cluster[sample.chosen].tolist() == list(range(12))


def test_exemplars_of_a_smaller_sample_come_first() -> None:
    vectors = continuous(100)
    assert (
        draw(vectors, 30, "feasible-exmp").chosen[:10].tolist()
        == draw(vectors, 10, "feasible-exmp").chosen.tolist()
    )


def test_equal_vectors_give_the_lowest_rows() -> None:
    assert draw(pool(np.ones((9, 2))), 4, "feasible-exmp").chosen.tolist() == [0, 1, 2, 3]


def test_a_block_border_changes_nothing() -> None:
    vectors = continuous(10_000, columns=2)
    mean = vectors.matrix.mean(axis=0)
    first = int(np.argmax(np.sqrt(((vectors.matrix - mean) ** 2).sum(axis=1))))
    second = int(np.argmax(np.sqrt(((vectors.matrix - vectors.matrix[first]) ** 2).sum(axis=1))))
    assert feasible_exemplars(vectors, 2, np.random.default_rng()).chosen.tolist() == [
        first,
        second,
    ]


# --- the other methods --------------------------------------------------------------------------


def test_k_means_finds_separate_groups() -> None:
    centres = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    points = np.repeat(centres, 10, axis=0) + np.random.default_rng(0).normal(0, 0.02, (30, 2))
    sample = draw(pool(points), 3, "km++")
    assert sorted(sample.sizes().tolist()) == [10, 10, 10]
    assert {row // 10 for row in sample.chosen.tolist()} == {0, 1, 2}


def test_dbscan_removes_the_outlier_and_normalises_anew() -> None:
    points = np.array([[0.01 * row, 0.01 * (row % 3)] for row in range(12)] + [[1.0, 1.0]])
    sample = draw(pool(points), 3, "db+km++", options={"radius": 0.1})
    assert sample.cluster[12] == -1
    assert np.sum(sample.cluster < 0) == 1
    assert "1 of 13 questions are outliers" in sample.notes[0]


def test_radius_one_is_said_to_do_nothing() -> None:
    assert "finds no outliers" in draw(grid(40), 3, "db+km++").notes[0]


def test_more_questions_than_dbscan_leaves_are_refused() -> None:
    points = np.array([[0.0], [0.001], [0.5], [1.0]])
    with pytest.raises(
        DataError, match=r"only 2 of 4 questions are not outliers, fewer than the sample size 3"
    ):
        draw(pool(points), 3, "db+km++", options={"radius": 0.01})


@pytest.mark.parametrize(("min_points", "outliers"), [(0, 0), (1, 1), (2, 3)])
def test_min_points_do_not_count_the_question_itself(min_points: int, outliers: int) -> None:
    points = np.array([[0.0], [0.01], [0.5], [0.9], [0.91], [0.92]])
    sample = draw(pool(points), 1, "db+km++", options={"radius": 0.05, "min_points": min_points})
    assert np.sum(sample.cluster < 0) == outliers


@pytest.mark.parametrize("linkage", ["ward", "average", "complete"])
def test_agglomerative_is_cut_at_exactly_n(linkage: str) -> None:
    sample = draw(grid(50, 8), 13, "agglomerative", options={"linkage": linkage})
    assert len(sample.sizes()) == 13


def test_agglomerative_refuses_a_pool_that_does_not_fit_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("qaldgen.sampling.clustering.MAX_AGGLOMERATIVE", 10)
    with pytest.raises(DataError, match="needs all pairwise distances"):
        draw(grid(11), 3, "agglomerative")


@pytest.mark.parametrize("seed", range(5))
def test_farthest_first_repeats_no_vector_while_a_new_one_is_left(seed: int) -> None:
    vectors = grid(120, seed)
    distinct = vectors.distinct()
    for n in (distinct - 1, distinct, distinct + 5):
        assert vectors.distinct(draw(vectors, n, "farthest-first").chosen) == min(n, distinct)


def test_farthest_first_takes_the_farthest_point_each_time() -> None:
    vectors = continuous(80)
    chosen = draw(vectors, 6, "farthest-first").chosen
    for step in range(1, 6):
        nearest = diversity.nearest_distances(vectors.matrix, vectors.matrix[chosen[:step]])
        assert nearest[chosen[step]] == pytest.approx(nearest.max())


def test_what_farthest_first_repeats_is_what_the_pool_has_most_of() -> None:
    matrix = np.array([[0.0]] * 8 + [[1.0]] * 2)
    chosen = draw(pool(matrix), 4, "farthest-first").chosen
    assert Counter(matrix[chosen, 0].tolist()) == {0.0: 3, 1.0: 1}


def test_random_gives_every_question_the_same_weight_and_chance() -> None:
    vectors = grid(10)
    counts = Counter(
        row
        for seed in range(600)
        for row in draw(vectors, 3, "random", random_state=seed).chosen.tolist()
    )
    assert all(130 < counts[row] < 230 for row in range(10))  # 180 expected, standard deviation 11
    assert draw(vectors, 3, "random").weights().tolist() == pytest.approx([1 / 3] * 3)


def test_the_largest_cluster_is_halved_when_clusters_are_missing() -> None:
    labels = np.array([0, 0, 0, 0, 0, 1, 1])
    sample = from_labels(np.zeros((7, 1)), labels, 3)
    assert sorted(sample.sizes().tolist()) == [2, 2, 3]


def test_weights_are_split_among_those_chosen_from_one_cluster() -> None:
    sample = Sample(np.array([0, 1, 4]), np.array([0, 0, 0, 0, 1]))
    assert sample.weights().tolist() == pytest.approx([0.4, 0.4, 0.2])


# --- the published data -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "last", "total", "error"),
    [
        (10, 12.086527414, 62.655706631, 0.0148807),
        (50, 54.036418298, 1421.334503684, 0.0079287),
        (100, 100.071863524, 5317.936414462, 0.0046901),
        (200, 186.131460258, 19696.463799539, 0.0024806),
        (500, 428.547008042, 112703.893051239, 0.0013183),
    ],
)
def test_objective_and_similarity_error_equal_the_reference_implementation(
    published_vectors: Vectors, n: int, last: float, total: float, error: float
) -> None:
    chosen = published_vectors.matrix[draw(published_vectors, n, "feasible-exmp").chosen]
    objectives = [
        float(np.sqrt(((chosen[:step] - chosen[step]) ** 2).sum(axis=1)).sum())
        for step in range(1, n)
    ]
    assert objectives[-1] == pytest.approx(last, rel=1e-9)
    assert sum(objectives) == pytest.approx(total, rel=1e-9)
    assert diversity.similarity_error(chosen, published_vectors.matrix) == pytest.approx(
        error, abs=5e-8
    )


@pytest.mark.parametrize("n", [2, 10, 50, 100, 333])
def test_order_independent_check_holds(published_vectors: Vectors, n: int) -> None:
    matrix, sample = published_vectors.matrix, draw(published_vectors, n, "feasible-exmp")
    total, unused = np.zeros(len(matrix)), np.ones(len(matrix), dtype=bool)
    reached = np.sqrt(((matrix - matrix.mean(axis=0)) ** 2).sum(axis=1))
    for row in sample.chosen:
        assert reached[row] >= reached[unused].max() * (1 - 1e-9)
        unused[row] = False
        total += np.sqrt(((matrix - matrix[row]) ** 2).sum(axis=1))
        reached = total
    nearest = diversity.nearest_distances(matrix, matrix[sample.chosen])
    own = np.sqrt(((matrix - matrix[sample.chosen[sample.cluster]]) ** 2).sum(axis=1))
    assert np.all(own <= nearest + 1e-9)
    feasible = draw(published_vectors, n, "feasible")
    for position, row in enumerate(feasible.chosen):
        members = matrix[feasible.cluster == position]
        far = np.sqrt(((members - members.mean(axis=0)) ** 2).sum(axis=1))
        assert math.dist(matrix[row], members.mean(axis=0)) <= far.min() + 1e-9


@pytest.mark.parametrize(
    ("n", "expected"), [(10, 0.3300), (50, 0.2762), (100, 0.2531), (200, 0.2307), (500, 0.2057)]
)
def test_exemplars_reach_the_published_diversity(
    published_vectors: Vectors, n: int, expected: float
) -> None:
    chosen = draw(published_vectors, n, "feasible-exmp").chosen
    assert diversity.diversity(published_vectors.matrix[chosen]) == pytest.approx(
        expected, abs=5e-5
    )


@pytest.mark.parametrize(
    ("radius", "outliers"),
    [(1.0, 0), (0.5, 4), (0.3, 17), (0.2, 33), (0.1, 99), (0.05, 158), (0.0, 864)],
)
def test_outliers_are_those_of_commons_math(
    published_vectors: Vectors, radius: float, outliers: int
) -> None:
    sample = draw(
        published_vectors, 5, "db+km++", options={"radius": radius, "trials": 1, "iterations": 2}
    )
    assert np.sum(sample.cluster < 0) == outliers


def test_ids_are_in_natural_order(published_vectors: Vectors) -> None:
    assert list(published_vectors.ids) == sorted(published_vectors.ids, key=natural_key)


@pytest.mark.parametrize("linkage", ["ward", "average", "complete"])
def test_agglomerative_merges_a_pool_once_for_all_sizes_and_seeds(
    monkeypatch: pytest.MonkeyPatch, linkage: str
) -> None:
    pool, options = grid(50, 8), {"linkage": linkage}
    draw(pool, 13, "agglomerative", options=options)
    monkeypatch.setattr("scipy.cluster.hierarchy.linkage", None)
    monkeypatch.setattr("scipy.cluster.hierarchy.ward", None)
    again = draw(pool, 7, "agglomerative", random_state=3, options=options)
    monkeypatch.undo()
    fresh = draw(grid(50, 8), 7, "agglomerative", random_state=3, options=options)
    assert again.chosen.tolist() == fresh.chosen.tolist()
    assert again.cluster.tolist() == fresh.cluster.tolist()


@pytest.mark.parametrize("method", ["feasible", "feasible-exmp", "farthest-first"])
def test_ties_between_blocks_fall_to_the_lowest_row(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    corners = pool(np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]] * 5))
    whole = draw(corners, 6, method)
    monkeypatch.setattr("qaldgen.sampling.farthest._BLOCK_ROWS", 3)
    blocks = draw(corners, 6, method)
    assert whole.chosen.tolist() == blocks.chosen.tolist()
    assert whole.cluster.tolist() == blocks.cluster.tolist()
    assert whole.chosen[0] == 0


@pytest.mark.parametrize(("n", "cluster"), [(2, [0, 0, 0, 1, 1]), (3, [0, 0, 1, 2, 2])])
def test_equal_questions_are_halved_and_the_first_half_is_the_larger(
    n: int, cluster: list[int]
) -> None:
    assert draw(pool(np.zeros((5, 2))), n, "farthest-first").cluster.tolist() == cluster


def test_places_to_spare_go_where_a_place_stands_for_fewest() -> None:
    labels = np.repeat([0, 1, 2], [6, 4, 1])
    sample = members_at_random(labels, 4, 2, np.random.default_rng(0))
    assert sorted(labels[sample.chosen].tolist()) == [0, 0, 1, 2]
    sample = members_at_random(labels, 6, 2, np.random.default_rng(0))
    assert sorted(labels[sample.chosen].tolist()) == [0, 0, 0, 1, 1, 2]
