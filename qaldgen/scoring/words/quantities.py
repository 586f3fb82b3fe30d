"""Numbers in a text, in digits and in words, with units; and when two are the same quantity."""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple, TypeVar

from qaldgen.defaults import LANGUAGE
from qaldgen.io.packages import data_rows
from qaldgen.scoring.words.reading import SMALL, Reading
from qaldgen.scoring.words.tokens import (
    locales,
    main_language,
    phrase_values,
    phrases_in,
    reading_languages,
    respelled,
    tokens,
)

_DIGITS = re.compile(r"-?\d+(?:\.\d+)?")
#: What may separate the words of one number.
_INNER_GAP = re.compile(r"[^\S\n]*|[-\u2010\u2011]")
#: Chinese numerals, also of Japanese.
_HAN = {words[0]: Decimal(value) for words, value in phrase_values("han-numeral", "zh").items()}
#: The most numerals of a number.
_MAX_NUMERALS = 40
_MINUS = frozenset(["minus", "negative", "moins", "menos", "meno", "минус"])
#: The most words of a number word, a scale or a unit.
_MAX_WORDS = 4
#: An "about" up to this many words before a number says that it is rounded.
_MAX_ABOUT_WORDS = 3
#: Numbers that between them take nearly every plural form of the languages in CLDR.
_PLURALS = (1, 2, 5, 1.5)
#: Whole numbers from this one on may be rounded: 381,000 for 381,488.
LARGE = 10_000
#: Whole numbers from this one on may be "about" so many metres; smaller ones count something.
_MIN_MEASURED = 100
#: The relative error of a conversion or a rounded value.
_ERROR = Decimal("0.005")
#: The relative error of an "about".
_ABOUT_ERROR = Decimal("0.02")


_Found = TypeVar("_Found")


class Unit(NamedTuple):
    """A unit of ``data/units.tsv``."""

    name: str  # in CLDR
    kind: str  # what it measures
    factor: Decimal  # its size in the base unit of SI
    zero: Decimal  # its zero there
    implied: bool  # whether a gold value without a unit may be in it
    more_names: tuple[str, ...]  # that CLDR does not have


class Quantity(NamedTuple):
    """A number in a text."""

    value: Decimal
    step: Decimal  # the value of its last digit: 1000 for 12 thousand
    unit: Unit | None
    about: bool  # whether the text says that it is rounded
    start: int  # its first word
    number_end: int  # where its unit begins
    end: int  # the word after its last


@functools.cache
def _units() -> Sequence[Unit]:
    return [
        Unit(name, kind, Decimal(factor), Decimal(zero), mark == "implied", tuple(more_names))
        for name, kind, factor, zero, mark, *more_names in data_rows("scoring/words/data/units.tsv")
    ]


@functools.cache
def _unit_words(language: str) -> Mapping[tuple[str, ...], Unit]:
    """Return the units by their names in a language and in English, in every plural."""
    from babel.units import UnknownUnitError, format_unit

    units = {tokens(text): unit for unit in _units() for text in unit.more_names}
    lengths: tuple[Literal["short", "long"], ...] = ("short", "long")
    ways = itertools.product(locales(language), _units(), lengths, _PLURALS)
    for locale, unit, length, count in ways:
        with contextlib.suppress(UnknownUnitError):
            text = format_unit(count, unit.name, length, locale=locale)
            units.setdefault(tokens(re.sub(r"[\d.,٫]+", " ", text)), unit)
    units.pop((), None)
    return units


@functools.cache
def _values(language: str, *kinds: str) -> Mapping[tuple[str, ...], Decimal]:
    """Return the phrases for numbers, or for scales such as million, of a language and English."""
    tables = itertools.product(kinds, reversed(reading_languages(language)))
    values = dict(itertools.chain(*(phrase_values(*table).items() for table in tables)))
    return {words: Decimal(value) for words, value in values.items()}


def _longest(
    table: Mapping[tuple[str, ...], _Found], words: Sequence[str], start: int
) -> tuple[_Found, int] | None:
    """Return what a table has for the longest phrase from a word on, and the word after it."""
    for end in range(min(start + _MAX_WORDS, len(words)), start, -1):
        phrase = tuple(words[start:end])
        if phrase in table:
            return table[phrase], end
    return None


def spell_signs(text: str) -> str:
    r"""Return a text with the signs of numbers as words, so that `tokens` keeps them.

    >>> spell_signs("3.85 × 10⁷, 71 %, 5'10\", 1h20")
    '3.85e⁷, 71 percent , 5 feet 10 inch , 1 hour 20 minute '
    """
    if not any(map(str.isdigit, text)):
        return text
    return respelled(text, "number-sign")


def quantities(text: str, language: str = LANGUAGE) -> tuple[Reading, list[Quantity]]:
    """Return a text as it is read for numbers, and its quantities; sums of adjacent ones come last.

    >>> text = "two thousand of 3.5 million, minus twenty-two"
    >>> [int(number.value) for number in quantities(text)[1]]
    [2000, 3500000, -22]
    >>> [int(number.value) for number in quantities("6 feet 6 inches")[1]]
    [6, 6, 78]
    """
    reading = Reading(spell_signs(text), language)
    numbers: list[Quantity] = []
    index = 0
    while index < len(reading.forms):
        number = _quantity(reading, index, main_language(language))
        index += 1
        if number:
            numbers.append(number)
            index = number.end
    return reading, numbers + list(_sums(numbers, reading))


