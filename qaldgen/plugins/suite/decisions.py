"""Decide which kinds of questions got worse, while the answers come in.

Each kind is looked at as `gate` looks at a run, at sizes that are fixed beforehand. One bound holds
for every look at every kind: between systems that are equally good, the largest of all statistics
is beyond it in 5 % of the runs. Statistics of kinds that share questions go together, so the bound
is lower than one for kinds that share none. It is simulated from the orders of the questions before
the first answer, with differences that vary equally on every question. A claim leaves its share of
the error to the other kinds (step-down tests by the maximum: Romano and Wolf 2005, Econometrica 73;
equal bounds over looks: Pocock 1977, Biometrika 64).

A kind is also decided when a fall of the planned size is excluded: in most runs nothing has
changed, and waiting for a difference would ask every question. Nine tenths of the falls that the
power leaves unseen may be missed in this way.

A claim is about new questions of the kind: a kind of which every question was asked is no exact
result.
"""

from __future__ import annotations

import functools
import itertools
import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from qaldgen.analysis.estimating.regression_estimate import KnownMeans, Moments, regression_estimate
from qaldgen.defaults import ALPHA
from qaldgen.plugins.stopping.look_plan import FIRST_LOOK, look_sizes
from qaldgen.plugins.stopping.looks import Look, take_look
from qaldgen.scoring.mean_bounds import Array

#: The share of the falls that the power leaves unseen which may be called "no difference".
_MISSED_SHARE = 0.9
NO_DIFFERENCE = "no difference"
NOT_ENOUGH = "not enough"
#: Stands for the number of all possible questions of a kind.
_INFINITE_POOL = 10**9
#: The ratio of one look to the next: more looks than in `gate`, as each may decide a kind early.
_KIND_GROWTH = 1.15
#: Simulated runs for bounds and sizes.
_SIMULATED_RUNS = 10_000
#: Runs that are simulated at once.
_RUNS_AT_ONCE = 1_000
#: The step between numbers of questions that are tried.
_STEP = 5


class InterimDifference(NamedTuple):
    """The differences at a look at a kind: new minus old."""

    n: int  # questions
    estimate: float
    variance: float

    def judge(self, bound: float) -> Look:
        """Return the look as in `gate`; a statistic beyond the bound is a claim."""
        moments = Moments(self.estimate, self.variance, self.n - 2, self.variance)
        return _cached_look(moments, self.n, bound)


#: Cached, as every look is judged again whenever another kind is claimed.
_cached_look = functools.lru_cache(maxsize=10_000)(take_look)


class KindOutcome(NamedTuple):
    """The verdict on a kind."""

    verdict: str  # ``better``, ``worse``, ``no difference``, ``not enough``; empty to go on
    look: Look | None = None  # the look that decided, or the last one; None if there was none


def interim_difference(
    differences: Array, old: Array, verdict_variance: float = 0.0
) -> InterimDifference:
    """Return the look at the differences of the first questions, new minus old.

    `old` are the earlier scores on all questions of the kind, in the same order: a score can only
    fall where it was right, so they show how the first questions differ from the others.
    `verdict_variance` is the sum of the variances of verdicts that may be wrong.

    >>> old = np.tile([1.0, 1.0, 0.0, 0.0], 20)
    >>> look = interim_difference(np.tile([-1.0, 0.0, 0.0, 0.0], 10), old)
    >>> look.n, round(look.estimate, 2), round(look.variance, 4)
    (40, -0.25, 0.0053)
    """
    n = len(differences)
    size = len(old)
    old_means = KnownMeans(old[:n, None], old.mean(keepdims=True))
    bounds = (-1.0, 1.0)
    moments = regression_estimate(differences, size, old_means, neighbours=None, bounds=bounds)
    # the questions at hand are a sample of all questions of the kind
    sample_moments = regression_estimate(
        differences, _INFINITE_POOL, KnownMeans.nothing(n), neighbours=None, bounds=bounds
    )
    variance = moments.variance + sample_moments.variance * n / size
    return InterimDifference(n, moments.estimate, variance + verdict_variance / n**2)


