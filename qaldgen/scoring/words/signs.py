"""The signs of an answer in words: what the rules say of it, and what speaks against that.

`qaldgen.scoring.verdict_model` makes a probability of them. Signs of a "right" say what stands
around the gold answer; those of a "wrong" say how much the text is like a gold answer all the same.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from qaldgen.scoring.words.contains import IndexedGold, Match, count_gold, index_gold
from qaldgen.scoring.words.gold_names import GoldKey, gold_truths, gold_wordings
from qaldgen.scoring.words.quantities import LARGE, quantities
from qaldgen.scoring.words.reading import but_of, is_common, refuses, worded
from qaldgen.scoring.words.tokens import UNSPACED, phrases_in, primary, tokens
from qaldgen.scoring.words.yes_no import is_negated

#: What each sign against a verdict means, in words.
SIGNS = MappingProxyType({
    "unsaid": "it does not say so in so many words",
    "one": "it has only one of several gold answers",
    "hedge": "it hedges or refuses",
    "glued": "the gold answer is there only without the digits or spaces around it",
    "part": "it has only what stands before the comma of the gold answer",
    "longer": "the gold answer stands in a longer name, or is somebody's",
    "negated": "the sentence around the gold answer is negated",
    "rival": "another answer stands beside the gold answer",
    "numbers": "it has other numbers, too",
    "rest": "it says much more than the gold answer",
    "short": "all its words are in a gold name",
    "share": "it has words of a gold name",
    "word": "it has a word of a gold name",
    "ends": "it has the first and the last word of a gold name",
    "like": "a part of it is spelled like a gold name",
    "alike": "a part of it is spelled much like a gold name",
    "near": "it has nearly the number of the gold answer",
    "script": "the gold answer is in another script than names in the answer",
})  # fmt: skip
#: With one of these a "right" is never sure: a name may stand in an answer that is wrong.
SURROUNDINGS = frozenset(["hedge", "unsaid", "glued", "longer", "negated", "rival", "one", "part"])
#: An answer to a question with so many gold answers may have one of them by chance.
SEVERAL = 3
_NUMBER = re.compile(r"\d+|[ivx]+")
_LATIN = re.compile(r"[A-Za-z]{3}")
#: How much of a text, and how many names, are compared by their letters; the shortest word.
_LETTERS, _NAMES, _WORD = 400, 40, 4
#: From where on, of 100, a part of the text is like a name, and much like it.
_LIKE, _ALIKE = 40.0, 75.0
#: From where on, of 100, two words are one, spelled in two ways.
_SPELLED = 80.0
#: How far a number may be off to be near; judges differ on 60,000 for 57,100.
_TENTH = Decimal("0.1")
#: The longest answer that may be a part of a name, in words; how many words a middle name has; the
#: fewest items of a list, and the longest; the most words that are counted, as a log.
_SHORT, _MIDDLE, _ITEMS, _ITEM, _LONG = 6, 3, 3, 4, 4.0
_CLAUSE = re.compile(r"[.,;:!?\n。，、；：！？()]|\bbut\b")
_SENTENCE = re.compile(r"[.!?\n。！？]")
_BESIDE = re.compile(r"\s?[-–—/]\s?|\s*")
_RANGE = re.compile(r"\s?[-–—~/]\s?")
#: Digits after a word (a footnote), a word glued to a number, digits after a year.
_GLUE = re.compile(
    r"(?<=[^\W\d_]{3})\d{1,3}(?!\w)|(?<=[^\W\d_]{2})(?=\d{3,})|(?<=\b[12]\d{3})\d{1,2}\b"
)


class Signs(NamedTuple):
    """The verdict by the rules, the kind of gold answer, and the signs with their strength."""

    right: bool
    kind: str
    signs: Mapping[str, float]


class _PlainGold(NamedTuple):
    """The names of the gold answers as they are compared by words and letters."""

    names: tuple[str, ...]
    words: tuple[frozenset[str], ...]  # of each name, without those of the question
    known: frozenset[str]
    latin: bool


@functools.lru_cache(maxsize=2048)
def _plain_gold(key: GoldKey) -> _PlainGold:
    from anyascii import anyascii

    rows = gold_wordings(key.question, key.language, key.aliases)
    known = frozenset(word for words in index_gold(key).asked for word in words)
    forms = (" ".join(tokens(anyascii(name[:_LETTERS]))) for row in rows for name in row[:_NAMES])
    names = tuple(dict.fromkeys(filter(None, forms)))[:_NAMES]
    words = tuple(
        frozenset(word for word in name.split() if not is_common(word)) - known for name in names
    )
    latin = any(_LATIN.search(name) for row in rows for name in row)
    return _PlainGold(names, words, known, latin)


def kind_of(key: GoldKey) -> str:
    """Return what the gold answer is: yes or no, a list, a number, a date, terms, or names."""
    if gold_truths(key.question, key.language):
        return "yes or no"
    gold, answers = index_gold(key), key.question.answers
    if gold.size >= SEVERAL:
        return "list"
    if (gold.dates or gold.values) and not gold.names:
        return "date" if gold.dates else "number"
    return "terms" if answers is not None and answers.rows else "names"


def signs_of(key: GoldKey, text: str) -> Signs | None:
    """Return the signs of an answer; None if there are no rules to judge it.

    >>> from qaldgen.model import Answers, Question
    >>> asked = Question("1", {"en": ("Who?",)}, answers=Answers(texts=(("Ada Mill",),)))
    >>> found = signs_of(GoldKey(asked, None, "en"), "Perhaps Ada Mill")
    >>> found.right, found.kind, found.signs["hedge"]
    (True, 'names', 1.0)
    """
    given = count_gold(key.question, text, key.language, key.aliases)
    if given is None:
        return None
    signs: dict[str, float] = {}
    if not given.right and (plain := _GLUE.sub(" ", text)) != text:
        again = count_gold(key.question, plain, key.language, key.aliases)
        if again is not None and again.right:
            given, signs["glued"] = again, 1.0
    kind, parts = kind_of(key), worded(text)
    signs["unsaid"] = float((not given.said and kind == "yes or no") or given.implied)
    refused = any(refuses(words) for _, words in parts)
    if given.right:
        signs["hedge"] = float(refused or any(_hedges(one, key.language) for _, one in parts))
        signs["one"] = float(given.size >= SEVERAL and given.number == 1)
        each = [dict(_around(match, key, text)) for match in given.matches]
        if each:
            signs |= {name: min(one[name] for one in each) for name in each[0]}
    else:
        signs["refuses"] = float(refused)
        signs["words"] = min(math.log1p(sum(len(words) for _, words in parts)), _LONG)
        if kind in ("number", "date"):
            digits = any(map(str.isdigit, text))
            signs["none"] = float(not digits)
            signs["near"] = float(digits and _has_near_number(index_gold(key), text, key.language))
        elif kind != "yes or no" and not given.denied:
            signs |= _likeness(key, kind, text)
    return Signs(given.right, kind, signs)


def _hedges(words: tuple[str, ...], language: str) -> bool:
    either = (primary(language), "en")
    return any(next(phrases_in(words, "perhaps", one), None) for one in either)


@functools.cache
def _or(language: str) -> frozenset[str]:
    """Return the words for "or" of a language, by CLDR, and of English."""
    from babel import Locale, UnknownLocaleError

    try:
        patterns = Locale.parse(language).list_patterns
    except (UnknownLocaleError, ValueError):
        return frozenset(["or"])
    texts = (patterns.get(name, {}).get("2", "") for name in ("or", "or-short"))
    said = (word for text in texts for word in tokens(re.sub(r"\{\d\}", " ", text), language))
    return frozenset(["or", *said])


def _around(match: Match, key: GoldKey, text: str) -> Iterator[tuple[str, float]]:
    """Yield what stands around a gold answer in a text."""
    reading, start, end, base = match.reading, match.start, match.end, primary(key.language)
    forms = reading.forms
    before, after = reading.gap(start), reading.gap(end)
    following = forms[end] if end < len(forms) else ""
    yield "rest", min(math.log1p(len(forms) - (end - start)), _LONG)
    yield "part", float(match.name is not None and match.name.part)
    beside = [
        at
        for at, gap in ((start - 1, before), (end, after))
        if 0 <= at < len(forms) and _BESIDE.fullmatch(gap)
    ]
    named = match.name is not None and base not in UNSPACED
    capitals = [
        forms[at]
        for at in beside
        if named and reading.surface(at, at + 1)[:1].isupper() and not is_common(forms[at])
    ]
    longer = any(len(word) > 1 and word not in _own_words(key) for word in capitals)
    owned = following == "s" and after in ("'", "’")
    # "the south of Ulm" is not Ulm, "the city of Ulm" may have been asked for
    owned = owned or (
        1 < start < _SHORT and forms[start - 1] == "of" and forms[start - 2] not in _own_words(key)
    )
    yield "longer", float(longer or (named and owned))
    yield "negated", float(_is_negated_around(match, base))
    either = _or(base)
    rival = (start > 0 and forms[start - 1] in either) or following in either
    if match.name is None:
        digits = [at for at in beside if forms[at].lstrip("-").isdigit()]
        rival = rival or any(
            _RANGE.fullmatch(before if at < start else after) is not None for at in digits
        )
    rival = rival or _is_aside(match, base)
    if not rival:
        items = [item for item in _items(base).split(text) if item.strip()]
        several = len(items) >= _ITEMS and all(len(item.split()) <= _ITEM for item in items)
        rival = several and not _all_gold(items, key)
    yield "rival", float(rival)
    numbers = sum(map(str.isdigit, forms)) - sum(map(str.isdigit, forms[start:end]))
    yield "numbers", math.log1p(numbers) if match.name is None else 0.0


def _is_aside(match: Match, language: str) -> bool:
    """Tell whether a gold answer stands in brackets after another, or a "but" follows it."""
    text, words = match.reading.normalised, match.reading.words
    start, end = words[match.start].start, words[match.end - 1].end
    if match.start and text.rfind("(", 0, start) > text.rfind(")", 0, start):
        return True
    stop = _SENTENCE.search(text, end)
    rest = text[end : stop.start() if stop else len(text)]
    return any(but_of(one).search(rest) for one in dict.fromkeys([language, "en"]))


def _own_words(key: GoldKey) -> frozenset[str]:
    """Return the words of the question and of the gold answers."""
    gold = _plain_gold(key)
    return gold.known.union(*gold.words)


def _all_gold(items: list[str], key: GoldKey) -> bool:
    """Tell whether a list has nothing but words of the question and of gold answers."""
    own = _own_words(key)
    return all(own.issuperset(w for w in tokens(item) if not is_common(w)) for item in items)


@functools.cache
def _items(language: str) -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted({*_or(language), "and"})))
    return re.compile(rf"[,;\n、，&]|\b(?:{words})\b")


def _is_negated_around(match: Match, language: str) -> bool:
    reading = match.reading
    text, start, end = reading.normalised, reading.words[match.start], reading.words[match.end - 1]
    left = max((stop.end() for stop in _CLAUSE.finditer(text, 0, start.start)), default=0)
    stop = _CLAUSE.search(text, end.end)
    clause = f"{text[left : start.start]} {text[end.end : stop.start() if stop else len(text)]}"
    return any(is_negated(clause, one) for one in dict.fromkeys([language, "en"]))


def _likeness(key: GoldKey, kind: str, text: str) -> dict[str, float]:
    """Return how much a text is like a gold answer that it does not have."""
    from anyascii import anyascii
    from rapidfuzz import fuzz, process

    gold = _plain_gold(key)
    words = tokens(anyascii(text[:_LETTERS]))
    line, said = " ".join(words), frozenset(words)
    own = said - gold.known
    # a name with another number is another name: Henry VII, Apollo 12
    others = {one for one in gold.words if any(w not in said for w in one if _NUMBER.fullmatch(w))}
    # one of several names looks alike by chance
    spelled = len(line) >= _WORD and kind != "list"
    names = [
        name
        for name, one in zip(gold.names, gold.words, strict=True)
        if spelled and len(name) >= _WORD and one not in others
    ]
    found = process.extractOne(line, names, scorer=fuzz.partial_ratio, score_cutoff=_LIKE)
    like = found[1] if found else 0.0
    long = [word for word in said if len(word) >= _WORD]
    met = {
        word
        for word in frozenset[str]().union(*gold.words)
        if word in said
        or (
            len(word) >= _WORD
            and process.extractOne(word, long, scorer=fuzz.ratio, score_cutoff=_SPELLED)
        )
    }
    shares = [len(one & met) / len(one) for one in gold.words if one and one not in others]
    return {
        "variants": math.log1p(len(gold.names)),
        "short": float(0 < len(own) <= _SHORT and any(own <= one for one in gold.words)),
        "share": max(shares, default=0.0),
        "word": float(any(len(word) >= _WORD for word in met & said)),
        "ends": float(any(_has_ends(words, name.split()) for name in gold.names)),
        "like": max(like - _LIKE, 0.0) / (100 - _LIKE),
        "alike": max(like - _ALIKE, 0.0) / (100 - _ALIKE),
        "script": float(not gold.latin and bool(_LATIN.search(text))),
    }


def _has_ends(words: tuple[str, ...], name: list[str]) -> bool:
    """Tell whether words have the first and the last word of a name, with no more between."""
    return len(name) >= _MIDDLE and any(
        word == name[0] and name[-1] in words[at + 1 : at + 1 + _MIDDLE]
        for at, word in enumerate(words)
    )


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
