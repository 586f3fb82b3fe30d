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

from qaldgen.scoring.words.contains import Match, index_gold
from qaldgen.scoring.words.gold_names import GoldKey
from qaldgen.scoring.words.likeness import plain_gold
from qaldgen.scoring.words.reading import Reading, but_of, is_common
from qaldgen.scoring.words.tokens import UNSPACED, listed, listed_words, phrases_in, primary, tokens
from qaldgen.scoring.words.yes_no import is_negated

#: The first words, in which an "of" makes a name another thing; the fewest items of a list, and the
#: longest; the most words that are counted, as a log.
_FIRST, _ITEMS, _ITEM, _LONG = 6, 3, 4, 4.0
#: The longest last sentence that only names another answer; the longest number in a name; how many
#: words before a gold answer may make it a bound.
_LAST, _VOLUME, _BOUND = 6, 2, 3
_CLAUSE = re.compile(r"[.,;:!?\n。，、；：！？()]|\bbut\b")
_SENTENCE = re.compile(r"[.!?\n。！？]")
_BESIDE = re.compile(r"\s?[-–—/]\s?|\s*")
_RANGE = re.compile(r"\s?[-–—~/]\s?")


class _Place(NamedTuple):
    """A gold answer in a text, with the words before and after it, and the words one expects."""

    reading: Reading
    start: int
    end: int
    name: tuple[str, ...]  # none for a number or a date
    key: GoldKey
    languages: tuple[str, ...]
    clause: tuple[int, int]  # where the text between the stops before and after begins and ends

    @property
    def own(self) -> frozenset[str]:
        """The words of the question and of the gold answers."""
        return _own_words(self.key)

    @property
    def previous(self) -> str:
        return self.reading.forms[self.start - 1] if self.start else ""

    @property
    def following(self) -> str:
        return self.reading.forms[self.end] if self.end < len(self.reading.forms) else ""

    def is_other(self, at: int) -> bool:
        """Tell whether a word is a name that neither the question nor the gold answers have."""
        return at in _other_names(self.reading, self.key)


@functools.lru_cache(maxsize=2048)
def _own_words(key: GoldKey) -> frozenset[str]:
    gold = plain_gold(key)
    return gold.known.union(*gold.words)


# A list has many gold answers in one text, so what is the same for all of them is read once.
@functools.lru_cache(maxsize=64)
def _other_names(reading: Reading, key: GoldKey) -> Mapping[int, str]:
    """Return the names, by place, that neither the question nor the gold answers have."""
    own = _own_words(key)
    return {
        at: form
        for at, form in enumerate(reading.forms)
        if len(form) > 1
        and form not in own
        and not is_common(form)
        and reading.surface(at, at + 1)[:1].isupper()
    }


@functools.lru_cache(maxsize=2048)
def _parts(key: GoldKey) -> frozenset[tuple[str, ...]]:
    """Return the words of the names that are parts of gold answers, such as what a comma ends."""
    names = (name for same in index_gold(key).names.values() for name, _, _ in same)
    return frozenset(name.words for name in names if name.part)


@functools.lru_cache(maxsize=64)
def _word_starts(reading: Reading) -> tuple[int, ...]:
    return tuple(word.start for word in reading.words)


@functools.lru_cache(maxsize=64)
def _clause_stops(reading: Reading) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return where the stops between clauses begin, and where they end, in the order of a text."""
    stops = [stop.span() for stop in _CLAUSE.finditer(reading.normalised)]
    return tuple(start for start, _ in stops), tuple(end for _, end in stops)


@functools.lru_cache(maxsize=64)
def _numbers_before(reading: Reading) -> tuple[int, ...]:
    """Return how many numbers stand before each word, and in all."""
    return tuple(itertools.accumulate(map(str.isdigit, reading.forms), initial=0))


@functools.lru_cache(maxsize=64)
def _sentence_starts(reading: Reading) -> tuple[int, ...]:
    """Return the places of the words that begin a sentence; none begins behind an initial."""
    forms = reading.forms
    stops = [at for at in range(1, len(forms)) if _SENTENCE.search(reading.gap(at))]
    return (0, *(at for at in stops if len(forms[at - 1]) > 1))


@functools.lru_cache(maxsize=64)
def _lists_others(reading: Reading, key: GoldKey, language: str) -> bool:
    """Tell whether a text is a list of short items, one of which says something of its own."""
    items = [item for item in _items(language).split(reading.text) if item.strip()]
    if len(items) < _ITEMS or any(len(item.split()) > _ITEM for item in items):
        return False
    own = _own_words(key)
    return any(
        not own.issuperset(word for word in tokens(item) if not is_common(word)) for item in items
    )


def _longer(place: _Place) -> bool:
    """Tell whether a gold answer stands in a longer name, or is somebody's."""
    if not place.name or place.languages[0] in UNSPACED:
        return False
    reading, start, end = place.reading, place.start, place.end
    before, after = reading.gap(start), reading.gap(end)
    if any(
        _BESIDE.fullmatch(gap) and place.is_other(at)
        for at, gap in ((start - 1, before), (end, after))
    ):
        return True
    if place.following.isdecimal() and len(place.following) <= _VOLUME and after == " ":
        return place.following not in place.own
    if after.strip() in (",", "(") and place.is_other(end):
        # "Ulm, France" where the gold answer is "Ulm, Germany" or Ulm
        return place.name in _parts(place.key)
    # "the south of Ulm" is not Ulm, "the city of Ulm" may have been asked for
    of = 1 < start < _FIRST and place.previous == "of"
    owner = place.following == "s" and after in ("'", "’")
    return owner or (of and reading.forms[start - 2] not in place.own)


