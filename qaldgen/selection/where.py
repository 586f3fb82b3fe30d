"""Conditions that people write, ``tps > 2``: as a mask of a table, and as part of a query.

A condition is in the text of the query, and in a comment there, from which the signature has it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pyoxigraph import Literal, NamedNode

from qaldgen.errors import DataError, UsageError
from qaldgen.features.catalogue import Feature, all_features
from qaldgen.features.labels import PUBLISHED, our_name
from qaldgen.io.arguments import did_you_mean
from qaldgen.rdf.own_columns import column_name
from qaldgen.rdf.terms import PREFIXES, Rows, term_text
from qaldgen.selection.vectors import Flags
from qaldgen.sparql.clauses import (
    fresh_variables,
    split_select,
    variable_of_question,
    variables_in,
    with_patterns,
)
from qaldgen.sparql.ready_queries import Query
from qaldgen.stores.local import DataSource

if TYPE_CHECKING:
    import pandas as pd

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_WORD = rf'(?:\s*{_QUOTED}\s*|[^"<>=!|]+)'
#: One condition: a name, an operator, and values with bars between them.
_CONDITION = re.compile(
    rf"(?P<name>{_WORD})(?P<operator><=|>=|!=|=|<|>)(?P<values>{_WORD}(?:\|{_WORD})*)"
)
_AND = re.compile(rf"({_QUOTED})|\s+(?i:and)\s+")
#: Names and values that need no quotes.
_BARE = re.compile(r'[^"<>=!|\s\\]+')
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_ORDER = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
#: How a query keeps its conditions.
_COMMENT = re.compile(r"^# where: (.+?)[ \t\r]*$", re.MULTILINE)
#: How many of the values of a feature are shown.
_SHOWN_VALUES = 6


class FeatureCondition(NamedTuple):
    """A condition on a feature, by name.

    A question that lacks the feature fulfils no condition on it, not even ``!=``. Where a question
    has several values, ``=`` asks for one of them and ``!=`` for none.
    """

    feature: str
    operator: str  # = != < <= > >=
    values: tuple[str, ...]  # alternatives of = and !=; the one number of < <= > >=

    def __str__(self) -> str:
        """Return it as text that `parse_conditions` reads."""
        values = "|".join(map(_quoted, self.values))
        return f"{_quoted(self.feature)} {self.operator} {values}"

    def mask(self, column: pd.Series[Any]) -> Flags:
        """Return which values of a column fulfil it; a value may be a collection.

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
        """Return the SPARQL expression that is true where one value fulfils it."""
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
    """Read conditions with ``and`` between them.

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
        If the text is something else.

    Examples
    --------
    >>> conditions = parse_conditions('tps > 2 and "my level" != easy|"very hard"')
    >>> list(map(str, conditions))
    ['tps > 2', '"my level" != easy|"very hard"']
    """
    return tuple(map(_parse_condition, _split_at_and(text)))


def _split_at_and(text: str) -> list[str]:
    """Return the conditions in a text, with ``and`` between them, but not that of a quoted text."""
    parts = [""]
    start = 0
    for joint in _AND.finditer(text):
        if joint[1]:  # a quoted text
            parts[-1] += text[start : joint.end()]
        else:
            parts[-1] += text[start : joint.start()]
            parts.append("")
        start = joint.end()
    parts[-1] += text[start:]
    return parts


def _parse_condition(text: str) -> FeatureCondition:
    match = _CONDITION.fullmatch(text)
    if match is None or not match["name"].strip():
        raise UsageError(
            f"{text.strip()!r} is no condition; write a feature, one of = != < <= > >=, and a"
            " value: 'tps > 2', 'answerType = date|number'"
        )
    operator = match["operator"]
    texts = re.findall(rf"{_QUOTED}|[^|\"]+", match["values"])
    values = tuple(filter(None, map(_plain, texts)))
    if operator in _ORDER and (len(values) != 1 or not _NUMBER.fullmatch(values[0])):
        raise UsageError(
            f"{text.strip()!r}: {operator} needs one number behind it, such as 2 or 0.5"
        )
    if not values:
        raise UsageError(f"{text.strip()!r}: names no value")
    return FeatureCondition(_plain(match["name"]), operator, values)


def _plain(text: str) -> str:
    """Return a name or value without its quotes."""
    text = text.strip()
    if text[:1] != '"':
        return text
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _quoted(text: str) -> str:
    if _BARE.fullmatch(text) and text.lower() != "and":
        return text
    escaped = re.sub(r'([\\"])', r"\\\1", text)
    return f'"{escaped}"'


def local_part(iri: str) -> str:
    """Return the last part of an IRI; of a set's own column, its name."""
    return column_name(iri) or re.split("[/#]", iri)[-1]


def names_of(feature: str) -> list[str]:
    """Return the names of a feature: as given, as here, and as in the published data."""
    published = [name for name, ours in PUBLISHED.items() if ours == our_name(feature)]
    return list(dict.fromkeys([feature, our_name(feature), *published]))


def fulfilling(table: pd.DataFrame, conditions: Sequence[FeatureCondition]) -> Flags:
    """Return which rows of a table, with a column for each feature, fulfil all conditions.

    Raises
    ------
    UsageError
        If the table has no column for a condition.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"tpCount": [1, 3, 4], "answerType": ["date", "date", "number"]})
    >>> fulfilling(table, parse_conditions("tps > 2 and answerType = date")).tolist()
    [False, True, False]
    """
    holds = np.ones(len(table), dtype=np.bool_)
    for condition in conditions:
        name = next((name for name in names_of(condition.feature) if name in table), None)
        if name is None:
            raise _unknown(condition, map(str, table.columns))
        holds &= condition.mask(table[name])
    return holds


