"""Verdicts that others reached: a judge, usually a language model, or the log of another evaluator.

They are a proxy: a judge errs, and only labels by hand say how often.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.answers.record import DONE, Response, Run
from qaldgen.errors import UsageError
from qaldgen.io.text import count
from qaldgen.model import Question
from qaldgen.scoring.counts import Count, Matcher

if TYPE_CHECKING:
    import pandas as pd

#: The name of the matcher.
JUDGE = "judge"
#: The name of the matcher that takes the scores in a log.
LOGGED = "logged"
#: What stands above every table of verdicts that no label checks.
UNCHECKED = (
    "right and wrong are the verdicts of a judge here, not the truth: judges err, and nothing here"
    " says how often; label a sample by hand ('qaldgen label'), and 'qaldgen score' with the"
    " worksheet as `labels` and `proxy=judge` corrects them"
)
#: Why no rule that stops or decides takes verdicts.
UNDECIDED = (
    "the verdicts of a judge do not decide who is better, because the judge errs; match by a rule,"
    " or label a sample by hand ('qaldgen label')"
)
#: The largest denominator of a share: verdicts are rounded to such a fraction.
_FINEST = 1000


@dataclasses.dataclass(frozen=True, eq=False)
class Verdicts:
    """What a judge says of answers.

    Attributes
    ----------
    judge : str
        Who judged, as its journal names it.
    template : str
        The name of the template, with a hash of its text.
    text : str
        The template.
    key : callable
        The key of an answer to a question: another answer, gold answer or template has another one.
    found : mapping of str to float
        By key: 1 for right, 0.5 for partly right, 0 for wrong. Where the judge failed there is
        nothing.
    notes : tuple of str
        What a user should know.
    guessed : frozenset of str
        The keys of the guesses about which the judge was not asked: best guesses by rule.
    """

    judge: str
    template: str
    text: str
    key: Callable[[Question, Response], str]
    found: Mapping[str, float]
    notes: tuple[str, ...] = ()
    guessed: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        """Return one line: who judged, and how many answers."""
        return f"<Verdicts of {self.judge} on {count(len(self.found), 'answer')}>"

    def of(self, question: Question, response: Response) -> float | None:
        """Return the verdict on an answer; None where there is none.

        Parameters
        ----------
        question
            The question, with its gold answers.
        response
            The answer.

        Returns
        -------
        float or None
            From 0 (wrong) to 1 (right).
        """
        return self.found.get(self.key(question, response))

    @property
    def method(self) -> str:
        """Who judged and by what template, for reports."""
        template = " ".join(self.text.split())
        return f"judged by {self.judge}, by the template {self.template}: {template}"


def needs_verdict(question: Question, response: Response) -> bool:
    """Say whether an answer could be right, so that somebody has to judge it.

    There is one, or the right answer is that there is none.
    """
    if response.status == "answered":
        return True
    answers = question.answers
    return response.status == "empty" and answers is not None and not answers.values()


def judge_matcher(verdicts: Verdicts | None) -> Matcher:
    """Return a matcher that looks up verdicts."""
    if verdicts is None:
        raise UsageError(
            "the matcher 'judge' needs a judge: name the system with `judge` (in"
            " Python give what qg.judge(gold, run, system) returns, not its name)"
        )

    def judged(question: Question, response: Response) -> Count | None:
        if not needs_verdict(question, response):
            return Count(0, 0, 1)
        value = verdicts.of(question, response)
        if value is None:
            return None
        return _counted(value)

    return judged


def not_asked(verdicts: Verdicts | None, question: Question, response: Response) -> str:
    """Say that the verdict on an answer is a guess about which the judge was not asked."""
    if verdicts is None or verdicts.key(question, response) not in verdicts.guessed:
        return ""
    return "a guess: the judge was not asked"


def _counted(share: float) -> Count:
    """Return counts whose precision, recall and F1 are a share."""
    exact = Fraction(share).limit_denominator(_FINEST)
    wrong = exact.denominator - exact.numerator
    return Count(exact.numerator, wrong, wrong)


def count_logged(question: Question | None, response: Response) -> Count | None:
    """Count an answer according to the first score in the log.

    A share such as 0.5 becomes counts whose precision, recall and F1 are this share. An answer that
    never came is wrong.

    >>> asked = Question("1", {"en": ("Who?",)})
    >>> count_logged(asked, Response("1", verdicts=(("match", 0.5),)))
    Count(tp=1, fp=1, fn=1)
    """
    if response.status not in DONE:
        return Count(0, 0, 1)
    value = response.verdicts[0][1] if response.verdicts else -1.0
    if not 0 <= value <= 1:
        return None
    return _counted(value)


class LoggedMean(NamedTuple):
    """The mean of a score that the log of another evaluator has for its answers."""

    value: float
    questions: int  # how many have this score; tools leave some failures out


def logged_means(run: Run, questions: Iterable[str]) -> dict[str, LoggedMean]:
    """Return the mean over questions of each score in a log, by its name, as its tool prints it.

    Of several answers to a question the mean counts. What is not from 0 to 1 is left out.

    >>> said = {"1": Response("1", verdicts=(("acc", 1.0),)), "2": Response("2")}
    >>> logged_means(Run("mine", "lm-eval", said), ["1", "2"])
    {'acc': LoggedMean(value=1.0, questions=1)}
    """
    found: dict[str, list[float]] = {}
    for name in questions:
        answers: dict[str, list[float]] = {}
        for response in run.repeats.get(name) or (run.response(name),):
            for score, value in response.verdicts:
                answers.setdefault(score, []).append(value)
        for score, values in answers.items():
            found.setdefault(score, []).append(fmean(values))
    return {
        score: LoggedMean(fmean(values), len(values))
        for score, values in found.items()
        if min(values) >= 0 and max(values) <= 1
    }


def remarks_on_log(run: Run, counts: pd.DataFrame) -> list[str]:
    """Say which score of the log counts, if it has several, and how often there is none."""
    several = [one.verdicts for one in run.responses.values() if len(one.verdicts) > 1]
    names = list(dict.fromkeys(name for verdicts in several for name, _ in verdicts))
    notes = [
        f"{run.name}: of the scores in the log ({', '.join(names)}), {first} counts; `filter`"
        " selects one"
        for first in names[:1]
        if names[1:]
    ]
    why = "the log has no score from 0 to 1 for the answer"
    return notes + not_judged(run, open_questions(counts), counts, why)


def open_questions(counts: pd.DataFrame) -> list[str]:
    """Return the questions with an answer that is not judged."""
    return [str(name) for name in counts.index[counts["open"] > 0]]


def not_judged(run: Run, ids: Sequence[str], counts: pd.DataFrame, why: str) -> list[str]:
    """Say which questions are neither right nor wrong, and why; nothing if there are none."""
    if not ids:
        return []
    every = count(len(counts), "question")
    return [f"{run.name}: not judged: {len(ids):,} of {every} (first: {ids[0]}), since {why}"]
