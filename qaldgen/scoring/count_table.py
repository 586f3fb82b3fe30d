"""The counts of every question in one table: the source of all measures, slices and comparisons."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from qaldgen.answers.record import DONE, Response, Run
from qaldgen.answers.stated_answers import first_number_in_replies, with_stated_answer
from qaldgen.errors import DataError
from qaldgen.model import Answers, Question
from qaldgen.scoring.counts import ABSTAINED, NOT_JUDGED, OPEN, Count, Matcher
from qaldgen.scoring.measures import computed_columns
from qaldgen.scoring.repeats import CombinedScores, Repeats, Score, combine_scores, score_of
from qaldgen.scoring.rules import Rules
from qaldgen.scoring.words.extraction import make_extractor

if TYPE_CHECKING:
    import pandas as pd

#: ``matcher`` names the rules by which an answer was judged; ``open`` is the share of the answers
#: to a question that cannot be judged, which count as not right.
COLUMNS = [
    "tp", "fp", "fn", "expected", "returned", "status", "precision", "recall", "f1", "hit",
    "matcher", "open",
]  # fmt: skip
#: The weights of the answers where a question has one.
_ONE_WEIGHT = (1.0,)

#: Questions, each with the answers of a run to it.
Answered: TypeAlias = Sequence[tuple[Question, Sequence[Response]]]


def answers_to(questions: Iterable[Question], run: Run, extract: str = "auto") -> Answered:
    """Return each question with the answers of a run to it.

    A reply that states its answer, such as "The answer is B", counts as this answer.
    """
    # where the marked part of a reply is no choice, the words around it may say which one it is
    options = ("auto", "whole") if extract == "auto" else (extract,)
    readers = [functools.partial(_extract_texts, option) for option in options]
    answered = [(question, run.responses_to(question)) for question in questions]
    first_choice = first_number_in_replies(answered, readers[0])
    with_stated = []
    for question, responses in answered:
        stated = [with_stated_answer(each, question, readers, first_choice) for each in responses]
        with_stated.append((question, stated))
    return with_stated


def texts_of(answered: Answered) -> list[str]:
    """Return the texts of the answers that are in words."""
    texts = []
    for _, responses in answered:
        for response in responses:
            texts += [row[0] for row in response.given.texts if row]
    return texts


def _extract_texts(option: str, reply: str) -> Sequence[str]:
    """Return the texts of the answers that an option of `EXTRACTIONS` finds in a reply."""
    return make_extractor(option)(reply).texts


class Scorer(NamedTuple):
    """Scores each answer by the matcher that suits the question, its gold answers and the answer.

    Attributes
    ----------
    choose : callable
        Returns the name of the matcher.
    matchers : mapping of str to callable
        The matchers by name.
    silent : frozenset of str
        The matchers for which a failure, or a question that was not asked, is right where no
        answer is expected, as in GERBIL.
    abstains : callable
        Returns whether a response to a question says that the system has no answer.
    repeats : Repeats
        How several answers to one question count.
    rules : Rules
        The rules, with the prior learnt from the answers of the run.
    as_gerbil : bool
        Whether questions are loaded as GERBIL loads them.
    """

    choose: Callable[[Question, Response], str]
    matchers: Mapping[str, Matcher]
    silent: frozenset[str]
    abstains: Callable[[Question, Response], bool]
    repeats: Repeats
    rules: Rules
    as_gerbil: bool = False

    def compare(self, question: Question, response: Response) -> Count | None:
        """Compare a response with the gold answers of its question; None if that cannot be done."""
        return self.matchers[self.choose(question, response)](question, response)

    def score(self, question: Question, response: Response) -> Score:
        """Return the score of an answer."""
        name = self.choose(question, response)
        matcher = self.matchers[name]
        count = matcher(question, response)
        if count is not None and not isinstance(count, Count):  # a matcher of another package
            raise DataError(
                f"question {question.id}: the matcher returned a {type(count).__name__};"
                " a qaldgen.scoring.counts.Count or None is expected"
            )

        has_right_answer = count is not None and count.tp > 0
        abstains = not has_right_answer and self.abstains(question, response)
        status = ABSTAINED if abstains else response.status

        if count is None:
            if not abstains:
                return score_of(OPEN, False, NOT_JUDGED, name, is_open=1.0)
            count = Count(0, 0, 1)
        elif not any(count) and response.status not in DONE and name not in self.silent:
            count = Count(0, 0, 1)  # "there is none" was not said

        if count.tp > 0 and (count.fp or count.fn):
            hit = _is_first_right(question, response, matcher)
        else:
            hit = not (count.fp or count.fn)
        return score_of(count, hit, status, name)


def count_answers(answered: Answered, scorer: Scorer) -> pd.DataFrame:
    """Return a row for each question; an answer that cannot be judged counts as not right."""
    import pandas as pd

    combined_scores = []
    statuses = []
    matchers = []
    aggregation = scorer.repeats.aggregation
    for question, responses in answered:
        counted = responses
        if len(responses) > 1:
            repeats = scorer.repeats._replace(language=scorer.rules.language_of(question))
            counted = repeats.select(question, responses)
        scores = [scorer.score(question, response) for response in counted]
        status = scores[-1].status
        matchers.append(scores[-1].matcher)
        if len(counted) == 1 and (aggregation.k <= 1 or counted[0].status not in DONE):
            combined_scores.append(CombinedScores(scores, _ONE_WEIGHT))
        else:
            combined_scores.append(combine_scores(question.id, scores, aggregation))
            # of several answers the most telling status
            all_statuses = [score.status for score in scores]
            for strong_status in (ABSTAINED, "answered", NOT_JUDGED):
                if strong_status in all_statuses:
                    status = strong_status
        statuses.append(status)

    has_repeats = any(len(responses) > 1 for _, responses in answered)
    all_scores = list[Score]()
    for combined in combined_scores:
        all_scores += combined.scores
    frame = pd.DataFrame(all_scores, columns=list(Score._fields))
    if has_repeats:
        frame = _average_repeats(frame, combined_scores)
    frame["status"] = statuses
    frame["matcher"] = matchers
    ids = [question.id for question, _ in answered]
    frame = _with_sizes(frame.set_index(pd.Index(ids, name="id", dtype=object)))
    frame = frame[COLUMNS + [name for name in frame if name not in COLUMNS]]
    types: dict[str, type] = {"status": str, "matcher": str}
    if not has_repeats:
        types |= dict.fromkeys(("tp", "fp", "fn", "expected", "returned"), int)
        types |= dict.fromkeys(("precision", "recall", "f1", "open"), float)
        types["hit"] = bool
    return frame.astype(types)


def _average_repeats(scores: pd.DataFrame, combined: Sequence[CombinedScores]) -> pd.DataFrame:
    """Return the mean scores of each question over its answers, which are consecutive rows.

    The columns of measures are averaged as well: they cannot be computed from mean counts.
    """
    import pandas as pd

    sized = _with_sizes(scores)  # for measures of other packages
    numbers = sized.drop(columns=["status", "matcher"])
    answers = numbers.assign(**computed_columns(sized)).astype(float)
    means = []
    start = 0
    for question_scores in combined:
        end = start + len(question_scores.scores)
        columns = answers.iloc[start:end].to_numpy().T.tolist()
        means.append([question_scores.mean(values) for values in columns])
        start = end
    return pd.DataFrame(means, columns=answers.columns)


def _with_sizes(answers: pd.DataFrame) -> pd.DataFrame:
    return answers.assign(
        expected=answers["tp"] + answers["fn"], returned=answers["tp"] + answers["fp"]
    )


def _is_first_right(question: Question, response: Response, matcher: Matcher) -> bool:
    """Return whether the first answer by itself is right, with the first mention of each kind."""
    first_mentions = {mention.kind: mention for mention in reversed(response.mentions)}
    answers = response.given
    # `replace` takes twice as long, and most answers of large runs come here
    first_answer = Answers(
        answers.boolean,
        answers.variables,
        answers.rows[:1],
        () if answers.rows else answers.texts[:1],
    )
    mentions = tuple(first_mentions.values())
    first_response = dataclasses.replace(response, answers=first_answer, mentions=mentions)
    count = matcher(question, first_response)
    return count is not None and count.tp > 0
