"""Notice gold answers that look like several answers in one text, such as ``Phobos, Deimos``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from qaldgen.model import Question

#: What people put between answers, surest first.
_SEPARATORS = (";", "\n", ",")
_LONGEST_PART = 5
#: What to do about them; the separator follows.
LIST_ADVICE = "write | between them, or divide them by --split-answers"
#: This share of comma lists among the answers is no accident; places and dates have commas too.
_MANY = 0.3
_ASKS_FOR_SEVERAL = re.compile(
    r"^(?:list|name|give|show|enumerate)\b|\b(?:which|what)\s+(?:are|were|(?!is\b|was\b|has\b|does\b)\w+s)\b|\bwho\s+(?:are|were)\b|"
    r"^(?:name|list|give me) all\b",
    re.IGNORECASE,
)
_NO_LIST = re.compile(
    r"\d{1,3}(?:,\d{3})+|(?:\w+\.? )?\d{1,2},\s*\d{4}|(?:mon|tues|wednes|thurs|fri|satur|sun)day,.*", re.IGNORECASE
)


def list_separator(question: Question) -> str:
    """Return what seems to separate several answers in the only gold answer of a question; empty if it looks like one answer.

    Commas count only where the question asks for several things.

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> list_separator(Question("1", {"en": ("Which moons has Mars?",)}, answers=Answers(texts=(("Phobos, Deimos",),))))
    ','
    """
    separator = _separator(question)
    return separator if separator != "," or _ASKS_FOR_SEVERAL.search(question.text().strip()) else ""


def listed_answers(questions: Sequence[Question]) -> dict[str, str]:
    """Return the ids of the questions whose answer looks like a list, with what separates it.

    Where many answers have commas, all of them count, whatever the questions ask for.
    """
    gold = [question for question in questions if question.answers is not None and question.answers.values()]
    with_comma = [question.id for question in gold if _separator(question) == ","]
    many = len(with_comma) >= max(2, _MANY * len(gold))
    found = {question.id: list_separator(question) or (_separator(question) if many else "") for question in gold}
    return {name: separator for name, separator in found.items() if separator}


def list_note(questions: Sequence[Question]) -> Iterator[str]:
    """Yield a note on the answers that look like lists, if there are any."""
    found = listed_answers(questions)
    if found:
        first, separator = next(iter(found.items()))
        count = f"{len(found):,} gold answer{' looks' if len(found) == 1 else 's look'}"
        yield f"{count} like several in one text (first: question {first}); {LIST_ADVICE} {separator!r}"


def _separator(question: Question) -> str:
    """Return the separator at which the only wording of the only answer falls into short parts."""
    answers = question.answers
    if answers is None or len(answers.texts) + len(answers.rows) != 1 or any(len(wordings) != 1 for wordings in answers.texts):
        return ""
    text = answers.values()[0].strip() if len(answers.values()) == 1 else ""
    if re.match(r"https?://|urn:", text) or _NO_LIST.fullmatch(text):
        return ""
    for separator in _SEPARATORS:
        parts = [part.strip() for part in text.split(separator)]
        if len(parts) > 1 and all(part and len(part.split()) <= _LONGEST_PART for part in parts):
            return separator
    return ""
