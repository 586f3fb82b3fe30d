"""Gold answers that look like several in one text, or like regular expressions; notes on them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qaldgen.io.notes import note
from qaldgen.model import Answers, Question, Remark
from qaldgen.questions.written_lists import short_parts

#: Separators of answers, the least ambiguous one first.
_SEPARATORS = (";", "\n", " / ", ",")
#: The rule that the note belongs to.
LOOKS_LIKE_LISTS = "list-in-text"
#: What to do about them; the separator follows.
_ADVICE = "separate them with |, or split them with `split_answers`"
#: This share of comma lists among the answers is not an accident; places and dates have commas too.
_MANY = 0.3
#: What a regular expression has, and hardly any answer.
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
    """Return the questions whose only gold answer looks like several, with the separator.

    A comma counts only if the question asks for several things, or if many answers have one.

    >>> from qaldgen.model import Answers
    >>> answers = Answers(texts=(("Phobos, Deimos",),))
    >>> moons = Question("1", {"en": ("Which moons has Mars?",)}, answers=answers)
    >>> listed_answers([moons])
    {'1': ','}
    """
    gold = [
        (question, _separator(question.answers))
        for question in questions
        if question.answers is not None and question.answers.values()
    ]
    commas = sum(separator == "," for _, separator in gold)
    # one answer with a comma is a place or a title; many are lists
    are_many = commas >= max(2, _MANY * len(gold))
    listed = {}
    for question, separator in gold:
        one_comma = separator == "," and not are_many
        if one_comma and not _ASKS_FOR_SEVERAL.search(question.text().strip()):
            continue
        if separator:
            listed[question.id] = separator
    return listed


def note_lists(questions: Sequence[Question]) -> None:
    """Say which answers look like lists, if there are any."""
    listed = listed_answers(questions)
    if listed:
        first, separator = next(iter(listed.items()))
        count = "1 gold answer looks"
        if len(listed) > 1:
            count = f"{len(listed):,} gold answers look"
        text = (
            f"{count} like several in one text (first: question {first}); {_ADVICE} {separator!r}"
        )
        note(Remark(text, rule=LOOKS_LIKE_LISTS))


def _separator(answers: Answers) -> str:
    """Return the separator that splits the only answer's only name into short parts; else ""."""
    values = answers.values()
    if len(answers.texts) + len(answers.rows) != 1 or len(values) != 1:
        return ""
    if any(len(wordings) != 1 for wordings in answers.texts):
        return ""
    text = values[0].strip()
    # commas and semicolons are legal in IRIs
    if re.match(r"https?://|urn:", text) or _NO_LIST.fullmatch(text):
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
    """Say how many answers are regular expressions, if there are any."""
    number = 0
    for question in questions:
        for names in (question.answers or Answers()).texts:
            for text in names:
                may_be_one = "|" in text or "\\" in text
                number += may_be_one and is_regular_expression(text)
    if number:
        note(
            f"{number:,} gold answers are regular expressions, which no matcher reads; they are"
            " taken as they are written"
        )
