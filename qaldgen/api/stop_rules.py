"""A rule that takes scores in any order as they come in, and says when enough is known."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qaldgen.analysis.estimates import probability_design
from qaldgen.analysis.known_scores import known_scores
from qaldgen.analysis.prefix import ordered_design
from qaldgen.analysis.scores import Scores, score_run
from qaldgen.analysis.sequential.evidence import Evidence, evidence
from qaldgen.analysis.sequential.stopping import estimate
from qaldgen.api.options import Scoring, ScoringOptions, spelled_out, take_last
from qaldgen.api.questions import AnyGold, gold_of
from qaldgen.api.stopping import decide
from qaldgen.api.wanted import Wanted
from qaldgen.errors import UsageError
from qaldgen.runs.journal import run_name
from qaldgen.runs.looks import agreed
from qaldgen.runs.record import Response, Run

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

    from qaldgen.scoring.gold import Gold

__all__ = ["StopRule", "Wanted", "run_name", "stop_rule"]

_RUN = "the run"


class StopRule:
    """Says whether enough is known; `stop_rule` makes one.

    It looks at the answers from the beginning of the order without a gap, at sizes that were fixed
    before the first one. The first score of a question counts: a later try does not reopen a look.

    Attributes
    ----------
    order : tuple of str
        The questions in the order in which they should be asked.
    counted : tuple of str
        Those of them that looks count: without questions that the matcher cannot judge.
    records : list of dict
        The plan, and every look that was taken. Whoever asks keeps them with the answers, and gives
        them to `resume`.
    """

    def __init__(self, gold: Gold, wanted: Wanted, how: Scoring) -> None:
        design = ordered_design(probability_design(gold), gold.questions.name)
        self._given, self._wanted, self._how = (
            Evidence(gold, design, {}, {}, wanted.measure),
            wanted,
            how,
        )
        self._scores: dict[str, float] = {}
        self._name = _RUN
        self.order = self.counted = design.order
        plan, self._look = wanted.plan(self._given, how.matcher)
        self.records: list[dict[str, Any]] = [{"plan": plan}]

    def resume(
        self, records: Sequence[Mapping[str, Any]], where: str | Path = "the records"
    ) -> None:
        """Continue with looks that were taken before.

        Parameters
        ----------
        records
            What `records` held.
        where
            What messages call their place.

        Raises
        ------
        UsageError
            If they were taken under another plan.
        """
        self.records[1:] = [dict(one) for one in agreed(where, self.records[0]["plan"], records)]

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
        # a score from elsewhere would change the estimate without a trace
        if question not in self._given.design.inclusion:
            raise UsageError(f"question {question!r} is not one of the benchmark")
        if not 0.0 <= score <= 1.0:
            raise UsageError(f"the score of {question} is {score}; it must be between 0 and 1")
        # the first score counts: a second one could be picked after a look
        self._scores.setdefault(question, float(score))

    def stop(self) -> str:
        """Return why to stop; empty to go on."""
        # only a complete prefix of the order is a sample
        ready = sum(1 for _ in itertools.takewhile(self._scores.__contains__, self.order))
        scores = np.array([self._scores.get(name, np.nan) for name in self.order])
        given = Evidence(
            self._given.gold, self._given.design, {_RUN: scores}, {_RUN: ready}, self._given.measure
        )
        return self._taken(given, _RUN)

    def begin(self, asked: Sequence[str], journal: Path, known: Sequence[Mapping[str, Any]]) -> str:
        """Start a run of `ask`, with the looks of its journal.

        Parameters
        ----------
        asked
            The ids of the questions, in the order of asking.
        journal
            The journal.
        known
            Its plan and looks; nothing before the first look.

        Returns
        -------
        str
            Why no more questions need to be asked; empty if some do.

        Raises
        ------
        UsageError
            If the questions are not asked in the order of the benchmark, or were looked at by
            another plan.
        """
        at = next(
            (
                at
                for at, pair in enumerate(itertools.zip_longest(asked, self.order))
                if pair[0] != pair[1]
            ),
            len(asked),
        )
        if at < len(asked):
            raise UsageError(
                f"question {at + 1} to ask is {asked[at]}, which is not next in the order of"
                " the benchmark; ask the questions of the benchmark itself, as RDF, because only"
                " its prefixes are samples"
            )
        self._name = run_name(journal)
        # questions that the matcher cannot judge have no place in the order; that shows before
        # anything is answered
        failed = {name: Response(name, "failed", error="not asked yet") for name in self.order}
        scored = self._scored(failed)
        now = evidence(self._given.gold, [scored], self._wanted.measure)
        now = dataclasses.replace(now, ready={self._name: 0})
        self.counted = now.design.order
        plan, self._look = self._wanted.plan(now, scored.judged_by)
        self.records = [{"plan": plan}]
        self.resume(known, journal)
        return self._taken(now, self._name) if known else ""

    def judge(self, responses: Sequence[Response]) -> str:
        """Look at the responses of a run that `begin` started.

        Parameters
        ----------
        responses
            In the order of asking, without gaps.

        Returns
        -------
        str
            Why to stop; empty to go on.
        """
        # looks are planned in advance; looking more often would raise the error rate
        if len(responses) < self._next:
            return ""
        return self._taken(self._evidence({one.id: one for one in responses}), self._name)

    def outcome(self, responses: Mapping[str, Response], journal: Path) -> tuple[str, str]:
        """Return what is known at the end of a run that `begin` started.

        Parameters
        ----------
        responses
            What came of the questions.
        journal
            The journal, which has the looks.

        Returns
        -------
        tuple of str
            The verdict of `gate`, or nothing where a precision is wanted; and the same in words,
            with the interval.
        """
        wanted, gold = self._wanted, self._given.gold
        if wanted.until is not None:
            return "", self._precision(responses)
        scored, most = self._scored(responses), wanted.largest
        found = decide(
            gold,
            scored,
            wanted.known,
            wanted.above,
            largest=most,
            measure=wanted.measure,
            journal=journal,
        )
        return found.verdict, found.sentence

    def _precision(self, responses: Mapping[str, Response]) -> str:
        """Return in words how precise the estimate from the complete prefix of a run is."""
        last = self.records[-1]
        if last.get("reached"):
            n, value, low, high = last["n"], last["estimate"], last["low"], last["high"]
        else:
            given = self._evidence(responses)
            n = given.ready[self._name]
            if n < 2:
                return f"not precise enough: only the first {n} questions are answered"
            found = estimate(given, self._name, n, self._wanted.known)
            value, low, high = found.estimate, found.low, found.high
        return self._wanted.in_words((value, low, high), n, reached=bool(last.get("reached")))

    @property
    def _next(self) -> int:
        """How many questions the next look needs."""
        plan, seen = self.records[0]["plan"], int(self.records[-1].get("n", 0))
        # a rule by precision looks at every step, one by decision at planned sizes
        if "step" in plan:
            return int(seen + plan["step"] if seen else plan["first"])
        return next((int(size) for size in plan["sizes"] if size > seen), len(self.order))

    def _taken(self, given: Evidence, run: str) -> str:
        step = self._look(given, run, self.records[1:])
        self.records += step.records
        return step.reason

    def _scored(self, responses: Mapping[str, Response]) -> Scores:
        return score_run(self._given.gold, Run(self._name, "journal", responses), self._how)

    def _evidence(self, responses: Mapping[str, Response]) -> Evidence:
        return evidence(self._given.gold, [self._scored(responses)], self._wanted.measure)


@spelled_out(Scoring)
def stop_rule(
    gold: AnyGold,
    *,
    until: float | None = None,
    above: float | None = None,
    baseline: str | Path | None = None,
    others: pd.DataFrame | str | Path | None = None,
    families: Mapping[str, str] | None = None,
    largest: int | None = None,
    measure: str = "macro-f1",
    **options: Unpack[ScoringOptions],
) -> StopRule:
    """Return a rule that says when to stop asking the questions of a benchmark.

    Parameters
    ----------
    gold
        A benchmark with an order (``lpm`` or ``random``), as RDF.
    until
        Stop when the 95 % interval is plus or minus this.
    above, baseline
        Stop when it is known whether the system is better or worse; see `gate`. With `until`, a
        baseline only sharpens the estimate.
    others, families
        Scores of other systems on the whole pool, which sharpen the estimate.
    largest
        Maximum number of questions for a decision; None for all of the benchmark.
    measure
        A measure that is a mean over questions, when `ask` follows the rule.
    **options
        When an answer is right, when `ask` follows the rule; see `score`.

    Returns
    -------
    StopRule
        Give it to `ask` as ``stop``. In a loop of your own: ``rule.see(name, score)`` after each
        question, and break where ``rule.stop()`` is true.

    Raises
    ------
    UsageError
        If neither or both of precision and decision are wanted, or the benchmark has no order.
    DataError
        If a file cannot be read.
    """
    how = take_last(Scoring, options, "stop_rule")
    wanted = Wanted(until, above, known_scores(others, families, baseline), largest, measure)
    return StopRule(gold_of(gold, language=how.language), wanted, how)
