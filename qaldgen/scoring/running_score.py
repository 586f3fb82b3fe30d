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
from qaldgen.scoring.intervals import Interval, interval
from qaldgen.scoring.matchers import MATCHERS, make_scorer
from qaldgen.scoring.rules import Rules

#: Seconds before an interval is computed again: that may take longer than to ask a fast system.
_FRESH_SECONDS = 1.0


class _Watcher(NamedTuple):
    """A matcher that scores some responses while a system is being asked."""

    watches: Callable[[Response], bool]
    needs_gold: bool
    matcher: Matcher


class RunningScore:
    """The mean F1 of the questions with known gold answers, updated with each response.

    A response is scored by the first matcher that watches it (`MatcherKind.watches`); a response
    that no matcher watches is scored by the default rules of `evaluate`.
    """

    def __init__(self, questions: QuestionSet, language: str) -> None:
        self._questions = questions.by_id
        rules = Rules(language=language)
        default = make_scorer(rules, questions.questions).compare
        self._watchers = [
            _Watcher(matcher.watches, matcher.gold is None, matcher.make(rules))
            for matcher in MATCHERS.values()
            if matcher.watches is not None
        ]
        self._watchers.append(_Watcher(lambda response: True, needs_gold=True, matcher=default))
        self._scores: list[float] = []
        self._interval = interval([])
        self._computed_at = -math.inf

    def add(self, response: Response) -> None:
        """Add the score of a response, 0 if it cannot be judged."""
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

    def interval(self) -> Interval:
        """Return the mean with its interval, computed at most once in `_FRESH_SECONDS`."""
        if self._scores and monotonic() - self._computed_at > _FRESH_SECONDS:
            self._computed_at = monotonic()
            self._interval = interval(self._scores)
        return self._interval
