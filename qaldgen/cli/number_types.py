"""Types of numbers on the command line."""

from __future__ import annotations

import math
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """A finite number within a range; click itself accepts NaN in every range."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - what click passes
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Convert a value, or fail."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def number_type(
    python_type: type, low: float | None, high: float | None, *, min_open: bool, max_open: bool
) -> click.ParamType[Any]:
    """Return the click type of numbers within limits; of any text for other types."""
    if python_type is int:
        if low is None and high is None:
            return click.INT
        minimum = None if low is None else int(low)
        maximum = None if high is None else int(high)
        return click.IntRange(minimum, maximum)
    if python_type is float:
        return FiniteRange(low, high, min_open=min_open, max_open=max_open)
    return click.STRING
