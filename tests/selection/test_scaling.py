"""Each scaling with exact numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from qaldgen.selection.arrays import Matrix
from qaldgen.selection.scaling import SCALINGS, scale, spread_table

Refused = Callable[..., str]
NAMES = ("max", "minmax", "rank", "log", "zscore")
COLUMNS = ["n", "m", "k"]


def scaled(name: str, *columns: list[float]) -> list[list[float]]:
    """Scale columns and return them as columns."""
    raw = np.array(columns, dtype=float).T
    features, ids = COLUMNS[: len(columns)], [f"q{row}" for row in range(len(raw))]
    result: list[list[float]] = scale(name, raw, features, ids).T.tolist()
    return result


def test_names_of_the_scalings() -> None:
    assert tuple(SCALINGS) == NAMES


def test_max_divides_by_the_largest_value() -> None:
    assert scaled("max", [1, 2, 4, 0]) == [[0.25, 0.5, 1.0, 0.0]]


def test_minmax_maps_the_smallest_to_0_and_the_largest_to_1() -> None:
    assert scaled("minmax", [2, 4, 6, 3]) == [[0.0, 0.5, 1.0, 0.25]]


def test_minmax_takes_negative_values() -> None:
    assert scaled("minmax", [-4, 0, 4]) == [[0.0, 0.5, 1.0]]


def test_rank_is_of_the_order_alone() -> None:
    assert scaled("rank", [-1, 100, 3, 2, 1000]) == [[0.0, 0.75, 0.5, 0.25, 1.0]]


def test_rank_shares_the_mean_among_ties() -> None:
    assert scaled("rank", [1, 5, 5, 9, 5]) == [[0.0, 0.5, 0.5, 1.0, 0.5]]


def test_log_is_of_one_more_than_the_value() -> None:
    assert scaled("log", [0, 1, 3, 7]) == [pytest.approx([0.0, 1 / 3, 2 / 3, 1.0])]


def test_zscore_has_mean_0_and_deviation_1_with_one_degree_less() -> None:
    assert scaled("zscore", [1, 2, 3]) == [[-1.0, 0.0, 1.0]]
    assert scaled("zscore", [0, 2]) == [pytest.approx([-math.sqrt(0.5), math.sqrt(0.5)])]


@pytest.mark.parametrize("name", NAMES)
def test_columns_are_scaled_apart(name: str) -> None:
    first, second = [1.0, 2.0, 8.0], [300.0, 100.0, 0.0]
    assert scaled(name, first, second) == [scaled(name, first)[0], scaled(name, second)[0]]


@pytest.mark.parametrize("name", ["max", "minmax", "rank", "log"])
def test_scaled_values_lie_between_0_and_1(name: str) -> None:
    column = scaled(name, [0, 3, 17, 4, 4, 250, 0.5])[0]
    assert (min(column), max(column)) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("name", "value"), [("max", 1.0), ("minmax", 0.0), ("rank", 0.5), ("log", 1.0), ("zscore", 0.0)]
)
def test_constant_column_stays_constant(name: str, value: float) -> None:
    assert scaled(name, [5, 5, 5]) == [[value] * 3]


@pytest.mark.parametrize("name", NAMES)
def test_constant_column_that_is_no_binary_number_stays_constant(name: str) -> None:
    assert len(set(scaled(name, [0.1] * 10)[0])) == 1


@pytest.mark.parametrize(
    ("name", "value"), [("max", 0.0), ("minmax", 0.0), ("rank", 0.5), ("log", 0.0), ("zscore", 0.0)]
)
def test_column_of_zeros_is_harmless(name: str, value: float) -> None:
    assert scaled(name, [0, 0]) == [[value] * 2]


@pytest.mark.parametrize(
    ("name", "value"), [("max", 1.0), ("minmax", 0.0), ("rank", 0.0), ("log", 1.0), ("zscore", 0.0)]
)
def test_one_question_is_harmless(name: str, value: float) -> None:
    assert scaled(name, [7]) == [[value]]


@pytest.mark.parametrize("name", NAMES)
def test_order_of_values_is_kept(name: str) -> None:
    column = [3.0, 0.0, 12.0, 1.0, 7.0]
    assert np.argsort(scaled(name, column)[0]).tolist() == np.argsort(column).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_raw_values_are_not_touched(name: str) -> None:
    raw = np.array([[1.0, 4.0], [2.0, 0.0]])
    before = raw.copy()
    scale(name, raw, ["n", "m"], ["q1", "q2"])
    assert raw.tolist() == before.tolist()


@pytest.mark.parametrize("name", ["max", "log"])
def test_negative_value_is_refused_with_question_and_value(refused: Refused, name: str) -> None:
    raw = np.array([[1.0, 2.0], [3.0, -0.5], [-7.0, 1.0]])
    message = refused(lambda: scale(name, raw, ["n", "m"], ["q1", "q2", "q3"]))
    assert (
        message == f"?m is -0.5 for q2; scaling {name} needs values of at "
        "least 0; use the `scaling` minmax, rank or zscore"
    )


@pytest.mark.parametrize("name", ["minmax", "rank", "zscore"])
def test_negative_value_is_taken_where_it_makes_sense(name: str) -> None:
    low, high = scaled(name, [-1, 1])[0]
    assert low < high


def spread(raw: list[float], matrix: list[float]) -> dict[str, float]:
    def column(values: list[float]) -> Matrix:
        return np.array(values, dtype=float)[:, np.newaxis]

    frame = spread_table(["n"], column(raw), column(matrix))
    return dict(zip(map(str, frame.columns), frame.to_numpy(dtype=float)[0].tolist(), strict=True))


def test_spread_in_real_and_scaled_units() -> None:
    assert spread([2, 4, 4, 10], [0, 0.25, 0.25, 1]) == pytest.approx(
        {
            "min": 2, "median": 4, "max": 10, "std": math.sqrt(12), "distinct": 3,
            "scaled_median": 0.25, "scaled_std": math.sqrt(0.1875), "scaled_low": 0.25,
        }
    )  # fmt: skip


def test_low_share_counts_the_lowest_hundredth_of_the_range() -> None:
    assert spread([1] * 5, [0, 0.0099, 0.01, 0.5, 1])["scaled_low"] == pytest.approx(0.4)


def test_spread_of_one_question_has_no_deviation() -> None:
    found = spread([7], [1])
    assert (found["std"], found["scaled_std"], found["distinct"], found["scaled_low"]) == (
        0.0,
        0.0,
        1.0,
        1.0,
    )


def test_spread_has_one_row_a_feature() -> None:
    frame = spread_table(["n", "m"], np.array([[1.0, 2.0]]), np.array([[1.0, 1.0]]))
    assert list(frame.index) == ["n", "m"]
    assert frame["max"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("name", ["max", "minmax", "rank", "zscore"])
@pytest.mark.parametrize(
    "values", [[1e-90, 2e-90, 0.0], [1.0, 1.0000000000000002, 0.9999999999999999]]
)
def test_the_closest_numbers_stay_apart(name: str, values: list[float]) -> None:
    assert len(np.unique(scaled(name, values))) == 3


def test_values_whose_squares_overflow_are_refused(refused: Refused) -> None:
    raw = np.array([[1.0, 2.0], [3.0, -1e308]])
    message = refused(lambda: scale("zscore", raw, ["n", "m"], ["q1", "q2"]))
    assert message.startswith("?m is -1e+308 for q2; features are numbers up to 1e+150 in size")
    assert scale("max", np.array([[1e150]]), ["n"], ["q1"]).tolist() == [[1.0]]
    message = refused(lambda: scale("max", np.array([[1.01e150]]), ["n"], ["q1"]))
    assert message.startswith("?n is 1.01e+150 for q1")
