"""Sampling methods, their options and results, and how clusters become a sample."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qaldgen.options import Option
from qaldgen.selection.arrays import Indices


class Sample(NamedTuple):
    """The chosen questions and the clusters they stand for.

    Attributes
    ----------
    chosen : int array of shape (n,)
        Indices of the pool, in the order in which the method chose them.
    cluster : int array of shape (n_pool,)
        The cluster of every question of the pool, 0 to n_clusters - 1, each with at least one
        chosen question; -1 for a removed outlier, which no question represents. Methods that
        cluster number the clusters in the order of `chosen`.
    notes : tuple of str
        What a user should know.
    inclusion : float array of shape (n,), or None
        The probability of each chosen question to be chosen, above 0 and up to 1, in a probability
        design. None if the method chose on purpose, so that it is unknown.
    ordered : bool
        Whether every prefix of `chosen` is an equal-probability sample of the pool.
    """

    chosen: Indices
    cluster: Indices
    notes: tuple[str, ...] = ()
    inclusion: NDArray[np.float64] | None = None
    ordered: bool = False

    def sizes(self) -> Indices:
        """Return the number of pool questions in each cluster."""
        return np.bincount(self.cluster[self.cluster >= 0])

    def weights(self) -> NDArray[np.float64]:
        """Return the share of the pool that each chosen question represents.

        In a probability design the share is proportional to 1 / inclusion probability (Hájek);
        otherwise it is the share of the question's cluster, split among those chosen from it.

        Returns
        -------
        float array of shape (n,)
            Weights with the sum 1, less the share of outliers.
        """
        if self.inclusion is not None:
            return np.asarray(1 / self.inclusion / (1 / self.inclusion).sum())
        clusters = self.cluster[self.chosen]
        pool_sizes = self.sizes()[clusters]
        sample_sizes = np.bincount(clusters)[clusters]
        return np.asarray(pool_sizes / sample_sizes / len(self.cluster))


class Method(NamedTuple):
    """A sampling method.

    Attributes
    ----------
    function : callable
        ``(vectors, n, rng, **options) -> Sample``.
    options : tuple of Option
        The options, which become arguments of `function` and command-line options.
    help : str
        One line for the command line.
    removes_outliers : bool
        Whether it may leave questions out of all clusters.
    orders : bool
        Whether the order of its questions matters even if it takes the whole pool.
    """

    function: Callable[..., Sample]
    options: tuple[Option, ...]
    help: str
    removes_outliers: bool = False
    orders: bool = False


def identity(n: int) -> Sample:
    """Return the sample of all `n` questions of a pool, each of which represents itself."""
    return Sample(np.arange(n), np.arange(n), inclusion=np.ones(n))


def from_labels(matrix: NDArray[np.float64], labels: Indices, n: int) -> Sample:
    """Choose the question nearest to each cluster's mean (FEASIBLE), ties to the lowest row.

    If there are fewer than `n` clusters, because fewer than `n` vectors differ, the largest one is
    halved until there are `n`.
    """
    heap = [(-len(rows), int(rows[0]), rows.tolist()) for rows in _rows_by_cluster(labels)]
    heapq.heapify(heap)
    while len(heap) < n:
        _, _, rows = heapq.heappop(heap)
        half = (len(rows) + 1) // 2
        for part in (rows[:half], rows[half:]):
            heapq.heappush(heap, (-len(part), part[0], part))

    groups = sorted(rows for _, _, rows in heap)  # by their lowest row
    chosen = np.array([rows[nearest_to_mean(matrix[rows])] for rows in groups], dtype=np.intp)
    cluster = np.full(len(labels), -1, dtype=np.intp)
    for index, rows in enumerate(groups):
        cluster[rows] = index
    return Sample(chosen, cluster)


def around(matrix: NDArray[np.float64], chosen: Indices) -> Sample:
    """Return a sample whose clusters are the questions nearest to each chosen one.

    Parameters
    ----------
    matrix
        Of shape (n_pool, n_features).
    chosen
        Different rows of it.

    Returns
    -------
    Sample
        A chosen question is always in its own cluster, even if another has the same features.

    Examples
    --------
    >>> around(np.array([[0.0], [1.0], [0.2], [0.9]]), np.array([1, 0])).cluster.tolist()
    [1, 0, 1, 0]
    """
    from sklearn.metrics import pairwise_distances_argmin

    rows = np.asarray(chosen, dtype=np.intp)
    cluster = np.asarray(pairwise_distances_argmin(matrix, matrix[rows]), dtype=np.intp)
    cluster[rows] = np.arange(len(rows))
    return Sample(rows, cluster)


def cluster_count(n: int, per_cluster: int) -> int:
    """Return the number of clusters for a sample of `n` questions."""
    return max(1, n // max(int(per_cluster), 1))


def members_at_random(
    labels: Indices, n: int, per_cluster: int, rng: np.random.Generator
) -> Sample:
    """Choose random members of each cluster instead of the one nearest to its mean.

    If small clusters have fewer members, more are chosen from those with the most members per
    chosen one; of equal clusters from the first.
    """
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    sizes = np.array([len(rows) for rows in groups])
    n_chosen = np.minimum(int(per_cluster), sizes)

    while n_chosen.sum() < n:
        members_per_chosen = np.where(n_chosen < sizes, sizes / n_chosen, 0.0)
        n_chosen[np.argmax(members_per_chosen)] += 1
    while n_chosen.sum() > n:
        members_per_chosen = np.where(n_chosen > 1, sizes / n_chosen, np.inf)
        n_chosen[np.argmin(members_per_chosen)] -= 1

    chosen = np.concatenate(
        [rng.choice(rows, size, replace=False) for rows, size in zip(groups, n_chosen, strict=True)]
    )
    cluster = np.empty(len(labels), dtype=np.intp)
    share = np.empty(len(labels))
    for index, rows in enumerate(groups):
        cluster[rows] = index
        share[rows] = n_chosen[index] / len(rows)

    return Sample(chosen, cluster, inclusion=share[chosen])


def nearest_to_mean(points: NDArray[np.float64]) -> int:
    """Return the lowest row among those nearest to the mean of `points`."""
    mean = points.sum(axis=0) / len(points)
    # feature by feature, as the Java adds: the last bit decides between equally near questions
    squares = np.zeros(len(points))
    for feature in range(points.shape[1]):
        squares += (points[:, feature] - mean[feature]) ** 2
    return int(np.argmin(np.sqrt(squares)))


def _rows_by_cluster(labels: Indices) -> list[Indices]:
    """Return the rows of each cluster, clusters by their lowest row."""
    order = np.argsort(labels, kind="stable")
    order = order[labels[order] >= 0]
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    return sorted(np.split(order, cuts), key=lambda rows: int(rows[0]))
