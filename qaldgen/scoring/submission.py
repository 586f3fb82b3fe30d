"""A run as lines of answers, the format of submissions to shared tasks."""

from __future__ import annotations

import re
from pathlib import Path

from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import AnyGold, as_gold
from qaldgen.defaults import LANGUAGE
from qaldgen.io.notes import note
from qaldgen.io.text import count
from qaldgen.questions.geval_numbers import SPACE
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.gold_names import gold_cells, wordings
from qaldgen.scoring.words.phrases import main_language, phrases


def submission(gold: AnyGold, run: str | Path | Run, *, language: str = LANGUAGE) -> str:
    r"""Return the answers of a run as lines, one for each question, in their order.

    >>> from qaldgen.model import Answers, Question, QuestionSet
    >>> from qaldgen.answers.record import Response
    >>> gold = QuestionSet("set", "table", tuple(Question(name, {}) for name in "12"))
    >>> run = Run("mine", "table", {"1": Response("1", answers=Answers(boolean=True))})
    >>> submission(gold, run, language="pl")
    'tak\n\n'
    """
    questions = as_gold(gold, language=language).questions
    if not isinstance(run, Run):
        run = read_run(run, gold=questions, language=language)

    lines = []
    ids_with_line_breaks = []
    gaps = []
    for question in questions:
        response = run.responses_to(question)[-1]
        answer = answer_line(response, language)
        if "\n" in answer or "\r" in answer:
            ids_with_line_breaks.append(question.id)
        if not answer:
            gaps.append(f"{question.id}, {response.status}")
        lines.append(re.sub(r"\s*[\r\n]\s*", " ", answer))

    if gaps:
        have = "has" if len(gaps) == 1 else "have"
        note(
            f"{run.name}: {len(gaps):,} of {count(len(lines), 'question')} {have} no answer,"
            f" and an empty line (first: {gaps[0]})"
        )
    if ids_with_line_breaks:
        answers = count(len(ids_with_line_breaks), "answer")
        note(
            f"{run.name}: {answers} of several lines (first: {ids_with_line_breaks[0]}) became one"
        )

    return "".join(f"{line}\n" for line in lines)


def answer_line(response: Response, language: str, extract: Extractor | None = None) -> str:
    """Return the answers of a system as one line, joined by commas."""
    answers = response.given
    if answers.boolean is not None:
        term = "yes" if answers.boolean else "no"
        tag = main_language(language)
        words = phrases(f"{term}-word").get(tag, ()) + phrases(term).get(tag, ())
        if words:
            return words[0]
        return str(answers.boolean).lower()
    texts = [wordings(cell)[0] for cell in gold_cells(answers)]
    for row in filter(None, answers.texts):
        if extract is None:
            texts.append(row[0])
        else:
            texts += extract(row[0]).texts
    return ", ".join(texts).strip(SPACE)
