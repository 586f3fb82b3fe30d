"""The score so far, while a system is being asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

from qaldgen.answers.record import Response
from qaldgen.errors import QaldgenError
from qaldgen.model import QuestionSet
from qaldgen.scoring.counts import Matcher
from qaldgen.scoring.intervals import FEWEST, interval
from qaldgen.scoring.matchers import MATCHERS, make_matching
from qaldgen.scoring.rules import Rules

#: Seconds before an interval is computed again: that may take longer than to ask a fast system.
_FRESH_SECONDS = 1.0


class _Watcher(NamedTuple):
    """A matcher that scores some responses while a system is being asked."""

    watches: Callable[[Response], bool]
    needs_gold: bool
    matcher: Matcher


class RunningScore:
    """The mean F1 of the questions with known gold answers, as responses come.

    The first matcher that watches such responses (`MatcherKind.watches`) scores each; other
    responses are scored as by `evaluate`.
    """

    def __init__(self, questions: QuestionSet, language: str) -> None:
        self._questions = questions.by_id
        rules = Rules(language=language)
        default = make_matching(rules, questions.questions).compare
        self._watchers = [
            _Watcher(kind.watches, kind.gold is None, kind.make(rules))
            for kind in MATCHERS.values()
            if kind.watches is not None
        ]
        self._watchers.append(_Watcher(lambda response: True, needs_gold=True, matcher=default))
        self._scores: list[float] = []
        self._interval = (math.nan, math.nan, math.nan)
        self._made = -math.inf

    def add(self, response: Response) -> None:
        """Take a response into account; one that cannot be judged is not right."""
        question = self._questions.get(response.id)
        watcher = next(watcher for watcher in self._watchers if watcher.watches(response))
        if question is None or (watcher.needs_gold and question.answers is None):
            return
        if response.answers is None:
            self._scores.append(0.0)
            return
        try:
            count = watcher.matcher(question, response)
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
