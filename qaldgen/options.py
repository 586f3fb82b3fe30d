"""Types of the parameters of public functions, and the options of rows of tables.

The command line follows from both: `qaldgen.cli.signatures` makes options from annotations, which
type checkers read as plain types, and `qaldgen.cli.row_options` from the options of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from qaldgen.errors import UsageError
from qaldgen.io.arguments import did_you_mean, one_of


# Classes rather than named tuples: those are equal if their fields are, and then `typing` takes one
# annotation for the other.
@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, without the ends if `open`; `metavar` is their name in help."""

    low: float | None = None
    high: float | None = None
    open: bool = False
    metavar: str = "N"


@dataclass(frozen=True)
class OneOf:
    """The names of a table, see ``qaldgen list``.

    `only` says whether other values are refused; `check`, a function as ``module:function``, may
    refuse them instead.
    """

    table: str
    only: bool = True
    check: str = ""


@dataclass(frozen=True)
class Text:
    """A text, which may have escapes for line break and tab; `metavar` is its name in help."""

    metavar: str
    escaped: bool = False


@dataclass(frozen=True)
class FileName:
    """A file.

    `use` says what becomes of it: a ``file`` is read, ``written``, or ``continued`` if it exists;
    ``name`` may also name something that is known, ``run`` is a file of answers or the name of a
    system beside the questions, ``questions`` a question set.
    """

    use: str
    metavar: str = "FILE"


@dataclass(frozen=True)
class Choice:
    """One of some texts."""

    choices: tuple[str, ...]


@dataclass(frozen=True)
class Flag:
    """True or false."""


@dataclass(frozen=True)
class Pairs:
    """A mapping of texts, NAME=VALUE each."""


@dataclass(frozen=True)
class Megabytes:
    """A number of bytes above 0, which the command line takes in megabytes."""


Bytes = Annotated[int, Megabytes()]
JournalPath = Annotated[str | Path, FileName("continued")]
PathOrName = Annotated[str | Path, FileName("name")]
RunPathOrName = Annotated[str, FileName("run", "RUN")]
OutputPath = Annotated[str, FileName("written")]
Folder = Annotated[str, Text("DIR")]
Url = Annotated[str, Text("URL")]
Separator = Annotated[str, Text("SEP", escaped=True)]
ConditionText = Annotated[str, Text("CONDITION")]
#: A field of a file, by its name.
Field = Annotated[str, Text("FIELD")]
#: A property of RDF: its IRI, or a name with a prefix.
Property = Annotated[str, Text("PROPERTY")]
#: A probability that is neither 0 nor 1.
Share = Annotated[float, Range(0, 1, open=True)]
#: A number above 0.
Positive = Annotated[float, Range(0, open=True)]
Price = Annotated[float, Range(0, metavar="COST")]
Seconds = Annotated[float, Range(0, open=True, metavar="SECONDS")]
#: A number of things, at least one.
PositiveInt = Annotated[int, Range(1)]
Natural = Annotated[int, Range(0)]
#: A number of things that run at the same time.
Parallel = Annotated[int, Range(1, 1_000)]
#: A number of questions in a sample or a pool: one alone has no spread.
AtLeastTwo = Annotated[int, Range(2)]
Seed = Annotated[int, Range(0)]
Resamples = Annotated[int, Range(100, 10_000_000)]
#: Knowledge graphs for which data sets have queries.
GraphName = Literal["dbpedia", "wikidata", "freebase"]
#: Sampling methods that put every question of a pool into a cluster; see `cluster`.
ClusteringMethod = Literal["km++", "agglomerative", "feasible", "feasible-exmp"]
Corrections = Annotated[str, OneOf("corrections")]
Exports = Annotated[str, OneOf("exports")]
Extractions = Annotated[
    str, OneOf("extractions", check="qaldgen.scoring.words.extraction:make_extractor")
]
Formats = Annotated[str, OneOf("formats", check="qaldgen.questions.reading:check_format")]
Matchers = Annotated[str, OneOf("matchers")]
Measures = Annotated[str, OneOf("measures")]
MissingAnswers = Annotated[str, OneOf("missing-answers")]
Methods = Annotated[str, OneOf("methods", check="qaldgen.sampling:method_named")]
MissingFeatures = Annotated[str, OneOf("missing-features")]
Repeats = Annotated[str, OneOf("repeats", check="qaldgen.scoring.repeats:read_aggregation")]
RunFormats = Annotated[str, OneOf("runs", check="qaldgen.answers.reading:check_format")]
SameAs = Annotated[str, OneOf("same-as")]
Scalings = Annotated[str, OneOf("scalings")]


