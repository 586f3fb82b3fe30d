"""The figures of a sample, on numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hearing import hearing

from qaldgen.sampling import diversity
from qaldgen.selection.vectors import Vectors


def pool() -> Vectors:
    matrix = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    return Vectors(("a", "b", "c", "d"), ("x", "y"), 10 * matrix, matrix)


def test_diversity_is_the_mean_standard_deviation_with_ddof_one() -> None:
    assert diversity.diversity(np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]])) == pytest.approx(
        math.sqrt(1 / 3)
    )


def test_one_question_has_no_diversity() -> None:
    assert math.isnan(diversity.diversity(np.array([[0.3, 0.4]])))


def test_similarity_error_is_the_harmonic_mean_of_the_two_errors() -> None:
    sample, whole = np.array([[0.0], [1.0]]), np.array([[0.0], [0.0], [1.0]])
    means, deviations = (0.5 - 1 / 3) ** 2, (math.sqrt(0.5) - math.sqrt(1 / 3)) ** 2
    assert diversity.similarity_error(sample, whole) == pytest.approx(
        2 * means * deviations / (means + deviations)
    )


def test_the_pool_itself_has_no_similarity_error() -> None:
    assert diversity.similarity_error(pool().matrix, pool().matrix) == 0.0


def test_coverage_figures() -> None:
    found = diversity.measure(pool(), np.array([0, 2]))
    assert (found.size, found.distinct) == (2, 2)
    assert found.coverage_radius == pytest.approx(1.0)
    assert found.mean_distance == pytest.approx(0.25)
    assert found.same_vector == pytest.approx(0.75)


def test_distinct_counts_vectors_not_questions() -> None:
    assert diversity.measure(pool(), np.array([0, 1, 3])).distinct == 2


def test_nearest_distances_do_not_depend_on_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.random.default_rng(0).random((50, 3))
    whole = diversity.nearest_distances(matrix, matrix[:7])
    monkeypatch.setattr(diversity, "_BLOCK_CELLS", 20)
    assert diversity.nearest_distances(matrix, matrix[:7]).tolist() == whole.tolist()


def test_yardstick_of_the_whole_pool_has_no_spread() -> None:
    yardstick = diversity.measure_random_samples(pool(), 4, repeats=5)
    assert yardstick["similarity_error"][0] == pytest.approx(0.0)
    assert yardstick["distinct"] == (3.0, 0.0)


def test_yardstick_has_a_seed() -> None:
    first, second = (diversity.measure_random_samples(pool(), 2, repeats=20) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("questions", "n", "draws"),
    [(1_000, 25, 100), (20_000, 20, 100), (20_000, 1_000, 5), (40_000, 2_000, 3)],
)
def test_yardstick_measures_fewer_samples_where_each_takes_long(
    questions: int, n: int, draws: int
) -> None:
    matrix = np.random.default_rng(0).random((questions, 9))
    large = Vectors(tuple(map(str, range(questions))), tuple("abcdefghi"), matrix, matrix)
    assert diversity.n_random_samples(large, n) == draws


@pytest.mark.parametrize(
    ("questions", "n", "draws"), [(1_000, 25, 100), (20_000, 20, 14), (20_000, 1_000, 3)]
)
def test_yardstick_of_a_random_sample_measures_fewer_samples(
    questions: int, n: int, draws: int
) -> None:
    matrix = np.random.default_rng(0).random((questions, 9))
    large = Vectors(tuple(map(str, range(questions))), tuple("abcdefghi"), matrix, matrix)
    assert diversity.n_random_samples(large, n, "random") == draws


def test_yardstick_tells_of_each_sample() -> None:
    told: list[int] = []
    with hearing(told.append):
        diversity.measure_random_samples(pool(), 2, repeats=4)
    assert told == [1, 1, 1, 1]


def test_spread_is_in_real_units() -> None:
    table = diversity.compare_spread(pool(), np.array([2, 2]))
    assert table["sample_mean"].tolist() == [10.0, 0.0]
    table = diversity.compare_spread(pool(), np.array([0, 3]))
    assert table.loc["x", "pool_mean"] == pytest.approx(5.0)
    assert table.loc["y", "sample_max"] == pytest.approx(10.0)
    assert table.loc["x", "sample_D"] == pytest.approx(math.sqrt(0.5))
