"""When to stop asking: a rule that takes scores as they come in, and says when enough is known.

Enough is a decision, looked at as `gate` does; or a precision. That needs no correction for looking
often: the width hardly depends on whether the estimate is lucky (Chow and Robbins 1965, Annals of
Mathematical Statistics 36). The ordinary interval is printed.

A look is taken when all its answers are there, and recorded; a recorded look is final, whatever the
answers say later.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qaldgen.analysis.estimating.design import ordered_design, probability_design
from qaldgen.analysis.estimating.known_scores import KnownScores, known_scores
from qaldgen.analysis.estimating.pool_mean import Estimate
from qaldgen.analysis.score_files import families_of
from qaldgen.answers.journal import JOURNAL, run_name
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import AnyGold, why_not_tested
from qaldgen.defaults import LEVEL_IN_WORDS, MEASURE
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_number
from qaldgen.io.text import count
from qaldgen.options import Count, Measures, PathOrName, Share
from qaldgen.plugins.stopping.decision import Claim, claim_of, decide, fingerprint
from qaldgen.plugins.stopping.group_sequential import FIRST_LOOK, STEP, Look, plan_looks, take_looks
from qaldgen.plugins.stopping.kept_looks import kept_looks
from qaldgen.plugins.stopping.ordered_scores import Evidence, evidence_of, most_questions
from qaldgen.scoring.evaluation import Evaluation, evaluate
from qaldgen.scoring.score import Scores


def stop_rule(
    gold: AnyGold | Evaluation,
    *,
    until: Share | None = None,
    above: Share | None = None,
    baseline: PathOrName | None = None,
    others: pd.DataFrame | str | Path | None = None,
    families: Mapping[str, str] | None = None,
    largest: Count | None = None,
    measure: Measures = MEASURE,
) -> StopRule:
    """Return a rule that says when to stop asking the questions of a benchmark.

    Parameters
    ----------
    gold
        A benchmark with an order (``lpm`` or ``random``), as RDF. For other rules of judging, what
        `evaluate` returns of it and no run: ``evaluate(bench, (), match="strict")``.
    until
        Stop when the interval of the score on the pool has this half-width, such as 0.05.
    above
        Compare with a threshold.

        Stop when it is known whether the system is better or worse; see `gate`.
    baseline
        Compare with a system whose scores on the whole pool are known: one of --others, or a CSV
        file with its scores.

        With `until`, it only sharpens the estimate.
    others
        Scores of other systems on the whole pool: CSV, see 'plan', or logs.

        They sharpen the estimate. A table, or its file.
    families
        Name the family of related systems, as for 'plan'.
    largest
        Maximum number of questions (default: all); fixed before the first answer.
    measure
        Measure to compare.

        It must be a mean over questions, from 0 to 1.
    match
        When an answer counts as right, for rules that need scores.
    extract
        How to find the answer in a free-text reply, for rules that need scores.
    same_as, language, aliases, labels, repeats_as
        See `score`.

    Returns
    -------
    StopRule
        Give it to `ask` as ``stop``. In a loop of your own: ``rule.see(name, score)`` after each
        question, and break where ``rule.stop()`` is true.

    Raises
    ------
    UsageError
        If neither or both of precision and decision are asked for, or the benchmark has no order.
    DataError
        If a file cannot be read.

    Examples
    --------
    >>> import qaldgen as qg
    >>> gold = [{"question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    >>> rule = stop_rule(qg.sample(gold, 40, method="lpm"), above=0.4)
    >>> len(rule.order), rule.stop()
    (40, '')
    """
    pool_scores = known_scores(others, families, baseline)
    check_target(until, above, pool_scores, largest)
    evaluation = gold if isinstance(gold, Evaluation) else evaluate(gold, ())
    return StopRule(
        evaluation,
        until=until,
        above=above,
        pool_scores=pool_scores,
        largest=largest,
        measure=measure,
    )


def check_target(
    until: float | None, above: float | None, pool_scores: KnownScores | None, largest: int | None
) -> None:
    """Refuse both precision and decision, and neither."""
    has_baseline = pool_scores is not None and pool_scores.baseline is not None
    if until is None and above is None and not has_baseline:
        raise UsageError(
            "say when to stop: either at a precision (until), or when it is clear which is"
            " better (above, baseline)"
        )
    if until is not None and (above is not None or largest is not None):
        raise UsageError(
            "say when to stop: a precision (until) cannot be combined with a threshold "
            "(above) or a largest size"
        )
    if until is not None:
        check_number("the half-width", until, above=0)


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

    def __init__(
        self,
        evaluation: Evaluation,
        *,
        until: float | None = None,
        above: float | None = None,
        pool_scores: KnownScores | None = None,
        largest: int | None = None,
        measure: str = MEASURE,
    ) -> None:
        self._until = until
        self._above = above
        self._pool_scores = pool_scores
        self._largest = largest
        self._evaluation = evaluation
        self._gold = evaluation.gold
        self._measure = measure
        design = ordered_design(probability_design(self._gold), self._gold.questions.name)
        self._no_scores = Evidence(
            self._gold, design, scores={}, ready={}, measure=measure, rules=evaluation.rules
        )
        self._scores: dict[str, float] = {}
        self._name = "the run"  # until `begin` says its name
        self.order = self.counted = design.order
        self.records: list[dict[str, Any]] = [{"plan": self._plan(self._no_scores)}]

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
        self.records[1:] = map(dict, kept_looks(where, self.records[0]["plan"], records))

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
        if question not in self._no_scores.design.inclusion:
            raise UsageError(f"question {question!r} is not one of the benchmark")
        if not 0.0 <= score <= 1.0:
            raise UsageError(f"the score of {question} is {score}; it must be between 0 and 1")
        # later scores do not count, as they could be picked after a look
        self._scores.setdefault(question, float(score))

    def stop(self) -> str:
        """Return why to stop; empty to go on."""
        # only the scores of a complete prefix of the order are a sample
        ready = sum(1 for _ in itertools.takewhile(self._scores.__contains__, self.order))
        scores = np.array([self._scores.get(name, np.nan) for name in self.order])
        evidence = dataclasses.replace(
            self._no_scores, scores={self._name: scores}, ready={self._name: ready}
        )
        return self._look(evidence)

    def begin(self, asked: Sequence[str], journal: Path, known: Sequence[Mapping[str, Any]]) -> str:
        """Start a run of `ask` with the plan and the looks of its journal; return why to stop.

        Empty if questions need to be asked.
        """
        for number, (name, expected) in enumerate(itertools.zip_longest(asked, self.order), 1):
            if name != expected and number <= len(asked):
                raise UsageError(
                    f"question {number} to ask is {name}, which is not next in the order of the"
                    " benchmark; ask the questions of the benchmark itself, as RDF, because only"
                    " its prefixes are samples"
                )
        self._name = run_name(journal)
        untested = why_not_tested(self._gold, [self._name])
        if untested and self._until is None:
            raise UsageError(f"{untested} So no look can decide; ask all of them")
        pool_scores = self._pool_scores
        if pool_scores is not None:  # a family may name the run itself
            systems = () if pool_scores.others is None else pool_scores.others.columns
            families_of([self._name, *systems], pool_scores.families)
        # scored as if all had failed, as questions that the matcher cannot judge leave the order
        failed = {name: Response(name, "failed", error="not asked yet") for name in self.order}
        evidence = dataclasses.replace(self._evidence(failed), ready={self._name: 0})
        self.counted = evidence.design.order
        self.records = [{"plan": self._plan(evidence)}]
        self.resume(known, journal)
        if not known:
            return ""
        return self._look(evidence)

    def judge(self, responses: Sequence[Response]) -> str:
        """Look at the responses of a run that `begin` started; return why to stop, if so."""
        if len(responses) < self._next:  # looking more often would raise the error rate
            return ""
        return self._look(self._evidence({response.id: response for response in responses}))

    def outcome(self, responses: Mapping[str, Response], journal: Path) -> tuple[str, str]:
        """Return the verdict of `gate`, empty where a precision is the target, and a sentence."""
        if self._until is not None:
            return "", self._precision(responses)
        decision = decide(
            self._gold,
            self._score(responses),
            self._pool_scores,
            self._above,
            largest=self._largest,
            measure=self._measure,
            journal=journal,
        )
        return decision.verdict, decision.sentence

    def _precision(self, responses: Mapping[str, Response]) -> str:
        """Return in words how precise the estimate from the complete prefix of a run is."""
        last = self.records[-1]
        outcome = "precise enough"
        if not last.get("reached"):
            outcome = f"not within ±{self._until:g} yet"
            evidence = self._evidence(responses)
            n = evidence.ready[self._name]
            if n < 2:
                return f"not precise enough: {count(n, 'question')} answered so far"
            last = {"n": n, **estimate(evidence, self._name, n, self._pool_scores)._asdict()}
        return (
            f"{outcome} after {count(last['n'], 'question')}: {last['estimate']:.3f}, between"
            f" {last['low']:.3f} and {last['high']:.3f} ({LEVEL_IN_WORDS}) on the whole pool"
        )

    @property
    def _next(self) -> int:
        """How many questions the next look needs."""
        plan = self.records[0]["plan"]
        last_size = int(self.records[-1].get("n", 0))
        # a rule by precision looks at every step, one by decision at planned sizes
        if "step" not in plan:
            return next((int(size) for size in plan["sizes"] if size > last_size), len(self.order))
        if not last_size:
            return int(plan["first"])
        return int(last_size + plan["step"])

    def _plan(self, evidence: Evidence) -> dict[str, Any]:
        """Return the settings that are fixed before the first look."""
        if self._until is None:
            return self._claim(evidence).plan(evidence)[1]
        fixed = {"half_width": self._until, "first": FIRST_LOOK, "step": STEP}
        return evidence.plan("precision", **fixed, controls=fingerprint(self._pool_scores))

    def _claim(self, evidence: Evidence) -> Claim:
        most = most_questions(evidence, self._largest, [])
        return claim_of(evidence, self._pool_scores, self._above, most)

    def _look(self, evidence: Evidence) -> str:
        """Look at the scores of the run in the order of asking; return why to stop, if so."""
        if self._until is None:
            return self._look_at_difference(evidence)
        last = self.records[-1]
        while not last.get("reached"):
            n = int(last["n"]) + STEP if "n" in last else FIRST_LOOK
            if n > evidence.ready[self._name]:
                return ""
            estimated = estimate(evidence, self._name, n, self._pool_scores)
            last = {
                "n": n,
                "estimate": estimated.estimate,
                "low": estimated.low,
                "high": estimated.high,
                "reached": is_precise(estimated, self._until),
            }
            self.records.append(last)
        interval = f"{last['estimate']:.3f}, between {last['low']:.3f} and {last['high']:.3f}"
        return f"precise enough after {last['n']} questions: {interval}"

    def _look_at_difference(self, evidence: Evidence) -> str:
        """Look whether it is decided which one is better."""
        claim = self._claim(evidence)
        earlier_looks = [Look.of(record, "the journal") for record in self.records[1:]]
        outcome = take_looks(
            plan_looks(claim.largest, evidence.pool_size),
            evidence.ready[self._name],
            lambda n: evidence.estimate(self._name, n, claim.pool_scores),
            claim.reference,
            before=earlier_looks,
        )
        self.records += [look.record() for look in outcome.looks[len(earlier_looks) :]]
        if outcome.next_look is not None:
            return ""
        last = outcome.looks[-1]
        if not outcome.decided:
            return f"undecided after {last.n} questions, and no look is left"
        interval = f"{last.estimate:+.3f}, between {last.low:+.3f} and {last.high:+.3f}"
        return f"{outcome.verdict} than {claim.name} after {last.n} questions: {interval}"

    def _score(self, responses: Mapping[str, Response]) -> Scores:
        return self._evaluation.score(Run(self._name, JOURNAL, responses))

    def _evidence(self, responses: Mapping[str, Response]) -> Evidence:
        return evidence_of(self._gold, [self._score(responses)], self._measure)


def is_precise(estimated: Estimate, half_width: float) -> bool:
    """Return whether the interval of an estimate is narrow enough; False if there is none."""
    return (estimated.high - estimated.low) / 2.0 <= half_width


def estimate(evidence: Evidence, run: str, n: int, pool_scores: KnownScores | None) -> Estimate:
    """Return the estimate from the first n questions, as `qaldgen.estimate` does."""
    ids = evidence.design.order[:n]
    design = evidence.design.restricted(ids)
    scores = evidence.scores[run][:n]
    if pool_scores is None:
        return design.estimate(ids, scores)
    return design.estimate_with(ids, scores, evidence.control_variates(run, n, pool_scores))
