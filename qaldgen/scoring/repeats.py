"""How several answers to one question count, such as samples of a language model.

Which answers of a file these are is said in `qaldgen.answers.counted_responses`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import NamedTuple

from qaldgen.answers.record import Response, Run
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.text import count
from qaldgen.model import Question
from qaldgen.scoring.counts import Count
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.gold_names import GoldKey, given_texts, gold_truths
from qaldgen.scoring.words.reading import AnswerText
from qaldgen.scoring.words.short_answers import normalise
from qaldgen.scoring.words.yes_no import polarity

#: The ways to make one score of several answers, with help.
AGGREGATIONS = {
    "mean": "the mean over its answers",
    "majority": "the answer given most often",
    "pass@k": "the chance that one of k answers is right, as in pass@1 or pass@5",
    "first": "the first answer alone",
    "last": "the last answer alone",
}
_PASS = re.compile(r"pass@([1-9]\d{0,5})")


class Aggregation(NamedTuple):
    """A way in `AGGREGATIONS` to make one score of several answers."""

    name: str  # its key
    k: int = 0  # the number of ``pass@k``; else 0

    def __str__(self) -> str:
        """Return the name as a user writes it."""
        if not self.k:
            return self.name
        return f"pass@{self.k}"


def read_aggregation(text: str | None) -> Aggregation:
    """Return the aggregation that a user names.

    >>> read_aggregation("mean"), read_aggregation("pass@5")
    (Aggregation(name='mean', k=0), Aggregation(name='pass@k', k=5))
    """
    if text is None:
        return Aggregation("mean")
    pass_match = _PASS.fullmatch(text)
    if pass_match:
        return Aggregation("pass@k", int(pass_match[1]))
    if text not in AGGREGATIONS or text == "pass@k":
        raise UsageError(
            f"repeats-as is {text!r}; {one_of(text, AGGREGATIONS)}, with a number for k (pass@5)"
        )
    return Aggregation(text)


def check_explained(run: Run, repeats_as: str | None) -> None:
    """Refuse a run with several answers to a question that may or may not be samples."""
    ids = run.unnumbered
    if repeats_as is None and ids:
        raise DataError(
            f"{count(len(ids), 'question')} with several answers (first: {ids[0]}), and nothing"
            " says why: choose how they count with `repeats_as` (mean or majority for samples, last"
            " for answers that replace earlier ones), number them in a field 'sample', name their"
            " systems in a field 'model', or give the answers to one question as a list",
            where=run.name,
        )


def pass_at_k(n: int, right: int, k: int) -> float:
    """Return the chance that one of `k` answers, drawn from `n`, is right.

    The unbiased estimator 1 - C(n - right, k) / C(n, k) of Chen et al. (2021), Evaluating large
    language models trained on code, arXiv 2107.03374.

    >>> pass_at_k(10, 3, 1), round(pass_at_k(10, 3, 5), 4), pass_at_k(10, 0, 5)
    (0.3, 0.9167, 0.0)
    """
    return (math.comb(n, k) - math.comb(n - right, k)) / math.comb(n, k)


class Repeats(NamedTuple):
    """How several answers to one question count."""

    aggregation: Aggregation = Aggregation("mean")
    language: str = LANGUAGE  # language of the answers, for the majority of answers in words
    extract: Extractor | None = None  # finds the answer in a reply, for the majority

    def select(self, question: Question, responses: Sequence[Response]) -> Sequence[Response]:
        """Return the responses that count: one for ``majority``, ``first`` and ``last``, else all.

        For ``majority`` two answers are the same if they are equal after extraction and
        normalisation, or if both say yes (or no) to a yes-no question; of equally frequent answers
        the first counts.
        """
        if self.aggregation.name == "first":
            return responses[:1]
        if self.aggregation.name == "last":
            return responses[-1:]
        if self.aggregation.name != "majority":
            return responses
        votes = [self._vote(question, response) for response in responses]
        counts = Counter(vote for vote in votes if vote is not None)
        if not counts:
            return responses[:1]
        [(most_frequent, _)] = counts.most_common(1)
        return [responses[votes.index(most_frequent)]]

    def _vote(self, question: Question, response: Response) -> Hashable:
        """Return a key that is equal for equal answers; None if there is no answer."""
        answers = response.given
        if not answers.values():
            return None
        texts = given_texts(response, self.extract)
        if answers.texts and gold_truths(GoldKey(question, None, self.language)):
            said = polarity(AnswerText("\n".join(texts)), self.language, question.texts)
            return ("yes or no", said and said.is_yes)
        normal_texts = {normalise(text, self.language) for text in texts} - {""}
        return tuple(sorted(normal_texts)) or None


class Score(NamedTuple):
    """The counts of one answer, and its measures."""

    #: The fields of `scoring.counts.Count`.
    tp: float
    fp: float
    fn: float
    #: The measures of this answer alone.
    precision: float
    recall: float
    f1: float
    hit: float  # whether the first part of the answer is right
    status: str  # the status of the response
    matcher: str = ""  # the name of the matcher; empty for an imaginary answer
    open: float = 0.0  # 1 if it cannot be judged


@lru_cache(1 << 14)
def score_of(
    counts: Count, hit: bool, status: str, matcher: str = "", *, is_open: float = 0.0
) -> Score:
    """Return the score of one answer.

    >>> score_of(Count(1, 1, 0), True, "answered").precision
    0.5
    """
    return Score(
        *counts,
        precision=counts.precision,
        recall=counts.recall,
        f1=counts.f1,
        hit=float(hit),
        status=status,
        matcher=matcher,
        open=is_open,
    )


class CombinedScores(NamedTuple):
    """The scores of the answers to a question, and their weights."""

    scores: Sequence[Score]  # one per answer
    answer_weights: Sequence[float]  # how much each counts in the mean

    def mean(self, values: Sequence[float]) -> float:
        """Return the weighted mean of a value of each score."""
        products = [
            value * weight for value, weight in zip(values, self.answer_weights, strict=True)
        ]
        return math.fsum(products) / math.fsum(self.answer_weights)


def combine_scores(
    question: str, scores: Sequence[Score], aggregation: Aggregation
) -> CombinedScores:
    """Return the scores of a question with several answers, and their weights.

    For ``pass@k`` an answer is right if its F1 is 1, and the question counts as one answer that is
    right with the chance of `pass_at_k`.
    """
    k = aggregation.k
    if not k:
        return CombinedScores(scores, [1.0] * len(scores))
    if len(scores) < k:
        raise DataError(
            f"pass@{k} needs {k} answers or more to each question; question {question} has"
            f" {len(scores)}; choose a smaller k, or `repeats_as='mean'`"
        )

    n_right = sum(score.f1 == 1.0 for score in scores)
    n_unjudged = int(sum(score.open for score in scores))
    lowest = pass_at_k(len(scores), n_right, k)
    highest = pass_at_k(len(scores), n_right + n_unjudged, k)
    status = scores[-1].status
    if any(score.status == "answered" for score in scores):
        status = "answered"

    # an imaginary right, wrong and unjudged answer, weighted by the chance of each
    imaginary = [
        score_of(Count(1, 0, 0), True, status),
        score_of(Count(0, 1, 1), False, status),
        score_of(Count(0, 1, 1), False, status, is_open=1.0),
    ]
    return CombinedScores(imaginary, [lowest, 1.0 - highest, highest - lowest])


def repeats_sentence(aggregation: Aggregation, sizes: Sequence[int]) -> str:
    """Say how several answers to one question are counted.

    `sizes` are the numbers of answers to the questions with several, of which there is one at
    least.

    >>> repeats_sentence(Aggregation("last"), [3, 3])
    '2 questions have several answers (3 each); the last one counts (`repeats_as`)'
    """
    least, most = min(sizes), max(sizes)
    each = f"{most} each" if least == most else f"{least} to {most}"
    what_counts = {
        "mean": "the mean over its answers is the score of each",
        "majority": "the answer given most often counts",
        "pass@k": (
            f"the score of each is {aggregation}, the chance that one of {aggregation.k} is right"
        ),
        "first": "the first one counts",
        "last": "the last one counts",
    }[aggregation.name]
    questions = "1 question has" if len(sizes) == 1 else f"{len(sizes):,} questions have"
    return f"{questions} several answers ({each}); {what_counts} (`repeats_as`)"
