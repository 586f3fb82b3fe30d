"""Find where a system is worst.

Report only what held-out questions confirm, or what no search in shuffled scores finds.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qaldgen.analysis.conditions import Condition, search_conditions
from qaldgen.analysis.found import Discovery, FoundSlice
from qaldgen.analysis.intervals import FEWEST, interval
from qaldgen.analysis.multiplicity import holm
from qaldgen.analysis.randomisation import Flags
from qaldgen.analysis.search import Candidate, Search
from qaldgen.analysis.slices import slice_where
from qaldgen.analysis.winners import share_that_remains
from qaldgen.errors import DataError, UsageError
from qaldgen.features.labels import rank_of
from qaldgen.io.arguments import check_share, check_whole
from qaldgen.io.names import one_of
from qaldgen.scoring.measures import Array, find_measure, named
from qaldgen.selection.arrays import Indices

if TYPE_CHECKING:
    import pandas as pd

#: Candidates whose questions overlap by more than this (Jaccard) are one, and the worse one stands
#: for both; but one with fewer conditions stays, since the longer one may turn out to be
#: over-fitted.
SAME = 0.7
#: A conjunction is reported if held-out questions too say, at this one-sided p, that it is worse
#: than the rest of each parent.
ADDS_P = 0.05
SEARCHES = {
    "held-out": "find slices on half of the questions, test them on the other half",
    "permutation": "find and test on all questions, against scores dealt out at random",
}
#: Intervals cover all slices of which one might have been reported, each at this level at least.
LEVEL = 0.95
#: Searches in shuffled scores by ``permutation``.
SHUFFLES = 199
_BLOCK_CELLS = 4_000_000


@dataclasses.dataclass(frozen=True)
class SliceSearch:
    """How slices are searched for.

    Attributes
    ----------
    depth : int
        Most conditions of a slice, 1 to 3.
    min_support : int or None
        Fewest questions of a slice; None for 2 %, but 10 at least.
    method : str
        ``held-out``: search one half of the questions, and test the candidates on the other half.
        ``permutation``: search all questions, and compare with what the same search finds in
        shuffled scores (maximum statistic, Westfall and Young 1993): it finds more where questions
        are few, takes longer, and its means are those of the questions that chose the slice.
    top : int
        Candidates that are tested.
    alpha : float
        The chance of reporting anything where there is nothing.
    n_resamples : int
        Random permutations of each test; ``permutation`` makes `SHUFFLES` searches.
    random_state : int
        The seed of halves and permutations.
    same : float
        Of candidates whose questions overlap by more (Jaccard) only the worst is tested; 1 tests
        all.

    Raises
    ------
    UsageError
        If the method is unknown, or a number is out of its range.
    """

    depth: int = 3
    min_support: int | None = None
    method: str = "held-out"
    top: int = 10
    alpha: float = 0.05
    n_resamples: int = 10_000
    random_state: int = 0
    same: float = SAME

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if self.min_support is not None:
            check_whole("min_support", self.min_support, 2)
        check_whole("top", self.top, 1)
        check_share("alpha", self.alpha)
        check_whole("n_resamples", self.n_resamples, 1, 10_000_000)
        check_whole("random_state", self.random_state, 0)
        if self.depth not in (1, 2, 3):
            raise UsageError(f"depth is {self.depth}; slices have 1, 2 or 3 conditions")
        if self.method not in SEARCHES:
            raise UsageError(f"unknown method {self.method!r}; {one_of(self.method, SEARCHES)}")

    def support(self, questions: int) -> int:
        """Return the fewest questions of a slice of so many."""
        return (
            max(10, math.ceil(0.02 * questions)) if self.min_support is None else self.min_support
        )


class _Halves(NamedTuple):
    """The questions that are searched, and those that candidates are tested on.

    By ``permutation`` both are all of them.
    """

    here: Indices
    there: Indices


def find_slices(
    scores: pd.Series[float], table: pd.DataFrame, search: SliceSearch | None = None
) -> Discovery:
    """Find the slices on which scores are lowest, as conjunctions of conditions on features.

    Parameters
    ----------
    scores
        By question; low is bad. A difference of scores finds where one system loses most against
        another.
    table
        Features by question; None, NaN and the empty set are missing, which is a condition too.
    search
        How to search; None for the defaults of `SliceSearch`.

    Raises
    ------
    DataError
        If a question has no score or no row in the table, or there are too few questions.

    Examples
    --------
    >>> import pandas as pd
    >>> ids = [f"q{n}" for n in range(200)]
    >>> table = pd.DataFrame({"isCount": [n % 4 == 0 for n in range(200)], "length": [n % 7 for n in range(200)]}, index=ids)
    >>> scores = pd.Series([0.1 if n % 4 == 0 else n % 3 / 2 for n in range(200)], index=ids)
    >>> [one.slice.name for one in find_slices(scores, table).found]
    ['isCount = yes']
    """
    how = search or SliceSearch()
    support = how.support(len(scores))
    _check(scores, table, support)
    values, table = np.asarray(scores, dtype=np.float64), table.loc[scores.index]
    conditions = _conditions(table, support)
    masks = (
        np.column_stack([one.mask for one in conditions])
        if conditions
        else np.zeros((len(values), 0), dtype=bool)
    )
    rng = np.random.default_rng(how.random_state)
    split = how.method == "held-out"
    halves = _halves(len(values), rng, split=split)
    finder = Search(
        masks[halves.here],
        masks[halves.there],
        how.depth,
        max(FEWEST, math.ceil(support / 2)) if split else support,
    )
    ranked, looked = finder.run(values[halves.here])
    chosen = _distinct(ranked, masks, how.top, how.same)
    candidates = _tested(values, masks, chosen, halves, how, finder, rng)
    named = [
        FoundSlice(slice_where(table.index, [conditions[at] for at in one.conditions]), *figures)
        for one, figures in zip(chosen, candidates, strict=True)
    ]
    found = sorted(
        (one for one in named if one.p_adjusted <= how.alpha and one.adds),
        key=lambda one: one.p_adjusted,
    )
    sizes = len(conditions), looked, len(halves.here), len(halves.there)
    return Discovery(tuple(found), tuple(named), *sizes, how.method, how.alpha, how.random_state)


def scores_to_search(counts: Sequence[pd.DataFrame], measure: str = "macro-f1") -> pd.Series[float]:
    """Return what `find_slices` searches.

    A measure of each question alone, of two systems the first's minus the second's. The search
    looks for low values, so a measure of mistakes is subtracted from its largest value first.

    Raises
    ------
    UsageError
        If there is no such measure.

    Examples
    --------
    >>> import pandas as pd
    >>> one = pd.DataFrame({"tp": [1, 0], "fp": [1, 2], "fn": [0, 1]}, index=["a", "b"])
    >>> scores_to_search([one], "micro-precision").tolist()
    [0.5, 0.0]
    """
    kinds = [find_measure(measure, own) for own in counts]
    first, *second = [
        kind.of_each(own) if kind.higher_is_better else kind.bounds[1] - kind.of_each(own)
        for kind, own in zip(kinds, counts, strict=True)
    ]
    return first - second[0] if second else first


def searched_in_words(measure: str) -> str:
    """Say what the scores of a search are.

    Examples
    --------
    >>> searched_in_words("macro-f1"), searched_in_words("micro-recall")
    ('Macro F1', 'the mean over questions of Micro Recall of a question alone')
    """
    kind = named(measure)
    label = kind.label.removesuffix(" score")
    if not kind.higher_is_better:
        label = f"{kind.bounds[1]:g} - {label} (of which less is better)"
    return label if kind.is_mean else f"the mean over questions of {label} of a question alone"


def _halves(size: int, rng: np.random.Generator, *, split: bool) -> _Halves:
    order, whole = rng.permutation(size), np.arange(size)
    return (
        _Halves(np.sort(order[: size // 2]), np.sort(order[size // 2 :]))
        if split
        else _Halves(whole, whole)
    )


def _tested(
    values: Array,
    masks: Flags,
    chosen: Sequence[Candidate],
    halves: _Halves,
    how: SliceSearch,
    finder: Search,
    rng: np.random.Generator,
) -> list[tuple[Any, ...]]:
    """Test the candidates, and return the figures of each.

    The fields of `FoundSlice` behind the slice itself.
    """
    there, split = halves.there, how.method == "held-out"
    members = _members(masks, chosen)
    p = _permutation_p(values[there], members[there], how.n_resamples, rng)
    verdict = (
        _held_out_verdict(p, how.alpha)
        if split
        else _shuffled_verdict(finder, values, chosen, how.alpha, rng)
    )
    tested = []
    for at, candidate in enumerate(chosen):
        parents = _members(masks, _parents(candidate) if split else [])[there]
        adds = all(
            _adds(values[there], members[there, at], parent, how.n_resamples, rng)
            for parent in parents.T
        )
        reported = bool(verdict.p[at] <= how.alpha) and adds
        figures = _figures(
            values,
            members[:, at],
            halves,
            float(p[at]),
            float(verdict.threshold[at]),
            reported=reported,
        )
        tested.append((*figures, float(p[at]), float(verdict.p[at]), adds))
    return tested


def _check(scores: pd.Series[float], table: pd.DataFrame, support: int) -> None:
    absent = scores.index[scores.isna()]
    if len(absent):
        raise DataError(
            f"question {absent[0]}: has no score; every question needs one (0 where none was"
            " earned)"
        )
    unknown = scores.index.difference(table.index)
    if len(unknown):
        raise DataError(
            f"question {unknown[0]}: has no features; {len(unknown):,} of {len(scores):,} scored"
            " questions have none"
        )
    if len(scores) < 4 * support:
        raise DataError(
            f"{len(scores)} questions are too few to search and confirm slices of {support} or"
            f" more; {4 * support} do"
        )


def _conditions(table: pd.DataFrame, support: int) -> list[Condition]:
    """Return the conditions that neither too few nor too many questions fulfil.

    Of those with the same questions the one that people understand best stands for all.
    """
    found: dict[bytes, Condition] = {}
    for name in sorted(map(str, table.columns), key=rank_of):
        for one in search_conditions(table[name]):
            if support <= one.mask.sum() <= len(table) - support:
                found.setdefault(one.mask.tobytes(), one)
    return list(found.values())


def _member(masks: Flags, candidate: Candidate) -> Flags:
    return np.asarray(masks[:, list(candidate.conditions)].all(axis=1), dtype=np.bool_)


def _distinct(ranked: Sequence[Candidate], masks: Flags, top: int, same: float) -> list[Candidate]:
    """Return the first `top` candidates that are not nearly the same questions as one before them."""
    chosen: list[Candidate] = []
    kept: list[Flags] = []
    for candidate in ranked:
        if len(chosen) == top:
            break
        mask = _member(masks, candidate)
        rivals = (
            other
            for one, other in zip(chosen, kept, strict=True)
            if len(one.conditions) <= len(candidate.conditions)
        )
        if all((mask & other).sum() <= same * (mask | other).sum() for other in rivals):
            chosen.append(candidate)
            kept.append(mask)
    return chosen


def _members(masks: Flags, some: Sequence[Candidate]) -> Flags:
    """Return which questions belong to each candidate, one a column."""
    columns = [_member(masks, one) for one in some]
    return np.column_stack(columns) if columns else np.zeros((len(masks), 0), dtype=bool)


def _figures(
    values: Array, inside: Flags, halves: _Halves, p: float, threshold: float, *, reported: bool
) -> tuple[int, int, float, float, float, float, float, float, float]:
    """Return the figures of `FoundSlice` from ``n_search`` to ``high``.

    The difference of what is reported is shrunk for that.
    """
    here, there = halves
    known, low, rest = (
        values[here][inside[here]],
        values[there][inside[there]],
        values[there][~inside[there]],
    )
    level = max(LEVEL, NormalDist().cdf(threshold))
    gap, least, most = _difference(
        low, rest, (-1.0, 1.0) if values.min() < 0.0 else (0.0, 1.0), level
    )
    if reported:
        gap = min(
            max(gap * share_that_remains(_z(values[there], inside[there], p), threshold), least),
            most,
        )
    elsewhere = float(rest.mean())
    return (
        len(known),
        len(low),
        float(known.mean()),
        float(low.mean()),
        elsewhere + gap,
        elsewhere,
        gap,
        least,
        most,
    )


def _z(values: Array, inside: Flags, p: float) -> float:
    """Return by how many standard errors the scores inside are lower.

    By the normal formula, or as p says, whichever is more.
    """
    n, size = int(inside.sum()), len(values)
    error = float(values.std(ddof=1)) * math.sqrt((1.0 - n / size) / n)
    return max(
        float(values.mean() - values[inside].mean()) / error if error > 0.0 else 0.0,
        NormalDist().inv_cdf(1.0 - min(p, 0.5)),
    )


class _Verdict(NamedTuple):
    """Of each candidate the adjusted p, and from how many standard errors on it would have been reported."""

    p: Array
    threshold: Array


def _held_out_verdict(p: Array, alpha: float) -> _Verdict:
    """Correct by Holm for the candidates."""
    ranks = np.argsort(np.argsort(p, kind="stable"), kind="stable")
    levels = (alpha / (len(p) - ranks)).tolist()
    return _Verdict(holm(p), np.array([NormalDist().inv_cdf(1.0 - level) for level in levels]))


def _shuffled_verdict(
    finder: Search,
    values: Array,
    chosen: Sequence[Candidate],
    alpha: float,
    rng: np.random.Generator,
) -> _Verdict:
    """Say how often the best of a search in shuffled scores is as good as each candidate, (k + 1) / (`SHUFFLES` + 1)."""
    best = np.sort(
        [
            max((one.excess for one in finder.run(rng.permutation(values))[0]), default=-np.inf)
            for _ in range(SHUFFLES)
        ]
    )[::-1]
    p = np.array([(1.0 + np.sum(best >= one.excess)) / (SHUFFLES + 1.0) for one in chosen])
    highest = max(0.0, float(best[max(0, math.floor(alpha * (SHUFFLES + 1)) - 1)]))
    return _Verdict(p, np.array([highest + one.z - one.excess for one in chosen]))


def _parents(candidate: Candidate) -> list[Candidate]:
    if len(candidate.conditions) == 1:
        return []
    return [
        Candidate(tuple(c for c in candidate.conditions if c != left), 0.0, 0.0)
        for left in candidate.conditions
    ]


def _adds(
    values: Array, inside: Flags, parent: Flags, n_resamples: int, rng: np.random.Generator
) -> bool:
    """Say whether held-out scores inside are lower than in the rest of the parent."""
    return bool(
        _permutation_p(values[parent], inside[parent][:, None], min(n_resamples, 1000), rng)[0]
        <= ADDS_P
    )


def _permutation_p(
    values: Array, members: Flags, n_resamples: int, rng: np.random.Generator
) -> Array:
    """Return one-sided p values.

    How often scores dealt out at random make a sum as low, (k + 1) / (n_resamples + 1).
    """
    observed, below = values @ members + 1e-10, np.zeros(members.shape[1])
    block = max(1, _BLOCK_CELLS // len(values))
    for start in range(0, n_resamples, block):
        dealt = rng.permuted(np.tile(values, (min(block, n_resamples - start), 1)), axis=1)
        below += (dealt @ members <= observed).sum(axis=0)
    return (below + 1.0) / (n_resamples + 1.0)


def _difference(
    low: Array, rest: Array, bounds: tuple[float, float], level: float
) -> tuple[float, float, float]:
    """Return the difference of two means and its interval, from those of both (Newcombe 1998, Statistics in Medicine 17)."""
    one, two = (
        interval(low, bounds=bounds, confidence_level=level),
        interval(rest, bounds=bounds, confidence_level=level),
    )
    gap = one.estimate - two.estimate
    down = math.hypot(one.estimate - one.low, two.high - two.estimate)
    up = math.hypot(one.high - one.estimate, two.estimate - two.low)
    return gap, gap - down, gap + up
