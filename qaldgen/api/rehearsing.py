"""Rehearse stopping rules on systems whose full results are known."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.score_table import read_features, read_scores
from qaldgen.analysis.sequential.bounds import FIRST_LOOK
from qaldgen.analysis.sequential.rehearsal import Rehearsal
from qaldgen.analysis.sequential.simulation import rehearse
from qaldgen.analysis.study import aligned
from qaldgen.errors import UsageError
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SequentialStudy", "study_sequential"]


@dataclasses.dataclass(frozen=True)
class SequentialStudy:
    """How well the stopping rules work on a table of full results.

    Attributes
    ----------
    table : DataFrame
        See `qaldgen.analysis.sequential.simulation.rehearse`.
    orders : int
        How many orders of the pool were tried.
    notes : tuple of str
        What a user should know.
    """

    table: pd.DataFrame
    orders: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the notes and the table."""
        return "\n\n".join([*self.notes, self.table.to_string(index=False)])


def study_sequential(
    scores: pd.DataFrame | str | Path,
    features: Vectors | str | Path,
    *,
    families: Mapping[str, str] | None = None,
    n_repeats: int = 300,
    largest: int | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> SequentialStudy:
    """Run every stopping rule on many orders of a fully scored pool, to check its error rates.

    Parameters
    ----------
    scores
        One row per question (index: its id), one column per system, values 0 to 1; or their CSV
        file.
    features
        What `select` returns for the same questions, or the CSV file that ``qaldgen select``
        writes.
    families
        System to family; relatives are never used here, as the question is how well it works for a
        new kind of system.
    n_repeats
        Orders of the pool.
    largest
        Maximum number of questions for comparisons and races; None for 200, or what the pool
        allows.
    random_state
        The first seed.
    n_jobs
        Processes to compute with.
    progress
        Called with the number of orders that are done.

    Returns
    -------
    SequentialStudy
        One row per rule.

    Raises
    ------
    UsageError
        If there are fewer than two systems, or too few questions.
    DataError
        If a file cannot be read, or a question has features but no scores.
    """
    table = read_scores(scores) if isinstance(scores, (str, Path)) else scores
    vectors = read_features(features) if isinstance(features, (str, Path)) else features
    if table.shape[1] < 2 or len(vectors) <= FIRST_LOOK:
        raise UsageError(
            f"{table.shape[1]} systems on {len(vectors)} questions: two systems and more than"
            f" {FIRST_LOOK} questions are needed"
        )
    most = (
        largest
        if largest is not None
        else 200
        if len(vectors) * 0.9 > 200
        else int(len(vectors) * 0.9)
    )
    how = Rehearsal(n_repeats, random_state, most)
    names = [str(name) for name in table.columns]
    found = rehearse(
        aligned(table, vectors),
        names,
        vectors,
        how,
        families=families,
        n_jobs=n_jobs,
        progress=progress,
    )
    # questions without features cannot be put into the order of a spread sample
    lacking = len(table) - len(vectors)
    told = f"{lacking:,} of {len(table):,} questions have scores but no features; they are left out"
    return SequentialStudy(found, n_repeats, (told,) if lacking > 0 else ())
