"""What should stand beside PolEval's metric, for it forgives much.

Literal equality, and the level of chance.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.features.text.features import load_model, text_features
from qaldgen.model import Question
from qaldgen.runs.record import Run
from qaldgen.scoring.frame import responses_to
from qaldgen.scoring.poleval.chance import chance_of_each
from qaldgen.scoring.poleval.matching import said, same_text, variants
from qaldgen.scoring.poleval.metric import Reading
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.wordings import Aliases

if TYPE_CHECKING:
    import pandas as pd

#: What the type of an answer is told by; from the text of the question alone.
_TYPE = ("answerEntityKind", "answerEntityType")


class Told(NamedTuple):
    """By what rules a run is scored.

    Attributes
    ----------
    language : str
        Of the answers.
    aliases : mapping or None
        Further wordings of gold answers.
    extract : callable or None
        Finds the answer in a reply.
    reading : Reading
        How the metric is read.
    """

    language: str
    aliases: Aliases | None
    extract: Extractor | None
    reading: Reading


def columns_beside(
    questions: Sequence[Question], run: Run, counts: pd.DataFrame, told: Told
) -> Mapping[str, Sequence[float]]:
    """Return ``same_text``, ``shuffled`` and ``chance`` of each question that was scored.

    Parameters
    ----------
    questions
        The gold questions.
    run
        The answers.
    counts
        The counts of the run, whose order the columns have.
    told
        By what rules it is scored.
    """
    by_id = {question.id: question for question in questions}
    scored = [by_id[str(name)] for name in counts.index]
    gold = [variants(question, told.language, told.aliases) for question in scored]
    level = chance_of_each(gold, answer_types(scored, told.language), reading=told.reading)
    same = [
        fmean(
            float(same_text(own, said(one, told.language, told.extract)))
            for one in responses_to(question, run)
        )
        for question, own in zip(scored, gold, strict=True)
    ]
    return {"same_text": same, "shuffled": level.shuffled.tolist(), "chance": level.chance.tolist()}


def answer_types(questions: Sequence[Question], language: str) -> list[Hashable]:
    """Return the type of the answer that each question asks for, by the rules on its text.

    Parameters
    ----------
    questions
        The questions. A text in `language` is preferred, then any.
    language
        A language tag.
    """
    wanted = [
        language if question.texts.get(language) else next(iter(question.texts), "")
        for question in questions
    ]
    types: list[Hashable] = [()] * len(questions)
    for tag in dict.fromkeys(wanted):
        places = [at for at, own in enumerate(wanted) if own == tag]
        texts = [questions[at].text(tag) for at in places]
        for at, found in zip(
            places, text_features(texts, language=tag, nlp=load_model(tag)), strict=True
        ):
            types[at] = tuple(found.get(name) for name in _TYPE)
    return types
