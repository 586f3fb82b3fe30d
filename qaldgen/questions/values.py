"""Read the answers in a value: a cell, a JSON value or a term, of gold or of a run.

How a value is read depends on the value and on what `Expected` says: its question (the query, the
expected type), and how the file writes its answers. So the same value is the same answer in gold
and in runs.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from qaldgen.model import Answers, Cell
from qaldgen.questions.answer_objects import (
    answers_in_list,
    answers_in_object,
    holds_answers,
    is_by_annotator,
    is_results,
)
from qaldgen.questions.cells import expand_prefix, parse_term
from qaldgen.questions.records import Fields, scalar_text
from qaldgen.questions.results_json import answers_from_rows, read_answers_object, results_as_json
from qaldgen.questions.truth_values import parse_boolean, parse_truth, parse_yes_or_no
from qaldgen.questions.written_lists import (
    BULLET,
    answer_lines,
    parse_written,
    short_parts,
    split_at,
)
from qaldgen.sparql.clauses import selected_variables

#: The namespace near the start of an XML document with query results.
_RESULTS_XML = "http://www.w3.org/2005/sparql-results#"
_HEAD_CHARS = 1000
#: The separator of the choices of a question in one text.
BAR = " | "


class Choices(NamedTuple):
    """The choices of a question."""

    #: The texts of the choices; empty for a missing choice, such as option C of A, B, D.
    texts: tuple[str, ...]
    labels: tuple[str, ...] = ()  # their labels in the data, such as A and B
    first: int | None = None  # the number of the first choice, if answers are numbers
    only_numbers: bool = False  # whether a number is never the text of a choice

    def __str__(self) -> str:
        """Return the choices in one text, from which `choices.question_choices` reads them."""
        return BAR.join(filter(None, self.texts))


class Expected(NamedTuple):
    """What a question says about its answers, and its file about how they are written."""

    answer_type: str = ""  # resource, string, number, date, boolean, or empty
    query: str = ""  # the query; empty if there is none
    #: The knowledge graph of the set, if its identifiers cannot be recognised otherwise.
    graph: str = ""
    choices: Choices | None = None  # the choices of the question
    truth: bool = False  # whether the gold answer is a truth value
    several: bool = False  # whether the question has several gold answers, or may have them
    ranked: bool = False  # whether a list of answers is a ranking of candidates, the best first
    separator: str = ""  # the separator of answers in one text, besides a bar
    gold_texts: frozenset[str] = frozenset()  # a text that equals one of them is not split
    bars: bool = True  # whether a text is split at bars
    names_in_lists: bool = False  # whether a list holds the names of one answer, not answers
    only_terms: bool = False  # whether all answers are terms, also those in words


NOTHING_KNOWN = Expected()


def answers_in_column(cells: Iterable[Cell], variable: str = "answer") -> Answers:
    """Build answers with a single variable."""
    rows = tuple([(cell,) for cell in cells])
    if not rows:
        return Answers()
    return Answers(variables=(variable,), rows=rows)


def typed_answers(rows: Sequence[Sequence[tuple[str, str, str]]], expected_type: str) -> Answers:
    """Return answers that are written as tuples of variable, type and value, as in QALD XML.

    Variable and type may be empty.
    """
    results: list[dict[str, Cell]] = []
    for row in rows:
        results.append({})
        for variable, value_type, value in row:
            truth = parse_boolean(value)
            if (value_type or expected_type) == "boolean" and truth is not None:
                return Answers(boolean=truth)
            cell = expand_prefix(value)
            if value_type in {"uri", "resource"}:
                cell = Cell("uri", cell.value)
            if not variable and cell.type == "uri":
                variable = "uri"
            elif not variable:
                variable = expected_type if expected_type in {"number", "date"} else "string"
            # a second value of the same type is another answer, not another column
            if variable in results[-1]:
                results.append({})
            results[-1][variable] = cell
    return answers_from_rows([row for row in results if row])


def as_terms(answers: Answers | None, expected: Expected) -> Answers | None:
    """Convert answers in words to terms, those that look like IRIs or all of them.

    A single ``true`` or ``false`` becomes a boolean; so does yes or no if a boolean is expected.
    """
    if answers is None or not answers.texts:
        return answers
    if len(answers.texts) == 1:
        text = answers.texts[0][0]
        truth = parse_truth(text)
        if truth is None and expected.answer_type == "boolean":
            truth = parse_boolean(text)
        if truth is None and expected.truth:
            truth = parse_yes_or_no(text)
        if truth is not None:
            return Answers(boolean=truth)
    cells = [[parse_term(word, expected.graph) for word in wordings] for wordings in answers.texts]
    # an IRI is not another name of an answer: each IRI is an answer of its own
    if any(main.type == "uri" or main.datatype or main.language for main, *_ in cells):
        column: list[Cell] = []
        for wordings in cells:
            if wordings[-1].type != "uri":
                del wordings[1:]
            column += wordings
        return answers_in_column(column)
    # several names of one answer cannot be rows, which a system would have to give completely
    if expected.only_terms and all(len(wordings) == 1 for wordings in cells):
        return answers_in_column(wordings[0] for wordings in cells)
    return answers


def answers_in_value(
    value: object, record: Fields, name: str, expected: Expected = NOTHING_KNOWN
) -> Answers | None:
    """Return the answers that a value holds, in words or as results; None if it is blank.

    If the query projects several variables, an item of a list with a value for each of them is a
    row.
    """
    several = not expected.names_in_lists
    listed = parse_written(value)
    if listed is not None and holds_answers(listed):
        value = listed
    elif isinstance(value, str):
        parts = _split_text(value.strip(), expected.separator, bars=expected.bars)
        if len(parts) == 1 and parts[0] not in expected.gold_texts:
            text = parts[0]
            if expected.several or BULLET.match(text):
                parts = answer_lines(text) or parts
            if expected.several:
                parts = short_parts(text, ";") or parts
            if expected.several and not expected.bars:
                parts = short_parts(text, "|") or parts
        value = "".join(parts)
        if len(parts) > 1:
            value, several = parts, True
    if value is None or value == "":
        return None
    if value == []:
        return Answers()
    if isinstance(value, dict) and is_by_annotator(value):
        value = list(value.values())
    if isinstance(value, bool):
        return Answers(boolean=value)
    if isinstance(value, dict):
        return answers_in_object(value, record, name, several=several)
    if not isinstance(value, list):
        return Answers(texts=((scalar_text(value).strip(),),))
    return _rows_of_variables(value, expected.query) or answers_in_list(
        value, record, name, several=several
    )


def read_answers_value(
    value: object,
    record: Fields,
    name: str,
    expected: Expected,
    variants: Sequence[Answers] = (),
) -> Answers | None:
    """Return the answers in a value, of gold or of a run; None if it is blank.

    Query results stay as they are. Answers in words get further names from `variants`, and become
    terms of a knowledge graph where they look like such or are expected to be.
    """
    results = results_in_value(value, record, name)
    if results is not None:
        return results
    answers = answers_in_value(value, record, name, expected)
    return as_terms(_add_variants(answers, variants), expected)


def _add_variants(answers: Answers | None, variants: Sequence[Answers]) -> Answers | None:
    """Add names to the only answer, or to all answers if there is one list per answer."""
    if not variants or (answers is not None and not answers.texts):
        return answers
    texts = list((answers or Answers()).texts)
    for variant in variants:
        if len(texts) < 2:
            names = tuple(dict.fromkeys(chain.from_iterable((*texts, *variant.texts))))
            texts = [names] if names else []
        elif len(variant.texts) == len(texts):
            pairs = zip(texts, variant.texts, strict=True)
            texts = [tuple(dict.fromkeys((*names, *aliases))) for names, aliases in pairs]
    if not texts:
        return answers
    return dataclasses.replace(answers or Answers(), texts=tuple(texts))


def _rows_of_variables(values: Sequence[object], query: str) -> Answers | None:
    """Return lists or objects with a value for each of several variables of a query as rows."""
    if not query or not all(isinstance(item, (list, dict)) for item in values):
        return None
    variables = selected_variables(query)
    if len(variables) < 2:
        return None
    rows = []
    for item in values:
        if isinstance(item, list) and len(item) == len(variables):
            item = dict(zip(variables, item, strict=True))
        if not isinstance(item, dict) or not item.keys() <= set(variables):
            return None
        if any(isinstance(cell, (dict, list)) for cell in item.values()):
            return None
        cells = {name: cell for name, cell in item.items() if cell is not None}
        rows.append({name: parse_term(scalar_text(cell)) for name, cell in cells.items()})
    return answers_from_rows(rows, variables)


def results_in_value(value: object, record: Fields, name: str) -> Answers | None:
    """Return answers given as SPARQL results JSON, as an object or text; None for any other value.

    Text answers are under ``texts``, a list of accepted names for each, as in our own tables.
    """
    if isinstance(value, str):
        value = value.strip()
        if value[:1] == "<" and _RESULTS_XML in value[:_HEAD_CHARS]:
            value = results_as_json(value, "xml", record.where)
        elif value[:1] == "{":
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return None
    if not isinstance(value, dict) or not is_results(value):
        return None
    return read_answers_object(record.inside(name, value))


def _split_text(text: str, separator: str, *, bars: bool) -> list[str]:
    """Split a text into answers at bars and at the separator."""
    parts = [text]
    if bars:
        parts = [part.replace("\\|", "|") for part in re.split(r"(?<!\\)\|", text)]
    if separator:
        parts = [piece for part in parts for piece in split_at(part, separator)]
    return [part.strip() for part in parts if part.strip()]
