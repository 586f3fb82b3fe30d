"""Where a pipeline of retriever and reader loses answers.

Each system's errors split into what the retriever and what the reader missed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.losses import loss_of_each, loss_table
from qaldgen.analysis.scores import Scores, score_run
from qaldgen.analysis.slices import Slice
from qaldgen.api.questions import AnyGold, Gold, gold_of
from qaldgen.errors import DataError, UsageError
from qaldgen.runs.reading import read_run
from qaldgen.runs.record import Run
from qaldgen.scoring.setting import Scoring

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.reports.page.build import Report

__all__ = ["losses", "with_losses"]


def losses(
    gold: AnyGold,
    retrieved: Run | str | Path,
    end_to_end: Run | str | Path,
    *,
    on_gold: Run | str | Path | None = None,
    k: int = 10,
    slices: Sequence[Slice] = (),
    how: Scoring = Scoring(match="poleval", language="pl"),  # noqa: B008
) -> pd.DataFrame:
    """Split the losses of a pipeline into what the retriever and what the reader missed.

    Parameters
    ----------
    gold
        The questions, with their relevant passages.
    retrieved
        What the retriever found.
    end_to_end
        What the reader answered from it.
    on_gold
        What the reader answered from the relevant passages; None if it was not asked.
    k
        How many passages the reader got.
    slices
        Slices to count besides all questions.
    how
        When an answer is right.

    Returns
    -------
    pandas.DataFrame
        See `qaldgen.analysis.losses.loss_table`.

    Raises
    ------
    DataError
        If a file cannot be read, or no question has a relevant passage.
    """
    asked = gold_of(gold, language=how.language)
    found = retrieved if isinstance(retrieved, Run) else read_run(retrieved, format="trec")
    ended = _scored(asked, end_to_end, how)
    given = None if on_gold is None else _scored(asked, on_gold, how)
    return loss_table(_losses(asked, found, ended, k), slices, given)


def _losses(gold: Gold, retrieved: Run, ended: Scores, k: int) -> pd.Series[str]:
    """Return the outcome of each question.

    Refuse questions without a known relevant passage.
    """
    each = loss_of_each(gold, retrieved, ended, k)
    if each.empty:
        raise DataError(
            f"{gold.questions.name}: no question has a known relevant passage; 'qaldgen passages'"
            " adds them"
        )
    return each


def with_losses(
    made: Report,
    gold: AnyGold,
    scored: Sequence[Scores],
    retrieved: Sequence[Run | str | Path],
    *,
    k: int = 10,
) -> Report:
    """Return a report that also splits the errors of each system, on all questions and each slice.

    Parameters
    ----------
    made
        What `report` returned.
    gold
        The questions, with their relevant passages.
    scored
        The answers of the readers, as the report has them.
    retrieved
        What the retriever found: one run for all systems, or one for each, in the order of
        `scored`.
    k
        How many passages the readers got.

    Raises
    ------
    UsageError
        If the number of retriever runs is neither one nor that of the systems.
    DataError
        If a file cannot be read, or no question has a relevant passage.
    """
    import pandas as pd

    if len(retrieved) not in {1, len(scored)}:
        raise UsageError(
            f"{len(retrieved)} runs of retrievers for {len(scored)} systems; name one for all, or"
            " one for each"
        )
    asked = gold_of(gold)
    found = [one if isinstance(one, Run) else read_run(one, format="trec") for one in retrieved]
    of = dict(
        zip(
            (one.name for one in scored),
            found * (len(scored) if len(found) == 1 else 1),
            strict=True,
        )
    )
    by_name = {one.name: one for one in scored}
    slices = [one for group in made.slices.values() for one in group]
    tables = []
    for system in made.systems:
        table = loss_table(_losses(asked, of[system], by_name[system], k), slices).drop(
            columns="reader"
        )
        table.insert(0, "system", system)
        tables.append(table)
    return dataclasses.replace(made, losses=pd.concat(tables, ignore_index=True))


def _scored(gold: Gold, run: Run | str | Path, how: Scoring) -> Scores:
    answers = (
        run if isinstance(run, Run) else read_run(run, gold=gold.questions, language=how.language)
    )
    return score_run(gold, answers, how)