def _quantity(reading: Reading, start: int, language: str) -> Quantity | None:
    """Return the quantity that begins at a word."""
    words = reading.forms
    number = _han_number(reading, start) or _number(reading, start, language)
    if number is None:
        return None
    value, end = number
    if start and words[start - 1] in _MINUS:
        value = -value
    step = Decimal(1).scaleb(int(value.normalize().as_tuple().exponent))
    while _INNER_GAP.fullmatch(reading.gap(end)):
        scale = _longest(_values(language, "scale"), words, end)
        if scale is None:
            break
        value, step, end = value * scale[0], step * scale[0], scale[1]
    unit, unit_end = _longest(_unit_words(language), words, end) or (None, end)
    about = any(phrases_in(words[max(start - _MAX_ABOUT_WORDS, 0) : start], "about"))
    return Quantity(value, step, unit, about, start, end, unit_end)


def _number(reading: Reading, start: int, language: str) -> tuple[Decimal, int] | None:
    """Return the number that begins at a word, in digits or spelled out, and the word after it."""
    words = reading.forms
    if _DIGITS.fullmatch(words[start]):
        return Decimal(words[start]), start + 1
    stop = start + 1
    while stop < start + _MAX_WORDS and _INNER_GAP.fullmatch(reading.gap(stop)):
        stop += 1
    number = _longest(_values(language, "scale", "number"), words[:stop], start)
    if number is None or words[start : number[1] + 1] == ("one", "of"):
        return None
    return number


def _han_number(reading: Reading, start: int) -> tuple[Decimal, int] | None:
    """Return the number in Chinese numerals that begins at a word, and the word after it."""
    words = reading.forms
    end = start
    while end < min(start + _MAX_NUMERALS, len(words)):
        value = _HAN.get(words[end])
        if value is None and not _DIGITS.fullmatch(words[end]):
            break
        gap = reading.gap(end)
        may_stand_apart = value is not None and value >= 10_000 and not gap.strip(" ")  # 12 万
        if end > start and gap and not may_stand_apart:
            break
        end += 1
    if _HAN.keys().isdisjoint(words[start:end]):
        return None
    return _han_value(words[start:end]), end


def _han_value(words: Sequence[str]) -> Decimal:
    """Return the value of Chinese numerals and digits: 二十三, 3万5千."""
    values = [_HAN.get(word, Decimal(0)) for word in words]
    largest = max(values, default=Decimal(0))
    if largest >= 10:  # it multiplies what is before it
        index = values.index(largest)
        return (_han_value(words[:index]) or 1) * largest + _han_value(words[index + 1 :])
    total = Decimal(0)
    for word in words:
        total = total * 10 + _HAN[word] if word in _HAN else Decimal(word)
    return total


def _sums(numbers: Sequence[Quantity], reading: Reading) -> Iterator[Quantity]:
    """Yield the sums of adjacent quantities of one kind, the larger unit first: 6 feet 2 inches."""
    for large, small in itertools.pairwise(numbers):
        if not large.unit or not small.unit or large.unit.kind != small.unit.kind:
            continue
        are_adjacent = SMALL.issuperset(reading.forms[large.end : small.start])
        if are_adjacent and 0 <= small.value < large.unit.factor / small.unit.factor:
            value = large.value * large.unit.factor / small.unit.factor + small.value
            yield small._replace(value=value, start=large.start, about=large.about or small.about)


def same_quantity(
    gold: Decimal, number: Quantity, unit: Unit | None = None, *, measured: bool = False
) -> bool:
    """Return whether a number of a text is the gold value, in its unit or, without one, in any.

    Equal, converted, or rounded (decimals, and whole numbers from 10,000 on, to two digits or
    more); "about" allows two per cent.

    >>> numbers = quantities("38 million, about 38.2 million, 40 million")[1]
    >>> [same_quantity(Decimal("38483957"), number) for number in numbers]
    [True, True, False]
    >>> areas = quantities("34,084 km², 70 km²")[1]
    >>> [same_quantity(Decimal("3.40841e10"), area) for area in areas]
    [True, False]
    """
    if gold == number.value and (unit is None or number.unit in (None, unit)):
        return True
    if number.unit is None:
        return _is_rounded(gold, number, measured=measured or unit is not None)
    gold_units = [unit]
    if unit is None and (measured or not _is_small(gold)):
        gold_units = [implied for implied in _units() if implied.implied]
    for gold_unit in gold_units:
        if gold_unit is None or gold_unit.kind != number.unit.kind:
            continue
        if gold_unit.name == number.unit.name == "duration-year":
            continue  # in 2005年 a year is no length of time, and years are counted
        size = number.unit.factor / gold_unit.factor
        value = number.value * size + (number.unit.zero - gold_unit.zero) / gold_unit.factor
        # the last digit of the number may be rounded
        close = max(abs(gold) * _ERROR, min(number.step * size / 2, abs(gold) * 2 * _ERROR))
        if number.about:
            close = abs(gold) * _ABOUT_ERROR
        if abs(value - gold) <= close:
            return True
    return unit is None and _is_rounded(gold, number, measured=measured)


def _is_small(gold: Decimal) -> bool:
    return gold == gold.to_integral_value() and abs(gold) < LARGE


def _is_rounded(gold: Decimal, number: Quantity, *, measured: bool) -> bool:
    """Return whether a number is the gold value rounded, in the same unit."""
    digits = number.value.adjusted() - number.step.adjusted() + 1
    if not number.value or not gold or (gold < 0) != (number.value < 0) or digits < 2:
        return False
    close = number.about and abs(number.value - gold) <= abs(gold) * _ABOUT_ERROR
    if _is_small(gold):
        return close and (number.unit is not None or measured) and abs(gold) >= _MIN_MEASURED
    nearest = (abs(gold) / number.step).to_integral_value(rounding="ROUND_HALF_UP") * number.step
    return close or abs(number.value) == nearest
