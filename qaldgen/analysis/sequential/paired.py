"""Which of two systems is better, on the beginning of the order that both have answered."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qaldgen.analysis.scores import Scores
from qaldgen.analysis.sequential.bounds import plan_looks
from qaldgen.analysis.sequential.evidence import evidence, most_questions
from qaldgen.analysis.sequential.gate import Decision, decision_of, span
from qaldgen.analysis.sequential.looks import take
from qaldgen.errors import UsageError
from qaldgen.options import Count, Kept
from qaldgen.runs.looks import UNKEPT, read_look_file
from qaldgen.scoring.gold import Gold


def compare_in_order(
    gold: Gold,
    scored: Sequence[Scores],
    *,
    measure: str = "macro-f1",
    largest: Count | None = None,
    record: Kept | None = None,
) -> Decision:
    """Say which of two systems is better, on the prefix of the order that both have answered.

    Parameters
    ----------
    gold, scored
        The benchmark, and two runs.
    measure
        See `compare`.
    largest
        With --sequential: maximum number of questions.
    record
        With --sequential: file that keeps the plan and the looks.
    """
    if len(scored) != 2:
        raise UsageError(
            f"--sequential compares two runs, but {len(scored)} were given; 'qaldgen race' finds "
            f"the"
            " best of several"
        )
    given, notes = evidence(gold, scored, measure), list[str]()
    first, second = (run.name for run in scored)
    plan = plan_looks(most_questions(given, largest, notes), given.pool_size)
    fixed = {"sizes": list(plan.sizes), "alpha": plan.alpha}
    path = None if record is None else Path(record)
    kept = read_look_file(path, given.plan("paired", scored[0].judged_by, **fixed))
    given = given.with_scores_at_looks(kept.scores)
    taken = take(plan, min(given.ready.values()), lambda n: given.difference(first, second, n))
    seen = taken.looks[-1].n if taken.looks else 0
    kept.keep({name: values[:seen].tolist() for name, values in given.scores.items()})
    notes += [] if record is not None else [UNKEPT]
    return decision_of(
        taken, (first, second), notes, lambda n: span(given.difference(first, second, n))
    )
