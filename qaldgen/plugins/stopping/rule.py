"""Rules that take scores as they arrive, and decide when to stop asking.

The goal is a decision, with the looks of `gate`, or a precision. A precision needs no correction
for repeated looks: the width hardly depends on whether the estimate is lucky (Chow and Robbins
1965, Annals of Mathematical Statistics 36). The ordinary interval is printed.

A look is taken when all its answers are there, and recorded; a recorded look is final, even if
answers change later.
"""

from __future__ import annotations

import abc
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
    if until is not None:
        return PrecisionRule(evaluation, until, pool_scores, measure)
    return DecisionRule(
        evaluation, above=above, largest=largest, pool_scores=pool_scores, measure=measure
    )


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


class StopRule(abc.ABC):
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

    def __init__(
        self, evaluation: Evaluation, pool_scores: KnownScores | None, measure: str
    ) -> None:
        self._evaluation = evaluation
        self._gold = evaluation.gold
        self._pool_scores = pool_scores
        self._measure = measure
        design = ordered_design(probability_design(self._gold), self._gold.questions.name)
        self._no_scores = OrderedScores(
            self._gold, design, scores={}, ready={}, measure=measure, rules=evaluation.rules
        )
        self._score_of_question: dict[str, float] = {}
        self._name = "the run"  # until `begin` is called with its journal
        self.order = design.order
        self.counted = design.order
        self.plan = self._make_plan(self._no_scores)
        self.looks: list[dict[str, Any]] = []

    @property
    def records(self) -> list[dict[str, Any]]:
        """The plan and every look, to be kept with the answers and given to `resume`."""
        return [{"plan": self.plan}, *self.looks]

    def resume(
        self, records: Sequence[Mapping[str, Any]], where: str | Path = "the records"
    ) -> None:
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

    def begin(self, asked: Sequence[str], journal: Path, known: Sequence[Mapping[str, Any]]) -> str:
        """Start a run of `ask` with the plan and the looks of its journal.

        Returns the reason to stop, or an empty text if questions need to be asked.
        """
        for number, (name, expected) in enumerate(itertools.zip_longest(asked, self.order), 1):
            if name != expected and number <= len(asked):
                raise UsageError(
                    f"question {number} to ask is {name}, which is not next in the order of the"
                    " benchmark; ask the questions of the benchmark itself, as RDF, because only"
                    " its prefixes are samples"
                )
        self._name = run_name(journal)
        if self._pool_scores is not None:  # a family may name the run itself
            others = self._pool_scores.others
            systems = () if others is None else others.columns
            families_of([self._name, *systems], self._pool_scores.families)
        # scored as if all had failed, as questions that the matcher cannot judge leave the order
        unasked = {name: Response(name, "failed", error="not asked yet") for name in self.order}
        ordered_scores = dataclasses.replace(self._order_scores(unasked), ready={self._name: 0})
        self.counted = ordered_scores.design.order
        self.plan = self._make_plan(ordered_scores)
        self.resume(known, journal)
        if not known:
            return ""
        return self._look(ordered_scores)

    def judge(self, responses: Sequence[Response]) -> str:
        """Look at the responses of a run that `begin` started, if it is time for a look.

        Returns the reason to stop, or an empty text to go on.
        """
        if len(responses) < self._next_size():  # looking more often would raise the error rate
            return ""
        return self._look(self._order_scores({response.id: response for response in responses}))

    @abc.abstractmethod
    def outcome(self, responses: Mapping[str, Response], journal: Path) -> tuple[str, str]:
        """Return the verdict of `gate`, empty for a precision, and a sentence."""

    @abc.abstractmethod
    def _make_plan(self, ordered_scores: OrderedScores) -> dict[str, Any]:
        """Return the settings that are fixed before the first look."""

    @abc.abstractmethod
    def _next_size(self) -> int:
        """Return the number of questions that the next look needs."""

    @abc.abstractmethod
    def _look(self, ordered_scores: OrderedScores) -> str:
        """Take the looks that are due; return the reason to stop, or an empty text to go on."""

    def _score(self, responses: Mapping[str, Response]) -> Scores:
        """Score responses by the rules of the evaluation."""
        return self._evaluation.score(Run(self._name, JOURNAL, responses))

    def _order_scores(self, responses: Mapping[str, Response]) -> OrderedScores:
        """Return the scores of responses in the order of asking."""
        return scores_in_order(self._gold, [self._score(responses)], self._measure)