def _negated(place: _Place) -> bool:
    text, words = place.reading.normalised, place.reading.words
    first, last = place.clause
    around = f"{text[first : words[place.start].start]} {text[words[place.end - 1].end : last]}"
    return any(is_negated(around, one) for one in place.languages)


def _related(place: _Place) -> bool:
    """Tell whether a relative of a gold answer, a place near it or a bound is meant."""
    before = place.reading.forms[max(place.start - _BOUND, 0) : place.start]
    if before and before[-1] in listed_words("article"):
        before = before[:-1]
    first, last = (bisect_left(_word_starts(place.reading), at) for at in place.clause)
    words = place.reading.forms[first:last]
    for language in place.languages:
        bounds = phrases_in(before, "beside", language)
        if any(end == len(before) for _, end in bounds) and place.own.isdisjoint(before[-1:]):
            return True
        spans = phrases_in(words, "relative", language)
        if any(place.own.isdisjoint(words[start:end]) for start, end in spans):
            return True
    return False


def _rival(place: _Place) -> bool:
    """Tell whether an "or", a range, a bracket or a "but" puts another answer beside it."""
    reading, start, end, language = place.reading, place.start, place.end, place.languages[0]
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
    if any(but_of(one).search(rest) for one in place.languages):
        return True
    return _lists_others(reading, place.key, language)


def _other(place: _Place) -> bool:
    """Tell whether another name opens the answer, closes it, or follows the gold one as subject."""
    reading, forms = place.reading, place.reading.forms
    others = _other_names(reading, place.key)
    if not others:
        return False
    opening = next((at for at, form in enumerate(forms) if not is_common(form)), 0)
    setting = any(forms[:1] in listed("setting", one) for one in place.languages)
    if place.name and not setting and opening < place.start and opening in others:
        return True
    starts = _sentence_starts(reading)
    if place.end <= starts[-1] and len(forms) - starts[-1] <= _LAST:
        return max(others) >= starts[-1]
    start = max(at for at in starts if at <= place.start)
    end = min((at for at in starts if at > place.start), default=len(forms))
    aside = reading.gap(place.end).strip()[:1] in (",", "(") and place.end < end
    if not place.name or aside or not all(map(is_common, forms[start : place.start])):
        return False
    return any(place.end <= at < end for at in others)


@functools.cache
def _joiners(language: str, kind: str) -> frozenset[str]:
    """Return the words for "or", or "and" (`standard`), of a language, by CLDR, and of English."""
    from babel import Locale, UnknownLocaleError

    texts = []
    for tag in ("en", language):
        try:
            patterns = Locale.parse(tag).list_patterns
        except (UnknownLocaleError, ValueError):
            continue
        texts += [patterns.get(name, {}).get("2", "") for name in (kind, f"{kind}-short")]
    return frozenset(word for text in texts for word in tokens(re.sub(r"\{\d\}", " ", text)))


@functools.cache
def _items(language: str) -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted({*_joiners(language, "or"), "and"})))
    return re.compile(rf"[,;\n、，&]|\b(?:{words})\b")


#: The signs of another answer, there or not; `signs.SIGNS` says what they mean.
AROUND: Mapping[str, Callable[[_Place], bool]] = MappingProxyType(
    {"longer": _longer, "negated": _negated, "related": _related, "rival": _rival, "other": _other}
)


def signs_around(match: Match, key: GoldKey) -> Mapping[str, float]:
    """Return the strength of each sign of what stands around a gold answer in a text."""
    reading, start, end, base = match.reading, match.start, match.end, primary(key.language)
    name = match.name.words if match.name else ()
    languages = tuple(dict.fromkeys([base, "en"]))
    begins, ends = _clause_stops(reading)
    before = bisect_right(ends, reading.words[start].start)
    after = bisect_left(begins, reading.words[end - 1].end)
    clause = (
        ends[before - 1] if before else 0,
        begins[after] if after < len(begins) else len(reading.normalised),
    )
    place = _Place(reading, start, end, name, key, languages, clause)
    counts = _numbers_before(reading)
    numbers = 0 if name else counts[-1] - (counts[end] - counts[start])
    return {
        "rest": min(math.log1p(len(reading.forms) - (end - start)), _LONG),
        "part": float(match.name is not None and match.name.part),
        "numbers": math.log1p(numbers),
        **{sign: float(is_there(place)) for sign, is_there in AROUND.items()},
    }
