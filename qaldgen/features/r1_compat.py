"""The property names of the published QaldGenData (R1), so that the paper's listings still run.

They are written only on request. Where they share a name with ours but not the kind of value (text
instead of a category), the published kind replaces our own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from pyoxigraph import Literal, NamedNode

from qaldgen.features.query.query_features import FeatureValue
from qaldgen.model import Answers, Cell, Question
from qaldgen.questions.question_texts import base_language
from qaldgen.questions.results_json import as_literals
from qaldgen.rdf.terms import LSQ, QALDGEN, XSD, typed_literal

Values = dict[str, FeatureValue]
_WH_WORD = re.compile(r"\b(what|which|who|whom|whose|when|where|why|how)\b", re.IGNORECASE)
#: How the published data calls its two sources.
_ORIGINS = (
    (re.compile(r"qald-?9", re.IGNORECASE), "qald9"),
    (re.compile(r"lc-?quad|train-data|test-data", re.IGNORECASE), "SDA-5000-QA"),
)


class _Legacy(NamedTuple):
    term: str
    datatype: str
    value: Callable[[Question, Values], FeatureValue | None]


def _words(
    name: str, total: str, nth: int = 1
) -> Callable[[Question, Values], FeatureValue | None]:
    """Take words of labels: 0, as published, where the query has no nth thing; None if unknown."""
    return lambda question, values: values.get(
        name, 0 if int(str(values.get(total, nth))) < nth else None
    )


def _just(name: str) -> Callable[[Question, Values], FeatureValue | None]:
    return lambda question, values: values.get(name)


def _question_type(question: Question, values: Values) -> str | None:
    for tag, wordings in question.texts.items():
        if wordings and base_language(tag) == "en":
            return "".join(f"{word}, " for word in _WH_WORD.findall(wordings[0]))
    return None


def _answers(question: Question, values: Values) -> str | None:
    if question.answers is None:
        return None
    return answer_string(as_literals(question.answers))


def _result_size(question: Question, values: Values) -> int | None:
    if question.answers is None:
        return None
    if question.answers.boolean is not None:
        return 1
    return len(as_literals(question.answers).rows)


_THINGS = (("Entity", "Entities"), ("Relation", "Relations"), ("Class", "Classes"))
#: The names are the published ones, misspellings ("totalNounds") included.
_TABLE: tuple[_Legacy, ...] = (
    _Legacy(LSQ + "tps", "int", _just("tpCount")),
    _Legacy(LSQ + "bgps", "int", _just("bgpCount")),
    _Legacy(LSQ + "projectVars", "int", _just("projectVarCount")),
    _Legacy(LSQ + "resultSize", "int", _result_size),
    _Legacy(LSQ + "answers", "string", _answers),
    _Legacy(QALDGEN + "totalNounds", "int", _just("totalNouns")),
    _Legacy(QALDGEN + "questionType", "string", _question_type),
    _Legacy(QALDGEN + "answerType", "string", _just("answerType")),
    *(
        _Legacy(f"{QALDGEN}avg{many}Words", "double", _words(f"avg{many}Words", f"total{many}"))
        for _, many in _THINGS
    ),
    *(
        _Legacy(
            f"{QALDGEN}totalWords{kind}{n}",
            "int",
            _words(f"totalWords{kind}{n}", f"total{many}", n),
        )
        for kind, many in _THINGS
        for n in (1, 2)
    ),
)


def legacy_terms() -> frozenset[str]:
    """Return the properties that are written in the published way instead of our own."""
    return frozenset(row.term for row in _TABLE)


def legacy_statements(
    question: Question, values: Values, set_name: str
) -> Iterator[tuple[NamedNode, Literal]]:
    """Yield properties and values of a question in the published schema."""
    origins = [
        name for pattern, name in _ORIGINS if pattern.search(f"{question.origin} {set_name}")
    ]
    yield NamedNode(QALDGEN + "questionOrigin"), Literal([*origins, set_name][0])
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