def restrict(query: Query, where: Sequence[str], source: DataSource) -> Query:
    """Return a query that selects only the questions that fulfil all conditions.

    A name is that of a variable of the query, of a feature, or of a property of the questions.
    """
    earlier = set(conditions_of(query.text))
    conditions: list[FeatureCondition] = []
    for text in where:
        conditions += [read for read in parse_conditions(text) if str(read) not in earlier]
    if not conditions:
        return query
    variables = fresh_variables(query.text, "where")
    lines: list[str] = []
    for condition in conditions:
        lines += _patterns(condition, query.text, next(variables), source)
    comments = "".join(f"# where: {text}\n" for text in dict.fromkeys(map(str, conditions)))
    return Query(query.name, comments + with_patterns(query.text, lines))


def conditions_of(text: str) -> list[str]:
    r"""Return the conditions that were added to a query, as its comments name them.

    >>> conditions_of('# where: tps > 2\n# where: kind = a\nSELECT ?qId { ?qId ?p ?o }')
    ['tps > 2', 'kind = a']
    """
    return _COMMENT.findall(text)


def _patterns(condition: FeatureCondition, query: str, fresh: str, source: DataSource) -> list[str]:
    """Return the lines that test a condition in a query; `fresh` is a variable for its values."""
    selected = variables_in(split_select(query).where)
    selected_name = next((name for name in names_of(condition.feature) if name in selected), None)
    if selected_name is not None:
        test = condition.test(f"?{selected_name}")
        if condition.operator == "!=":
            test = f"!({test})"
        return [f"FILTER ({test})"]
    question = f"?{variable_of_question(query)}"
    variable = f"?{fresh}"
    path = "|".join(f"<{iri}>" for iri in _properties(condition, query, source))
    has = f"{question} {path} {variable}"
    is_fulfilled = f"ASK {{ {has} . FILTER ({condition.test(variable)}) }}"
    if condition.operator != "!=" and not source.ask(is_fulfilled):
        rows = source.select(
            f"SELECT {variable} (COUNT(DISTINCT {question}) AS ?number) {{ {has} }}"
            f" GROUP BY {variable} ORDER BY DESC(?number) STR({variable}) LIMIT {_SHOWN_VALUES}"
        )
        raise DataError(
            f"where {condition}: no question fulfils it; the most frequent values are"
            f" {_values_in_words(rows)}"
        )
    return _tests(condition, has, variable)


def _values_in_words(rows: Rows) -> str:
    """Return values and how many questions have each, in words."""
    values = []
    for value, number in rows.rows:
        if value is not None and number is not None:
            text = term_text(value)
            if isinstance(value, NamedNode):
                text = local_part(text)
            values.append(f"{text} ({term_text(number)})")
    return ", ".join(values)


def _tests(condition: FeatureCondition, has: str, variable: str) -> list[str]:
    """Return the lines that test the values that a pattern binds to a variable."""
    # EXISTS, since a join would repeat questions with several values
    exists = f"EXISTS {{ {has} . FILTER ({condition.test(variable)}) }}"
    if condition.operator == "!=":
        return [f"FILTER EXISTS {{ {has} }}", f"FILTER NOT {exists}"]
    return [f"FILTER {exists}"]


def condition_pattern(condition: FeatureCondition, features: Mapping[str, Feature]) -> str:
    """Return a condition on ``?qId`` in SPARQL; empty if none of these is its feature.

    >>> (condition,) = parse_conditions("tps > 2")
    >>> condition_pattern(condition, all_features())
    'FILTER EXISTS { ?qId <http://lsq.aksw.org/vocab#tpCount> ?value . FILTER (?value > 2) }'
    """
    feature = next((features[n] for n in names_of(condition.feature) if n in features), None)
    if feature is None:
        return ""
    return "\n".join(_tests(condition, f"?qId <{feature.term}> ?value", "?value"))


def _properties(condition: FeatureCondition, query: str, source: DataSource) -> list[str]:
    """Return the properties of a feature that the data have; refuse a feature that has none."""
    names = names_of(condition.feature)
    features = all_features()
    terms = [features[name].term for name in names if name in features]
    terms += [f"{PREFIXES['lsq']}{name}" for name in names if name in PUBLISHED]
    prefix, colon, local = condition.feature.partition(":")
    if colon and prefix in PREFIXES:
        terms.append(PREFIXES[prefix] + local)
    present = [term for term in terms if source.ask(f"ASK {{ ?q <{term}> ?value }}")]
    if present:
        return sorted(present)
    # a feature that the catalogue does not know
    parts = split_select(query)
    rows = source.select(
        f"{parts.prologue}\nSELECT DISTINCT ?property {parts.dataset}"
        f" {{ {{ {parts.where} }} ?{variable_of_question(query)} ?property ?value }}"
    )
    in_data = [iri.value for (iri,) in rows.rows if isinstance(iri, NamedNode)]
    of_name = sorted(iri for iri in in_data if local_part(iri) == condition.feature)
    if not of_name:
        raise _unknown(condition, [*variables_in(parts.where), *map(local_part, in_data)])
    return of_name


def _unknown(condition: FeatureCondition, names: Iterable[str]) -> UsageError:
    """Return the error for a feature that is not among these names."""
    advice = "see what there is with 'qaldgen describe'"
    hint = did_you_mean(condition.feature, dict.fromkeys(names), most=3)
    if hint:
        advice = f"{hint}'qaldgen describe' lists the properties of data"
    return UsageError(f"where {condition}: no question has {condition.feature!r}; {advice}")
