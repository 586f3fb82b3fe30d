"""Which answers are labelled by hand: a spread sample, in an order whose every prefix is one too.

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

from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import check_whole
from qaldgen.model import Question
from qaldgen.runs.record import Response, Run
from qaldgen.sampling.pivotal import spread_order
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.guesses import GUESS
from qaldgen.scoring.matchers import WORDS, resolve
from qaldgen.scoring.mean_bounds import Array
from qaldgen.scoring.verdicts import needs_verdict
from qaldgen.scoring.words.confidence import sureness
from qaldgen.scoring.words.contains import contains

#: How many first words of questions, and kinds of answer, are features; the rest is rare.
_FIRST_WORDS = 8
#: The strata of guesses are below this; one where no rule can tell is as uncertain as can be.
_SURE, _UNKNOWN = 3, 0.5


class Item(NamedTuple):
    """A question with the answer of the run."""

    question: Question  # with its gold answers
    response: Response  # the response of the run

    @property
    def gold(self) -> str:
        """The gold answers, for people."""
        return "" if self.question.answers is None else _listed(self.question.answers.values())

    @property
    def given(self) -> str:
        """The answers of the run, for people."""
        return "" if self.response.answers is None else _listed(self.response.answers.values())


class LabelPool(NamedTuple):
    """The answers that can be labelled."""

    items: tuple[Item, ...]  # the questions that need a label, in the order of the gold file
    total: int  # all questions, including those without an answer, which are wrong
    features: Array  # the features over which the sample is spread
    strata: NDArray[np.intp]  # guesses first; all the same if there are no guesses to tell
    doubt: Array  # the standard deviation that is expected of the labels of its stratum

    @property
    def stratified(self) -> bool:
        """Whether guesses are drawn first."""
        return bool(np.ptp(self.strata))

    def alike(self) -> LabelPool:
        """Return the same answers in one stratum."""
        return self._replace(strata=np.zeros_like(self.strata), doubt=np.ones_like(self.doubt))

    def guesses(self, items: Collection[Item]) -> int:
        """Return how many of some of the items are guesses."""
        if not self.stratified:
            return 0
        chosen = {item.question.id for item in items}
        guesses = zip(self.items, self.strata < _SURE, strict=True)
        return sum(guess for item, guess in guesses if item.question.id in chosen)

    def order(self, random_state: int) -> list[Item]:
        """Return the items in an order whose every prefix is a spread sample of each stratum."""
        rng = np.random.default_rng(random_state)
        place = np.empty(len(self.items))
        for stratum in np.unique(self.strata):
            rows = np.flatnonzero(self.strata == stratum)
            order = rows[spread_order(self.features[rows], rng)]
            place[order] = np.arange(len(rows)) / (len(rows) * self.doubt[rows[0]])
        return [self.items[row] for row in np.lexsort((self.strata, place)).tolist()]


def label_pool(gold: Gold, run: Run, language: str = "en") -> LabelPool:
    """Return which answers of a run can be labelled."""
    questions = gold.questions.questions
    every = [Item(question, run.response(question.id)) for question in questions]
    items = tuple(item for item in every if needs_verdict(*item))
    if not items:
        raise DataError(
            f"{run.name}: none of the {len(questions):,} questions has an answer that could be"
            " labelled"
        )
    alike = np.zeros(len(items), dtype=np.intp), np.ones(len(items))
    strata = _strata(items, language) if resolve(gold, [run]).match == WORDS else alike
    return LabelPool(items, len(questions), _features(items, language), *strata)


def _strata(items: Sequence[Item], language: str) -> tuple[NDArray[np.intp], Array]:
    """Return the stratum of each answer, and how uncertain the verdicts of its stratum are."""
    strata = np.zeros(len(items), dtype=np.intp)
    sure = np.full(len(items), _UNKNOWN)
    for at, (question, response) in enumerate(items):
        count = contains(question, response, language=language)
        if count is not None:
            sure[at] = sureness(question, response, language=language).probability
            strata[at] = 1 + (not count.tp) + 2 * (sure[at] >= GUESS)
    means = np.bincount(strata, sure) / np.maximum(np.bincount(strata), 1)
    return strata, np.sqrt(means * (1.0 - means))[strata]


def draw(of: LabelPool, size: int, random_state: int = 0) -> list[Item]:
    """Return the answers to be labelled, in the order in which they should be."""
    check_whole("n", size, 1)
    check_whole("random_state", random_state, 0)
    if size > len(of.items):
        raise UsageError(
            f"{size} labels were requested, but the run has {len(of.items):,} answers;"
            f" ask for 1 to {len(of.items):,}"
        )
    return of.order(random_state)[:size]


def _listed(values: Sequence[str]) -> str:
    return " | ".join(values)


def _features(items: Sequence[Item], language: str) -> Array:
    """Return features that are plain to see: lengths, number and kind of answers, first word."""
    texts = [item.question.text(language) for item in items]
    numbers = np.array(
        [
            (len(text.split()), len(item.given), len(item.gold), item.gold.count(" | "))
            for item, text in zip(items, texts, strict=True)
        ],
        dtype=float,
    )
    # Logs, because a few very long answers would otherwise dominate all distances.
    numbers = np.log1p(numbers)
    columns = [
        (column - column.min()) / np.ptp(column) for column in numbers.T if np.ptp(column) > 0
    ]
    first = [text.split()[0].casefold() if text.split() else "" for text in texts]
    kinds = [item.question.answer_type for item in items]
    for values in (first, kinds):
        frequent = [name for name, _ in Counter(values).most_common(_FIRST_WORDS)]
        columns += [np.array([value == name for value in values], dtype=float) for name in frequent]
    return np.column_stack(columns) if columns else np.zeros((len(items), 1))
