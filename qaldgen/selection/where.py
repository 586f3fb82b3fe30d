"""Conditions that users write, such as ``tps > 2``: as a mask of a table, and as part of a query.

In a query, a condition is a FILTER and a comment, ``# where: tps > 2``, from which the signature of
a sample copies it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pyoxigraph import Literal, NamedNode

from qaldgen.errors import DataError, UsageError
from qaldgen.features.catalogue import Feature, all_features
from qaldgen.features.labels import PUBLISHED, our_name
from qaldgen.io.arguments import did_you_mean
from qaldgen.rdf.terms import PREFIXES, column_name, term_text
from qaldgen.selection.arrays import Flags
from qaldgen.sparql.clauses import (
    find_question_variable,
    fresh_variables,
    split_select,
    variables_in,
    with_patterns,
)
from qaldgen.sparql.ready_queries import Query
from qaldgen.stores.local import DataSource

if TYPE_CHECKING:
    import pandas as pd

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_NAME_OR_VALUE = rf'(?:\s*{_QUOTED}\s*|[^"<>=!|]+)'
#: One condition: a name, an operator, and values with bars between them.
_CONDITION = re.compile(
    rf"(?P<name>{_NAME_OR_VALUE})(?P<operator><=|>=|!=|=|<|>)(?P<values>{_NAME_OR_VALUE}(?:\|{_NAME_OR_VALUE})*)"
)
_QUOTED_OR_AND = re.compile(rf"({_QUOTED})|\s+(?i:and)\s+")
#: Names and values that need no quotes.
_BARE = re.compile(r'[^"<>=!|\s\\]+')
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_ORDER = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
#: A comment with a condition in a query.
_COMMENT = re.compile(r"^# where: (.+?)[ \t\r]*$", re.MULTILINE)
#: How many of the values of a feature are shown.
_SHOWN_VALUES = 6


class FeatureCondition(NamedTuple):
    """A condition on a feature, by name.

    A question that lacks the feature fulfils no condition on it, not even ``!=``. If a question has
    several values, ``=`` must hold for one of them and ``!=`` for all.
    """

    feature: str
    operator: str  # = != < <= > >=
    values: tuple[str, ...]  # alternatives of = and !=; the one number of < <= > >=

    def __str__(self) -> str:
        """Return the condition as text that `parse_conditions` reads."""
        values = "|".join(map(_quote, self.values))
        return f"{_quote(self.feature)} {self.operator} {values}"

    def mask(self, column: pd.Series[Any]) -> Flags:
        """Return which values of a column fulfil the condition; a value may be a collection.

        >>> import pandas as pd
        >>> (condition,) = parse_conditions("tps >= 2")
        >>> condition.mask(pd.Series([1, 2, None])).tolist()
        [False, True, False]
        """
        holds = np.zeros(len(column), dtype=np.bool_)
        for row, cell in enumerate(column.tolist()):
            if isinstance(cell, frozenset | set | tuple | list):
                holds[row] = self._holds(cell)
            elif cell is not None and cell == cell and cell != "":
                holds[row] = self._holds((cell,))
        return holds

    def _holds(self, members: Collection[Any]) -> bool:
        if self.operator in _ORDER:
            numbers = [float(value) for value in members if isinstance(value, int | float)]
            return any(_ORDER[self.operator](number, float(self.values[0])) for number in numbers)
        if not members:
            return False
        is_equal = any(self._equals(value) for value in members)
        return is_equal if self.operator == "=" else not is_equal

    def _equals(self, value: object) -> bool:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return any(_NUMBER.fullmatch(text) and float(text) == value for text in self.values)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return text in self.values or ("://" in text and local_part(text) in self.values)

    def test(self, variable: str) -> str:
        """Return the SPARQL expression that is true if a value of `variable` fulfils it."""
        if self.operator in _ORDER:
            return f"{variable} {self.operator} {self.values[0]}"
        texts = ", ".join(str(Literal(value)) for value in self.values)
        numbers = ", ".join(value for value in self.values if _NUMBER.fullmatch(value))
        # a category is an IRI in our data and a text in the published ones
        by_name = f'isIRI({variable}) && REPLACE(STR({variable}), "^.*[/#]", "") IN ({texts})'
        test = f"STR({variable}) IN ({texts}) || {by_name}"
        if numbers:
            test += f" || {variable} IN ({numbers})"
        return test


def parse_conditions(text: str) -> tuple[FeatureCondition, ...]:
    """Parse conditions with ``and`` between them.

    Parameters
    ----------
    text
        A name, one of ``= != < <= > >=``, and a value, or several values of ``=`` and ``!=`` with
        bars between them. Names and values with other signs or "and" stand in double quotes.

    Returns
    -------
    tuple of FeatureCondition
        The conditions.

    Raises
    ------
    UsageError
        If the text has another form.

    Examples
    --------
    >>> conditions = parse_conditions('tps > 2 and "my level" != easy|"very hard"')
    >>> list(map(str, conditions))
    ['tps > 2', '"my level" != easy|"very hard"']
    """
    # the parts between every "and" that is not in a quoted text
    parts = [""]
    start = 0
    for token in _QUOTED_OR_AND.finditer(text):
        if token[1]:  # a quoted text
            parts[-1] += text[start : token.end()]
        else:
            parts[-1] += text[start : token.start()]
            parts.append("")
        start = token.end()
    parts[-1] += text[start:]

    conditions = []
    for part in parts:
        match = _CONDITION.fullmatch(part)
        if match is None or not match["name"].strip():
            raise UsageError(
                f"{part.strip()!r} is no condition; write a feature, one of = != < <= > >=, and a"
                " value: 'tps > 2', 'answerType = date|number'"
            )
        operator = match["operator"]
        texts = re.findall(rf"{_QUOTED}|[^|\"]+", match["values"])
        values = tuple(filter(None, map(_unquote, texts)))
        if operator in _ORDER and (len(values) != 1 or not _NUMBER.fullmatch(values[0])):
            raise UsageError(
                f"{part.strip()!r}: {operator} needs one number behind it, such as 2 or 0.5"
            )
        if not values:
            raise UsageError(f"{part.strip()!r}: names no value")
        conditions.append(FeatureCondition(_unquote(match["name"]), operator, values))
    return tuple(conditions)


def _unquote(text: str) -> str:
    """Return a name or value without its quotes."""
    text = text.strip()
    if text[:1] != '"':
        return text
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _quote(text: str) -> str:
    if _BARE.fullmatch(text) and text.lower() != "and":
        return text
    escaped = re.sub(r'([\\"])', r"\\\1", text)
    return f'"{escaped}"'


def local_part(iri: str) -> str:
    """Return the last part of an IRI; for a column of the data set, the name of the column."""
    return column_name(iri) or re.split("[/#]", iri)[-1]


def feature_names(feature: str) -> list[str]:
    """Return the names of a feature: the given one, ours, and those in the published data."""
    published = [name for name, ours in PUBLISHED.items() if ours == our_name(feature)]
    return list(dict.fromkeys([feature, our_name(feature), *published]))


def rows_fulfilling(table: pd.DataFrame, conditions: Sequence[FeatureCondition]) -> Flags:
    """Return which rows of a table, with a column for each feature, fulfil all conditions.

    Raises
    ------
    UsageError
        If the table has no column for a condition.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"tpCount": [1, 3, 4], "answerType": ["date", "date", "number"]})
    >>> rows_fulfilling(table, parse_conditions("tps > 2 and answerType = date")).tolist()
    [False, True, False]
    """
    is_fulfilling = np.ones(len(table), dtype=np.bool_)
    for condition in conditions:
        columns = [name for name in feature_names(condition.feature) if name in table]
        if not columns:
            raise _unknown_feature(condition, map(str, table.columns))
        is_fulfilling &= condition.mask(table[columns[0]])
    return is_fulfilling


def restrict(query: Query, where: Sequence[str], source: DataSource) -> Query:
    """Return a query that selects only the questions that fulfil all conditions.

    A name is that of a variable of the query, of a feature, or of a property of the questions.
    """
    present = set(conditions_of(query.text))
    parsed = chain.from_iterable(map(parse_conditions, where))
    conditions = [condition for condition in parsed if str(condition) not in present]
    if not conditions:
        return query
    variables = fresh_variables(query.text, "where")
    lines: list[str] = []
    for condition in conditions:
        lines += _filter_lines(condition, query.text, f"?{next(variables)}", source)
    comments = "".join(f"# where: {text}\n" for text in dict.fromkeys(map(str, conditions)))
    return Query(query.name, comments + with_patterns(query.text, lines))


def conditions_of(text: str) -> list[str]:
    r"""Return the conditions that were added to a query, as its comments name them.

    >>> conditions_of('# where: tps > 2\n# where: kind = a\nSELECT ?qId { ?qId ?p ?o }')
    ['tps > 2', 'kind = a']
    """
    return _COMMENT.findall(text)


def _filter_lines(
    condition: FeatureCondition, query: str, variable: str, source: DataSource
) -> list[str]:
    """Return the lines of a query that test a condition.

    The values of a property are bound to `variable`, which the query does not use otherwise.
    """
    variables = variables_in(split_select(query).where)
    names = [name for name in feature_names(condition.feature) if name in variables]
    if names:
        test = condition.test(f"?{names[0]}")
        if condition.operator == "!=":
            test = f"!({test})"
        return [f"FILTER ({test})"]

    question = f"?{find_question_variable(query)}"
    path = "|".join(f"<{iri}>" for iri in _find_properties(condition, query, source))
    pattern = f"{question} {path} {variable}"

    existence_query = f"ASK {{ {pattern} . FILTER ({condition.test(variable)}) }}"
    if condition.operator != "!=" and not source.ask(existence_query):
        rows = source.select(
            f"SELECT {variable} (COUNT(DISTINCT {question}) AS ?number) {{ {pattern} }}"
            f" GROUP BY {variable} ORDER BY DESC(?number) STR({variable}) LIMIT {_SHOWN_VALUES}"
        )
        values = []
        for value, number in rows.rows:
            if value is not None and number is not None:
                text = term_text(value)
                if isinstance(value, NamedNode):
                    text = local_part(text)
                values.append(f"{text} ({term_text(number)})")
        raise DataError(
            f"where {condition}: no question fulfils it; the most frequent values are"
            f" {', '.join(values)}"
        )

    return _exists_filters(condition, pattern, variable)


def _exists_filters(condition: FeatureCondition, pattern: str, variable: str) -> list[str]:
    """Return the lines that test the values that a pattern binds to a variable."""
    # EXISTS, since a join would repeat questions with several values
    exists = f"EXISTS {{ {pattern} . FILTER ({condition.test(variable)}) }}"
    if condition.operator == "!=":
        return [f"FILTER EXISTS {{ {pattern} }}", f"FILTER NOT {exists}"]
    return [f"FILTER {exists}"]


def condition_pattern(condition: FeatureCondition, features: Mapping[str, Feature]) -> str:
    """Return a condition on ``?qId`` in SPARQL; empty if its feature is not among `features`.

    >>> (condition,) = parse_conditions("tps > 2")
    >>> condition_pattern(condition, all_features())
    'FILTER EXISTS { ?qId <http://lsq.aksw.org/vocab#tpCount> ?value . FILTER (?value > 2) }'
    """
    for name in feature_names(condition.feature):
        if name in features:
            pattern = f"?qId <{features[name].term}> ?value"
            return "\n".join(_exists_filters(condition, pattern, "?value"))
    return ""


def _find_properties(condition: FeatureCondition, query: str, source: DataSource) -> list[str]:
    """Return the properties that hold a feature in the data; refuse a feature without any."""
    names = feature_names(condition.feature)
    features = all_features()
    iris = [features[name].term for name in names if name in features]
    iris += [f"{PREFIXES['lsq']}{name}" for name in names if name in PUBLISHED]
    prefix, colon, local = condition.feature.partition(":")
    if colon and prefix in PREFIXES:
        iris.append(PREFIXES[prefix] + local)

    present_iris = [iri for iri in iris if source.ask(f"ASK {{ ?q <{iri}> ?value }}")]
    if present_iris:
        return sorted(present_iris)

    # a feature that the catalogue does not know
    parts = split_select(query)
    rows = source.select(
        f"{parts.prologue}\nSELECT DISTINCT ?property {parts.dataset}"
        f" {{ {{ {parts.where} }} ?{find_question_variable(query)} ?property ?value }}"
    )
    data_iris = [iri.value for (iri,) in rows.rows if isinstance(iri, NamedNode)]
    matching_iris = sorted(iri for iri in data_iris if local_part(iri) == condition.feature)

    if not matching_iris:
        known_names = variables_in(parts.where) + [local_part(iri) for iri in data_iris]
        raise _unknown_feature(condition, known_names)
    return matching_iris


def _unknown_feature(condition: FeatureCondition, names: Iterable[str]) -> UsageError:
    """Return the error for a feature that is not among these names."""
    advice = "see what there is with 'qaldgen describe'"
    hint = did_you_mean(condition.feature, dict.fromkeys(names), limit=3)
    if hint:
        advice = f"{hint}'qaldgen describe' lists the properties of data"
    return UsageError(f"where {condition}: no question has {condition.feature!r}; {advice}")
