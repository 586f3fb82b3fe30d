"""The score so far, while a system is being asked."""

from __future__ import annotations

import math
from time import monotonic

from qaldgen.answers.record import Response
from qaldgen.errors import QaldgenError
from qaldgen.model import QuestionSet
from qaldgen.scoring.counts import Matcher
from qaldgen.scoring.intervals import FEWEST, interval
from qaldgen.scoring.matchers import MATCHERS, make_matching
from qaldgen.scoring.rules import Rules

#: Seconds before an interval is computed again: that may take longer than to ask a fast system.
_FRESH_SECONDS = 1.0


class RunningScore:
    """The mean F1 of the questions with known gold answers, as responses come.

    The first matcher that watches such responses (`MatcherKind.watches`) scores each; other
    responses are scored as by `evaluate`.
    """

    def __init__(self, questions: QuestionSet, language: str) -> None:
        self._questions = questions.by_id
        rules = Rules(language=language)
        self._watching = [
            (kind.watches, kind.gold is None, kind.make(rules))
            for kind in MATCHERS.values()
            if kind.watches is not None
        ]
        self._default: Matcher = make_matching(rules, questions.questions).compare
        self._scores: list[float] = []
        self._interval = (math.nan, math.nan, math.nan)
        self._made = -math.inf

    def add(self, response: Response) -> None:
        """Take a response into account; one that cannot be judged is not right."""
        question = self._questions.get(response.id)
        needs_gold = True
        matcher = self._default
        for watches, needs_gold_of_kind, matcher_of_kind in self._watching:
            if watches(response):
                needs_gold = needs_gold_of_kind
                matcher = matcher_of_kind
                break
        if question is None or (needs_gold and question.answers is None):
            return
        if response.answers is None:
            self._scores.append(0.0)
            return
        try:
            count = matcher(question, response)
        except QaldgenError:
            return
        self._scores.append(count.f1 if count else 0.0)

    def interval(self) -> tuple[float, float, float]:
        """Return the mean and its interval; NaN if there is none yet.

        An interval takes longer than a fast system needs to answer, so it is not made each time.
        """
        if self._scores and monotonic() - self._made > _FRESH_SECONDS:
            self._made = monotonic()
            self._interval = (sum(self._scores) / len(self._scores), math.nan, math.nan)
            if len(self._scores) >= FEWEST:
                result = interval(self._scores)
                self._interval = (result.estimate, result.low, result.high)
        return self._interval
