"""Test the candidates of a search for slices, and estimate how much lower their scores are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from qaldgen.analysis.intervals import interval
from qaldgen.analysis.multiplicity import holm
from qaldgen.analysis.randomisation import Flags
from qaldgen.analysis.search import Candidate, Search
from qaldgen.analysis.slice_search import SliceSearch
from qaldgen.analysis.winners import share_that_remains
from qaldgen.scoring.formulas import Array
from qaldgen.selection.arrays import Indices

#: A conjunction is reported if the held-out questions confirm, at this one-sided p, that it is
#: worse than the rest of each parent.
ADDS_P = 0.05
#: Intervals allow for all slices that might have been reported; each has at least this level.
LEVEL = 0.95
#: Searches in shuffled scores that ``permutation`` makes.
SHUFFLES = 199
#: Resamples are made in blocks of at most this many scores, to bound the memory (32 MB).
_BLOCK_CELLS = 4_000_000
#: What it costs to draw how often a score occurs in a candidate, and to shuffle one score; adding
#: one score to a candidate's sum costs 1. The cheaper way is taken, which depends on shapes alone.
_DRAW, _SHUFFLE = 1_500, 300
#: Sums of the same scores in another order differ by rounding.
_ROUNDING = 1e-10


class Halves(NamedTuple):
    """The questions that are searched, and those on which candidates are tested.

    By ``permutation`` both are all of them.

    Attributes
    ----------
    here : array of int
        Rows that are searched.
    there : array of int
        Rows that candidates are tested on.
    """

    here: Indices
    there: Indices


def confirm(
    values: Array,
    masks: Flags,
    chosen: Sequence[Candidate],
    halves: Halves,
    how: SliceSearch,
    finder: Search,
    rng: np.random.Generator,
) -> list[tuple[Any, ...]]:
    """Test the candidates; return the figures of each, which follow the slice in `FoundSlice`.

    Parameters
    ----------
    values
        Scores, shape (questions,).
    masks
        Conditions, shape (questions, conditions).
    chosen
        The candidates.
    halves
        The questions of the search, and those of the test.
    how
        The settings of the search.
    finder
        The search, which is repeated in shuffled scores.
    rng
        The random generator.

    Returns
    -------
    list[tuple[Any, ...]]
        One tuple per candidate, in the order of the fields of `FoundSlice`.
    """
    there, split = halves.there, how.method == "held-out"
    members = members_of(masks, chosen)
    p = _permutation_p(values[there], members[there], how.n_resamples, rng)
    verdict = (
        _held_out_verdict(p, how.alpha)
        if split
        else _shuffled_verdict(finder, values, chosen, how.alpha, rng)
    )
    tested = []
    for at, candidate in enumerate(chosen):
        parents = members_of(masks, _parents(candidate) if split else [])[there]
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
            intervals=how.intervals,
        )
        tested.append((*figures, float(p[at]), float(verdict.p[at]), adds))
    return tested


def member(masks: Flags, candidate: Candidate) -> Flags:
    """Say which questions belong to a candidate.

    Parameters
    ----------
    masks
        Conditions, shape (questions, conditions).
    candidate
        A conjunction of them.

    Returns
    -------
    Flags
        Shape (questions,).
    """
    return np.asarray(masks[:, list(candidate.conditions)].all(axis=1), dtype=np.bool_)


def members_of(masks: Flags, some: Sequence[Candidate]) -> Flags:
    """Say which questions belong to each candidate.

    Parameters
    ----------
    masks
        Conditions, shape (questions, conditions).
    some
        The candidates.

    Returns
    -------
    Flags
        Shape (questions, candidates).
    """
    columns = [member(masks, one) for one in some]
    return np.column_stack(columns) if columns else np.zeros((len(masks), 0), dtype=bool)


def _figures(
    values: Array,
    inside: Flags,
    halves: Halves,
    p: float,
    threshold: float,
    *,
    reported: bool,
    intervals: bool,
) -> tuple[int, int, float, float, float, float, float, float, float]:
    """Return the figures of `FoundSlice` from ``n_search`` to ``high``.

    For a slice that is reported, the difference is shrunk: it was chosen for being large.
    """
    here, there = halves
    known, low, rest = (
        values[here][inside[here]],
        values[there][inside[there]],
        values[there][~inside[there]],
    )
    # The interval has to be at least as strict as the test that it was selected by.
    level = max(LEVEL, NormalDist().cdf(threshold))
    gap, least, most = float(low.mean() - rest.mean()), -math.inf, math.inf
    if intervals:
        bounds = (-1.0, 1.0) if values.min() < 0.0 else (0.0, 1.0)
        gap, least, most = _difference(low, rest, bounds, level)
    if reported:
        remains = share_that_remains(_z(values[there], inside[there], p), threshold)
        # a slice that was reported looked worse than it is (winner's curse), so the gap is shrunk
        gap = min(max(gap * remains, least), most)
    if not intervals:
        least = most = math.nan
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
    """For each candidate, the adjusted p and the threshold in standard errors to be reported."""

    p: Array
    threshold: Array


def _held_out_verdict(p: Array, alpha: float) -> _Verdict:
    """Correct by Holm for the candidates."""
    # Holm: the r-th smallest p of m is compared with alpha / (m - r + 1).
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
    """Compare each candidate with the best of searches in shuffled scores.

    p is (k + 1) / (`SHUFFLES` + 1), where k searches find something as good.
    """
    best = np.sort(finder.best_of_shuffles(values, SHUFFLES, rng))[::-1]
    # Equal sums may differ by rounding.
    p = np.array(
        [(1.0 + np.sum(best >= one.excess - _ROUNDING)) / (SHUFFLES + 1.0) for one in chosen]
    )
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
    """Return one-sided p-values, (k + 1) / (n_resamples + 1).

    k is how often scores shuffled over the questions give a sum that is as low.
    """
    observed, sizes = values @ members.astype(np.float64) + _ROUNDING, members.sum(axis=0)
    levels, counts = np.unique(values, return_counts=True)
    if len(levels) * len(sizes) * _DRAW > len(values) * (_SHUFFLE + len(sizes)):
        below = _shuffled_below(values, members, observed, n_resamples, rng)
    else:
        # A candidate's sum in shuffled scores depends only on how often it gets each score.
        below = np.array(
            [
                np.sum(_random_counts(counts, size, n_resamples, rng) @ levels <= most)
                for size, most in zip(sizes.tolist(), observed.tolist(), strict=True)
            ]
        )
    return np.asarray((below + 1.0) / (n_resamples + 1.0))


def _random_counts(
    counts: Indices, size: int, n_resamples: int, rng: np.random.Generator
) -> Indices:
    """Draw how often each score occurs in a random set; shape (resamples, scores)."""
    # 'marginals' takes time for each score value; 'count' would take it for each question
    return rng.multivariate_hypergeometric(counts, size, n_resamples, method="marginals")


def _shuffled_below(
    values: Array, members: Flags, observed: Array, n_resamples: int, rng: np.random.Generator
) -> Array:
    """Count how often shuffled scores give sums that are at most the observed ones."""
    inside, below = members.astype(np.float64), np.zeros(members.shape[1])
    block = max(1, _BLOCK_CELLS // len(values))
    for start in range(0, n_resamples, block):
        dealt = rng.permuted(np.tile(values, (min(block, n_resamples - start), 1)), axis=1)
        below += (dealt @ inside <= observed).sum(axis=0)
    return below


def _difference(
    low: Array, rest: Array, bounds: tuple[float, float], level: float
) -> tuple[float, float, float]:
    """Return the difference of two means with its interval, from the intervals of both.

    Newcombe (1998), Statistics in Medicine 17.
    """
    one, two = (
        interval(low, bounds=bounds, confidence_level=level),
        interval(rest, bounds=bounds, confidence_level=level),
    )
    gap = one.estimate - two.estimate
    # the margins of independent means add like standard errors (Newcombe's square-and-add)
    down = math.hypot(one.estimate - one.low, two.high - two.estimate)
    up = math.hypot(one.high - one.estimate, two.estimate - two.low)
    return gap, gap - down, gap + up
