"""The search: what was planted is named, shadows are not, and a page about nothing is silent."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom, norm

from qaldgen.analysis.slices import search
from qaldgen.analysis.slices.kinds import Kinds, kinds_of

SIZE = 500


@pytest.fixture(scope="module")
def kinds() -> Kinds:
    rng = np.random.default_rng(4)
    counts = rng.random(SIZE) < 0.15
    columns = {
        "isCount": counts,
        # nearly the same questions, and plainer
        "whType": np.where(counts & (np.arange(SIZE) > 9), "how-many", "who"),
        "totalAdjectives": rng.poisson(1.0, SIZE) + 2 * (counts & (rng.random(SIZE) < 0.5)),
        "hasSuperlative": rng.random(SIZE) < 0.2,
        "hasUnion": rng.random(SIZE) < 0.3,
        "length": rng.integers(3, 20, SIZE),
        "split": rng.choice(["a", "b"], SIZE),
        "relationIris": rng.choice(["p1", "p2", "p3", "p4"], SIZE),
    }
    table = pd.DataFrame(columns, index=[f"q{at}" for at in range(SIZE)], dtype=object)
    return kinds_of(table, table.index)


def found(kinds: Kinds, scores: np.ndarray, seed: int = 0) -> list[list[str]]:
    """Return the labels of the findings of each system of a page."""
    rows = scores if scores.ndim == 2 else scores[:, None]
    null = search.null_distribution(rows, kinds, alpha=0.05, n_resamples=199, seed=seed)
    return [
        [
            kinds.slice_of(one.number).label
            for one in search.find_weak_kinds(own, kinds, null, fit, 0.05)
        ]
        for own, fit in zip(rows.T, search.fit_kinds(rows, kinds), strict=True)
    ]


def mask_of(kinds: Kinds, label: str) -> np.ndarray:
    (one,) = [one for one in kinds.singles if one.phrase == label]
    return one.mask


def dealt(rng: np.random.Generator, fails: np.ndarray) -> np.ndarray:
    return (rng.random(len(fails)) >= fails).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_kind_is_named_by_its_plainest_name_and_its_shadows_are_not(
    kinds: Kinds, seed: int
) -> None:
    fails = 0.15 + 0.5 * mask_of(kinds, "the query counts")
    (labels,) = found(kinds, dealt(np.random.default_rng(seed), fails))
    assert labels == ['the question says "how many"']


def test_a_planted_pair_is_named_with_both_conditions(kinds: Kinds) -> None:
    both = mask_of(kinds, "either-or in the query (UNION)") & mask_of(kinds, "up to 11 words")
    (labels,) = found(kinds, dealt(np.random.default_rng(1), 0.1 + 0.5 * both))
    assert labels == ["either-or in the query (UNION) and up to 11 words"]


@pytest.mark.parametrize("seed", range(3))
def test_three_causes_are_three_findings(kinds: Kinds, seed: int) -> None:
    causes = ["asks for an extreme (superlative)", "either-or in the query (UNION)"]
    planted = [mask_of(kinds, one) for one in causes] + [mask_of(kinds, "the query counts")]
    fails = np.where(np.any(planted, axis=0), 0.65, 0.1)
    (labels,) = found(kinds, dealt(np.random.default_rng(seed), fails))
    plain = [one.replace('the question says "how many"', "the query counts") for one in labels]
    assert sorted(plain) == sorted([*causes, "the query counts"])


@pytest.fixture(scope="module")
def nested() -> tuple[Kinds, np.ndarray]:
    """Questions of eight types, three of which are one broad kind, and their types."""
    types = np.random.default_rng(2).permutation(np.arange(800) % 8)
    named = np.array(["date", "number", "a", "b", "c", "d", "person", "place"])[types]
    columns = {"answerType": named, "isCount": types < 3, "length": types * 0 + np.arange(800) % 9}
    table = pd.DataFrame(columns, index=[f"q{at}" for at in range(800)], dtype=object)
    return kinds_of(table, table.index), types


@pytest.mark.parametrize("seed", range(4))
def test_two_causes_in_a_broad_kind_take_its_place(
    nested: tuple[Kinds, np.ndarray], seed: int
) -> None:
    kinds, types = nested
    rng = np.random.default_rng(seed)
    (labels,) = found(kinds, dealt(rng, np.where(types < 2, 0.6, 0.1)))
    assert sorted(labels) == ["the answer is a date", "the answer is a number"]
    (labels,) = found(kinds, dealt(rng, np.where(types < 3, 0.6, 0.1)))
    assert labels == ["the query counts"]


def test_pages_about_nothing_seldom_claim_anything(kinds: Kinds) -> None:
    rng, claims = np.random.default_rng(7), 0
    for page in range(40):
        hard = rng.normal(size=(SIZE, 1))
        scores = (hard + rng.normal(size=(SIZE, 6)) < 0.8).astype(float)
        claims += any(found(kinds, scores, page))
    assert claims <= 6  # 2 are expected; 7 have a chance of 0.3 %


def test_a_small_difference_is_no_claim_however_sure() -> None:
    rng = np.random.default_rng(0)
    asks = np.arange(20_000) % 2 == 0
    table = pd.DataFrame({"hasUnion": asks}, dtype=object)
    kinds = kinds_of(table, table.index)
    assert found(kinds, dealt(rng, 0.3 + 0.07 * asks)) == [[]]
    assert found(kinds, dealt(rng, 0.3 + 0.15 * asks)) == [["either-or in the query (UNION)"]]


@pytest.mark.parametrize(
    ("fewer", "labels"), [(199, []), (201, ["either-or in the query (UNION)"])]
)
def test_a_claim_is_a_difference_of_a_tenth(fewer: int, labels: list[str]) -> None:
    at = np.arange(4_000)
    table = pd.DataFrame({"hasUnion": at % 2 == 0}, dtype=object)
    wrong = np.where(at % 2 == 0, at // 2 < 600 + fewer, at // 2 < 600)
    assert found(kinds_of(table, table.index), 1.0 - wrong) == [labels]


class Claims:
    """A search that claims one kind after the other."""

    def __init__(self, *p: float) -> None:
        self.claims = [search.WeakKind(number, one) for number, one in enumerate(p)]

    def unexplained(self, weak_kinds: list[search.WeakKind]) -> int:
        return len(weak_kinds)

    def best(self, place: int) -> search.WeakKind:
        return self.claims[place]

    def parts(self, claim: search.WeakKind, place: int) -> list[search.WeakKind]:
        return [claim]


@pytest.mark.parametrize(
    ("p", "claimed"),
    [((0.04, 0.04), 1), ((0.04, 0.026), 1), ((0.04, 0.024, 0.03), 2), ((0.06,), 0)],
)
def test_a_claim_beside_another_needs_half_the_level(
    kinds: Kinds, monkeypatch: pytest.MonkeyPatch, p: tuple[float, ...], claimed: int
) -> None:
    rows = np.ones((SIZE, 1))
    null = search.null_distribution(rows, kinds, alpha=0.05, n_resamples=19, seed=0)
    (fit,) = search.fit_kinds(rows, kinds)
    monkeypatch.setattr(search, "_SystemSearch", lambda *_: Claims(*p))
    monkeypatch.setattr(search, "_search_again", lambda weak_kinds, *_: weak_kinds)
    assert len(search.find_weak_kinds(rows[:, 0], kinds, null, fit, 0.05)) == claimed


def test_equal_scores_have_no_weak_spot(kinds: Kinds) -> None:
    assert found(kinds, np.ones(SIZE)) == [[]]
    assert found(kinds, np.column_stack([np.zeros(SIZE), np.ones(SIZE)])) == [[], []]


def test_the_null_is_the_smallest_z_of_all_kinds_and_systems(kinds: Kinds) -> None:
    rng = np.random.default_rng(3)
    scores = rng.random((SIZE, 2))
    null = search.null_distribution(scores, kinds, alpha=0.1, n_resamples=39, seed=5)
    drawn, least = np.random.default_rng(5), []
    for _ in range(39):
        order = drawn.permutation(SIZE)
        fits = search.fit_kinds(scores[order], kinds)
        least.append([min(fit.z[family].min() for fit in fits) for family in kinds.families])
    bars = -np.sort(np.array(least), axis=0)[3]
    assert null.bars == pytest.approx(bars, abs=1e-3)
    assert null.smallest == pytest.approx(np.sort((least + bars).min(axis=1)), abs=1e-3)


def test_one_seed_gives_one_result(kinds: Kinds) -> None:
    scores = dealt(np.random.default_rng(0), np.full(SIZE, 0.3))[:, None]
    one, two, other = (
        search.null_distribution(scores, kinds, alpha=0.05, n_resamples=99, seed=seed)
        for seed in (1, 1, 2)
    )
    assert (one.smallest == two.smallest).all()
    assert (one.smallest != other.smallest).any()


def test_z_is_that_of_drawing_without_replacement(kinds: Kinds) -> None:
    scores = dealt(np.random.default_rng(0), np.full(SIZE, 0.1))
    (fit,) = search.fit_kinds(scores[:, None], kinds)
    right = int(scores.sum())
    for at in np.argsort(fit.z)[:20]:
        (inside,) = kinds.inside(np.array([at]))
        size, hits = int(inside.sum()), int(scores[inside].sum())
        below = hypergeom(SIZE, right, size)
        middle = below.cdf(hits) - 0.5 * below.pmf(hits)
        assert fit.z[at] == pytest.approx(norm.ppf(middle), abs=0.35)
        assert fit.difference[at] == pytest.approx(
            scores[inside].mean() - scores[~inside].mean(), abs=1e-5
        )
