"""Which sampling methods are unbiased."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.score_table import read_features, read_scores
from qaldgen.analysis.study import Trials
from qaldgen.analysis.study import study as run_study
from qaldgen.errors import UsageError
from qaldgen.io.names import one_of
from qaldgen.reports.pictures.paper import DEFAULT
from qaldgen.sampling import METHODS
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Study",
    "Trials",
    "fitting_sizes",
    "known_methods",
    "read_features",
    "read_scores",
    "study",
    "study_samples",
]

#: Default sample sizes.
SIZES = (25, 50, 100, 200)


@dataclasses.dataclass(frozen=True)
class Study:
    """Which sampling methods are unbiased.

    Attributes
    ----------
    table : DataFrame
        One row for each method and size; see `qaldgen.analysis.study.study`.
    trials : Trials
        Which samples were drawn.
    notes : tuple of str
        What a user should know.
    """

    table: pd.DataFrame
    trials: Trials
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the notes and the table."""
        return "\n\n".join([*self.notes, self.table.to_string(index=False)])

    def draw(self, form: str, layout: str = DEFAULT) -> bytes:
        """Draw error, bias and coverage against the size, as ``png``, ``svg`` or ``pdf``.

        Parameters
        ----------
        form
            The file format.
        layout
            Size and font: see `Plan.draw`.

        Returns
        -------
        bytes
            The content of the file.
        """
        from qaldgen.reports.pictures.study import draw_study

        return draw_study(self.table, form, layout)


def study(
    scores: pd.DataFrame | str | Path,
    features: Vectors | str | Path,
    *,
    sizes: Sequence[int] = (),
    methods: Sequence[str] = (),
    n_repeats: int = 300,
    others: Mapping[str, str] | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
) -> Study:
    """Compare sampling methods on systems whose scores on all questions are known.

    Which samples tell the truth.

    Parameters
    ----------
    scores
        One row per question (index: its id), one column per system, values 0 to 1; or their CSV
        file.
    features
        What `select` returns for the same questions, or the CSV file that ``qaldgen select``
        writes.
    sizes
        The sample sizes; empty for those of 25, 50, 100 and 200 that are smaller than the pool.
    methods
        Names of sampling methods; empty for all.
    n_repeats
        Samples for each method and size.
    others
        System to family: adjust probability designs by the results of systems of other families.
        None for not at all.
    random_state
        The seed of the first sample.
    n_jobs
        Processes to compute with.

    Returns
    -------
    Study
        The table, and what a user should know.

    Raises
    ------
    UsageError
        If a method is unknown, or a size is not smaller than the pool.
    DataError
        If a file cannot be read, or a question has features but no scores.
    """
    table = read_scores(scores) if isinstance(scores, (str, Path)) else scores
    vectors = read_features(features) if isinstance(features, (str, Path)) else features
    trials = Trials(
        fitting_sizes(sizes, len(vectors)), known_methods(methods), n_repeats, random_state
    )
    return study_samples(table, vectors, trials, others=others, n_jobs=n_jobs)


def study_samples(
    scores: pd.DataFrame,
    vectors: Vectors,
    trials: Trials,
    *,
    others: Mapping[str, str] | None = None,
    n_jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Study:
    """Study the samples of a record; see `study`.

    Parameters
    ----------
    scores, vectors
        By question.
    trials
        Which samples are drawn.
    others, n_jobs
        See `study`.
    progress
        Called with the number of samples that are done.
    """
    lacking = len(scores) - len(vectors)
    told = (
        f"{lacking:,} of {len(scores):,} questions have scores but no features; they are left out"
    )
    table = run_study(scores, vectors, trials, others=others, n_jobs=n_jobs, progress=progress)
    return Study(table, trials, (told,) if lacking > 0 else ())


def known_methods(names: Sequence[str]) -> list[str]:
    """Return the names of sampling methods, all if none is named.

    Raises
    ------
    UsageError
        If there is no such method.
    """
    unknown = next((name for name in names if name not in METHODS), None)
    if unknown is not None:
        raise UsageError(f"unknown method {unknown!r}; {one_of(unknown, METHODS)}")
    return list(names) or list(METHODS)


def fitting_sizes(said: Sequence[int], pool_size: int) -> tuple[int, ...]:
    """Return the wanted sizes, or of the usual ones those that fit.

    Parameters
    ----------
    said
        The wanted sizes.
    pool_size
        Questions in the pool.

    Raises
    ------
    UsageError
        If a size is not smaller than the pool.
    """
    wrong = next((size for size in said if not 1 < size < pool_size), None)
    if wrong is not None:
        raise UsageError(
            f"-n {wrong}: the sample size must be from 2 to {pool_size - 1}, because the pool has"
            f" {pool_size} questions"
        )
    found = tuple(said) or tuple(size for size in SIZES if size < pool_size)
    if not found:
        raise UsageError(
            f"the pool has only {pool_size} questions; pass smaller sample sizes with -n"
        )
    return found
