"""FEASIBLE, FEASIBLE-Exemplars and farthest-first: choose what is farthest from the chosen ones.

FEASIBLE follows its reference implementation (dice-group/feasible, ``QueryClustering.java``;
Saleem, Mehmood & Ngonga Ngomo, ISWC 2015): the first exemplar is farthest from the mean, each next
one has the largest sum of distances to the exemplars so far; a question belongs to the nearest
exemplar, exemplars compared in lexicographic order of their ids with a strict "less than"; the
representative of a cluster is nearest to its mean. Distances add the squares from left to right, as
the Java does, because ties between different vectors are decided by the last bit. Where the Java
leaves a tie to the order of a hash map, the lowest row wins here, the first id in natural order.
Its rule for a representative that is already taken cannot fire (clusters are disjoint) and has no
counterpart. Where all vectors are equal the Java fails; here the lowest rows are chosen.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qaldgen.sampling.sample import (
    Sample,
    cluster_count,
    from_labels,
    members_at_random,
    nearest_to_mean,
)
from qaldgen.selection.arrays import Matrix
from qaldgen.selection.vectors import Vectors

#: Rows per block: two arrays of doubles fit the second-level cache.
_BLOCK_ROWS = 16384


def feasible(vectors: Vectors, n: int, rng: np.random.Generator, *, per_cluster: int = 0) -> Sample:
    """Cluster around the exemplars, and choose the question nearest to each cluster's mean."""
    exemplars = feasible_exemplars(vectors, cluster_count(n, per_cluster), rng)
    if per_cluster:
        return members_at_random(exemplars.cluster, n, per_cluster, rng)
    rows_by_cluster = np.argsort(exemplars.cluster, kind="stable")
    groups = np.split(rows_by_cluster, np.cumsum(exemplars.sizes())[:-1])
    chosen = [int(rows[nearest_to_mean(vectors.matrix[rows])]) for rows in groups]
    return Sample(np.array(chosen, dtype=np.intp), exemplars.cluster)


def feasible_exemplars(vectors: Vectors, n: int, rng: np.random.Generator) -> Sample:
    """Choose the exemplars themselves, each with the largest sum of distances to those before it.

    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.7, 0.7], [0.3, 0.3]])
    >>> pool = Vectors(("p1", "p2", "p3", "p4", "p5", "p6"), ("x", "y"), X, X)
    >>> feasible_exemplars(pool, 3, np.random.default_rng()).chosen.tolist()
    [0, 3, 1]
    """
    columns = np.ascontiguousarray(vectors.matrix.T)
    total = np.zeros(len(vectors))
    nearest = np.full(len(vectors), np.inf)
    owner = np.zeros(len(vectors), dtype=np.intp)

    exemplar_rows = [_farthest_from_mean(columns)]
    names = list[bytes]()
    for number in range(n):
        row = exemplar_rows[number]
        name = vectors.ids[row].encode("utf-16-be")  # Java compares strings by these units

        comes_before = np.array([name < other for other in names], dtype=bool)
        for block, distance in _distances(columns, columns[:, row].copy()):
            total[block] += distance
            nearer = np.flatnonzero(distance <= nearest[block])
            is_tied = distance[nearer] == nearest[block][nearer]
            if is_tied.any():
                # of equally near exemplars, the first in Java's order of ids owns the question
                nearer = nearer[~is_tied | comes_before[owner[block][nearer]]]
            nearest[block][nearer] = distance[nearer]
            owner[block][nearer] = number

        names.append(name)
        # chosen once, never again
        total[row] = -np.inf
        if number < n - 1:
            exemplar_rows.append(int(np.argmax(total)))

    # an exemplar equal to an earlier one would otherwise belong to that one's cluster
    owner[exemplar_rows] = np.arange(n)
    return Sample(np.array(exemplar_rows, dtype=np.intp), owner)


def farthest_first(vectors: Vectors, n: int, rng: np.random.Generator) -> Sample:
    """Choose next the question whose nearest chosen one is farthest away (Gonzalez 1985).

    The first question is farthest from the mean. Once every distinct vector is chosen, the largest
    cluster is halved for each further question, so that the most frequent vectors repeat.
    """
    columns = np.ascontiguousarray(vectors.matrix.T)
    nearest = np.full(len(vectors), np.inf)
    owner = np.zeros(len(vectors), dtype=np.intp)

    chosen = [_farthest_from_mean(columns)]
    for number in range(n):
        for block, distance in _distances(columns, columns[:, chosen[number]].copy()):
            nearer = np.flatnonzero(distance < nearest[block])
            nearest[block][nearer] = distance[nearer]
            owner[block][nearer] = number

        # argmax takes the first of equal distances, which is the tie rule
        farthest = int(np.argmax(nearest))
        # at distance 0 every distinct vector has been chosen, so further ones would be repeats
        if number == n - 1 or nearest[farthest] == 0.0:
            break
        chosen.append(farthest)

    if len(chosen) < n:
        return from_labels(vectors.matrix, owner, n)
    return Sample(np.array(chosen, dtype=np.intp), owner)


def _farthest_from_mean(columns: Matrix) -> int:
    mean = columns.sum(axis=1) / columns.shape[1]
    largest = -1.0
    farthest = 0
    for block, distance in _distances(columns, mean):
        index = int(np.argmax(distance))
        if distance[index] > largest:
            largest = float(distance[index])
            farthest = block.start + index
    return farthest


def _distances(columns: Matrix, point: Matrix) -> Iterator[tuple[slice, Matrix]]:
    """Yield the distances to `point` block by block, adding the squares from left to right."""
    # the block fits the cache, and columns are read in one piece: a few times faster than a
    # broadcast over rows, and the same to the last bit as adding the squares of one row after the
    # other
    size = columns.shape[1]
    first, *values = point.tolist()
    squares = np.empty(min(_BLOCK_ROWS, size))
    square = np.empty(min(_BLOCK_ROWS, size))
    for start in range(0, size, _BLOCK_ROWS):
        block = slice(start, min(start + _BLOCK_ROWS, size))
        total = squares[: block.stop - start]
        term = square[: block.stop - start]
        np.subtract(columns[0, block], first, out=total)
        np.multiply(total, total, out=total)
        for column, value in zip(columns[1:], values, strict=True):
            np.subtract(column[block], value, out=term)
            np.multiply(term, term, out=term)
            np.add(total, term, out=total)
        np.sqrt(total, out=total)
        yield block, total
