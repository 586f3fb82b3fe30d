"""Whether to stop, as a pure function of the answers so far and of earlier looks.

A look is taken when all its answers are there, and recorded; a recorded look is final, whatever the
answers say later.
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
    """The result of looking.

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
        The wanted precision.
    given
        The scores in the order of asking.
    run
        Name of the run.
    known
        Scores that are known on the whole pool; None for none.
    before
        The records of earlier looks.

    Returns
    -------
    Step
        New looks, and the reason to stop.
    """
    records: list[dict[str, Any]] = []
    seen = [*before]
    while not (seen and seen[-1]["reached"]):
        n = int(seen[-1]["n"]) + rule.step if seen else rule.first
        if n > given.ready[run]:
            return Step(records, "")
        result = estimate(given, run, n, known)
        one = {
            "n": n,
            "estimate": result.estimate,
            "low": result.low,
            "high": result.high,
            "reached": rule.reached(result),
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
    """Look whether it is decided which one is better.

    Parameters
    ----------
    asked
        What the run is compared with.
    looks
        The planned looks.
    given, run, before
        See `look_for_precision`.
    where
        The place of the records in messages.

    Returns
    -------
    Step
        New looks, and the reason to stop.
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
    """Return the estimate from the first n questions, as ``score --estimate`` prints it.

    Parameters
    ----------
    given
        The scores in the order of asking.
    run
        Name of the run.
    n
        Questions in the sample.
    known
        Scores that are known on the whole pool; None for none.

    Returns
    -------
    Estimate
        The estimate with its interval.
    """
    ids = given.design.order[:n]
    design, scores = given.design.restricted(ids), given.scores[run][:n]
    if known is None:
        return design.estimate(ids, scores)
    return design.estimate_with(ids, scores, given.known(run, n, known))
