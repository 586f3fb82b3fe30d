"""The local pivotal method: exact inclusion probabilities and size, spread samples and orders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qaldgen.errors import UsageError
from qaldgen.selection.vectors import Indices, Matrix

Probabilities = NDArray[np.float64]
#: Questions in a block, in which nearest neighbours are searched; all its pairs are in memory.
BLOCK = 1000
#: Probabilities nearer than this to 0 or 1 are 0 or 1.
_ROUND_OFF = 1e-9
#: The least inclusion probability; questions below it would be represented in theory only.
_LEAST_PROBABILITY = 1e-7
#: Groups of at most this many questions are put into a random order: spreading them would hardly
#: matter.
_FEW = 8


def local_pivotal(
    matrix: Matrix,
    inclusion: Probabilities,
    rng: np.random.Generator,
    strata: Indices | None = None,
) -> Indices:
    """Choose rows with given inclusion probabilities, well spread over the features.

    >>> line = np.arange(8.0)[:, np.newaxis]
    >>> len(local_pivotal(line, np.full(8, 0.5), np.random.default_rng(1)))
    4
    """
    p = inclusion.astype(float)
    open_rows = np.flatnonzero((p > _ROUND_OFF) & (p < 1 - _ROUND_OFF))
    if strata is not None:
        open_rows = open_rows[np.argsort(strata[open_rows], kind="stable")]
        groups = np.split(open_rows, np.flatnonzero(np.diff(strata[open_rows])) + 1)
        open_rows = np.concatenate([_settle(matrix, rows, p, rng) for rows in groups])
    for row in _settle(matrix, open_rows, p, rng):
        # at most one row is left, and only if the probabilities do not add up to a whole number
        p[row] = float(rng.random() < p[row])
    # all are 0 or 1 now; half is a safe border for floating point
    return np.flatnonzero(p > 0.5)


def inclusion_probabilities(sizes: Probabilities, n: int) -> Probabilities:
    """Return inclusion probabilities proportional to size, with the sum `n` and none above 1.

    >>> inclusion_probabilities(np.array([1.0, 1.0, 2.0, 100.0]), 2).tolist()
    [0.25, 0.25, 0.5, 1.0]
    """
    certain = np.zeros(len(sizes), dtype=bool)
    while True:
        places = n - int(certain.sum())
        scale = places / sizes[~certain].sum() if places else 0.0
        share = np.where(certain, 1.0, sizes * scale)
        beyond = ~certain & (share >= 1)
        if not beyond.any():
            break
        # these are certain to be chosen, and the others share the remaining places
        certain |= beyond
        if certain.all():
            return np.ones(len(sizes))
    if share.min() < _LEAST_PROBABILITY:
        raise UsageError(
            f"an inclusion probability would be {share.min():.0e}; sizes or strata differ too much,"
            " so choose more questions, or use another size (pps) or a power closer to 1"
        )
    return share


def _settle(matrix: Matrix, rows: Indices, p: Probabilities, rng: np.random.Generator) -> Indices:
    """Decide all but at most one of `rows`, in `p`; return the undecided ones."""
    if len(rows) > BLOCK:
        points = matrix[rows]
        # without features there are no neighbours, and any split will do
        order = np.arange(len(rows))
        if points.shape[1]:
            # splitting the widest feature keeps near neighbours in the same half most often
            widest = int(np.argmax(points.var(axis=0)))
            order = np.argsort(points[:, widest], kind="stable")
        half = len(rows) // 2
        rows = np.concatenate(
            [_settle(matrix, rows[part], p, rng) for part in (order[:half], order[half:])]
        )
    if len(rows) > 1:
        return _fight(matrix[rows], rows, p, rng)
    return rows


def _fight(points: Matrix, rows: Indices, p: Probabilities, rng: np.random.Generator) -> Indices:
    """Let pairs of near neighbours duel until at most one row is undecided."""
    from scipy.spatial.distance import cdist

    distance = cdist(points, points, "sqeuclidean")
    np.fill_diagonal(distance, np.inf)
    # infinite for decided rows, so that adding it to distances takes them out of the search
    decided = np.zeros(len(rows))
    near = np.empty(len(rows))
    chances = p[rows].tolist()
    undecided = list(range(len(rows)))
    index_in_undecided = list(range(len(rows)))
    # all random numbers at once, as lists: much faster than three calls per duel
    draws = iter(rng.random((len(rows), 3)).tolist())
    while len(undecided) > 1:
        first, tie, luck = next(draws)
        i = undecided[int(first * len(undecided))]
        np.add(distance[i], decided, out=near)
        ties = (near == near[near.argmin()]).nonzero()[0]
        j = int(ties[int(tie * len(ties))])
        chances[i], chances[j] = _duel(chances[i], chances[j], luck)
        for k in (i, j):
            if chances[k] in (0.0, 1.0):
                decided[k] = np.inf
                # remove in constant time: the last one takes the place of the decided one
                last = undecided.pop()
                if last != k:
                    undecided[index_in_undecided[k]] = last
                    index_in_undecided[last] = index_in_undecided[k]
    p[rows] = chances
    return rows[undecided]


def _duel(a: float, b: float, luck: float) -> tuple[float, float]:
    """Return the new probabilities of two questions: one is decided, expected values stay."""
    total = a + b
    if total < 1:
        decided = 0.0
        remaining = _clean(total)
        first_decided = luck * total < b
    else:
        decided = 1.0
        remaining = _clean(total - 1)
        first_decided = luck * (2 - total) < 1 - b
    if first_decided:
        return decided, remaining
    return remaining, decided


def _clean(p: float) -> float:
    """Return a probability without the rounding errors of many duels."""
    if p < _ROUND_OFF:
        return 0.0
    if p > 1 - _ROUND_OFF:
        return 1.0
    return p


def spread_order(
    matrix: NDArray[np.float64], rng: np.random.Generator, need: int | None = None
) -> Indices:
    """Order rows so that every prefix is an equal-probability sample, spread over the features.

    >>> line = np.arange(32.0)[:, np.newaxis]
    >>> order = spread_order(line, np.random.default_rng(1))
    >>> sorted(order.tolist()) == list(range(32))
    True
    >>> spread_order(line, np.random.default_rng(1), 5).tolist() == order[:5].tolist()
    True
    """
    if need is None:
        need = len(matrix)
    return _ordered(matrix, np.arange(len(matrix)), rng.bit_generator.random_raw(), (), need)


def _ordered(
    matrix: NDArray[np.float64], rows: Indices, seed: int, path: tuple[int, ...], need: int
) -> Indices:
    """Return the first `need` of some rows in their order; `path` is the way of halves to them."""
    # each part has its own random numbers, so that skipping a part does not change the others
    rng = np.random.default_rng((seed, *path))
    if len(rows) <= _FEW:
        return rng.permutation(rows)[:need]
    size = len(rows)
    half = (size + int(rng.integers(2))) // 2  # an odd number is rounded up or down at random
    winners = np.zeros(size, dtype=bool)
    winners[local_pivotal(matrix[rows], np.full(size, half / size), rng)] = True
    # a prefix within the first half never needs the second, which saves half of the work
    first = _ordered(matrix, rows[winners], seed, (*path, 1), min(need, half))
    if need <= half:
        return first
    second = _ordered(matrix, rows[~winners], seed, (*path, 2), need - half)
    return np.concatenate([first, second])
