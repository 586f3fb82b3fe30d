"""The counts of every question in one table: the source of all measures, slices and comparisons."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.errors import DataError
from qaldgen.formats.question_texts import language_tag
from qaldgen.model import Answers, Question
from qaldgen.runs.record import DONE, Response, Run
from qaldgen.scoring.counts import Count, Matcher
from qaldgen.scoring.measures import made_columns
from qaldgen.scoring.repeats import (
    CombinedScores,
    RepeatRule,
    Score,
    combine_scores,
    counted_responses,
    score_of,
)
from qaldgen.scoring.words.extraction import Extractor

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("tp", "fp", "fn", "expected", "returned", "status", "precision", "recall", "f1", "hit")
#: The ids that readers give to the second and each further question with the same id.
COPY = re.compile(r"(.+)#[0-9]+")
#: The weight of the only answer to a question.
_ALONE = (1.0,)


class CountedRun(NamedTuple):
    """The result of comparing a run with the gold answers."""

    counts: pd.DataFrame  # one row per question; see `counts_frame`
    unjudged: tuple[str, ...]  # ids of the questions that could not be judged
    repeats: tuple[int, ...]  # numbers of answers, for the questions with several


class Repeats(NamedTuple):
    """How several answers to one question are combined."""

    rule: RepeatRule = RepeatRule("mean")  # the rule
    language: str = "en"  # language of the answers, for the majority of answers in words
    extract: Extractor | None = None  # finds the answer in a reply, for the majority
    #: Whether a failure and a question that was not asked are right if no answer is expected, as in
    #: GERBIL.
    silence: bool = False


def counts_frame(
    questions: Iterable[Question], run: Run, matcher: Matcher, *, language: str | None = None
) -> pd.DataFrame:
    """Compare the answers of a run with the gold answers of every question.

    >>> from qaldgen.scoring.gerbil.answers import gerbil_matcher
    >>> gold = [Question("1", {"en": ("Who?",)}, answers=Answers(boolean=True))]
    >>> run = Run("mine", "table", {"1": Response("1", answers=Answers(boolean=True))})
    >>> counts = counts_frame(gold, run, gerbil_matcher())
    >>> print(counts[["tp", "fp", "fn", "status"]].to_csv().strip())
    id,tp,fp,fn,status
    1,1,0,0,answered
    """
    kept = [
        question
        for question in questions
        if language is None or question.texts.get(language_tag(language))
    ]
    return count_answers(kept, run, matcher).counts


def count_answers(
    questions: Iterable[Question], run: Run, matcher: Matcher, repeats: Repeats | None = None
) -> CountedRun:
    """Compare the answers of a run with the gold answers, and report what cannot be judged."""
    how, rows, unjudged, sizes = repeats or Repeats(), {}, [], []
    for question in questions:
        responses = responses_to(question, run)
        if len(responses) > 1:
            sizes.append(len(responses))
        row = _row(question, responses, matcher, how)
        if row is None:
            unjudged.append(question.id)
        else:
            rows[question.id] = row
    return CountedRun(_frame(rows, several=bool(sizes)), tuple(unjudged), tuple(sizes))


def _frame(rows: dict[str, tuple[CombinedScores, str]], *, several: bool) -> pd.DataFrame:
    """Return the rows as a table: integers, or means if a question has several answers.

    Means have further columns: a measure of each answer cannot be computed from mean counts.
    """
    import pandas as pd

    index = pd.Index(list(rows), name="id", dtype=object)
    answers = pd.DataFrame(
        [score for row, _ in rows.values() for score in row.scores], columns=list(Score._fields)
    )
    if several:
        answers = _with_sizes(answers)  # measures of other packages may look at them
        made = made_columns(answers)
        answers = answers.drop(columns="status").assign(**made).astype(float)
        answers = pd.DataFrame(
            _means([row for row, _ in rows.values()], answers), columns=answers.columns
        )
    answers = answers.assign(status=[status for _, status in rows.values()]).set_index(index)
    frame = _with_sizes(answers)
    frame = frame[[*COLUMNS, *(name for name in frame.columns if name not in COLUMNS)]].astype(
        {"status": str}
    )
    if several:
        return frame
    whole = dict.fromkeys(("tp", "fp", "fn", "expected", "returned"), int)
    return frame.astype(
        {**dict.fromkeys(("precision", "recall", "f1"), float), **whole, "hit": bool}
    )


def _with_sizes(answers: pd.DataFrame) -> pd.DataFrame:
    return answers.assign(
        expected=answers["tp"] + answers["fn"], returned=answers["tp"] + answers["fp"]
    )


def _means(questions: list[CombinedScores], answers: pd.DataFrame) -> list[list[float]]:
    """Return the means over the answers to each question, whose rows follow each other."""
    rows, start = [], 0
    for question in questions:
        end = start + len(question.scores)
        rows.append(
            [question.mean(values) for values in answers.iloc[start:end].to_numpy().T.tolist()]
        )
        start = end
    return rows


def responses_to(question: Question, run: Run) -> list[Response]:
    """Return the responses of a run to a question."""
    copy = COPY.fullmatch(question.id) if "#" in question.id else None
    name = copy[1] if copy and question.id not in run.responses else question.id
    return [
        (
            response
            if response.status in DONE
            else dataclasses.replace(
                response, answers=Answers(), query="", answer_type="", mentions=()
            )
        )
        for response in run.repeats.get(name) or (run.response(name),)
    ]


def response_to(question: Question, run: Run) -> Response:
    """Return the response of a run to a question, the last one if there are several."""
    return responses_to(question, run)[-1]


def _row(
    question: Question, responses: list[Response], matcher: Matcher, how: Repeats
) -> tuple[CombinedScores, str] | None:
    """Return the counts of a question and its status; None if an answer cannot be judged."""
    if len(responses) == 1 and not how.rule.k:
        score = _score(question, responses[0], matcher, how)
        return None if score is None else (CombinedScores([score], _ALONE), responses[0].status)
    kept = (
        counted_responses(question, responses, how.rule, how.language, how.extract)
        if len(responses) > 1
        else responses
    )
    judged = [_score(question, response, matcher, how) for response in kept]
    scores = [score for score in judged if score is not None]
    if len(scores) < len(judged):
        return None
    status = next(
        (response.status for response in kept if response.status == "answered"), kept[-1].status
    )
    several = len(kept) > 1 or (how.rule.k > 1 and status in DONE)
    return (
        combine_scores(question.id, scores, how.rule) if several else CombinedScores(scores, _ALONE)
    ), status


def _score(question: Question, response: Response, matcher: Matcher, how: Repeats) -> Score | None:
    count = matcher(question, response)
    if count is None:
        return None
    if not isinstance(count, Count):  # a matcher of another package
        raise DataError(
            f"question {question.id}: the matcher returned a {type(count).__name__};"
            " a qaldgen.scoring.counts.Count or None is expected"
        )
    if not any(count) and response.status not in DONE and not how.silence:
        count = Count(0, 0, 1)  # "there is none" was not said
    hit = not (count.fp or count.fn)
    if not hit and count.tp > 0:
        # Only if something is right but not everything does the first answer have to be matched by
        # itself.
        first = matcher(question, _first(response))
        hit = first is not None and first.tp > 0
    return score_of(count, hit, response.status)


def _first(response: Response) -> Response:
    """Return the response with the first answer only, and with the first mention of each kind."""
    mentions = tuple({mention.kind: mention for mention in reversed(response.mentions)}.values())
    answers = response.answers or Answers()
    # not by `replace`, which takes twice as long: this is done for most answers of large runs
    first = Answers(
        answers.boolean,
        answers.variables,
        answers.rows[:1],
        () if answers.rows else answers.texts[:1],
    )
    return dataclasses.replace(response, answers=first, mentions=mentions)
