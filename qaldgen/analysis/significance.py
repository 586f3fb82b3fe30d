"""Is the difference between two systems real? Paired tests on the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qaldgen.analysis.intervals import FEWEST, Interval
from qaldgen.analysis.mean_bounds import sums_over, two_sided_p
from qaldgen.analysis.measure_intervals import difference_intervals
from qaldgen.analysis.randomisation import Flags, pairwise_p
from qaldgen.analysis.totals import question_weights
from qaldgen.analysis.unseen import typical_size
from qaldgen.io.arguments import check_share, check_whole
from qaldgen.scoring.measures import Array, Measure, find_measure, parts

if TYPE_CHECKING:
    import pandas as pd


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
    a: pd.DataFrame,
    b: pd.DataFrame,
    masks: Flags,
    exchanged: Array,
    *,
    measure: str = "macro-f1",
    weights: pd.Series[float] | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> list[PairedTest]:
    """Compare two systems on several sets of questions at once.

    >>> import pandas as pd
    >>> a = pd.DataFrame({"f1": [1.0] * 8 + [0.0] * 2})
    >>> b = pd.DataFrame({"f1": [1.0] * 2 + [0.0] * 8})
    >>> everything = np.ones((10, 1), dtype=bool)
    >>> p = randomisation_tests([a, b], everything, measure="macro-f1")[0, 1]
    >>> (test,) = paired_tests(a, b, everything, p)
    >>> test.wins, test.ties, test.losses, f"{test.difference:.2f}", test.p
    (6, 4, 0, '0.60', 0.03125)
    """
    check_share("confidence_level", confidence_level)
    check_whole("random_state", random_state, 0)
    kind = find_measure(measure, a)
    left, right, weight = parts(a, kind), parts(b, kind), question_weights(a, weights)
    p = exchanged
    if kind.is_mean:
        p = np.maximum(p, equal_means_p(left[:, 0] - right[:, 0], weight, masks, kind))
    # Wins and losses need a score of each question: of a micro measure, F1 is taken if there is
    # one.
    scored = "f1" if not kind.is_mean and "f1" in a.columns else None
    gain = (
        a[scored].to_numpy(float) - b[scored].to_numpy(float)
        if scored
        else left[:, 0] - right[:, 0]
    )
    if not kind.higher_is_better:
        gain = -gain  # a mistake less is a win
    level, seed = confidence_level, random_state
    differences = difference_intervals(
        left, right, weight, masks, kind, confidence_level=level, random_state=seed
    )
    return [
        _test(gain[own], float(chance), result)
        for own, chance, result in zip(masks.T, p, differences, strict=True)
    ]


def _test(gain: Array, p: float, result: Interval) -> PairedTest:
    """Put together the test of one set: the gain on each question, the p value, the interval."""
    wins, losses, n = int((gain > 0).sum()), int((gain < 0).sum()), result.n
    ties = n - wins - losses
    superiority = (wins + ties / 2) / n if n else float("nan")
    figures = result.estimate, result.low, result.high, float("nan") if n < FEWEST else p
    return PairedTest(
        n, *figures, effect_size(gain), superiority, wins, ties, losses, result.method
    )


def randomisation_tests(
    counts: Sequence[pd.DataFrame],
    masks: Flags,
    *,
    measure: str,
    weights: pd.Series[float] | None = None,
    n_resamples: int = 10_000,
    random_state: int = 0,
) -> dict[tuple[int, int], Array]:
    """Return the p-values of the randomisation test for each pair of systems and each set."""
    check_whole("n_resamples", n_resamples, 1)
    check_whole("random_state", random_state, 0)
    kind = find_measure(measure, counts[0])
    weight = question_weights(counts[0], weights)
    systems = [parts(own, kind) for own in counts]
    return pairwise_p(
        systems,
        value=kind.value,
        weights=weight,
        masks=masks,
        n_resamples=n_resamples,
        random_state=random_state,
    )


def equal_means_p(differences: Array, weight: Array, masks: Flags, kind: Measure) -> Array:
    """Return two-sided p-values of equal means, for each set of questions.

    The randomisation test takes systems with equal means as different if one is a little better on
    most questions and much worse on a few. This test does not: it also weighs half an imaginary
    question on which the systems differ as much as possible (see `mean_bounds`). For scores of 0
    and 1 it is McNemar's test with the mid-p value.
    """
    reach = kind.bounds[1] - kind.bounds[0]
    some = masks.sum(axis=0) > 0
    p = np.ones(len(some))
    if some.any():
        unseen = np.array([typical_size(weight[column]) for column in masks[:, some].T])
        p[some] = two_sided_p(
            sums_over(differences, weight, masks[:, some]), unseen, (-reach, reach), shape=0.5
        )
    return p


def exact_test(one: Sequence[bool], other: Sequence[bool]) -> float:
    """Return the p-value of McNemar's exact test that two systems are equally often right.

    >>> exact_test([True] * 6 + [False], [False] * 7)
    0.03125
    """
    from scipy.stats import binomtest

    won = sum(a and not b for a, b in zip(one, other, strict=True))
    lost = sum(b and not a for a, b in zip(one, other, strict=True))
    return float(binomtest(won, won + lost).pvalue) if won + lost else 1.0


def effect_size(differences: Array) -> float:
    """Return Cohen's dz: the mean difference divided by the standard deviation (ddof = 1).

    >>> round(effect_size(np.array([1.0, 0.0, 1.0, 0.0])), 3)
    0.866
    """
    # compared with a small number below, because equal differences leave rounding errors
    deviation = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    return float(differences.mean()) / deviation if deviation > 1e-10 else float("nan")
