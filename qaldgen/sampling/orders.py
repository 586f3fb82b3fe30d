"""Orders of questions in which every beginning is a sample of its own.

Each question has the same chance to be in it.

Half of the questions are chosen by the local pivotal method and stand first; both halves are
ordered in the same way. Given the sizes, a question is among the winners of its half with the
probability that its size demands, so its position is uniform, and the first n of N questions hold
each of them with the chance n/N. Winners are spread over the features at every level, so the
beginnings are too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qaldgen.sampling.pivotal import local_pivotal
from qaldgen.selection.arrays import Indices

#: So few questions are put into a random order; spreading them would change nothing that can be
#: seen.
_FEW = 8


def spread_order(
    matrix: NDArray[np.float64], rng: np.random.Generator, need: int | None = None
) -> Indices:
    """Order rows so that every beginning is an equal-probability sample, well spread over the features.

    Parameters
    ----------
    matrix
        Normalised features, of shape (n_rows, n_features).
    rng
        Decides the fights and the ties.
    need
        How many rows to return from the beginning of the order; None for all. The order does not
        depend on it.

    Returns
    -------
    int array of shape (need,)
        Indices in their order.

    Examples
    --------
    >>> line = np.arange(32.0)[:, np.newaxis]
    >>> order = spread_order(line, np.random.default_rng(1))
    >>> sorted(order.tolist()) == list(range(32))
    True
    >>> spread_order(line, np.random.default_rng(1), 5).tolist() == order[:5].tolist()
    True
    """
    wanted = len(matrix) if need is None else need
    return _ordered(matrix, np.arange(len(matrix)), rng.bit_generator.random_raw(), (), wanted)


def _ordered(
    matrix: NDArray[np.float64], rows: Indices, seed: int, path: tuple[int, ...], need: int
) -> Indices:
    """Order some rows.

    Each part has random numbers of its own, so that what is not needed changes nothing before it.
    """
    rng = np.random.default_rng((seed, *path))
    if len(rows) <= _FEW:
        return rng.permutation(rows)[:need]
    size = len(rows)
    half = (size + int(rng.integers(2))) // 2  # an odd number is rounded up or down at random
    winners = np.zeros(size, dtype=bool)
    winners[local_pivotal(matrix[rows], np.full(size, half / size), rng)] = True
    first = _ordered(matrix, rows[winners], seed, (*path, 1), min(need, half))
    if need <= half:
        return first
    return np.concatenate([first, _ordered(matrix, rows[~winners], seed, (*path, 2), need - half)])
