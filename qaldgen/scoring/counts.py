"""The counts of one question, and what follows from them.

Everything above is a function of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from qaldgen.model import Question
from qaldgen.runs.record import Response


class Count(NamedTuple):
    """How the answers of a system meet the gold answers of one question.

    Attributes
    ----------
    tp, fp, fn : int
        True positives, false positives, false negatives.

    Examples
    --------
    >>> Count(1, 1, 0).precision, Count(0, 0, 0).f1, Count(0, 0, 3).f1
    (0.5, 1.0, 0.0)
    """

    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float:
        """TP / (TP + FP).

        1 where nothing was expected and nothing given, 0 where nothing is right (GERBIL's rule).
        """
        return self.tp / (self.tp + self.fp) if self.tp else float(self == (0, 0, 0))

    @property
    def recall(self) -> float:
        """TP / (TP + FN).

        1 where nothing was expected and nothing given, 0 where nothing is right (GERBIL's rule).
        """
        return self.tp / (self.tp + self.fn) if self.tp else float(self == (0, 0, 0))

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where both are 0."""
        precision, recall = self.precision, self.recall
        return 2 * precision * recall / (precision + recall) if self.tp else precision


#: Compares the gold answers of a question with a response. It is called for responses that have
#: answers; a failure, a timeout or a question that was not asked counts as an empty answer there,
#: and its status is kept beside the counts. None where it cannot tell: such a question counts for
#: nothing, and is named.
Matcher: TypeAlias = Callable[[Question, Response], "Count | None"]
