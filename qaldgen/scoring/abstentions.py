"""Replies in words that give no answer.

Their phrases are rows of ``words/data/phrases.tsv``.
"""

from __future__ import annotations

from qaldgen.answers.record import Response
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.reading import AnswerText


def abstains(response: Response, language: str, extract: Extractor) -> bool:
    """Return whether a reply in words gives no answer: "I don't know", "N/A", "unanswerable".

    >>> from qaldgen.model import Answers
    >>> from qaldgen.scoring.words.extraction import make_extractor
    >>> replies = ("N/A", "I don't know.", "I don't know, but perhaps Ulm.", "Ulm")
    >>> responses = [Response("1", answers=Answers(texts=((text,),))) for text in replies]
    >>> [abstains(response, "en", make_extractor("auto")) for response in responses]
    [True, True, False, False]
    """
    answers = response.given
    if response.status != "answered" or answers.boolean is not None or response.mentions:
        return False
    cells = answers.cells()
    if any(cell.type != "literal" or cell.datatype for cell in cells):
        return False
    replies = [cell.value for cell in cells]
    for row in answers.texts:
        if row:
            replies += extract(row[0]).texts
    for text in replies:
        answer = AnswerText(text)
        if not any(answer.abstentions) or answer.asserted_parts(language):
            return False
    return True
