"""How differences are tested: level, resamples and seed; p-values adjusted for the number of tests.

NaN means that no test was made.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from qaldgen.defaults import ALPHA, RESAMPLES, SEED
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_integer, check_share, one_of
from qaldgen.options import Corrections, Resamples, Seed, Share
from qaldgen.scoring.mean_bounds import Array


def holm(p: ArrayLike) -> Array:
    """Return p-values adjusted so that the chance of any false claim is bounded.

    Holm 1979, Scandinavian Journal of Statistics 6.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, dtype=float)
    order = np.argsort(values)
    in_order = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(in_order, 1.0)
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> Array:
    """Return p-values adjusted so that the expected share of false claims is bounded.

    Benjamini and Hochberg 1995, Journal of the Royal Statistical Society B 57.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(np.asarray(p, dtype=float)), dtype=np.float64)


def p_in_words(p: float) -> str:
    """Return an adjusted p-value as a phrase; below 0.001 it is not given exactly.

    >>> p_in_words(0.0312), p_in_words(2.2e-48)
    ('corrected p = 0.031', 'corrected p below 0.001')
    """
    if p >= 0.001:
        return f"corrected p = {p:.2g}"
    return "corrected p below 0.001"


class Correction(NamedTuple):
    """A correction of p-values for the number of tests."""

    adjust: Callable[[ArrayLike], Array]  # takes p-values, returns the adjusted ones
    help: str  # what it does, in one line
    source: str  # who published it, for reports


#: The corrections by name.
CORRECTIONS = {
    "holm": Correction(
        holm,
        help="p-values adjusted so that the chance of any false claim is bounded",
        source="Holm (1979)",
    ),
    "bh": Correction(
        benjamini_hochberg,
        help="p-values adjusted so that the expected share of false claims is bounded",
        source="Benjamini and Hochberg (1995)",
    ),
}


def _check_correction(name: str) -> None:
    if name not in CORRECTIONS:
        raise UsageError(f"unknown correction {name!r}; {one_of(name, CORRECTIONS)}")


def adjust(p: ArrayLike, correction: str = "holm") -> Array:
    """Return adjusted p-values; NaN stays NaN and does not count as a test.

    >>> adjust([0.02, float("nan"), 0.03]).tolist()
    [0.04, nan, 0.04]
    """
    _check_correction(correction)
    values = np.asarray(p, dtype=float)
    is_tested = ~np.isnan(values)
    adjusted = np.full(len(values), np.nan)
    if is_tested.any():
        adjusted[is_tested] = CORRECTIONS[correction].adjust(values[is_tested])
    return adjusted


@dataclasses.dataclass(frozen=True)
class Significance:
    """How differences between systems are tested.

    Parameters
    ----------
    correct
        Correction for multiple tests.

        ``holm``: with probability 1 - `alpha` no claim at all is false; ``bh``: on average at most
        this share of the claims is false.
    alpha
        Significance level of the corrected tests.
    n_resamples
        Number of resamples per test.

        More are made if the correction for many tests would make significance impossible.
    random_state
        Seed of the random resamples.
    """

    correct: Corrections = "holm"
    alpha: Share = ALPHA
    n_resamples: Resamples = RESAMPLES
    random_state: Seed = SEED

    def __post_init__(self) -> None:
        """Refuse an unknown correction, and numbers out of range."""
        _check_correction(self.correct)
        check_share("alpha", self.alpha)
        check_integer("n_resamples", self.n_resamples, 1, 10_000_000)
        check_integer("random_state", self.random_state, 0)

    def enough(self, systems: int, slices: int) -> int:
        """Return a number of resamples with which the least p is significant after correction."""
        pairs = systems * (systems - 1) // 2
        # The least p of n resamples is 1 / (n + 1), and the correction multiplies it by the number
        # of tests. The factor 2 leaves room for a resample or two that reach the observed
        # difference.
        return max(self.n_resamples, math.ceil(2 * pairs * slices / self.alpha))
