"""The kinds of mistakes, and of which kind a wrong answer is; `outcomes` adds them to the counts.

A wrong answer of the right type shows that the system understood the question and lacks the fact;
one of a wrong kind or type, that it did not understand. Nothing is guessed: if a kind or type is
not known, the answer is ``untyped``.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterable, Mapping

from qaldgen.answers.record import Response
from qaldgen.model import DATE_TYPES, NUMBER_TYPES, Answers, Cell, Question
from qaldgen.rdf.terms import XSD

#: What may be wrong with an answer; the first that applies counts.
MISTAKES = ("wrong kind", "untyped", "right type", "related type", "wrong type")
#: The possible outcomes.
OUTCOMES = ("right", "partly", "empty", "failed", "not asked", *MISTAKES)
#: The columns of the counts for outcomes, in addition to ``outcome``.
OUTCOME_COLUMNS = (*(name.replace(" ", "_") for name in OUTCOMES), "typed_wrong", "base_rate")
#: Two types are related if they share a superclass at this depth (the top is 1) or below: an
#: organisation and a person are not, although both are agents.
RELATED_DEPTH = 2
#: Untyped literals: a decimal or float, and a date in ISO 8601 or only its year.
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_DATE = re.compile(r"-?\d{4}(-\d\d?(-\d\d?(T[\d:.]+)?)?)?(Z|[+-]\d\d:\d\d)?")
_NO_KIND: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True)
class Types:
    """The known types of things, and the known superclasses of types."""

    #: The types of each thing, by IRI.
    types_by_iri: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    #: The direct superclasses of each class.
    parents: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    #: How deep a common superclass must be; the top of a hierarchy is at 1.
    related_depth: int = RELATED_DEPTH

    def deep_superclasses(self, types: Iterable[str]) -> frozenset[str]:
        """Return the types and their superclasses that are at `related_depth` or below."""
        seen = set(types)
        waiting = list(types)
        while waiting:
            new = self.parents.get(waiting.pop(), _NO_KIND) - seen
            seen |= new
            waiting += new
        return frozenset(name for name in seen if self._depths.get(name, 0) >= self.related_depth)

    @functools.cached_property
    def _depths(self) -> Mapping[str, int]:
        """The length of the shortest path from the top; classes only in a cycle have none."""
        children: dict[str, list[str]] = {}
        for child, parents in self.parents.items():
            for parent in parents:
                children.setdefault(parent, []).append(child)
        depths: dict[str, int] = {}
        level = {name for name, parents in self.parents.items() if not parents}
        depth = 1
        while level:
            depths |= dict.fromkeys(level, depth)
            below = set[str]().union(*(children.get(name, ()) for name in level))
            level = below - depths.keys()
            depth += 1
        return depths


#: Without a knowledge graph.
NO_TYPES_KNOWN = Types()


def cell_kinds(cell: Cell) -> frozenset[str]:
    """Return the kinds that a value can be: resource, number, date, boolean, string.

    A literal without a telling datatype, like most answers of systems, can be of several kinds: a
    year is a number too, and an IRI may be meant as a string.

    >>> sorted(cell_kinds(Cell("literal", "1985")))
    ['date', 'number']
    >>> sorted(cell_kinds(Cell("literal", "1985", XSD + "gYear")))
    ['date']
    """
    if cell.type != "literal":
        return frozenset(["resource"])

    name = ""
    if cell.datatype.startswith(XSD):
        name = cell.datatype.removeprefix(XSD)
    if name in NUMBER_TYPES:
        return frozenset(["number"])
    if name in DATE_TYPES:
        return frozenset(["date"])
    if name == "boolean":
        return frozenset(["boolean"])
    if cell.language:
        return frozenset(["string"])

    text = cell.value.strip()
    kinds = set[str]()
    if _NUMBER.fullmatch(text):
        kinds.add("number")
    if _DATE.fullmatch(text):
        kinds.add("date")
    if text.lower() in {"true", "false"}:
        kinds.add("boolean")
    if text.startswith(("http://", "https://")):
        kinds |= {"resource", "string"}

    return frozenset(kinds or {"string"})


def answer_kinds(answers: Answers) -> frozenset[str]:
    """Return the kinds of answers; none for words, which can name anything."""
    if answers.boolean is not None:
        return frozenset(["boolean"])
    kinds = _NO_KIND
    for cell in answers.cells():
        kinds |= cell_kinds(cell)
    return kinds


def answer_resources(answers: Answers) -> list[str]:
    """Return the IRIs among answers, whose types can be looked up."""
    return [
        cell.value.strip()
        for cell in answers.cells()
        if "resource" in cell_kinds(cell) and cell.type != "bnode"
    ]


def outcome(
    question: Question, response: Response, f1: float, types: Types = NO_TYPES_KNOWN
) -> str:
    """Return the outcome of a question.

    >>> gold = Answers(rows=((Cell("uri", "urn:Berlin"),),))
    >>> given = Answers(rows=((Cell("uri", "urn:Rome"),),))
    >>> cities = Types({"urn:Berlin": frozenset(["urn:City"]), "urn:Rome": frozenset(["urn:City"])})
    >>> outcome(Question("1", {}, answers=gold), Response("1", answers=given), 0.0, cities)
    'right type'
    """
    if f1 > 0:
        return "right" if f1 == 1 else "partly"
    if response.status in {"failed", "timeout"}:
        return "failed"
    if response.status == "not asked":
        return "not asked"
    answers = response.given
    if not answers.values():
        return "empty"

    kinds = answer_kinds(question.gold)
    # the kind that the data state counts, if the gold answers can be read as that
    if question.answer_type and (not kinds or question.answer_type in kinds):
        kinds = frozenset([question.answer_type])
    actual_kinds = answer_kinds(answers)
    if kinds and actual_kinds and not kinds & actual_kinds:
        return "wrong kind"

    expected_types = _types(question.gold, kinds, types) or kinds - {"resource"}
    actual_types = _types(answers, kinds, types)
    if not expected_types or not actual_types:
        return "untyped"
    if expected_types & actual_types:
        return "right type"
    if types.deep_superclasses(expected_types) & types.deep_superclasses(actual_types):
        return "related type"
    return "wrong type"


def _types(answers: Answers, kinds: frozenset[str], types: Types) -> frozenset[str]:
    """Return the types of answers of these kinds; a literal has its kinds as types."""
    if answers.boolean is not None:
        return frozenset(["boolean"])
    answer_types: set[str] = set()
    for cell in answers.cells():
        kinds_of_cell = cell_kinds(cell)
        if not kinds_of_cell & kinds:
            continue
        if "resource" in kinds_of_cell:
            answer_types |= types.types_by_iri.get(cell.value.strip(), _NO_KIND)
        else:
            answer_types |= kinds_of_cell
    return frozenset(answer_types)


def column_of(mistake: str) -> str:
    """Return the column of the counts for an outcome."""
    return mistake.replace(" ", "_")
