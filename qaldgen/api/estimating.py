"""Estimates of scores on the whole pool of a benchmark."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.estimates import estimate_runs, prefix_notes
from qaldgen.analysis.known_scores import KnownScores, pick_baseline
from qaldgen.analysis.score_table import read_scores
from qaldgen.api.cutting import slices_of
from qaldgen.api.options import Scoring, ScoringOptions, spelled_out, take_last
from qaldgen.api.questions import AnyGold, gold_of
from qaldgen.api.scoring import AnyRun, judged_alike, notes_of, score_all

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

__all__ = [
    "Estimates",
    "KnownScores",
    "estimate",
    "estimate_runs",
    "known_scores",
    "prefix_notes",
    "read_scores",
]


@dataclasses.dataclass(frozen=True)
class Estimates:
    """Estimates of scores on the whole pool.

    Attributes
    ----------
    table : DataFrame
        ``slice`` (``(all)`` first), ``run`` (or ``A - B``), ``estimator`` (``sample``, ``with
        others`` or ``difference``), ``estimate``, ``low``, ``high``, ``questions``, ``pool``,
        ``effective_size`` (equally informative random questions), ``method``.
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
    runs: AnyRun | Sequence[AnyRun],
    *,
    measure: str = "macro-f1",
    by: str | Sequence[str] = (),
    where: str | Sequence[str] = (),
    others: pd.DataFrame | str | Path | None = None,
    families: Mapping[str, str] | None = None,
    baseline: str | Path | None = None,
    **options: Unpack[ScoringOptions],
) -> Estimates:
    """Estimate each run's score, and each pairwise difference, on the whole pool of a benchmark.

    Parameters
    ----------
    gold
        A benchmark that a probability design drew (``lpm``, ``hybrid``, ``stratified`` or
        ``random``).
    runs
        Answers to its questions.
    measure
        A measure that is a mean over questions.
    by, where
        Slices by feature, and by SPARQL query.
    others
        Scores of other systems on all questions of the pool, which sharpen the estimates: a table,
        or its file.
    families
        System to family. The mean of the systems of other families and that of the run's own are
        two control variates.
    baseline
        A system whose scores on the whole pool are known: one of `others`, or the file of its
        scores.
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
    known = known_scores(others, families, baseline)
    found = estimate_runs(asked, scored, measure=measure, slices=parts, known=known)
    return Estimates(found, measure, notes_of(scored, note, *prefix_notes(asked, scored)))


def known_scores(
    others: pd.DataFrame | str | Path | None = None,
    families: Mapping[str, str] | None = None,
    baseline: str | Path | None = None,
) -> KnownScores | None:
    """Return what is known on the whole pool; None if that is nothing.

    Parameters
    ----------
    others
        Scores of other systems: a table, or its file.
    families
        System to family.
    baseline
        A system of `others`, or the file of the scores of one.

    Raises
    ------
    UsageError
        If there is no such baseline.
    DataError
        If a file cannot be read.
    """
    table = read_scores(others) if isinstance(others, (str, Path)) else others
    if baseline is None:
        return None if table is None else KnownScores(table, families or {})
    # the baseline may be a column of the table, or a file of its own
    known = table is not None and str(baseline) in table.columns
    own = None if known or not Path(baseline).exists() else read_scores(baseline)
    return KnownScores(table, families or {}, pick_baseline(str(baseline), table, own))
