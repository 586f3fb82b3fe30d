"""The search for weak spots of every system in a report."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING

from qaldgen.analysis.discovery import scores_to_search
from qaldgen.analysis.estimates import pool_or_sample_scores
from qaldgen.analysis.found import Discovery
from qaldgen.analysis.search_table import SearchTable, search_table
from qaldgen.analysis.slice_search import SliceSearch
from qaldgen.analysis.weak_search import search_weak_spots
from qaldgen.analysis.weak_spots import WeakSpot, failed_questions, weak_spots
from qaldgen.errors import DataError
from qaldgen.scoring.measures import higher_is_better

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.design import Design
    from qaldgen.scoring.score import Scores

#: Each thread needs 64 MB for its shuffled scores.
_THREADS = 4


@dataclasses.dataclass(frozen=True)
class Weakness:
    """The weak spots of systems.

    Attributes
    ----------
    spots : mapping of str to tuple of WeakSpot
        By system, at most three, the one to look at first first.
    notes : mapping of str to str
        By system, why there are none.
    estimates : mapping of (str, str) to (float, float, float)
        By system and name of the slice: the score on all questions of the slice with its interval;
        for a probability sample the estimate for all such questions of the pool.
    """

    spots: Mapping[str, tuple[WeakSpot, ...]] = dataclasses.field(default_factory=dict)
    notes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    estimates: Mapping[tuple[str, str], tuple[float, float, float]] = dataclasses.field(
        default_factory=dict
    )


def find_weakness(
    scored: Sequence[Scores],
    table: pd.DataFrame,
    texts: Mapping[str, str],
    *,
    measure: str,
    weights: pd.Series[float] | Design | None,
    random_state: int = 0,
) -> Weakness:
    """Search each system for weak spots.

    Parameters
    ----------
    scored
        The systems, on the same questions.
    table
        The features of the questions.
    texts
        By question, to show failed ones that differ.
    measure
        What is searched, and estimated.
    weights
        By question, or the design of a probability sample.
    random_state
        The seed of the search.
    """
    import pandas as pd

    found, notes = {}, {}
    scores = pd.DataFrame({one.name: scores_to_search([one.counts], measure) for one in scored})
    size, higher = len(scores), higher_is_better(measure)
    known = search_table(table, scores.index)
    names = [one.name for one in scored]
    for name, result in zip(names, _searched(scores, known, names, random_state), strict=True):
        if result is None:
            needed = 4 * SliceSearch().support(size)
            notes[name] = (
                f"{size:,} questions are too few to search for weak spots; {needed} are needed."
            )
        else:
            found[name] = result
    spots = {
        system: tuple(
            dataclasses.replace(
                spot,
                overall=spot.overall if higher else 1.0 - spot.overall,
                failed=failed_questions(spot.slice.ids, system, scores, texts),
            )
            for spot in own
        )
        for system, own in weak_spots(found, scores).items()
    }
    for system, own in spots.items():
        if not own:
            notes[system] = (
                f"No kind of question stands out; {size:,} questions show only large gaps."
            )
    spots |= {one.name: () for one in scored if one.name not in spots}
    return Weakness(spots, notes, _estimates(scored, spots, measure, weights, random_state))


def _searched(
    scores: pd.DataFrame, table: SearchTable, names: Sequence[str], random_state: int
) -> list[Discovery | None]:
    """Search each system; None where there are too few questions.

    In threads: most of the time goes into shuffling and adding numbers, for which numpy needs no
    interpreter. Each search has its own generator, so the order in which they end is all the same.
    """
    from threadpoolctl import threadpool_limits

    def search(name: str) -> Discovery | None:
        try:
            return search_weak_spots(scores[name], table, random_state)
        except DataError:
            return None

    threads = max(1, min(os.cpu_count() or 1, len(names), _THREADS))
    # Products of matrices that start threads of their own would only get in each other's way.
    with threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
        # what a search keeps on disk is a setting of this context, which threads do not inherit
        contexts = [copy_context() for _ in names]
        return list(pool.map(lambda own, name: own.run(search, name), contexts, names))


def _estimates(
    scored: Sequence[Scores],
    spots: Mapping[str, Sequence[WeakSpot]],
    measure: str,
    weights: pd.Series[float] | Design | None,
    random_state: int,
) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return the score with its interval on all questions of each weak spot."""
    found = {}
    for one in scored:
        slices = [spot.slice for spot in spots[one.name]]
        if slices:
            table = pool_or_sample_scores(one.counts, slices, measure, weights, random_state)
            for spot, row in zip(
                slices, table[["estimate", "low", "high"]].to_numpy(float).tolist(), strict=True
            ):
                found[one.name, spot.name] = (row[0], row[1], row[2])
    return found
