"""The scores of runs on the whole pool of a benchmark, from their answers to its questions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.estimates import estimate_runs, prefix_notes
from qaldgen.analysis.feature_table import slices_of
from qaldgen.analysis.known_scores import known_scores
from qaldgen.analysis.scores import AnyRun, judged_alike, notes_of, score_all
from qaldgen.io.helpful import helpful
from qaldgen.options import Extractions, Matchers, Measures, Named, Repeats, SameAs
from qaldgen.scoring.gold import AnyGold, as_gold
from qaldgen.scoring.judging import Verdicts
from qaldgen.scoring.resolving import AUTO, Resolved
from qaldgen.scoring.setting import Scoring

if TYPE_CHECKING:
    import pandas as pd


@helpful
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


def estimate(
    gold: AnyGold,
    runs: AnyRun | Sequence[AnyRun],
    *,
    measure: Measures = "macro-f1",
    by: str | Sequence[str] = (),
    where: str | Sequence[str] = (),
    others: pd.DataFrame | str | Path | None = None,
    families: Mapping[str, str] | None = None,
    baseline: Named | None = None,
    match: Matchers | Verdicts | Resolved = AUTO,
    same_as: SameAs = "none",
    language: str = "en",
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None,
    labels: str = "",
    extract: Extractions = "auto",
    repeats_as: Repeats | None = None,
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
        See `compare`.
    others
        Scores of other systems on all questions, to reduce the error of --estimate (CSV, see
        'study'; or a log, or a folder of logs).

        In Python also the table: one row per question, one column per system.
    families
        Average related systems separately from the others.

        System to family: the mean of the systems of other families and that of the run's own are
        two control variates.
    baseline
        A system whose scores on all questions are known: one of --others, or a CSV file with its
        scores.
    match, same_as, language, aliases, labels, extract, repeats_as
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
    how = Scoring(match, same_as, language, aliases, labels, extract, repeats_as)
    asked = as_gold(gold, language=language)
    scored, note = judged_alike(score_all(asked, runs, how))
    parts, problems = slices_of(asked, by, where, language=language)
    known = known_scores(others, families, baseline)
    table = estimate_runs(asked, scored, measure=measure, slices=parts, known=known)
    return Estimates(
        table, measure, notes_of(scored, note, *problems, *prefix_notes(asked, scored))
    )
