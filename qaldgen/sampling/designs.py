"""Probability designs: every question has a known chance, so a sample can represent the pool.

`random` and `lpm` with equal chances also order the questions, so that every prefix is a sample too
(see `orders`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.sampling.farthest import feasible_exemplars
from qaldgen.sampling.pivotal import inclusion_probabilities, local_pivotal, spread_order
from qaldgen.sampling.sample import Sample
from qaldgen.selection.arrays import Indices
from qaldgen.selection.vectors import Vectors

#: The value of `order` that orders the whole pool.
_POOL = "pool"


def random(vectors: Vectors, n: int, rng: np.random.Generator, *, order: str = "") -> Sample:
    """Choose every question with the same probability; the whole pool is one cluster."""
    if _orders_whole_pool(order):
        chosen = rng.permutation(len(vectors))[:n]
    else:
        chosen = rng.choice(len(vectors), n, replace=False)
    return _make_sample(chosen, np.full(len(vectors), n / len(vectors)), ordered=True)


def lpm(
    vectors: Vectors, n: int, rng: np.random.Generator, *, pps: str = "", order: str = ""
) -> Sample:
    """Choose with the local pivotal method, equal probabilities or the square root of a feature.

    With `pps`, the inclusion probability of a question is proportional to ``sqrt(value + 1)``:
    micro scores depend on the few questions with very many answers, which an equal chance seldom
    selects.
    """
    inclusion = np.full(len(vectors), n / len(vectors))
    if _orders_whole_pool(order):
        if pps:
            raise UsageError(
                "order and pps do not go together: the beginning of an order gives every question"
                " the same chance"
            )
        return _make_sample(spread_order(vectors.matrix, rng, n), inclusion, ordered=True)

    if pps:
        values = vectors.raw[:, _columns(vectors, pps, "pps")]
        if values.shape[1] != 1 or values.min() < 0:
            raise UsageError(
                f"pps {pps!r} is not a size; choose a feature with numbers of at least 0"
            )
        inclusion = inclusion_probabilities(np.sqrt(values[:, 0] + 1), n)
        return _make_sample(local_pivotal(vectors.matrix, inclusion, rng), inclusion)

    chosen = local_pivotal(vectors.matrix, inclusion, rng)
    # the sample is ordered too, so that its beginnings are samples and asking can stop early
    return _make_sample(chosen[spread_order(vectors.matrix[chosen], rng)], inclusion, ordered=True)


def hybrid(vectors: Vectors, n: int, rng: np.random.Generator, *, exemplars: float) -> Sample:
    """Choose a fixed share of FEASIBLE exemplars, and the rest with the local pivotal method."""
    if exemplars >= 1:
        raise UsageError(
            f"exemplars is {exemplars:g}; it must be a share below 1, so that the other questions"
            " can be chosen"
        )
    # at least one question must be left to chance, or the others could never be drawn
    n_exemplars = min(int(exemplars * n + 0.5), n - 1)
    inclusion = np.zeros(len(vectors))
    if n_exemplars:
        inclusion[feasible_exemplars(vectors, n_exemplars, rng).chosen] = 1.0
    # the others have equal probabilities, so that the sum is n
    inclusion[inclusion == 0] = (n - n_exemplars) / (len(vectors) - n_exemplars)
    return _make_sample(local_pivotal(vectors.matrix, inclusion, rng), inclusion)


def stratified(
    vectors: Vectors, n: int, rng: np.random.Generator, *, by: str = "", power: float
) -> Sample:
    """Allocate the sample to strata by a power of their sizes, and draw within them with `lpm`.

    Questions with equal values of the features `by` form a stratum. Shares are not whole numbers:
    each is rounded up or down at random, so that the inclusion probabilities are exact (power
    allocation: Bankier 1988, Am. Stat. 42:174).
    """
    names = [name.strip() for name in by.split(",")] if by else _variables(vectors.features)
    columns = np.concatenate([_columns(vectors, name, "by") for name in names])
    _, strata, sizes = np.unique(
        vectors.raw[:, columns], axis=0, return_inverse=True, return_counts=True
    )
    strata = strata.ravel()
    # in logarithms, and cut off: a tiny stratum must not underflow to a chance of 0
    chances = np.exp(np.maximum((power - 1.0) * np.log(sizes / sizes.max()), -600.0))
    inclusion = inclusion_probabilities(chances[strata], n)
    return _make_sample(local_pivotal(vectors.matrix, inclusion, rng, strata), inclusion)


def _make_sample(
    chosen: Indices, inclusion: NDArray[np.float64], *, ordered: bool = False
) -> Sample:
    # a probability design represents questions by their weights, so there is a single cluster
    cluster = np.zeros(len(inclusion), dtype=np.intp)
    return Sample(chosen, cluster, inclusion=inclusion[chosen], ordered=ordered)


def _orders_whole_pool(order: str) -> bool:
    if order not in {"", _POOL}:
        raise UsageError(f"order is {order!r}; it is {_POOL!r}, or left out")
    return order == _POOL


def _columns(vectors: Vectors, name: str, option: str) -> Indices:
    """Return the columns of a feature: one for numbers, one per value of a category."""
    columns = [
        index
        for index, feature in enumerate(vectors.features)
        if feature == name or feature.startswith(f"{name}=")
    ]
    if not columns:
        raise UsageError(
            f"{option}: the query has no feature {name!r};"
            f" {one_of(name, _variables(vectors.features))}"
        )
    return np.array(columns, dtype=np.intp)


def _variables(features: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(feature.partition("=")[0] for feature in features))
