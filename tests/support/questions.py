"""Questions, answers and runs for tests: say what matters to the test, and leave the rest."""

from __future__ import annotations

from typing import Any

from qaldgen.answers.record import Response, Run
from qaldgen.model import Answers, Cell, Question
from qaldgen.rdf.terms import XSD


def question(
    name: str = "1",
    text: str = "Who?",
    *,
    language: str = "en",
    query: str | None = None,
    answers: Answers | None = None,
    **fields: Any,  # noqa: ANN401 - as `Question` has them
) -> Question:
    """Return a question with one text and at most one query.

    Further fields, as `Question` has them, win.
    """
    own: dict[str, Any] = {
        "texts": {language: (text,)},
        "queries": {} if query is None else {"": query},
        "answers": answers,
    }
    return Question(**{"id": name, **own, **fields})


def one_column(*cells: Cell | None, variable: str = "x") -> Answers:
    """Return answers with one variable, one row a cell."""
    return Answers(variables=(variable,), rows=tuple((cell,) for cell in cells))


def uri(value: str) -> Cell:
    """Return an IRI."""
    return Cell("uri", value)


def literal(value: str, datatype: str = "", language: str = "") -> Cell:
    """Return a literal; its datatype is named as in XML Schema."""
    return Cell("literal", value, XSD + datatype if datatype else "", language)


def run_of(**answers: Answers) -> Run:
    """Return a run with these answers by question id."""
    return Run(
        "mine", "table", {name: Response(name, answers=given) for name, given in answers.items()}
    )
