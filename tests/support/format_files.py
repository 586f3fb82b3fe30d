"""The small files of ours in every format of question sets."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from questions import one_column

from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.questions.reading import read_questions

DATA = Path(__file__).parent.parent / "data" / "formats"
needs_yaml = pytest.mark.skipif(
    importlib.util.find_spec("yaml") is None, reason="PyYAML is not installed"
)


def load(name: str) -> QuestionSet:
    """Read a file."""
    return read_questions(DATA / name)


def by_id(name: str) -> dict[str, Question]:
    """Read a file, and return its questions by id."""
    return {question.id: question for question in load(name).questions}


def read_file_with(folder: Path, text: str, name: str = "questions.json") -> QuestionSet:
    """Write a file, and read its questions."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_questions(path)


def qald(fields: str) -> str:
    """Return QALD JSON with one question, which has these fields too."""
    return (
        '{"questions": [{"id": "1", "question": [{"language": "en", "string": "Who?"}], '
        + fields
        + "}]}"
    )


def column(variable: str, *cells: Cell) -> Answers:
    """Return answers with one variable, one row a cell."""
    return one_column(*cells, variable=variable)
