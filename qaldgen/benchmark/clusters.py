"""Partition a pool into clusters; their default number has the largest mean silhouette."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, get_args

import numpy as np

from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.benchmark.make import sample
from qaldgen.defaults import SEED
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.progress import step
from qaldgen.options import ClusteringMethod, PositiveInt, Seed
from qaldgen.sampling import draw, method_named
from qaldgen.selection.select import Data, select
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

#: The methods that divide the pool into clusters.
METHODS: tuple[str, ...] = get_args(ClusteringMethod)
#: Numbers of clusters to try; more than a dozen are hard to read.
_NUMBERS_TRIED = range(2, 13)
#: The silhouette needs all pairwise distances: larger pools are sampled down to this size.
_MAX_QUESTIONS = 2_000


def best_n_clusters(vectors: Vectors, method: str, *, random_state: int = SEED) -> int:
    """Return the number of clusters with the largest mean silhouette; of several, the smallest."""
    from sklearn.metrics import silhouette_score

    n_distinct = len(np.unique(vectors.matrix, axis=0))
    if n_distinct <= _NUMBERS_TRIED[0]:
        raise DataError(
            f"{n_distinct} different questions cannot be divided into clusters; select more "
            "features, or give `k`"
        )
    silhouettes = {}
    for number in _NUMBERS_TRIED:
        if number >= n_distinct:
            break
        labels = draw(vectors, number, method, random_state=random_state).cluster
        rng = np.random.default_rng(random_state)
        rows = np.sort(rng.choice(len(labels), min(_MAX_QUESTIONS, len(labels)), replace=False))
        # a tiny cluster may have no question in the sample of a large pool
        if len(np.unique(labels[rows])) > 1:
            silhouettes[number] = float(silhouette_score(vectors.matrix[rows], labels[rows]))
    # rounded, so that the last bit does not decide; numbers ascend, and `max` takes the first
    return max(silhouettes, key=lambda number: round(silhouettes[number], 9))


def cluster(
    data: Vectors | Data,
    k: PositiveInt | None = None,
    *,
    method: ClusteringMethod = "km++",
    random_state: Seed = SEED,
    title: str | None = None,
) -> Benchmark:
    """Partition a selection into clusters.

    A benchmark with one question per cluster, which keeps the cluster of every question.

    Parameters
    ----------
    data
        What `select` returns; or questions, for the usual query: see `select`.
    k
        Number of clusters. Default: the number from 2 to 12 with the largest mean silhouette.
    method
        ``km++``, ``agglomerative``, or FEASIBLE's cells: ``feasible``, ``feasible-exmp``.
    random_state
        Seed of all random choices.
    title
        Title of the clusters.

    Returns
    -------
    Benchmark
        ``.pool_clusters`` has the questions of each cluster, ``.members`` the one that stands for
        it.

    Raises
    ------
    UsageError
        If there is no such method, or `k` is wrong.
    DataError
        If the questions cannot be clustered.

    Examples
    --------
    >>> len(cluster([{"question": f"What is {n}?"} for n in range(60)], 3).questions)
    3
    """
    method_name = method_named(method)
    if method_name not in METHODS:
        raise UsageError(f"unknown method {method!r}; {one_of(method, METHODS)}")
    if isinstance(data, Vectors):
        vectors = data
    else:
        vectors = select(data)
    if k is None:
        with step("clustering"):
            k = best_n_clusters(vectors, method_name, random_state=random_state)
    return sample(vectors, k, method=method_name, random_state=random_state, title=title)


def cluster_table(benchmark: Benchmark) -> pd.DataFrame:
    """Return a row per cluster: number, size, name, and the question that represents it."""
    import pandas as pd

    texts = {
        member.cluster: question.text()
        for member, question in zip(benchmark.members, benchmark.questions, strict=True)
    }
    rows = []
    clusters = itertools.zip_longest(benchmark.cluster_sizes, benchmark.cluster_names)
    for number, (size, name) in enumerate(clusters, 1):
        rows.append((number, size, name or "-", texts.get(number, "")))
    return pd.DataFrame(rows, columns=["cluster", "n", "name", "example"])
