"""The design of a sample: the weight of each question, its order, and estimates for the pool."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from qaldgen.analysis.estimating.pool_mean import Estimate, effective_size_of, estimate_mean
from qaldgen.analysis.estimating.regression_estimate import (
    KnownMeans,
    Neighbours,
    neighbours_of,
    regression_estimate,
    wilson_interval,
)
from qaldgen.analysis.slices.slicing import Slice, group_scores
from qaldgen.answers.journal import JOURNAL
from qaldgen.benchmark.gold import Gold
from qaldgen.errors import DataError, UsageError
from qaldgen.scoring.intervals import FEWEST, Interval, measure_interval
from qaldgen.scoring.mean_bounds import Array
from qaldgen.scoring.measures import MEASURES, Measure, find_measure, summed_columns
from qaldgen.scoring.score import Scores

#: The status of a question that the system was not asked.
NOT_ASKED = "not asked"


@dataclasses.dataclass(frozen=True)
class Design:
    """How a probability sample was drawn from a pool."""

    inclusion: Mapping[str, float]  # by question, its inclusion probability
    pool: int  # questions in the pool
    #: By question, the features over which the design spread its questions; None for simple random
    #: samples.
    features: Mapping[str, Array] | None = None
    #: The questions in an order in which every prefix is a sample too; empty if there is no such
    #: order.
    order: tuple[str, ...] = ()

    def restricted(self, ids: Sequence[str]) -> Design:
        """Return the design for these questions only, as if the others were missing at random."""
        share = len(ids) / len(self.inclusion)
        inclusion = {question_id: self.inclusion[question_id] * share for question_id in ids}
        order = tuple(question_id for question_id in self.order if question_id in inclusion)
        return dataclasses.replace(self, inclusion=inclusion, order=order)

    def weights(self) -> pd.Series[float]:
        """Return by question how many questions of the pool it represents."""
        return 1.0 / pd.Series(dict(self.inclusion), dtype=float)

    def size_of(self, ids: Sequence[str]) -> int:
        """Return how many questions of the pool are in a slice."""
        if len(ids) == len(self.inclusion):
            return self.pool
        # the size of the pool is known exactly, that of a slice only by adding up weights
        return max(len(ids), round(sum(1.0 / self.inclusion[question_id] for question_id in ids)))

    def estimate_mean(
        self,
        ids: Sequence[str],
        scores: Array,
        *,
        control: Array | None = None,
        control_mean: float = 0.0,
        bounds: tuple[float, float] = (0.0, 1.0),
    ) -> Estimate:
        """Return the estimate of the mean score of the pool, or of a slice, by `estimate_mean`."""
        inclusion = np.array([self.inclusion[question_id] for question_id in ids])
        features = None
        if self.features is not None:
            features = np.array([self.features[question_id] for question_id in ids])
        return estimate_mean(
            scores,
            inclusion,
            self.size_of(ids),
            features=features,
            control=control,
            control_mean=control_mean,
            bounds=bounds,
        )

    def estimate_measure(self, counts: pd.DataFrame, spec: Measure) -> Estimate:
        """Return the estimate of a mean over questions, from the counts of sampled questions."""
        scores = summed_columns(counts, spec)[:, 0]
        return self.estimate_mean(list(counts.index), scores, bounds=spec.bounds)

    def estimate_with_known(
        self,
        ids: Sequence[str],
        scores: Array,
        controls: KnownMeans,
        *,
        bounds: tuple[float, float] = (0.0, 1.0),
    ) -> Estimate:
        """Return the estimate of the pool's mean score, with less error due to known scores.

        `regression_estimate` assumes equal inclusion probabilities, scores within 0 and 1, and more
        questions than columns; otherwise `estimate_mean` uses the first column only.
        """
        has_equal_chances = len(set(self.inclusion.values())) == 1
        if not has_equal_chances or len(ids) < FEWEST or bounds != (0.0, 1.0):
            return self.estimate_mean(
                ids,
                scores,
                control=controls.sampled[:, 0],
                control_mean=float(controls.means[0]),
                bounds=bounds,
            )

        moments = regression_estimate(
            scores, self.pool, controls, neighbours=self.neighbours(ids), bounds=bounds
        )
        low, high = wilson_interval(moments, len(ids))
        if len(ids) == self.pool:
            method = "exact: the whole pool"
            effective = float(self.pool)
        else:
            method = "regression on known scores, Wilson, plus 2"
            if self.features is not None:
                method += ", local mean variance"
            effective = effective_size_of(scores, moments.sample_variance, self.pool)

        return Estimate(
            estimate=moments.estimate,
            low=low,
            high=high,
            n=len(ids),
            pool_size=self.pool,
            effective_size=effective,
            method=method,
        )

    def neighbours(self, ids: Sequence[str]) -> Neighbours:
        """Return the indices of each question and its nearest ones, see `Neighbours`."""
        if self.features is None:
            return None
        return neighbours_of(
            np.array([self.features[question_id] for question_id in ids]), self.pool
        )


def design_of(gold: Gold) -> Design | None:
    """Return the design of a benchmark; None for a purposive sample or an unknown one.

    A benchmark in QALD JSON has the inclusion probabilities but not the pool: the size of the pool
    is estimated, and the features are unknown.
    """
    if len(gold.inclusion) != len(gold.questions) or not gold.inclusion:
        return None
    if gold.benchmark is None:
        pool_size = round(sum(1.0 / chance for chance in gold.inclusion.values()))
        return Design(gold.inclusion, max(len(gold.inclusion), pool_size))
    matrix = gold.vectors()
    ids = [question.id for question in gold.questions]
    order = tuple(ids) if gold.benchmark.ordered else ()
    # A simple random sample is not spread over the features, so neighbours would say nothing.
    if matrix is None or gold.benchmark.provenance.method == "random":
        return Design(gold.inclusion, gold.benchmark.pool_size, order=order)
    features = dict(zip(ids, matrix, strict=True))
    return Design(gold.inclusion, gold.benchmark.pool_size, features, order)


def answered_prefix(order: Sequence[str], scores: Scores) -> tuple[str, ...]:
    """Return the prefix of an order, up to the first question that the run was not asked."""
    status = scores.counts["status"].to_dict()
    return tuple(itertools.takewhile(lambda question_id: status[question_id] != NOT_ASKED, order))


def estimation_questions(design: Design, scores: Scores) -> tuple[str, ...]:
    """Return the questions from which the score on the pool is estimated.

    In a journal, they are the longest prefix that was asked. Other formats do not say which
    questions were asked: a missing answer counts as a wrong one, which is GERBIL's rule.
    """
    if not design.order or scores.run.format != JOURNAL:
        return tuple(design.inclusion)
    usable = answered_prefix(design.order, scores)
    if not usable:
        raise DataError(
            f"the first question of the order, {design.order[0]}, was not asked, so no prefix is"
            " complete; ask the questions in the order of the benchmark",
            where=scores.name,
        )
    return usable


def pool_interval(counts: pd.DataFrame, measure: str, design: Design) -> Interval:
    """Return a measure for the whole pool: a mean by the design, others by weighted sums."""
    spec = find_measure(measure, counts)
    restricted = design.restricted(list(counts.index))
    if not spec.is_mean:
        return measure_interval(counts, measure, weights=restricted.weights())
    return restricted.estimate_measure(counts, spec).interval


def pool_or_sample_scores(
    counts: pd.DataFrame,
    slices: Iterable[Slice],
    measure: str,
    weights: pd.Series[float] | Design | None,
    random_state: int,
) -> pd.DataFrame:
    """Return the table of `slicing.group_scores`; with a design, estimates for the whole pool.

    A design gives intervals for means over questions; for any other measure it only gives weights.
    """
    spec = find_measure(measure, counts)
    if isinstance(weights, Design) and not spec.is_mean:
        weights = weights.weights()
    if not isinstance(weights, Design):
        return group_scores(counts, slices, measure, weights=weights, random_state=random_state)
    rows = []
    names = []
    for slice_ in slices:
        result = weights.estimate_measure(counts[slice_.mask(counts.index)], spec)
        names.append(slice_.name)
        share = result.pool_size / weights.pool
        rows.append({"n": result.n, "share": share, **result.interval._asdict()})
    return pd.DataFrame(rows, index=pd.Index(names, name="slice"))


def pool_differences(
    pairs: pd.DataFrame,
    counts: Mapping[str, pd.DataFrame],
    slices: Iterable[Slice],
    measure: str,
    design: Design,
) -> pd.DataFrame:
    """Return the tests of a comparison with differences and intervals for the whole pool."""
    index = next(iter(counts.values())).index
    spec = find_measure(measure, next(iter(counts.values())))
    reach = spec.bounds[1] - spec.bounds[0]
    scores = {name: summed_columns(table, spec)[:, 0] for name, table in counts.items()}
    masks = {slice_.name: slice_.mask(index) for slice_ in slices}
    estimates = []
    for a, b, name in pairs[["a", "b", "slice"]].itertuples(index=False):
        ids = list(index[masks[name]])
        differences = (scores[a] - scores[b])[masks[name]]
        estimates.append(design.estimate_mean(ids, differences, bounds=(-reach, reach)))
    return pairs.assign(
        difference=[estimate.estimate for estimate in estimates],
        low=[estimate.low for estimate in estimates],
        high=[estimate.high for estimate in estimates],
        method=[estimate.method for estimate in estimates],
    )


def mean_measure(measure: str, scores: Scores) -> Measure:
    """Return a measure by its name; refuse one that is no mean over questions."""
    means = [name for name, candidate in MEASURES.items() if candidate.is_mean]
    spec = find_measure(measure, scores.counts)
    if not spec.is_mean:
        raise UsageError(
            f"only means over questions can be estimated: {', '.join(means)}; not {measure}"
        )
    return spec


def probability_design(gold: Gold) -> Design:
    """Return the design of a benchmark; refuse one that is no probability sample of its pool."""
    if gold.benchmark is None:
        raise UsageError(
            "an estimate needs the benchmark as RDF (.ttl),"
            " which says how its questions were drawn from which pool"
        )

    if gold.benchmark.design != "probability":
        method = gold.benchmark.provenance.method
        pool = f"{gold.benchmark.pool_size:,}"
        raise UsageError(
            f"{method} chose these questions on purpose, so their score does not estimate the score"
            f" on all {pool} questions, and no interval around it is honest; draw a sample by lpm,"
            " hybrid, stratified or random"
        )

    design = design_of(gold)
    if design is None:
        raise UsageError(
            "the benchmark does not say how likely each question was to be drawn; draw it again"
        )
    return design


def ordered_design(gold: Gold) -> Design:
    """Return the design of a benchmark; refuse one without an order whose prefixes are samples."""
    design = probability_design(gold)
    if not design.order:
        raise UsageError(
            "its questions have no order whose every prefix is a sample, so no rule can stop early;"
            " draw the benchmark by lpm or random with this version (hybrid, stratified and `pps`"
            " give unequal chances)",
            where=gold.questions.name,
        )
    return design