def sizes_of_looks(largest: int) -> tuple[int, ...]:
    """Return the numbers of questions at each look, empty for a kind with too few questions.

    >>> sizes_of_looks(100), sizes_of_looks(29)
    ((30, 35, 40, 45, 50, 60, 65, 75, 85, 100), ())
    """
    if largest < FIRST_LOOK:
        return ()
    return look_sizes(largest, _KIND_GROWTH)


class SuitePlan:
    """The plan before the first answer: the looks at each kind, and the bounds.

    Parameters
    ----------
    orders
        By kind its questions in the order of asking.
    sizes
        By kind the questions at each look; empty for a kind that is never looked at.
    difference, power
        The fall to detect, and the probability of detecting it.

    Examples
    --------
    >>> sizes = dict.fromkeys("ab", sizes_of_looks(90))
    >>> apart = SuitePlan({"a": range(90), "b": range(90, 180)}, sizes, 0.2, 0.8)
    >>> alike = SuitePlan({"a": range(90), "b": range(2, 92)}, sizes, 0.2, 0.8)
    >>> round(apart.bound("ab"), 1), round(alike.bound("ab"), 1), round(alike.bound("a"), 1)
    (2.5, 2.2, 2.1)
    """

    def __init__(
        self,
        orders: Mapping[str, Sequence[object]],
        sizes: Mapping[str, tuple[int, ...]],
        difference: float,
        power: float,
    ) -> None:
        self.sizes = sizes
        self.difference = difference
        self.power = power
        with_looks = {kind: orders[kind] for kind in sizes if sizes[kind]}
        self._peaks = dict(zip(with_looks, _draw_peaks(with_looks, sizes), strict=True))

    def bound(self, kinds: Iterable[str]) -> float:
        """Return the bound, a normal deviate, for claims at any look at any of these kinds."""
        highest = np.max([self._peaks[kind] for kind in kinds], axis=0)
        return float(np.quantile(highest, 1.0 - ALPHA))

    def decide(self, looks: Mapping[str, Sequence[InterimDifference]]) -> dict[str, KindOutcome]:
        """Return the verdict on each kind from the looks that were taken so far."""
        outcomes: dict[str, KindOutcome] = {}
        undecided_kinds = list(self._peaks)
        bound = self.bound(undecided_kinds) if undecided_kinds else 0.0

        while True:
            claims = {}
            for kind in undecided_kinds:
                for difference in looks[kind]:
                    look = difference.judge(bound)
                    if look.verdict:
                        claims[kind] = KindOutcome(look.verdict, look)
                        break

            outcomes |= claims
            undecided_kinds = [kind for kind in undecided_kinds if kind not in claims]
            if not claims or not undecided_kinds:
                break
            # a claim leaves its share of the error to the undecided kinds
            bound = self.bound(undecided_kinds)

        for kind, sizes in self.sizes.items():
            if kind in outcomes:
                continue
            verdict = NOT_ENOUGH if len(looks[kind]) == len(sizes) else ""
            outcomes[kind] = KindOutcome(verdict)
            if looks[kind]:
                outcomes[kind] = KindOutcome(verdict, looks[kind][-1].judge(bound))

            # the first look that excludes a fall of the planned size decides
            for difference in looks[kind]:
                look_at_fall = difference.judge(_exclusion_bound(sizes, self.power))
                if look_at_fall.low > -self.difference:
                    outcomes[kind] = KindOutcome(NO_DIFFERENCE, look_at_fall)
                    break

        return outcomes

    def chance(self, sizes: tuple[int, ...], fall: float, deviation: float) -> float:
        """Return the probability that a fall is called worse in a kind with looks at `sizes`.

        `deviation` is the standard deviation of the difference of one question.
        """
        if not sizes:
            return 0.0
        # simulated, since a run may stop for two reasons at each look
        n = np.array(sizes, dtype=float)
        estimate = _simulate_looks(sizes) * deviation / np.sqrt(n) - fall
        error = np.sqrt(deviation**2 / n + 2.0 / n**2)
        is_worse = estimate / error <= -self.bound(self._peaks)
        is_same = estimate - error * _exclusion_bound(sizes, self.power) > -self.difference
        first_worse = np.where(is_worse.any(axis=1), is_worse.argmax(axis=1), len(sizes))
        first_same = np.where(is_same.any(axis=1), is_same.argmax(axis=1), len(sizes))
        return float(np.mean((first_worse < len(sizes)) & (first_worse <= first_same)))


