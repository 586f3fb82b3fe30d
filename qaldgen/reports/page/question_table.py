"""The questions of a report: a row for each answer, and the verdicts that are guesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from qaldgen.benchmark.gold import Gold
from qaldgen.io.text import few
from qaldgen.model import Answers
from qaldgen.scoring.score import Scores

#: The columns of `question_table`; those in the middle are the counts of `Scores`.
_COUNT_COLUMNS = ("status", "tp", "fp", "fn", "precision", "recall", "f1")
_COLUMNS = ("system", "id", "question", *_COUNT_COLUMNS, "gold", "given")


def question_table(gold: Gold, all_scores: Sequence[Scores]) -> pd.DataFrame:
    """Return one row for each question and system."""
    language = all_scores[0].rules.language
    ids = all_scores[0].counts.index.tolist()
    counts = {}
    for scores in all_scores:
        counts[scores.name] = scores.counts.loc[ids, list(_COUNT_COLUMNS)].to_numpy(object).tolist()
    rows = []
    for index, question_id in enumerate(ids):
        question = gold.questions.by_id[question_id]
        text = question.text(language)
        expected = _answer_lines(question.gold)
        for scores in all_scores:
            response = scores.run.responses_to(question)[-1]
            answers = _answer_lines(response.given)
            if not answers:  # entity linkers give mentions
                answers = "\n".join(mention.iri or mention.text for mention in response.mentions)
            question_counts = counts[scores.name][index]
            rows.append((scores.name, question_id, text, *question_counts, expected, answers))
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _answer_lines(answers: Answers) -> str:
    text = "\n".join(value.replace("\n", " ") for value in answers.values())
    # no file can hold half a surrogate pair
    return text.encode("utf-8", "backslashreplace").decode()


class Guess(NamedTuple):
    """A verdict that may be wrong."""

    probability: float  # that it is right
    reason: str  # why it may be wrong


#: By system and question. A system whose verdicts have no probabilities is missing.
Guesses = Mapping[str, Mapping[str, Guess]]


def guesses_of_runs(gold: Gold, all_scores: Sequence[Scores]) -> Guesses:
    """Return the guesses among the verdicts on each run."""
    guesses: dict[str, dict[str, Guess]] = {}
    for scores in all_scores:
        if scores.sure is None:
            continue
        guesses[scores.name] = {}
        for question_id, probability in scores.guesses.items():
            question = gold.questions.by_id[str(question_id)]
            reason = scores.explain(question).removeprefix("a guess: ")
            guesses[scores.name][question.id] = Guess(float(probability), reason)
    return guesses


def share_of_guesses(guesses: Guesses, questions: int) -> str:
    """Say how many verdicts are guesses, over all systems and of each; empty if none is.

    >>> share_of_guesses({"mine": {"q1": Guess(0.8, "")}, "other": {}}, 10)
    '5 % of the verdicts are guesses (mine 1, other 0 of 10).'
    """
    n_guesses = sum(map(len, guesses.values()))
    if not n_guesses or not questions:
        return ""
    share = 100 * n_guesses / (questions * len(guesses))
    percentage = "less than 1" if share < 1 else f"{share:.0f}"
    numbers = few([f"{name} {len(of_system):,}" for name, of_system in guesses.items()])
    return f"{percentage} % of the verdicts are guesses ({numbers} of {questions:,})."