class PrecisionRule(StopRule):
    """Stops when the interval of the score is narrow enough."""

    def __init__(
        self,
        evaluation: Evaluation,
        half_width: float,
        pool_scores: KnownScores | None,
        measure: str,
    ) -> None:
        self._half_width = half_width
        super().__init__(evaluation, pool_scores, measure)

    def outcome(self, responses: Mapping[str, Response], journal: Path) -> tuple[str, str]:
        """Return no verdict, and a sentence on the precision of the estimate of a run."""
        if self._is_reached:
            state = "precise enough"
            look = self.looks[-1]
        else:
            state = f"not within ±{self._half_width:g} yet"
            ordered_scores = self._order_scores(responses)
            n = ordered_scores.ready[self._name]
            if n < 2:
                return "", f"not precise enough: {count(n, 'question')} answered so far"
            look = self._take_look(ordered_scores, n)
        questions = count(look["n"], "question")
        return "", (
            f"{state} after {questions}: {look['estimate']:.3f}, between {look['low']:.3f} and"
            f" {look['high']:.3f} ({LEVEL_LABEL}) on the whole pool"
        )

    @property
    def _is_reached(self) -> bool:
        return bool(self.looks) and self.looks[-1]["reached"]

    def _make_plan(self, ordered_scores: OrderedScores) -> dict[str, Any]:
        settings = {
            "half_width": self._half_width,
            "first": FIRST_LOOK,
            "step": STEP,
            "controls": fingerprint(self._pool_scores),
        }
        return ordered_scores.plan("precision", settings)

    def _next_size(self) -> int:
        if not self.looks:
            return FIRST_LOOK
        return int(self.looks[-1]["n"]) + STEP

    def _look(self, ordered_scores: OrderedScores) -> str:
        while not self._is_reached:
            n = self._next_size()
            if n > ordered_scores.ready[self._name]:
                return ""
            self.looks.append(self._take_look(ordered_scores, n))
        look = self.looks[-1]
        interval = f"{look['estimate']:.3f}, between {look['low']:.3f} and {look['high']:.3f}"
        return f"precise enough after {look['n']} questions: {interval}"

    def _take_look(self, ordered_scores: OrderedScores, n: int) -> dict[str, Any]:
        """Return the estimate from the first n questions, as `qaldgen.estimate` makes it."""
        ids = ordered_scores.design.order[:n]
        design = ordered_scores.design.restricted(ids)
        scores = ordered_scores.scores[self._name][:n]
        if self._pool_scores is None:
            estimate = design.estimate(ids, scores)
        else:
            variates = ordered_scores.control_variates(self._name, n, self._pool_scores)
            estimate = design.estimate_with(ids, scores, variates)
        return {
            "n": n,
            "estimate": estimate.estimate,
            "low": estimate.low,
            "high": estimate.high,
            "reached": is_precise(estimate, self._half_width),
        }


class DecisionRule(StopRule):
    """Stops when it is known whether the run is better or worse; `gate` takes the same looks."""

    def __init__(
        self,
        evaluation: Evaluation,
        above: float | None,
        largest: int | None,
        pool_scores: KnownScores | None,
        measure: str,
    ) -> None:
        self._above = above
        self._largest = largest
        super().__init__(evaluation, pool_scores, measure)

    def begin(self, asked: Sequence[str], journal: Path, known: Sequence[Mapping[str, Any]]) -> str:
        """Start a run of `ask` as other rules do; refuse one that may not be compared."""
        untested = why_not_tested(self._gold, [run_name(journal)])
        if untested:
            raise UsageError(f"{untested} So no look can decide; ask all of them")
        return super().begin(asked, journal, known)

    def outcome(self, responses: Mapping[str, Response], journal: Path) -> tuple[str, str]:
        """Return the verdict of `gate`, and a sentence."""
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

    def _make_plan(self, ordered_scores: OrderedScores) -> dict[str, Any]:
        return self._make_claim(ordered_scores).plan(ordered_scores)

    def _next_size(self) -> int:
        last_size = int(self.looks[-1]["n"]) if self.looks else 0
        sizes = (int(size) for size in self.plan["sizes"] if size > last_size)
        return next(sizes, len(self.order))

    def _look(self, ordered_scores: OrderedScores) -> str:
        claim = self._make_claim(ordered_scores)
        outcome = take_looks(
            claim.looks,
            ordered_scores.ready[self._name],
            lambda n: ordered_scores.estimate(self._name, n, self._pool_scores),
            reference=claim.reference,
            earlier=[Look.of(look, "the journal") for look in self.looks],
        )
        self.looks += [look.record() for look in outcome.looks[len(self.looks) :]]
        if outcome.next_look is not None:
            return ""
        last = outcome.looks[-1]
        if not outcome.decided:
            return f"undecided after {last.n} questions, and no look is left"
        interval = f"{last.estimate:+.3f}, between {last.low:+.3f} and {last.high:+.3f}"
        return f"{outcome.verdict} than {claim.name} after {last.n} questions: {interval}"

    def _make_claim(self, ordered_scores: OrderedScores) -> Claim:
        """Return the claim about the baseline or the threshold."""
        most = max_questions(ordered_scores, self._largest)
        return make_claim(ordered_scores, self._pool_scores, self._above, most=most)


def is_precise(estimate: Estimate, half_width: float) -> bool:
    """Return whether the interval of an estimate is narrow enough; False without an interval."""
    return (estimate.high - estimate.low) / 2.0 <= half_width