def _draw_peaks(
    orders: Mapping[str, Sequence[object]], sizes: Mapping[str, tuple[int, ...]]
) -> Array:
    """Return the highest statistic of each kind in each simulated run without a difference."""
    prefixes: list[Sequence[object]] = []
    starts = []  # the first look at each kind
    for kind, order in orders.items():
        starts.append(len(prefixes))
        prefixes += [order[:n] for n in sizes[kind]]
    row_by_question: dict[object, int] = {}
    for question in itertools.chain.from_iterable(prefixes):
        row_by_question.setdefault(question, len(row_by_question))
    weights = np.zeros((len(row_by_question), len(prefixes)), dtype=np.float32)
    for column, prefix in enumerate(prefixes):
        weights[[row_by_question[question] for question in prefix], column] = len(prefix) ** -0.5
    rng = np.random.default_rng(0)
    peaks = []
    for _ in range(_SIMULATED_RUNS // _RUNS_AT_ONCE):
        noise = rng.standard_normal((_RUNS_AT_ONCE, len(row_by_question)), dtype=np.float32)
        peaks.append(np.maximum.reduceat(noise @ weights, starts, axis=1))
    return np.concatenate(peaks).T


@functools.lru_cache(maxsize=500)
def _simulate_looks(sizes: tuple[int, ...]) -> Array:
    """Return the statistic of one kind at each look in simulated runs without a difference."""
    n = np.array(sizes, dtype=float)
    steps = np.sqrt(np.diff(n, prepend=0.0))
    noise = np.random.default_rng(0).standard_normal((_SIMULATED_RUNS, len(n)))
    walks: Array = np.cumsum(noise * steps, axis=1) / np.sqrt(n)
    return walks


@functools.lru_cache(maxsize=500)
def _exclusion_bound(sizes: tuple[int, ...], power: float) -> float:
    """Return the bound, a normal deviate, that excludes a fall at any look at a kind."""
    missed = _MISSED_SHARE * (1.0 - power)
    return float(np.quantile(_simulate_looks(sizes).max(axis=1), 1.0 - missed))


def plan_for(
    orders: Mapping[str, Sequence[object]], difference: float, power: float, deviation: float
) -> SuitePlan:
    """Return the plan with the fewest questions that show a fall with a power, else with all.

    >>> plan_for({"a": range(200), "b": range(100, 300)}, 0.2, 0.8, 0.5).sizes["a"][-1]
    75
    """
    longest = max(map(len, orders.values()))
    candidates = list(range(FIRST_LOOK, longest, _STEP))
    candidates.append(longest)

    def plan_of(largest: int) -> SuitePlan:
        sizes = {kind: sizes_of_looks(min(largest, len(order))) for kind, order in orders.items()}
        return SuitePlan(orders, sizes, difference, power)

    def chance(largest: int) -> float:
        return plan_of(largest).chance(sizes_of_looks(largest), difference, deviation)

    index = bisect_left(candidates, power, key=chance)
    if index == len(candidates):  # not even all questions have the power
        return plan_of(longest)
    return plan_of(candidates[index])


def least_fall(plan: SuitePlan, kind: str, deviation: float) -> float | None:
    """Return the least fall that a kind shows with the power of the plan; None without one."""
    sizes = plan.sizes[kind]
    falls = [step / 100 for step in range(1, 100)]
    index = bisect_left(falls, plan.power, key=lambda fall: plan.chance(sizes, fall, deviation))
    if index < len(falls):
        return falls[index]
    return None


def score_deviation(disagreement: float, difference: float) -> float:
    """Return the deviation of differences if two versions differ on a share of the questions.

    >>> round(score_deviation(0.3, 0.2), 3)
    0.51
    """
    return math.sqrt(max(disagreement, difference) - difference**2)
