"""PolEval's metric as rows of the tables of matchers and of measures."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qaldgen.model import Question
from qaldgen.plugins.polish.matching import explain, poleval_match
from qaldgen.plugins.polish.metric import Reading
from qaldgen.runs.record import Response, Run
from qaldgen.scoring.counts import Matcher
from qaldgen.scoring.matchers import MatcherKind, Rules
from qaldgen.scoring.measure_type import mean_of
from qaldgen.scoring.words.replies import make_extractor

if TYPE_CHECKING:
    import pandas as pd


def _poleval(reading: Reading, help_: str) -> MatcherKind:
    """Return PolEval's metric with one reading of its rules."""

    def make(rules: Rules) -> Matcher:
        return functools.partial(
            poleval_match,
            language=rules.language,
            aliases=rules.aliases,
            extract=make_extractor(rules.extract),
            reading=reading,
        )

    def explained(question: Question, response: Response, rules: Rules) -> str:
        how = make_extractor(rules.extract)
        verdicts = explain(
            question,
            response,
            language=rules.language,
            aliases=rules.aliases,
            extract=how,
            reading=reading,
        )
        return "; ".join(map(str, verdicts))

    def beside(
        questions: Sequence[Question], run: Run, counts: pd.DataFrame, rules: Rules
    ) -> Mapping[str, Sequence[float]]:
        # Imported late: answer types need the language models of the text features.
        from qaldgen.plugins.polish.beside import Told, columns_beside

        told = Told(rules.language, rules.aliases, make_extractor(rules.extract), reading)
        return columns_beside(questions, run, counts, told)

    return MatcherKind(make, help_, words=True, extract="raw", beside=beside, explain=explained)


POLEVAL = _poleval(
    Reading(),
    "PolEval 2021 task 4 as it was scored: the same number, or at most half the letters wrong",
)
POLEVAL_PAPER = _poleval(
    Reading(strict=True), "the same as the paper puts it: less than half the letters wrong"
)
#: The rows of `qaldgen.matcher-measures`.
SAME_TEXT = mean_of(
    "same_text", "Same text", "share of answers equal to an accepted variant, ignoring case"
)._replace(matcher="poleval")
SHUFFLED = mean_of(
    "shuffled", "Shuffled gold", "score of the gold answers when shuffled within each answer type"
)._replace(matcher="poleval")
CHANCE = mean_of(
    "chance", "Chance level", "mean score of the gold answers to other questions of the type"
)._replace(matcher="poleval")
