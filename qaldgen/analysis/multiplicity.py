"""Adjust p-values for the number of tests; NaN means that no test was made."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.scoring.measures import Array


def holm(p: ArrayLike) -> Array:
    """Return p-values adjusted so that the chance of any false claim is bounded.

    Holm 1979, Scandinavian Journal of Statistics 6.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, dtype=float)
    order = np.argsort(values)
    raised = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> Array:
    """Return p-values adjusted so that the expected share of false claims is bounded.

    Benjamini and Hochberg 1995, Journal of the Royal Statistical Society B 57.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(np.asarray(p, dtype=float)), dtype=np.float64)


#: The corrections by name.
CORRECTIONS: dict[str, Callable[[ArrayLike], Array]] = {"holm": holm, "bh": benjamini_hochberg}


def adjust(p: ArrayLike, correction: str = "holm") -> Array:
    """Return adjusted p-values; NaN stays NaN and does not count as a test.

    >>> adjust([0.02, float("nan"), 0.03]).tolist()
    [0.04, nan, 0.04]
    """
    if correction not in CORRECTIONS:
        raise UsageError(f"unknown correction {correction!r}; {one_of(correction, CORRECTIONS)}")
    values = np.asarray(p, dtype=float)
    looked = ~np.isnan(values)
    adjusted = np.full(len(values), np.nan)
    if looked.any():
        adjusted[looked] = CORRECTIONS[correction](values[looked])
    return adjusted
