"""Search conjunctions of conditions for sets of low scores, level by level, by matrix products."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from qaldgen.analysis.randomisation import Flags
from qaldgen.scoring.formulas import Array

#: How many pairs are extended to triples: the worst ones.
BEAM = 300
#: A conjunction must be worse than the rest of each of its parents by this many standard errors.
ADDS = 2.0
#: Shuffles are made in blocks of at most this many scores, to bound the memory (32 MB).
_BLOCK_CELLS = 4_000_000


class Candidate(NamedTuple):
    """A conjunction of conditions.

    Attributes
    ----------
    conditions : tuple of int
        Their columns.
    z : float
        How much lower the mean is than the overall mean, in standard deviations under random
        scores; large is bad.
    excess : float
        `z` minus its expected maximum by chance among the m conjunctions of this length, about
        sqrt(2 ln m).
    """

    conditions: tuple[int, ...]
    z: float
    excess: float


class _Sums(NamedTuple):
    """How many questions fulfil a conjunction, and the sum of their scores; arrays of one shape."""

    n: Array
    total: Array


def _order(candidate: Candidate) -> tuple[float, int, tuple[int, ...]]:
    return -round(candidate.excess, 9), len(candidate.conditions), candidate.conditions


def _candidates(z_scores: dict[tuple[int, ...], float], looked: int) -> tuple[list[Candidate], int]:
    chance = math.sqrt(2.0 * math.log(max(looked, 1)))
    return [Candidate(conditions, z, z - chance) for conditions, z in z_scores.items()], looked


class Search:
    """A search for conjunctions of conditions with low scores.

    It can be run with one score after another. A conjunction counts only if its mean is lower than
    the overall mean and, for each of its parents (the conjunctions with one condition less), lower
    by `ADDS` standard errors than the mean of the parent's other questions.

    Parameters
    ----------
    masks
        Conditions, of shape (n, conditions).
    others
        A matrix (others, conditions) of questions outside the search, among which a conjunction
        needs as many questions too; the same as `masks` if there are none.
    depth
        Longest conjunction, 1 to 3.
    fewest
        Fewest questions inside and outside a conjunction, here and among the others.

    Examples
    --------
    >>> masks = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]], dtype=bool).T
    >>> worst, looked_at = Search(masks, masks, 1, 2).run(np.array([0.0, 0.0, 1.0, 1.0, 1.0]))
    >>> [(one.conditions, round(one.z, 2)) for one in worst], looked_at
    ([((0,), 2.0)], 2)
    """

    def __init__(self, masks: Flags, others: Flags, depth: int, fewest: int) -> None:
        self.masks, self.others, self.depth, self.fewest = (
            masks.astype(float),
            others.astype(float),
            depth,
            fewest,
        )
        # Sizes do not depend on the scores, so they are computed once for all runs.
        self.n_one = self.masks.sum(axis=0)
        self.enough_one = self._enough(self.n_one, self.others.sum(axis=0))
        if depth > 1:  # a search for single conditions needs no pairs
            self.n_two = self.masks.T @ self.masks
            self.enough_two = np.triu(self._enough(self.n_two, self.others.T @ self.others), 1)

    def _enough(self, here: Array, beside: Array) -> Flags:
        fewest, most, most_beside = (
            self.fewest,
            len(self.masks) - self.fewest,
            len(self.others) - self.fewest,
        )
        return np.asarray(
            (here >= fewest) & (here <= most) & (beside >= fewest) & (beside <= most_beside),
            dtype=np.bool_,
        )

    def run(self, scores: Array) -> tuple[list[Candidate], int]:
        """Return the conjunctions with low scores, the largest excess first.

        Parameters
        ----------
        scores
            Shape (n,).

        Returns
        -------
        tuple[list[Candidate], int]
            The candidates, and how many conjunctions were searched.
        """
        if not scores.std() or not self.masks.shape[1]:
            return [], 0
        centred = scores - scores.mean()
        return self._run(_Level(self, centred, centred @ self.masks))

    def best_of_shuffles(self, scores: Array, shuffles: int, rng: np.random.Generator) -> Array:
        """Return the largest excess found in each of several shuffles of the scores.

        Parameters
        ----------
        scores
            Shape (n,).
        shuffles
            How many.
        rng
            The random generator.

        Returns
        -------
        Array
            Shape (shuffles,); -inf where nothing is found.
        """
        best: list[float] = []
        if not scores.std() or not self.masks.shape[1]:
            return np.full(shuffles, -np.inf)
        block = max(1, _BLOCK_CELLS // len(scores))
        for start in range(0, shuffles, block):
            count = min(block, shuffles - start)
            shuffled = np.stack([rng.permutation(scores) for _ in range(count)]) - scores.mean()
            # One product of matrices is far faster than a product for each shuffle.
            for centred, totals in zip(shuffled, shuffled @ self.masks, strict=True):
                found, _ = self._run(_Level(self, centred, totals))
                best.append(max((one.excess for one in found), default=-np.inf))
        return np.array(best)

    def _run(self, level: _Level) -> tuple[list[Candidate], int]:
        candidates, looked = level.singles()
        if self.depth > 1:
            pairs, seen = level.pairs()
            candidates, looked = candidates + pairs, looked + seen
            if self.depth > 2:
                triples, seen = level.triples(sorted(pairs, key=_order)[:BEAM])
                candidates, looked = candidates + triples, looked + seen
        return sorted(candidates, key=_order), looked


class _Level:
    """The sums of single conditions (`totals`) and of pairs for one score, centred to mean 0."""

    def __init__(self, setting: Search, scores: Array, totals: Array) -> None:
        self.setting, self.scores = setting, scores
        self.deviation = float(scores.std(ddof=1))
        self.one = _Sums(setting.n_one, totals)

    @functools.cached_property
    def two(self) -> _Sums:
        """The sums of pairs, which a search for single conditions does not need."""
        return _Sums(
            self.setting.n_two, (self.setting.masks * self.scores[:, None]).T @ self.setting.masks
        )

    def z(self, sums: _Sums) -> Array:
        """Return how far means are below the overall mean, in deviations under random scores.

        Parameters
        ----------
        sums
            Sizes and sums of conjunctions.

        Returns
        -------
        Array
            Of the same shape.
        """
        size, n = len(self.scores), np.clip(sums.n, 1.0, len(self.scores) - 1.0)
        return -sums.total / n / (self.deviation * np.sqrt((1.0 - n / size) / n))

    def adds(self, sums: _Sums, parent: _Sums) -> Flags:
        """Say whether a mean is clearly lower than that of the parent's other questions.

        Parameters
        ----------
        sums
            Sizes and sums of conjunctions.
        parent
            The same of their parents.

        Returns
        -------
        Flags
            Of the same shape.
        """
        n, rest = np.maximum(sums.n, 1.0), np.maximum(parent.n - sums.n, 0.5)
        gap = (parent.total - sums.total) / rest - sums.total / n
        clear = gap >= ADDS * self.deviation * np.sqrt(1.0 / n + 1.0 / rest)
        return np.asarray(clear & (parent.n > sums.n), dtype=np.bool_)

    def singles(self) -> tuple[list[Candidate], int]:
        """Return the single conditions, and how many have enough questions."""
        z, enough = self.z(self.one), self.setting.enough_one
        return _candidates(
            {(int(at),): float(z[at]) for at in np.flatnonzero(enough & (z > 0.0))},
            int(enough.sum()),
        )

    def pairs(self) -> tuple[list[Candidate], int]:
        """Return the pairs, and how many have enough questions."""
        parent = (
            _Sums(self.one.n[:, None], self.one.total[:, None]),
            _Sums(self.one.n[None, :], self.one.total[None, :]),
        )
        enough, z = self.setting.enough_two, self.z(self.two)
        good = enough & (z > 0.0) & self.adds(self.two, parent[0]) & self.adds(self.two, parent[1])
        return _candidates(
            {(int(i), int(j)): float(z[i, j]) for i, j in np.argwhere(good)}, int(enough.sum())
        )

    def triples(self, pairs: list[Candidate]) -> tuple[list[Candidate], int]:
        """Return the triples that extend these pairs, and how many have enough questions.

        Parameters
        ----------
        pairs
            The pairs to extend.

        Returns
        -------
        tuple[list[Candidate], int]
            The candidates, and how many conjunctions were searched.
        """
        if not pairs:
            return [], 0
        i, j = np.array([pair.conditions for pair in pairs]).T
        masks, others, fewest = self.setting.masks, self.setting.others, self.setting.fewest
        both = masks[:, i] * masks[:, j]
        sums = _Sums(both.T @ masks, (both * self.scores[:, None]).T @ masks)
        enough = (sums.n >= fewest) & ((others[:, i] * others[:, j]).T @ others >= fewest)
        z = self.z(sums)
        first = _Sums(self.two.n[i, j][:, None], self.two.total[i, j][:, None])
        good = enough & (z > 0.0) & self.adds(sums, first)
        for one in (i, j):
            good &= self.adds(sums, _Sums(self.two.n[one], self.two.total[one]))
        z_scores = {
            tuple(sorted((int(i[at]), int(j[at]), int(k)))): float(z[at, k])
            for at, k in np.argwhere(good)
        }
        return _candidates(z_scores, int(enough.sum()))
