"""Methods that cluster the pool with scikit-learn and choose the question nearest to each mean."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from qaldgen.errors import DataError
from qaldgen.sampling.sample import Sample, cluster_count, from_labels, members_at_random
from qaldgen.selection.arrays import Indices
from qaldgen.selection.vectors import Vectors

#: Hierarchical clustering keeps a distance for each pair of questions: 30,000 questions need 3.6
#: GB.
MAX_AGGLOMERATIVE = 30_000
#: The trees of `agglomerative` by pool and linkage, as long as the pool is in use. They take nearly
#: all of the time, and neither the sample size nor the seed changes them.
_TREES: WeakKeyDictionary[Vectors, dict[str, object]] = WeakKeyDictionary()


def km(
    vectors: Vectors,
    n: int,
    rng: np.random.Generator,
    *,
    iterations: int,
    trials: int,
    per_cluster: int = 0,
) -> Sample:
    """Cluster with k-means and k-means++ initialisation (Arthur & Vassilvitskii 2007).

    The best of `trials` runs is kept, by the sum of squares that k-means minimises. commons-math3,
    which the paper uses, keeps the run with the smallest sum of the variances of distances instead,
    so that ten trials can be worse there than one.
    """
    labels = _kmeans_labels(
        vectors.matrix, cluster_count(n, per_cluster), rng, iterations=iterations, trials=trials
    )
    return _from_clusters(vectors, labels, n, per_cluster=per_cluster, rng=rng)


def db_km(
    vectors: Vectors,
    n: int,
    rng: np.random.Generator,
    *,
    iterations: int,
    trials: int,
    radius: float,
    min_points: int,
) -> Sample:
    """Remove outliers with DBSCAN, normalise the rest again, and apply `km` (QaldGen, Section 2.2).

    commons-math3 does not count the question itself among its neighbours, scikit-learn does:
    ``min_samples = min_points + 1``.
    """
    from sklearn.cluster import DBSCAN

    # duplicates count as weights of distinct vectors
    distinct, inverse, counts = np.unique(
        vectors.matrix, axis=0, return_inverse=True, return_counts=True
    )
    # a radius of 0 means equal vectors, but scikit-learn wants a positive one
    model = DBSCAN(eps=max(radius, np.finfo(float).tiny), min_samples=int(min_points) + 1)
    clusters = model.fit(distinct, sample_weight=counts).labels_

    inliers = np.flatnonzero(clusters[inverse.ravel()] >= 0)
    if len(inliers) < n:
        raise DataError(
            f"db+km++: with radius {radius:g} and min points {min_points}, only {len(inliers):,} of"
            f" {len(vectors):,} questions are not outliers, fewer than the sample size {n:,}; use a"
            " larger radius (-r) or fewer min points (-p)"
        )

    inlier_vectors = vectors.take(inliers)
    labels = np.full(len(vectors), -1, dtype=np.intp)
    labels[inliers] = _kmeans_labels(
        inlier_vectors.matrix, n, rng, iterations=iterations, trials=trials
    )
    # outliers keep a row, because labels and rows must correspond; nothing reads its zeros
    matrix = np.zeros_like(vectors.matrix)
    matrix[inliers] = inlier_vectors.matrix
    sample = from_labels(matrix, labels, n)

    n_outliers = len(vectors) - len(inliers)
    if n_outliers:
        note = (
            f"db+km++: {n_outliers:,} of {len(vectors):,} questions are outliers and are not"
            " represented in the sample"
        )
    else:
        note = (
            f"db+km++: radius {radius:g} finds no outliers, so this equals km++; normalised"
            " vectors are close together, try -r 0.3"
        )
    return sample._replace(notes=(note,))


def agglomerative(
    vectors: Vectors, n: int, rng: np.random.Generator, *, linkage: str, per_cluster: int = 0
) -> Sample:
    """Merge the two nearest clusters until `n` are left, so that the sample size is exact."""
    from sklearn.cluster import AgglomerativeClustering

    if len(vectors) > MAX_AGGLOMERATIVE:
        raise DataError(
            f"agglomerative needs all pairwise distances; {len(vectors):,} questions are too many "
            f"(at most {MAX_AGGLOMERATIVE:,}). Narrow the query, or take km++ or farthest-first"
        )
    model = AgglomerativeClustering(
        n_clusters=cluster_count(n, per_cluster),
        linkage=linkage,
        memory=_tree_memory(vectors, linkage),
    )
    labels = model.fit(vectors.matrix).labels_.astype(np.intp)
    return _from_clusters(vectors, labels, n, per_cluster=per_cluster, rng=rng)


def _tree_memory(vectors: Vectors, linkage: str) -> SimpleNamespace:
    """Return a substitute for ``joblib.Memory``, which keeps the tree of all merges in a pool."""
    trees = _TREES.setdefault(vectors, {})

    def cache(build: Callable[..., object]) -> Callable[..., object]:
        def build_once(*args: object, **kwargs: object) -> object:
            if linkage not in trees:
                trees[linkage] = build(*args, **kwargs)
            return trees[linkage]

        return build_once

    return SimpleNamespace(cache=cache)


def _from_clusters(
    vectors: Vectors, labels: Indices, n: int, per_cluster: int, rng: np.random.Generator
) -> Sample:
    """Choose random members of each cluster, or the question nearest to its mean."""
    if per_cluster:
        return members_at_random(labels, n, per_cluster, rng)
    return from_labels(vectors.matrix, labels, n)


def _kmeans_labels(
    matrix: NDArray[np.float64], n: int, rng: np.random.Generator, iterations: int, trials: int
) -> Indices:
    """Return k-means labels; each distinct vector is clustered once, weighted by its frequency."""
    from sklearn.cluster import KMeans

    from qaldgen.io.concurrency import one_thread  # imports asyncio

    distinct, inverse, counts = np.unique(matrix, axis=0, return_inverse=True, return_counts=True)
    # more clusters than distinct vectors: each vector is its own
    if n >= len(distinct):
        return inverse.ravel()
    with one_thread():  # with several, the last bit would change, and so the sample
        model = KMeans(
            n, n_init=int(trials), max_iter=int(iterations), random_state=int(rng.integers(2**31))
        )
        labels = model.fit(distinct, sample_weight=counts).labels_
    return np.asarray(labels, dtype=np.intp)[inverse.ravel()]
