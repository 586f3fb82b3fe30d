"""Search for slices: what was planted is found, with every condition it needs and no more.

Nothing is found in noise.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from qaldgen.analysis import confirmation
from qaldgen.analysis.discovery import find_slices
from qaldgen.analysis.search import ADDS, Search
from qaldgen.analysis.search_table import search_table
from qaldgen.analysis.slice_search import SEARCHES, SliceSearch
from qaldgen.errors import UsageError

N = 600


def features(rng: np.random.Generator, n: int = N, flags: int = 10) -> pd.DataFrame:
    columns = {f"flag{at}": rng.random(n) < 0.3 for at in range(flags)}
    codes = rng.choice(["who", "what", "when"], n)
    return pd.DataFrame(
        {**columns, "size": rng.poisson(6, n), "wh": codes}, index=[f"q{at}" for at in range(n)]
    )


def scores(rng: np.random.Generator, low: pd.Series, by: float = 0.6) -> pd.Series:
    return pd.Series((rng.random(len(low)) < 0.7 - by * low).astype(float), index=low.index)


@pytest.mark.parametrize("method", SEARCHES)
def test_a_planted_slice_is_found(method: str) -> None:
    rng = np.random.default_rng(0)
    table = features(rng)
    found = find_slices(
        scores(rng, table["flag3"]), table, SliceSearch(method=method, n_resamples=2000)
    ).found
    assert found[0].slice.name == "flag3 = yes"
    assert set(found[0].slice.ids) == set(table.index[table["flag3"]])
    assert -0.8 < found[0].difference < -0.4
    assert found[0].high < -0.25
    assert all("flag3" in one.slice.name for one in found)


@pytest.mark.parametrize("method", SEARCHES)
def test_a_planted_conjunction_is_found_with_both_conditions(method: str) -> None:
    rng = np.random.default_rng(1)
    table = features(rng)
    planted = table["flag1"] & (table["size"] >= 6)
    result = find_slices(scores(rng, planted), table, SliceSearch(method=method, n_resamples=2000))
    best = max(result.found, key=lambda one: one.n_search and -one.difference)
    assert "flag1 = yes" in best.slice.name
    assert "size" in best.slice.name


def test_three_conditions_are_found() -> None:
    rng = np.random.default_rng(2)
    table = features(rng, 3000, 6)
    planted = table["flag0"] & table["flag1"] & (table["wh"] == "who")
    found = find_slices(scores(rng, planted), table, SliceSearch(n_resamples=2000)).found
    assert "flag0 = yes and flag1 = yes and wh = who" in [one.slice.name for one in found]
    assert not any(
        "and" in one.slice.name
        for one in find_slices(
            scores(rng, planted), table, SliceSearch(depth=1, n_resamples=500)
        ).found
    )


def test_a_needless_condition_is_not_reported() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table = features(rng)
        found = find_slices(
            scores(rng, table["flag3"]), table, SliceSearch(n_resamples=1000, random_state=seed)
        ).found
        assert "flag3 = yes" in [one.slice.name for one in found]
        assert sum(" and " in one.slice.name for one in found) <= 1


@pytest.mark.parametrize("method", SEARCHES)
def test_noise_seldom_yields_a_slice(method: str) -> None:
    rng = np.random.default_rng(3)
    table = features(rng, 200, 8)
    runs = 150 if method == "held-out" else 25
    found = 0
    for seed in range(runs):
        noise = pd.Series(rng.choice([0.0, 0.0, 0.4, 1.0], 200), index=table.index)
        found += bool(
            find_slices(
                noise, table, SliceSearch(method=method, n_resamples=500, random_state=seed)
            ).found
        )
    assert found <= (
        14 if method == "held-out" else 4
    )  # 5 % expected at most; exceeded with probability 0.01


def test_evidence_is_that_of_the_held_out_half() -> None:
    rng = np.random.default_rng(4)
    table = features(rng)
    result = find_slices(scores(rng, table["flag3"]), table, SliceSearch(n_resamples=500))
    assert (result.n_search, result.n_held_out) == (N // 2, N // 2)
    for one in result.candidates:
        assert one.n_search + one.n_held_out == len(one.slice)
        assert one.difference == pytest.approx(one.mean - one.rest)
        assert one.low <= one.difference <= one.high
        assert abs(one.difference) <= abs(one.observed - one.rest) + 1e-12


@pytest.mark.parametrize("method", SEARCHES)
def test_the_effect_of_what_is_reported_is_no_winners(method: str) -> None:
    """Of a weak slice only lucky searches report something.

    What they say of it is about right nevertheless.
    """
    observed, expected, truth, held = [], [], [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        table = features(rng, 400, 6)
        chance = 0.5 - 0.2 * table["flag0"]
        values = pd.Series((rng.random(400) < chance).astype(float), index=table.index)
        for one in find_slices(
            values, table, SliceSearch(depth=1, method=method, n_resamples=1000, random_state=seed)
        ).found:
            inside = one.slice.mask(table.index)
            observed.append(one.observed - one.rest)
            expected.append(one.difference)
            truth.append(chance[inside].mean() - chance[~inside].mean())
            held.append(one.low <= truth[-1] <= one.high)
    assert len(truth) >= 5
    assert abs(np.mean(expected) - np.mean(truth)) < 0.04
    if method == "held-out":
        assert np.mean(observed) < np.mean(truth) - 0.05
    assert np.mean(held) >= 0.9


def test_what_was_not_reported_is_as_it_was_observed() -> None:
    rng = np.random.default_rng(4)
    table = features(rng)
    noise = pd.Series(rng.random(N), index=table.index)
    for one in find_slices(noise, table, SliceSearch(n_resamples=200)).candidates:
        assert one.mean == pytest.approx(one.observed)


def test_the_seed_decides_the_halves() -> None:
    rng = np.random.default_rng(5)
    table = features(rng)
    values = scores(rng, table["flag3"])
    first, again, other = (
        find_slices(values, table, SliceSearch(n_resamples=200, random_state=seed)).candidates
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first[0].n_search != other[0].n_search or first[0].mean != other[0].mean


def test_the_order_of_the_table_does_not_matter() -> None:
    rng = np.random.default_rng(6)
    table = features(rng)
    values = scores(rng, table["flag3"])
    one, two = (
        find_slices(values, table, SliceSearch(n_resamples=200)),
        find_slices(values, table.iloc[::-1], SliceSearch(n_resamples=200)),
    )
    assert one == two


def test_slices_are_as_large_as_asked_for() -> None:
    rng = np.random.default_rng(7)
    table = features(rng)
    result = find_slices(
        scores(rng, table["flag3"]), table, SliceSearch(min_support=100, n_resamples=200)
    )
    assert result.candidates
    assert all(len(one.slice) >= 100 for one in result.candidates)


def test_near_duplicates_are_tested_once() -> None:
    rng = np.random.default_rng(8)
    table = features(rng)
    table["copy"] = table["flag3"] ^ (np.arange(N) < 5)
    names = [
        one.slice.name
        for one in find_slices(
            scores(rng, table["flag3"]), table, SliceSearch(depth=1, n_resamples=200)
        ).candidates
    ]
    assert len({"flag3 = yes", "copy = yes"} & set(names)) == 1


def test_differences_find_where_one_system_loses() -> None:
    rng = np.random.default_rng(9)
    table = features(rng)
    a, b = scores(rng, table["flag2"]), scores(rng, table["flag4"])
    assert "flag2 = yes" in [
        one.slice.name for one in find_slices(a - b, table, SliceSearch(n_resamples=2000)).found
    ]
    assert "flag4 = yes" in [
        one.slice.name for one in find_slices(b - a, table, SliceSearch(n_resamples=2000)).found
    ]


def test_equal_scores_have_no_worst_slice() -> None:
    table = features(np.random.default_rng(10))
    assert find_slices(pd.Series(0.5, index=table.index), table).candidates == ()


def test_the_table_of_candidates_has_sparql() -> None:
    rng = np.random.default_rng(11)
    table = features(rng)
    frame = find_slices(scores(rng, table["flag3"]), table, SliceSearch(n_resamples=500)).table()
    assert frame["found"]["flag3 = yes"]
    assert frame["sparql"]["flag3 = yes"].count("SELECT") == 1


def test_bad_calls_and_data_are_refused(refused: Callable[..., str]) -> None:
    table = features(np.random.default_rng(12))
    values = pd.Series(0.5, index=table.index)
    assert "depth is 4" in refused(
        lambda: find_slices(values, table, SliceSearch(depth=4)), UsageError
    )
    assert "unknown method 'x'" in refused(
        lambda: find_slices(values, table, SliceSearch(method="x")), UsageError
    )
    assert "question q5: has no score" in refused(
        lambda: find_slices(values.mask(values.index == "q5"), table)
    )
    assert "question q5: has no features" in refused(lambda: find_slices(values, table.drop("q5")))
    assert "too few" in refused(lambda: find_slices(values.iloc[:30], table))


# --- the search -----------------------------------------------------------------------------------


def plain_search(
    values: np.ndarray, masks: np.ndarray, fewest: int
) -> dict[tuple[int, ...], float]:
    """Return every conjunction that counts, by definition."""
    n, deviation, found = len(values), values.std(ddof=1), {}
    for size in (1, 2, 3):
        for chosen in itertools.combinations(range(masks.shape[1]), size):
            inside = masks[:, chosen].all(axis=1)
            k = inside.sum()
            if not fewest <= k <= n - fewest:
                continue
            z = (values.mean() - values[inside].mean()) / (deviation * np.sqrt((1 - k / n) / k))
            parents = (
                [
                    masks[:, [c for c in chosen if c != left]].all(axis=1) & ~inside
                    for left in chosen
                ]
                if size > 1
                else []
            )
            clear = all(
                rest.any()
                and values[rest].mean() - values[inside].mean()
                >= ADDS * deviation * np.sqrt(1 / k + 1 / rest.sum())
                for rest in parents
            )
            if z > 0 and clear:
                found[chosen] = float(z)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_search_agrees_with_its_definition(seed: int) -> None:
    """All pairs are extended here; a triple is found if one of its pairs counts."""
    rng = np.random.default_rng(seed)
    masks = rng.random((150, 9)) < 0.5
    values = 0.5 * rng.random(150) - masks[:, :3].all(axis=1)
    expected = plain_search(values, masks, 8)
    reachable = {
        chosen: z
        for chosen, z in expected.items()
        if len(chosen) < 3 or any(pair in expected for pair in itertools.combinations(chosen, 2))
    }
    found = {one.conditions: one.z for one in Search(masks, masks, 3, 8).run(values)[0]}
    assert found == pytest.approx(reachable)
    assert (0, 1, 2) in found


def test_others_must_have_enough_questions_too() -> None:
    masks = np.array([[1] * 20 + [0] * 20, [1, 0] * 20], dtype=bool).T
    others = np.array([[1] * 4 + [0] * 36, [1, 0] * 20], dtype=bool).T
    values = np.r_[np.zeros(20), np.ones(20)]
    assert Search(masks, masks, 1, 5).run(values)[0][0].conditions == (0,)
    assert not Search(masks, others, 1, 5).run(values)[0]


def test_qald_9_system(shared_data: Path) -> None:
    path = shared_data / "system-scores" / "Y_qald9_kbqa.csv"
    if not path.is_file():
        pytest.skip(f"the scores of systems are not at {path}")
    values, table = (
        pd.read_csv(path, index_col=0),
        pd.read_csv(path.with_name("F_qald9_kbqa.csv"), index_col=0),
    )
    values, table = values[~values.index.duplicated()], table[~table.index.duplicated()].round(3)
    found = [one.slice.name for one in find_slices(values["GANSWER2"], table).found]
    assert "n_var 2 or more" in found
    assert "n_ent = 0" in found


def test_drawn_and_shuffled_p_values_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    values = rng.choice([0.0, 0.5, 2 / 3, 1.0], 300, p=[0.5, 0.1, 0.1, 0.3])
    members = rng.random((300, 6)) < np.array([0.05, 0.1, 0.2, 0.5, 0.8, 0.95])
    found = []
    for cost in (0, 10**9):  # draws are free, then too dear
        monkeypatch.setattr(confirmation, "_DRAW", cost)
        found.append(confirmation._permutation_p(values, members, 8000, np.random.default_rng(1)))
    assert np.abs(found[0] - found[1]).max() < 0.03  # five standard errors
    assert not np.array_equal(found[0], found[1])


@pytest.mark.parametrize("method", SEARCHES)
def test_systems_that_share_a_table_are_searched_as_alone(method: str) -> None:
    rng = np.random.default_rng(5)
    table = features(rng)
    how = SliceSearch(n_resamples=300, method=method)
    shared = search_table(table, table.index)
    for column in ("flag3", "flag1"):
        values = scores(rng, table[column])
        alone, together = find_slices(values, table, how), find_slices(values, shared, how)
        assert alone == together
        assert alone.candidates
    assert shared.setting(how) is shared.setting(SliceSearch(method=method))
