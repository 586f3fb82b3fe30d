"""Scores in the order of asking, with estimates and differences from the first n of them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qaldgen.analysis.estimating.design import (
    Design,
    answered_prefix,
    mean_measure,
    ordered_design,
)
from qaldgen.analysis.estimating.known_scores import KnownScores, question_keys
from qaldgen.analysis.estimating.regression_estimate import (
    KnownMeans,
    Moments,
    Neighbours,
    regression_estimate,
)
from qaldgen.benchmark.gold import Gold
from qaldgen.errors import UsageError
from qaldgen.plugins.stopping.look_plan import MOST_OF_POOL
from qaldgen.scoring.mean_bounds import Array
from qaldgen.scoring.measures import summed_columns
from qaldgen.scoring.rules import Rules, refuse_judge
from qaldgen.scoring.score import Scores


@dataclasses.dataclass(frozen=True, eq=False)
class OrderedScores:
    """The scores of runs in the order of asking."""

    gold: Gold  # the benchmark
    design: Design  # the design of the questions that are scored
    #: By run, the scores in the order of asking, which are meaningful in the complete prefix only.
    scores: Mapping[str, Array]
    ready: Mapping[str, int]  # by run, the length of the complete prefix
    measure: str  # the measure that is estimated
    rules: Rules  # the rules of judging

    @property
    def pool_size(self) -> int:
        """The number of questions in the pool."""
        return self.design.pool

    @property
    def size(self) -> int:
        """The number of questions in the order."""
        return len(self.design.order)

    def with_scores_at_looks(self, final_scores: Mapping[str, Sequence[float]]) -> OrderedScores:
        """Return the scores, with those that earlier looks used in the place of newer ones.

        A look is final, so an answer that was replaced later must not change it. `final_scores` has
        by run the scores of its first questions, in the order of asking.
        """
        scores = {name: values.copy() for name, values in self.scores.items()}
        ready = dict(self.ready)
        for name in scores.keys() & final_scores.keys():
            n = min(len(final_scores[name]), self.size)
            scores[name][:n] = final_scores[name][:n]
            ready[name] = max(ready[name], n)
        return dataclasses.replace(self, scores=scores, ready=ready)

    def plan(self, rule: str, settings: Mapping[str, object]) -> dict[str, Any]:
        """Return the settings of a rule, and those that all rules fix before the first look."""
        benchmark = self.gold.benchmark
        name = self.gold.questions.name if benchmark is None else benchmark.signature
        return {
            "rule": rule,
            "benchmark": name,
            "measure": self.measure,
            "match": self.rules.match,
            "judging": self.rules.unusual,
            "pool": self.pool_size,
            **settings,
        }

    @functools.cached_property
    def neighbours(self) -> Callable[[int], Neighbours]:
        """A function that returns the neighbours of the first n questions."""
        design = self.design
        return functools.lru_cache(maxsize=64)(lambda n: design.neighbours(design.order[:n]))

    def estimate(self, run: str, n: int, pool_scores: KnownScores | None = None) -> Moments:
        """Return the estimate of a run's score on the pool from its first n questions."""
        variates = self.control_variates(run, n, pool_scores)
        scores = self.scores[run][:n]
        return regression_estimate(scores, self.pool_size, variates, self.neighbours(n))

    def control_variates(self, run: str, n: int, pool_scores: KnownScores | None) -> KnownMeans:
        """Return the control variates of a run, on its first n questions."""
        if pool_scores is None:
            return KnownMeans.nothing(n)
        # all answers show which column is the run itself: on the first n questions, a new version
        # of a system may equal its baseline
        ready = max(n, self.ready[run])
        variates = pool_scores.for_run(
            self.gold,
            run,
            ids=self.design.order[:ready],
            scores=self.scores[run][:ready],
            pool_size=self.pool_size,
        )
        return KnownMeans(variates.sampled[:n], variates.means)

    def equals_baseline(self, run: str, pool_scores: KnownScores) -> bool:
        """Return whether a run has the baseline's scores on its whole complete prefix."""
        n = self.ready[run]
        if not n or pool_scores.baseline is None:
            return False
        baseline = pool_scores.baseline.to_frame()
        keys = question_keys(self.gold, self.design.order[:n], baseline, self.pool_size)
        return pool_scores.equals_baseline(keys, self.scores[run][:n])

    def difference(self, first: str, second: str, n: int) -> Moments:
        """Return the estimate of the difference of two runs from their first n questions."""
        differences = self.scores[first][:n] - self.scores[second][:n]
        return regression_estimate(
            differences,
            self.pool_size,
            KnownMeans.nothing(n),
            neighbours=self.neighbours(n),
            bounds=(-1.0, 1.0),
        )


def scores_in_order(gold: Gold, scored: Sequence[Scores], measure: str) -> OrderedScores:
    """Return the scores of runs in the order of asking."""
    measure_spec = mean_measure(measure, scored[0])
    for run_scores in scored:
        refuse_judge(run_scores.rules.match)
    if measure_spec.bounds != (0.0, 1.0):
        raise UsageError(
            f"`measure` {measure}: only measures from 0 to 1 allow a look before the end"
        )

    design = counted_design(gold, scored[0])
    order = list(design.order)
    scores = {}
    ready = {}
    for run_scores in scored:
        columns = summed_columns(run_scores.counts.loc[order], measure_spec)
        scores[run_scores.name] = columns[:, 0]
        ready[run_scores.name] = len(answered_prefix(order, run_scores))

    return OrderedScores(
        gold=gold,
        design=design,
        scores=scores,
        ready=ready,
        measure=measure,
        rules=scored[0].rules,
    )


def counted_design(gold: Gold, scored: Scores) -> Design:
    """Return the design of the questions that were scored, in the order of asking."""
    design = ordered_design(gold)
    return design.restricted(list(scored.counts.index))


def max_questions(ordered_scores: OrderedScores, largest: int | None) -> int:
    """Return the maximum number of questions to ask, all by default."""
    if largest is None:
        return ordered_scores.size
    if largest > ordered_scores.size:
        raise UsageError(
            f"`largest` {largest}: the benchmark has {ordered_scores.size} questions;"
            " draw a larger one"
        )
    return largest


def last_look_notes(ordered_scores: OrderedScores, most: int) -> list[str]:
    """Return a note if more questions may be asked than a look can use, else none."""
    usable = int(MOST_OF_POOL * ordered_scores.pool_size)
    if not usable < most < ordered_scores.pool_size:
        return []
    return [
        f"the last look is at {usable} questions, {MOST_OF_POOL:.0%} of the pool; only the whole"
        " pool says more"
    ]
