"""The verdicts of a report that are guesses, with their probabilities and reasons for doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.benchmark.gold import Gold
from qaldgen.io.text import few
from qaldgen.scoring.score import Scores


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
