"""The search for weak spots of every system in a report."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qaldgen.analysis.discovery import scores_to_search
from qaldgen.analysis.estimates import pool_or_sample_scores
from qaldgen.analysis.slice_search import SliceSearch
from qaldgen.analysis.weak_search import search_weak_spots
from qaldgen.analysis.weak_spots import WeakSpot, failed_questions, weak_spots
from qaldgen.errors import DataError
from qaldgen.scoring.measures import higher_is_better

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.design import Design
    from qaldgen.scoring.score import Scores


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
    for one in scored:
        try:
            found[one.name] = search_weak_spots(scores[one.name], table, random_state)
        except DataError:
            needed = 4 * SliceSearch().support(size)
            notes[one.name] = (
                f"{size:,} questions are too few to search for weak spots; {needed} are needed."
            )
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
