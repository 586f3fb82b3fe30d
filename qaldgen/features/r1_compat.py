"""The property names of the published QaldGenData (R1), so that the paper's listings still run.

They are written only on request. Where they share a name with ours but not the type of value (text
instead of a category), the published type replaces our own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from pyoxigraph import Literal, NamedNode

from qaldgen.features.query.query_features import FeatureValue, FeatureValues
from qaldgen.model import Answers, Cell, Question
from qaldgen.questions.question_texts import base_language
from qaldgen.questions.results_json import as_literals
from qaldgen.rdf.terms import LSQ, QALDGEN, XSD, typed_literal

_WH_WORD = re.compile(r"\b(what|which|who|whom|whose|when|where|why|how)\b", re.IGNORECASE)
#: Patterns for the names of two sources, and their names in the published data.
_ORIGINS = (
    (re.compile(r"qald-?9", re.IGNORECASE), "qald9"),
    (re.compile(r"lc-?quad|train-data|test-data", re.IGNORECASE), "SDA-5000-QA"),
)


class _PublishedProperty(NamedTuple):
    """A property of the published data."""

    term: str
    datatype: str
    value: Callable[[Question, FeatureValues], FeatureValue | None]


def _words_property(
    name: str, datatype: str, count_feature: str, nth: int = 1
) -> _PublishedProperty:
    """Return the property of a number of words; 0, as published, without an nth resource."""

    def read(_: Question, values: FeatureValues) -> FeatureValue | None:
        n_resources = int(str(values.get(count_feature, nth)))
        if name not in values and n_resources < nth:
            return 0
        return values.get(name)

    return _PublishedProperty(QALDGEN + name, datatype, read)


def _read_feature(name: str) -> Callable[[Question, FeatureValues], FeatureValue | None]:
    """Return a function that reads a feature."""
    return lambda question, values: values.get(name)


def _question_type(question: Question, values: FeatureValues) -> str | None:
    """Return the question words of the first English text, with the published commas."""
    for tag, wordings in question.texts.items():
        if wordings and base_language(tag) == "en":
            return "".join(f"{word}, " for word in _WH_WORD.findall(wordings[0]))
    return None


def _answers_text(question: Question, values: FeatureValues) -> str | None:
    """Return the gold answers as the published data writes them."""
    if question.answers is None:
        return None
    return answer_string(as_literals(question.answers))


def _result_size(question: Question, values: FeatureValues) -> int | None:
    """Return the number of rows of the gold answers, 1 for yes or no."""
    answers = question.answers
    if answers is None:
        return None
    if answers.boolean is not None:
        return 1
    return len(as_literals(answers).rows)


_RESOURCE_TYPES = {"Entity": "Entities", "Relation": "Relations", "Class": "Classes"}
#: The names are the published ones, misspellings ("totalNounds") included.
_PROPERTIES = [
    _PublishedProperty(LSQ + "tps", "int", _read_feature("tpCount")),
    _PublishedProperty(LSQ + "bgps", "int", _read_feature("bgpCount")),
    _PublishedProperty(LSQ + "projectVars", "int", _read_feature("projectVarCount")),
    _PublishedProperty(LSQ + "resultSize", "int", _result_size),
    _PublishedProperty(LSQ + "answers", "string", _answers_text),
    _PublishedProperty(QALDGEN + "totalNounds", "int", _read_feature("totalNouns")),
    _PublishedProperty(QALDGEN + "questionType", "string", _question_type),
    _PublishedProperty(QALDGEN + "answerType", "string", _read_feature("answerType")),
    *(
        _words_property(f"avg{plural}Words", "double", f"total{plural}")
        for plural in _RESOURCE_TYPES.values()
    ),
    *(
        _words_property(f"totalWords{resource_type}{nth}", "int", f"total{plural}", nth)
        for resource_type, plural in _RESOURCE_TYPES.items()
        for nth in (1, 2)
    ),
]


def legacy_terms() -> frozenset[str]:
    """Return the properties that are written in the published way instead of our own."""
    return frozenset(row.term for row in _PROPERTIES)


def legacy_statements(
    question: Question, values: FeatureValues, set_name: str
) -> Iterator[tuple[NamedNode, Literal]]:
    """Yield properties and values of a question in the published schema."""
    names = f"{question.origin} {set_name}"
    origin = next((origin for pattern, origin in _ORIGINS if pattern.search(names)), set_name)
    yield NamedNode(QALDGEN + "questionOrigin"), Literal(origin)
    for row in _PROPERTIES:
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
            f"( ?{name} = {_write_cell(cell)} )"
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


def _write_cell(cell: Cell) -> str:
    """Return an RDF term as the published data writes it."""
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
