"""The property names of the published QaldGenData (R1), so that the paper's listings still run.

They are written only on request. Where they share a name with ours but not the kind of value (text
instead of a category), the published kind replaces our own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from pyoxigraph import Literal, NamedNode

from qaldgen.features.query.query_features import FeatureValue, FeatureValues
from qaldgen.model import Answers, Cell, Question
from qaldgen.questions.question_texts import base_language
from qaldgen.questions.results_json import as_literals
from qaldgen.rdf.terms import LSQ, QALDGEN, XSD, typed_literal

_WH_WORD = re.compile(r"\b(what|which|who|whom|whose|when|where|why|how)\b", re.IGNORECASE)
#: The names of two sources, and those in the published data.
_ORIGINS = (
    (re.compile(r"qald-?9", re.IGNORECASE), "qald9"),
    (re.compile(r"lc-?quad|train-data|test-data", re.IGNORECASE), "SDA-5000-QA"),
)


class _Legacy(NamedTuple):
    """A property of the published data."""

    term: str
    datatype: str
    value: Callable[[Question, FeatureValues], FeatureValue | None]


def _words(
    name: str, total: str, nth: int = 1
) -> Callable[[Question, FeatureValues], FeatureValue | None]:
    """Return a function that reads a number of words; 0, as published, if there is no nth thing."""

    def value(_: Question, values: FeatureValues) -> FeatureValue | None:
        number_of_things = int(str(values.get(total, nth)))
        if name not in values and number_of_things < nth:
            return 0
        return values.get(name)

    return value


def _feature(name: str) -> Callable[[Question, FeatureValues], FeatureValue | None]:
    """Return a function that reads a feature."""
    return lambda question, values: values.get(name)


def _question_type(question: Question, values: FeatureValues) -> str | None:
    for tag, wordings in question.texts.items():
        if wordings and base_language(tag) == "en":
            return "".join(f"{word}, " for word in _WH_WORD.findall(wordings[0]))
    return None


def _answers(question: Question, values: FeatureValues) -> str | None:
    if question.answers is None:
        return None
    return answer_string(as_literals(question.answers))


def _result_size(question: Question, values: FeatureValues) -> int | None:
    answers = question.answers
    if answers is None:
        return None
    return 1 if answers.boolean is not None else len(as_literals(answers).rows)


_THINGS = (("Entity", "Entities"), ("Relation", "Relations"), ("Class", "Classes"))
#: The names are the published ones, misspellings ("totalNounds") included.
_TABLE: tuple[_Legacy, ...] = (
    _Legacy(LSQ + "tps", "int", _feature("tpCount")),
    _Legacy(LSQ + "bgps", "int", _feature("bgpCount")),
    _Legacy(LSQ + "projectVars", "int", _feature("projectVarCount")),
    _Legacy(LSQ + "resultSize", "int", _result_size),
    _Legacy(LSQ + "answers", "string", _answers),
    _Legacy(QALDGEN + "totalNounds", "int", _feature("totalNouns")),
    _Legacy(QALDGEN + "questionType", "string", _question_type),
    _Legacy(QALDGEN + "answerType", "string", _feature("answerType")),
    *(
        _Legacy(
            f"{QALDGEN}avg{plural}Words", "double", _words(f"avg{plural}Words", f"total{plural}")
        )
        for _, plural in _THINGS
    ),
    *(
        _Legacy(
            f"{QALDGEN}totalWords{kind}{nth}",
            "int",
            _words(f"totalWords{kind}{nth}", f"total{plural}", nth),
        )
        for (kind, plural), nth in product(_THINGS, (1, 2))
    ),
)


def legacy_terms() -> frozenset[str]:
    """Return the properties that are written in the published way instead of our own."""
    return frozenset(row.term for row in _TABLE)


def legacy_statements(
    question: Question, values: FeatureValues, set_name: str
) -> Iterator[tuple[NamedNode, Literal]]:
    """Yield properties and values of a question in the published schema."""
    text = f"{question.origin} {set_name}"
    published = [name for pattern, name in _ORIGINS if pattern.search(text)]
    origin = published[0] if published else set_name
    yield NamedNode(QALDGEN + "questionOrigin"), Literal(origin)
    for row in _TABLE:
        value = row.value(question, values)
        if value is not None:
            text = str(value)
            if row.datatype == "double":
                text = repr(float(text))
            yield NamedNode(row.term), typed_literal(text, row.datatype)


def answer_string(answers: Answers) -> str:
    r"""Write answers as the published data does; `parse_answers` reads them back.

    >>> answer_string(Answers(variables=("n",), rows=((Cell("literal", "5", XSD + "integer"),),)))
    '( ?n = 5 ), '
    """
    if answers.boolean is not None:
        return str(answers.boolean).lower()
    rows = []
    for row in answers.rows:
        cells = [
            f"( ?{name} = {_cell(cell)} )"
            for name, cell in zip(answers.variables, row, strict=True)
            if cell is not None
        ]
        if cells:
            rows.append(f"{' '.join(cells)}, ")
    return "".join(rows)


#: How characters are escaped in a literal.
_ESCAPES = str.maketrans({
    "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t",
})  # fmt: skip


def _cell(cell: Cell) -> str:
    if cell.type == "uri":
        return f"<{cell.value}>"
    if cell.type == "bnode":
        return f"_:{cell.value}"
    local = cell.datatype.removeprefix(XSD)
    if local in {"integer", "boolean"} and re.fullmatch(r"[+-]?[0-9]+|true|false", cell.value):
        return cell.value
    literal = f'"{cell.value.translate(_ESCAPES)}"'
    if cell.language:
        return f"{literal}@{cell.language}"
    if not cell.datatype or cell.datatype == XSD + "string":
        return literal
    if local == cell.datatype:
        return f"{literal}^^<{cell.datatype}>"
    return f"{literal}^^xsd:{local}"
