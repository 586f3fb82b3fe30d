"""The signs of an answer in words: what the rules say of it, and what speaks against that.

`qaldgen.scoring.verdict_model` makes a probability of them. Signs of a "right" say what stands
around the gold answer, as a name there does not make a text right; those of a "wrong" say how much
the text is like a gold answer (`qaldgen.scoring.words.likeness`).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from qaldgen.scoring.words.contains import (
    Formula,
    GoldMatches,
    IndexedGold,
    Match,
    Name,
    count_gold,
)
from qaldgen.scoring.words.dates import Day, month_of
from qaldgen.scoring.words.gold_amounts import LARGE, Amounts
from qaldgen.scoring.words.likeness import is_listed_as_wrong, likeness, names_other_currency
from qaldgen.scoring.words.phrases import reading_languages
from qaldgen.scoring.words.quantities import quantities
from qaldgen.scoring.words.reading import (
    COMMON,
    SMALL,
    AnswerText,
    Reading,
    ends_clause,
    split_list,
)
from qaldgen.scoring.words.tokens import joiners, phrases_in
from qaldgen.scoring.words.yes_no import is_negated, may_negate

#: Each sign against a verdict, in words. Other signs only move its probability: how many names and
#: words there are, and whether a wrong answer abstains or says neither yes nor no.
SIGNS = MappingProxyType({
    "unsaid": "it does not say so in so many words",
    "some": "it has only some of several gold answers",
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
SURROUNDINGS = frozenset(["hedge", "unsaid", "glued", "some", "part", "negated", "rival", "added"])
#: An answer to a question with so many gold answers may have one of them by chance.
SEVERAL = 3
#: A number with a relative error up to this is near; judges differ on 60,000 for 57,100.
_NEAR_ERROR = Decimal("0.1")
#: A gold number may be in thousands, millions or billions without saying so.
_SCALES = frozenset([10**3, 10**6, 10**9])
#: A smaller number is a thousandth of another by chance.
_MIN_SCALED = 10
#: The largest logarithm of the number of words.
_MAX_LOG_WORDS = 4.0
#: The most words of a short answer.
_MAX_SHORT_WORDS = 8
#: The most words of a brief answer.
_MAX_BRIEF_WORDS = 16
#: The fewest items of a list, and the most words of an item.
_MIN_ITEMS, _MAX_ITEM_WORDS = 3, 4
_YEAR = re.compile(r"[12]\d{3}")
#: Digits after a word (a footnote), a word glued to a number, digits after a year.
_GLUE = re.compile(
    r"(?<=[^\W\d_]{3})\d{1,3}(?!\w)|(?<=[^\W\d_]{2})(?=\d{3,})|(?<=\b[12]\d{3})\d{1,2}\b"
)


class Signs(NamedTuple):
    """The verdict by the rules, the kind of gold answer, and the signs with their strength."""

    right: bool
    kind: str
    signs: Mapping[str, float]


def signs_of(gold: IndexedGold, text: str) -> Signs | None:
    """Return the signs of an answer; None if there are no rules to judge it.

    >>> from qaldgen.model import Answers, Question
    >>> from qaldgen.scoring.words.gold_names import GoldKey
    >>> question = Question("1", {"en": ("Who?",)}, answers=Answers(texts=(("Ada Mill",),)))
    >>> signs = signs_of(IndexedGold(GoldKey(question, None, "en")), "Perhaps Ada Mill")
    >>> signs.right, signs.kind, signs.signs["hedge"]
    (True, 'names', 1.0)
    """
    answer = AnswerText(text)
    counted = count_gold(gold, answer)
    if counted is None:
        return None
    kind = gold_kind(gold)
    signs: dict[str, float] = {}
    if not counted.number and _GLUE.search(text):
        unglued = count_gold(gold, AnswerText(_GLUE.sub(" ", text)))
        if unglued and unglued.number:
            counted, signs["glued"] = unglued, 1.0
    signs["unsaid"] = float(not counted.is_stated)
    signs["silent"] = float(counted.is_silent)
    is_other_sum = kind == "number" and names_other_currency(gold, text)
    if is_other_sum or is_listed_as_wrong(gold, text):
        return Signs(right=False, kind=kind, signs=signs)
    if counted.number == gold.size == 1 and text.strip().casefold() in gold.names:
        return Signs(right=True, kind=kind, signs=signs)  # also if the gold answer hedges
    is_abstained = any(answer.abstentions) and not gold.has_abstention
    if counted.number:
        tags = reading_languages(gold.language)
        has_hedge = any(any(phrases_in(words, "perhaps", *tags)) for words in answer.words)
        signs["hedge"] = float(is_abstained or has_hedge or answer.asks_back)
        signs["some"] = float(_names_only_some(counted, gold))
        if counted.reading and counted.matches:
            signs |= _signs_around(counted.reading, counted.matches, gold)
        return Signs(right=True, kind=kind, signs=signs)
    signs["abstains"] = float(is_abstained)
    signs["words"] = min(math.log1p(sum(map(len, answer.words))), _MAX_LOG_WORDS)
    if kind in ("number", "date"):
        # a large gold number, much rounded or of another year, is near; so is one in millions
        rows = [sought.amounts for _, sought in gold.sought if isinstance(sought, Amounts)]
        numbers = [one.number for row in rows for one in row if not one.bounds]
        given = [one.value for one in quantities(Reading(text, gold.language))] if numbers else []
        signs["near"] = 0.0
        for number, value in itertools.product(numbers, given):
            is_near = abs(number) >= LARGE and abs(value - number) <= _NEAR_ERROR * abs(number)
            if is_near or (abs(number) >= _MIN_SCALED and value / number in _SCALES):
                signs["near"] = 1.0
    elif counted.reading and not any(isinstance(sought, Formula) for _, sought in gold.sought):
        signs |= likeness(gold, counted.reading.text, spelled=kind != "list")
    return Signs(right=False, kind=kind, signs=signs)


def _names_only_some(counted: GoldMatches, gold: IndexedGold) -> bool:
    """Return whether an answer has only some of several gold answers.

    Gold answers that share a word may be names of one; of two answers and of those that a text
    names, no two may share any.
    """
    if counted.number >= gold.size:
        return False
    if counted.number == 1 and gold.size >= SEVERAL:
        return True
    named = {match.gold for match in counted.matches}
    at = range(len(gold.wordings)) if gold.size < SEVERAL else named
    words = [set(gold.wordings[index][0].forms) for index in at]
    return len(words) > 1 and sum(map(len, words)) == len(set[str]().union(*words))


def gold_kind(gold: IndexedGold) -> str:
    """Return what the gold answer is: yes or no, a list, a number, a date, terms, or names."""
    if gold.truths:
        return "yes or no"
    if gold.size >= SEVERAL:
        return "list"
    types = {type(sought) for _, sought in gold.sought}
    if Name not in types and types & {Day, Amounts}:
        return "date" if Day in types else "number"
    return "terms" if gold.question.gold.rows else "names"


def _signs_around(
    reading: Reading, matches: Sequence[Match], gold: IndexedGold
) -> dict[str, float]:
    """Return which signs of another answer stand around all gold answers in a text.

    The most particular sign comes first; `SIGNS` says what each means.
    """
    others = set(range(len(reading.forms)))
    for match in matches:
        others -= set(range(match.start, match.end))
    expected = gold.expected_stems
    days = [match.sought for match in matches if isinstance(match.sought, Day)]
    if days and any(month_of(form, gold.language) for form in reading.forms if not form.isdigit()):
        # beside the name of its month, the number of the month is another day: 3-5 May
        expected = expected.difference(str(day.month) for day in days if day.month != day.day)
    new = [index for index in others if reading.stems[index] not in expected]
    has_or = all(_has_or(reading, match, others) for match in matches)

    # a list of short items, with a word that is in no gold answer
    is_list = False
    if any(reading.forms[index] not in COMMON for index in new):
        items = split_list(reading.text, joiners("or", reading.language) | {"and"})
        longest = max((len(item.split()) for item in items), default=0)
        is_list = len(items) >= _MIN_ITEMS and longest <= _MAX_ITEM_WORDS

    parts = [match for match in matches if isinstance(match.sought, Name) and match.sought.part]
    return {
        "negated": float(all(_is_negated(reading, match, gold) for match in matches)),
        "rival": float(has_or or is_list),
        "added": float(all(_has_addition(reading, match, new) for match in matches)),
        "part": float(len(parts) == len(matches)),
    }


def _is_negated(reading: Reading, match: Match, gold: IndexedGold) -> bool:
    """Return whether the clause around a gold answer is negated, and the question is not."""
    tags = [tag for tag in reading_languages(gold.language) if may_negate(reading.forms, tag)]
    if not tags:
        return False
    first, last = match.start, match.end
    while not ends_clause(reading, first):
        first -= 1
    while not ends_clause(reading, last):
        last += 1
    text, spans = reading.normalised, reading.spans
    before = text[spans[first][0] : spans[match.start][0]]
    after = text[spans[match.end - 1][1] : spans[last - 1][1]]
    questions = [text for texts in gold.question.texts.values() for text in texts]
    return any(
        is_negated(f"{before} {after}", tag)
        and not any(is_negated(question, tag) for question in questions)
        for tag in tags
    )


def _has_or(reading: Reading, match: Match, others: set[int]) -> bool:
    """Return whether "or" joins another answer to a gold answer."""
    words = joiners("or", reading.language)
    return any(
        {joiner, other} <= others and reading.forms[joiner] in words
        for joiner, other in ((match.start - 1, match.start - 2), (match.end, match.end + 1))
    )


def _has_addition(reading: Reading, match: Match, new: Sequence[int]) -> bool:
    """Return whether a brief answer says more than the question and the gold answers do.

    In a short answer any word is more: "12 %", "a portrait by Ada Mill". In a longer one another
    name is, or another number beside a number: "Ada Mill was his wife. He was Bo Kim."
    """
    forms, is_name = reading.forms, isinstance(match.sought, Name)
    if len(forms) > _MAX_BRIEF_WORDS:
        return False
    or_words = joiners("or", reading.language)
    for index in new:
        form = forms[index]
        if len(forms) <= _MAX_SHORT_WORDS and is_name and _YEAR.fullmatch(form):
            says_more = index == match.end and not ends_clause(reading, index)  # Mill 2049
        elif len(forms) <= _MAX_SHORT_WORDS:
            says_more = form not in SMALL and form not in or_words
        elif is_name:
            is_capital = len(form) > 1 and reading.surface(index, index + 1)[0].isupper()
            says_more = is_capital and form not in COMMON and not month_of(form, reading.language)
        else:
            says_more = any(map(str.isdigit, form))
        if says_more:
            return True
    return False
