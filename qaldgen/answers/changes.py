"""Classify how gold answers change between two editions."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

from qaldgen.answers.record import Run
from qaldgen.model import Answers, Cell, Question
from qaldgen.rdf.terms import XSD

#: The classes of changes; the first and the last one are not changes.
CHANGES = (
    "equal", "empty-now", "filled-now", "more", "fewer", "overlapping", "disjoint", "another-type",
    "not-executable",
)  # fmt: skip
#: The key in the metadata of a question, and the name of the feature.
GOLD_CHANGED = "goldChanged"
#: A number without the plus sign and the decimal zeros that only some editions write.
_NUMBER = re.compile(r"\+?(-?[0-9]+)(?:\.([0-9]*?)0*)?")
#: The number of answers from which it is no coincidence that all equal the gold.
_MIN_ANSWERS = 10


def is_change(change: str) -> bool:
    """Return whether a class of `CHANGES` means that the gold differs."""
    return change not in {"equal", "not-executable"}


def classify_change(before: Answers | None, now: Answers | None) -> str:
    """Return the class of a change, one of `CHANGES`; `now` is None if it could not be computed.

    Datatypes and language tags are not compared, because only some editions write them.

    >>> old, new = (Answers(rows=((Cell("literal", text),),)) for text in ("+157", "157"))
    >>> classify_change(old, new)
    'equal'
    >>> one, two = (Answers(texts=tuple((x,) for x in names)) for names in ("a", "ab"))
    >>> classify_change(one, two), classify_change(two, one), classify_change(one, None)
    ('more', 'fewer', 'not-executable')
    """
    if now is None:
        return "not-executable"
    old, new = comparable_values(before), comparable_values(now)
    if old == new:
        return "equal"
    if not old:
        return "filled-now"
    if not new:
        return "empty-now"
    if old < new:
        return "more"
    if old > new:
        return "fewer"
    if old & new:
        return "overlapping"
    if _term_types(before) & _term_types(now):
        return "disjoint"
    return "another-type"


def with_change(question: Question, change: str) -> Question:
    """Return a question with the class of the change of its gold in its metadata."""
    return dataclasses.replace(question, metadata={**question.metadata, GOLD_CHANGED: change})


def comparable_values(answers: Answers | None) -> frozenset[str]:
    """Return the values of answers for comparison.

    All blank nodes are equal, and so are the numbers ``+157``, ``157`` and ``157.0``.
    """
    if answers is None:
        return frozenset()
    if answers.boolean is not None:
        return frozenset(answers.values())
    values = {wordings[0] for wordings in answers.texts if wordings}
    for cell in answers.cells():
        value = cell.value
        if cell.type == "bnode":
            value = "_:"
        elif cell.type == "literal" and not cell.language and (number := _NUMBER.fullmatch(value)):
            value = f"{number[1]}.{number[2]}" if number[2] else number[1]
        values.add(value)
    return frozenset(values)


def _term_types(answers: Answers | None) -> set[str]:
    """Return the types of the terms: boolean, uri or literal."""
    if answers is None or answers.boolean is not None:
        return {"boolean"}
    types = {cell.type.replace("bnode", "uri") for cell in answers.cells()}
    if answers.texts:
        types.add("literal")
    return types


def comparable_cell(cell: Cell) -> Cell:
    """Return a cell for comparison with type, datatype and language; xsd:string is dropped."""
    if cell.type == "bnode":
        return cell._replace(value="")
    if cell.datatype == XSD + "string" or cell.language:
        return cell._replace(datatype="")
    return cell


def answers_equal(questions: Iterable[Question], run: Run) -> int:
    """Return the number of gold answers if a run equals all of them and these are many, else 0."""
    answered = [question for question in questions if question.answers is not None]
    for question in answered:
        gold, given = question.answers, run.response(question.id).answers
        # most equal answers are written in the same way, which is faster to see
        if gold != given and comparable_values(gold) != comparable_values(given):
            return 0
    return len(answered) if len(answered) >= _MIN_ANSWERS else 0
