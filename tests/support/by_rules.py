"""What the rules alone say of an answer in words, whatever its signs and the other answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qaldgen.answers.record import Response
from qaldgen.model import Question
from qaldgen.scoring import matchers
from qaldgen.scoring.counts import Count
from qaldgen.scoring.rules import Rules
from qaldgen.scoring.verdict_model import Verdict, evidence_on
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.gold_names import Aliases
from qaldgen.scoring.words.reading import AnswerText
from qaldgen.scoring.words.yes_no import YesNo, polarity


def contains(
    question: Question,
    response: Response,
    *,
    language: str = "en",
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
) -> Count | None:
    """Return the verdict of the rules; None where they cannot judge."""
    found = evidence_on(question, response, language=language, aliases=aliases, extract=extract)
    if found is None:
        return None
    if isinstance(found, Verdict):
        return found.counts
    return Count(1, 0, 0) if found.is_right_by_rules else Count(0, 1, 1)


def verdict_on(question: Question, response: Response, language: str = "en") -> Verdict | None:
    """Return the more probable verdict on an answer in words."""
    return matchers.verdict_on(question, response, Rules(language=language))


def said_by(
    text: str, language: str = "en", questions: Mapping[str, Sequence[str]] | None = None
) -> YesNo | None:
    """Return what an answer to a yes-no question says."""
    return polarity(AnswerText(text), language, questions)
