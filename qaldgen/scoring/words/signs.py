"""The signs of an answer in words: what the rules say of it, and what speaks against that.

`qaldgen.scoring.verdict_model` makes a probability of them. Signs of a "right" say what stands
around the gold answer; those of a "wrong" say how much the text is like a gold answer.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from qaldgen.scoring.words.contains import Name, count_gold, index_gold
from qaldgen.scoring.words.dates import Day
from qaldgen.scoring.words.formulas import Formula
from qaldgen.scoring.words.gold_names import GoldKey, gold_truths
from qaldgen.scoring.words.likeness import is_listed_as_wrong, likeness
from qaldgen.scoring.words.quantities import LARGE, Amounts, Bounds, quantities
from qaldgen.scoring.words.reading import Reading, asks_back, is_abstention, sentences_with_words
from qaldgen.scoring.words.surroundings import signs_around
from qaldgen.scoring.words.tokens import phrases_in, reading_languages

#: Each sign against a verdict, in words. Other signs only move its probability: how many names and
#: words there are, and whether a wrong answer abstains or says neither yes nor no.
SIGNS = MappingProxyType({
    "unsaid": "it does not say so in so many words",
    "one": "it has only one of several gold answers",
    "hedge": "it hedges or refuses",
    "glued": "the gold answer is there only without the digits or spaces around it",
    "part": "it has only a part of the gold answer: what is before its comma, or after its zeros",
    "added": "a brief answer says more than the gold answer",
    "negated": "the sentence around the gold answer is negated",
    "rival": "another answer stands beside the gold answer",
    "short": "all its words are in a gold name",
    "share": "it has words of a gold name",
    "word": "it has a word of a gold name",
    "alike": "a part of it is spelled much like a gold name",
    "near": "it has nearly the number of the gold answer",
    "script": "the gold answer is in another script than names in the answer",
})  # fmt: skip
#: With one of these a "right" is never sure: a name may stand in an answer that is wrong.
SURROUNDINGS = frozenset(["hedge", "unsaid", "glued", "one", "part", "negated", "rival", "added"])
#: An answer to a question with so many gold answers may have one of them by chance.
SEVERAL = 3
#: A number with a relative error up to this is near; judges differ on 60,000 for 57,100.
_NEAR_ERROR = Decimal("0.1")
#: The largest logarithm of the number of words.
_MAX_LOG_WORDS = 4.0
#: Digits after a word (a footnote), a word glued to a number, digits after a year.
_GLUE = re.compile(
    r"(?<=[^\W\d_]{3})\d{1,3}(?!\w)|(?<=[^\W\d_]{2})(?=\d{3,})|(?<=\b[12]\d{3})\d{1,2}\b"
)


class Signs(NamedTuple):
    """The verdict by the rules, the kind of gold answer, and the signs with their strength."""

    right: bool
    kind: str
    signs: Mapping[str, float]


def gold_kind(key: GoldKey) -> str:
    """Return what the gold answer is: yes or no, a list, a number, a date, terms, or names."""
    if gold_truths(key):
        return "yes or no"
    gold = index_gold(key)
    if gold.size >= SEVERAL:
        return "list"
    sought = {type(one) for _, one in gold.sought}
    if Name not in sought and sought & {Day, Amounts, Bounds}:
        return "date" if Day in sought else "number"
    return "terms" if key.question.gold.rows else "names"


def signs_of(key: GoldKey, text: str) -> Signs | None:
    """Return the signs of an answer; None if there are no rules to judge it.

    >>> from qaldgen.model import Answers, Question
    >>> question = Question("1", {"en": ("Who?",)}, answers=Answers(texts=(("Ada Mill",),)))
    >>> signs = signs_of(GoldKey(question, None, "en"), "Perhaps Ada Mill")
    >>> signs.right, signs.kind, signs.signs["hedge"]
    (True, 'names', 1.0)
    """
    found = count_gold(key, text)
    if found is None:
        return None
    signs: dict[str, float] = {}
    if not found.number:
        unglued = count_gold(key, _GLUE.sub(" ", text))
        if unglued and unglued.number:
            found, signs["glued"] = unglued, 1.0
    kind = gold_kind(key)
    sentences = [words for _, words in sentences_with_words(text)]
    signs["unsaid"] = float(not found.is_stated)
    signs["silent"] = float(found.is_silent)
    if is_listed_as_wrong(key, text):
        return Signs(right=False, kind=kind, signs=signs)
    is_abstained = any(map(is_abstention, sentences)) and not index_gold(key).has_abstention
    if found.number:
        has_hedge = any(
            any(phrases_in(words, "perhaps", tag))
            for words, tag in itertools.product(sentences, reading_languages(key.language))
        )
        signs["hedge"] = float(is_abstained or has_hedge or asks_back(text))
        signs["one"] = float(kind == "list" and found.number == 1)
        if found.reading and found.matches:
            signs |= signs_around(found.reading, found.matches, key)
    else:
        signs["abstains"] = float(is_abstained)
        signs["words"] = min(math.log1p(sum(map(len, sentences))), _MAX_LOG_WORDS)
        if kind in ("number", "date"):
            signs["near"] = float(_has_near_number(key, text))
        elif found.reading and not found.is_denied and not _has_formula(key):
            signs |= likeness(key, found.reading.text, spelled=kind != "list")
    return Signs(found.number > 0, kind, signs)


def _has_near_number(key: GoldKey, text: str) -> bool:
    """Return whether a text has a large gold number much rounded, or of another year."""
    sought = [one for _, one in index_gold(key).sought if isinstance(one, Amounts)]
    numbers = [amount.number for one in sought for amount in one.amounts]
    pairs = itertools.product(numbers, quantities(Reading(text, key.language)))
    return any(
        abs(number) >= LARGE and abs(quantity.value - number) <= _NEAR_ERROR * abs(number)
        for number, quantity in pairs
    )


def _has_formula(key: GoldKey) -> bool:
    return any(isinstance(one, Formula) for _, one in index_gold(key).sought)
