"""What stands around a gold answer in a text: a name there does not make the text right."""

from __future__ import annotations

import functools
import itertools
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from qaldgen.scoring.words.contains import Match
from qaldgen.scoring.words.gold_names import GoldKey
from qaldgen.scoring.words.likeness import plain_gold
from qaldgen.scoring.words.reading import Reading, but_of, closes, is_common, words_before
from qaldgen.scoring.words.tokens import (
    UNSPACED,
    listed,
    listed_words,
    locales,
    phrases_in,
    read_in,
    tokens,
)
from qaldgen.scoring.words.yes_no import is_negated

#: The longest noun phrase before a preposition; the fewest items of a list, and the longest; the
#: most words that are counted, as a log.
_HEAD, _ITEMS, _ITEM, _LONG = 3, 3, 4, 4.0
#: What stands between a number and a word that is attached to it.
_JOINED = ("", " ", "-")
#: The longest last sentence that only names another answer; the longest number in a name.
_LAST, _VOLUME = 6, 2
_CLAUSE = re.compile(r"[.,;:!?\n。，、；：！？()]|\bbut\b")
_SENTENCE = re.compile(r"[.!?\n。！？]")
_BESIDE = re.compile(r"\s?[-–—/]\s?|\s*")
_RANGE = re.compile(r"\s?[-–—~/]\s?")


class _Text(NamedTuple):
    """What is the same for all gold answers in a text; a list has many."""

    reading: Reading
    languages: tuple[str, ...]
    own: frozenset[str]  # the words of the question and of the gold answers
    parts: frozenset[tuple[str, ...]]  # names that are parts of gold answers, by their words
    others: frozenset[int]  # where names stand that neither question nor gold answers have
    last_sentence: int  # where the last sentence begins, as a place of a word
    clauses: tuple[tuple[int, int], ...]  # the stops between clauses, as places of letters
    letters: tuple[int, ...]  # where each word begins
    numbers: tuple[int, ...]  # how many numbers stand before each word, and in all
    is_list: bool  # whether it lists short items, one of which says something of its own


@functools.lru_cache(maxsize=64)
def _text_of(reading: Reading, key: GoldKey) -> _Text:
    """Read what does not depend on the place of a gold answer."""
    languages = read_in(key.language)
    forms, text, gold = reading.forms, reading.normalised, plain_gold(key)
    others = frozenset(
        at
        for at, (form, start, _) in enumerate(reading.words)
        if text[start].isupper() and len(form) > 1 and form not in gold.own and not is_common(form)
    )
    # no sentence ends at an initial
    stops = (
        at
        for at in range(len(forms) - 1, 0, -1)
        if len(forms[at - 1]) > 1 and _SENTENCE.search(reading.gap(at))
    )
    items = [item for item in _items(languages[0]).split(reading.text) if item.strip()]
    short = len(items) >= _ITEMS and all(len(item.split()) <= _ITEM for item in items)
    said = {word for item in items for word in tokens(item)} if short else set()
    return _Text(
        reading,
        languages,
        gold.own,
        gold.parts,
        others=others,
        last_sentence=next(stops, 0),
        clauses=tuple(stop.span() for stop in _CLAUSE.finditer(text)),
        letters=tuple(word.start for word in reading.words),
        numbers=tuple(itertools.accumulate(map(str.isdigit, forms), initial=0)),
        is_list=any(word not in gold.own and not is_common(word) for word in said),
    )


class _Place(NamedTuple):
    """A gold answer in a text."""

    text: _Text
    start: int
    end: int
    name: tuple[str, ...]  # none for a number or a date
    clause: tuple[int, int]  # where the text between the stops before and after begins and ends

    @property
    def previous(self) -> str:
        return self.text.reading.forms[self.start - 1] if self.start else ""

    @property
    def following(self) -> str:
        forms = self.text.reading.forms
        return forms[self.end] if self.end < len(forms) else ""


def _longer(place: _Place) -> bool:
    """Tell whether a gold answer stands in a longer name."""
    text, start, end = place.text, place.start, place.end
    if not place.name or text.languages[0] in UNSPACED:
        return False
    reading, others = text.reading, text.others
    before, after = reading.gap(start), reading.gap(end)
    if any(
        at in others and _BESIDE.fullmatch(gap) for at, gap in ((start - 1, before), (end, after))
    ):
        return True
    if place.following.isdecimal() and len(place.following) <= _VOLUME and after == " ":
        return place.following not in text.own
    if after.strip() in (",", "(") and end in others:
        # "Ulm, France" where the gold answer is "Ulm, Germany" or Ulm
        return place.name in text.parts
    return False


def _attached(place: _Place) -> bool:
    """Tell whether a word that is attached to a gold answer makes another thing of it.

    To a number a unit or a noun after it, to a name a head noun before it. "The city of Ulm" and
    "12 bridges" may have been asked for.
    """
    text, reading = place.text, place.text.reading
    forms, own = reading.forms, text.own
    if text.languages[0] in UNSPACED:
        return False
    if place.name:
        owner = place.following == "s" and reading.gap(place.end) in ("'", "’")
        return owner or any(_has_head(place, one) for one in text.languages)
    end = place.end
    common = [listed_words("common", one) for one in text.languages]
    while common[0] and reading.gap(end) in _JOINED and not forms[end].isdecimal():
        if any(forms[end] in words for words in common):
            break
        end += 1
    phrase = forms[place.end : end]
    return bool(phrase) and own.isdisjoint(phrase)


