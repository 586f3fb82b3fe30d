"""The score of a run while it goes on, for whoever watches.

`qaldgen score` says what counts in the end.
"""

from __future__ import annotations

import math
from time import monotonic

from qaldgen.analysis.intervals import FEWEST, interval
from qaldgen.errors import QaldgenError
from qaldgen.model import QuestionSet
from qaldgen.runs.record import Response
from qaldgen.scoring.matchers import Rules, make_matcher

#: Seconds for which an interval is shown as it is: to make one takes longer than to ask a fast
#: system.
_FRESH = 1.0


class RunningScore:
    """The mean F1 of the questions whose gold answers are known, as they come.

    Answers in words count as right where they hold a gold answer, mentions as entities, everything
    else by GERBIL's rules.

    Parameters
    ----------
    questions : QuestionSet
        The questions.
    language : str
        Of the answers in words.
    """

    def __init__(self, questions: QuestionSet, language: str) -> None:
        self._questions = {one.id: one for one in questions.questions}
        self._matchers = {
            name: make_matcher(name, Rules(language=language))
            for name in ("gerbil", "contains", "entities")
        }
        self._scores: list[float] = []
        self._shown, self._made = (math.nan, math.nan, math.nan), -math.inf

    def add(self, response: Response) -> None:
        """Take note of a response; one that cannot be judged is left out."""
        question = self._questions.get(response.id)
        if question is None or (question.answers is None and not response.mentions):
            return
        words = response.answers is not None and bool(response.answers.texts)
        matcher = "entities" if response.mentions else "contains" if words else "gerbil"
        if response.answers is None:
            self._scores.append(0.0)
            return
        try:
            count = self._matchers[matcher](question, response)
        except QaldgenError:
            return
        if count is not None:
            self._scores.append(count.f1)

    def interval(self) -> tuple[float, float, float]:
        """Return the mean and its interval; NaN where there is none yet."""
        if self._scores and monotonic() - self._made > _FRESH:
            self._made = monotonic()
            found = interval(self._scores) if len(self._scores) >= FEWEST else None
            mean = sum(self._scores) / len(self._scores)
            self._shown = (
                (mean, math.nan, math.nan)
                if found is None
                else (found.estimate, found.low, found.high)
            )
        return self._shown
