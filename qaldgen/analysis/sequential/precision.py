"""Stop as soon as the interval is narrow enough.

This rule needs no correction for looking often: the width hardly depends on whether the estimate is
lucky (Chow and Robbins 1965, Annals of Mathematical Statistics 36). The ordinary interval is
printed.
"""

from __future__ import annotations

import dataclasses

from qaldgen.analysis.estimation import Estimate
from qaldgen.analysis.sequential.bounds import FIRST_LOOK
from qaldgen.io.arguments import check_number

#: Questions between two looks.
STEP = 10


@dataclasses.dataclass(frozen=True)
class Precision:
    """A wanted precision.

    Attributes
    ----------
    half_width : float
        Half the width of the 95 % interval.
    first, step : int
        The first look, and the questions between two looks.
    """

    half_width: float
    first: int = FIRST_LOOK
    step: int = STEP

    def __post_init__(self) -> None:
        """Refuse a width that is always or never reached."""
        check_number("the wanted half-width", self.half_width, above=0)

    def reached(self, found: Estimate) -> bool:
        """Say whether an estimate is precise enough.

        Parameters
        ----------
        found
            The estimate.

        Returns
        -------
        bool
            False if it has no interval.
        """
        return (found.high - found.low) / 2.0 <= self.half_width
