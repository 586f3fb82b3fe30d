"""Verdicts that others reached: a judge, usually a language model, or another evaluator.

They are a proxy: a judge errs, and only labels by hand say how often.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from qaldgen.answers.record import DONE, Response, Run
from qaldgen.errors import UsageError
from qaldgen.io.text import count
from qaldgen.model import Question
from qaldgen.scoring.counts import Count, Matcher
from qaldgen.scoring.rules import Rules, Verdicts

if TYPE_CHECKING:
    import pandas as pd

#: The note above every table of verdicts that no label checks.
UNCHECKED = (
    "right and wrong are the verdicts of a judge here, not the truth: judges err, and nothing here"
    " says how often; label a sample by hand ('qaldgen label'), and 'qaldgen score' with the"
    " worksheet as `labels` and `proxy=judge` corrects them"
)
#: The largest denominator of a share: verdicts are rounded to such a fraction.
_MAX_DENOMINATOR = 1000


def judge_matcher(verdicts: Verdicts | None) -> Matcher:
    """Return a matcher that looks up verdicts."""
    if verdicts is None:
        raise UsageError(
            "the matcher 'judge' needs a judge: name the system with `judge` (in"
            " Python give what qg.judge(gold, run, system) returns, not its name)"
        )

    def take_verdict(question: Question, response: Response) -> Count | None:
        if not response.could_be_right(question.answers):
            return Count(0, 0, 1)
        share = verdicts.of(question, response)
        if share is None:
            return None
        return _count_of_share(share)

    return take_verdict


def explain_unasked(question: Question, response: Response, rules: Rules) -> str:
    """Say that a verdict is a guess, as the judge was not asked; empty if the judge was."""
    verdicts = rules.verdicts
    if verdicts is None or verdicts.key(question, response) not in verdicts.guessed:
        return ""
    return "a guess: the judge was not asked"


def _count_of_share(share: float) -> Count:
    """Return a count whose precision, recall and F1 are a share."""
    fraction = Fraction(share).limit_denominator(_MAX_DENOMINATOR)
    n_wrong = fraction.denominator - fraction.numerator
    return Count(fraction.numerator, n_wrong, n_wrong)


def count_logged(question: Question | None, response: Response) -> Count | None:
    """Count an answer according to the first score that its file states.

    A share such as 0.5 becomes counts whose precision, recall and F1 are this share. An answer that
    never came is wrong.

    >>> question = Question("1", {"en": ("Who?",)})
    >>> count_logged(question, Response("1", verdicts=(("match", 0.5),)))
    Count(tp=1, fp=1, fn=1)
    """
    if response.status not in DONE:
        return Count(0, 0, 1)
    if response.logged_score is None:
        return None
    return _count_of_share(response.logged_score)


def log_notes(run: Run, counts: pd.DataFrame) -> list[str]:
    """Say which stated score counts, if there are several, and how often there is none."""
    names: list[str] = []
    for response in run.responses.values():
        if len(response.verdicts) > 1:
            names += [name for name, _ in response.verdicts]
    names = list(dict.fromkeys(names))
    notes = []
    if len(names) > 1:
        notes.append(
            f"{run.name}: of the stated scores ({', '.join(names)}), {names[0]} counts;"
            " in logs, `filter` selects one"
        )
    reason = "no score from 0 to 1 is stated for the answer"
    return notes + unjudged_notes(run, unjudged_ids(counts), counts, reason)


def unjudged_ids(counts: pd.DataFrame) -> list[str]:
    """Return the ids of the questions with an answer that is not judged."""
    return [str(question_id) for question_id in counts.index[counts["open"] > 0]]


def unjudged_notes(run: Run, ids: Sequence[str], counts: pd.DataFrame, reason: str) -> list[str]:
    """Return a note on questions that are neither right nor wrong; none if there are no such."""
    if not ids:
        return []
    questions = count(len(counts), "question")
    text = f"not judged: {len(ids):,} of {questions} (first: {ids[0]}), since {reason}"
    return [f"{run.name}: {text}"]
