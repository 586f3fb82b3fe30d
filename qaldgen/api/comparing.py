"""Compare systems, and search for weaknesses."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.compare import Comparison, compare_runs, families_in_words, tested_in_words
from qaldgen.analysis.discovery import find_slices, scores_to_search, searched_in_words
from qaldgen.analysis.feature_table import sampling_query
from qaldgen.analysis.found import Discovery, FoundSlice
from qaldgen.analysis.levels import Significance
from qaldgen.analysis.multiplicity import CORRECTIONS
from qaldgen.analysis.slice_search import SEARCHES, SliceSearch
from qaldgen.analysis.slicing import ALL, Slice
from qaldgen.api.cutting import features_of, slices_of
from qaldgen.api.options import (
    ComparisonOptions,
    Scoring,
    SliceOptions,
    spelled_out,
    take,
    take_last,
)
from qaldgen.api.outcomes import Typing, score_for
from qaldgen.api.questions import AnyGold, gold_of
from qaldgen.api.scoring import AnyRun, notes_of, on_common_questions
from qaldgen.errors import UsageError
from qaldgen.scoring.missing import DEFAULT, check_rule
from qaldgen.scoring.score import Scores

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

__all__ = [
    "ALL",
    "CORRECTIONS",
    "SEARCHES",
    "Comparison",
    "Discovery",
    "FoundSlice",
    "Significance",
    "Slice",
    "SliceSearch",
    "compare",
    "families_in_words",
    "sampling_query",
    "searched_in_words",
    "slices",
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


@spelled_out(Scoring, SliceSearch, Typing)
def slices(
    gold: AnyGold,
    run: AnyRun,
    *,
    against: AnyRun | None = None,
    measure: str = "macro-f1",
    missing: str = DEFAULT,
    **options: Unpack[SliceOptions],
) -> Discovery:
    """Find the slices where a system is worst, or where it loses most against another one.

    Parameters
    ----------
    gold, run
        The questions, and the answers of the system.
    against
        The other system.
    measure
        What is searched for: a key of `qaldgen.scoring.measures.MEASURES`, of each question alone.
    missing
        See `compare`.
    **options
        How to score, see `score`; ``depth``, ``min_support``, ``method``, ``top``, ``alpha``,
        ``n_resamples`` and ``random_state`` of the search, see
        `qaldgen.analysis.slice_search.SliceSearch`; ``types``, see `compare`.

    Returns
    -------
    Discovery
        What was found, what was tested, and the notes.

    Raises
    ------
    UsageError
        If a name is unknown.
    DataError
        If a file cannot be read, or there are too few questions.
    """
    how, rest = take(Scoring, options)
    typing, rest = take(Typing, rest)
    search = take_last(SliceSearch, rest, "slices")
    check_rule(missing)
    asked = gold_of(gold, language=how.language)
    both = [one for one in (run, against) if one is not None]
    runs = score_for(measure, asked, both, how, typing)
    scored, note = on_common_questions(runs, missing)
    table, problems = features_of(asked, language=how.language)
    return search_scores(
        scored, table, search, measure=measure, notes=notes_of(scored, note, *problems)
    )


def search_scores(
    scored: Sequence[Scores],
    table: pd.DataFrame,
    search: SliceSearch,
    *,
    measure: str = "macro-f1",
    notes: Sequence[str] = (),
) -> Discovery:
    """Search a measure of a run, or of one minus another, for low slices; see `slices`.

    Parameters
    ----------
    scored
        One run, or two, on the same questions.
    table
        The features of the questions.
    search
        How to search.
    measure
        What is searched.
    notes
        Notes on the runs, to be kept with the result.

    Raises
    ------
    UsageError
        If there are more than two runs, or there is no such measure.
    """
    if len(scored) not in (1, 2):
        raise UsageError(
            f"{len(scored)} runs given; pass one run, or one run and another to compare it with"
        )
    found = find_slices(scores_to_search([one.counts for one in scored], measure), table, search)
    return dataclasses.replace(found, notes=tuple(notes))


def slice_queries(found: Discovery, folder: Path) -> list[tuple[Path, str]]:
    """Return a file and a SPARQL query per slice found, so that `sample` can draw from it.

    Parameters
    ----------
    found
        What the search found.
    folder
        Folder for the files.
    """
    return [
        (folder / f"slice-{number}.rq", sampling_query(one.slice))
        for number, one in enumerate(found.found, 1)
    ]


def row_of(one: FoundSlice) -> dict[str, object]:
    """Return the figures of a slice that was found, by name, as tables show them."""
    figures = ("observed", "mean", "rest", "difference", "low", "high")
    return {
        "n": len(one.slice),
        **{name: getattr(one, name) for name in figures},
        "corrected p": one.p_adjusted,
    }
