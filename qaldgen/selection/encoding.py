"""Encode the rows of a selection query as columns: one for a number, one per value of a category.

Everything works on whole columns and looks at each distinct term once: tables have many rows and
few values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pyoxigraph import BlankNode, NamedNode

from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.io.text import natural_key
from qaldgen.rdf.terms import Rows, Term, Value, python_value
from qaldgen.selection.arrays import Indices, Matrix

#: A category with more values than this is reported, because each value becomes a column.
WIDE_CATEGORY = 50


class VariableValues(NamedTuple):
    """The distinct values of a variable for each question, as pairs of a question and a value."""

    questions: Indices  # the row of the question of each pair, in ascending order
    codes: Indices  # the value of each pair, as an index of `values`
    values: list[Value]  # every value that occurs

    def texts(self) -> set[str]:
        """Return the values that are text."""
        return {value for value in self.values if isinstance(value, str)}

    def unbound(self, n_questions: int) -> int:
        """Return how many of `n_questions` questions have no value."""
        # Rows are sorted, so a change of row begins another question.
        return n_questions - int(np.count_nonzero(np.diff(self.questions, prepend=-1)))

    def of_question(self, question: int) -> list[Value]:
        """Return the values of one question."""
        return [self.values[code] for code in self.codes[self.questions == question]]


class VariableColumns(NamedTuple):
    """The columns of a variable: one for numbers, one per value of a category."""

    variable: str  # the name of the variable
    names: list[str]  # one name per column
    values: Matrix  # one row per question; NaN for unbound


def values_by_question(
    rows: Rows, question: str, variables: Sequence[str]
) -> tuple[list[str], dict[str, VariableValues]]:
    """Return the question ids in natural order, and their distinct values per variable."""
    question_column = rows.variables.index(question)
    iris = []
    for row in rows.rows:
        iri = row[question_column]
        if not isinstance(iri, NamedNode):
            value = "unbound" if iri is None else str(iri)
            raise DataError(f"?{question} is {value} in one row; every question needs an IRI")
        iris.append(iri.value)
    ids = sorted(set(iris), key=natural_key)
    index_of_id = {iri: index for index, iri in enumerate(ids)}
    question_of_row = np.fromiter((index_of_id[iri] for iri in iris), np.intp, len(iris))
    values = {}
    for name in variables:
        column = rows.variables.index(name)
        terms = [row[column] for row in rows.rows]
        values[name] = _code_values(terms, question_of_row, name=f"?{name}", iris=iris)
    return ids, values


def _code_values(
    terms: Sequence[Term | None], question_of_row: Indices, *, name: str, iris: Sequence[str]
) -> VariableValues:
    """Give every distinct value a code, and keep each value once per question.

    Messages use `name`, the name of the variable, and `iris`, the questions of the rows.
    """
    code_of_value: dict[Value, int] = {}
    code_of_term: dict[Term | None, int] = {None: -1}

    # Each distinct term is converted once: a million rows often have a dozen values.
    for term in dict.fromkeys(terms):
        if isinstance(term, BlankNode):
            iri = iris[terms.index(term)]
            raise DataError(
                f"{name} is a blank node, which has no name; select a resource that it leads to",
                where=iri,
            )
        if term is not None:
            value = python_value(term)
            code_of_term[term] = code_of_value.setdefault(value, len(code_of_value))

    codes = np.fromiter((code_of_term[term] for term in terms), np.intp, len(terms))
    bound = codes >= 0
    n_values = max(len(code_of_value), 1)

    # a pair as one number, so that sorting and removing duplicates are single operations
    pairs = np.sort(question_of_row[bound] * n_values + codes[bound])
    pairs = pairs[np.diff(pairs, prepend=-1) != 0]
    return VariableValues(pairs // n_values, pairs % n_values, list(code_of_value))


def encode(variable: str, values: VariableValues, ids: Sequence[str]) -> VariableColumns:
    """Encode a variable as one column of numbers, or one per value if it is categorical."""
    texts = values.texts()
    if texts and len(texts) < len(values.values):
        is_text = np.array([isinstance(value, str) for value in values.values])
        row = int(values.questions[is_text[values.codes]][0])
        text = min(value for value in values.of_question(row) if isinstance(value, str))
        raise DataError(
            f"?{variable} is a number for some questions and text for others ({ids[row]} has"
            f" {text!r}); exclude the text with FILTER(isNumeric(?{variable})), or convert all"
            f" values to text with STR(?{variable})"
        )
    if texts:
        return _encode_category(variable, values, len(ids))
    return _encode_number(variable, values, ids)


def _encode_number(variable: str, values: VariableValues, ids: Sequence[str]) -> VariableColumns:
    """Return the column of a number, which every question may have once only."""
    numbers = np.array([float(value) for value in values.values])
    has_several = np.bincount(values.questions, minlength=len(ids)) > 1
    is_invalid = ~np.isfinite(numbers)[values.codes] | has_several[values.questions]
    if is_invalid.any():
        row = int(values.questions[is_invalid][0])
        row_values = [float(value) for value in values.of_question(row)]
        for value in row_values:
            if not np.isfinite(value):
                raise DataError(
                    f"{ids[row]}: ?{variable} is {value}; distances need finite numbers; exclude it"
                    " with a FILTER"
                )
        examples = ", ".join(f"{value:g}" for value in sorted(row_values)[:3])
        raise DataError(
            f"{ids[row]} has {len(row_values)} values of ?{variable} ({examples}), but a number"
            f" needs exactly one: aggregate it, for instance (MAX(?{variable}) AS ?{variable}Max)"
            " ... GROUP BY"
        )

    column = np.full((len(ids), 1), np.nan)
    column[values.questions, 0] = numbers[values.codes]
    return VariableColumns(variable, [variable], column)


def _encode_category(variable: str, values: VariableValues, n_questions: int) -> VariableColumns:
    """Return a column for each value of a category: 1 where a question has the value."""
    categories = sorted(values.texts(), key=natural_key)
    index_of_category = {category: index for index, category in enumerate(categories)}
    columns = np.array([index_of_category[str(value)] for value in values.values], dtype=np.intp)
    matrix = np.full((n_questions, len(categories)), np.nan)
    # Only questions with a value; the others stay NaN, as unbound.
    matrix[values.questions] = 0.0
    matrix[values.questions, columns[values.codes]] = 1.0

    if len(categories) > WIDE_CATEGORY:
        note(
            f"?{variable} has {len(categories):,} values, each with its own column, and outweighs"
            " the other features; group them"
        )
    # Numbers without a datatype arrive as text, as from CSV.
    if all(re.fullmatch(r"[+-]?[0-9]*\.?[0-9]+", category) for category in categories):
        note(
            f"?{variable} is text that looks like numbers and is treated as categorical; convert it"
            f" with (xsd:decimal(?{variable}) AS ?n)"
        )

    # Local names of IRIs read better, but two namespaces may share one.
    namespace = re.compile(r"\A[a-zA-Z][\w+.-]*:.*[/#]", re.DOTALL)
    names = [namespace.sub("", name) for name in categories]
    if len(set(names)) < len(names) or not all(names):
        names = categories

    return VariableColumns(variable, [f"{variable}={name}" for name in names], matrix)
