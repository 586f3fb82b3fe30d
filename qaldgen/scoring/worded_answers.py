"""Verdicts on answers in words, for comparisons, labels by hand, judges and checks of the gold."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold
from qaldgen.defaults import LANGUAGE
from qaldgen.io.notes import note
from qaldgen.io.text import few
from qaldgen.model import Answers, Question
from qaldgen.scoring.count_table import answers_to
from qaldgen.scoring.guesses import SURE, count_guesses, expected_counts
from qaldgen.scoring.judging import RunScorer
from qaldgen.scoring.matchers import WORDS, make_scorer, verdict_on
from qaldgen.scoring.rules import Rules
from qaldgen.scoring.score import Scores
from qaldgen.scoring.verdict_model import MIN_SURE
from qaldgen.scoring.words.gold_names import Aliases, GoldKey, gold_cells, gold_truths, wordings


class RuleVerdict(NamedTuple):
    """The verdict of a rule on an answer in words."""

    question: Question
    response: Response
    value: float  # 1 for right, 0 for wrong
    probability: float  # that the verdict is right

    @property
    def is_guess(self) -> bool:
        """Whether the verdict may well be wrong."""
        return self.probability < MIN_SURE


def expected_scores(all_scores: Sequence[Scores]) -> list[Scores]:
    """Return runs whose answers in words count by how probable it is that they are right; note it.

    Comparisons of systems use these counts, since best guesses favour some systems over others.
    """
    names = [scores.name for scores in all_scores if SURE in scores.counts]
    if names:
        note(
            f"answers in words of {few(names)} count here by how probable it is that they are"
            " right; 'qaldgen score' counts them by best guess"
        )
    return [
        dataclasses.replace(scores, counts=expected_counts(scores.counts)) for scores in all_scores
    ]


def verdicts_by_rule(gold: Gold, runs: Sequence[Run], rules: Rules) -> Iterator[RuleVerdict]:
    """Yield the verdict on each answer in words that could be right."""
    questions = gold.questions.questions
    for run in runs:
        answered = answers_to(questions, run, rules.extract)
        scorer = make_scorer(rules, questions, answered)
        for question, responses in answered:
            for response in responses:
                if question.answers is None or not response.could_be_right(question.answers):
                    continue
                if scorer.choose(question, response) != WORDS:
                    continue
                verdict = verdict_on(question, response, scorer.rules)
                if verdict:
                    value = float(verdict.counts.tp)
                    yield RuleVerdict(question, response, value, verdict.probability)


def labels_sentence(gold: Gold, run: Run, rules: Rules, labels: Mapping[str, float]) -> str | None:
    """Say how many answers of a run are right by hand labels; None if no answer is in words."""
    scores = RunScorer(gold, rules._replace(labels=labels)).score(run)
    verdicts = count_guesses(scores.counts, scores.rules.prior)
    if not verdicts:
        return None
    return f"with these labels: {verdicts}"


def readable_answers(answers: Answers, aliases: Aliases | None) -> list[str]:
    """Return answers as a person reads them: names instead of IRIs, and whole texts."""
    if answers.boolean is not None:
        return ["yes" if answers.boolean else "no"]
    names = [wordings(cell, aliases)[0] for cell in gold_cells(answers)]
    return names + [row[0] for row in answers.texts if row]


def is_contradicted(question: Question) -> bool:
    """Return whether the gold answers of a question are both yes and no."""
    return len(gold_truths(GoldKey(question, None, LANGUAGE))) > 1
