"""Take the verdict of another evaluator, which its log has, for what is right."""

from __future__ import annotations

from fractions import Fraction

from qaldgen.model import Question
from qaldgen.runs.record import Response
from qaldgen.scoring.counts import Count

#: Verdicts are taken as exact as this.
_FINEST = 1000
_ANSWERED = frozenset(["answered", "empty"])


def logged(question: Question, response: Response) -> Count | None:
    """Count an answer as the first score in the log says; None where the log has none from 0 to 1.

    A share such as 0.5 becomes counts whose precision, recall and F1 are this share. An answer that
    never came is wrong.

    Examples
    --------
    >>> asked = Question("1", {"en": ("Who?",)})
    >>> logged(asked, Response("1", verdicts=(("match", 1.0),))), logged(asked, Response("1", verdicts=(("match", 0.5),)))
    (Count(tp=1, fp=0, fn=0), Count(tp=1, fp=1, fn=1))
    """
    if response.status not in _ANSWERED:
        return Count(0, 0, 1)
    value = response.verdicts[0][1] if response.verdicts else -1.0
    if not 0 <= value <= 1:
        return None
    share = Fraction(value).limit_denominator(_FINEST)
    wrong = share.denominator - share.numerator
    return Count(share.numerator, wrong, wrong)
