"""How diverse and representative a sample is, compared with random samples of its size."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qaldgen.defaults import SEED
from qaldgen.io.progress import step
from qaldgen.selection.arrays import Indices, Matrix
from qaldgen.selection.scaling import column_deviations
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

#: Distances held at once: few enough for the processor's cache.
_BLOCK_CELLS = 200_000
#: The fixed part of the budget of `n_random_samples`, in operations.
_LEAST_WORK = 1_000_000_000
#: The part for each distinct vector: about the work of a sampling method on it.
_WORK_PER_QUESTION = 40_000
_MOST_DRAWS = 100
_FEWEST_DRAWS = 3
#: Methods that take hardly any time.
_INSTANT = frozenset({"random"})
#: The whole budget for the baseline of such a method.
_INSTANT_WORK = 100_000_000


@dataclasses.dataclass(frozen=True)
class Diversity:
    """The diversity of one sample; all on the normalised features."""

    #: Questions in the sample, and distinct vectors among them.
    size: int
    distinct: int
    #: The paper's D (Definition 2): the mean over the features of the standard deviation in the
    #: sample, with ddof = 1 as in FEASIBLE's ``Similarity.java``; NaN for a single question.
    diversity: float
    #: FEASIBLE's: the harmonic mean of the mean squared differences of the means and of the
    #: standard deviations between sample and pool; 0 where both are equal. Small is similar.
    similarity_error: float
    #: Mean and largest distance of a pool question to its nearest chosen one.
    mean_distance: float
    coverage_radius: float
    same_vector: float  # share of the pool with a vector that is also in the sample
    represented: float = 1.0  # share of the pool that is in a cluster, not an outlier


def measure(vectors: Vectors, chosen: Indices, represented: float = 1.0) -> Diversity:
    """Return how diverse and representative a sample of its pool is."""
    # pools repeat few distinct vectors: distances are computed once per distinct one
    distinct, vector_of_row = vectors.groups
    distances = nearest_distances(distinct, distinct[np.unique(vector_of_row[chosen])])
    nearest = distances[vector_of_row]
    return Diversity(
        size=len(chosen),
        distinct=vectors.distinct(chosen),
        diversity=diversity(vectors.matrix[chosen]),
        similarity_error=similarity_error(vectors.matrix[chosen], vectors.matrix),
        mean_distance=float(nearest.mean()),
        coverage_radius=float(nearest.max()),
        same_vector=float(np.mean(nearest == 0.0)),
        represented=represented,
    )


def diversity(sample: Matrix) -> float:
    """Return the paper's D of normalised vectors (QaldGen, Definition 2; ddof = 1).

    >>> round(diversity(np.array([[0.0, 1.0], [1.0, 1.0]])), 4)
    0.3536
    """
    if len(sample) > 1:
        return float(sample.std(axis=0, ddof=1).mean())
    return float("nan")


def similarity_error(sample: Matrix, pool: Matrix) -> float:
    """Return FEASIBLE's similarity error; NaN for a single question."""
    if len(sample) < 2:
        return float("nan")
    means = float(np.mean((sample.mean(axis=0) - pool.mean(axis=0)) ** 2))
    deviations = float(np.mean((sample.std(axis=0, ddof=1) - pool.std(axis=0, ddof=1)) ** 2))
    if means + deviations > 0.0:
        return 2.0 * means * deviations / (means + deviations)
    return 0.0


def nearest_distances(pool: Matrix, sample: Matrix) -> Matrix:
    """Return the distance from each row of the pool to the nearest row of the sample."""
    from scipy.spatial.distance import cdist

    block = max(1, _BLOCK_CELLS // len(sample))
    parts = [
        cdist(pool[start : start + block], sample, "sqeuclidean").min(axis=1)
        for start in range(0, len(pool), block)
    ]
    return np.asarray(np.sqrt(np.concatenate(parts)))


def n_random_samples(vectors: Vectors, n: int, method: str = "") -> int:
    """Return the number of random samples for the baseline: 100, or fewer on large pools.

    Each sample needs its distances to the whole pool, which together should not take longer than
    sampling itself. The number depends only on the sizes and the method, so that the same call
    measures the same samples on every machine.
    """
    n_distinct = len(vectors.groups.vectors)
    work_per_draw = n_distinct * n * (len(vectors.features) + 8)
    work_of_method = _LEAST_WORK + _WORK_PER_QUESTION * n_distinct
    budget = _INSTANT_WORK if method in _INSTANT else work_of_method
    return min(_MOST_DRAWS, max(_FEWEST_DRAWS, budget // max(work_per_draw, 1)))


class RandomFigure(NamedTuple):
    """A figure of random samples: the mean and the standard deviation."""

    mean: float
    deviation: float


def measure_random_samples(vectors: Vectors, n: int, *, repeats: int) -> dict[str, RandomFigure]:
    """Return the figures of random samples of `n` questions, by the names of `Diversity`."""
    rng = np.random.default_rng(SEED)
    figures = []
    with step("random samples", repeats) as advance:
        for _ in range(repeats):
            chosen = rng.choice(len(vectors), n, replace=False)
            figures.append(dataclasses.astuple(measure(vectors, chosen)))
            advance(1)
    columns = np.array(figures, dtype=float).T
    names = [field.name for field in dataclasses.fields(Diversity)]
    return {
        name: RandomFigure(float(column.mean()), float(column.std()))
        for name, column in zip(names, columns, strict=True)
    }


def compare_spread(vectors: Vectors, chosen: Indices) -> pd.DataFrame:
    """Compare mean, deviation and range of each feature in pool and sample."""
    import pandas as pd

    sample = vectors.raw[chosen]
    return pd.DataFrame(
        {
            "pool_mean": vectors.raw.mean(axis=0),
            "sample_mean": sample.mean(axis=0),
            "pool_std": column_deviations(vectors.raw),
            "sample_std": column_deviations(sample),
            "pool_min": vectors.raw.min(axis=0),
            "sample_min": sample.min(axis=0),
            "pool_max": vectors.raw.max(axis=0),
            "sample_max": sample.max(axis=0),
            "pool_D": column_deviations(vectors.matrix),
            "sample_D": column_deviations(vectors.matrix[chosen]),
        },
        index=pd.Index(vectors.features, name="feature"),
    )
