"""What stands around a gold answer in a text: a name there does not make the text right."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from qaldgen.scoring.words.contains import Match
from qaldgen.scoring.words.dates import month_of
from qaldgen.scoring.words.gold_names import GoldKey
from qaldgen.scoring.words.likeness import PlainGold, plain_gold
from qaldgen.scoring.words.reading import SMALL, Reading, ends_clause, is_common
from qaldgen.scoring.words.tokens import locales, read_in, stem, tokens
from qaldgen.scoring.words.yes_no import is_negated

#: The longest short answer and the longest brief one, in words; the fewest items of a list, and
#: the longest.
_SHORT, _BRIEF, _ITEMS, _ITEM = 8, 16, 3, 4
_YEAR = re.compile(r"[12]\d{3}")
_BESIDE = re.compile(r"\s?[-–—/]\s?|\s*")


class _Place(NamedTuple):
    """A gold answer in a text."""

    reading: Reading
    start: int
    end: int
    is_name: bool  # not a number or a date
    taken: frozenset[int]  # the places of words of all gold answers in the text
    gold: PlainGold
    languages: tuple[str, ...]


def _added(place: _Place) -> bool:
    """Tell whether a brief answer says more than the question and the gold answers do.

    A short one anything, such as a unit: "12 %", "a portrait by Ada Mill"; a longer one another
    name, or beside a number another number: "Ada Mill was his wife. He was Bo Kim."
    """
    forms = place.reading.forms
    if len(forms) > _BRIEF:
        return False
    is_more = _is_word if len(forms) <= _SHORT else _is_rival
    return any(
        is_more(place, at)
        for at, form in enumerate(forms)
        if at not in place.taken
        and form not in place.gold.own
        and stem(form, place.languages[0]) not in place.gold.stems
    )


def _is_word(place: _Place, at: int) -> bool:
    """Tell whether a word says something; beside a name a year does not, but for "Mill 2049"."""
    form = place.reading.forms[at]
    if place.is_name and _YEAR.fullmatch(form):
        return at == place.end and _BESIDE.fullmatch(place.reading.gap(at)) is not None
    return form not in SMALL and form not in _joiners(place.languages[0])


def _is_rival(place: _Place, at: int) -> bool:
    """Tell whether a word is a name beside a name, or a number beside another gold answer."""
    form = place.reading.forms[at]
    if not place.is_name:
        return any(map(str.isdigit, form))
    is_capital = len(form) > 1 and place.reading.surface(at, at + 1)[0].isupper()
    return is_capital and not is_common(form) and not month_of(form, place.languages[0])


def _negated(place: _Place) -> bool:
    """Tell whether the clause around a gold answer is negated, and the question is not."""
    reading, first, last = place.reading, place.start, place.end
    while first and not ends_clause(reading, first):
        first -= 1
    while last < len(reading.forms) and not ends_clause(reading, last):
        last += 1
    text, words = reading.normalised, reading.words
    before = text[words[first].start : words[place.start].start]
    after = text[words[place.end - 1].end : words[last - 1].end]
    return any(
        is_negated(f"{before} {after}", one)
        and not any(is_negated(asked, one) for asked in place.gold.asked)
        for one in place.languages
    )


def _rival(place: _Place) -> bool:
    """Tell whether an "or" puts another answer beside it, or the text lists short items."""
    reading, start, end = place.reading, place.start, place.end
    joiners = _joiners(place.languages[0])
    joined = {at for at, form in enumerate(reading.forms) if form in joiners} - place.taken
    if start - 1 in joined and start - 2 not in place.taken:
        return True
    if end in joined and end + 1 not in place.taken:
        return True
    return _lists_others(place)


def _lists_others(place: _Place) -> bool:
    """Tell whether a text lists short items, and one of them says something of its own."""
    reading = place.reading
    items = [item for item in _items(place.languages[0]).split(reading.text) if item.strip()]
    if len(items) < _ITEMS or any(len(item.split()) > _ITEM for item in items):
        return False
    return any(
        form not in place.gold.own and not is_common(form)
        for at, form in enumerate(reading.forms)
        if at not in place.taken
    )


@functools.cache
def _joiners(language: str) -> frozenset[str]:
    """Return the words for "or" of a language, by CLDR, and of English."""
    rows = [locale.list_patterns for locale in locales(language)]
    texts = [row.get(name, {}).get("2", "") for row in rows for name in ("or", "or-short")]
    return frozenset(word for text in texts for word in tokens(re.sub(r"\{\d\}", " ", text)))


@functools.cache
def _items(language: str) -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted({*_joiners(language), "and"})))
    return re.compile(rf",(?!\d)|[;\n、，&]|\b(?:{words})\b")


#: The signs of another answer, there or not, particular ones first; `signs.SIGNS` has their words.
AROUND: Mapping[str, Callable[[_Place], bool]] = MappingProxyType(
    {"negated": _negated, "rival": _rival, "added": _added}
)


def signs_around(matches: Sequence[Match], key: GoldKey) -> dict[str, float]:
    """Tell which signs of another answer stand around all gold answers in a text."""
    gold, languages = plain_gold(key), read_in(key.language)
    places = []
    for match in matches:
        same = [one for one in matches if one.reading is match.reading]
        taken = frozenset(at for one in same for at in range(one.start, one.end))
        is_name = match.name is not None
        places.append(
            _Place(match.reading, match.start, match.end, is_name, taken, gold, languages)
        )
    signs = {sign: float(all(map(is_there, places))) for sign, is_there in AROUND.items()}
    return {**signs, "part": float(all(match.part for match in matches))}
