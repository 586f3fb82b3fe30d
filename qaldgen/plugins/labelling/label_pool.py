"""The answers of a run that can be labelled by hand, and the sample of them that is drawn.

A spread sample is drawn, in an order of which every prefix is a spread sample as well.

A missing answer needs no label: it is wrong. So the sample is drawn from the questions with an
answer, and from those whose gold answer is that there is none. Everything here follows from the
gold questions, the run and a seed, so that anybody who has them can check that a worksheet was
drawn at random and not picked.

Answers in words are drawn by strata: guesses and sure verdicts of `contains`, right and wrong.
Guesses are drawn more often, as they are more uncertain (Neyman's allocation). How many of each
stratum a prefix has follows from its length alone, so every answer has a known probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qaldgen.analysis.comparing.hand_labels import answers_in_words
from qaldgen.answers.record import Response
from qaldgen.defaults import SEED
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import check_integer
from qaldgen.model import Question
from qaldgen.sampling.pivotal import spread_order
from qaldgen.scoring.evaluation import Evaluation, evaluate
from qaldgen.scoring.mean_bounds import Array
from qaldgen.scoring.rules import Rules

#: The most frequent first words of questions, and types of answers, are features; others are not.
_MAX_WORDS = 8
#: The strata of guesses are below this one.
_FIRST_SURE_STRATUM = 3
#: The probability of a verdict where no rule decides.
_UNKNOWN = 0.5
#: Part of the description of a drawing in which guesses were drawn more often.
_GUESSES_FIRST = ", guesses first"


class Item(NamedTuple):
    """A question with the answer of the run."""

    question: Question  # with its gold answers
    response: Response  # the response of the run

    @property
    def gold(self) -> str:
        """The gold answers, for people."""
        return answers_in_words(self.question.gold)

    @property
    def given(self) -> str:
        """The answers of the run, for people."""
        return answers_in_words(self.response.given)


class LabelPool(NamedTuple):
    """The answers that can be labelled."""

    items: tuple[Item, ...]  # the questions that need a label, in the order of the gold file
    total: int  # all questions, including those without an answer, which are wrong
    features: Array  # the features over which the sample is spread
    strata: NDArray[np.intp]  # guesses first; all equal if no verdict is a guess
    deviations: Array  # for each answer the expected standard deviation of labels in its stratum

    @property
    def stratified(self) -> bool:
        """Whether guesses are drawn first."""
        return bool(np.ptp(self.strata))

    def guesses(self, items: Collection[Item]) -> int:
        """Return the number of items that are guesses."""
        if not self.stratified:
            return 0
        ids = {item.question.id for item in items}
        guesses = zip(self.items, self.strata < _FIRST_SURE_STRATUM, strict=True)
        return sum(is_guess for item, is_guess in guesses if item.question.id in ids)

    def order(self, random_state: int) -> list[Item]:
        """Return the items in an order whose every prefix is a spread sample of each stratum."""
        rng = np.random.default_rng(random_state)
        # which share of its stratum comes before each item, divided by the deviation in the stratum
        rank = np.empty(len(self.items))
        for stratum in np.unique(self.strata):
            rows = np.flatnonzero(self.strata == stratum)
            order = rows[spread_order(self.features[rows], rng)]
            rank[order] = np.arange(len(rows)) / (len(rows) * self.deviations[rows[0]])
        return [self.items[row] for row in np.lexsort((self.strata, rank)).tolist()]


def label_pool(evaluation: Evaluation) -> LabelPool:
    """Return the answers of an evaluated run that can be labelled."""
    questions = evaluation.gold.questions.questions
    # by the default rules, so that the sample does not depend on how answers are judged later
    scores = evaluation[0]
    if evaluation.rules != Rules(language=evaluation.language):
        scores = evaluate(evaluation.gold, scores.run, language=evaluation.language)[0]

    items = []
    for question in questions:
        response = scores.run.response(question.id)
        if response.could_be_right(question.answers):
            items.append(Item(question, response))
    if not items:
        raise DataError(
            f"none of the {len(questions):,} questions has an answer that could be labelled",
            where=scores.name,
        )

    # the stratum of each answer, and the uncertainty of the verdicts in its stratum
    strata = np.zeros(len(items), dtype=np.intp)
    deviations = np.ones(len(items))
    if scores.sure is not None:
        counts = scores.counts.reindex([item.question.id for item in items])
        is_judged = (counts["open"] == 0).to_numpy()
        probabilities = scores.sure.reindex(counts.index).where(is_judged, _UNKNOWN)
        is_guess = counts.index.isin(scores.guesses.index)
        is_wrong = (counts["hit"].astype(float) <= 0.5).to_numpy()
        # unjudged; guesses that are right, and wrong; sure verdicts that are right, and wrong
        conditions = [~is_judged, is_guess & ~is_wrong, is_guess & is_wrong, ~is_guess & ~is_wrong]
        strata = np.select(conditions, [0, 1, 2, 3], default=4).astype(np.intp)
        sums = np.bincount(strata, probabilities.to_numpy(float))
        means = sums / np.maximum(np.bincount(strata), 1)
        deviations = np.sqrt(means * (1.0 - means))[strata]

    features = _item_features(items, evaluation.language)
    return LabelPool(
        tuple(items), total=len(questions), features=features, strata=strata, deviations=deviations
    )


def draw(pool: LabelPool, size: int, random_state: int = SEED) -> list[Item]:
    """Return the answers to be labelled, in the order of labelling."""
    check_integer("n", size, 1)
    check_integer("random_state", random_state, 0)
    if size > len(pool.items):
        raise UsageError(
            f"{size} labels were requested, but the run has {len(pool.items):,} answers;"
            f" ask for 1 to {len(pool.items):,}"
        )
    return pool.order(random_state)[:size]


def _item_features(items: Sequence[Item], language: str) -> Array:
    """Return simple features of items: lengths, number and type of answers, first word."""
    texts = [item.question.text(language) for item in items]
    numbers = np.array(
        [
            (len(text.split()), len(item.given), len(item.gold), item.gold.count(" | "))
            for item, text in zip(items, texts, strict=True)
        ],
        dtype=float,
    )

    # logarithms, as a few very long answers would dominate all distances
    numbers = np.log1p(numbers)
    columns = [(each - each.min()) / np.ptp(each) for each in numbers.T if np.ptp(each) > 0]

    first_words = [next(iter(text.casefold().split()), "") for text in texts]
    answer_types = [item.question.answer_type for item in items]
    for values in (first_words, answer_types):
        frequent = [name for name, _ in Counter(values).most_common(_MAX_WORDS)]
        for name in frequent:
            columns.append(np.array([value == name for value in values], dtype=float))

    if columns:
        return np.column_stack(columns)
    return np.zeros((len(items), 1))


def describe_drawing(pool: LabelPool, random_state: int) -> str:
    """Return the description of a drawing in a worksheet."""
    order = _GUESSES_FIRST if pool.stratified else ""
    return f"lpm of {len(pool.items)} answers{order}, seed {random_state}"


def restore_strata(pool: LabelPool, drawn: str) -> LabelPool:
    """Return the answers in the strata of a worksheet, by the description of its drawing."""
    if _GUESSES_FIRST in drawn:
        return pool
    one_stratum = np.zeros_like(pool.strata)
    return pool._replace(strata=one_stratum, deviations=np.ones_like(pool.deviations))
