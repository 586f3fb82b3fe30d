"""The paired randomisation test: how large is the difference if what two systems did on a question is exchanged at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qaldgen.scoring.measures import Array

Flags = NDArray[np.bool_]
_BLOCK_CELLS = 4_000_000
#: Differences nearer than this are equal: sums of the same numbers in another order differ by rounding.
_ROUNDING = 1e-10


def _plain_mean(totals: Array, weight: Array) -> Array:
    return np.asarray(totals[..., 0] / np.maximum(weight, _ROUNDING))


def randomisation_p(
    a: ArrayLike,
    b: ArrayLike,
    *,
    value: Callable[[Array, Array], Array] = _plain_mean,
    weights: ArrayLike | None = None,
    masks: Flags | None = None,
    repeats: int = 10_000,
    random_state: int = 0,
) -> Array:
    """Return two-sided p values of the paired randomisation test (Noreen 1989; Yeh 2000, COLING).

    If both systems are equally good, what they did on a question could as well be exchanged. p is the share of exchanges with a
    difference at least as large as the observed one: of all of them, where those are `repeats` at most, else of random ones, the
    observed one among them: (k + 1) / (repeats + 1). Only questions on which the systems differ matter.

    Parameters
    ----------
    a, b
        What a measure adds up, of shape (questions,) or (questions, columns).
    value
        The measure, as in `scoring.measures.Measure`; by default the mean of the first column.
    weights
        Of shape (questions,).
    masks
        Sets of questions, of shape (questions, sets); by default one of all questions.
    repeats, random_state
        Random exchanges, and their seed. All sets see the same exchanges.

    Returns
    -------
    ndarray of shape (sets,)

    Examples
    --------
    >>> randomisation_p([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0]).tolist()
    [0.0625]
    """
    left, right = (np.asarray(side, dtype=float).reshape(len(np.asarray(side)), -1) for side in (a, b))
    weight = np.ones(len(left)) if weights is None else np.asarray(weights, dtype=float)
    sets = np.ones((len(left), 1)) if masks is None else masks.astype(float)
    left, right = weight[:, None] * left, weight[:, None] * right
    swap, totals = right - left, weight @ sets
    sums = sets.T @ left, sets.T @ right

    def difference(moved: Array, which: slice | int) -> Array:
        return value(sums[0][which] + moved, totals[which]) - value(sums[1][which] - moved, totals[which])

    observed = np.abs(difference(np.zeros(sums[0].shape), slice(None))) - _ROUNDING
    differ = swap.any(axis=1)
    some, inside = swap[differ], sets[differ]
    exact = inside.sum(axis=0) <= np.log2(repeats)
    exceeding = np.zeros(sets.shape[1])
    if not exact.all():
        flat = (inside[:, :, None] * some[:, None, :]).reshape(len(some), -1)
        for flips in _random_flips(len(some), repeats, random_state):
            moved = (flips @ flat).reshape(len(flips), *sums[0].shape)
            exceeding += (np.abs(difference(moved, slice(None))) >= observed).sum(axis=0)
    p = (exceeding + 1.0) / (repeats + 1.0)
    for at in np.flatnonzero(exact):
        rows = some[inside[:, at] > 0.0]
        every = np.arange(2 ** len(rows))[:, None] >> np.arange(len(rows)) & 1
        p[at] = float(np.mean(np.abs(difference(every @ rows, int(at))) >= observed[at]))
    return p


def _random_flips(n: int, repeats: int, random_state: int) -> Iterator[Array]:
    """Yield matrices of 0 and 1, `repeats` rows of `n` in all, as bits of random bytes."""
    rng = np.random.default_rng(random_state)
    block = max(1, _BLOCK_CELLS // n)
    for start in range(0, repeats, block):
        bits = rng.integers(0, 256, (min(block, repeats - start), -(-n // 8)), dtype=np.uint8)
        yield np.unpackbits(bits, axis=1, count=n).astype(float)
