"""What stands around a gold answer in a text: a name there does not make the text right."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from qaldgen.scoring.words.contains import Match, stem
from qaldgen.scoring.words.dates import months_of
from qaldgen.scoring.words.gold_names import GoldKey
from qaldgen.scoring.words.likeness import plain_gold
from qaldgen.scoring.words.reading import Reading, but_of, is_common
from qaldgen.scoring.words.tokens import UNSPACED, listed_words, locales, read_in, tokens
from qaldgen.scoring.words.yes_no import is_negated

#: The longest short answer and the longest brief one, in words; the fewest items of a list, and
#: the longest.
_SHORT, _BRIEF, _ITEMS, _ITEM = 8, 16, 3, 4
_CLAUSE = re.compile(r"[.,;:!?\n。，、；：！？()]")
_SENTENCE = re.compile(r"[.!?\n。！？]")
_YEAR = re.compile(r"[12]\d{3}")
_BESIDE = re.compile(r"\s?[-–—/]\s?|\s*")


class _Place(NamedTuple):
    """A gold answer in a text."""

    reading: Reading
    start: int
    end: int
    is_name: bool  # not a number or a date
    own: frozenset[str]  # the words of the question and of the gold answers
    stems: frozenset[str]  # their stems
    languages: tuple[str, ...]


def _added(place: _Place) -> bool:
    """Tell whether a short answer says more than the question and the gold answers do.

    Such as a unit, another name, or what is near: "12 %", "a portrait by Ada Mill", "before 1954".
    """
    forms = place.reading.forms
    if len(forms) > _SHORT:
        return False
    small, new = _small_words(place.languages), list(_new_words(place))
    if place.is_name:
        # a year tells when, unless it goes on the name: "Mill 2049"
        joined = _BESIDE.fullmatch(place.reading.gap(place.end))
        new = [at for at in new if not _YEAR.fullmatch(forms[at]) or (at == place.end and joined)]
    return any(forms[at] not in small for at in new)


def _other(place: _Place) -> bool:
    """Tell whether a brief answer has another name, or number, than question and gold answers do.

    "Ada Mill was his wife. He was Bo Kim." or "Born in 1954, she died in 1999."
    """
    reading = place.reading
    if len(reading.forms) > _BRIEF:
        return False
    if not place.is_name:
        return any(any(map(str.isdigit, reading.forms[at])) for at in _new_words(place))
    months = months_of(place.languages[0])
    return any(
        len(form := reading.forms[at]) > 1
        and reading.surface(at, at + 1)[0].isupper()
        and not is_common(form)
        and form not in months
        for at in _new_words(place)
    )


def _new_words(place: _Place) -> Iterator[int]:
    """Yield the places of words around a gold answer that question and gold answers do not have."""
    for at, form in enumerate(place.reading.forms):
        if place.start <= at < place.end or form in place.own:
            continue
        if stem(form, place.languages[0]) not in place.stems:
            yield at


@functools.cache
def _small_words(languages: tuple[str, ...]) -> frozenset[str]:
    kinds = ("common", "article")
    return frozenset[str]().union(*(listed_words(kind, one) for kind in kinds for one in languages))


def _longer(place: _Place) -> bool:
    """Tell whether a gold name stands in a longer name."""
    reading, start, end = place.reading, place.start, place.end
    if not place.is_name or place.languages[0] in UNSPACED:
        return False
    places = {start - 1: reading.gap(start), end: reading.gap(end)}
    beside = [
        at for at, gap in places.items() if 0 <= at < len(reading.forms) and _BESIDE.fullmatch(gap)
    ]
    return any(
        len(reading.forms[at]) > 1
        and reading.surface(at, at + 1)[0].isupper()
        and reading.forms[at] not in place.own
        and not is_common(reading.forms[at])
        for at in beside
    )


def _negated(place: _Place) -> bool:
    """Tell whether the clause around a gold answer is negated."""
    reading, first, last = place.reading, place.start, place.end
    while first and not _ends_clause(reading, first):
        first -= 1
    while last < len(reading.forms) and not _ends_clause(reading, last):
        last += 1
    text, words = reading.normalised, reading.words
    before = text[words[first].start : words[place.start].start]
    after = text[words[place.end - 1].end : words[last - 1].end]
    return any(is_negated(f"{before} {after}", one) for one in place.languages)


def _ends_clause(reading: Reading, at: int) -> bool:
    return reading.forms[at] == "but" or _CLAUSE.search(reading.gap(at)) is not None


def _rival(place: _Place) -> bool:
    """Tell whether an "or", a bracket, a "but" or a list puts another answer beside it."""
    reading, start, end = place.reading, place.start, place.end
    beside = (*reading.forms[max(start - 1, 0) : start], *reading.forms[end : end + 1])
    if not _joiners(place.languages[0]).isdisjoint(beside):
        return True
    text, first, last = reading.normalised, reading.words[start].start, reading.words[end - 1].end
    if start and text.rfind("(", 0, first) > text.rfind(")", 0, first):
        return True
    stop = _SENTENCE.search(text, last)
    rest = text[last : stop.start() if stop else len(text)]
    if any(but_of(one).search(rest) for one in place.languages):
        return True
    return _lists_others(reading, place.own)


@functools.lru_cache(maxsize=64)
def _lists_others(reading: Reading, own: frozenset[str]) -> bool:
    """Tell whether a text lists short items, and one of them says something of its own."""
    items = [
        item for item in _items(read_in(reading.language)[0]).split(reading.text) if item.strip()
    ]
    if len(items) < _ITEMS or any(len(item.split()) > _ITEM for item in items):
        return False
    return any(form not in own and not is_common(form) for form in reading.forms)


@functools.cache
def _joiners(language: str) -> frozenset[str]:
    """Return the words for "or" of a language, by CLDR, and of English."""
    rows = [locale.list_patterns for locale in locales(language)]
    texts = [row.get(name, {}).get("2", "") for row in rows for name in ("or", "or-short")]
    return frozenset(word for text in texts for word in tokens(re.sub(r"\{\d\}", " ", text)))


@functools.cache
def _items(language: str) -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted({*_joiners(language), "and"})))
    return re.compile(rf"[,;\n、，&]|\b(?:{words})\b")


#: The signs of another answer, there or not, particular ones first; `signs.SIGNS` has their words.
AROUND: Mapping[str, Callable[[_Place], bool]] = MappingProxyType(
    {"longer": _longer, "negated": _negated, "rival": _rival, "other": _other, "added": _added}
)


def signs_around(match: Match, key: GoldKey) -> Mapping[str, bool]:
    """Tell which signs of another answer stand around a gold answer in a text."""
    gold, languages = plain_gold(key), read_in(key.language)
    is_name = match.name is not None
    place = _Place(match.reading, match.start, match.end, is_name, gold.own, gold.stems, languages)
    return {"part": match.part, **{sign: is_there(place) for sign, is_there in AROUND.items()}}
