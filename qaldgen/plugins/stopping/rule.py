"""Rules that take scores as they arrive, and decide when to stop asking.

The goal is a decision, with the looks of `gate`, or a precision. A precision needs no correction
for repeated looks: the width hardly depends on whether the estimate is lucky (Chow and Robbins
1965, Annals of Mathematical Statistics 36). The ordinary interval is printed.

A look is taken when all its answers are there, and recorded; a recorded look is final, even if
answers change later.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from qaldgen.analysis.estimating.design import ordered_design
from qaldgen.analysis.estimating.known_scores import KnownScores, known_scores
from qaldgen.analysis.estimating.pool_mean import Estimate
from qaldgen.analysis.score_files import families_of
from qaldgen.answers.interim_looks import Conclusion, PlannedStop, Record
from qaldgen.answers.journal import JOURNAL, run_name
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import AnyGold, Gold, why_not_tested
from qaldgen.defaults import LEVEL_LABEL, MEASURE
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_positive
from qaldgen.io.text import count
from qaldgen.options import Measures, PathOrName, PositiveInt, Share
from qaldgen.plugins.stopping.decision import Claim, decide, fingerprint, make_claim
from qaldgen.plugins.stopping.kept_looks import check_plan
from qaldgen.plugins.stopping.look_plan import FIRST_LOOK, STEP
from qaldgen.plugins.stopping.looks import Look, take_looks
from qaldgen.plugins.stopping.ordered_scores import OrderedScores, max_questions, scores_in_order
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
    largest: PositiveInt | None = None,
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
    goal: _PrecisionGoal | _DecisionGoal
    if until is not None:
        goal = _PrecisionGoal(pool_scores, measure, until)
    else:
        goal = _DecisionGoal(pool_scores, measure, above, largest)
    return StopRule(evaluation, goal)


def check_target(
    until: float | None, above: float | None, pool_scores: KnownScores | None, largest: int | None
) -> None:
    """Refuse both a precision and a decision as the goal, and neither of them."""
    has_baseline = pool_scores is not None and pool_scores.baseline is not None
    if until is None and above is None and not has_baseline:
        raise UsageError(
            "say when to stop: either at a precision (until), or when it is clear which is"
            " better (above, baseline)"
        )
    if until is not None and (above is not None or largest is not None):
        raise UsageError(
            "say when to stop: a precision (until) cannot be combined with a threshold"
            " (above) or a largest size"
        )
    if until is not None:
        check_positive("the half-width", until)


class StopRule(PlannedStop):
    """A rule that decides when to stop asking; `stop_rule` makes one.

    A loop of your own calls `see` after each question, and then `stop`. It calls `resume` first if
    there were earlier looks. `ask` instead calls `begin` once, `judge` after each answer, and
    `outcome` at the end.

    The rule looks at the answers from the beginning of the order without a gap, at sizes that were
    fixed before the first one. The first score of a question counts: a later try does not reopen a
    look.

    Attributes
    ----------
    order : tuple of str
        The questions in the order in which they should be asked.
    counted : tuple of str
        The questions that looks count, which the matcher can judge.
    plan : dict
        The settings that were fixed before the first look.
    looks : list of dict
        Every look that was taken.
    """

    def __init__(self, evaluation: Evaluation, goal: _PrecisionGoal | _DecisionGoal) -> None:
        gold = evaluation.gold
        design = ordered_design(gold)
        self._evaluation = evaluation
        self._goal = goal
        self._name = "the run"  # until `begin` is called with its journal
        self._no_scores = OrderedScores(
            gold, design, scores={}, ready={}, measure=goal.measure, rules=evaluation.rules
        )
        self._score_of_question: dict[str, float] = {}
        self.order = design.order
        self.counted = design.order
        self.plan = goal.plan(self._no_scores)
        self.looks: list[Record] = []

    @property
    def records(self) -> list[Record]:
        """The plan and every look, to be kept with the answers and given to `resume`."""
        return [{"plan": self.plan}, *self.looks]

    def resume(self, records: Sequence[Record], where: str | Path = "the records") -> None:
        """Continue with looks that were taken before.

        Parameters
        ----------
        records
            The value of `records`.
        where
            The location of the records, for messages.

        Raises
        ------
        UsageError
            If they were taken under another plan.
        """
        self.looks = [dict(look) for look in check_plan(where, self.plan, records)]

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
        self._score_of_question.setdefault(question, float(score))

    def stop(self) -> str:
        """Look at the scores so far; return the reason to stop, or an empty text to go on."""
        # only the scores of a complete prefix of the order are a sample
        ready = 0
        while ready < len(self.order) and self.order[ready] in self._score_of_question:
            ready += 1
        scores = np.array([self._score_of_question.get(name, np.nan) for name in self.order])
        ordered_scores = dataclasses.replace(
            self._no_scores, scores={self._name: scores}, ready={self._name: ready}
        )
        return self._look(ordered_scores)

    def begin(self, asked: Sequence[str], journal: Path, known: Sequence[Record]) -> str:
        """Start a run of `ask` with the plan and the looks of its journal.

        Returns the reason to stop, or an empty text if questions need to be asked.
        """
        name = run_name(journal)
        gold = self._evaluation.gold
        pool_scores = self._goal.pool_scores

        why_untested = isinstance(self._goal, _DecisionGoal) and why_not_tested(gold, [name])
        if why_untested:
            raise UsageError(f"{why_untested} So no look can decide; ask all of them")

        for number, (question, expected_question) in enumerate(zip_longest(asked, self.order), 1):
            if question != expected_question and number <= len(asked):
                raise UsageError(
                    f"question {number} to ask is {question}, which is not next in the order of the"
                    " benchmark; ask the questions of the benchmark itself, as RDF, because only"
                    " its prefixes are samples"
                )

        if pool_scores is not None:  # a family may name the run itself
            systems = () if pool_scores.others is None else pool_scores.others.columns
            families_of([name, *systems], pool_scores.families)
        self._name = name

        # scored as if all had failed, as questions that the matcher cannot judge leave the order
        failures = {
            question: Response(question, "failed", error="not asked yet") for question in self.order
        }
        ordered_scores = dataclasses.replace(self._order(self._score(failures)), ready={name: 0})
        self.counted = ordered_scores.design.order
        self.plan = self._goal.plan(ordered_scores)

        self.resume(known, journal)
        if not known:
            return ""
        return self._look(ordered_scores)

    def judge(self, responses: Sequence[Response]) -> str:
        """Look at the responses of a run that `begin` started, if it is time for a look.

        Returns the reason to stop, or an empty text to go on.
        """
        # scoring all responses after each of them would take long
        if len(responses) < self._goal.next_size(self.looks, self.plan):
            return ""
        scored = self._score({response.id: response for response in responses})
        return self._look(self._order(scored))

    def outcome(self, responses: Mapping[str, Response], journal: Path) -> Conclusion:
        """Return what is known at the end of a run."""
        scored = self._score(responses)
        return self._goal.conclude(self._evaluation.gold, scored, self.looks, journal)

    def _score(self, responses: Mapping[str, Response]) -> Scores:
        """Score responses by the rules of the evaluation."""
        return self._evaluation.score(Run(self._name, JOURNAL, responses))

    def _order(self, scored: Scores) -> OrderedScores:
        """Return scores in the order of asking."""
        return scores_in_order(self._evaluation.gold, [scored], self._goal.measure)

    def _look(self, ordered_scores: OrderedScores) -> str:
        """Take the looks that are due; return the reason to stop, or an empty text to go on."""
        return self._goal.take_looks(ordered_scores, self._name, self.looks)


class _PrecisionGoal(NamedTuple):
    """The goal of an interval that is narrow enough, wherever it lies."""

    pool_scores: KnownScores | None
    measure: str
    half_width: float

    def plan(self, ordered_scores: OrderedScores) -> dict[str, Any]:
        """Return the settings that are fixed before the first look."""
        settings = {
            "half_width": self.half_width,
            "first": FIRST_LOOK,
            "step": STEP,
            "controls": fingerprint(self.pool_scores),
        }
        return ordered_scores.plan("precision", settings)

    def next_size(self, looks: Sequence[Record], _plan: Record | None = None) -> int:
        """Return the number of questions that the next look needs; it is the same in all plans."""
        return FIRST_LOOK + STEP * len(looks)

    def take_looks(self, ordered_scores: OrderedScores, run: str, looks: list[Record]) -> str:
        """Add the looks that are due; return the reason to stop, or an empty text to go on."""
        while not _is_reached(looks):
            n = self.next_size(looks)
            if n > ordered_scores.ready[run]:
                return ""
            looks.append(self._look(ordered_scores, run, n))
        return f"precise enough after {looks[-1]['n']} questions: {_describe(looks[-1])}"

    def conclude(
        self, gold: Gold, scored: Scores, looks: Sequence[Record], journal: Path
    ) -> Conclusion:
        """Return how precise the estimate of a run is, without a verdict."""
        if _is_reached(looks):
            state = "precise enough"
            last = looks[-1]
        else:
            state = f"not within ±{self.half_width:g} yet"
            ordered_scores = scores_in_order(gold, [scored], self.measure)
            n = ordered_scores.ready[scored.name]
            if n < 2:
                answered = f"{count(n, 'question')} answered so far"
                return Conclusion(None, f"not precise enough: {answered}")
            last = self._look(ordered_scores, scored.name, n)
        after = f"after {count(last['n'], 'question')}"
        interval = f"{_describe(last)} ({LEVEL_LABEL}) on the whole pool"
        return Conclusion(None, f"{state} {after}: {interval}")

    def _look(self, ordered_scores: OrderedScores, run: str, n: int) -> Record:
        """Return the estimate from the first n questions, as `qaldgen.estimate` makes it."""
        ids = ordered_scores.design.order[:n]
        design = ordered_scores.design.restricted(ids)
        scores = ordered_scores.scores[run][:n]
        if self.pool_scores is None:
            estimate = design.estimate_mean(ids, scores)
        else:
            variates = ordered_scores.control_variates(run, n, self.pool_scores)
            estimate = design.estimate_with_known(ids, scores, variates)
        return {
            "n": n,
            "estimate": estimate.estimate,
            "low": estimate.low,
            "high": estimate.high,
            "reached": is_precise(estimate, self.half_width),
        }


class _DecisionGoal(NamedTuple):
    """The goal of knowing whether a run is better or worse; `gate` takes the same looks."""

    pool_scores: KnownScores | None
    measure: str
    above: float | None
    largest: int | None

    def plan(self, ordered_scores: OrderedScores) -> dict[str, Any]:
        """Return the settings that are fixed before the first look."""
        return self._claim(ordered_scores).plan(ordered_scores)

    def next_size(self, looks: Sequence[Record], plan: Record) -> int:
        """Return the number of questions that the next look needs."""
        last_size = int(looks[-1]["n"]) if looks else 0
        return next((int(size) for size in plan["sizes"] if size > last_size), last_size)

    def take_looks(self, ordered_scores: OrderedScores, run: str, looks: list[Record]) -> str:
        """Add the looks that are due; return the reason to stop, or an empty text to go on."""
        claim = self._claim(ordered_scores)
        taken = take_looks(
            claim.looks,
            ordered_scores.ready[run],
            lambda n: ordered_scores.estimate(run, n, self.pool_scores),
            reference=claim.reference,
            earlier=[Look.of(look, "the journal") for look in looks],
        )
        looks += [look.record() for look in taken.looks[len(looks) :]]
        if taken.next_look is not None:
            return ""
        last = taken.looks[-1]
        if not taken.decided:
            return f"undecided after {last.n} questions, and no look is left"
        return f"{taken.verdict} than {claim.name} after {last.n} questions: {last.interval}"

    def conclude(
        self, gold: Gold, scored: Scores, looks: Sequence[Record], journal: Path
    ) -> Conclusion:
        """Return what `gate` says about a run and the looks in its journal."""
        decision = decide(
            gold,
            scored,
            self.pool_scores,
            self.above,
            largest=self.largest,
            measure=self.measure,
            journal=journal,
        )
        return Conclusion(decision.verdict, decision.sentence)

    def _claim(self, ordered_scores: OrderedScores) -> Claim:
        """Return the claim about the baseline or the threshold."""
        most = max_questions(ordered_scores, self.largest)
        return make_claim(ordered_scores, self.pool_scores, self.above, most=most)


def _is_reached(looks: Sequence[Record]) -> bool:
    """Return whether the last look found the precision that was wanted."""
    return bool(looks) and looks[-1]["reached"]


def _describe(look: Record) -> str:
    """Return the estimate of a look with its interval."""
    return f"{look['estimate']:.3f}, between {look['low']:.3f} and {look['high']:.3f}"


def is_precise(estimate: Estimate, half_width: float) -> bool:
    """Return whether the interval of an estimate is narrow enough; False without an interval."""
    return (estimate.high - estimate.low) / 2.0 <= half_width
