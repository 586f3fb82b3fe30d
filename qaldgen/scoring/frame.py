"""The counts of every question in one table: all measures, slices and comparisons start from it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from qaldgen.formats.gather import language_tag
from qaldgen.model import Answers, Question
from qaldgen.runs.record import Response, Run
from qaldgen.scoring.counts import Matcher

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("tp", "fp", "fn", "expected", "returned", "status", "precision", "recall", "f1", "hit")
#: What a reader calls the second and each further question with one id.
COPY = re.compile(r"(.+)#[0-9]+")


def counts_frame(questions: Iterable[Question], run: Run, matcher: Matcher, *, language: str | None = None) -> pd.DataFrame:
    """Compare the answers of a run with the gold answers of every question.

    Parameters
    ----------
    questions
        The gold questions, with different ids. The second question with the id 12 is called ``12#2`` by the readers; where the
        run has no such id, it is scored with the answers to 12, as in GERBIL.
    run
        The answers. Those to other questions are ignored.
    matcher
        How to compare; a failure, a timeout and a question that the run does not speak of count as an empty answer.
    language
        Only questions with a text in this language, as GERBIL's experiments, which have one; None for all.

    Returns
    -------
    DataFrame
        One row a question, in the order of the gold questions, the id as index: ``tp``, ``fp``, ``fn``; ``expected`` (tp + fn);
        ``returned`` (tp + fp); ``status`` of the run; ``precision``, ``recall`` and ``f1`` of the question; ``hit``, whether
        the first answer alone is right.

    Examples
    --------
    >>> from qaldgen.scoring.gerbil import gerbil_matcher
    >>> gold = [Question("1", {"en": ("Who?",)}, answers=Answers(boolean=True))]
    >>> run = Run("mine", "table", {"1": Response("1", answers=Answers(boolean=True))})
    >>> print(counts_frame(gold, run, gerbil_matcher())[["tp", "fp", "fn", "status"]].to_csv().strip())
    id,tp,fp,fn,status
    1,1,0,0,answered
    """
    import pandas as pd

    kept = [question for question in questions if language is None or question.texts.get(language_tag(language))]
    rows = [_row(question, response_to(question, run), matcher) for question in kept]
    frame = pd.DataFrame(rows, columns=list(COLUMNS), index=pd.Index([question.id for question in kept], name="id"))
    return frame.astype({"tp": int, "fp": int, "fn": int, "expected": int, "returned": int, "status": str, "hit": bool})


def response_to(question: Question, run: Run) -> Response:
    """Return what a run gave for a question; a failure, a timeout and a question not asked have an empty answer."""
    copy = COPY.fullmatch(question.id)
    response = run.response(copy[1] if copy and question.id not in run.responses else question.id)
    given = response.status in {"answered", "empty"}
    return response if given else dataclasses.replace(response, answers=Answers(), query="", answer_type="", mentions=())


def _row(question: Question, response: Response, matcher: Matcher) -> tuple[object, ...]:
    count = matcher(question, response)
    hit = count.f1 == 1 or (count.tp > 0 and matcher(question, _first(response)).tp > 0)
    return (*count, count.tp + count.fn, count.tp + count.fp, response.status, count.precision, count.recall, count.f1, hit)


def _first(response: Response) -> Response:
    """Return the response with the first answer only, and with the first mention of each kind."""
    mentions = tuple({mention.kind: mention for mention in reversed(response.mentions)}.values())
    answers = response.answers or Answers()
    strings = answers.gerbil and answers.gerbil[:1]
    first = dataclasses.replace(answers, rows=answers.rows[:1], texts=() if answers.rows else answers.texts[:1], gerbil=strings)
    return dataclasses.replace(response, answers=first, mentions=mentions)
