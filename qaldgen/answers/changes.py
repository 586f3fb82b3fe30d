"""How gold answers differ between two editions."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

from qaldgen.answers.record import Run
from qaldgen.model import Answers, Cell, Question
from qaldgen.rdf.terms import XSD

#: The classes of changes; all but the first and the last are changes.
CHANGES = (
    "equal",
    "empty-now",
    "filled-now",
    "more",
    "fewer",
    "overlapping",
    "disjoint",
    "another-type",
    "not-executable",
)
#: The key in the metadata of a question, and the name of the feature.
GOLD_CHANGED = "goldChanged"
#: A number, its sign and its zeros behind the point apart, which editions write or leave out.
_NUMBER = re.compile(r"\+?(-?[0-9]+)(?:\.([0-9]*?)0*)?")
#: With this many answers it is unlikely to be a coincidence that all equal the gold.
_ENOUGH = 10


def is_change(kind: str) -> bool:
    """Return whether the gold differs; a failure is no change."""
    return kind not in {"equal", "not-executable"}


def classify_change(before: Answers | None, now: Answers | None) -> str:
    """Return the class of a change, one of `CHANGES`; ``now`` is None if it could not be had.

    Values are compared, not datatypes and language tags, which editions write or leave out.

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
    if _kinds(before) & _kinds(now):
        return "disjoint"
    return "another-type"


def with_change(question: Question, kind: str) -> Question:
    """Return a question whose metadata say how its gold changed, as the feature does."""
    return dataclasses.replace(question, metadata={**question.metadata, GOLD_CHANGED: kind})


def comparable_values(answers: Answers | None) -> frozenset[str]:
    """Return the values of answers; names of blank nodes are valid in one result only."""
    if answers is None:
        return frozenset()
    if answers.boolean is not None:
        return frozenset(answers.values())
    texts = {wordings[0] for wordings in answers.texts if wordings}
    return frozenset(map(_value, answers.cells())) | texts


def _value(cell: Cell) -> str:
    """Return the value of a cell; ``+157``, ``157`` and ``157.0`` are one number."""
    if cell.type == "bnode":
        return "_:"
    if cell.type != "literal" or cell.language:
        return cell.value
    number = _NUMBER.fullmatch(cell.value)
    if number is None:
        return cell.value
    return f"{number[1]}.{number[2]}" if number[2] else number[1]


def _kinds(answers: Answers | None) -> set[str]:
    """Return boolean, uri or literal; datatypes are often left out, so they are not compared."""
    if answers is None or answers.boolean is not None:
        return {"boolean"}
    types = {cell.type.replace("bnode", "uri") for cell in answers.cells()}
    if answers.texts:
        types.add("literal")
    return types


def comparable_cell(cell: Cell) -> Cell:
    """Return a cell as it is compared with kind, datatype and language; xsd:string is none."""
    if cell.type == "bnode":
        return cell._replace(value="")
    if cell.datatype == XSD + "string" or cell.language:
        return cell._replace(datatype="")
    return cell


def answers_equal(questions: Iterable[Question], run: Run) -> int:
    """Return how many answers a run has if each equals the gold; 0 for few, or if one differs."""
    answered = [question for question in questions if question.answers is not None]
    equal = all(
        comparable_values(response.answers) == comparable_values(run.response(response.id).answers)
        for response in answered
    )
    if not equal or len(answered) < _ENOUGH:
        return 0
    return len(answered)
