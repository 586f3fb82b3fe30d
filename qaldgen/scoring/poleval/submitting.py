"""Write a run as a submission to PolEval."""

from __future__ import annotations

import re

from qaldgen.model import QuestionSet
from qaldgen.runs.given import count
from qaldgen.runs.record import Run
from qaldgen.scoring.frame import response_to
from qaldgen.scoring.poleval.matching import said


def dump_submission(
    questions: QuestionSet, run: Run, language: str = "pl"
) -> tuple[str, list[str]]:
    r"""Return one line for each question, in their order, and notes for the user.

    Parameters
    ----------
    questions
        The questions.
    run
        The answers. A failure and a question that was not asked become an empty line, a line break
        becomes a space.
    language
        Language of the words for yes and no.

    Returns
    -------
    tuple[str, list[str]]
        The text of the file, and the notes.

    Examples
    --------
    >>> from qaldgen.model import Answers, Question
    >>> from qaldgen.runs.record import Response
    >>> asked = QuestionSet("set", "poleval", tuple(Question(name, {}) for name in "12"))
    >>> run = Run("mine", "table", {"1": Response("1", answers=Answers(boolean=True))})
    >>> dump_submission(asked, run, "pl")
    ('tak\n\n', ['mine: 1 of 2 questions has no answer, and an empty line (first: 2, not asked)'])
    """
    lines, broken, missing = [], [], []
    for question in questions.questions:
        response = response_to(question, run)
        answer = said(response, language)
        if "\n" in answer or "\r" in answer:
            broken.append(question.id)
        if not answer:
            missing.append(f"{question.id}, {response.status}")
        lines.append(re.sub(r"\s*[\r\n]\s*", " ", answer))
    size = count(len(lines), "question")
    have = "has" if len(missing) == 1 else "have"
    notes = (
        [
            f"{run.name}: {len(missing):,} of {size} {have} no answer,"
            f" and an empty line (first: {missing[0]})"
        ]
        if missing
        else []
    )
    notes += (
        [
            f"{run.name}: {count(len(broken), 'answer')} of several lines (first:"
            f" {broken[0]}) became one"
        ]
        if broken
        else []
    )
    return "".join(f"{line}\n" for line in lines), notes
