"""Runs of retrievers in TREC format: question, Q0, passage, rank, score, name of the run."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from qaldgen.answers.reading import RunReader, read_run
from qaldgen.answers.record import ParsedResponse, ParsedRun, Response, Run, RunOptions
from qaldgen.errors import DataError
from qaldgen.model import Cell
from qaldgen.questions.file_content import Content
from qaldgen.questions.values import answers_in_column

_BLANK = re.compile(r"\s")


class Hit(NamedTuple):
    """A passage that was retrieved."""

    passage: str  # its id
    score: float  # the higher, the better


#: The hits of each question by its id, the best first.
HitsByQuestion: TypeAlias = Mapping[str, Sequence[Hit]]


def dump_trec(ranked: HitsByQuestion, name: str) -> str:
    r"""Return a run in TREC format.

    Programs that read it sort by score and break ties in their own way. Therefore each of several
    equal scores is written a little lower than the previous one.

    Parameters
    ----------
    ranked
        By question id the passages and their scores, best first.
    name
        The name of the run.

    Returns
    -------
    str
        A line for each passage.

    Raises
    ------
    DataError
        If an id has a space, or is empty.

    Examples
    --------
    >>> dump_trec({"q1": [Hit("a", 2.0), Hit("b", 2.0)]}, "bm25")
    'q1 Q0 a 1 2.000000 bm25\nq1 Q0 b 2 1.999999 bm25\n'
    """
    lines = []
    run_name = _BLANK.sub("_", name)
    for question, hits in ranked.items():
        score = math.inf
        for rank, hit in enumerate(hits, 1):
            for text in (question, hit.passage):
                if _BLANK.search(text) or not text:
                    raise DataError(
                        f"the id {text!r} contains a space or is empty,"
                        " which TREC runs cannot contain; change the id"
                    )
            # six digits are written, so scores that differ by less would be equal in the file
            score = min(round(hit.score, 6), round(score - 1e-6, 6))
            lines.append(f"{question} Q0 {hit.passage} {rank} {score:.6f} {run_name}\n")
    return "".join(lines)


def as_run(retrieved: Run | str | Path) -> Run:
    """Return the run of a retriever; a file in TREC format is read."""
    if isinstance(retrieved, Run):
        return retrieved
    return read_run(retrieved, format="trec")


def recognises_trec(content: Content) -> bool:
    """Return whether the first line has six columns, the second Q0 and the fourth a rank."""
    if content.kind != "text":
        return False
    columns = next((line.split() for line in content.lines if line.strip()), [])
    return len(columns) == 6 and columns[1].upper() == "Q0" and columns[3].isdigit()


def read_trec_answers(content: Content, _options: RunOptions) -> ParsedRun:
    """Read the ids of the passages as the answers, sorted as by trec_eval: by score, then id."""
    scores_by_question: dict[str, dict[str, float]] = {}
    for number, line in enumerate(content.lines, 1):
        columns = line.split()
        if not columns:
            continue
        if len(columns) != 6:
            raise DataError(
                f"has {len(columns)} columns; TREC's runs have six: question Q0 passage rank score"
                " name",
                where=(content.path, f"line {number}"),
            )

        question, _, passage, _, score_text, _ = columns
        try:
            score = float(score_text)
        except ValueError:
            score = math.nan
        if math.isnan(score):
            raise DataError(
                f"the score is {score_text!r}; a number is expected",
                where=(content.path, f"line {number}"),
            )

        scores = scores_by_question.setdefault(question, {})
        if passage in scores:
            raise DataError(
                f"passage {passage} is given twice for question {question}",
                where=(content.path, f"line {number}"),
            )
        scores[passage] = score

    responses = []
    for question, scores in scores_by_question.items():
        passages = sorted(scores, key=lambda passage: (scores[passage], passage), reverse=True)
        answers = answers_in_column([Cell("literal", passage) for passage in passages])
        responses.append(ParsedResponse(Response(question, "answered", answers)))
    return ParsedRun(responses)


TREC = RunReader(
    recognises_trec,
    read_trec_answers,
    "a run of a retriever in TREC format: question Q0 passage rank score name",
)
