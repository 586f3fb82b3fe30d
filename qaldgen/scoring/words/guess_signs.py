"""How sure a verdict of `contains` is: the sign against it, and how often it then was right.

A verdict without a sign is sure, one with a sign a guess. The shares were counted on judged answers
(`benchmarks/text_agreement.py --shares`).
"""

from __future__ import annotations

import re
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from qaldgen.model import Question
from qaldgen.runs.record import Response
from qaldgen.scoring.words.contains import (
    GoldMatches,
    IndexedGold,
    count_gold,
    index_gold,
    says_anything,
)
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.gold_names import (
    Aliases,
    GoldKey,
    cannot_be_named,
    given_texts,
    gold_truths,
    gold_wordings,
)
from qaldgen.scoring.words.quantities import LARGE, quantities
from qaldgen.scoring.words.reading import refuses, sentences
from qaldgen.scoring.words.tokens import phrases_in, primary, tokens

#: What each sign means, in words.
SIGNS = MappingProxyType({
    "unsaid": "it does not say yes or no in so many words",
    "one": "it has only one of several gold answers",
    "hedge": "it hedges or refuses",
    "near": "it has words or nearly the number of the gold answer, or a name spelled much like it",
    "script": "the gold answer is in another script than names in the answer",
})  # fmt: skip
#: An answer to a question with so many gold answers may have one of them by chance.
SEVERAL = 3
#: How often verdicts without a sign were as judged; and with one, those of "right" and of "wrong".
_SURE, _RIGHT, _WRONG = 0.98, 0.81, 0.68
_LATIN = re.compile(r"[A-Za-z]{3}")
#: How much of a gold answer a part of the text resembles, of 100, to be near it.
_NEAR = 70
#: How much of a text is compared by its letters, and the shortest word.
_LETTERS, _WORD = 1000, 4
#: How far a number may be off to be near; judges differ on 60,000 for 57,100.
_TENTH = Decimal("0.1")


class Sureness(NamedTuple):
    """The probability that a verdict is right, and the sign against it, a key of `SIGNS`."""

    probability: float
    sign: str = ""


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
    >>> [sureness(question, response).sign for response in given]
    ['', 'hedge', '', 'near']
    """
    text = "\n".join(given_texts(response, extract, aliases))
    if not says_anything(text) or cannot_be_named(question, response, aliases):
        return Sureness(1.0)
    given = count_gold(question, text, language, aliases)
    if given is None:
        return Sureness(1.0)
    sign = _sign(GoldKey(question, aliases, language), given, text)
    guess = _RIGHT if given.right else _WRONG
    return Sureness(guess if sign else _SURE, sign)


def _sign(key: GoldKey, given: GoldMatches, text: str) -> str:
    """Return the sign that a verdict on an answer may be wrong; nothing if there is none."""
    truths = gold_truths(key.question, key.language)
    if truths and not given.said:
        return "unsaid"
    if given.size >= SEVERAL and given.number:
        return "one" if given.number == 1 else ""
    if given.right:
        return "hedge" if _hedges(text, key.language) else ""
    gold = index_gold(key)
    if gold.values and _has_near_number(gold, text, key.language):
        return "near"
    if truths or gold.values or gold.dates:
        return ""
    names = [name for row in gold_wordings(key.question, key.language, key.aliases) for name in row]
    if names and not any(map(_LATIN.search, names)) and _LATIN.search(text):
        return "script"
    return "near" if _is_near(key, text) else ""


def _hedges(text: str, language: str) -> bool:
    words, tags = tokens(text, language), {primary(language), "en"}
    perhaps = any(next(phrases_in(words, "perhaps", one), None) for one in tags)
    return perhaps or any(refuses(tokens(part)) for part in sentences(text))


def _has_near_number(gold: IndexedGold, text: str, language: str) -> bool:
    """Tell whether a number in a text is a large one of the gold answers, much rounded or dated."""
    large = {
        number
        for _, values in gold.values
        for value in values
        for number in value.numbers
        if abs(number) >= LARGE
    }
    given = [answer.value for answer in quantities(text, language)[1]] if large else []
    return any(abs(value - number) <= _TENTH * abs(number) for number in large for value in given)


def _is_near(key: GoldKey, text: str) -> bool:
    """Tell whether a text has a word of a gold answer, or resembles one in Latin letters."""
    from anyascii import anyascii
    from rapidfuzz.fuzz import partial_ratio

    plain = anyascii(text[:_LETTERS]).lower()
    rows = gold_wordings(key.question, key.language, key.aliases)
    names = [anyascii(name).lower() for row in rows for name in row[:3]]
    known = {word for words in index_gold(key).asked for word in words}
    words = {word for name in names for word in tokens(name) if len(word) >= _WORD} - known
    shared = not words.isdisjoint(tokens(plain))
    if shared or len(rows) >= SEVERAL:  # one of several looks alike by chance
        return shared
    long = (name for name in names if min(len(name), len(plain)) >= _WORD)
    return any(partial_ratio(name, plain) >= _NEAR for name in long)