class Option(NamedTuple):
    """An option of a row: ``min_points`` in Python, a flag on the command line.

    Attributes
    ----------
    name : str
        The name in Python.
    default : int, float, str, bool, tuple of str or None
        The default, whose type decides: whole numbers, numbers, text, a flag, or several texts.
        None if there is no default.
    help : str
        The meaning, for the command line.
    minimum : float or None
        The least allowed number.
    choices : tuple of str
        The allowed texts; empty for any.
    below : float or None
        An upper bound that is not allowed itself.
    flag : str
        A short name on the command line, such as ``-r``.
    maximum : float or None
        The largest allowed number.
    kind : type or None
        The type of the values if it differs from that of the default; `Path` for a file that is
        read.
    """

    name: str
    default: float | str | tuple[str, ...] | None
    help: str
    minimum: float | None = None
    choices: tuple[str, ...] = ()
    below: float | None = None
    flag: str = ""
    maximum: float | None = None
    kind: type | None = None

    @property
    def type(self) -> type:
        """The type of a value, or of each value if there may be several."""
        if self.kind is None and isinstance(self.default, tuple):
            return str
        return self.kind or type(self.default)

    def check(self, value: object) -> None:
        """Raise UsageError if `value` is not allowed."""
        if not isinstance(self.default, tuple):
            if value is not None or self.default is not None:
                self._check_value(value)
            return
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise UsageError(f"{self.name} is {value!r}; it must be a tuple of texts")
        for entry in value:
            self._check_value(entry)

    def _check_value(self, value: object) -> None:
        """Refuse a value of another type, out of range, or that is none of the choices."""
        if self.choices and value not in self.choices:
            raise UsageError(f"{self.name} is {value!r}; {one_of(str(value), self.choices)}")

        if issubclass(self.type, (str, Path)):
            if not isinstance(value, (str, self.type)):
                raise UsageError(f"{self.name} is {value!r}; it must be a text")
            return

        if not isinstance(value, (int, float)):
            raise UsageError(f"{self.name} is {value!r}; it must be a number")
        if self.minimum is not None and not self.minimum <= value < math.inf:
            raise UsageError(
                f"{self.name} is {value}; it must be a number of {self.minimum:g} or more"
            )
        if self.below is not None and not value < self.below:
            raise UsageError(f"{self.name} is {value}; it must be a number below {self.below:g}")
        if self.maximum is not None and not value <= self.maximum:
            raise UsageError(f"{self.name} is {value}; it must be at most {self.maximum:g}")
        if issubclass(self.type, int) and value != int(value):
            raise UsageError(f"{self.name} is {value}; it must be a whole number")


def rows_with_option(table: Mapping[str, Any], name: str) -> list[str]:
    """Return the names of the rows that have an option."""
    names = []
    for row_name, row in table.items():
        if any(option.name == name for option in row.options):
            names.append(row_name)
    return names


def option_values(
    label: str, name: str, table: Mapping[str, Any], values: Mapping[str, object]
) -> dict[str, Any]:
    """Return a value for each option of the row `name`: one of `values`, or the default.

    Options of other rows and invalid values are refused. `label` is the noun for a row in messages.
    """
    options = {option.name: option for option in table[name].options}
    for key, value in values.items():
        if key not in options:
            owners = rows_with_option(table, key)
            if owners:
                advice = f"it belongs to {', '.join(owners)}"
            else:
                hint = did_you_mean(key, options) or f"no {label} has it; "
                advice = f"{hint}it has {', '.join(options) or 'none'}"
            raise UsageError(f"{label} {name!r} has no option {key!r}; {advice}")
        options[key].check(value)
    return {key: values.get(key, option.default) for key, option in options.items()}
