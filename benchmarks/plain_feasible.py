"""FEASIBLE written twice more from its published rules.

In plain Python with a distance cache, and in plain numpy.

They are what the samplers of qaldgen are compared with: the first does the same work as the
reference implementation (for every candidate the distances to all exemplars are looked up anew, by
the two names as one text), the second is what one writes first when one has arrays. Where the
reference leaves a tie to the order of a hash map, the lowest row wins here.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = Sequence[float]


class PlainFeasible:
    """The published rules with lists and dictionaries.

    Parameters
    ----------
    vectors
        By name, all of the same length.
    """

    def __init__(self, vectors: dict[str, Vector]) -> None:
        self._vectors = vectors
        self._cache: dict[str, float] = {}

    def exemplars(self, k: int) -> list[str]:
        """Return the exemplars, in the order of their names.

        First the one farthest from the mean, then by sums of distances.
        """
        self._cache.clear()
        middle = _mean(self._vectors.values())
        chosen = [
            _first_largest(
                (name, _distance(vector, middle)) for name, vector in self._vectors.items()
            )
        ]
        taken = set(chosen)
        while len(chosen) < k:
            sums = ((name, self._sum(chosen, name)) for name in self._vectors if name not in taken)
            following = _first_largest(sums)
            bisect.insort(chosen, following)
            taken.add(following)
        return chosen

    def feasible(self, k: int) -> list[str]:
        """Return, per exemplar, the question nearest to the mean of its cluster."""
        exemplars = self.exemplars(k)
        clusters: dict[str, list[str]] = {name: [] for name in exemplars}
        for name in self._vectors:
            clusters[name if name in clusters else self._nearest(exemplars, name)].append(name)
        return [self._representative(names) for names in clusters.values()]

    def _sum(self, chosen: Iterable[str], name: str) -> float:
        total = 0.0
        for exemplar in chosen:
            total += self._cached(exemplar, name)
        return total

    def _cached(self, one: str, other: str) -> float:
        found = self._cache.get(one + "#" + other)
        if found is None:
            found = _distance(self._vectors[one], self._vectors[other])
            self._cache[one + "#" + other] = self._cache[other + "#" + one] = found
        return found

    def _nearest(self, exemplars: Iterable[str], name: str) -> str:
        least, match = math.inf, ""
        for exemplar in exemplars:
            distance = self._cached(exemplar, name)
            if distance < least:
                least, match = distance, exemplar
        return match

    def _representative(self, names: Sequence[str]) -> str:
        middle = _mean([self._vectors[name] for name in names])
        return _first_largest((name, -_distance(self._vectors[name], middle)) for name in names)


def _mean(vectors: Iterable[Vector]) -> Vector:
    count, total = 0, [0.0]
    for vector in vectors:
        total = (
            [before + value for before, value in zip(total, vector, strict=True)]
            if count
            else list(vector)
        )
        count += 1
    return [value / count for value in total]


def _distance(one: Vector, other: Vector) -> float:
    """Add the squares from left to right.

    Several exemplars are equally near but for the last bit, and that decides.
    """
    total = 0.0
    for a, b in zip(one, other, strict=True):
        total += (a - b) * (a - b)
    return math.sqrt(total)


def _first_largest(valued: Iterable[tuple[str, float]]) -> str:
    best, found = -math.inf, ""
    for name, value in valued:
        if value > best:
            best, found = value, name
    return found


def numpy_exemplars(matrix: Matrix, k: int) -> list[int]:
    """Choose the exemplars with one broadcast over the whole matrix a step."""
    total = np.zeros(len(matrix))
    chosen = [int(np.argmax(np.sqrt(((matrix - matrix.mean(axis=0)) ** 2).sum(axis=1))))]
    while len(chosen) < k:
        total += np.sqrt(((matrix - matrix[chosen[-1]]) ** 2).sum(axis=1))
        total[chosen] = -np.inf
        chosen.append(int(np.argmax(total)))
    return chosen


def numpy_feasible(matrix: Matrix, names: Sequence[str], k: int) -> list[int]:
    """Choose the representatives.

    All distances to all exemplars, squares added from left to right, the nearest by name order.
    """
    exemplars = sorted(numpy_exemplars(matrix, k), key=lambda row: names[row])
    distances = np.column_stack(
        [np.sqrt(np.cumsum((matrix - matrix[row]) ** 2, axis=1)[:, -1]) for row in exemplars]
    )
    nearest = distances.argmin(axis=1)
    nearest[exemplars] = np.arange(k)
    chosen = []
    for position in range(k):
        rows = np.flatnonzero(nearest == position)
        spread = (matrix[rows] - np.cumsum(matrix[rows], axis=0)[-1] / len(rows)) ** 2
        chosen.append(int(rows[np.argmin(np.sqrt(np.cumsum(spread, axis=1)[:, -1]))]))
    return chosen
