"""Paired tests of the difference between two systems on the same questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from qaldgen.defaults import MEASURE, RESAMPLES, SEED
from qaldgen.io.arguments import check_integer
from qaldgen.scoring.intervals import FEWEST, difference_intervals, question_weights
from qaldgen.scoring.mean_bounds import Array, Flags, sums_over, two_sided_p, typical_sizes
from qaldgen.scoring.measures import Measure, find_measure, summed_columns

#: Resamples are made in blocks of at most this many numbers, to bound the memory (32 MB).
_BLOCK_CELLS = 4_000_000
#: Differences smaller than this count as equal: sums of the same numbers in another order differ
#: by rounding.
_ROUNDING = 1e-10


def pairwise_p(
    systems: Sequence[Array],
    measure: Measure,
    *,
    weights: ArrayLike | None = None,
    masks: Flags | None = None,
    n_resamples: int = RESAMPLES,
    random_state: int = SEED,
) -> dict[tuple[int, int], Array]:
    """Return two-sided p-values of the paired randomisation test (Noreen 1989; Yeh 2000, COLING).

    If both systems are equally good, their results on a question could just as well be swapped. p
    is the share of resamples with a difference at least as large as the observed one: of all
    possible resamples, if there are at most `n_resamples` or all differences are equally large (for
    scores of 0 and 1 this is McNemar's exact test), otherwise of random ones with the observed one
    among them: (k + 1) / (n_resamples + 1). Only questions on which the systems differ matter.

    `systems` has the columns that the measure adds up, of the shape (questions, columns). The keys
    of the result are the indices of each pair of systems, the values arrays with a p for each set
    of questions. All pairs share the resamples, so the sums of a system are computed once.

    >>> systems = [np.ones((6, 1)), np.zeros((6, 1)), np.zeros((6, 1))]
    >>> by_pair = pairwise_p(systems, find_measure("macro-f1"))
    >>> {pair: p.tolist() for pair, p in by_pair.items()}
    {(0, 1): [0.03125], (0, 2): [0.03125], (1, 2): [1.0]}
    """
    n = len(systems[0])
    weight = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    sets = np.ones((n, 1)) if masks is None else masks.astype(float)
    weighted_scores = [weight[:, None] * system for system in systems]
    pairs = {
        (i, j): _SystemPair(
            weighted_scores[i], weighted_scores[j], sets=sets, totals=weight @ sets, measure=measure
        )
        for i, j in combinations(range(len(systems)), 2)
    }

    exceeding = {key: np.zeros(sets.shape[1]) for key in pairs}
    inexact = {key: pair for key, pair in pairs.items() if not pair.is_exact(n_resamples).all()}
    if inexact:
        # Questions on which no pair differs do not change a difference, whatever is swapped.
        differ = np.logical_or.reduce([pair.differ for pair in inexact.values()])
        scores = np.stack(weighted_scores, axis=1)[differ]
        for sums in _sums_over_swapped(scores, sets[differ], n_resamples, random_state):
            for (i, j), pair in inexact.items():
                exceeding[i, j] += pair.exceeds(sums[:, :, j] - sums[:, :, i]).sum(axis=0)

    return {key: pair.p_values(exceeding[key], n_resamples) for key, pair in pairs.items()}


def _sums_over_swapped(
    scores: Array, sets: Array, n_resamples: int, random_state: int
) -> Iterator[Array]:
    """Yield the sums of the scores of each system over random halves of each set.

    `scores` has the shape (questions, systems, columns), `sets` (questions, sets), and each array
    (resamples, sets, systems, columns), with `n_resamples` resamples in all.
    """
    n, n_systems, n_columns = scores.shape
    # Questions in the same sets are a group, of which there are at most a few hundred: sums over
    # groups are made first, sums over sets from these.
    groups, group_of_question = np.unique(sets, axis=0, return_inverse=True)  # (groups, sets)
    group_of_question = group_of_question.ravel()
    order = np.argsort(group_of_question, kind="stable")
    starts = np.searchsorted(group_of_question[order], np.arange(len(groups) + 1))
    rows = scores.reshape(n, -1)[order]  # (questions, systems * columns), a group after the other

    n_cells = max(groups.shape) * rows.shape[1]  # numbers for each resample
    n_rows = max(1, _BLOCK_CELLS // n_cells)

    rng = np.random.default_rng(random_state)
    block = max(1, _BLOCK_CELLS // n)
    for first in range(0, n_resamples, block):
        # Bytes are drawn and unpacked to bits: one random number for eight questions.
        size = (min(block, n_resamples - first), -(-n // 8))
        bits = rng.integers(0, 256, size, dtype=np.uint8)

        for first_row in range(0, len(bits), n_rows):
            halves = np.unpackbits(bits[first_row : first_row + n_rows], axis=1, count=n)
            is_swapped = halves[:, order].astype(float)
            group_sums = np.stack([
                is_swapped[:, start:end] @ rows[start:end] for start, end in pairwise(starts)
            ])  # (groups, resamples, systems * columns)  # fmt: skip
            set_sums = groups.T @ group_sums.reshape(len(groups), -1)
            shape = (sets.shape[1], len(is_swapped), n_systems, n_columns)
            yield set_sums.reshape(shape).swapaxes(0, 1)


class _SystemPair:
    """Two systems, their sums over each set of questions, and their differences.

    Scores have the shape (questions, columns), sums (sets, columns).
    """

    def __init__(
        self,
        first: Array,
        second: Array,
        sets: Array,
        totals: Array,
        measure: Measure,
    ) -> None:
        self._swap = second - first  # what the first gains if the scores of a question are swapped
        self._sets = sets
        self._totals = totals
        self._measure = measure
        self._sums = sets.T @ first, sets.T @ second
        self.differ: Flags = np.any(self._swap != 0.0, axis=1)
        # for each set whether all differences are equally large, as with scores of 0 and 1
        self._is_uniform = np.zeros(sets.shape[1], dtype=np.bool_)
        if self._swap.shape[1] == 1:
            magnitudes = np.abs(self._swap[self.differ])
            is_inside = sets[self.differ] > 0.0
            largest = np.max(np.where(is_inside, magnitudes, 0.0), axis=0, initial=0.0)
            smallest = np.min(np.where(is_inside, magnitudes, np.inf), axis=0, initial=np.inf)
            self._is_uniform = smallest >= largest - _ROUNDING
        unchanged = np.zeros(self._sums[0].shape)
        self._observed = np.abs(self._difference(unchanged, slice(None))) - _ROUNDING

    def _difference(self, moved: Array, selection: slice | int) -> Array:
        """Return first minus second after moving `moved` from the second to the first."""
        first, second = self._sums
        totals = self._totals[selection]
        left = self._measure.value_or_zero(first[selection] + moved, totals)
        right = self._measure.value_or_zero(second[selection] - moved, totals)
        return np.asarray(left - right)

    def exceeds(self, moved: Array) -> Flags:
        """Return for each resample and set whether the difference reaches the observed one."""
        return np.asarray(
            np.abs(self._difference(moved, slice(None))) >= self._observed, dtype=np.bool_
        )

    def is_exact(self, n_resamples: int) -> Flags:
        """Return for each set whether p is exact.

        It is with at most `n_resamples` possible resamples, or with equally large differences.
        """
        # n questions have 2^n resamples
        is_small = self.differ @ self._sets <= np.log2(n_resamples)
        return np.asarray(is_small | self._is_uniform, dtype=np.bool_)

    def p_values(self, exceeding: Array, n_resamples: int) -> Array:
        """Return the p-value of each set, where `exceeding` resamples reach the difference."""
        from scipy.special import bdtr  # scipy.stats takes a second to import

        # the observed assignment is one of the resamples, hence + 1: p is never 0 and the test is
        # valid
        p = (exceeding + 1.0) / (n_resamples + 1.0)
        # over all possible resamples where there are few
        for index in np.flatnonzero(self.is_exact(n_resamples)).tolist():
            rows = self._swap[self.differ & (self._sets[:, index] > 0.0)]
            if self._is_uniform[index]:
                # McNemar's exact test: a binomial test of who is ahead how often
                n_fewer = min(int((rows > 0.0).sum()), int((rows < 0.0).sum()))
                p[index] = min(1.0, 2.0 * float(bdtr(n_fewer, len(rows), 0.5)))
            else:
                # The bits of 0 to 2^n - 1: one row for each way to swap n questions.
                swaps = np.arange(2 ** len(rows))[:, None] >> np.arange(len(rows)) & 1
                differences = np.abs(self._difference(swaps @ rows, index))
                p[index] = np.mean(differences >= self._observed[index])
        return p


class PairedTest(NamedTuple):
    """How system A differs from system B on the same questions."""

    n: int  # questions
    #: A minus B, and its interval; bounds are NaN below 5 questions.
    difference: float
    low: float
    high: float
    #: Two-sided: the larger p of two tests, the randomisation test (results could just as well be
    #: swapped) and, for a mean, the test of equal means; NaN below 5 questions.
    p: float
    #: Cohen's dz: mean difference per question divided by its standard deviation; NaN if all
    #: differences are equal.
    dz: float
    superiority: float  # share of the questions on which A is better, ties half
    #: Questions on which A is better, equal, worse.
    wins: int
    ties: int
    losses: int
    method: str  # how the interval was made


def paired_tests(
    counts: Sequence[pd.DataFrame],
    masks: Flags,
    *,
    measure: str = MEASURE,
    weights: pd.Series[float] | None = None,
    n_resamples: int = RESAMPLES,
    random_state: int = SEED,
) -> list[list[PairedTest]]:
    """Compare each pair of systems on several sets of questions, in the order of `combinations`.

    >>> import pandas as pd
    >>> a = pd.DataFrame({"f1": [1.0] * 8 + [0.0] * 2})
    >>> b = pd.DataFrame({"f1": [1.0] * 2 + [0.0] * 8})
    >>> ((test,),) = paired_tests([a, b], np.ones((10, 1), dtype=bool))
    >>> test.wins, test.ties, test.losses, f"{test.difference:.2f}", test.p
    (6, 4, 0, '0.60', 0.03125)
    """
    check_integer("n_resamples", n_resamples, 1)
    check_integer("random_state", random_state, 0)
    spec = find_measure(measure, counts[0])

    weight = question_weights(counts[0], weights)
    systems = [summed_columns(table, spec) for table in counts]
    # Wins and losses need a score of each question: for a micro measure it is F1, if there is one.
    question_scores = []
    for table, values in zip(counts, systems, strict=True):
        if not spec.is_mean and "f1" in table:
            question_scores.append(table["f1"].to_numpy(float))
        else:
            question_scores.append(values[:, 0])
    sign = 1.0 if spec.higher_is_better else -1.0  # with fewer mistakes a system wins

    p_by_pair = pairwise_p(
        systems,
        spec,
        weights=weight,
        masks=masks,
        n_resamples=n_resamples,
        random_state=random_state,
    )
    tests = []
    for (i, j), randomisation_p in p_by_pair.items():
        first, second = systems[i], systems[j]
        p_values = randomisation_p
        if spec.is_mean:
            means_p = equal_means_p(first[:, 0] - second[:, 0], weight, masks, spec)
            p_values = np.maximum(randomisation_p, means_p)
        differences = difference_intervals(
            first, second, weight, masks, spec, random_state=random_state
        )

        gain = sign * (question_scores[i] - question_scores[j])
        tests_of_pair = []
        for mask, p, difference in zip(masks.T, p_values, differences, strict=True):
            gains = gain[mask]
            n, wins, losses = len(gains), int((gains > 0).sum()), int((gains < 0).sum())
            ties = n - wins - losses
            test = PairedTest(
                n=n,
                difference=difference.estimate,
                low=difference.low,
                high=difference.high,
                p=float("nan") if n < FEWEST else float(p),
                dz=effect_size(gains),
                superiority=(wins + ties / 2) / n if n else float("nan"),
                wins=wins,
                ties=ties,
                losses=losses,
                method=difference.method,
            )
            tests_of_pair.append(test)
        tests.append(tests_of_pair)
    return tests


def equal_means_p(differences: Array, weight: Array, masks: Flags, spec: Measure) -> Array:
    """Return two-sided p-values of equal means, for each set of questions.

    The randomisation test takes systems with equal means as different if one is a little better on
    most questions and much worse on a few. This test does not: it also counts half an imaginary
    question on which the systems differ as much as possible (see `mean_bounds`). For scores of 0
    and 1 it is McNemar's test with the mid-p value.
    """
    reach = spec.bounds[1] - spec.bounds[0]
    has_questions = masks.sum(axis=0) > 0
    p = np.ones(len(has_questions))
    if has_questions.any():
        sets = masks[:, has_questions]
        sums = sums_over(differences, weight, sets)
        p[has_questions] = two_sided_p(sums, typical_sizes(weight, sets), (-reach, reach))
    return p


def exact_test(first: Sequence[bool], second: Sequence[bool]) -> float:
    """Return the p-value of McNemar's exact test that two systems are equally often right.

    >>> exact_test([True] * 6 + [False], [False] * 7)
    0.03125
    """
    from scipy.stats import binomtest

    n_wins = sum(a and not b for a, b in zip(first, second, strict=True))
    n_losses = sum(b and not a for a, b in zip(first, second, strict=True))
    if n_wins + n_losses:
        return float(binomtest(n_wins, n_wins + n_losses).pvalue)
    return 1.0


def effect_size(differences: Array) -> float:
    """Return Cohen's dz: the mean difference divided by the standard deviation (ddof = 1).

    >>> round(effect_size(np.array([1.0, 0.0, 1.0, 0.0])), 3)
    0.866
    """
    deviation = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    if deviation > _ROUNDING:
        return float(differences.mean()) / deviation
    return float("nan")
