"""The search for weak spots of all systems, whose results are cached for a second report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from qaldgen.analysis.slices import gaps, search
from qaldgen.analysis.slices.detectable import Detectable, find_detectable
from qaldgen.analysis.slices.kinds import CODE, Kinds
from qaldgen.io.result_cache import cached
from qaldgen.scoring.mean_bounds import Array, Flags

#: The default number of permutations.
_RESAMPLES = 499
#: The default number of permutations of many scores.
_FEWER_RESAMPLES = 199
#: More scores than this are many.
_MANY_SCORES = 20_000


class FoundKind(NamedTuple):
    """A kind on which a system is weak; see `WeakSpot` for its figures."""

    number: int  # its number in `Kinds`
    p: float
    expected: float
    low: float
    high: float
    #: The numbers of kinds that would be found without it, those with the plainest name first.
    overlapping: list[int]


class SystemKinds(NamedTuple):
    """What was found for a system, and what could have been found."""

    weak_kinds: list[FoundKind]  # the largest claim first
    detectable: tuple[Detectable, ...]


def search_systems(
    scores: Array, kinds: Kinds, *, alpha: float, n_resamples: int | None, seed: int
) -> list[SystemKinds]:
    """Return the weak kinds of each system, a column of scores; from the cache if they are there.

    By default there are 499 permutations, and 199 of more than 20,000 scores.
    """
    default = _FEWER_RESAMPLES if scores.size > _MANY_SCORES else _RESAMPLES
    resamples = n_resamples or default
    settings = repr((alpha, resamples, seed))
    records = cached(
        "weak spots",
        [scores, kinds.masks, kinds.pairs, kinds.cost, settings],
        lambda: _search(scores, kinds, alpha=alpha, n_resamples=resamples, seed=seed),
    )
    found_kinds = []
    for record in records:
        weak_kinds = [FoundKind(**row) for row in record["weak_kinds"]]
        detectable = tuple(Detectable(**row) for row in record["detectable"])
        found_kinds.append(SystemKinds(weak_kinds, detectable))
    return found_kinds


def _search(
    scores: Array, kinds: Kinds, alpha: float, n_resamples: int, seed: int
) -> list[dict[str, list[dict[str, Any]]]]:
    """Return the weak kinds of each system as records that JSON can hold."""
    null = search.null_distribution(scores, kinds, alpha=alpha, n_resamples=n_resamples, seed=seed)
    records = []
    for system_scores, fit in zip(scores.T, search.fit_kinds(scores, kinds), strict=True):
        found_kinds = search.find_weak_kinds(system_scores, kinds, null, fit, alpha=alpha)
        numbers = [kind.number for kind in found_kinds]
        masks = kinds.inside(np.array(numbers, dtype=np.intp))

        # conditions with a significant claim of their own, without codes
        singles = kinds.families[0]
        is_claimed = fit.z[singles] + null.bars[0] <= null.critical
        is_claimed &= fit.difference[singles] <= -search.LEAST_DIFFERENCE
        is_claimed &= kinds.cost[singles] < CODE
        claims = np.setdiff1d(np.flatnonzero(is_claimed), numbers).tolist()
        overlapping = _assign_claims(claims, masks, kinds)

        weak_kinds = []
        for index, kind in enumerate(found_kinds):
            other_kinds = np.delete(masks, index, axis=0)
            is_unexplained = np.asarray(~other_kinds.any(axis=0))
            gap = gaps.gap_of(
                kind.number,
                system_scores,
                kinds,
                is_unexplained=is_unexplained,
                fit=fit,
                null=null,
                seed=seed,
            )
            weak_kind = FoundKind(
                number=kind.number,
                p=kind.p,
                expected=gap.expected,
                low=gap.low,
                high=gap.high,
                overlapping=overlapping[index],
            )
            weak_kinds.append(weak_kind._asdict())

        detectable = [size._asdict() for size in find_detectable(system_scores, null)]
        records.append({"weak_kinds": weak_kinds, "detectable": detectable})
    return records


def _assign_claims(claims: Sequence[int], masks: Flags, kinds: Kinds) -> list[list[int]]:
    """Return for each kind the claimed ones that overlap with it more than with the others."""
    assigned: list[list[int]] = [[] for _ in masks]
    if not len(masks) or not len(claims):
        return assigned
    in_kinds = masks.astype(np.float64)
    in_claims = kinds.inside(np.array(claims, dtype=np.intp)).astype(np.float64)
    common = in_kinds @ in_claims.T
    sizes = in_kinds.sum(axis=1)[:, None] + in_claims.sum(axis=1)[None, :]
    overlap = common / (sizes - common)  # Jaccard, shape (weak kinds, claimed kinds)
    plainest_first = np.lexsort((-overlap.max(axis=0), kinds.cost[claims]))
    for index in plainest_first.tolist():
        kind = int(overlap[:, index].argmax())
        assigned[kind].append(claims[index])
    return assigned
