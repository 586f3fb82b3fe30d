"""The counts of one question, of which all measures are functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from qaldgen.answers.record import Response
from qaldgen.model import Question

if TYPE_CHECKING:
    import pandas as pd


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
        if self.tp:
            return self.tp / (self.tp + self.fp)
        return float(self == (0, 0, 0))

    @property
    def recall(self) -> float:
        """TP / (TP + FN).

        By GERBIL's rule 1 if nothing was expected and nothing given, otherwise 0 if nothing is
        right.
        """
        if self.tp:
            return self.tp / (self.tp + self.fn)
        return float(self == (0, 0, 0))

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if both are 0."""
        precision, recall = self.precision, self.recall
        if not self.tp:
            return precision
        return 2 * precision * recall / (precision + recall)


#: Compares the gold answers of a question with a response. A failure, a timeout or a question that
#: was not asked comes as an empty answer; its status is kept with the counts. None if the matcher
#: cannot tell: such an answer counts as not right, and is reported.
Matcher: TypeAlias = Callable[[Question, Response], "Count | None"]
#: The counts of an answer that cannot be judged.
OPEN = Count(0, 1, 1)
#: The status of a question whose answer cannot be judged.
NOT_JUDGED = "not judged"
#: The status of a question whose answer says that the system has none: "I don't know", "N/A".
ABSTAINED = "abstained"
#: How each column changes where an answer that counts as not right turns out to be right.
_SIGNS_IF_RIGHT = {"tp": 1, "fp": -1, "fn": -1, "precision": 1, "recall": 1, "f1": 1, "hit": 1}


def counts_if_right(counts: pd.DataFrame, added: pd.Series[float] | None = None) -> pd.DataFrame:
    """Return the counts as they would be if further answers were right.

    `added` is by question the share of its answers that become right; None for all unjudged ones.
    """
    if added is None:
        added = counts["open"]
    columns = {name: counts[name] + sign * added for name, sign in _SIGNS_IF_RIGHT.items()}
    return counts.assign(**columns)
