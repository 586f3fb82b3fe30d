"""The kinds that a search chooses from: each set of questions once, under its plainest name."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pandas as pd

from qaldgen.analysis.slices.kinds import MIN_KIND_SIZE, MOST_SHARE, kinds_of
from qaldgen.errors import DataError
from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import cost_of, is_searched, quantity_of
from qaldgen.selection.conditions import search_conditions

SIZE = 200


def features(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    counts = rng.random(SIZE) < 0.2
    columns = {
        "isCount": counts.tolist(),
        "whType": np.where(counts, "how-many", rng.choice(["who", "what"], SIZE)).tolist(),
        "hasUnion": (rng.random(SIZE) < 0.3).tolist(),
        "length": rng.integers(3, 20, SIZE).tolist(),
        "entityIris": [frozenset([f"http://x.org/E{n}"]) for n in rng.integers(0, 6, SIZE)],
    }
    return pd.DataFrame(columns, index=[f"q{at}" for at in range(SIZE)], dtype=object)


def test_each_set_of_questions_comes_once_and_sizes_are_right() -> None:
    table = features()
    kinds = kinds_of(table, table.index)
    inside = kinds.inside(np.arange(len(kinds)))
    assert len({mask.tobytes() for mask in inside}) == len(kinds) > 50
    assert (inside.sum(axis=1) == kinds.sizes).all()
    assert kinds.sizes.min() >= MIN_KIND_SIZE
    assert kinds.sizes.max() <= MOST_SHARE * SIZE


def test_equal_sets_get_the_plainest_name() -> None:
    table = features()
    kinds = kinds_of(table, table.index)
    labels = {kinds.slice_of(at).label for at in range(len(kinds.singles))}
    assert 'the question says "how many"' in labels
    assert "the query counts" not in labels  # the same questions


def test_a_length_names_a_set_only_if_nothing_else_does() -> None:
    table = pd.DataFrame({
        "length": [7, 3] * 50 + [5] * 40, "whType": ["how-many", "who"] * 50 + ["what"] * 40,
    })  # fmt: skip
    kinds = kinds_of(table, table.index)
    assert {kinds.slice_of(at).label for at in range(len(kinds))} >= {
        'the question says "how many"'
    }
    assert "seven words" not in {kinds.slice_of(at).label for at in range(len(kinds))}


def test_all_pairs_of_plain_conditions_on_different_things_are_there() -> None:
    table = features()
    kinds = kinds_of(table, table.index)
    cut = len(kinds.singles)
    found = {mask.tobytes() for mask in kinds.inside(np.arange(len(kinds)))}
    for one, two in itertools.combinations(range(cut), 2):
        first, second = kinds.singles[one], kinds.singles[two]
        both = kinds.masks[one] & kinds.masks[two]
        least = min(first.mask.sum(), second.mask.sum())
        if (
            quantity_of(first.feature) != quantity_of(second.feature)
            and max(cost_of(first.feature), cost_of(second.feature)) < 5
            and MIN_KIND_SIZE <= both.sum() <= 0.9 * least
        ):
            assert both.tobytes() in found


def test_few_whole_numbers_are_cut_at_each_and_others_at_eight_quantiles() -> None:
    for different, each, cuts in ((10, True, 9), (11, False, 8), (36, False, 8)):
        column = pd.Series([float(number) for number in range(1, different + 1)], name="length")
        conditions = search_conditions(column)
        values = [one for one in conditions if one.name == "length = 5"]
        assert len(values) == each
        assert len(conditions) == 2 * cuts + different * each


def test_codes_are_searched_alone() -> None:
    table = features()
    kinds = kinds_of(table, table.index)
    pairs = [kinds.features(at) for at in range(len(kinds.singles), len(kinds))]
    assert any("entityIris" in kinds.features(at) for at in range(len(kinds.singles)))
    assert not any("entityIris" in pair for pair in pairs)


def test_sums_are_those_over_the_questions_of_all_kinds() -> None:
    table = features()
    kinds = kinds_of(table, table.index)
    columns = np.arange(2.0 * len(table), dtype=np.float32).reshape(-1, 2)
    sums = np.full((len(kinds), 2), np.nan)
    for family in kinds.families:
        for numbers, some in kinds.sums(family, columns):
            sums[numbers] = some
    assert (sums == kinds.inside(np.arange(len(kinds))) @ columns).all()


def test_the_order_of_questions_and_features_does_not_matter() -> None:
    table = features()
    other = table.sample(frac=1, random_state=3)[list(reversed(table.columns))]
    names = [
        {kinds.slice_of(at).name for at in range(len(kinds.singles))}
        for kinds in (kinds_of(one, one.index) for one in (table, other))
    ]
    assert names[0] == names[1]


def test_kinds_are_as_large_as_asked_for_and_grow_with_the_questions() -> None:
    table = features()
    assert kinds_of(table, table.index, min_support=30).sizes.min() >= 30
    many = pd.concat([table] * 6, ignore_index=True)
    assert kinds_of(many, many.index).sizes.min() >= 0.01 * len(many)


def test_rules_codes_and_what_is_left_over_are_no_kinds() -> None:
    rng = np.random.default_rng(0)
    names = [name for name, one in all_features().items() if one.kind == "categorical"]
    columns = {name: rng.choice(["a", "b"], SIZE) for name in names}
    columns["headwordLemma"] = rng.integers(0, 60, SIZE).astype(str)
    columns["answerEntityType"] = rng.choice(["person", "other"], SIZE)
    wikidata = "http://www.wikidata.org/prop/direct/"
    columns["relationIris"] = rng.choice([f"{wikidata}P131", "http://x.org/author"], SIZE)
    columns["stopwordRatio"] = rng.random(SIZE)
    table = pd.DataFrame(columns, dtype=object)
    kinds = kinds_of(table, table.index)
    assert all(is_searched(one.feature) for one in kinds.singles)
    names = [one.name for one in kinds.singles]
    assert "answerEntityType = person" in names
    assert "relationIris = http://x.org/author" in names
    assert not any(name.endswith(("other", "(other)", "P131")) for name in names)


def test_what_is_not_known_is_a_kind_only_with_words_of_its_own() -> None:
    gaps = [None if at % 3 == 0 else "rock" for at in range(SIZE)]
    table = pd.DataFrame({"topicCategory": gaps, "isExplicitClass1": gaps}, dtype=object)
    table["isExplicitClass1"] = [None if one is None else True for one in gaps]
    kinds = kinds_of(table, table.index)
    assert {one.phrase for one in kinds.singles if one.mask[0]} == {"no class in the query"}


def test_a_question_without_features_is_refused(refused: Callable[..., str]) -> None:
    table = features()
    told = refused(lambda: kinds_of(table.iloc[1:], table.index), DataError)
    assert "question q0: has no features" in told
