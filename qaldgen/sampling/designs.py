"""Probability designs: every question has a known chance to be chosen, so a sample can speak for the whole pool.

`random` and `lpm` with equal chances also order what they choose, so that every beginning of it is a sample too (`orders`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qaldgen.errors import UsageError
from qaldgen.sampling.farthest import feasible_exemplars
from qaldgen.sampling.orders import spread_order
from qaldgen.sampling.pivotal import inclusion_probabilities, local_pivotal
from qaldgen.sampling.sample import Sample
from qaldgen.selection.arrays import Indices
from qaldgen.selection.vectors import Vectors

#: What `order` may be.
_POOL = "pool"


def random(vectors: Vectors, n: int, rng: np.random.Generator, *, order: str = "") -> Sample:
    """Choose each question with the same probability; the whole pool is one cluster, of which all chosen are members."""
    chosen = rng.permutation(len(vectors))[:n] if _whole_pool(order) else rng.choice(len(vectors), n, replace=False)
    return _sample(chosen, np.full(len(vectors), n / len(vectors)), ordered=True)


def lpm(vectors: Vectors, n: int, rng: np.random.Generator, *, pps: str = "", order: str = "") -> Sample:
    """Choose with the local pivotal method: with equal probabilities, or by the square root of a feature for micro scores.

    With `pps` the inclusion probability of a question is proportional to ``sqrt(value + 1)``: a micro score hangs on the few
    questions with very many answers, which an equal chance seldom meets.
    """
    inclusion = np.full(len(vectors), n / len(vectors))
    if _whole_pool(order):
        if pps:
            raise UsageError("order and pps do not go together: the beginning of an order gives every question the same chance")
        return _sample(spread_order(vectors.matrix, rng, n), inclusion, ordered=True)
    if pps:
        values = vectors.raw[:, _columns(vectors, pps, "pps")]
        if values.shape[1] != 1 or values.min() < 0:
            raise UsageError(f"pps {pps!r} is no size; take a feature whose values are numbers of 0 or more")
        inclusion = inclusion_probabilities(np.sqrt(values[:, 0] + 1), n)
        return _sample(local_pivotal(vectors.matrix, inclusion, rng), inclusion)
    chosen = local_pivotal(vectors.matrix, inclusion, rng)
    return _sample(chosen[spread_order(vectors.matrix[chosen], rng)], inclusion, ordered=True)


def hybrid(vectors: Vectors, n: int, rng: np.random.Generator, *, exemplars: float) -> Sample:
    """Choose a share of exemplars of FEASIBLE for certain, and the rest by the local pivotal method among the others."""
    if exemplars >= 1:
        raise UsageError(f"exemplars is {exemplars:g}; it is a share below 1, so that the other questions have a chance")
    certain = min(int(exemplars * n + 0.5), n - 1)
    inclusion = np.zeros(len(vectors))
    if certain:
        inclusion[feasible_exemplars(vectors, certain, rng).chosen] = 1.0
    inclusion[inclusion == 0] = (n - certain) / (len(vectors) - certain)
    return _sample(local_pivotal(vectors.matrix, inclusion, rng), inclusion)


def stratified(vectors: Vectors, n: int, rng: np.random.Generator, *, by: str = "", power: float) -> Sample:
    """Give each stratum its share of the sample: its size to the power `power`, 1 for proportional, less for small strata.

    The questions with equal values of the features `by` are a stratum; without `by`, those with equal values of all. Within a
    stratum the local pivotal method chooses. Shares are no whole numbers: each is rounded up or down at random, so that the
    inclusion probabilities are exact (power allocation: Bankier 1988, Am. Stat. 42:174).
    """
    names = [name.strip() for name in by.split(",")] if by else _variables(vectors.features)
    columns = np.concatenate([_columns(vectors, name, "by") for name in names])
    _, strata, sizes = np.unique(vectors.raw[:, columns], axis=0, return_inverse=True, return_counts=True)
    strata = strata.ravel()
    chances = np.exp(np.maximum((power - 1.0) * np.log(sizes / sizes.max()), -600.0))  # none underflows to 0
    inclusion = inclusion_probabilities(chances[strata], n)
    return _sample(local_pivotal(vectors.matrix, inclusion, rng, strata), inclusion)


def _sample(chosen: Indices, inclusion: NDArray[np.float64], *, ordered: bool = False) -> Sample:
    everything = np.zeros(len(inclusion), dtype=np.intp)
    return Sample(chosen, everything, inclusion=inclusion[chosen], ordered=ordered)


def _whole_pool(order: str) -> bool:
    if order not in {"", _POOL}:
        raise UsageError(f"order is {order!r}; it is {_POOL!r}, or left out")
    return order == _POOL


def _columns(vectors: Vectors, name: str, option: str) -> Indices:
    """Return the columns of a feature: one for numbers, one for each value of a category."""
    found = [at for at, feature in enumerate(vectors.features) if feature == name or feature.startswith(f"{name}=")]
    if not found:
        raise UsageError(
            f"{option} {name!r} is no feature of the query; its features are {', '.join(_variables(vectors.features))}"
        )
    return np.array(found, dtype=np.intp)


def _variables(features: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(feature.partition("=")[0] for feature in features))
