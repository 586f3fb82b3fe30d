"""What a sampling method is and gives, and the simplest ones."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qaldgen.errors import UsageError
from qaldgen.vectors import Vectors

Rows = NDArray[np.intp]


class Sample(NamedTuple):
    """The chosen questions and the clusters they stand for.

    Attributes
    ----------
    chosen : int array of shape (n,)
        Rows of the pool, in the order in which the method chose them.
    cluster : int array of shape (n_pool,)
        For every question of the pool its cluster, 0 to n_clusters - 1, each with at least one chosen question; -1 is an outlier
        that was removed, for which nothing stands. Methods that cluster number the clusters in the order of `chosen`.
    notes : tuple of str
        What a user should know.
    """

    chosen: Rows
    cluster: Rows
    notes: tuple[str, ...] = ()

    def sizes(self) -> Rows:
        """Return the number of pool questions in each cluster."""
        return np.bincount(self.cluster[self.cluster >= 0])

    def weights(self) -> NDArray[np.float64]:
        """Return the share of the pool each chosen question stands for: its cluster's, split among those chosen from it."""
        own = self.cluster[self.chosen]
        return np.asarray(self.sizes()[own] / np.bincount(own)[own] / len(self.cluster))


class Option(NamedTuple):
    """An option of a method: its default, what it means, and what it may be."""

    name: str
    default: float | str
    help: str
    minimum: float | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: float | str) -> None:
        """Raise UsageError if `value` is not allowed."""
        if self.choices and value not in self.choices:
            raise UsageError(f"{self.name} is {value!r}; choose one of {', '.join(self.choices)}")
        if self.minimum is not None and not (isinstance(value, (int, float)) and self.minimum <= value < math.inf):
            raise UsageError(f"{self.name} is {value}; it must be a number of {self.minimum:g} or more")


class Method(NamedTuple):
    """A sampling method: its function, its options, one line about it, and whether it may leave questions out as outliers."""

    function: Callable[..., Sample]
    options: tuple[Option, ...]
    help: str
    removes_outliers: bool = False


def identity(n: int) -> Sample:
    """Choose every question of a pool of `n`, each standing for itself."""
    return Sample(np.arange(n), np.arange(n))


def random(vectors: Vectors, n: int, rng: np.random.Generator) -> Sample:
    """Choose each question with the same probability; the whole pool is one cluster, of which all chosen are members."""
    return Sample(np.sort(rng.choice(len(vectors), n, replace=False)), np.zeros(len(vectors), dtype=np.intp))


def from_labels(matrix: NDArray[np.float64], labels: Rows, n: int) -> Sample:
    """Choose the question nearest to each cluster's mean (FEASIBLE), ties to the lowest row.

    Where there are fewer than `n` clusters, because fewer than `n` vectors differ, the largest one is halved until there are `n`.

    Parameters
    ----------
    matrix
        Of shape (n_pool, n_features).
    labels
        The cluster of each row; -1 for outliers.
    n
        The number of questions to choose, at most the number of rows that are no outliers.
    """
    labels = _split_largest(labels, n)
    groups = _members(labels)
    chosen = np.array([rows[nearest_to_mean(matrix[rows])] for rows in groups], dtype=np.intp)
    cluster = np.full(len(labels), -1, dtype=np.intp)
    for position, rows in enumerate(groups):
        cluster[rows] = position
    return Sample(chosen, cluster)


def nearest_to_mean(points: NDArray[np.float64]) -> int:
    """Return the lowest row among those nearest to the mean of `points`."""
    mean = points.sum(axis=0) / len(points)
    squares = np.zeros(len(points))
    for at in range(points.shape[1]):
        squares += (points[:, at] - mean[at]) ** 2
    return int(np.argmin(np.sqrt(squares)))


def _members(labels: Rows) -> list[Rows]:
    """Return the rows of each cluster, clusters by their lowest row."""
    order = np.argsort(labels, kind="stable")
    order = order[labels[order] >= 0]
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    return sorted(np.split(order, cuts), key=lambda rows: int(rows[0]))


def _split_largest(labels: Rows, n: int) -> Rows:
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
