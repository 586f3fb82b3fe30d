"""What the parameters of public functions take.

A signature says it once: `qaldgen.commands.signatures` makes the options of the command line from
the annotations, which type checkers read as plain types.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple


class Range(NamedTuple):
    """Numbers from `low` to `high`; `open` leaves out the ends."""

    low: float | None = None
    high: float | None = None
    open: bool = False


class OneOf(NamedTuple):
    """The names of a table, see ``qaldgen list``."""

    table: str


#: A probability that is neither 0 nor 1.
Share = Annotated[float, Range(0, 1, open=True)]
#: A number above 0.
Positive = Annotated[float, Range(0, open=True)]
#: A number of things, at least one.
Count = Annotated[int, Range(1)]
Seed = Annotated[int, Range(0)]
Corrections = Annotated[str, OneOf("corrections")]
Matchers = Annotated[str, OneOf("matchers")]
Measures = Annotated[str, OneOf("measures")]
Methods = Annotated[str, OneOf("methods")]
