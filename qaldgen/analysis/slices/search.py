"""The search for the largest claim over all kinds and systems, then for the next one.

The null is that of the largest claim (max-T; Westfall and Young 1993, Resampling-Based Multiple
Testing): scores are dealt out to the questions at random, whole rows of systems together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from qaldgen.analysis.slices.kinds import Kinds, Numbers
from qaldgen.scoring.mean_bounds import Array, Flags
from qaldgen.selection.arrays import Indices

#: The least difference of a claim, in the unit of the scores.
LEAST_DIFFERENCE = 0.1
#: How many weak spots of a system are looked for.
MOST = 5
#: Kinds with fewer questions than this outside of the weak kinds are skipped.
_MIN_LEFT = 4.0
#: How often each weak kind is searched again without the questions of the others.
_ROUNDS = 2
#: Kinds with at least this overlap (Jaccard) have about the same questions.
_MIN_OVERLAP = 0.5
#: The likeliest causes of a claim that are weighed; all others together matter little.
_MAX_CAUSES = 200
#: A kind is as good a name as the best one if it has this share of the best one's overlap.
_AS_GOOD = 0.98
#: Permutations are made in blocks of at most this many scores (64 MB).
_BLOCK_CELLS = 8_000_000
#: Sums of the same scores in another order differ by rounding.
_ROUNDING = 1e-6


class NullDistribution(NamedTuple):
    """The largest claims if scores do not depend on the question."""

    #: For each family the 5 % quantile of its smallest z, with the sign changed. It is added to z,
    #: so that singles and pairs can be compared.
    bars: Array
    smallest: Array  # the smallest z + bar of each permutation, in order
    critical: float  # a claim must be at most this

    def p(self, claim: float) -> float:
        """Return the chance of a claim as large if scores do not depend on the question.

        A standard error is added, so that other permutations would not undo a claim.
        """
        n_as_large = int(np.searchsorted(self.smallest, claim + _ROUNDING, side="right"))
        return min(1.0, (1 + n_as_large + math.sqrt(n_as_large)) / (1 + len(self.smallest)))


class WeakKind(NamedTuple):
    """A kind on which a system is weak."""

    number: int  # the number of the kind
    #: The chance of as large a claim, on the questions in no other weak kind, if scores do not
    #: depend on the question.
    p: float


class Fit(NamedTuple):
    """The difference of scores on each kind from those on the other questions, and its z."""

    difference: Array
    z: Array


def null_distribution(
    scores: Array, kinds: Kinds, *, alpha: float, n_resamples: int, seed: int
) -> NullDistribution:
    """Return the distribution of the largest claims if scores do not depend on the question."""
    questions, systems = scores.shape
    standard = _standardise(scores)
    skew = np.asarray((standard**3).mean(axis=0))
    rng = np.random.default_rng(seed)
    permutations = [rng.permutation(questions) for _ in range(n_resamples)]

    minima = np.empty((len(kinds.families), n_resamples))
    step = max(1, _BLOCK_CELLS // (questions * systems))
    for start in range(0, n_resamples, step):
        block = np.stack(permutations[start : start + step])  # (permutations, questions)
        shuffled = np.moveaxis(standard[block], 1, 0).reshape(questions, -1).astype(np.float32)
        for row, family in enumerate(kinds.families):
            z = _smallest_z(kinds, family, shuffled, np.tile(skew, len(block)))
            minima[row, start : start + step] = z.reshape(len(block), systems).min(axis=1)

    n_below = alpha * (n_resamples + 1)
    bars = -np.sort(minima, axis=1)[:, max(0, math.floor(n_below) - 1)]
    smallest = np.sort((minima + bars[:, None]).min(axis=0))
    n_at_alpha = ((math.sqrt(max(4.0 * n_below - 3.0, 1.0)) - 1.0) / 2.0) ** 2  # where p is alpha
    return NullDistribution(bars, smallest, float(smallest[math.floor(n_at_alpha)]))


def _standardise(scores: Array) -> Array:
    centred = scores - scores.mean(axis=0)
    deviation = centred.std(axis=0)
    return np.asarray(centred / np.where(deviation > 0.0, deviation, 1.0))


def _smallest_z(kinds: Kinds, family: slice, standard: Numbers, skew: Array) -> Array:
    """Return the smallest z of a family in each column of standardised scores."""
    # kinds of one size have one variance and one skew, so only their smallest sum counts
    sizes, size_numbers = np.unique(kinds.sizes[family], return_inverse=True)
    smallest_sums = np.full((len(sizes), standard.shape[1]), np.inf, dtype=np.float32)
    for numbers, sums in kinds.sums(family, standard):  # in the order of their sizes
        rows_of_kinds = size_numbers[numbers - family.start]
        starts = np.flatnonzero(np.diff(rows_of_kinds, prepend=-1))
        rows = rows_of_kinds[starts]
        minima = np.minimum.reduceat(sums, starts, axis=0)
        smallest_sums[rows] = np.minimum(smallest_sums[rows], minima)
    smallest = np.zeros(standard.shape[1])
    for size, sums_of_size in zip(sizes, smallest_sums.astype(np.float64), strict=True):
        z = unskewed_sums(sums_of_size, size, len(standard), skew)
        np.minimum(smallest, z, out=smallest)
    return smallest


def remove_skew(z: Array, skew: Array) -> Array:
    """Return z as if it came from a normal distribution (Wilson and Hilferty 1931, PNAS 17).

    >>> remove_skew(np.array([-3.0, -3.0, 1.0]), np.array([0.0, -0.5, 0.0])).round(2).tolist()
    [-3.0, -2.54, 1.0]
    """
    safe = np.where(np.abs(skew) < 1e-3, 1.0, skew)
    bent = 6.0 / safe * (np.cbrt(np.maximum(safe / 2.0 * z + 1.0, 0.0)) - 1.0) + safe / 6.0
    return np.where(np.abs(skew) < 1e-3, z, bent)


def fit_kinds(scores: Array, kinds: Kinds) -> list[Fit]:
    """Return how low each system scores on each kind; `scores` has a column for each system."""
    questions = len(scores)
    standard = _standardise(scores)
    spread = scores.std(axis=0)
    sums = np.empty((len(kinds), scores.shape[1]))
    for family in kinds.families:
        for numbers, totals in kinds.sums(family, standard.astype(np.float32)):
            sums[numbers] = totals
    fits = []
    for of_system, standard_of_system, deviation in zip(sums.T, standard.T, spread, strict=True):
        skew = float((standard_of_system**3).mean())
        fits.append(
            _make_fit(of_system, kinds.sizes, questions, skew=skew, spread=float(deviation))
        )
    return fits


def unskewed_sums(sums: Array, sizes: Array | float, questions: int, skew: Array | float) -> Array:
    """Return sums of standardised scores with this skew as z without skew."""
    # of the sum of so many scores drawn at random: its deviation, and its skew for scores of skew 1
    deviation = np.sqrt(sizes * (questions - sizes) / (questions - 1.0))
    spread = np.sqrt(np.maximum(sizes * (questions - sizes), 1.0))
    sum_skew = (questions - 2.0 * sizes) * math.sqrt(questions - 1.0) / ((questions - 2.0) * spread)
    return remove_skew(sums / deviation, skew * sum_skew)


def _make_fit(sums: Array, sizes: Array, questions: int, skew: float, spread: float) -> Fit:
    outside_sizes = np.maximum(questions - sizes, 1.0)
    difference = spread * sums / sizes * questions / outside_sizes  # the mean of all scores is 0
    return Fit(difference, unskewed_sums(sums, sizes, questions, skew))


class _SystemSearch:
    """The search for the weak spots of one system among the kinds with a difference."""

    def __init__(self, scores: Array, kinds: Kinds, null: NullDistribution, fit: Fit) -> None:
        self.scores, self.kinds, self.null = scores, kinds, null
        self.numbers = np.flatnonzero(fit.difference <= -LEAST_DIFFERENCE)
        self.indicators = kinds.inside(self.numbers).astype(np.float32)  # a row for each kind
        self.bar = null.bars[kinds.family[self.numbers]]

    def unexplained(self, weak_kinds: list[WeakKind]) -> Flags:
        """Return which questions are in no weak kind."""
        numbers = np.array([weak_kind.number for weak_kind in weak_kinds], dtype=np.intp)
        return np.asarray(~self.kinds.inside(numbers).any(axis=0))

    def best(self, is_unexplained: Flags) -> WeakKind | None:
        """Return the weak kind with the largest claim on these questions, significant or not."""
        if not len(self.numbers) or not is_unexplained.any():
            return None
        standard = self._standardise(is_unexplained)
        columns = np.column_stack([standard, is_unexplained]).astype(np.float32)
        sums, sizes = (self.indicators @ columns).astype(np.float64).T
        questions = int(is_unexplained.sum())
        is_enough = (sizes >= _MIN_LEFT) & (questions - sizes >= _MIN_LEFT)
        spread = float(self.scores[is_unexplained].std())
        skew = float((standard[is_unexplained] ** 3).mean())
        fit = _make_fit(sums, np.where(is_enough, sizes, 1.0), questions, skew=skew, spread=spread)
        is_large = is_enough & (fit.difference <= -LEAST_DIFFERENCE)
        claims = np.where(is_large, fit.z + self.bar, math.inf)
        largest = int(claims.argmin())
        if not np.isfinite(claims[largest]):
            return None
        row = self._choose_name(largest, np.where(is_large, fit.z, 0.0), is_unexplained)
        return WeakKind(int(self.numbers[row]), self.null.p(float(claims[largest])))

    def parts(self, weak_kind: WeakKind, is_unexplained: Flags) -> list[WeakKind]:
        """Return the two single kinds that a weak kind is made of; itself if there are none.

        Two causes that make up most of a broad kind look like that kind. They replace it if the
        union of their questions fits better, by as much as a further claim would need.
        """
        # candidates: single conditions, most of whose questions are in the weak kind
        inside = self.kinds.mask(weak_kind.number) & is_unexplained
        singles = self.numbers[: np.searchsorted(self.numbers, len(self.kinds.singles))]
        members = self.kinds.inside(singles) & is_unexplained
        sizes = members.sum(axis=1)
        in_common = (members & inside).sum(axis=1)
        is_part = (sizes >= _MIN_LEFT) & (in_common >= _MIN_OVERLAP * sizes)
        is_part &= singles != weak_kind.number
        singles = singles[is_part]
        sizes = sizes[is_part]
        indicators = members[is_part].astype(np.float32)

        # pairs of candidates that are distinct, and whose union is about the weak kind
        standard = self._standardise(is_unexplained)
        questions = int(is_unexplained.sum())
        common, union = _pair_sums(indicators, np.ones(len(is_unexplained)))
        _, sums = _pair_sums(indicators, standard)
        _, union_inside = _pair_sums(indicators, inside)
        is_distinct = common <= _MIN_OVERLAP * np.minimum.outer(sizes, sizes)
        overlap = union_inside / (union + inside.sum() - union_inside)
        first, second = np.nonzero(
            is_distinct & (overlap >= _MIN_OVERLAP) & (questions - union >= _MIN_LEFT)
        )
        if not len(first):
            return [weak_kind]

        # the pair with the lowest scores replaces the weak kind if it is a larger claim
        skew = float((standard[is_unexplained] ** 3).mean())
        union_z = unskewed_sums(sums[first, second], union[first, second], questions, skew)
        z = unskewed_sums(standard @ inside, float(inside.sum()), questions, skew)
        best = int(np.argmin(union_z))
        if union_z[best] > -math.hypot(z, self.null.bars[0]):
            return [weak_kind]
        parts = singles[[first[best], second[best]]]
        return [weak_kind._replace(number=int(number)) for number in parts]

    def _standardise(self, is_unexplained: Flags) -> Array:
        """Return standardised scores of some questions, 0 for the others."""
        standard = np.zeros(len(is_unexplained))
        standard[is_unexplained] = _standardise(self.scores[is_unexplained][:, None])[:, 0]
        return standard

    def _choose_name(self, claimed: int, z: Array, is_unexplained: Flags) -> int:
        """Return the kind that has, on average, most questions in common with the cause of a claim.

        The cause may be any kind with about the same questions as the claimed one; it is the
        likelier, the better it explains the scores (z) and the likelier it was before
        (`Kinds.prior`). Kinds are given by their rows in `indicators`.
        """
        log_likelihood = np.where(z < 0.0, z**2 / 2.0, -math.inf)
        log_likelihood += np.log(self.kinds.prior[self.numbers])
        likeliest = np.argsort(-log_likelihood, kind="stable")[:_MAX_CAUSES]
        causes = np.union1d(likeliest, [claimed])
        causes = causes[log_likelihood[causes] > -math.inf]
        overlaps = self._overlaps(causes, np.array([claimed]), is_unexplained)[:, 0]
        causes = causes[overlaps >= _MIN_OVERLAP]
        likelihood = np.exp(log_likelihood[causes] - log_likelihood[causes].max())
        common = self._overlaps(causes, causes, is_unexplained) @ likelihood
        is_worse = common < _AS_GOOD * common.max()
        numbers = self.numbers[causes]
        keys = (-common, self.kinds.cost[numbers], self.kinds.family[numbers], is_worse)
        return int(causes[np.lexsort(keys)[0]])

    def _overlaps(self, rows: Indices, other_rows: Indices, is_unexplained: Flags) -> Array:
        """Return how much kinds overlap with others (Jaccard) on some questions."""
        kinds = self.indicators[rows] * is_unexplained
        others = self.indicators[other_rows] * is_unexplained
        common = (kinds @ others.T).astype(np.float64)
        return np.asarray(common / (kinds.sum(axis=1)[:, None] + others.sum(axis=1) - common))


def _pair_sums(indicators: Numbers, weights: Array | Flags) -> tuple[Array, Array]:
    """Return the sums of weights over the intersection and over the union of each two kinds."""
    weighted = indicators * weights.astype(np.float32)
    shared = np.asarray(indicators @ weighted.T, dtype=np.float64)
    sums = np.diagonal(shared)
    return shared, sums[:, None] + sums[None, :] - shared


def find_weak_kinds(
    scores: Array, kinds: Kinds, null: NullDistribution, fit: Fit, alpha: float
) -> list[WeakKind]:
    """Return the kinds on which a system is weak.

    After a weak kind the questions outside of it are searched for the next one. Then each is
    searched again without the questions of the others: a kind that was found because it overlaps
    with two causes is replaced by the one that the others do not explain, or is dropped. A kind
    that consists of two causes is replaced by them.
    """
    search = _SystemSearch(scores, kinds, null, fit)
    weak_kinds: list[WeakKind] = []
    for _ in range(MOST):
        # no weak kind explains all that overlap with it, so the next ones need half the level
        level = alpha / 2.0 if weak_kinds else alpha
        is_unexplained = search.unexplained(weak_kinds)
        best = search.best(is_unexplained)
        if best is None or best.p > level or len(weak_kinds) >= MOST:
            break
        weak_kinds += search.parts(best, is_unexplained)
        if len(weak_kinds) > 1:
            weak_kinds = _search_again(weak_kinds, search, alpha)
    return weak_kinds[:MOST]


def _search_again(
    weak_kinds: list[WeakKind], search: _SystemSearch, alpha: float
) -> list[WeakKind]:
    """Return the kinds that are left after a search for each without those of the others."""
    for _ in range(_ROUNDS):
        previous = list(weak_kinds)
        for weak_kind in previous:
            other_kinds = [other for other in weak_kinds if other is not weak_kind]
            is_unexplained = search.unexplained(other_kinds)
            best = search.best(is_unexplained)
            if best is not None and best.p <= alpha:
                index = weak_kinds.index(weak_kind)
                weak_kinds[index : index + 1] = search.parts(best, is_unexplained)
            elif other_kinds:
                weak_kinds = other_kinds
        if weak_kinds == previous:
            break
    return weak_kinds
