"""Cut gold questions into slices: by their features, and by SPARQL queries."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from qaldgen.analysis.feature_table import feature_table, named_slices, query_slices
from qaldgen.analysis.slicing import Slice
from qaldgen.features.cache import cache_file
from qaldgen.features.problems import Complaint, problem_notes
from qaldgen.io.arguments import texts
from qaldgen.scoring.gold import Gold

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Slice", "feature_slices", "features_of", "queried_slices", "slices_of"]


def features_of(
    gold: Gold, *, language: str = "en", progress: Callable[[int], None] | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """Compute the features of gold questions.

    Parameters
    ----------
    gold
        The questions.
    language
        The language of the texts to use.
    progress
        Called with the number of questions that are done.

    Returns
    -------
    tuple of DataFrame and list of str
        One row per question; and what could not be computed.
    """
    problems: list[Complaint] = []
    table = feature_table(
        gold,
        language=language,
        n_jobs=_workers(len(gold.questions.questions)),
        cache=cache_file(),
        progress=progress,
        complain=problems.append,
    )
    return table, problem_notes(problems, gold.questions.questions)


def _workers(questions: int) -> int:
    """Return how many processes pay for loading the language model.

    One for few questions, and never many.
    """
    # loading the model in another process pays off from about a thousand questions
    return min(os.cpu_count() or 1, 1 + questions // 1000, 4)


def slices_of(
    gold: Gold, by: str | Sequence[str], where: str | Sequence[str], *, language: str = "en"
) -> list[Slice]:
    """Return the slices by features and by SPARQL queries.

    Parameters
    ----------
    gold
        The questions.
    by
        One or more features, ``cluster``, or several features with a comma.
    where
        One or more queries that select questions: files, or names of ready queries.
    language
        The language of the texts to use.

    Raises
    ------
    UsageError
        If there is no such feature or query.
    DataError
        If a query selects no question.
    """
    found = named_slices(features_of(gold, language=language)[0], texts(by)) if by else []
    return found + queried_slices(gold, texts(where), language=language)


def queried_slices(gold: Gold, where: Sequence[str], *, language: str = "en") -> list[Slice]:
    """Return the slices that SPARQL queries select; see `slices_of`.

    Parameters
    ----------
    gold
        The gold questions.
    where
        Queries: file names, or names of ready-made queries.
    language
        Language of the question texts.

    Returns
    -------
    list of Slice
        One slice per query.
    """
    return query_slices(gold, where, language=language, cache=cache_file())


def feature_slices(table: pd.DataFrame, by: Sequence[str]) -> list[Slice]:
    """Return the slices defined by features of a table from `features_of`; see `slices_of`.

    Parameters
    ----------
    table
        The features, one row per question.
    by
        Features, ``cluster``, or several features separated by commas.

    Returns
    -------
    list of Slice
        One slice per value, or per combination of values.
    """
    return named_slices(table, by)
