"""How sure a verdict of `contains` is: the signs against it, and how often it then was right.

A verdict without a sign is sure, one with a sign a guess. The shares were counted on judged
answers (`benchmarks/text_agreement.py --shares`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import NamedTuple

from qaldgen.model import Question
from qaldgen.runs.record import Response
from qaldgen.scoring.words.contains import Given, answered, gold_given, prepare
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.gold_names import (
    Aliases,
    GoldKey,
    cannot_be_named,
    given_texts,
    gold_truths,
    gold_wordings,
)
from qaldgen.scoring.words.reading import refuses, sentences
from qaldgen.scoring.words.tokens import phrases_in, primary, tokens
from qaldgen.scoring.words.yes_no import is_negated

#: What each sign means, in words.
SIGNS = MappingProxyType({
    "part": "it has some of the gold answers, not all",
    "list": "it lists several things, and some of them may be wrong",
    "stated": "it says neither yes nor no, but states something like it",
    "year": "it gives a year, the gold answer a day or month",
    "denial": "it has a negation",
    "hedge": "it hedges or refuses",
    "unsaid": "it does not say yes or no",
    "near": "it has words of a gold answer, or something spelled much like one",
    "script": "the gold answers are in another script than names in the answer",
    "phrase": "the gold answer is a phrase, which can be put in other words",
})  # fmt: skip
#: So many gold answers are a list.
LIST = 3
#: How often verdicts without a sign against them were right, and those with one.
_SURE, _GUESS = 0.98, 0.87
#: A text is a list of so many items if this share of them has this many words at most.
_ITEMS, _MOST, _SHORT = 3, 0.8, 5
_ITEM = re.compile(r"\n|[,，、;；•]|\s(?:and|und|et|y|e|и|en|și|و)\s|\d+\.\s")
_LATIN = re.compile(r"[A-Za-z]{3}")
#: How much of a gold answer a part of the text resembles, of 100, to be near it.
_NEAR = 70
#: From here on a gold answer is a phrase.
_PHRASE = 4
#: How much of a text and how many names are compared by their letters, and the shortest word.
_LETTERS, _NAMES, _WORD = 1000, 40, 4


class Sureness(NamedTuple):
    """The probability that a verdict is right, and the signs against it, keys of `SIGNS`."""

    probability: float
    signs: tuple[str, ...] = ()


def sureness(
    question: Question,
    response: Response,
    *,
    language: str = "en",
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
) -> Sureness:
    """Return how sure the verdict of `contains` on an answer is.

    >>> from qaldgen.model import Answers
    >>> question = Question("1", {"en": ("Who?",)}, answers=Answers(texts=(("Ada Mill",),)))
    >>> texts = ("Ada Mill", "Perhaps Ada Mill", "Ben", "Ada Myll")
    >>> given = [Response("1", answers=Answers(texts=((text,),))) for text in texts]
    >>> [sureness(question, response).signs for response in given]
    [(), ('hedge',), (), ('near',)]
    """
    text = "\n".join(given_texts(response, extract))
    if not answered(text) or cannot_be_named(question, response, aliases):
        return Sureness(1.0)
    given = gold_given(question, text, language, aliases)
    if given is None:
        return Sureness(1.0)
    signs = tuple(_signs(question, text, language, aliases, given))
    return Sureness(_GUESS if signs else _SURE, signs)


def _signs(
    question: Question, text: str, language: str, aliases: Aliases | None, given: Given
) -> Iterator[str]:
    """Yield the signs that the verdict on an answer may be wrong, the weightiest first."""
    key = GoldKey(question, aliases, language)
    if gold_truths(question, language):
        if not given.said:
            yield "stated" if given.right else "unsaid"
    elif not given.right:
        yield from _of_wrong(key, text)
    else:
        if given.number < given.size:
            yield "part"
        elif given.size >= LIST or _is_list(text):
            yield "list"
        yield from _of_dates(key, text)
        if is_negated(text, primary(language)):
            yield "denial"
    words = tokens(text, language)
    tags = {primary(language), "en"}
    perhaps = any(next(phrases_in(words, "perhaps", one), None) for one in tags)
    if given.right and (perhaps or any(refuses(tokens(part)) for part in sentences(text))):
        yield "hedge"


def _is_list(text: str) -> bool:
    items = [part for part in _ITEM.split(text) if any(map(str.isalnum, part))]
    short = sum(len(tokens(item)) <= _SHORT for item in items)
    return len(items) >= _ITEMS and short >= _MOST * len(items)


def _of_dates(key: GoldKey, text: str) -> Iterator[str]:
    """Yield a sign if only the year of a date is given."""
    words = tokens(text, key.language)
    days = [date for _, date in prepare(key).dates if date.month]
    days = [date for date in days if (date.day, date.month) != (1, 1)]
    if days and not any(str(date.day or date.month) in words for date in days):
        yield "year"


def _of_wrong(key: GoldKey, text: str) -> Iterator[str]:
    gold = prepare(key)
    if gold.values or gold.dates:
        return
    rows = gold_wordings(key.question, key.language, key.aliases)
    if _is_near(rows, gold.asked, text):
        yield "near"
    names = [name for row in rows for name in row]
    if names and not any(map(_LATIN.search, names)) and _LATIN.search(text):
        yield "script"
    if all(len(tokens(row[0])) >= _PHRASE for row in rows if row):
        yield "phrase"


def _is_near(rows: Sequence[Sequence[str]], asked: Sequence[Sequence[str]], text: str) -> bool:
    """Tell whether a text has a word of a gold answer, or resembles one in Latin letters."""
    from anyascii import anyascii
    from rapidfuzz.fuzz import partial_ratio

    plain = anyascii(text[:_LETTERS]).lower()
    names = [anyascii(name).lower() for row in rows[:_NAMES] for name in row[:3]]
    known = {word for words in asked for word in words}
    words = {word for name in names for word in tokens(name) if len(word) >= _WORD} - known
    if not words.isdisjoint(tokens(plain)):
        return True
    long = (name for name in names if min(len(name), len(plain)) >= _WORD)
    return any(partial_ratio(name, plain) >= _NEAR for name in long)
