"""Find gold answers that look like several answers in one text, or like regular expressions."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from qaldgen.io.notes import note
from qaldgen.model import Answers, Question, Remark
from qaldgen.questions.written_lists import short_parts

#: Separators of answers, the least ambiguous one first.
_SEPARATORS = ("|", ";", "\n", " / ", ",")
#: The rule of the note on such lists.
LOOKS_LIKE_LISTS = "list-in-text"
#: The share of answers with commas from which these are lists, and not just places or dates.
_MIN_SHARE_OF_COMMAS = 0.3
#: Notation of regular expressions that hardly any answer has.
_REGULAR_EXPRESSION = re.compile(
    r"\([^()]*\|[^()]*\)|\)[?*+]|\.[*+]|\\[sdwbSDWB.](?![a-z])|\w\?\w|\[[^\]]+\][?*+]?\w"
)
_ASKS_FOR_SEVERAL = re.compile(
    r"^(?:list|name|give|show|enumerate)\b|\b(?:which|what)\s+(?:are|were|(?!is\b|was\b|has\b|"
    r"does\b)\w+s)\b|\bwho\s+(?:are|were)\b|^(?:name|list|give me) all\b",
    re.IGNORECASE,
)
#: Numbers and dates, whose commas do not separate answers.
_NO_LIST = re.compile(
    r"[+-]?[\d.'’]*\d,\d+\W{0,2}\w{0,4}|\d{1,3}(?:,\d{3})+|(?:\w+\.?"
    r" )?\d{1,2},\s*\d{4}|(?:mon|tues|wednes|thurs|fri|satur|sun)day,.*",
    re.IGNORECASE,
)


def listed_answers(questions: Sequence[Question]) -> dict[str, str]:
    """Return the separators of gold answers that look like several in one text, by question id.

    A comma counts only if the question asks for several things, or if many answers have a comma.

    >>> from qaldgen.model import Answers
    >>> answers = Answers(texts=(("Phobos, Deimos",),))
    >>> moons = Question("1", {"en": ("Which moons has Mars?",)}, answers=answers)
    >>> listed_answers([moons])
    {'1': ','}
    """
    gold = [
        (question, _find_separator(question.gold))
        for question in questions
        if question.gold.values() and "choices" not in question.metadata
    ]
    n_commas = sum(separator == "," for _, separator in gold)
    # one answer with a comma is a place or a title; many are lists
    are_many = n_commas >= max(2, _MIN_SHARE_OF_COMMAS * len(gold))
    separators = {}
    for question, separator in gold:
        is_doubtful = separator == "," and not are_many
        if is_doubtful and not _ASKS_FOR_SEVERAL.search(question.text().strip()):
            continue
        if separator:
            separators[question.id] = separator
    return separators


def has_longer_name(texts: Sequence[str]) -> bool:
    """Return whether all words of one text are in another, as in names of the same thing.

    >>> has_longer_name(["Ada Mill", "Mill"]), has_longer_name(["Ada Mill", "Ben Mill"])
    (True, False)
    """
    words = [frozenset(re.findall(r"\w+", text.casefold())) for text in texts]
    return any(name and name <= other for name, other in itertools.permutations(words, 2))


def note_lists(questions: Sequence[Question]) -> None:
    """Add a note on answers that look like lists, if there are any."""
    separators = listed_answers(questions)
    if separators:
        question_id, separator = next(iter(separators.items()))
        subject = "1 gold answer looks"
        if len(separators) > 1:
            subject = f"{len(separators):,} gold answers look"
        advice = f"split them with `split_answers` {separator!r}"
        if separator != "|":
            advice = f"separate them with |, or {advice}"
        text = f"{subject} like several in one text (first: question {question_id}); {advice}"
        note(Remark(text, rule=LOOKS_LIKE_LISTS))


def _find_separator(answers: Answers) -> str:
    """Return the separator that splits the only answer's only name into short parts; else ""."""
    values = answers.values()
    if len(answers.texts) + len(answers.rows) != 1 or len(values) != 1:
        return ""
    if any(len(wordings) != 1 for wordings in answers.texts):
        return ""
    text = values[0].strip()
    # commas and semicolons are legal in IRIs
    if text.startswith(("http://", "https://", "urn:")) or _NO_LIST.fullmatch(text):
        return ""
    if is_regular_expression(text):
        return ""
    for separator in _SEPARATORS:
        if short_parts(text, separator):
            return separator
    return ""


def is_regular_expression(text: str) -> bool:
    """Return whether an answer is probably a regular expression.

    >>> is_regular_expression("(Ada )?Mill"), is_regular_expression("Ulm (1912)")
    (True, False)
    """
    return _REGULAR_EXPRESSION.search(text) is not None


def note_regular_expressions(questions: Sequence[Question]) -> None:
    """Add a note on answers that are regular expressions, if there are any."""
    n_expressions = 0
    for question in questions:
        for names in question.gold.texts:
            for text in names:
                if ("|" in text or "\\" in text) and is_regular_expression(text):
                    n_expressions += 1
    if n_expressions:
        note(
            f"{n_expressions:,} gold answers are regular expressions, which no matcher reads; they"
            " are taken as they are written"
        )
