"""Conditions on one feature: the questions that fulfil each, its name, and its SPARQL."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pyoxigraph import Literal

from qaldgen.features.catalogue import Feature, all_features
from qaldgen.features.labels import (
    has_missing_phrase,
    label_of,
    missing_phrase,
    range_phrase,
    value_phrase,
)
from qaldgen.features.own_columns import OWN_COLUMNS
from qaldgen.features.vocabulary import feature_terms
from qaldgen.rdf.terms import LSQ, QALDGEN
from qaldgen.selection.arrays import Flags, Indices, Matrix

if TYPE_CHECKING:
    import pandas as pd

_COLLECTIONS = (frozenset, set, tuple, list)
#: A whole number with more different values than FEW_VALUES is cut into QUANTILES ranges.
FEW_VALUES = 6
QUANTILES = 4
#: A search cuts whole numbers of at most this many values at each value.
FEW_TO_SEARCH = 10
#: A search cuts other numbers at this many quantiles.
THRESHOLDS = 8
#: If a feature (labels, head words) has more values than this, the most frequent ones get a
#: condition each, the others share one.
MOST_VALUES = 20
#: What the condition that rare values share is called.
_OTHER = "(other)"
#: The end of the name of a condition that does not describe questions: rare values, and codes of
#: Wikidata and Freebase.
_NOT_DESCRIPTIVE = re.compile(r" (\(other\)|other|MISC)$|[/ ]([PQ]\d+|[mg]\.\w+)$")
#: Terms that need no angle brackets: a known prefix and a plain local name.
_PREFIXED = re.compile(r"(qaldgen|lsq):[A-Za-z]\w*")


class CodedColumn(NamedTuple):
    """The distinct values of a column, and which of them each row has."""

    values: list[Any]  # in the order in which they come; collections are frozensets
    codes: Indices  # for each row the index of its value in `values`, -1 where it is missing


def code_column(column: Sequence[Any]) -> CodedColumn:
    """Give each distinct value of a column a number, so that it is looked at once.

    >>> values, codes = code_column(["a", None, "b", "a"])
    >>> values, codes.tolist()
    (['a', 'b'], [0, -1, 1, 0])
    """
    types = set(map(type, column))
    if any(issubclass(cell_type, _COLLECTIONS) for cell_type in types):
        column = [frozenset(cell) if isinstance(cell, _COLLECTIONS) else cell for cell in column]
    # True, 1 and 1.0 are equal, but not the same value.
    keys = column
    if len(types - {type(None)}) > 1:
        keys = [(type(cell), cell) for cell in column]
    values: list[Any] = []
    code_of: dict[Any, int] = {}
    for key, value in dict(zip(keys, column, strict=True)).items():
        if value is None or value != value or value == frozenset():
            code_of[key] = -1
        else:
            code_of[key] = len(values)
            values.append(value)
    return CodedColumn(values, np.fromiter((code_of[key] for key in keys), np.intp, len(column)))


class TableCondition(NamedTuple):
    """A condition on one feature of a table of questions, with the rows that fulfil it."""

    name: str  # such as ``tpCount = 1``
    feature: str  # the name of the feature
    mask: Flags  # which rows of the table fulfil it
    #: The condition on ``?qId`` in SPARQL; empty for a feature that the catalogue does not know.
    pattern: str
    phrase: str  # the condition in words, for reports
    value: str  # the value or range in the name: ``1`` of ``tpCount = 1``


def feature_conditions(column: pd.Series[Any]) -> list[TableCondition]:
    """Return conditions on a feature that together cover all questions.

    Texts, categories and booleans get one condition for each value, numbers one for each value or
    range, and the questions without a value one more. Conditions overlap if questions have several
    values.

    >>> import pandas as pd
    >>> column = pd.Series([1, 1, 2, None], name="tpCount")
    >>> for condition in feature_conditions(column):
    ...     print(condition.name, condition.mask.sum(), condition.pattern)
    tpCount = 1 2 ?qId lsq:tpCount ?tpCount . FILTER (?tpCount = 1)
    tpCount = 2 1 ?qId lsq:tpCount ?tpCount . FILTER (?tpCount = 2)
    tpCount (missing) 1 FILTER NOT EXISTS { ?qId lsq:tpCount ?tpCount }
    """
    feature, coded, numbers = _read_column(column)
    missing = _missing_condition(feature, coded.codes < 0)
    if numbers is None:
        return _value_conditions(coded, feature) + missing
    distinct_values = np.unique(numbers[~np.isnan(numbers)])
    if len(distinct_values) <= FEW_VALUES and not (distinct_values % 1.0).any():
        ranges = [(value, value + 1.0) for value in distinct_values.tolist()]
    else:
        ranges = list(itertools.pairwise([-math.inf, *_cuts(numbers, QUANTILES), math.inf]))
    conditions = [_range_condition(numbers, feature, low, high) for low, high in ranges]
    return [condition for condition in conditions if condition.mask.any()] + missing


def _missing_condition(feature: _SelectedFeature, is_missing: Flags) -> list[TableCondition]:
    """Return the condition for the questions without a value, if there are any."""
    if not is_missing.any():
        return []
    triple = feature.pattern(f"{{property}} ?{feature.variable}")
    pattern = f"FILTER NOT EXISTS {{ {triple} }}" if triple else ""
    condition = TableCondition(
        f"{feature.name} (missing)",
        feature.name,
        mask=is_missing,
        pattern=pattern,
        phrase=missing_phrase(feature.name),
        value="(missing)",
    )
    return [condition]


def search_conditions(column: pd.Series[Any]) -> list[TableCondition]:
    """Return overlapping conditions to search with: values, and thresholds of numbers.

    If there are few whole numbers, each gets a condition and a threshold; other numbers get
    thresholds at quantiles. Codes, and the condition that rare values share, are left out. Missing
    values get a condition if there is a phrase for it, such as "no class in the query".
    """
    feature, coded, numbers = _read_column(column)
    missing = []
    if has_missing_phrase(feature.name):
        missing = _missing_condition(feature, coded.codes < 0)
    if numbers is None:
        values = _value_conditions(coded, feature)
        return [value for value in values if not _NOT_DESCRIPTIVE.search(value.name)] + missing
    distinct_values = np.unique(numbers[~np.isnan(numbers)])
    ranges = []
    cuts = _cuts(numbers, THRESHOLDS + 1)
    if len(distinct_values) <= FEW_TO_SEARCH and not (distinct_values % 1.0).any():
        cuts = distinct_values[1:].tolist()
        ranges = [(value, value + 1.0) for value in distinct_values.tolist()]
    for cut in cuts:
        ranges += [(-math.inf, cut), (cut, math.inf)]
    return [_range_condition(numbers, feature, low, high) for low, high in ranges] + missing


class _SelectedFeature(NamedTuple):
    """A feature by name."""

    name: str
    entry: Feature | None  # None if it is neither in the catalogue nor a column of the data set

    @property
    def value_type(self) -> str:
        """The type of its values in the catalogue; empty for a column that is not there."""
        return self.entry.kind if self.entry else ""

    @property
    def variable(self) -> str:
        """Its name as a SPARQL variable."""
        return re.sub(r"\W", "_", self.name)

    def pattern(self, clause: str) -> str:
        """Return a triple pattern on the question, with the property for ``{property}``.

        It is empty for a feature without a property.
        """
        if self.entry is None:
            return ""
        name = self.entry.term.replace(QALDGEN, "qaldgen:").replace(LSQ, "lsq:")
        if not _PREFIXED.fullmatch(name):
            name = f"<{self.entry.term}>"
        return "?qId " + clause.replace("{property}", name)

    def none_of(self, values: Iterable[str | bool]) -> str:
        """Return the pattern of questions whose values are none of these.

        It is empty for a feature without a property.
        """
        if self.entry is None:
            return ""
        has_value = self.pattern(f"{{property}} ?{self.variable}")
        has_frequent = self.pattern("{property} ?frequent")
        terms = " ".join(map(self.term, values))
        return (
            f"FILTER EXISTS {{ {has_value} }}"
            f" FILTER NOT EXISTS {{ VALUES ?frequent {{ {terms} }} {has_frequent} }}"
        )

    def term(self, value: str | bool) -> str:
        """Return a value as written in SPARQL."""
        if self.entry:
            return str(next(feature_terms(self.entry, value)))
        return str(Literal(str(value)))


def _read_column(
    column: pd.Series[Any],
) -> tuple[_SelectedFeature, CodedColumn, Matrix | None]:
    """Return the feature that a column has, its coded values, and its numbers if it has any.

    There is a number for each row, NaN where it is missing.
    """
    name = str(column.name)
    entry = all_features().get(name) or column.attrs.get(OWN_COLUMNS, {}).get(name)
    feature = _SelectedFeature(name, entry)
    coded = code_column(column.tolist())
    is_number = feature.value_type in {"integer", "decimal"}
    if not feature.value_type:
        is_number = bool(coded.values) and all(
            isinstance(value, (int, float)) and not isinstance(value, bool)
            for value in coded.values
        )
    if not is_number:
        return feature, coded, None
    # rounded to six decimals, as they are written in RDF
    rounded = [round(float(value), 6) for value in coded.values]
    return feature, coded, np.array([*rounded, math.nan])[coded.codes]


def _cuts(numbers: Matrix, n_ranges: int) -> list[float]:
    """Return the lower ends of ranges at quantiles, rounded to whole numbers or three digits."""
    distinct_values = np.unique(numbers[~np.isnan(numbers)])
    if len(distinct_values) < 2:
        return []
    quantiles = np.nanquantile(numbers, np.arange(1, n_ranges) / n_ranges).tolist()
    if (distinct_values % 1.0).any():
        rounded = {round(float(f"{cut:.3g}"), 6) for cut in quantiles}
    else:
        rounded = {float(math.ceil(cut)) for cut in quantiles}
    inner = sorted(cut for cut in rounded if distinct_values[0] < cut <= distinct_values[-1])
    # If most questions have the least value, every quantile equals it: cut above it.
    return inner or [float(distinct_values[1])]


def _range_condition(
    numbers: Matrix, feature: _SelectedFeature, low: float, high: float
) -> TableCondition:
    """Return the condition low <= number < high."""
    mask = (numbers >= low) & (numbers < high)
    values_in_range = np.unique(numbers[mask])
    are_whole = not (numbers[~np.isnan(numbers)] % 1.0).any()
    variable = f"?{feature.variable}"

    # a fractional number is named by its value only if the range covers everything: into another
    # range, other values could fall
    covers_everything = low == -math.inf and high == math.inf
    if len(values_in_range) == 1 and (are_whole or covers_everything):
        first = last = float(values_in_range[0])
        value = f"{first:.10g}"
        test = f"{variable} = {value}"
    else:
        first = low
        last = high - 1.0 if are_whole else high
        value, test = _describe_range(variable, low, high, whole=are_whole)

    pattern = feature.pattern(f"{{property}} {variable} . FILTER ({test})")
    phrase = range_phrase(feature.name, first, last, whole=are_whole)
    operator = " =" if first == last else ""
    return TableCondition(
        f"{feature.name}{operator} {value}",
        feature.name,
        mask=mask,
        pattern=pattern,
        phrase=phrase,
        value=value,
    )


def _describe_range(variable: str, low: float, high: float, *, whole: bool) -> tuple[str, str]:
    """Return the name of a range, and the test that a number is in it.

    Whole numbers are named by the last one: 3 to 5 rather than 3 to below 6.

    >>> _describe_range("?n", 3, 6, whole=True), _describe_range("?n", 3, math.inf, whole=True)
    (('3 to 5', '?n >= 3 && ?n <= 5'), ('3 or more', '?n >= 3'))
    """
    if whole:
        end = f"{high - 1.0:.10g}"
        open_end = f"up to {end}"
        upper_test = f"{variable} <= {end}"
    else:
        end = open_end = f"below {high:.10g}"
        upper_test = f"{variable} < {high:.10g}"
    if high == math.inf:
        return f"{low:.10g} or more", f"{variable} >= {low:.10g}"
    if low == -math.inf:
        return open_end, upper_test
    return f"{low:.10g} to {end}", f"{variable} >= {low:.10g} && {upper_test}"


def _value_conditions(coded: CodedColumn, feature: _SelectedFeature) -> list[TableCondition]:
    """Return a condition for each value, the most frequent first, and one for all rare ones."""
    has_several = any(isinstance(value, frozenset) for value in coded.values)
    operator = "has" if has_several else "="
    codes_of: dict[Any, list[int]] = {}
    for code, value in enumerate(coded.values):
        if feature.value_type == "boolean":
            value = bool(value)
        members = value if isinstance(value, frozenset) else [value]
        for member in members:
            codes_of.setdefault(member, []).append(code)

    is_present = coded.codes >= 0
    counts = np.bincount(coded.codes[is_present], minlength=len(coded.values))
    frequency = {member: int(counts[codes].sum()) for member, codes in codes_of.items()}
    ranked_values = sorted(codes_of, key=lambda member: (-frequency[member], str(member)))
    frequent_values = ranked_values[:MOST_VALUES]

    conditions = []
    is_rare = is_present
    for member in frequent_values:
        # one flag for each value, and a last one, False, that the code -1 of missing values finds
        has_member = np.zeros(len(coded.values) + 1, dtype=np.bool_)
        has_member[codes_of[member]] = True
        mask = has_member[coded.codes]
        is_rare = is_rare & ~mask

        value = str(member)
        if isinstance(member, bool):
            value = "yes" if member else "no"
        pattern = feature.pattern(f"{{property}} {feature.term(member)} .")
        phrase = value_phrase(feature.name, member)
        name = f"{feature.name} {operator} {value}"
        conditions.append(TableCondition(name, feature.name, mask, pattern, phrase, value))

    if is_rare.any():
        pattern = feature.none_of(frequent_values)
        phrase = f"{label_of(feature.name)}: any other"
        name = f"{feature.name} {_OTHER}"
        conditions.append(TableCondition(name, feature.name, is_rare, pattern, phrase, _OTHER))

    return conditions
