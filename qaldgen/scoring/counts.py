"""The counts of one question: everything else is a function of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from qaldgen.answers.record import Response
from qaldgen.model import Question


class Count(NamedTuple):
    """How the answers of a system compare with the gold answers of one question.

    >>> Count(1, 1, 0).precision, Count(0, 0, 0).f1, Count(0, 0, 3).f1
    (0.5, 1.0, 0.0)
    """

    #: True positives, false positives, false negatives.
    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float:
        """TP / (TP + FP).

        By GERBIL's rule 1 if nothing was expected and nothing given, otherwise 0 if nothing is
        right.
        """
        return self.tp / (self.tp + self.fp) if self.tp else float(self == (0, 0, 0))

    @property
    def recall(self) -> float:
        """TP / (TP + FN).

        By GERBIL's rule 1 if nothing was expected and nothing given, otherwise 0 if nothing is
        right.
        """
        return self.tp / (self.tp + self.fn) if self.tp else float(self == (0, 0, 0))

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if both are 0."""
        precision, recall = self.precision, self.recall
        return 2 * precision * recall / (precision + recall) if self.tp else precision


#: Compares the gold answers of a question with a response. A failure, a timeout or a question that
#: was not asked comes as an empty answer; its status is kept with the counts. None if the matcher
#: cannot tell: such an answer counts as not right, and is reported.
Matcher: TypeAlias = Callable[[Question, Response], "Count | None"]
#: What an answer counts that cannot be judged, and the status of its question.
OPEN, NOT_JUDGED = Count(0, 1, 1), "not judged"
#: The status of a question whose answer says that the system has none: "I don't know", "N/A".
ABSTAINED = "abstained"


class Judge(NamedTuple):
    """Judges each answer by the matcher that suits the question, its gold answers and the answer.

    Attributes
    ----------
    choose : callable
        Returns the name of the matcher.
    matchers : mapping of str to callable
        The matchers by name.
    silent : frozenset of str
        Those by which a failure and a question that was not asked are right if no answer is
        expected, as in GERBIL.
    """

    choose: Callable[[Question, Response], str]
    matchers: Mapping[str, Matcher]
    silent: frozenset[str] = frozenset()
    #: Says of a response that is not right whether it gives no answer.
    abstains: Callable[[Response], bool] = lambda response: False

    def compare(self, question: Question, response: Response) -> Count | None:
        """Compare the gold answers of a question with a response; None if that cannot be done."""
        return self.matchers[self.choose(question, response)](question, response)


def judge_by(matcher: Matcher, name: str = "", *, silent: bool = False) -> Judge:
    """Return what judges every answer by the same matcher."""
    return Judge(lambda *_: name, {name: matcher}, frozenset([name] if silent else []))
