"""The settings and the pool of a simulation, and one order of the pool with its neighbours."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from qaldgen.analysis import controls
from qaldgen.analysis.controls import Array, Known, Many, Neighbours
from qaldgen.analysis.sequential.bounds import Looks, plan_looks
from qaldgen.io.arguments import check_number, check_whole
from qaldgen.selection.vectors import Vectors


@dataclasses.dataclass(frozen=True)
class Rehearsal:
    """The settings of a simulation.

    Attributes
    ----------
    n_repeats : int
        Orders of the pool.
    random_state : int
        The first seed.
    largest : int
        The most questions of comparisons and races.
    half_widths : sequence of float
        The wanted precisions.

    Raises
    ------
    UsageError
        If a number is out of its range.
    """

    n_repeats: int = 300
    random_state: int = 0
    largest: int = 200
    half_widths: Sequence[float] = (0.05, 0.03)

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        check_whole("n_repeats", self.n_repeats, 1)
        check_whole("random_state", self.random_state, 0)
        check_whole("the most questions", self.largest, 1)
        for width in self.half_widths:
            check_number("a wanted half-width", width, above=0)


@dataclasses.dataclass(frozen=True, eq=False)
class Stage:
    """The pool, the systems and the settings.

    Attributes
    ----------
    table : array of shape (pool, systems)
        Scores.
    names : sequence of str
        The systems.
    matrix : array of shape (pool, features)
        Normalised features.
    nearest : array of shape (pool, pool)
        For each question all questions, the nearest first.
    strangers : sequence of sequence of int
        For each system the systems of other families.
    looks : Looks
        The looks of comparisons and races.
    how : Rehearsal
        The settings.
    """

    table: Array
    names: Sequence[str]
    matrix: Array
    nearest: NDArray[np.intp]
    strangers: Sequence[Sequence[int]]
    looks: Looks
    how: Rehearsal

    @classmethod
    def of(
        cls,
        table: Array,
        names: Sequence[str],
        vectors: Vectors,
        families: Mapping[str, str],
        how: Rehearsal,
    ) -> Stage:
        """Return the stage for a pool of questions.

        Parameters
        ----------
        table
            Scores, shape (pool, systems).
        names
            The systems.
        vectors
            The features of the questions, in the same order.
        families
            System to family.
        how
            The settings.

        Returns
        -------
        Stage
            With everything that does not depend on the order of the questions.
        """
        from scipy.spatial.distance import cdist

        family = [families.get(name, name) for name in names]
        strangers = [[at for at, other in enumerate(family) if other != own] for own in family]
        looks = plan_looks(min(how.largest, len(table)), len(table))
        distance = cdist(vectors.matrix, vectors.matrix, "sqeuclidean")
        # Below every distance, so that each question comes first among its own neighbours, even if
        # another one has the same features.
        np.fill_diagonal(distance, -1.0)
        nearest = np.argsort(distance, axis=1, kind="stable")
        return cls(table, names, vectors.matrix, nearest, strangers, looks, how)

    @property
    def size(self) -> int:
        """Questions in the pool."""
        return len(self.table)

    def mean_of(self, systems: Sequence[int]) -> Array:
        """Return the mean score of some systems on each question.

        Parameters
        ----------
        systems
            Their columns, at least one.

        Returns
        -------
        Array
            Shape (pool,).
        """
        return np.asarray(self.table[:, list(systems)].mean(axis=1))


class Order:
    """One order of the pool, with the neighbours at each look.

    Parameters
    ----------
    stage
        The pool.
    rows
        All questions, in the order of asking.
    """

    def __init__(self, stage: Stage, rows: NDArray[np.intp]) -> None:
        self.stage, self.rows = stage, rows
        self._neighbours: dict[int, Neighbours] = {}

    def neighbours(self, n: int) -> Neighbours:
        """Return the neighbours among the first questions.

        Of all questions sorted by distance, those that are there: sorting once per pool is much
        faster than once per look.

        Parameters
        ----------
        n
            How many questions.

        Returns
        -------
        Neighbours
            As `controls.neighbours_of` would return them.
        """
        if n not in self._neighbours:
            own, size = self.rows[:n], controls.group_size(n, self.stage.size)
            place = np.full(self.stage.size, -1, dtype=np.intp)
            place[own] = np.arange(n)
            near = place[self.stage.nearest[own]]
            there = near >= 0
            wanted = there & (np.cumsum(there, axis=1) <= size)
            self._neighbours[n] = near[wanted].reshape(n, size) if size else None
        return self._neighbours[n]

    def estimates(
        self,
        scores: Array,
        n: int,
        columns: Array | None = None,
        bounds: tuple[float, float] = (0, 1),
    ) -> Many:
        """Return estimates for several score vectors, from the first questions.

        Parameters
        ----------
        scores
            Shape (estimates, pool).
        n
            How many questions.
        columns
            Columns that are known on the pool, shape (estimates, pool, columns); None for none.
        bounds
            Least and largest possible score.

        Returns
        -------
        Many
            Arrays of shape (estimates,).
        """
        rows = self.rows[:n]
        if columns is None:
            columns = np.empty((*scores.shape, 0))
        known = Known(columns[:, rows], columns.mean(axis=1))
        return controls.estimate_means(
            scores[:, rows], self.stage.size, known, self.neighbours(n), bounds
        )
