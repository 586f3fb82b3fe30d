"""Where each system is weak, for people.

Slices with a common cause are merged into one weak spot, under the most informative name.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from qaldgen.analysis.found import Discovery, FoundSlice
from qaldgen.analysis.randomisation import Flags
from qaldgen.analysis.slicing import Slice
from qaldgen.features.labels import kin_of, rank_of
from qaldgen.scoring.formulas import Array

if TYPE_CHECKING:
    import pandas as pd

#: Slices with this overlap (Jaccard) have a common cause, and are one weak spot.
SAME_CAUSE = 0.5
#: A weak spot covers at most this share of the questions; beyond, it is "everything but ...".
MOST = 0.5
#: How many weak spots of a system are shown, and how many failed questions of each.
SPOTS, FAILED = 3, 3
#: A weak spot has at most so many other names, the clearest ones.
NAMES = 3
#: The part of a loss that all other systems have there too counts only by this factor.
_SHARED = 0.5
#: A slice with one condition tells people more than one with two or three: each further condition
#: takes a quarter of its strength.
_SIMPLE = 0.75
#: A slice that is not confirmed is shown as "may be chance" if its own p, uncorrected, is at most
#: the first number, and it has at most as many conditions as the second says.
_WORTH_A_LOOK, _PLAIN = 0.05, 2
#: The failed questions to show are chosen among this many.
_CONSIDERED = 60


@dataclasses.dataclass(frozen=True)
class WeakSpot:
    """A kind of question on which a system scores low.

    Attributes
    ----------
    slice : Slice
        Its questions, name, phrase and SPARQL.
    score, elsewhere : float
        The mean score there and on the other questions; for a combination both among the questions
        that did not choose it (`found.FoundSlice.observed` and ``rest``).
    score_of_all, overall : float
        The mean score on all questions of the slice, and on all questions.
    p : float
        Corrected for all slices that were tested.
    confirmed : bool
        Whether the held-out questions confirm it; otherwise it may be chance.
    other_names : tuple of str
        Phrases for other slices of nearly the same questions, at most `NAMES`, and one for each
        thing that features measure: a second count of the same words would add nothing.
    failed : tuple of str
        Ids of questions that show it: those that other systems get right come first.
    shared : tuple of str
        Other systems that have a confirmed weak spot of nearly the same questions.
    strength : float
        Orders weak spots: how much lower the score is than elsewhere, less one standard error, and
        how much more the system loses than the others do on the same questions.
    """

    slice: Slice
    score: float
    elsewhere: float
    score_of_all: float
    overall: float
    p: float
    confirmed: bool
    other_names: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    strength: float = 0.0


def weak_spots(
    found: Mapping[str, Discovery], scores: pd.DataFrame
) -> dict[str, tuple[WeakSpot, ...]]:
    """Merge the slices of each system into at most `SPOTS` weak spots, the strongest first.

    Parameters
    ----------
    found
        By system: the result of `discovery.find_slices`.
    scores
        One row per question, one column per system: the scores that were searched.

    Returns
    -------
    dict of str to tuple of WeakSpot
        By system; empty where nothing stands out.

    Examples
    --------
    >>> import pandas as pd
    >>> from qaldgen.analysis.discovery import find_slices
    >>> ids = [f"q{n}" for n in range(200)]
    >>> table = pd.DataFrame({"isCount": [n % 4 == 0 for n in range(200)]}, index=ids)
    >>> own = [0.0 if n % 4 == 0 else n % 3 / 2 for n in range(200)]
    >>> scores = pd.DataFrame({"mine": own}, index=ids)
    >>> (spot,) = weak_spots({"mine": find_slices(scores["mine"], table)}, scores)["mine"]
    >>> spot.slice.label, spot.confirmed, len(spot.slice), spot.score
    ('the query counts', True, 50, 0.0)
    """
    spots = {system: _spots(system, one, scores) for system, one in found.items()}
    return {
        system: tuple(_with_sharers(system, one, spots) for one in own)
        for system, own in spots.items()
    }


def _spots(system: str, found: Discovery, scores: pd.DataFrame) -> list[WeakSpot]:
    """Return the weak spots of one system: each slice joins the first spot that it overlaps.

    It is compared with the leader of each spot: single linkage would chain slices of different
    causes into one.
    """
    proved = {one.slice.name for one in found.found}
    seen = [
        one
        for one in found.candidates
        if len(one.slice) <= MOST * len(scores)
        and one.observed < one.rest
        and (
            one.slice.name in proved
            or (one.p <= _WORTH_A_LOOK and len(one.slice.features) <= _PLAIN)
        )
    ]
    losses = _Losses.of(system, scores)
    strengths = {one.slice.name: losses.strength(one.slice) for one in seen}
    ranked = sorted(
        seen, key=lambda one: (one.slice.name not in proved, -strengths[one.slice.name])
    )
    groups: list[list[FoundSlice]] = []
    for one in ranked:
        near = next(
            (group for group in groups if overlap(group[0].slice, one.slice) >= SAME_CAUSE), None
        )
        if near is None:
            groups.append([one])
        else:
            near.append(one)
    spots: list[WeakSpot] = []
    for group in groups:
        # Two groups with different leaders may have names for nearly the same questions.
        spot = _spot(system, group, proved, scores, strengths)
        if all(overlap(spot.slice, other.slice) < SAME_CAUSE for other in spots):
            spots.append(spot)
        if len(spots) == SPOTS:
            break
    return spots


def overlap(one: Slice, other: Slice) -> float:
    """Return the overlap of the questions of two slices (Jaccard).

    Parameters
    ----------
    one, other
        Two slices.

    Returns
    -------
    float
        0 to 1; 0 if both are empty.

    Examples
    --------
    >>> overlap(Slice("x", ("a", "b")), Slice("y", ("b", "c")))
    0.3333333333333333
    """
    both = len(one.members & other.members)
    either = len(one.members) + len(other.members) - both
    return both / either if either else 0.0


class _Losses(NamedTuple):
    """The scores of a system, and how much better they are than the mean of the others."""

    questions: pd.Index[Any]
    own: Array
    ahead: Array | None

    @classmethod
    def of(cls, system: str, scores: pd.DataFrame) -> _Losses:
        """Compare a system with the others; without others there is nothing to be ahead of."""
        own, others = scores[system].to_numpy(float), scores.drop(columns=system)
        ahead = own - others.mean(axis=1).to_numpy(float) if others.shape[1] else None
        return cls(scores.index, own, ahead)

    def strength(self, one: Slice) -> float:
        """Return how far the system is surely below its score elsewhere, more so than others.

        The loss of the other systems on the same questions tells how hard these are. If they lose
        as much, half of the system's own loss counts: a slice that is hard for all is a weakness
        too, but not a specific one.

        Parameters
        ----------
        one
            A slice of the questions.
        """
        inside = one.mask(self.questions)
        strength = _least_gap(self.own, inside)
        if self.ahead is not None:
            relative = min(strength, _least_gap(self.ahead, inside))
            strength = max(relative, _SHARED * strength)
        return _SIMPLE ** max(0, len(one.features) - 1) * strength


def _least_gap(values: Array, inside: Flags) -> float:
    """Return how much lower the mean inside is than outside, less its standard error.

    The standard error keeps slices of few questions back.
    """
    n, rest = int(inside.sum()), int((~inside).sum())
    error = float(values.std(ddof=1)) * math.sqrt(1.0 / n + 1.0 / rest)
    return float(values[~inside].mean() - values[inside].mean()) - error


def _spot(
    system: str,
    group: Sequence[FoundSlice],
    proved: set[str],
    scores: pd.DataFrame,
    strengths: Mapping[str, float],
) -> WeakSpot:
    """Return a weak spot, named after the member of the group that people understand best."""
    leader, confirmed = group[0], group[0].slice.name in proved

    def clarity(one: FoundSlice) -> tuple[bool, int, int, float]:
        ranks = [rank_of(name) for name in one.slice.features]
        unproved = confirmed and one.slice.name not in proved
        return unproved, len(ranks), max(ranks, default=9), -overlap(one.slice, leader.slice)

    named, *others = sorted(group, key=clarity)
    own = scores[system]
    inside = named.slice.mask(scores.index)
    return WeakSpot(
        slice=named.slice,
        score=named.observed,
        elsewhere=named.rest,
        score_of_all=float(own[inside].mean()),
        overall=float(own.mean()),
        p=named.p_adjusted,
        confirmed=confirmed,
        other_names=_other_names(named.slice, [one.slice for one in others]),
        failed=failed_questions(named.slice.ids, system, scores),
        strength=strengths[named.slice.name],
    )


def _other_names(named: Slice, others: Sequence[Slice]) -> tuple[str, ...]:
    """Return the phrases of slices that tell more than the name, the clearest first."""
    told, kept = {kin_of(name) for name in named.features}, []
    for one in others:
        kin = {kin_of(name) for name in one.features}
        if not kin & told and overlap(one, named) >= SAME_CAUSE:
            told |= kin
            kept.append(one.label)
    return tuple(kept[:NAMES])


def failed_questions(
    ids: Sequence[str], system: str, scores: pd.DataFrame, texts: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Return the ids of `FAILED` questions that a system gets wrong.

    Preferably those that others get right, and that differ from each other.

    Parameters
    ----------
    ids
        Questions to choose from.
    system
        A column of `scores`.
    scores
        One row per question, one column per system.
    texts
        Text by id, to choose questions with different words; None to compare the ids.

    Returns
    -------
    tuple[str, ...]
        The clearest example first.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [0.0, 0.0, 1.0], "b": [0.0, 1.0, 1.0]}, index=["x", "y", "z"])
    >>> failed_questions(("x", "y", "z"), "a", scores)
    ('y', 'x')
    """
    own = scores.loc[list(ids)]
    others = own.drop(columns=system).mean(axis=1).fillna(0.0)
    # If the system has no score of at most one half there, its lowest scores have to do.
    wrong = own.index[own[system] <= min(0.5, float(own[system].min()) + 1e-9)]
    ranked = sorted(map(str, wrong), key=lambda name: -round(float(others[name]), 2))[:_CONSIDERED]
    words = {name: set((texts or {}).get(name, name).lower().split()) for name in ranked}
    chosen: list[str] = []
    while ranked and len(chosen) < FAILED:
        best = max(
            ranked,
            key=lambda name: (
                float(others[name])
                - max((_common(words[name], words[one]) for one in chosen), default=0.0)
            ),
        )
        chosen.append(best)
        ranked.remove(best)
    return tuple(chosen)


def _common(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _with_sharers(system: str, spot: WeakSpot, spots: Mapping[str, Sequence[WeakSpot]]) -> WeakSpot:
    """Say which other systems are weak on nearly the same questions."""
    sharers = [
        name
        for name, others in spots.items()
        if name != system
        and any(one.confirmed and overlap(one.slice, spot.slice) >= SAME_CAUSE for one in others)
    ]
    return dataclasses.replace(spot, shared=tuple(sharers))
