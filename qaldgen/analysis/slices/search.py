"""The search: the largest claim over all kinds and systems, then what is left beside it.

The null is that of the largest claim (max-T; Westfall and Young 1993, Resampling-Based Multiple
Testing): scores are dealt out to the questions at random, whole rows of systems together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from qaldgen.analysis.comparing.significance import Flags
from qaldgen.analysis.slices.kinds import Kinds, Numbers
from qaldgen.scoring.measures import Array
from qaldgen.selection.vectors import Indices

#: A claim is a difference of at least so much, in the unit of the scores.
LEAST_DIFFERENCE = 0.1
#: How many weak spots of a system are looked for.
MOST = 5
#: Kinds with fewer questions beside the findings than this are skipped.
_LEAST_LEFT = 4.0
#: How often all findings are looked at once more, each beside the others.
_ROUNDS = 2
#: Kinds with about the same questions (Jaccard).
_ABOUT = 0.5
#: So many of the kinds that a claim may be about are weighed; all others together matter little.
_CANDIDATES = 200
#: Names are as good as the best if they have this share of its questions in common with the cause.
_AS_GOOD = 0.98
#: Permutations are made in blocks of at most so many scores (64 MB).
_BLOCK_CELLS = 8_000_000
#: Sums of the same scores in another order differ by rounding.
_ROUNDING = 1e-6


class NullDistribution(NamedTuple):
    """The claims of a page about nothing."""

    #: Of each family the value that 5 % of its smallest z fall below, with the sign changed. It is
    #: added to z, so that singles and pairs can be compared.
    bars: Array
    smallest: Array  # the smallest z + bar of each permutation, in order
    critical: float  # A claim must be at most this

    def p(self, claim: float) -> float:
        """Return the chance of a claim as large on a page about nothing.

        It is a standard error up: other permutations, and bars by others, shall not undo a claim.
        """
        below = int(np.searchsorted(self.smallest, claim + _ROUNDING, side="right"))
        return min(1.0, (1 + below + math.sqrt(below)) / (1 + len(self.smallest)))


class Finding(NamedTuple):
    """A kind on which a system is weak."""

    number: int  # the kind
    #: The chance that a page about nothing makes as large a claim; beside other findings, on the
    #: questions that these leave.
    p: float


class Fit(NamedTuple):
    """How much lower scores are on each kind than on the other questions, and z."""

    difference: Array
    z: Array


def null_distribution(
    scores: Array, kinds: Kinds, *, alpha: float, n_resamples: int, seed: int
) -> NullDistribution:
    """Return the null of a page."""
    questions, systems = scores.shape
    standard = _standardised(scores)
    skew = np.asarray((standard**3).mean(axis=0))
    rng = np.random.default_rng(seed)
    order = [rng.permutation(questions) for _ in range(n_resamples)]
    least = np.empty((len(kinds.families), n_resamples))
    step = max(1, _BLOCK_CELLS // (questions * systems))
    for start in range(0, n_resamples, step):
        some = np.stack(order[start : start + step])  # (permutations, questions)
        dealt = np.moveaxis(standard[some], 1, 0).reshape(questions, -1).astype(np.float32)
        for number, family in enumerate(kinds.families):
            minima = _least(kinds, family, dealt, np.tile(skew, len(some)))
            least[number, start : start + step] = minima.reshape(len(some), systems).min(axis=1)
    among = alpha * (n_resamples + 1)
    bars = -np.sort(least, axis=1)[:, max(0, math.floor(among) - 1)]
    smallest = np.sort((least + bars[:, None]).min(axis=0))
    below = ((math.sqrt(max(4.0 * among - 3.0, 1.0)) - 1.0) / 2.0) ** 2  # where p is alpha
    return NullDistribution(bars, smallest, float(smallest[math.floor(below)]))


def _standardised(scores: Array) -> Array:
    centred = scores - scores.mean(axis=0)
    deviation = centred.std(axis=0)
    return np.asarray(centred / np.where(deviation > 0.0, deviation, 1.0))


def _least(kinds: Kinds, family: slice, dealt: Numbers, skew: Array) -> Array:
    """Return the smallest z of a family in each column of standardised scores."""
    # kinds of one size have one variance and one skew, so only their smallest sum counts
    sizes, place = np.unique(kinds.sizes[family], return_inverse=True)
    smallest = np.full((len(sizes), dealt.shape[1]), np.inf, dtype=np.float32)
    for numbers, sums in kinds.sums(family, dealt):  # in the order of their sizes
        places = place[numbers - family.start]
        cuts = np.flatnonzero(np.diff(places, prepend=-1))
        some = places[cuts]
        smallest[some] = np.minimum(smallest[some], np.minimum.reduceat(sums, cuts, axis=0))
    least = np.zeros(dealt.shape[1])
    for size, lowest in zip(sizes, smallest, strict=True):
        z = lowest / _deviation(size, len(dealt))
        np.minimum(least, unskewed(z, skew * _skew_of(size, len(dealt))), out=least)
    return least


def _deviation(size: Array, questions: int) -> Array:
    """Return the standard deviation of the sum of standardised scores drawn at random."""
    return np.sqrt(size * (questions - size) / (questions - 1.0))


def _skew_of(size: Array, questions: int) -> Array:
    """Return the skew of the sum of standardised scores drawn at random, for scores of skew 1."""
    spread = np.sqrt(np.maximum(size * (questions - size), 1.0))
    return (questions - 2.0 * size) * math.sqrt(questions - 1.0) / ((questions - 2.0) * spread)


def unskewed(z: Array, skew: Array) -> Array:
    """Return z as if it came from a normal distribution (Wilson and Hilferty 1931, PNAS 17).

    >>> unskewed(np.array([-3.0, -3.0, 1.0]), np.array([0.0, -0.5, 0.0])).round(2).tolist()
    [-3.0, -2.54, 1.0]
    """
    safe = np.where(np.abs(skew) < 1e-3, 1.0, skew)
    bent = 6.0 / safe * (np.cbrt(np.maximum(safe / 2.0 * z + 1.0, 0.0)) - 1.0) + safe / 6.0
    return np.where(np.abs(skew) < 1e-3, z, bent)


def fit_kinds(scores: Array, kinds: Kinds) -> list[Fit]:
    """Return how low each system scores on each kind; `scores` has a column for each system."""
    questions = len(scores)
    standard = _standardised(scores)
    spread = scores.std(axis=0)
    joined = standard.astype(np.float32)
    sums = np.empty((len(kinds), scores.shape[1]))
    for family in kinds.families:
        for numbers, totals in kinds.sums(family, joined):
            sums[numbers] = totals
    fits = []
    for of_system, standard_of_system, deviation in zip(sums.T, standard.T, spread, strict=True):
        fits.append(_fit(of_system, kinds.sizes, questions, standard_of_system, float(deviation)))
    return fits


def unskewed_sums(sums: Array, sizes: Array, questions: int, standard: Array) -> Array:
    """Return sums of standardised scores as unskewed z."""
    skew = float((standard**3).mean())
    return unskewed(sums / _deviation(sizes, questions), skew * _skew_of(sizes, questions))


def _fit(sums: Array, sizes: Array, questions: int, standard: Array, spread: float) -> Fit:
    others = np.maximum(questions - sizes, 1.0)
    difference = spread * sums / sizes * questions / others  # the mean of all scores is 0
    return Fit(difference, unskewed_sums(sums, sizes, questions, standard))


class _Search:
    """The search for the weak spots of one system among the kinds with a difference."""

    def __init__(self, scores: Array, kinds: Kinds, null: NullDistribution, fit: Fit) -> None:
        self.scores, self.kinds, self.null = scores, kinds, null
        self.numbers = np.flatnonzero(fit.difference <= -LEAST_DIFFERENCE)
        self.inside = kinds.inside(self.numbers)
        self.indicator = self.inside.astype(np.float32)
        self.bar = null.bars[kinds.family[self.numbers]]

    def rest(self, findings: list[Finding]) -> Flags:
        """Return which questions are in no finding."""
        inside = self.kinds.inside(
            np.array([finding.number for finding in findings], dtype=np.intp)
        )
        return np.asarray(~inside.any(axis=0))

    def best(self, rest: Flags) -> Finding | None:
        """Return the finding with the largest claim on some questions, significant or not.

        Other questions are set aside: findings explain them.
        """
        if not len(self.numbers) or not rest.any():
            return None
        standard = self._standard(rest)
        joined = np.column_stack([standard, rest]).astype(np.float32)
        sums, sizes = (self.indicator @ joined).astype(np.float64).T
        questions = int(rest.sum())
        enough = (sizes >= _LEAST_LEFT) & (questions - sizes >= _LEAST_LEFT)
        spread = float(self.scores[rest].std())
        fit = _fit(sums, np.where(enough, sizes, 1.0), questions, standard[rest], spread)
        large = enough & (fit.difference <= -LEAST_DIFFERENCE)
        claims = np.where(large, fit.z + self.bar, math.inf)
        if not np.isfinite(claims.min()):
            return None
        claimed = int(claims.argmin())
        named = self._named(claimed, np.where(large, fit.z, 0.0), rest)
        return Finding(int(self.numbers[named]), self.null.p(float(claims[claimed])))

    def parts(self, finding: Finding, rest: Flags) -> list[Finding]:
        """Return the two single kinds that a finding is made of; itself if there are none.

        Two causes that are most of a broad kind look like that kind. They take its place if their
        questions together fit better by as much as a claim of its own needs.
        """
        (whole,) = self.kinds.inside(np.array([finding.number])) & rest
        singles = self.numbers[: np.searchsorted(self.numbers, len(self.kinds.singles))]
        within = self.kinds.inside(singles) & rest
        sizes = within.sum(axis=1)
        common = (within & whole).sum(axis=1)
        fitting = (sizes >= _LEAST_LEFT) & (common >= _ABOUT * sizes) & (singles != finding.number)
        places = np.flatnonzero(fitting)
        standard = self._standard(rest)
        questions = int(rest.sum())
        masks = within[places].astype(np.float32)
        # sums over the questions of either of two kinds, from sums over those of both
        of_both = []
        of_either = []
        for weights in (np.ones(len(rest)), standard, whole):
            both = np.asarray(masks @ (masks * weights.astype(np.float32)).T, dtype=np.float64)
            each = np.diagonal(both)
            of_both.append(both)
            of_either.append(each[:, None] + each[None, :] - both)
        union, sums, inside = of_either
        apart = of_both[0] <= _ABOUT * np.minimum.outer(sizes[places], sizes[places])
        alike = inside / (union + whole.sum() - inside)
        first, second = np.nonzero(apart & (alike >= _ABOUT) & (questions - union >= _LEAST_LEFT))
        if not len(first):
            return [finding]
        joined = np.append(sums[first, second], standard @ whole)
        counts = np.append(union[first, second], float(whole.sum()))
        *unions, own = unskewed_sums(joined, counts, questions, standard[rest])
        best = int(np.argmin(unions))
        if unions[best] > -math.hypot(own, self.null.bars[0]):
            return [finding]
        parts = singles[places[[first[best], second[best]]]]
        return [finding._replace(number=int(number)) for number in parts]

    def _standard(self, rest: Flags) -> Array:
        """Return standardised scores of some questions, 0 for the others."""
        standard = np.zeros(len(rest))
        standard[rest] = _standardised(self.scores[rest][:, None])[:, 0]
        return standard

    def _named(self, claimed: int, z: Array, rest: Flags) -> int:
        """Return the kind that has, on average, most questions in common with the cause of a claim.

        The cause is any kind with about the same questions: the likelier, the better it explains
        the scores (z), and the likelier it was before (`Kinds.prior`).
        """
        likely = np.where(z < 0.0, z**2 / 2.0, -math.inf)
        likely += np.log(self.kinds.prior[self.numbers])
        near = np.union1d(np.argsort(-likely, kind="stable")[:_CANDIDATES], [claimed])
        near = near[likely[near] > -math.inf]
        near = near[self._alike(near, np.array([claimed]), rest)[:, 0] >= _ABOUT]
        common = self._alike(near, near, rest) @ np.exp(likely[near] - likely[near].max())
        worse = common < _AS_GOOD * common.max()
        numbers = self.numbers[near]
        keys = (-common, self.kinds.cost[numbers], self.kinds.family[numbers], worse)
        return int(near[np.lexsort(keys)[0]])

    def _alike(self, places: Indices, others: Indices, rest: Flags) -> Array:
        """Return how much kinds overlap with others (Jaccard) on some questions."""
        left = self.indicator[places] * rest
        right = self.indicator[others] * rest
        common = (left @ right.T).astype(np.float64)
        return np.asarray(common / (left.sum(axis=1)[:, None] + right.sum(axis=1) - common))


def find_weak_kinds(
    scores: Array, kinds: Kinds, null: NullDistribution, fit: Fit, alpha: float
) -> list[Finding]:
    """Return the kinds on which a system is weak.

    The questions of a finding are set aside, and the rest is searched again. Then each finding is
    looked for once more beside the others: what was named because it touches two causes becomes the
    one that the others leave, or goes. What is made of two causes becomes these.
    """
    search = _Search(scores, kinds, null, fit)
    findings: list[Finding] = []
    for _ in range(MOST):
        # No finding explains its shadows completely, so those beside it need half the level.
        level = alpha / 2.0 if findings else alpha
        best = search.best(search.rest(findings))
        if best is None or best.p > level or len(findings) >= MOST:
            break
        findings += search.parts(best, search.rest(findings))
        if len(findings) > 1:
            findings = _reconsidered(findings, search, alpha)
    return findings[:MOST]


def _reconsidered(findings: list[Finding], search: _Search, alpha: float) -> list[Finding]:
    """Return findings after looking for each once more beside the others."""
    for _ in range(_ROUNDS):
        before = list(findings)
        for finding in before:
            others = [other for other in findings if other is not finding]
            best = search.best(search.rest(others))
            if best is not None and best.p <= alpha:
                place = findings.index(finding)
                findings[place : place + 1] = search.parts(best, search.rest(others))
            elif others:
                findings = others
        if findings == before:
            break
    return findings
