"""The counts of a run by one matcher, without the rules of a user."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from qaldgen.answers.record import Run
from qaldgen.model import Question
from qaldgen.questions.question_texts import language_tag
from qaldgen.scoring.count_table import Scorer, count_answers
from qaldgen.scoring.counts import Matcher
from qaldgen.scoring.repeats import Repeats
from qaldgen.scoring.rules import Rules


def counts_frame(
    questions: Iterable[Question], run: Run, matcher: Matcher, *, language: str | None = None
) -> pd.DataFrame:
    """Compare the answers of a run with the gold answers of every question in a language."""
    answered = [
        (question, run.responses_to(question))
        for question in questions
        if language is None or question.texts.get(language_tag(language))
    ]
    scorer = Scorer(
        choose=lambda question, response: "",
        matchers={"": matcher},
        silent=frozenset(),
        abstains=lambda question, response: False,
        repeats=Repeats(),
        rules=Rules(),
    )
    return count_answers(answered, scorer)
