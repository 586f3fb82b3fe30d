"""Hints and notes for calls that may have swapped questions and answers."""

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
#: Formats of both questions and runs.
_AMBIGUOUS_FORMATS = frozenset(["qald-json", "qald-extended"])
_ALIAS_HINT = (
    "holds names of answers, or answers of a system, not questions; give the questions with"
    " gold answers first and then the runs. Names of answers go to `aliases`"
)
#: Keywords of a question.
_KEYWORDS = re.compile(rb'"keywords"\s*:\s*"[^"]')
#: How many bytes are searched for them: reading the whole run would take as long as scoring it.
_SEARCHED_BYTES = 1_000_000


def can_be_read_again(gold: str | Path, *runs: str) -> bool:
    """Return whether no file is a stream, and the file of the questions is not a run."""
    return all(stream_number(name) is None for name in (gold, *runs)) and str(gold) not in runs


def swap_hint(gold: str | Path, runs: Sequence[str | Path]) -> str | None:
    """Return a hint if GOLD, which could not be read as questions, holds answers; else None."""
    run_format = _run_format(gold)
    if run_format is None:
        return None
    ambiguous = {None, *_AMBIGUOUS_FORMATS}  # records with question and answer may be either
    for run in runs:
        if _has_gold(run) and _run_format(run) in ambiguous:
            return (
                f"holds the answers of a system ({run_format}), and {run} holds questions with gold"
                " answers; give the questions first and then the runs"
            )
    # an object from ids to lists may be gold; ids are no IRIs
    aliases = _try_reading(read_aliases, gold) or {}
    n_iris = sum(parse_term(name).type == "uri" for name in aliases)
    return _ALIAS_HINT if n_iris > len(aliases) / 2 else None


def alias_hint(gold: str | Path) -> str | None:
    """Return a hint if GOLD, which could not be read as gold, holds names; else None."""
    return _ALIAS_HINT if _try_reading(read_aliases, gold) else None


def run_hint(run: str | Path) -> str | None:
    """Return a hint if a run, which could not be read, holds questions; else None."""
    if not _has_gold(run):
        return None
    return (
        "The file holds questions with gold answers; were the two swapped? The questions come first"
    )


def _run_format(path: str | Path) -> str | None:
    """Return the format of a file that can be read as a run with answers; None if it cannot."""
    run = _try_reading(read_run, path)
    if run is None or run.format == "lines":  # any text is lines
        return None
    has_answers = any(response.status == "answered" for response in run.responses.values())
    return run.format if has_answers else None


def _has_gold(path: str | Path) -> bool:
    questions = _try_reading(read_questions, path) or ()
    return any(question.answers is not None or question.queries for question in questions)


def _try_reading(read: Callable[..., T], path: str | Path) -> T | None:
    """Return the result of reading a file; None if it cannot be read."""
    try:
        return read(path)
    except (DataError, UsageError, OSError):
        return None


def swap_note(questions: QuestionSet, run: str | Path, run_format: str) -> str | None:
    """Return a note if a run has keywords, as question sets do, and the questions have none."""
    path = Path(run)
    if run_format not in _AMBIGUOUS_FORMATS or questions.format not in _AMBIGUOUS_FORMATS:
        return None
    # people add these to questions, systems do not
    for question in questions:
        if question.flags or question.keywords or len(question.texts) > 1:
            return None
    if not path.is_file():  # a pipe, which cannot be read twice
        return None
    with path.open("rb") as file:
        if not _KEYWORDS.search(file.read(_SEARCHED_BYTES)):
            return None
    return (
        f"{run} has keywords, as question sets do, and {questions.name} has"
        f" none, as the answers of a system; were the two swapped? The questions come first"
    )
