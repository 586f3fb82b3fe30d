"""Conditions on one feature: which questions fulfil it, its name, and its form in SPARQL."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pyoxigraph import Literal

from qaldgen.features.catalogue import Feature, all_features
from qaldgen.features.labels import (
    is_missing_a_kind,
    label_of,
    missing_in_words,
    range_in_words,
    value_in_words,
)
from qaldgen.features.own_columns import OWN_COLUMNS
from qaldgen.features.vocabulary import feature_terms
from qaldgen.rdf.terms import LSQ, QALDGEN
from qaldgen.selection.vectors import Flags, Indices, Matrix

if TYPE_CHECKING:
    import pandas as pd

_COLLECTIONS = (frozenset, set, tuple, list)


class CodedColumn(NamedTuple):
    """A column of few different values."""

    #: The different values in the order in which they come; collections are frozensets.
    values: list[Any]
    at: Indices  # for each row the position of its value, -1 where it is missing


def code_column(column: Sequence[Any]) -> CodedColumn:
    """Find the different values of a column, so that each is looked at once.

    >>> values, at = code_column(["a", None, "b", "a"])
    >>> values, at.tolist()
    (['a', 'b'], [0, -1, 1, 0])
    """
    kinds = set(map(type, column))
    if any(issubclass(kind, _COLLECTIONS) for kind in kinds):
        column = [frozenset(cell) if isinstance(cell, _COLLECTIONS) else cell for cell in column]
    # True, 1 and 1.0 are equal, but not the same value.
    keys = column
    if len(kinds - {type(None)}) > 1:
        keys = [(type(cell), cell) for cell in column]
    values: list[Any] = []
    places: dict[Any, int] = {}
    for key, value in dict(zip(keys, column, strict=True)).items():
        missing = value is None or value != value or value == frozenset()
        places[key] = -1 if missing else len(values)
        if not missing:
            values.append(value)
    return CodedColumn(values, np.fromiter(map(places.__getitem__, keys), np.intp, len(column)))


#: A whole number with more different values than FEW_VALUES is cut into QUANTILES ranges.
FEW_VALUES = 6
QUANTILES = 4
#: A search cuts whole numbers of at most so many values at each, others at so many quantiles.
FEW_TO_SEARCH, THRESHOLDS = 10, 8
#: If a feature (labels, head words) has more values than this, the most frequent ones get a
#: condition each, the others share one.
MOST_VALUES = 20
#: The end of the name of the condition for the values that have none of their own.
_REST = " (other)"
#: The end of the name of a condition that says no kind of question: what is left over, and codes of
#: Wikidata and Freebase.
_NO_KIND = re.compile(r" (\(other\)|other|MISC)$|[/ ]([PQ]\d+|[mg]\.\w+)$")
#: Terms that need no angle brackets: a known prefix and a plain local name.
_PREFIXED = re.compile(r"(qaldgen|lsq):[A-Za-z]\w*")


class Condition(NamedTuple):
    """A condition on one feature."""

    name: str  # in words
    feature: str  # the feature
    mask: Flags  # which rows of the table fulfil it
    #: The condition on ``?qId`` in SPARQL; empty for a feature that the catalogue does not know.
    where: str
    words: str  # the phrase that people read


def feature_conditions(column: pd.Series[Any]) -> list[Condition]:
    """Return the conditions by which a feature divides the questions; together they cover all.

    One for each value of a text, a categorical feature or a boolean (where a question can have
    several values, for each of them, so that conditions overlap), for each value or range of a
    number, and one for the questions without a value.

    >>> import pandas as pd
    >>> column = pd.Series([1, 1, 2, None], name="tpCount")
    >>> for condition in feature_conditions(column):
    ...     print(condition.name, condition.mask.sum(), condition.where)
    tpCount = 1 2 ?qId lsq:tpCount ?tpCount . FILTER (?tpCount = 1)
    tpCount = 2 1 ?qId lsq:tpCount ?tpCount . FILTER (?tpCount = 2)
    tpCount (missing) 1 FILTER NOT EXISTS { ?qId lsq:tpCount ?tpCount }
    """
    feature, codes, numbers = _Column.of(column)
    absent = _absent(feature, codes.at < 0)
    if numbers is None:
        return _member_conditions(codes, feature) + absent
    different = np.unique(numbers[~np.isnan(numbers)])
    if len(different) <= FEW_VALUES and not (different % 1.0).any():
        values = different.tolist()
        return [_range(numbers, feature, value, value + 1.0) for value in values] + absent
    ends = [-math.inf, *_cuts(numbers, QUANTILES), math.inf]
    ranges = [_range(numbers, feature, low, high) for low, high in itertools.pairwise(ends)]
    return [condition for condition in ranges if condition.mask.any()] + absent


def _absent(feature: _SelectedFeature, absent: Flags) -> list[Condition]:
    """Return the condition for the questions without a value, if there are any."""
    if not absent.any():
        return []
    pattern = feature.pattern(f"{{property}} ?{feature.variable}")
    where = pattern and f"FILTER NOT EXISTS {{ {pattern} }}"
    name = f"{feature.name} (missing)"
    return [Condition(name, feature.name, absent, where, missing_in_words(feature.name))]


def search_conditions(column: pd.Series[Any]) -> list[Condition]:
    """Return overlapping conditions to search with: values, and thresholds of numbers."""
    # a few whole numbers get a condition and a threshold each, other numbers thresholds at
    # quantiles. What other values leave over is no kind of question, nor is a code; what has no
    # value is one if there are words for it, such as "no class in the query".
    read = _Column.of(column)
    feature = read.feature
    absent = []
    if is_missing_a_kind(feature.name):
        absent = _absent(feature, read.codes.at < 0)
    if read.numbers is None:
        values = _member_conditions(read.codes, feature)
        return [value for value in values if not _NO_KIND.search(value.name)] + absent
    numbers = read.numbers
    different = np.unique(numbers[~np.isnan(numbers)])
    ranges, cuts = [], _cuts(numbers, THRESHOLDS + 1)
    if len(different) <= FEW_TO_SEARCH and not (different % 1.0).any():
        cuts = different[1:].tolist()
        ranges = [(value, value + 1.0) for value in different.tolist()]
    for cut in cuts:
        ranges += [(-math.inf, cut), (cut, math.inf)]
    return [_range(numbers, feature, low, high) for low, high in ranges] + absent


class _SelectedFeature(NamedTuple):
    """A feature by name; `entry` is None if neither the catalogue nor the set knows it."""

    name: str
    entry: Feature | None

    @property
    def kind(self) -> str:
        """Its kind in the catalogue; empty for a column that the catalogue does not know."""
        return self.entry.kind if self.entry else ""

    @property
    def variable(self) -> str:
        """Its name as a SPARQL variable."""
        return re.sub(r"\W", "_", self.name)

    def pattern(self, rest: str) -> str:
        """Return a triple pattern on the question, `rest` with the property filled in."""
        # empty for a feature without a property
        if self.entry is None:
            return ""
        name = self.entry.term.replace(QALDGEN, "qaldgen:").replace(LSQ, "lsq:")
        if not _PREFIXED.fullmatch(name):
            name = f"<{self.entry.term}>"
        return "?qId " + rest.replace("{property}", name)

    def term(self, value: str | bool) -> str:
        """Return a value as written in SPARQL."""
        if self.entry:
            return str(next(feature_terms(self.entry, value)))
        return str(Literal(str(value)))


class _Column(NamedTuple):
    """The values of a feature; as `numbers`, NaN where missing, if they are numbers."""

    feature: _SelectedFeature
    codes: CodedColumn
    numbers: Matrix | None

    @classmethod
    def of(cls, column: pd.Series[Any]) -> _Column:
        """Read a column, which takes longest where there are many questions."""
        name = str(column.name)
        entry = all_features().get(name) or column.attrs.get(OWN_COLUMNS, {}).get(name)
        codes, feature = code_column(column.tolist()), _SelectedFeature(name, entry)
        is_number = feature.kind in {"integer", "decimal"}
        if not feature.kind:
            is_number = bool(codes.values) and all(
                isinstance(value, (int, float)) and not isinstance(value, bool)
                for value in codes.values
            )
        if not is_number:
            return cls(feature, codes, None)
        # rounded to six decimals, as they are written in RDF
        rounded = [round(float(value), 6) for value in codes.values]
        return cls(feature, codes, np.array([*rounded, math.nan])[codes.at])


def _cuts(numbers: Matrix, count: int) -> list[float]:
    """Return the lower ends of ranges at quantiles, rounded to whole numbers or three digits."""
    different = np.unique(numbers[~np.isnan(numbers)])
    if len(different) < 2:
        return []
    quantiles = np.nanquantile(numbers, np.arange(1, count) / count).tolist()
    whole = not (different % 1.0).any()
    rounded = {
        float(math.ceil(cut)) if whole else round(float(f"{cut:.3g}"), 6) for cut in quantiles
    }
    inner = sorted(cut for cut in rounded if different[0] < cut <= different[-1])
    # If most questions have the least value, every quantile equals it: cut it off from the rest.
    return inner or [float(different[1])]


def _range(numbers: Matrix, feature: _SelectedFeature, low: float, high: float) -> Condition:
    """Return the condition low <= x < high."""
    # whole numbers are named by the last one included, not by the first beyond
    mask = (numbers >= low) & (numbers < high)
    inside, variable = np.unique(numbers[mask]), f"?{feature.variable}"
    whole = not (numbers[~np.isnan(numbers)] % 1.0).any()
    first, last = f"{low:.10g}", f"{high - 1.0 if whole else high:.10g}"
    below = f"{variable} {'<=' if whole else '<'} {last}"
    ends = low, high - 1.0 if whole else high
    # A fractional number is named by its value only if the range covers everything (-inf to inf):
    # elsewhere other values could fall into the range.
    if len(inside) == 1 and (whole or low == -high):
        words, test = f"= {inside[0]:.10g}", f"{variable} = {inside[0]:.10g}"
        ends = float(inside[0]), float(inside[0])
    elif high == math.inf:
        words, test = f"{first} or more", f"{variable} >= {first}"
    elif low == -math.inf:
        words, test = f"{'up to' if whole else 'below'} {last}", below
    else:
        words, test = (
            f"{first} to {'' if whole else 'below '}{last}",
            f"{variable} >= {first} && {below}",
        )
    pattern = feature.pattern(f"{{property}} {variable} . FILTER ({test})")
    phrase = range_in_words(feature.name, *ends, whole=whole)
    return Condition(f"{feature.name} {words}", feature.name, mask, pattern, phrase)


def _member_conditions(codes: CodedColumn, feature: _SelectedFeature) -> list[Condition]:
    """Return a condition for each value, the most frequent first, and one for the rest."""
    several = any(isinstance(value, frozenset) for value in codes.values)
    places: dict[Any, list[int]] = {}
    for at, value in enumerate(codes.values):
        if feature.kind == "boolean":
            value = bool(value)
        for member in value if isinstance(value, frozenset) else (value,):
            places.setdefault(member, []).append(at)
    # The last count is that of questions without a value.
    counts = np.bincount(codes.at % (len(codes.values) + 1), minlength=len(codes.values) + 1)
    ranked = sorted(
        places, key=lambda condition: (-int(counts[places[condition]].sum()), str(condition))
    )
    words = "has" if several else "="
    conditions = []
    other = codes.at >= 0
    for member in ranked[:MOST_VALUES]:
        has = np.zeros(len(counts), dtype=np.bool_)
        has[places[member]] = True
        mask = has[codes.at]
        other &= ~mask
        shown = str(member)
        if isinstance(member, bool):
            shown = "yes" if member else "no"
        where = feature.pattern(f"{{property}} {feature.term(member)} .")
        phrase = value_in_words(feature.name, member)
        conditions.append(
            Condition(f"{feature.name} {words} {shown}", feature.name, mask, where, phrase)
        )
    if other.any():
        listed = " ".join(feature.term(member) for member in ranked[:MOST_VALUES])
        where = (
            f"FILTER EXISTS {{ {feature.pattern(f'{{property}} ?{feature.variable}')} }}"
            f" FILTER NOT EXISTS {{ VALUES ?frequent {{ {listed} }}"
            f" {feature.pattern('{property} ?frequent')} }}"
        )
        if not feature.entry:
            where = ""
        phrase = f"{label_of(feature.name)}: any other"
        conditions.append(Condition(f"{feature.name}{_REST}", feature.name, other, where, phrase))
    return conditions
