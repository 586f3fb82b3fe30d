"""Hints and notes for calls in which questions and answers may be swapped."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from qaldgen.answers.reading import read_run
from qaldgen.benchmark.aliases import read_aliases
from qaldgen.errors import DataError, UsageError
from qaldgen.io.inputs import stream_number
from qaldgen.model import QuestionSet
from qaldgen.questions.cells import parse_term
from qaldgen.questions.reading import read_questions

T = TypeVar("T")
#: The formats of questions and of runs alike.
_COMMON = frozenset(["qald-json", "qald-extended"])
_ALIASES = (
    "holds names of answers, or answers of a system, not questions; give the questions with"
    " gold answers first and then the runs. Names of answers go to `aliases`"
)
#: Keywords of a question.
_KEYWORDS = re.compile(rb'"keywords"\s*:\s*"[^"]')
#: How many bytes are searched for them: to read a run once more would take as long as to score it.
_SEARCHED_BYTES = 1_000_000


def can_be_read_again(gold: str | Path, *runs: str) -> bool:
    """Return whether no file is a stream, and the questions are none of the runs."""
    return all(stream_number(name) is None for name in (gold, *runs)) and str(gold) not in runs


def swap_hint(gold: str | Path, runs: Sequence[str | Path]) -> str:
    """Return a hint if GOLD, which could not be read as questions, holds answers; else empty."""
    form = _form_of_run(gold)
    if not form:
        return ""
    unclear = {"", *_COMMON}  # records with question and answer may be either
    for run in runs:
        if _has_gold(run) and _form_of_run(run) in unclear:
            return (
                f"holds the answers of a system ({form}), and {run} holds questions with gold"
                " answers; give the questions first and then the runs"
            )
    # an object from ids to lists may be gold; ids are no IRIs
    aliases = _read_or_none(read_aliases, gold) or {}
    iris = sum(parse_term(name).type == "uri" for name in aliases)
    if iris > len(aliases) / 2:
        return _ALIASES
    return ""


def alias_hint(gold: str | Path) -> str:
    """Return a hint if GOLD, which could not be read as gold either, holds names; else empty."""
    return _ALIASES if _read_or_none(read_aliases, gold) else ""


def run_hint(run: str | Path) -> str:
    """Return a hint if a run, which could not be read, holds questions; else empty."""
    if not _has_gold(run):
        return ""
    return (
        "The file holds questions with gold answers; were the two swapped? The questions come first"
    )


def _form_of_run(path: str | Path) -> str:
    """Return the format of a file that can be read as a run with answers; empty if it cannot."""
    run = _read_or_none(read_run, path)
    if run is None or run.format == "lines":  # any text is lines
        return ""
    answered = any(response.status == "answered" for response in run.responses.values())
    return run.format if answered else ""


def _has_gold(path: str | Path) -> bool:
    questions = _read_or_none(read_questions, path) or ()
    return any(question.answers is not None or question.queries for question in questions)


def _read_or_none(read: Callable[..., T], path: str | Path) -> T | None:
    """Return the result of reading a file; None if it cannot be read."""
    try:
        return read(path)
    except (DataError, UsageError, OSError):
        return None


def swap_note(questions: QuestionSet, run: str | Path, form: str) -> str:
    """Return a note if a run has keywords, as question sets do, and the questions have none."""
    path = Path(run)
    if form not in _COMMON or questions.format not in _COMMON:
        return ""
    # people add these to questions, systems do not
    for question in questions:
        if question.flags or question.keywords or len(question.texts) > 1:
            return ""
    if not path.is_file():  # a pipe, which cannot be read twice
        return ""
    with path.open("rb") as file:
        if not _KEYWORDS.search(file.read(_SEARCHED_BYTES)):
            return ""
    return (
        f"{run} has keywords, as question sets do, and {questions.name} has"
        f" none, as the answers of a system; were the two swapped? The questions come first"
    )
