"""Read the answers in a value: a cell, a JSON value or a term, of gold or of a run.

How a value is read depends on the value and on what `Expected` says: its question (the query, the
expected type), and how the file writes its answers, which all records of the file decide together.
`read_answers_value` first reads results or words, then decides once whether words are terms.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from qaldgen.model import Answers, Cell
from qaldgen.questions.answer_objects import (
    answers_in_list,
    answers_in_object,
    holds_answers,
    is_by_annotator,
    is_results,
    only_column,
)
from qaldgen.questions.cells import expand_prefix, guess_answer_type, parse_term
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
#: Between the names of a gold answer, as fmeval writes them.
_OR = "<OR>"


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
    """How the answers of a question are to be read: by its type and query, and by its file."""

    answer_type: str = ""  # resource, string, number, date, boolean, or empty
    query: str = ""  # the query; empty if there is none
    #: The knowledge graph of the set, if its identifiers cannot be recognised otherwise.
    graph: str = ""
    choices: Choices | None = None  # the choices of the question
    truth: bool = False  # whether the gold answer is a truth value
    several: bool = False  # whether the question has several gold answers, or may have them
    ranked: bool = False  # whether a list of answers is a ranking of candidates, the best first
    separator: str = ""  # the separator of answers in one text, besides a bar
    gold_texts: frozenset[str] = frozenset()  # a text that equals one is not split or parsed
    bars: bool = False  # whether a text is split at bars
    names_in_lists: bool = False  # whether a list holds the names of one answer, not answers
    only_terms: bool = False  # whether all answers are terms, also those in words
    names: Mapping[str, tuple[str, ...]] = {}  # the names of things by IRI, as the set gives them


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
    if any(main.type == "uri" or main.datatype or main.language for main, *_ in cells):
        separate: list[Cell] = []
        for wordings in cells:
            # an IRI is not another name of an answer: each IRI is an answer of its own
            if wordings[-1].type == "uri" or _are_pairs(wordings):
                separate += wordings
            else:
                separate.append(wordings[0])
        return answers_in_column(_without_names(separate, expected.names))
    # several names of one answer cannot be rows, which a system would have to give completely
    if expected.only_terms and all(len(wordings) == 1 for wordings in cells):
        return answers_in_column(wordings[0] for wordings in cells)
    return answers


def _are_pairs(cells: Sequence[Cell]) -> bool:
    """Return whether a list has two or more IRIs, with a name or a value behind each."""
    pairs = ["uri", "literal"] * (len(cells) // 2)
    return len(pairs) > 2 and [cell.type for cell in cells] == pairs


def _without_names(cells: Sequence[Cell], names: Mapping[str, Sequence[str]]) -> Sequence[Cell]:
    """Return a list without the names that stand behind IRIs, known ones or one behind each IRI.

    >>> cells = [parse_term(text) for text in ("wd:Q1", "Ulm", "wd:Q2", "Bonn")]
    >>> [cell.value for cell in _without_names(cells, {})][1:]
    ['http://www.wikidata.org/entity/Q2']
    >>> [len(_without_names(cells[:2], names)) for names in ({}, {cells[0].value: ["Ulm"]})]
    [2, 1]
    """
    if _are_pairs(cells) and all(guess_answer_type(cell.value) == "string" for cell in cells[1::2]):
        return cells[::2]
    kept = list(cells[:1])
    for before, cell in itertools.pairwise(cells):
        if cell.value not in names.get(before.value, ()):
            kept.append(cell)
    return kept


def answers_in_value(
    value: object, record: Fields, name: str, expected: Expected = NOTHING_KNOWN
) -> Answers | None:
    """Return the answers that a value holds, in words or as results; None if it is blank.

    If the query projects several variables, an item of a list with a value for each of them is a
    row.
    """
    if isinstance(value, str) and _OR in value:
        return Answers(texts=(tuple(part.strip() for part in value.split(_OR)),))
    is_gold = isinstance(value, str) and value.strip() in expected.gold_texts
    written = None if is_gold else parse_written(value)
    may_be_results = isinstance(value, str) or expected.query
    if isinstance(written, list) and may_be_results and not holds_answers(written):
        written = only_column(written) or written
    if isinstance(value, str) and (written is None or not holds_answers(written)):
        parts = _parts_of_text(value.strip(), expected)
        if len(parts) > 1:
            return answers_in_list([*parts], record, name, several=True)
        return Answers(texts=(tuple(parts),)) if parts else None
    data = value if written is None else written
    if data is None:
        return None
    if isinstance(data, bool):
        return Answers(boolean=data)
    several = not expected.names_in_lists
    if isinstance(data, dict) and is_by_annotator(data):
        items = list(data.values())
    elif isinstance(data, dict):
        return answers_in_object(data, record, name, several=several)
    elif isinstance(data, list):
        items = data
    else:
        return Answers(texts=((scalar_text(data).strip(),),))
    if not items:
        return Answers()
    rows = _rows_of_variables(items, expected.query)
    return rows or answers_in_list(items, record, name, several=several)


def _parts_of_text(text: str, expected: Expected) -> list[str]:
    """Return the answers in a text: between bars or separators, or all of it; none if it is blank.

    Where several answers are expected, they may also stand in lines or between semicolons.
    """
    parts = [text]
    if expected.bars and "|" in text:
        parts = [part.replace("\\|", "|") for part in re.split(r"(?<!\\)\|", text)]
    if expected.separator:
        parts = [piece for part in parts for piece in split_at(part, expected.separator)]
    answers = [part.strip() for part in parts if part.strip()]
    if len(answers) != 1 or answers[0] in expected.gold_texts:
        return answers
    answer = answers[0]
    if expected.several:
        separators = [";"] if expected.bars else ["|", ";"]
        for separator in separators:
            short_answers = short_parts(answer, separator)
            if short_answers:
                return short_answers
    elif not BULLET.match(answer):
        return answers
    return answer_lines(answer) or answers


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
    """Return lists or objects with a value for each variable of a query as rows; else None."""
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
    document = value
    if isinstance(value, str):
        text = value.strip()
        if text[:1] == "<" and _RESULTS_XML in text[:_HEAD_CHARS]:
            document = results_as_json(text, "xml", record.where)
        elif text[:1] == "{":
            try:
                document = json.loads(text)
            except (ValueError, RecursionError):
                return None
    if not isinstance(document, dict) or not is_results(document):
        return None
    return read_answers_object(record.inside(name, document))
