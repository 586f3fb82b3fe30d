"""Weak spots of runs that were scored: their figures, other names, examples and neighbours."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from qaldgen.analysis.slices.weak_spots import WeakSpots, find_weak_spots
from qaldgen.answers.record import Run
from qaldgen.scoring.score import Scores
from qaldgen.sparql.ready_queries import chosen_by

SIZE = 300
IDS = [f"q{at}" for at in range(SIZE)]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    counts = rng.random(SIZE) < 0.15
    columns = {
        "isCount": counts,
        "totalAdjectives": rng.poisson(0.5, SIZE) + counts,
        "hasSuperlative": rng.random(SIZE) < 0.2,
        "length": rng.integers(4, 18, SIZE),
    }
    return pd.DataFrame(columns, index=IDS, dtype=object)


def searched(
    table: pd.DataFrame, weak: str, *, measure: str = "f1", difference: bool = False
) -> WeakSpots:
    """Search three systems; those whose letters are in `weak` mostly fail where queries count."""
    rng = np.random.default_rng(8)
    asked = table["isCount"].to_numpy(bool)
    runs = []
    for name in "abc":
        fails = 0.25 + 0.6 * asked * (name in weak)
        right = (rng.random(SIZE) >= fails).astype(float)
        counts = pd.DataFrame({"f1": right, "wrong_type": 1.0 - right}, index=IDS)
        runs.append(Scores(Run(name, "table", {}), counts))
    runs = runs[:2] if difference else runs
    return find_weak_spots(runs, table, {}, measure=measure, difference=difference)


def test_figures_are_those_of_the_scores_and_all_systems_with_it_share_a_spot(
    table: pd.DataFrame,
) -> None:
    found = searched(table, "ab")
    one, two = found.spots["a"][0], found.spots["b"][0]
    assert one.slice.label == two.slice.label == "the query counts"
    assert one.score < 0.35 < 0.65 < one.overall < one.elsewhere
    assert one.low < one.expected < one.high
    assert (one.shared, two.shared, found.spots["c"]) == (("b",), ("a",), ())


def test_what_is_low_because_of_it_stands_under_it_and_is_no_spot(table: pd.DataFrame) -> None:
    (spot,) = searched(table, "a").spots["a"]
    assert any("adjective" in one and "elsewhere" in one for one in spot.also)


def test_failed_questions_are_wrong_and_others_get_them_right(table: pd.DataFrame) -> None:
    (spot,) = searched(table, "a").spots["a"]
    assert len(spot.failed) == 3
    assert set(spot.failed) <= set(spot.slice.ids)


def test_of_mistakes_the_share_is_shown_and_not_what_was_searched(table: pd.DataFrame) -> None:
    (right,) = searched(table, "a").spots["a"]
    (wrong,) = searched(table, "a", measure="wrong-type").spots["a"]
    assert wrong.slice == right.slice
    assert wrong.score == pytest.approx(1.0 - right.score)
    assert wrong.expected == pytest.approx(right.expected)


@pytest.mark.parametrize(("measure", "sign"), [("f1", 1.0), ("wrong-type", -1.0)])
def test_a_difference_is_that_of_the_two_systems(
    table: pd.DataFrame, measure: str, sign: float
) -> None:
    found = searched(table, "a", measure=measure, difference=True)
    (spot,) = found.spots["a"]
    assert list(found.spots) == ["a"]
    assert sign * spot.score < -0.3 < sign * spot.elsewhere


def test_one_page_has_one_level_for_all_systems(table: pd.DataFrame) -> None:
    found = searched(table, "a")
    assert found.spots["a"][0].p == pytest.approx(1 / 500)
    assert "would have been seen from" in found.silence("b")


def test_the_table_has_a_row_for_each_spot_and_the_same_columns_without(
    table: pd.DataFrame,
) -> None:
    some, none = searched(table, "ab").table(), searched(table, "").table()
    assert list(some["system"]) == ["a", "b"]
    assert none.empty
    assert list(none.columns) == list(some.columns)
    assert "sparql" in some
    assert "sparql" not in searched(table, "ab").table(people=True)


def test_the_query_of_a_spot_names_the_systems_that_chose_it(table: pd.DataFrame) -> None:
    one = searched(table, "ab").spots["a"][0].slice
    assert chosen_by(one.sparql) == chosen_by(one.restrict("SELECT ?qId { ?qId ?p ?o }"))
    assert chosen_by(one.sparql) == ("a", "b")
    (difference,) = searched(table, "a", difference=True).spots["a"]
    assert set(chosen_by(difference.slice.sparql)) == {"a", "b"}
