"""The scores of runs on the whole pool of a benchmark, from their answers to its questions.

Only a probability sample allows such an estimate; other benchmarks are refused.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from qaldgen.analysis.estimating.design import (
    NOT_ASKED,
    estimation_questions,
    mean_measure,
    probability_design,
)
from qaldgen.analysis.estimating.known_scores import KnownScores, known_scores
from qaldgen.analysis.estimating.pool_mean import Estimate
from qaldgen.analysis.feature_table import slices_of
from qaldgen.analysis.slices.slicing import ALL, Slice, whole_slice
from qaldgen.benchmark.gold import AnyGold, Gold
from qaldgen.defaults import MEASURE
from qaldgen.io.notes import collecting
from qaldgen.io.result_display import result_text
from qaldgen.io.text import count
from qaldgen.options import ConditionText, Measures, PathOrName
from qaldgen.scoring.evaluation import AnyRuns, Evaluation, as_evaluation
from qaldgen.scoring.measures import summed_columns
from qaldgen.scoring.score import Scores, notes_of
from qaldgen.sparql.ready_queries import Query

_COLUMNS = [
    "slice", "run", "estimator", "estimate", "low", "high", "questions", "pool", "effective_size",
    "method",
]  # fmt: skip


def estimate_runs(
    gold: Gold,
    all_scores: Sequence[Scores],
    *,
    measure: str = MEASURE,
    slices: Sequence[Slice] = (),
    pool_scores: KnownScores | None = None,
) -> pd.DataFrame:
    """Estimate the score of each run, and the difference of each pair, on the whole pool."""
    spec = mean_measure(measure, all_scores[0])
    ids = list(all_scores[0].counts.index)
    design = probability_design(gold).restricted(ids)
    # An unfinished run counts only up to its first gap. Differences of two runs need the questions
    # that all of them were asked.
    designs = {}
    common_ids = ids
    for scores in all_scores:
        usable = set(estimation_questions(design, scores))
        usable_ids = [question_id for question_id in ids if question_id in usable]
        designs[scores.name] = design.restricted(usable_ids)
        common_ids = [question_id for question_id in common_ids if question_id in usable]
    common_design = design.restricted(common_ids)

    rows = []
    for part in [whole_slice(all_scores[0].counts.index), *slices]:
        part_ids = set(part.ids)
        for scores in all_scores:
            own_design = designs[scores.name]
            own_ids = [
                question_id for question_id in own_design.inclusion if question_id in part_ids
            ]
            counts = scores.counts.loc[own_ids]
            by_sample = own_design.estimate_measure(counts, spec)
            rows.append(_row(part, scores.name, "sample", by_sample))

            if pool_scores is not None and part.name == ALL:
                values = summed_columns(counts, spec)[:, 0]
                controls = pool_scores.for_run(
                    gold, scores.name, ids=own_ids, scores=values, pool_size=own_design.pool
                )
                with_others = own_design.estimate_with_known(
                    own_ids, values, controls, bounds=spec.bounds
                )
                rows.append(_row(part, scores.name, "with others", with_others))

        compared_ids = [question_id for question_id in common_ids if question_id in part_ids]
        values_by_run = {}
        for scores in all_scores:
            columns = summed_columns(scores.counts.loc[compared_ids], spec)
            values_by_run[scores.name] = columns[:, 0]
        reach = spec.bounds[1] - spec.bounds[0]  # a difference lies between -reach and reach
        for first, second in itertools.combinations(values_by_run, 2):
            differences = values_by_run[first] - values_by_run[second]
            difference = common_design.estimate_mean(
                compared_ids, differences, bounds=(-reach, reach)
            )
            rows.append(_row(part, f"{first} - {second}", "difference", difference))

    return pd.DataFrame(rows, columns=_COLUMNS)


def _row(part: Slice, run: str, estimator: str, result: Estimate) -> dict[str, object]:
    names = {"slice": part.name, "run": run, "estimator": estimator}
    return {**names, **result._asdict(), "questions": result.n, "pool": result.pool_size}


def unfinished_notes(gold: Gold, all_scores: Sequence[Scores]) -> list[str]:
    """Say for each unfinished run how many questions its estimate is based on."""
    design = probability_design(gold).restricted(list(all_scores[0].counts.index))
    n_questions = len(design.inclusion)
    notes = []
    for scores in all_scores:
        n_usable = len(estimation_questions(design, scores))
        if n_usable == n_questions:
            continue
        note = (
            f"{scores.name} was asked the first {n_usable:,} of {count(n_questions, 'question')} in"
            " their order, and they are a sample too: the estimate is from them"
        )
        n_later = int((scores.counts["status"] != NOT_ASKED).sum()) - n_usable
        if n_later > 0:
            note += f"; {count(n_later, 'later answer')} cannot be used yet"
        notes.append(note)
    return notes


@dataclasses.dataclass(frozen=True, eq=False)
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
        """Return the table and the notes."""
        return result_text([self.table.to_string(index=False)], self.notes)


def estimate(
    gold: AnyGold | Evaluation,
    runs: AnyRuns = None,
    *,
    measure: Measures = MEASURE,
    by: str | Sequence[str] = (),
    where: ConditionText | Query | Sequence[ConditionText | Query] = (),
    others: pd.DataFrame | str | Path | None = None,
    families: Mapping[str, str] | None = None,
    baseline: PathOrName | None = None,
) -> Estimates:
    """Estimate each run's score, and each pairwise difference, on the whole pool of a benchmark.

    Parameters
    ----------
    gold
        What `evaluate` returns, of a benchmark that a probability design drew (``lpm``, ``hybrid``,
        ``stratified`` or ``random``). Or the benchmark, which is evaluated with the runs by the
        default rules.
    runs
        With a benchmark: answers to its questions.
    measure
        A measure that is a mean over questions.
    by, where
        See `compare`.
    others
        Scores of other systems on all questions, to reduce the error of the estimate (CSV, see
        'plan'; or a log, or a folder of logs).

        In Python also the table: one row per question, one column per system.
    families
        Average related systems separately from the others.

        System to family: the mean of the systems of other families and that of the run's own are
        two control variates.
    baseline
        A system whose scores on all questions are known: one of the others, or a CSV file with its
        scores.

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

    Examples
    --------
    >>> import qaldgen as qg
    >>> gold = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    >>> bench = qg.sample(gold, 40, method="lpm")
    >>> estimates = estimate(bench, {f"{n}": f"{n}" for n in range(60)})
    >>> estimates.table[["questions", "pool"]].values.tolist()
    [[40, 60]]
    """
    evaluation = as_evaluation(gold, runs).for_measure(measure)
    questions, all_scores = evaluation.gold, evaluation.scores
    with collecting() as slice_notes:
        parts = slices_of(evaluation, by, where)
    pool_scores = known_scores(others, families, baseline)
    table = estimate_runs(
        questions, all_scores, measure=measure, slices=parts, pool_scores=pool_scores
    )
    notes = notes_of(all_scores, *slice_notes, *unfinished_notes(questions, all_scores))
    return Estimates(table, measure, notes)
