"""A rule that is told the scores as they come in, in whatever order, and says when enough is known."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from qaldgen.analysis.estimates import probability_design
from qaldgen.analysis.prefix import ordered_design
from qaldgen.analysis.sequential import gate as gates
from qaldgen.analysis.sequential.evidence import Evidence, most_questions
from qaldgen.analysis.sequential.precision import Precision
from qaldgen.analysis.sequential.stopping import Step, look_for_decision, look_for_precision
from qaldgen.api.estimating import known_scores
from qaldgen.api.questions import AnyGold, gold_of
from qaldgen.api.stopping import reference_of
from qaldgen.errors import UsageError
from qaldgen.runs.looks import agreed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["StopRule", "stop_rule"]

#: Looks at scores in the order of asking, given the records of earlier looks.
_Look: TypeAlias = "Callable[[Evidence, Sequence[Mapping[str, Any]]], Step]"
_RUN = "the run"


class StopRule:
    """Says whether enough is known; `stop_rule` makes one.

    It looks at the answers from the beginning of the order without a gap, at sizes that were fixed before the first one. The
    first score of a question stands: a later try opens no look again.

    Attributes
    ----------
    order : tuple of str
        The questions in the order in which they should be asked.
    records : list of dict
        The plan, and every look that was taken. Whoever asks keeps them with the answers, and gives them to `resume`.
    """

    def __init__(self, given: Evidence, plan: dict[str, Any], look: _Look) -> None:
        self._given, self._look = given, look
        self._scores: dict[str, float] = {}
        self.order = given.design.order
        self.records: list[dict[str, Any]] = [{"plan": plan}]

    def resume(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Go on with looks that were taken before.

        Parameters
        ----------
        records
            What `records` held.

        Raises
        ------
        UsageError
            If they were taken by another plan.
        """
        self.records[1:] = [dict(one) for one in agreed("the records", self.records[0]["plan"], records)]

    def see(self, question: str, score: float) -> None:
        """Take the score of a question; a failure has the score 0.

        Parameters
        ----------
        question
            Its id.
        score
            From 0 to 1.

        Raises
        ------
        UsageError
            If the question is not of the benchmark, or the score not between 0 and 1.
        """
        if question not in self._given.design.inclusion:
            raise UsageError(f"question {question!r} is not one of the benchmark")
        if not 0.0 <= score <= 1.0:
            raise UsageError(f"the score of {question} is {score}; it must be between 0 and 1")
        self._scores.setdefault(question, float(score))

    def stop(self) -> str:
        """Return why to stop; empty to go on."""
        ready = sum(1 for _ in itertools.takewhile(self._scores.__contains__, self.order))
        scores = np.array([self._scores.get(name, np.nan) for name in self.order])
        given = Evidence(self._given.gold, self._given.design, {_RUN: scores}, {_RUN: ready}, self._given.measure)
        step = self._look(given, self.records[1:])
        self.records += step.records
        return step.reason


def stop_rule(
    gold: AnyGold,
    *,
    until: float | None = None,
    above: float | None = None,
    baseline: str | Path | None = None,
    others: pd.DataFrame | str | Path | None = None,
    families: Mapping[str, str] | None = None,
    largest: int | None = None,
) -> StopRule:
    """Return a rule that says when to stop asking the questions of a benchmark.

    Parameters
    ----------
    gold
        A benchmark with an order (``lpm`` or ``random``), as RDF.
    until
        Stop when the 95 % interval is plus or minus this.
    above, baseline
        Instead: stop when it is decided whether the system is better or worse; see `gate`.
    others, families
        Scores of other systems on the whole pool, which sharpen the estimate.
    largest
        The most questions of a decision; None for all of the benchmark.

    Returns
    -------
    StopRule
        Tell it scores by ``see``, and ask ``stop``.

    Raises
    ------
    UsageError
        If neither or both of precision and decision are wanted, or the benchmark has no order.
    DataError
        If a file cannot be read.

    Examples
    --------
    >>> rule = stop_rule("bench.ttl", until=0.05)  # doctest: +SKIP
    >>> rule.see("q17", 1.0)  # doctest: +SKIP
    >>> rule.stop()  # doctest: +SKIP
    ''
    """
    asked = gold_of(gold)
    design = ordered_design(probability_design(asked), asked.questions.name)
    given = Evidence(asked, design, {}, {}, "")
    decision = above is not None or baseline is not None
    if (until is not None) == decision:
        raise UsageError("say when to stop: either at a precision (until), or when it is decided who is better (above, baseline)")
    known = known_scores(others, families, baseline)
    if until is not None:
        rule = Precision(until)
        plan = {"rule": "precision", "half_width": until, "pool": design.pool, "first": rule.first, "step": rule.step}
        plan |= {"controls": gates.fingerprint(known), "benchmark": asked.benchmark.signature if asked.benchmark else ""}
        return StopRule(given, plan, lambda now, before: look_for_precision(rule, now, _RUN, known, before))
    question = gates.Question(*reference_of(known, above), known, most_questions(given, largest, []))
    looks, plan = gates.plan_of(question, given, "")
    return StopRule(given, plan, lambda now, before: look_for_decision(question, looks, now, _RUN, before))
