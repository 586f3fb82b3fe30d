"""How several answers to one question count together, such as samples of a language model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import NamedTuple

from qaldgen.errors import DataError, UsageError
from qaldgen.io.names import one_of
from qaldgen.model import Question
from qaldgen.runs.record import Response
from qaldgen.scoring.counts import Count
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.matching import normalise
from qaldgen.scoring.words.polarity import polarity
from qaldgen.scoring.words.wordings import given_texts, gold_truth

#: The rules, with help.
RULES = {
    "mean": "the mean over its answers",
    "majority": "the answer given most often",
    "pass@k": "the chance that one of k answers is right, as in pass@1 or pass@5",
    "first": "the first answer alone",
    "last": "the last answer alone",
}
_PASS = re.compile(r"pass@([1-9]\d{0,5})")


class RepeatRule(NamedTuple):
    """A rule in `RULES`.

    Attributes
    ----------
    name : str
        Its key.
    k : int
        The number of ``pass@k``; 0 for other rules.
    """

    name: str
    k: int = 0

    def __str__(self) -> str:
        """Return the rule as a user writes it."""
        return f"pass@{self.k}" if self.k else self.name


def read_rule(text: str) -> RepeatRule:
    """Return the rule that a user names.

    Parameters
    ----------
    text
        A key of `RULES`, with a number for k.

    Returns
    -------
    RepeatRule
        The rule.

    Raises
    ------
    UsageError
        If there is no such rule.

    Examples
    --------
    >>> read_rule("mean"), read_rule("pass@5")
    (RepeatRule(name='mean', k=0), RepeatRule(name='pass@k', k=5))
    """
    numbered = _PASS.fullmatch(text)
    if numbered:
        return RepeatRule("pass@k", int(numbered[1]))
    if text not in RULES or text == "pass@k":
        raise UsageError(
            f"repeats-as is {text!r}; {one_of(text, RULES)}, with a number for k (pass@5)"
        )
    return RepeatRule(text)


def pass_at_k(n: int, right: int, k: int) -> float:
    """Return the chance that one of `k` answers, drawn from `n`, is right.

    The unbiased estimator 1 - C(n - right, k) / C(n, k) of Chen et al. (2021), Evaluating large
    language models trained on code, arXiv 2107.03374.

    Parameters
    ----------
    n
        Answers.
    right
        How many of them are right.
    k
        Answers that are drawn, at most `n`.

    Returns
    -------
    float
        0 to 1.

    Examples
    --------
    >>> pass_at_k(10, 3, 1), round(pass_at_k(10, 3, 5), 4), pass_at_k(10, 0, 5)
    (0.3, 0.9167, 0.0)
    """
    return (math.comb(n, k) - math.comb(n - right, k)) / math.comb(n, k)


def chosen(
    question: Question,
    responses: Sequence[Response],
    rule: RepeatRule,
    language: str,
    extract: Extractor | None = None,
) -> Sequence[Response]:
    """Return the responses that count by a rule.

    One of them for ``majority``, ``first`` and ``last``, else all. For ``majority`` two answers are
    the same if they are equal after extraction and normalisation, or if both say yes (or no) to a
    yes-no question; of equally frequent answers the first counts.

    Parameters
    ----------
    question
        The question.
    responses
        Its responses, in order.
    rule
        The rule.
    language
        Language of answers in words.
    extract
        Finds the answer in a reply; None for the default.

    Returns
    -------
    Sequence[Response]
        At least one response.
    """
    if rule.name == "first":
        return responses[:1]
    if rule.name == "last":
        return responses[-1:]
    if rule.name != "majority":
        return responses
    votes = [_vote(question, response, language, extract) for response in responses]
    counts = Counter(vote for vote in votes if vote)
    if not counts:
        return responses[:1]
    return [responses[votes.index(max(counts, key=counts.__getitem__))]]


def _vote(
    question: Question, response: Response, language: str, extract: Extractor | None
) -> Hashable:
    """Return a key that is equal for equal answers; empty for no answer."""
    answers = response.answers
    if answers is None or not answers.values():
        return ()
    if answers.texts and gold_truth(question, language) is not None:
        return polarity("\n".join(given_texts(response, extract)), language, question.texts)
    return tuple(sorted({normalise(text, language) for text in given_texts(response, extract)}))


class Score(NamedTuple):
    """The counts of one answer and the measures that follow from them.

    Attributes
    ----------
    tp, fp, fn : float
        See `scoring.counts.Count`.
    precision, recall, f1 : float
        Of this answer alone.
    hit : float
        Whether the first part of the answer is right.
    status : str
        The status of the response.
    """

    tp: float
    fp: float
    fn: float
    precision: float
    recall: float
    f1: float
    hit: float
    status: str


@lru_cache(1 << 14)
def score_of(count: Count, hit: bool, status: str) -> Score:
    """Return the score of one answer.

    Parameters
    ----------
    count
        Its counts.
    hit
        Whether its first part is right.
    status
        The status of the response.

    Returns
    -------
    Score
        Cached, since most questions have one of a few scores.

    Examples
    --------
    >>> score_of(Count(1, 1, 0), True, "answered").precision
    0.5
    """
    return Score(*count, count.precision, count.recall, count.f1, float(hit), status)


class Together(NamedTuple):
    """The scores of the answers to a question, and their weights.

    Attributes
    ----------
    scores : sequence of Score
        One per answer.
    weights : sequence of float
        How much each counts in the mean.
    """

    scores: Sequence[Score]
    weights: Sequence[float]

    def mean(self, values: Sequence[float]) -> float:
        """Return the weighted mean of a value of each score.

        Parameters
        ----------
        values
            One per score.

        Returns
        -------
        float
            Summed without rounding errors, so that the order of answers does not matter.
        """
        weighed = [value * weight for value, weight in zip(values, self.weights, strict=True)]
        return math.fsum(weighed) / math.fsum(self.weights)


def together(question: str, scores: Sequence[Score], rule: RepeatRule) -> Together:
    """Return the scores of a question with several answers.

    ``pass@k`` takes an answer with an F1 of 1 as right, and counts the question as one answer that
    is right with that chance.

    Parameters
    ----------
    question
        Its id, for messages.
    scores
        One per answer.
    rule
        The rule.

    Returns
    -------
    Together
        The scores with their weights.

    Raises
    ------
    DataError
        If there are fewer answers than k.
    """
    if not rule.k:
        return Together(scores, [1.0] * len(scores))
    if len(scores) < rule.k:
        raise DataError(
            f"pass@{rule.k} needs {rule.k} answers or more to each question, question {question}"
            f" has {len(scores)}; choose a smaller k, or --repeats-as mean"
        )
    value = pass_at_k(len(scores), sum(one.f1 == 1.0 for one in scores), rule.k)
    status = next((one.status for one in scores if one.status == "answered"), scores[-1].status)
    # Two imaginary answers, weighted by the chance of each.
    right, wrong = (
        Score(1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, status),
        Score(0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, status),
    )
    return Together([right, wrong], [value, 1.0 - value])


def describe(rule: RepeatRule, sizes: Sequence[int]) -> str:
    """Say how several answers to one question are counted; empty if there are none.

    Parameters
    ----------
    rule
        The rule.
    sizes
        Numbers of answers, for the questions with several.

    Returns
    -------
    str
        A phrase for notes and captions.

    Examples
    --------
    >>> describe(RepeatRule("last"), [3, 3])
    '2 questions have several answers (3 each); the last one counts (--repeats-as)'
    """
    if not sizes:
        return ""
    least, most = min(sizes), max(sizes)
    each = f"{most} each" if least == most else f"{least} to {most}"
    what = {
        "mean": "the mean over its answers is the score of each",
        "majority": "the answer given most often counts",
        "pass@k": f"the score of each is {rule}, the chance that one of {rule.k} is right",
        "first": "the first one counts",
        "last": "the last one counts",
    }[rule.name]
    many = f"{len(sizes):,} questions have" if len(sizes) > 1 else "1 question has"
    return f"{many} several answers ({each}); {what} (--repeats-as)"
