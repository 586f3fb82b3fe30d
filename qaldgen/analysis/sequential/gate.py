"""Decide whether a system is better or worse than a known score.

That is a baseline's score on the whole pool, or a threshold.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import Any

from qaldgen.analysis.known_scores import KnownScores
from qaldgen.analysis.sequential.bounds import Looks, plan_looks
from qaldgen.analysis.sequential.evidence import Evidence
from qaldgen.analysis.sequential.looks import Look, Taken, take


@dataclasses.dataclass(frozen=True, eq=False)
class Question:
    """The claim that is tested.

    Attributes
    ----------
    name : str
        What the run is compared with, in words.
    reference : float
        The known score on the whole pool.
    known : KnownScores or None
        Scores on the whole pool that sharpen the estimate.
    largest : int
        The most questions.
    alpha : float
        The chance of a false claim, over all looks.
    """

    name: str
    reference: float
    known: KnownScores | None
    largest: int
    alpha: float = 0.05


def plan_of(asked: Question, given: Evidence, match: str) -> tuple[Looks, dict[str, Any]]:
    """Return the looks, and a record of everything that is fixed before the first of them.

    Parameters
    ----------
    asked
        The claim.
    given
        The scores in the order of asking.
    match
        The matcher that decides whether an answer is right.

    Returns
    -------
    tuple[Looks, dict[str, Any]]
        The record can be written as JSON; a later run must have the same one.
    """
    looks = plan_looks(asked.largest, given.pool_size, alpha=asked.alpha)
    benchmark = given.gold.benchmark
    record = {
        "rule": "group-sequential",
        "benchmark": benchmark.signature if benchmark is not None else given.gold.questions.name,
        "reference": round(asked.reference, 9),
        "controls": fingerprint(asked.known),
        "measure": given.measure,
        "match": match,
        "pool": looks.pool_size,
        "alpha": looks.alpha,
        "sizes": list(looks.sizes),
        "bounds": [round(bound, 6) for bound in looks.bounds],
    }
    return looks, record


def decide(
    asked: Question, looks: Looks, given: Evidence, run: str, before: Sequence[Look] = ()
) -> Taken:
    """Take the looks for which there are answers.

    Parameters
    ----------
    asked
        The claim.
    looks
        The planned looks.
    given
        The scores in the order of asking.
    run
        Name of the run.
    before
        Looks that were taken before.

    Returns
    -------
    Taken
        All looks taken so far.
    """
    ready = given.ready[run]
    return take(
        looks, ready, lambda n: given.estimate(run, n, asked.known), asked.reference, before
    )


def fingerprint(known: KnownScores | None) -> str:
    """Return a digest of known scores; the order of the rows does not count.

    Parameters
    ----------
    known
        Scores that are known on the whole pool; None for none.

    Returns
    -------
    str
        Sixteen hexadecimal digits, or an empty string.
    """
    if known is None:
        return ""
    digest = hashlib.sha256()
    tables = [] if known.others is None else [known.others.sort_index().round(9)]
    tables += (
        []
        if known.baseline is None
        else [known.baseline.rename("baseline").to_frame().sort_index().round(9)]
    )
    for table in tables:
        digest.update(table.to_csv().encode("utf-8"))
    digest.update(repr(sorted(known.families.items())).encode("utf-8"))
    return digest.hexdigest()[:16]
