"""Compare systems, and search for weaknesses."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.compare import (
    Comparison,
    compare,
    families_in_words,
    question_scores,
    tested_in_words,
)
from qaldgen.analysis.discovery import find_slices, scores_to_search, searched_in_words
from qaldgen.analysis.feature_table import features_of, sampling_query
from qaldgen.analysis.found import Discovery, FoundSlice
from qaldgen.analysis.levels import Significance
from qaldgen.analysis.multiplicity import CORRECTIONS
from qaldgen.analysis.outcomes import TypeSource, score_for
from qaldgen.analysis.scores import AnyRun, notes_of, on_common_questions
from qaldgen.analysis.slice_search import SEARCHES, SliceSearch
from qaldgen.analysis.slices import ALL, Slice
from qaldgen.api.options import Scoring, SliceOptions, spelled_out, take, take_last
from qaldgen.api.questions import AnyGold, gold_of
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
    "question_scores",
    "sampling_query",
    "searched_in_words",
    "slices",
    "tested_in_words",
]


@spelled_out(Scoring, SliceSearch)
def slices(
    gold: AnyGold,
    run: AnyRun,
    *,
    against: AnyRun | None = None,
    measure: str = "macro-f1",
    missing: str = DEFAULT,
    types: TypeSource | None = None,
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
    search = take_last(SliceSearch, rest, "slices")
    check_rule(missing)
    asked = gold_of(gold, language=how.language)
    both = [one for one in (run, against) if one is not None]
    runs = score_for(measure, asked, both, how, types)
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
