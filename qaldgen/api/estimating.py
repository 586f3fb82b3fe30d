"""Estimates of scores on the whole pool of a benchmark."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.estimates import estimate_runs
from qaldgen.analysis.score_table import read_scores
from qaldgen.api.cutting import slices_of
from qaldgen.api.options import Scoring, ScoringOptions, spelled_out, take_last
from qaldgen.api.questions import AnyGold, gold_of
from qaldgen.api.scoring import AnyRun, judged_alike, notes_of, score_all

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

__all__ = ["Estimates", "estimate", "estimate_runs", "read_scores"]


@dataclasses.dataclass(frozen=True)
class Estimates:
    """Estimates of scores on the whole pool.

    Attributes
    ----------
    table : DataFrame
        ``slice`` (``(all)`` first), ``run`` (or ``A - B``), ``estimator`` (``sample``, ``with others`` or ``difference``),
        ``estimate``, ``low``, ``high``, ``questions``, ``pool``,
        ``effective_size`` (random questions that tell as much), ``method``.
    measure : str
        What was estimated.
    notes : tuple of str
        What a user should know.
    """

    table: pd.DataFrame
    measure: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the notes and the table."""
        return "\n\n".join([*self.notes, self.table.to_string(index=False)])


@spelled_out(Scoring)
def estimate(
    gold: AnyGold,
    runs: Sequence[AnyRun],
    *,
    measure: str = "macro-f1",
    by: Sequence[str] = (),
    where: Sequence[str] = (),
    others: pd.DataFrame | str | Path | None = None,
    families: Mapping[str, str] | None = None,
    **options: Unpack[ScoringOptions],
) -> Estimates:
    """Estimate the score of each run, and the difference of each two, on the whole pool of a benchmark.

    Parameters
    ----------
    gold
        A benchmark that a probability design drew (``lpm``, ``hybrid``, ``stratified`` or ``random``).
    runs
        Answers to its questions.
    measure
        A measure that is a mean over questions.
    by, where
        Slices by feature, and by SPARQL query.
    others
        Scores of other systems on all questions of the pool, which sharpen the estimates: a table, or its file.
    families
        System to family: systems of one family never sharpen each other.
    **options
        See `score`.

    Returns
    -------
    Estimates
        The table, and what a user should know.

    Raises
    ------
    UsageError
        If the measure is not a mean, or the sample is purposive.
    DataError
        If a file cannot be read, or questions of the benchmark are not among the others' results.
    """
    how = take_last(Scoring, options, "estimate")
    asked = gold_of(gold, language=how.language)
    scored, note = judged_alike(score_all(asked, runs, how))
    parts = slices_of(asked, by, where, language=how.language)
    known = read_scores(others) if isinstance(others, (str, Path)) else others
    found = estimate_runs(asked, scored, measure=measure, slices=parts, others=known, families=families)
    return Estimates(found, measure, notes_of(scored, note))
