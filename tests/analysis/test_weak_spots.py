"""Weak spots.

The planted one comes first and by name, one cause is one spot, and what may be chance is not
confirmed.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from qaldgen.analysis.slicing import Slice, slices_by
from qaldgen.analysis.weak_search import search_weak_spots
from qaldgen.analysis.weak_spots import (
    MOST,
    NAMES,
    SAME_CAUSE,
    SPOTS,
    WeakSpot,
    failed_questions,
    overlap,
    weak_spots,
)
from qaldgen.features.catalogue import all_features, is_searched

SIZE = 400
IDS = [f"q{at}" for at in range(SIZE)]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    counts = rng.random(SIZE) < 0.12
    columns = {
        "usesFeature": [
            frozenset(["http://lsq.aksw.org/vocab#Aggregators"]) if one else frozenset()
            for one in counts
        ],
        "aggregateFunctions": [frozenset(["count"]) if one else frozenset() for one in counts],
        "isCount": counts.tolist(),
        "length": rng.integers(4, 18, SIZE).tolist(),
        "tpCount": rng.integers(1, 5, SIZE).tolist(),
        "hasSuperlative": (rng.random(SIZE) < 0.2).tolist(),
        "answerType": rng.choice(["resource", "date", "number"], SIZE).tolist(),
    }
    return pd.DataFrame(columns, index=pd.Index(IDS, name="id"), dtype=object)


def scored(table: pd.DataFrame, damaged: dict[str, str]) -> pd.DataFrame:
    """Score three systems at random; each is wrong wherever the feature named for it is true."""
    rng = np.random.default_rng(8)
    columns = {}
    for name, rate in (("a", 0.65), ("b", 0.55), ("c", 0.5)):
        right = rng.random(SIZE) < rate
        if name in damaged:
            right &= ~table[damaged[name]].to_numpy(bool)
        columns[name] = right.astype(float)
    return pd.DataFrame(columns, index=IDS)


def spots_of(table: pd.DataFrame, scores: pd.DataFrame) -> dict[str, tuple[WeakSpot, ...]]:
    return weak_spots(
        {name: search_weak_spots(scores[name], table) for name in map(str, scores)}, scores
    )


@pytest.mark.parametrize("system", ["a", "b", "c"])
def test_a_planted_weakness_is_the_first_by_name_and_the_strongest_of_all(
    table: pd.DataFrame, system: str
) -> None:
    found = spots_of(table, scored(table, {system: "isCount"}))
    first = found[system][0]
    assert (first.slice.label, first.confirmed, first.score) == ("the query counts", True, 0.0)
    others = [
        spot for name, own in found.items() for spot in own if name != system and spot.confirmed
    ]
    assert all(spot.strength < first.strength for spot in others)


@pytest.mark.parametrize("system", ["a", "b"])
def test_a_few_damaged_questions_come_before_a_larger_kind_that_is_hard_for_all(
    table: pd.DataFrame, system: str
) -> None:
    scores = scored(table, dict.fromkeys("abc", "hasSuperlative"))
    few = np.flatnonzero(table["isCount"].to_numpy(bool) & ~table["hasSuperlative"].to_numpy(bool))[
        :17
    ]
    rare = table.assign(isCount=np.isin(np.arange(SIZE), few).tolist())[
        ["isCount", "hasSuperlative", "length"]
    ]
    scores.loc[rare["isCount"].to_numpy(bool), system] = 0.0
    first, second, *_ = spots_of(rare, scores)[system]
    assert (first.slice.label, first.confirmed, len(first.slice)) == ("the query counts", True, 17)
    assert second.slice.features == ("hasSuperlative",)
    assert spots_of(rare, scores[[system]])[system][0].confirmed


def test_slices_of_one_cause_are_one_spot_and_numbers_are_those_of_the_search(
    table: pd.DataFrame,
) -> None:
    scores = scored(table, {"a": "isCount"})
    searched = search_weak_spots(scores["a"], table)
    spots = weak_spots({"a": searched}, scores[["a"]])["a"]
    assert len(spots) <= SPOTS
    for at, spot in enumerate(spots):
        assert all(overlap(spot.slice, other.slice) < SAME_CAUSE for other in spots[:at])
        (same,) = (one for one in searched.candidates if one.slice == spot.slice)
        assert (spot.score, spot.elsewhere, spot.p) == (same.observed, same.rest, same.p_adjusted)
        assert spot.score_of_all == scores.loc[list(spot.slice.ids), "a"].mean()


def test_other_names_are_few_and_say_something_else(table: pd.DataFrame) -> None:
    asked = table["isCount"].to_numpy(bool)

    def nearly(but: int) -> list[bool]:
        """Return the flags with one more question; equal conditions are searched only once."""
        return [bool(one) or at == np.flatnonzero(~asked)[but] for at, one in enumerate(asked)]

    same = table.assign(
        hasAggregation=nearly(0),
        whType=["how-many" if one else "what" for one in nearly(1)],
        tpCount=[3 if one else 1 for one in nearly(2)],
        tripleCountAll=[4 if one else 1 for one in nearly(3)],
        hasUnion=nearly(4),
        hasOptional=nearly(5),
    )
    first = spots_of(same, scored(table, {"a": "isCount"}))["a"][0]
    assert first.slice.label == "the query counts"
    assert "computes (count, sum, ...)" not in first.other_names
    assert 'the question says "how many"' in first.other_names
    assert len(first.other_names) == NAMES
    assert sum("triple pattern" in one for one in first.other_names) <= 1


def test_random_scores_have_no_confirmed_spot(table: pd.DataFrame) -> None:
    found = spots_of(table, scored(table, {}))
    assert [spot for own in found.values() for spot in own if spot.confirmed] == []


def test_a_spot_covers_at_most_half_of_the_questions(table: pd.DataFrame) -> None:
    scores = scored(table, {})
    scores["a"] = table["tpCount"].to_numpy(int) == 1
    assert all(
        len(spot.slice) <= MOST * SIZE for spot in spots_of(table, scores.astype(float))["a"]
    )


def test_systems_that_share_a_weakness_are_named(table: pd.DataFrame) -> None:
    found = spots_of(table, scored(table, {"a": "isCount", "b": "isCount"}))
    assert [found["a"][0].shared, found["b"][0].shared] == [("b",), ("a",)]


def test_failed_questions_are_those_that_others_get_right_and_unlike_each_other() -> None:
    scores = pd.DataFrame(
        {"mine": [0.0, 0.0, 0.0, 0.0, 1.0], "other": [1.0, 1.0, 1.0, 0.0, 1.0]}, index=list("vwxyz")
    )
    texts = {
        "v": "who wrote this book",
        "w": "who wrote this song",
        "x": "how tall is it",
        "y": "why",
        "z": "ok",
    }
    chosen = failed_questions(tuple("vwxyz"), "mine", scores, texts)
    assert "z" not in chosen
    assert set(chosen[:2]) == {"v", "x"}


def test_a_slice_without_questions_overlaps_with_nothing() -> None:
    assert overlap(Slice("none", ()), Slice("none", ())) == 0.0


@pytest.mark.parametrize("name", [name for name in all_features() if not is_searched(name)])
def test_what_is_no_kind_of_question_is_never_a_weak_spot_but_can_be_chosen(name: str) -> None:
    where = np.arange(SIZE) % 8 == 0
    numeric = all_features()[name].kind == "integer"
    values = np.where(where, 3, 1) if numeric else np.where(where, "this", "that")
    if all_features()[name].kind == "boolean":
        values = where
    table = pd.DataFrame({name: values.tolist()}, index=pd.Index(IDS, name="id"), dtype=object)
    scores = pd.DataFrame({"a": np.where(where, 0.0, 1.0)}, index=IDS)
    assert spots_of(table, scores) == {"a": ()}
    by_hand = {one.ids for one in slices_by(table, name)}
    assert tuple(np.array(IDS)[where]) in by_hand


@pytest.mark.parametrize("ending", ["Rule", "Gold", "Repaired", "Kinds"])
def test_features_of_provenance_are_not_searched(ending: str) -> None:
    named = [name for name in all_features() if name.endswith(ending)]
    assert named
    assert not any(map(is_searched, named))
