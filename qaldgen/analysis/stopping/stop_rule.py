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
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qaldgen.analysis.estimating.design import ordered_design, probability_design
from qaldgen.analysis.estimating.known_scores import KnownScores, known_scores
from qaldgen.analysis.estimating.pool_mean import Estimate
from qaldgen.analysis.score_files import families_of
from qaldgen.analysis.stopping.gate import Claim, claim_of, decide, fingerprint
from qaldgen.analysis.stopping.group_sequential import (
    FIRST_LOOK,
    STEP,
    Look,
    plan_looks,
    take_looks,
)
from qaldgen.analysis.stopping.ordered_scores import Evidence, evidence, most_questions
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_number
from qaldgen.io.text import count
from qaldgen.options import Count, Extractions, Matchers, Measures, Named, Repeats, SameAs, Share
from qaldgen.runs.interim_looks import kept_looks
from qaldgen.runs.journal import run_name
from qaldgen.runs.record import Response, Run
from qaldgen.scoring.gold import AnyGold, Gold, as_gold, why_not_tested
from qaldgen.scoring.matchers import AUTO, Resolved, Scoring
from qaldgen.scoring.score import Scores, resolve_matcher, score_run
from qaldgen.scoring.verdicts import Verdicts

if TYPE_CHECKING:
    import pandas as pd


_RUN = "the run"


class Step(NamedTuple):
    """The result of looking: the looks taken now, and why to stop (empty to go on)."""

    records: list[dict[str, Any]]
    reason: str