def _has_head(place: _Place, language: str) -> bool:
    """Tell whether a noun and a preposition open the answer before a name: a portrait by Ada Mill.

    In a sentence about what was asked the name may be the answer: "Ulm is the home of Ada Mill".
    """
    forms = words_before(place.text.reading, place.start)
    if forms[-1:] not in listed("preposition", language):
        return False
    articles = listed_words("article", language)
    small = articles | listed_words("preposition", language)
    start, end = 0, len(forms) - 1
    while start < end and (is_common(forms[start]) or forms[start] in small):
        start += 1
    head = forms[start:end]
    # a verb may stand before other prepositions: born in Ulm
    is_noun = forms[end] == "of" or not articles.isdisjoint(forms[start - 1 : start])
    return (
        is_noun
        and 0 < len(head) <= _HEAD
        and not any(is_common(word) or word in place.text.own for word in head)
    )


def _negated(place: _Place) -> bool:
    reading, (first, last) = place.text.reading, place.clause
    text, words = reading.normalised, reading.words
    around = f"{text[first : words[place.start].start]} {text[words[place.end - 1].end : last]}"
    return any(is_negated(around, one) for one in place.text.languages)


def _related(place: _Place) -> bool:
    """Tell whether a relative of a gold answer, a place near it or a bound is meant."""
    text, forms = place.text, place.text.reading.forms
    before = words_before(text.reading, place.start)
    first, last = (bisect_left(text.letters, at) for at in place.clause)
    words = forms[first:last]
    for language in text.languages:
        if closes(before, "beside", language) and text.own.isdisjoint(before[-1:]):
            return True
        spans = phrases_in(words, "relative", language)
        if any(text.own.isdisjoint(words[start:end]) for start, end in spans):
            return True
    return False


def _rival(place: _Place) -> bool:
    """Tell whether an "or", a range, a bracket or a "but" puts another answer beside it."""
    reading, start, end = place.text.reading, place.start, place.end
    language = place.text.languages[0]
    if not _joiners(language, "or").isdisjoint((place.previous, place.following)):
        return True
    if not place.name:
        together = _joiners(language, "standard")
        padded = ("", "", *reading.forms, "", "")  # each word two places further
        sides = (
            (padded[start + 1], padded[start], reading.gap(start)),
            (padded[end + 2], padded[end + 3], reading.gap(end)),
        )
        for beside, beyond, gap in sides:
            if beside.lstrip("-").isdigit() and _RANGE.fullmatch(gap):
                return True
            if beside in together and beyond.isdigit():
                return True
    text, first, last = reading.normalised, reading.words[start].start, reading.words[end - 1].end
    if start and text.rfind("(", 0, first) > text.rfind(")", 0, first):
        return True
    stop = _SENTENCE.search(text, last)
    rest = text[last : stop.start() if stop else len(text)]
    if any(but_of(one).search(rest) for one in place.text.languages):
        return True
    return place.text.is_list


def _other(place: _Place) -> bool:
    """Tell whether another name opens the answer, or closes it in a short sentence."""
    reading, others, last = place.text.reading, place.text.others, place.text.last_sentence
    forms = reading.forms
    if not others:
        return False
    opening = next((at for at, form in enumerate(forms) if not is_common(form)), 0)
    setting = any(forms[:1] in listed("preposition", one) for one in place.text.languages)
    if place.name and not setting and opening < place.start and opening in others:
        return True
    # "Ada Mill lost to Bo Kim", but not "Ulm, Germany"
    beside = place.end <= last or (bool(place.name) and reading.gap(place.end) == " ")
    return beside and len(forms) - last <= _LAST and max(others) >= max(last, place.end)


@functools.cache
def _joiners(language: str, kind: str) -> frozenset[str]:
    """Return the words for "or", or "and" (`standard`), of a language, by CLDR, and of English."""
    rows = [locale.list_patterns for locale in locales(language)]
    texts = [row.get(name, {}).get("2", "") for row in rows for name in (kind, f"{kind}-short")]
    return frozenset(word for text in texts for word in tokens(re.sub(r"\{\d\}", " ", text)))


@functools.cache
def _items(language: str) -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted({*_joiners(language, "or"), "and"})))
    return re.compile(rf"[,;\n、，&]|\b(?:{words})\b")


#: The signs of another answer, there or not; `signs.SIGNS` says what they mean.
AROUND: Mapping[str, Callable[[_Place], bool]] = MappingProxyType(
    {
        "attached": _attached,
        "longer": _longer,
        "negated": _negated,
        "related": _related,
        "rival": _rival,
        "other": _other,
    }
)


def signs_around(match: Match, key: GoldKey) -> Mapping[str, float]:
    """Return the strength of each sign of what stands around a gold answer in a text."""
    reading, start, end = match.reading, match.start, match.end
    text = _text_of(reading, key)
    name = match.name.words if match.name else ()
    before = bisect_right(text.clauses, reading.words[start].start, key=lambda stop: stop[1])
    after = bisect_left(text.clauses, reading.words[end - 1].end, key=lambda stop: stop[0])
    clause = (
        text.clauses[before - 1][1] if before else 0,
        text.clauses[after][0] if after < len(text.clauses) else len(reading.normalised),
    )
    place = _Place(text, start, end, name, clause)
    numbers = 0 if name else text.numbers[-1] - (text.numbers[end] - text.numbers[start])
    return {
        "rest": min(math.log1p(len(reading.forms) - (end - start)), _LONG),
        "part": float(match.part),
        "numbers": math.log1p(numbers),
        **{sign: float(is_there(place)) for sign, is_there in AROUND.items()},
    }
