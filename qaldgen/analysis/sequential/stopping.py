"""Whether to stop, as a pure function of the answers so far and of the looks that were taken before.

A look is taken when all its answers are there, and is recorded; what was recorded stands, whatever
the answers say later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from qaldgen.analysis.estimation import Estimate
from qaldgen.analysis.known_scores import KnownScores
from qaldgen.analysis.sequential.bounds import Looks
from qaldgen.analysis.sequential.evidence import Evidence
from qaldgen.analysis.sequential.gate import Question, decide
from qaldgen.analysis.sequential.looks import Look
from qaldgen.analysis.sequential.precision import Precision


class Step(NamedTuple):
    """What came of looking.

    Attributes
    ----------
    records : list of dict
        The looks that were taken now.
    reason : str
        Why to stop; empty to go on.
    """

    records: list[dict[str, Any]]
    reason: str


def look_for_precision(
    rule: Precision,
    given: Evidence,
    run: str,
    known: KnownScores | None,
    before: Sequence[Mapping[str, Any]],
) -> Step:
    """Look whether the estimate is precise enough.

    Parameters
    ----------
    rule
        What is wanted.
    given
        The scores in the order of asking.
    run
        Whose.
    known
        What is known on the whole pool.
    before
        The records of earlier looks.
    """
    records: list[dict[str, Any]] = []
    seen = [*before]
    while not (seen and seen[-1]["reached"]):
        n = int(seen[-1]["n"]) + rule.step if seen else rule.first
        if n > given.ready[run]:
            return Step(records, "")
        found = estimate(given, run, n, known)
        one = {
            "n": n,
            "estimate": found.estimate,
            "low": found.low,
            "high": found.high,
            "reached": rule.reached(found),
        }
        records.append(one)
        seen.append(one)
    last = seen[-1]
    span = f"{last['estimate']:.3f}, between {last['low']:.3f} and {last['high']:.3f}"
    return Step(records, f"precise enough after {last['n']} questions: {span}")


def look_for_decision(
    asked: Question,
    looks: Looks,
    given: Evidence,
    run: str,
    before: Sequence[Mapping[str, Any]],
    where: str = "the journal",
) -> Step:
    """Look whether it is decided who is better.

    Parameters
    ----------
    asked
        What the run is compared with.
    looks
        When it is looked.
    given, run, before
        See `look_for_precision`.
    where
        What messages call the place of the records.
    """
    earlier = [Look.of(one, where) for one in before]
    taken = decide(asked, looks, given, run, earlier)
    records = [one.record() for one in taken.looks[len(earlier) :]]
    if taken.next_look is not None:
        return Step(records, "")
    if not taken.decided:
        return Step(records, f"undecided after {taken.looks[-1].n} questions, and no look is left")
    last = taken.looks[-1]
    span = f"{last.estimate:+.3f}, between {last.low:+.3f} and {last.high:+.3f}"
    return Step(records, f"{taken.verdict} than {asked.name} after {last.n} questions: {span}")


def estimate(given: Evidence, run: str, n: int, known: KnownScores | None) -> Estimate:
    """Return what ``score --estimate`` prints for the first n questions.

    Parameters
    ----------
    given
        The scores in the order of asking.
    run
        Which run.
    n
        Questions in the sample.
    known
        What is known on the whole pool; None for nothing.

    Returns
    -------
    Estimate
        The estimate.
    """
    ids = given.design.order[:n]
    design, scores = given.design.restricted(ids), given.scores[run][:n]
    if known is None:
        return design.estimate(ids, scores)
    return design.estimate_with(ids, scores, given.known(run, n, known))
