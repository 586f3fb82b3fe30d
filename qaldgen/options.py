"""What the parameters of public functions take, and the options that rows of tables bring.

Each is said once: `qaldgen.commands.signatures` makes options of the command line from annotations,
which type checkers read as plain types, and `qaldgen.commands.row_options` those of rows.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from qaldgen.errors import UsageError
from qaldgen.io.names import one_of


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


class Option(NamedTuple):
    """An option of a row: ``min_points`` in Python, ``--min-points`` on the command line.

    Attributes
    ----------
    name : str
        Its name in Python.
    default : int, float, str or bool
        The default, whose type decides: whole numbers, numbers, text, or a flag.
    help : str
        Its meaning, for the command line.
    minimum, below : float or None
        The least allowed number, and an upper bound that is not allowed itself.
    choices : tuple of str
        The allowed texts; empty for any.
    flag : str
        A short name on the command line, such as ``-r``.
    """

    name: str
    default: float | str
    help: str
    minimum: float | None = None
    choices: tuple[str, ...] = ()
    below: float | None = None
    flag: str = ""

    def check(self, value: float | str) -> None:
        """Raise UsageError if `value` is not allowed."""
        if self.choices and value not in self.choices:
            raise UsageError(f"{self.name} is {value!r}; {one_of(str(value), self.choices)}")
        if isinstance(self.default, str) != isinstance(value, str):
            raise UsageError(
                f"{self.name} is {value!r}; it must be a "
                f"{'text' if isinstance(self.default, str) else 'number'}"
            )
        if self.minimum is not None and not (
            isinstance(value, (int, float)) and self.minimum <= value < math.inf
        ):
            raise UsageError(
                f"{self.name} is {value}; it must be a number of {self.minimum:g} or more"
            )
        if self.below is not None and not (isinstance(value, (int, float)) and value < self.below):
            raise UsageError(f"{self.name} is {value}; it must be a number below {self.below:g}")
        if isinstance(self.default, int) and value != int(value):
            raise UsageError(f"{self.name} is {value}; it must be a whole number")
