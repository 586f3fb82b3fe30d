"""How far two labellers, or a labeller and an automatic verdict, agree."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qaldgen.errors import DataError
from qaldgen.io.text import count, few_and_more
from qaldgen.plugins.labelling.sheets import read_sheet
from qaldgen.scoring.mean_bounds import Array

#: Wrong, partly right, and right.
_CATEGORIES = (0, 1, 2)


def agreement(first: Array, second: Array, weights: Array | None = None) -> tuple[float, float]:
    """Return the share of answers on which two verdicts agree, and Cohen's kappa.

    Verdicts are taken as wrong (0), right (1) or partly right (between); NaN is none. `weights` are
    the numbers of answers that each one represents. Kappa is NaN if both always give one verdict.

    >>> agree, kappa = agreement(np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0]))
    >>> round(agree, 2), round(kappa, 2)
    (0.75, 0.5)
    """
    is_judged = ~(np.isnan(first) | np.isnan(second))
    if not is_judged.any():
        return math.nan, math.nan
    first_categories = _categorise(first[is_judged])
    second_categories = _categorise(second[is_judged])
    if weights is not None:
        weights = weights[is_judged]

    def share(is_counted: NDArray[np.bool_]) -> float:
        return float(np.average(is_counted, weights=weights))

    share_agreed = share(first_categories == second_categories)
    expected = sum(
        share(first_categories == category) * share(second_categories == category)
        for category in _CATEGORIES
    )
    if expected < 1.0:
        return share_agreed, (share_agreed - expected) / (1.0 - expected)
    return share_agreed, math.nan


def _categorise(verdicts: Array) -> NDArray[np.int_]:
    """Return the category of each verdict, one of `_CATEGORIES`."""
    values = np.asarray(verdicts, dtype=float)
    return np.select([values <= 0.0, values >= 1.0], [0, 2], default=1)


def kappa_text(kappa: float, decimals: int) -> str:
    """Return Cohen's kappa for people, or why it is not defined."""
    if kappa != kappa:
        return "not defined: both give one label throughout"
    return f"{kappa:.{decimals}f}"


@dataclasses.dataclass(frozen=True)
class Agreement:
    """The agreement of two labellers."""

    answers: int  # the number of answers that both labelled
    agreement: float  # the share of these on which they agree
    kappa: float  # Cohen's kappa, the same corrected for chance
    #: The mean label of each.
    first: float
    second: float
    differing: tuple[str, ...]  # the questions on which they differ

    def __str__(self) -> str:
        """Return the agreement as a sentence."""
        text = (
            f"{count(self.answers, 'answer')} labelled by both: they agree on {self.agreement:.1%}"
            f" (kappa {kappa_text(self.kappa, 2)}); {self.first:.1%} and {self.second:.1%} are"
            " right by them"
        )
        if self.differing:
            text += f"; they differ on {few_and_more(self.differing, 10)}"
        return text


def agree(first: str | Path, second: str | Path) -> Agreement:
    """Return the agreement of two labellers on the answers that both have labelled."""
    first_labels = read_sheet(first).labels
    second_labels = read_sheet(second).labels
    common = [key for key in first_labels if key in second_labels]
    if not common:
        raise DataError(f"{first} and {second} have no labelled answer in common")
    a = np.array([first_labels[key] for key in common])
    b = np.array([second_labels[key] for key in common])
    share_agreed, kappa = agreement(a, b)
    return Agreement(
        answers=len(common),
        agreement=share_agreed,
        kappa=kappa,
        first=float(a.mean()),
        second=float(b.mean()),
        differing=tuple(key for key in common if first_labels[key] != second_labels[key]),
    )
