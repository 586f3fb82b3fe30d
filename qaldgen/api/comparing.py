"""Compare systems."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from qaldgen.analysis.compare import Comparison, compare_runs, families_in_words, tested_in_words
from qaldgen.analysis.feature_table import sampling_query
from qaldgen.analysis.levels import Significance
from qaldgen.analysis.multiplicity import CORRECTIONS
from qaldgen.analysis.slices import find_weak_spots
from qaldgen.analysis.slicing import ALL, Slice
from qaldgen.api.cutting import slices_of
from qaldgen.api.options import (
    ComparisonOptions,
    Scoring,
    spelled_out,
    take,
    take_last,
)
from qaldgen.api.outcomes import Typing, score_for
from qaldgen.api.questions import AnyGold, gold_of
from qaldgen.api.scoring import AnyRun, notes_of, on_common_questions
from qaldgen.scoring.missing import DEFAULT, check_rule
from qaldgen.scoring.score import Scores

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

__all__ = [
    "ALL",
    "CORRECTIONS",
    "Comparison",
    "Significance",
    "Slice",
    "compare",
    "families_in_words",
    "find_weak_spots",
    "sampling_query",
    "tested_in_words",
]


@spelled_out(Scoring, Significance, Typing)
def compare(
    gold: AnyGold,
    runs: AnyRun | Sequence[AnyRun],
    *,
    by: str | Sequence[str] = (),
    where: str | Sequence[str] = (),
    measure: str = "macro-f1",
    missing: str = DEFAULT,
    weights: pd.Series[float] | None = None,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Compare systems on the same questions, overall and by slice, with corrected tests.

    Parameters
    ----------
    gold
        The questions: a file, the name of a public set, a question set or a benchmark.
    runs
        Two systems or more: files, what `read_run` or `ask` returns, or scores.
    by, where
        Slices by feature, and by SPARQL query.
    measure
        What is compared.
    missing
        Which questions count: ``zero`` (all; what is missing is wrong), ``asked`` (those that every
        run was asked) or ``skip`` (those that no run failed on either).
    weights
        By question; None for equal ones.
    **options
        How to score, see `score`; ``correct``, ``alpha``, ``n_resamples`` and ``random_state`` of
        the tests, see `qaldgen.analysis.levels.Significance`; ``types``, where the types of
        answers come from, for the measures of mistakes (`qaldgen.api.outcomes.TypeSource`).

    Returns
    -------
    Comparison
        The scores, the tests and who wins where; ``.notes`` say what was left out, and what is to
        be known of the runs.

    Raises
    ------
    UsageError
        If there are fewer than two systems, or a name is unknown.
    DataError
        If a file cannot be read, two runs have the same name, or no question counts for all.
    """
    how, rest = take(Scoring, options)
    typing, rest = take(Typing, rest)
    tests = take_last(Significance, rest, "compare")
    check_rule(missing)
    asked = gold_of(gold, language=how.language)
    same, note = on_common_questions(score_for(measure, asked, runs, how, typing), missing)
    slices = slices_of(asked, by, where, language=how.language)
    return compare_scores(
        same, slices, measure=measure, weights=weights, tests=tests, notes=notes_of(same, note)
    )


def compare_scores(
    scored: Sequence[Scores],
    slices: Sequence[Slice],
    *,
    measure: str,
    weights: pd.Series[float] | None,
    tests: Significance,
    notes: Sequence[str] = (),
) -> Comparison:
    """Compare runs that were scored on the same questions; see `compare`.

    Parameters
    ----------
    scored
        The runs.
    slices
        Slices to count besides all questions.
    measure
        What is compared.
    weights
        By question.
    tests
        How differences are tested.
    notes
        Notes on the runs, to be kept with the comparison.
    """
    found = compare_runs(
        {one.name: one.counts for one in scored},
        slices,
        measure=measure,
        weights=weights,
        tests=tests,
    )
    return dataclasses.replace(found, notes=tuple(notes))


def question_scores(scored: Sequence[Scores], missing: str) -> pd.DataFrame:
    """Return the F1 of every system on every question, the hardest for all first.

    NaN where a question does not count.

    Parameters
    ----------
    scored
        The runs.
    missing
        Which questions count.
    """
    import pandas as pd

    table = pd.DataFrame(
        {one.name: one.with_missing(missing)["f1"] for one in scored}, index=scored[0].counts.index
    )
    # stable, so that equally hard questions stay in the order of the data
    return table.iloc[table.mean(axis=1).argsort(kind="stable")]
