"""The local pivotal method: exact inclusion probabilities and size, spread samples and orders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qaldgen.errors import UsageError
from qaldgen.selection.arrays import Indices, Matrix

Probabilities = NDArray[np.float64]
#: Questions in a block, in which nearest neighbours are searched; all its pairs are in memory.
BLOCK = 1000
#: Probabilities nearer than this to 0 or 1 are 0 or 1.
_ROUND_OFF = 1e-9
#: The least inclusion probability; questions with a smaller one would hardly ever be chosen.
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
    undecided = np.flatnonzero((p > _ROUND_OFF) & (p < 1 - _ROUND_OFF))
    if strata is not None:
        undecided = undecided[np.argsort(strata[undecided], kind="stable")]
        groups = np.split(undecided, np.flatnonzero(np.diff(strata[undecided])) + 1)
        undecided = np.concatenate([_decide(matrix, rows, p, rng) for rows in groups])
    for row in _decide(matrix, undecided, p, rng):
        # at most one row is left, and only if the probabilities do not add up to a whole number
        p[row] = float(rng.random() < p[row])
    # all are 0 or 1 now; half is a safe border for floating point
    return np.flatnonzero(p > 0.5)


def inclusion_probabilities(sizes: Probabilities, n: int) -> Probabilities:
    """Return inclusion probabilities proportional to size, with the sum `n` and none above 1.

    >>> inclusion_probabilities(np.array([1.0, 1.0, 2.0, 100.0]), 2).tolist()
    [0.25, 0.25, 0.5, 1.0]
    """
    is_certain = np.zeros(len(sizes), dtype=bool)
    while True:
        n_left = n - int(is_certain.sum())
        scale = n_left / sizes[~is_certain].sum() if n_left else 0.0
        p = np.where(is_certain, 1.0, sizes * scale)
        is_too_large = ~is_certain & (p >= 1)
        if not is_too_large.any():
            break

        # these are certain to be chosen, and the others share what is left
        is_certain |= is_too_large
        if is_certain.all():
            return np.ones(len(sizes))

    if p.min() < _LEAST_PROBABILITY:
        raise UsageError(
            f"an inclusion probability would be {p.min():.0e}; sizes or strata differ too much,"
            " so choose more questions, or use another size (pps) or a power closer to 1"
        )
    return p


def _decide(matrix: Matrix, rows: Indices, p: Probabilities, rng: np.random.Generator) -> Indices:
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
            [_decide(matrix, rows[part], p, rng) for part in (order[:half], order[half:])]
        )
    if len(rows) > 1:
        return _decide_by_duels(matrix[rows], rows, p, rng)
    return rows


def _decide_by_duels(
    points: Matrix, rows: Indices, p: Probabilities, rng: np.random.Generator
) -> Indices:
    """Let pairs of near neighbours duel until at most one row is undecided."""
    from scipy.spatial.distance import cdist

    distance = cdist(points, points, "sqeuclidean")
    np.fill_diagonal(distance, np.inf)

    # infinite for decided rows, so that adding it to distances takes them out of the search
    penalty = np.zeros(len(rows))
    distance_to_undecided = np.empty(len(rows))
    chances = p[rows].tolist()
    undecided = list(range(len(rows)))
    index_in_undecided = list(range(len(rows)))

    # all random numbers at once, as lists: much faster than three calls per duel
    draws = iter(rng.random((len(rows), 3)).tolist())
    while len(undecided) > 1:
        row_draw, tie_draw, duel_draw = next(draws)
        i = undecided[int(row_draw * len(undecided))]
        np.add(distance[i], penalty, out=distance_to_undecided)
        nearest = distance_to_undecided.argmin()
        ties = (distance_to_undecided == distance_to_undecided[nearest]).nonzero()[0]
        j = int(ties[int(tie_draw * len(ties))])

        chances[i], chances[j] = _duel(chances[i], chances[j], duel_draw)
        for k in (i, j):
            if chances[k] in (0.0, 1.0):
                penalty[k] = np.inf
                # remove in constant time: the last one takes the place of the decided one
                last = undecided.pop()
                if last != k:
                    undecided[index_in_undecided[k]] = last
                    index_in_undecided[last] = index_in_undecided[k]

    p[rows] = chances
    return rows[undecided]


def _duel(a: float, b: float, draw: float) -> tuple[float, float]:
    """Return new probabilities of two questions: one is decided, the expected values are kept."""
    total = a + b
    if total < 1:
        decided = 0.0
        remaining = _clean(total)
        is_first_decided = draw * total < b
    else:
        decided = 1.0
        remaining = _clean(total - 1)
        is_first_decided = draw * (2 - total) < 1 - b
    if is_first_decided:
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

    `need` is the length of the prefix that is returned, by default that of the whole order.

    >>> line = np.arange(32.0)[:, np.newaxis]
    >>> order = spread_order(line, np.random.default_rng(1))
    >>> sorted(order.tolist()) == list(range(32))
    True
    >>> spread_order(line, np.random.default_rng(1), 5).tolist() == order[:5].tolist()
    True
    """
    if need is None:
        need = len(matrix)
    return _order_rows(
        matrix, np.arange(len(matrix)), seed=rng.bit_generator.random_raw(), path=(), need=need
    )


def _order_rows(
    matrix: NDArray[np.float64], rows: Indices, seed: int, path: tuple[int, ...], need: int
) -> Indices:
    """Return the first `need` of some rows in order; `path` names the halves that led to them."""
    # each part has its own random numbers, so that skipping a part does not change the others
    rng = np.random.default_rng((seed, *path))
    if len(rows) <= _FEW:
        return rng.permutation(rows)[:need]
    size = len(rows)
    half = (size + int(rng.integers(2))) // 2  # an odd number is rounded up or down at random
    is_first = np.zeros(size, dtype=bool)
    is_first[local_pivotal(matrix[rows], np.full(size, half / size), rng)] = True
    # a prefix within the first half never needs the second, which saves half of the work
    first = _order_rows(matrix, rows[is_first], seed=seed, path=(*path, 1), need=min(need, half))
    if need <= half:
        return first
    second = _order_rows(matrix, rows[~is_first], seed=seed, path=(*path, 2), need=need - half)
    return np.concatenate([first, second])
