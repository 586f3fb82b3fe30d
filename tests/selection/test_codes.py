"""The different values of a column."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from qaldgen.selection import conditions
from qaldgen.selection.conditions import code_column, feature_conditions, search_conditions


@pytest.mark.parametrize(
    ("column", "values", "at"),
    [
        ([], [], []),
        ([None, math.nan, set(), ()], [], [-1, -1, -1, -1]),
        ([2, None, 1, 2], [2, 1], [0, -1, 1, 0]),
        ([0.5, math.nan, float("nan"), 0.5], [0.5], [0, -1, -1, 0]),
        ([["a", "b"], ("b", "a"), {"a"}], [frozenset("ab"), frozenset("a")], [0, 0, 1]),
        (["", "a"], ["", "a"], [0, 1]),
        ([0, False, 0.0], [0, False, 0.0], [0, 1, 2]),
    ],
    ids=["none", "missing", "whole", "nan", "collections", "empty-text", "equal-types"],
)
def test_different_values(column: list[Any], values: list[Any], at: list[int]) -> None:
    found = code_column(column)
    assert [(type(one), one) for one in found.values] == [(type(one), one) for one in values]
    assert found.codes.tolist() == at


def test_the_rest_of_many_values_shares_a_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "MOST_VALUES", 2)
    column = pd.Series(["a", "a", "a", "b", "b", "c", "d", None], name="head")
    found = feature_conditions(column)
    assert [(one.name, one.mask.tolist()) for one in found] == [
        ("head = a", [True] * 3 + [False] * 5),
        ("head = b", [False] * 3 + [True] * 2 + [False] * 3),
        ("head (other)", [False] * 5 + [True] * 2 + [False]),
        ("head (missing)", [False] * 7 + [True]),
    ]


def test_a_question_with_several_values_fulfils_several_conditions() -> None:
    column = pd.Series([["x", "y"], ["y"], None, []], name="kinds", dtype=object)
    found = {one.name: one.mask.tolist() for one in feature_conditions(column)}
    assert found == {
        "kinds has y": [True, True, False, False],
        "kinds has x": [True, False, False, False],
        "kinds (missing)": [False, False, True, True],
    }


def test_true_and_one_are_one_value_of_a_boolean() -> None:
    (yes,) = feature_conditions(pd.Series([True, 1, 1.0], name="isCount", dtype=object))
    assert yes.mask.all()


@pytest.mark.parametrize("least", [0, 1])
def test_few_whole_numbers_are_searched_one_by_one(least: int) -> None:
    column = pd.Series([least, least, least + 2, least + 4], name="level")
    names = [condition.name for condition in search_conditions(column)]
    assert [f"level = {least + more}" for more in (0, 2, 4)] == names[:3]
    assert f"level {least + 2} or more" in names


def test_one_fraction_between_opposite_bounds_does_not_name_the_range() -> None:
    column = pd.Series([-9.5, -9.5, -1.5, -1.5, 1.5, 2.5, 3.5, 4.5, 5.5], name="depth")
    names = [condition.name for condition in feature_conditions(column)]
    assert names[:2] == ["depth below -1.5", "depth -1.5 to below 1.5"]


def test_the_only_fraction_names_the_condition() -> None:
    (condition,) = feature_conditions(pd.Series([0.5, 0.5], name="depth"))
    assert condition.name == "depth = 0.5"


def test_one_fraction_does_not_name_a_range_with_an_open_end() -> None:
    conditions = search_conditions(pd.Series([0.5, 0.75], name="depth"))
    assert conditions
    assert not [condition.name for condition in conditions if "=" in condition.name]