def stop_rule(
    gold: AnyGold,
    *,
    until: Share | None = None,
    above: Share | None = None,
    baseline: Named | None = None,
    others: pd.DataFrame | str | Path | None = None,
    families: Mapping[str, str] | None = None,
    largest: Count | None = None,
    measure: Measures = "macro-f1",
    match: Matchers | Verdicts | Resolved = AUTO,
    same_as: SameAs = "none",
    language: str = "en",
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None,
    labels: str = "",
    extract: Extractions = "auto",
    repeats_as: Repeats | None = None,
) -> StopRule:
    """Return a rule that says when to stop asking the questions of a benchmark.

    Parameters
    ----------
    gold
        A benchmark with an order (``lpm`` or ``random``), as RDF.
    until
        Stop when the interval of the score on the pool has this half-width, such as 0.05.
    above
        Compare with a threshold.

        Stop when it is known whether the system is better or worse; see `gate`.
    baseline
        Compare with a system whose scores on the pool are known; see 'gate'.

        With `until`, it only sharpens the estimate.
    others
        Scores of other systems on the whole pool: CSV, see 'study', or logs.

        They sharpen the estimate. A table, or its file.
    families
        Name the family of related systems, as for 'study'.
    largest
        Maximum number of questions (default: all); fixed before the first answer.
    measure
        Measure to compare.

        It must be a mean over questions, from 0 to 1.
    match
        When an answer counts as right, for --until and --until-decided.
    extract
        How to find the answer in a free-text reply, for --until and --until-decided.
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
    how = Scoring(match, same_as, language, aliases, labels, extract, repeats_as)
    target = Target(until, above, known_scores(others, families, baseline), largest, measure)
    return StopRule(as_gold(gold, language=language), target, how)


@dataclasses.dataclass(frozen=True, eq=False)
class Target:
    """What must be known before asking stops."""

    until: float | None = None  # half the width of the 95 % interval; None for a decision
    above: float | None = None  # the threshold of a decision
    #: Scores on the whole pool: the baseline of a decision, and what sharpens estimates.
    known: KnownScores | None = None
    largest: int | None = None  # maximum number of questions for a decision
    measure: str = "macro-f1"  # what is estimated

    def __post_init__(self) -> None:
        """Refuse both precision and decision, and neither."""
        decision = self.above is not None or (
            self.known is not None and self.known.baseline is not None
        )
        if self.until is None and not decision:
            raise UsageError(
                "say when to stop: either at a precision (until), or when it is clear which is"
                " better (above, baseline)"
            )
        if self.until is not None and (self.above is not None or self.largest is not None):
            raise UsageError(
                "say when to stop: a precision (until) cannot be combined with a threshold "
                "(above) or a largest size"
            )
        if self.until is not None:
            check_number("the half-width", self.until, above=0)

    def in_words(self, interval: tuple[float, float, float], n: int, *, reached: bool) -> str:
        """Say how well a score is known from the first n questions: estimate, low and high."""
        outcome = "precise enough" if reached else f"not within ±{self.until:g} yet"
        value, low, high = interval
        return (
            f"{outcome} after {count(n, 'question')}: {value:.3f}, between {low:.3f} and"
            f" {high:.3f} (95 %) on the whole pool"
        )

    def plan(self, given: Evidence, match: str) -> dict[str, Any]:
        """Return what is fixed before the first look."""
        if self.until is None:
            return self._claim(given).plan(given, match)[1]
        return given.plan(
            "precision",
            match,
            half_width=self.until,
            first=FIRST_LOOK,
            step=STEP,
            controls=fingerprint(self.known),
        )

    def look(self, given: Evidence, run: str, before: Sequence[Mapping[str, Any]]) -> Step:
        """Look at the scores of a run in the order of asking, after the looks before."""
        if self.until is None:
            return _look_for_decision(self._claim(given), given, run, before)
        return _look_for_precision(self.until, self.known, given, run, before)

    def _claim(self, given: Evidence) -> Claim:
        return claim_of(self.known, self.above, most_questions(given, self.largest, []))


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

    def __init__(self, gold: Gold, target: Target, how: Scoring) -> None:
        how = resolve_matcher(gold, (), how)
        design = ordered_design(probability_design(gold), gold.questions.name)
        self._given = Evidence(gold, design, {}, {}, target.measure)
        self._target, self._how = target, how
        self._scores: dict[str, float] = {}
        self._name = _RUN
        self.order = self.counted = design.order
        self.records: list[dict[str, Any]] = [{"plan": target.plan(self._given, how.matcher)}]

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
        self.records[1:] = [
            dict(look) for look in kept_looks(where, self.records[0]["plan"], records)
        ]

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
        """Start a run of `ask`, with the plan and the looks of its journal."""
        # returns why no more questions need to be asked; empty if some do
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
        untested = why_not_tested(self._given.gold, [self._name])
        if untested and self._target.until is None:
            raise UsageError(f"{untested} So no look can decide; ask all of them")
        on_pool = self._target.known
        if on_pool is not None:  # a family may name the run itself
            others = () if on_pool.others is None else on_pool.others.columns
            families_of([self._name, *others], on_pool.families)
        # questions that the matcher cannot judge have no place in the order; that shows before
        # anything is answered
        failed = {name: Response(name, "failed", error="not asked yet") for name in self.order}
        scored = self._scored(failed)
        now = evidence(self._given.gold, [scored], self._target.measure)
        now = dataclasses.replace(now, ready={self._name: 0})
        self.counted = now.design.order
        self.records = [{"plan": self._target.plan(now, scored.judged_by)}]
        self.resume(known, journal)
        return self._taken(now, self._name) if known else ""

    def judge(self, responses: Sequence[Response]) -> str:
        """Look at the responses of a run that `begin` started; return why to stop, if so."""
        # looks are planned in advance; looking more often would raise the error rate
        if len(responses) < self._next:
            return ""
        return self._taken(
            self._evidence({response.id: response for response in responses}), self._name
        )

    def outcome(self, responses: Mapping[str, Response], journal: Path) -> tuple[str, str]:
        """Return the verdict of `gate`, and in words what is known at the end of a run."""
        # there is no verdict where a precision is the target
        target = self._target
        if target.until is not None:
            return "", self._precision(responses)
        decision = decide(
            self._given.gold,
            self._scored(responses),
            target.known,
            target.above,
            largest=target.largest,
            measure=target.measure,
            journal=journal,
        )
        return decision.verdict, decision.sentence

    def _precision(self, responses: Mapping[str, Response]) -> str:
        """Return in words how precise the estimate from the complete prefix of a run is."""
        last = self.records[-1]
        if last.get("reached"):
            n, value, low, high = last["n"], last["estimate"], last["low"], last["high"]
        else:
            given = self._evidence(responses)
            n = given.ready[self._name]
            if n < 2:
                return f"not precise enough: {count(n, 'question')} answered so far"
            estimated = estimate(given, self._name, n, self._target.known)
            value, low, high = estimated.estimate, estimated.low, estimated.high
        return self._target.in_words((value, low, high), n, reached=bool(last.get("reached")))

    @property
    def _next(self) -> int:
        """How many questions the next look needs."""
        plan, seen = self.records[0]["plan"], int(self.records[-1].get("n", 0))
        # a rule by precision looks at every step, one by decision at planned sizes
        if "step" in plan:
            return int(seen + plan["step"] if seen else plan["first"])
        return next((int(size) for size in plan["sizes"] if size > seen), len(self.order))

    def _taken(self, given: Evidence, run: str) -> str:
        step = self._target.look(given, run, self.records[1:])
        self.records += step.records
        return step.reason

    def _scored(self, responses: Mapping[str, Response]) -> Scores:
        return score_run(self._given.gold, Run(self._name, "journal", responses), self._how)

    def _evidence(self, responses: Mapping[str, Response]) -> Evidence:
        return evidence(self._given.gold, [self._scored(responses)], self._target.measure)


def _look_for_precision(
    half_width: float,
    known: KnownScores | None,
    given: Evidence,
    run: str,
    before: Sequence[Mapping[str, Any]],
) -> Step:
    """Look whether the estimate is precise enough."""
    records: list[dict[str, Any]] = []
    seen = [*before]
    while not (seen and seen[-1]["reached"]):
        n = int(seen[-1]["n"]) + STEP if seen else FIRST_LOOK
        if n > given.ready[run]:
            return Step(records, "")
        estimated = estimate(given, run, n, known)
        look = {
            "n": n,
            "estimate": estimated.estimate,
            "low": estimated.low,
            "high": estimated.high,
            "reached": is_precise(estimated, half_width),
        }
        records.append(look)
        seen.append(look)
    last = seen[-1]
    interval = f"{last['estimate']:.3f}, between {last['low']:.3f} and {last['high']:.3f}"
    return Step(records, f"precise enough after {last['n']} questions: {interval}")


def is_precise(estimated: Estimate, half_width: float) -> bool:
    """Say whether the interval of an estimate is narrow enough; False if there is none."""
    return (estimated.high - estimated.low) / 2.0 <= half_width


def _look_for_decision(
    claim: Claim, given: Evidence, run: str, before: Sequence[Mapping[str, Any]]
) -> Step:
    """Look whether it is decided which one is better."""
    earlier = [Look.of(record, "the journal") for record in before]
    taken = take_looks(
        plan_looks(claim.largest, given.pool_size),
        given.ready[run],
        lambda n: given.estimate(run, n, claim.known),
        claim.reference,
        earlier,
    )
    records = [look.record() for look in taken.looks[len(earlier) :]]
    if taken.next_look is not None:
        return Step(records, "")
    last = taken.looks[-1]
    if not taken.decided:
        return Step(records, f"undecided after {last.n} questions, and no look is left")
    interval = f"{last.estimate:+.3f}, between {last.low:+.3f} and {last.high:+.3f}"
    reason = f"{taken.verdict} than {claim.name} after {last.n} questions: {interval}"
    return Step(records, reason)


def estimate(given: Evidence, run: str, n: int, known: KnownScores | None) -> Estimate:
    """Return the estimate from the first n questions, as ``score --estimate`` prints it."""
    ids = given.design.order[:n]
    design, scores = given.design.restricted(ids), given.scores[run][:n]
    if known is None:
        return design.estimate(ids, scores)
    return design.estimate_with(ids, scores, given.known(run, n, known))
