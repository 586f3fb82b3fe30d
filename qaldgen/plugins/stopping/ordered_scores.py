"""What is known at each point of the order of asking: scores, estimates and differences."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

from qaldgen.analysis.estimating.design import (
    Design,
    answered_prefix,
    mean_measure,
    ordered_design,
    probability_design,
)
from qaldgen.analysis.estimating.known_scores import KnownScores, question_keys
from qaldgen.analysis.estimating.pool_mean import (
    KnownMeans,
    Moments,
    Neighbours,
    regression_estimate,
)
from qaldgen.benchmark.gold import Gold
from qaldgen.defaults import MEASURE
from qaldgen.errors import UsageError
from qaldgen.plugins.stopping.group_sequential import MOST_OF_POOL
from qaldgen.scoring.mean_bounds import Array
from qaldgen.scoring.measures import summed_columns
from qaldgen.scoring.rules import Rules, refuse_judge
from qaldgen.scoring.score import Scores


@dataclasses.dataclass(frozen=True, eq=False)
class Evidence:
    """Scores in the order of asking."""

    gold: Gold  # the benchmark
    design: Design  # the design of the questions that are scored
    #: By run, the scores in the order of asking; beyond the complete prefix they mean nothing.
    scores: Mapping[str, Array]
    ready: Mapping[str, int]  # by run, the length of the complete prefix
    measure: str  # the measure that is estimated
    rules: Rules  # when an answer is right

    @property
    def pool_size(self) -> int:
        """Questions in the pool."""
        return self.design.pool

    @property
    def size(self) -> int:
        """Questions in the order."""
        return len(self.design.order)

    def with_scores_at_looks(self, looked_at: Mapping[str, Sequence[float]]) -> Evidence:
        """Return the evidence with the scores that earlier looks decided on.

        `looked_at` has by run the first scores in the order of asking.
        """
        scores = {name: values.copy() for name, values in self.scores.items()}
        ready = dict(self.ready)
        for name in scores.keys() & looked_at.keys():
            n = min(len(looked_at[name]), self.size)
            scores[name][:n] = looked_at[name][:n]
            ready[name] = max(ready[name], n)
        return dataclasses.replace(self, scores=scores, ready=ready)

    def plan(self, rule: str, **fixed: object) -> dict[str, Any]:
        """Return the settings that are fixed before the first look."""
        benchmark = self.gold.benchmark
        name = self.gold.questions.name if benchmark is None else benchmark.signature
        return {
            "rule": rule,
            "benchmark": name,
            "measure": self.measure,
            "match": self.rules.match,
            "judging": self.rules.unusual,
            "pool": self.pool_size,
            **fixed,
        }

    @functools.lru_cache(maxsize=64)  # noqa: B019 - small, and gone with the record
    def neighbours(self, n: int) -> Neighbours:
        """Return the neighbours of the first questions."""
        return self.design.neighbours(self.design.order[:n])

    def estimate(self, run: str, n: int, pool_scores: KnownScores | None = None) -> Moments:
        """Return the estimate of a run's score on the pool from its first n questions."""
        variates = self.control_variates(run, n, pool_scores)
        return regression_estimate(
            self.scores[run][:n], self.pool_size, variates, self.neighbours(n)
        )

    def control_variates(self, run: str, n: int, pool_scores: KnownScores | None) -> KnownMeans:
        """Return the control variates of a run, on its first n questions."""
        if pool_scores is None:
            return KnownMeans.nothing(n)
        # all answers show which column is the run itself: on the first n questions, a new version
        # of a system may equal its baseline
        ready = max(n, self.ready[run])
        variates = pool_scores.for_run(
            self.gold, run, self.design.order[:ready], self.scores[run][:ready], self.pool_size
        )
        return KnownMeans(variates.sampled[:n], variates.means)

    def equals_baseline(self, run: str, pool_scores: KnownScores) -> bool:
        """Return whether a run has the baseline's scores on its whole complete prefix."""
        n = self.ready[run]
        if not n or pool_scores.baseline is None:
            return False
        keys = question_keys(
            self.gold, self.design.order[:n], pool_scores.baseline.to_frame(), self.pool_size
        )
        return pool_scores.equals_baseline(keys, self.scores[run][:n])

    def difference(self, first: str, second: str, n: int) -> Moments:
        """Return the estimate of the difference of two runs from their first n questions."""
        differences = self.scores[first][:n] - self.scores[second][:n]
        return regression_estimate(
            differences, self.pool_size, KnownMeans.nothing(n), self.neighbours(n), (-1.0, 1.0)
        )


def evidence_of(gold: Gold, scored: Sequence[Scores], measure: str = MEASURE) -> Evidence:
    """Put the scores of runs into the order of asking."""
    kind = mean_measure(measure, scored[0])
    for run in scored:
        refuse_judge(run.rules.match)
    if kind.bounds != (0.0, 1.0):
        raise UsageError(
            f"`measure` {measure}: only measures from 0 to 1 allow a look before the end"
        )
    index = list(scored[0].counts.index)
    design = ordered_design(probability_design(gold), gold.questions.name).restricted(index)
    order = list(design.order)
    scores = {run.name: summed_columns(run.counts.loc[order], kind)[:, 0] for run in scored}
    ready = {run.name: len(answered_prefix(order, run)) for run in scored}
    return Evidence(gold, design, scores, ready, measure, scored[0].rules)


def most_questions(evidence: Evidence, largest: int | None, notes: list[str]) -> int:
    """Return the maximum number of questions to ask, all by default.

    A note is added to `notes` if the order has more than can be looked at.
    """
    if largest is not None and largest > evidence.size:
        raise UsageError(
            f"`largest` {largest}: the benchmark has {evidence.size} questions; draw a larger one"
        )
    if largest is None:
        largest = evidence.size
    usable = int(MOST_OF_POOL * evidence.pool_size)
    if usable < largest < evidence.pool_size:
        notes.append(
            f"the last look is at {usable} questions, {MOST_OF_POOL:.0%} of the pool; only the"
            " whole pool says more"
        )
    return largest
