"""Sampling methods, their options and results, and how clusters become a sample."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qaldgen.options import Option
from qaldgen.selection.vectors import Indices


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

        In a probability design it is proportional to 1 / inclusion probability (Hájek), else the
        share of its cluster, split among those chosen from it.

        Returns
        -------
        float array of shape (n,)
            Weights with the sum 1, less the share of outliers.
        """
        if self.inclusion is not None:
            return np.asarray(1 / self.inclusion / (1 / self.inclusion).sum())
        of_chosen = self.cluster[self.chosen]
        pool_sizes = self.sizes()[of_chosen]
        sample_sizes = np.bincount(of_chosen)[of_chosen]
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
    """Choose every question of a pool of `n`, each representing itself."""
    return Sample(np.arange(n), np.arange(n), inclusion=np.ones(n))


def from_labels(matrix: NDArray[np.float64], labels: Indices, n: int) -> Sample:
    """Choose the question nearest to each cluster's mean (FEASIBLE), ties to the lowest row.

    If there are fewer than `n` clusters, because fewer than `n` vectors differ, the largest one is
    halved until there are `n`.
    """
    labels = _split_largest(labels, n)
    groups = _members(labels)
    chosen = np.array([rows[nearest_to_mean(matrix[rows])] for rows in groups], dtype=np.intp)
    cluster = np.full(len(labels), -1, dtype=np.intp)
    for position, rows in enumerate(groups):
        cluster[rows] = position
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

    Places left over by small clusters go to the clusters with the most members per chosen one, the
    first of equals.
    """
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    sizes = np.array([len(rows) for rows in groups])
    seats = np.minimum(int(per_cluster), sizes)
    while seats.sum() < n:
        members_per_seat = np.where(seats < sizes, sizes / seats, 0.0)
        seats[np.argmax(members_per_seat)] += 1
    while seats.sum() > n:
        members_per_seat = np.where(seats > 1, sizes / seats, np.inf)
        seats[np.argmin(members_per_seat)] -= 1
    chosen = np.concatenate(
        [rng.choice(rows, seat, replace=False) for rows, seat in zip(groups, seats, strict=True)]
    )
    cluster = np.empty(len(labels), dtype=np.intp)
    share = np.empty(len(labels))
    for number, rows in enumerate(groups):
        cluster[rows] = number
        share[rows] = seats[number] / len(rows)
    return Sample(chosen, cluster, inclusion=share[chosen])


def nearest_to_mean(points: NDArray[np.float64]) -> int:
    """Return the lowest row among those nearest to the mean of `points`."""
    mean = points.sum(axis=0) / len(points)
    # feature by feature, as the Java adds: the last bit decides between equally near questions
    squares = np.zeros(len(points))
    for feature in range(points.shape[1]):
        squares += (points[:, feature] - mean[feature]) ** 2
    return int(np.argmin(np.sqrt(squares)))


def _members(labels: Indices) -> list[Indices]:
    """Return the rows of each cluster, clusters by their lowest row."""
    order = np.argsort(labels, kind="stable")
    order = order[labels[order] >= 0]
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    return sorted(np.split(order, cuts), key=lambda rows: int(rows[0]))


def _split_largest(labels: Indices, n: int) -> Indices:
    """Halve the largest cluster, of equals the one with the lowest row, until there are `n`."""
    heap = [(-len(rows), int(rows[0]), rows.tolist()) for rows in _members(labels)]
    if len(heap) == n:
        return labels
    heapq.heapify(heap)
    while len(heap) < n:
        _, _, rows = heapq.heappop(heap)
        half = (len(rows) + 1) // 2
        for part in (rows[:half], rows[half:]):
            heapq.heappush(heap, (-len(part), part[0], part))
    result = np.full(len(labels), -1, dtype=np.intp)
    for label, (_, _, rows) in enumerate(heap):
        result[rows] = label
    return result
