"""Numbers in a text, in digits and in words, with units; and when two are the same quantity."""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

from qaldgen.defaults import LANGUAGE
from qaldgen.scoring.words.reading import Reading
from qaldgen.scoring.words.tokens import (
    listed,
    listed_words,
    locales,
    phrases,
    primary,
    read_in,
    tokens,
)

#: Signs of numbers and the words for them, tried only where the first string occurs.
_SIGNS = (
    ("×", re.compile(r"(?:(?<!\s)\s+)?[×x]\s*10\s*\^?\s*([-−]?\d+)"), r"e\1"),
    ("", re.compile(r"\s?[%％٪]"), " percent "),
    ("", re.compile(r"[~≈]"), " about "),
    ("+", re.compile(r"(?<=\d)\+(?!\d)"), " plus "),
    ("'", re.compile(r"(?<=\d)\s?'(\s?\d+(?:\.\d+)?)\s?(?:\"|'')"), r" feet \1 inch "),
    ("h", re.compile(r"(?<=\d)\s?h\s?(\d\d)(?!\d)"), r" hour \1 minute "),
    ("$", re.compile(r"[$](?=\s?\d)"), " "),
    ("°", re.compile(r"°\s?([CF])\b"), r" degrees \1 "),
    ("", re.compile(r"(?<=\d)\s?(?:M|mn)\b(?!\s*[²³2-3])"), " million "),
    ("", re.compile(r"(?<=\d)\s?(?:B|bn)\b"), " billion "),
)
_SUPERSCRIPTS = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")
_POWER = re.compile(r"(?<=10)[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_DIGITS = re.compile(r"-?\d+(?:\.\d+)?")
#: What may stand between the words of one number.
_TOGETHER = re.compile(r"[^\S\n]*|[-\u2010\u2011]")
_MINUS = frozenset(["minus", "negative", "moins", "menos", "meno", "минус"])
_AND = frozenset(["and", "und", "et", "y", "e", "en", "og", "och", "и", "و"])
_LONGEST = 4
#: Numbers that between them take nearly every plural form of the languages in CLDR.
_PLURALS = (1, 2, 5, 1.5)
#: Kinds of units whose adjacent quantities are one: 6 feet 2 inches.
_SUMMED = ("length", "mass", "time")
#: From here on whole numbers may be rounded: 381,000 for 381,488.
LARGE = 10_000
#: From here on they may be "about" so many metres: smaller ones rather count something.
_MEASURED = 100
#: Relative errors allowed: for a conversion or a rounded value, and for an "about".
_CLOSE, _ABOUT = Decimal("0.005"), Decimal("0.02")
#: The most digits of a number that may be rounded.
_MOST_DIGITS = 20


class Unit(NamedTuple):
    """A unit: what it measures, its size in the base unit of SI, and its zero there."""

    kind: str
    factor: Decimal
    zero: Decimal


class Quantity(NamedTuple):
    """A number in a text: value, place of its last digit, unit, whether it is rounded, words.

    `number_end` is where its unit begins.
    """

    value: Decimal
    step: Decimal
    unit: Unit | None
    about: bool
    start: int
    number_end: int
    end: int

    @property
    def digits(self) -> int:
        """How many digits are significant."""
        return max(self.value.adjusted() - self.step.adjusted() + 1, 1) if self.value else 1

    def base(self) -> Decimal:
        """Return the value in the base unit."""
        return self.value * self.unit.factor + self.unit.zero if self.unit else self.value


@functools.cache
def _units() -> Mapping[str, tuple[Unit, tuple[str, ...]]]:
    """Return the units by their names in CLDR, with names that CLDR does not have."""
    return {
        name: (Unit(row[0], Decimal(row[1]), Decimal(row[2])), row[3:])
        for name, row in phrases("unit").items()
    }


@functools.cache
def _unit_words(language: str) -> Mapping[tuple[str, ...], Unit]:
    """Return the units by their names in a language and in English, in every plural."""
    from babel.units import UnknownUnitError, format_unit

    units = {tokens(text): unit for unit, names in _units().values() for text in names}
    lengths: tuple[Literal["short", "long"], ...] = ("short", "long")
    ways = itertools.product(locales(language), _units(), lengths, _PLURALS)
    for locale, name, length, count in ways:
        with contextlib.suppress(UnknownUnitError):
            text = format_unit(count, name, length, locale=locale)
            units.setdefault(tokens(re.sub(r"[\d.,٫]+", " ", text)), _units()[name][0])
    ambiguous = listed_words("ambiguous-unit")
    return {words: unit for words, unit in units.items() if words and words[0] not in ambiguous}


@functools.cache
def _values(language: str, *kinds: str) -> Mapping[tuple[str, ...], int]:
    """Return the phrases for numbers, or for scales such as million, of a language and English."""
    values: dict[tuple[str, ...], int] = {}
    for kind, tag in itertools.product(kinds, reversed(read_in(language))):
        for row in phrases(kind).get(tag, ()):
            words, _, value = row.rpartition(" ")
            values[tokens(words)] = int(value)
    return values


def _longest(
    table: Mapping[tuple[str, ...], object], words: Sequence[str], start: int
) -> tuple[str, ...] | None:
    """Return the longest phrase of a table that begins at a word."""
    for length in range(min(_LONGEST, len(words) - start), 0, -1):
        if (phrase := tuple(words[start : start + length])) in table:
            return phrase
    return None


def spell_signs(text: str) -> str:
    r"""Return a text with the signs of numbers as words, so that `tokens` keeps them.

    >>> spell_signs("3.85 × 10⁷, 71 %, 5'10\", 1h20")
    '3.85e7, 71 percent , 5 feet 10 inch , 1 hour 20 minute '
    """
    if not any(map(str.isdigit, text)):
        return text
    text = _POWER.sub(lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text)
    for sign, pattern, words in _SIGNS:
        if sign in text:
            text = pattern.sub(words, text)
    return text


def quantities(text: str, language: str = LANGUAGE) -> tuple[Reading, list[Quantity]]:
    """Return a text as it is read for numbers, and its quantities; sums of adjacent ones come last.

    >>> text = "two thousand of 3.5 million, minus twenty-two"
    >>> [int(one.value) for one in quantities(text)[1]]
    [2000, 3500000, -22]
    >>> [str(one.base()) for one in quantities("6 feet 6 inches")[1]]
    ['1.8288', '0.1524', '1.9812']
    """
    reading, base = Reading(spell_signs(text), language), primary(language)
    numbers: list[Quantity] = []
    at = 0
    while at < len(reading.forms):
        number = _number(reading, at, base)
        numbers += [number] if number else []
        at = number.end if number else at + 1
    return reading, numbers + list(_sums(numbers, reading))


def _number(text: Reading, start: int, language: str) -> Quantity | None:
    """Return the quantity that begins at a word."""
    words = text.forms
    if _DIGITS.fullmatch(words[start]):
        value, end = Decimal(words[start]), start + 1
        value = -value if start and words[start - 1] in _MINUS else value
    else:
        count, end = _in_words(text, start, language)
        if count is None or (count == 1 and words[end : end + 1] == ("of",)):
            return None
        value = Decimal(-count if start and words[start - 1] in _MINUS else count)
    step, scales = _last_place(value), _values(language, "scale")
    while end < len(words) and (text.gap(end) == "" or _TOGETHER.fullmatch(text.gap(end))):
        joined = end + (words[end] == "de")
        scale = _longest(scales, words, joined)
        if scale is None:
            break
        value, step, end = value * scales[scale], step * scales[scale], joined + len(scale)
    units = _unit_words(language)
    unit = _longest(units, words, end)
    unit_end = end + len(unit or ())
    about = _is_about(words, start)
    return Quantity(value, step, units[unit] if unit else None, about, start, end, unit_end)


def _in_words(text: Reading, start: int, language: str) -> tuple[int | None, int]:
    """Return the number in words that begins at a word, and where it ends: twelve, forty-two."""
    numbers = _values(language, "scale", "number")
    stop = start + 1
    end = min(start + _LONGEST, len(text.forms))
    while stop < end and _TOGETHER.fullmatch(text.gap(stop)):
        stop += 1
    phrase = _longest(numbers, text.forms[:stop], start)
    return (numbers[phrase], start + len(phrase)) if phrase else (None, start)


def _last_place(value: Decimal) -> Decimal:
    exponent = value.as_tuple().exponent
    if value == value.to_integral_value():
        exponent = value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(int(exponent)) if isinstance(exponent, int) else Decimal(1)


def _is_about(words: Sequence[str], start: int) -> bool:
    """Tell whether the words right before a number say that it is rounded."""
    spans = ((end - n, end) for end in range(start, max(start - 3, 0), -1) for n in (3, 2, 1))
    return any(tuple(words[first:end]) in listed("about") for first, end in spans if first >= 0)


def _sums(numbers: Sequence[Quantity], text: Reading) -> Iterator[Quantity]:
    """Yield the sums of adjacent quantities of one kind, the larger unit first: 6 feet 2 inches."""
    for large, small in itertools.pairwise(numbers):
        between = text.forms[large.end : small.start]
        if (
            large.unit
            and small.unit
            and large.unit.kind == small.unit.kind
            and large.unit.kind in _SUMMED
            and 0 <= small.value < large.unit.factor / small.unit.factor
            and _AND.issuperset(between)
        ):
            value = large.value * large.unit.factor / small.unit.factor + small.value
            yield small._replace(value=value, start=large.start, about=large.about or small.about)


@functools.cache
def _kept_units(kind: str) -> tuple[Unit, ...]:
    """Return the units in which a gold value without one may be kept; a share also as it is."""
    units = [_units()[name][0] for name in phrases("kept-unit")["any"]]
    units = [unit for unit in units if unit.kind == kind]
    return (*units, Unit("share", Decimal(1), Decimal(0))) if kind == "share" else tuple(units)


def same_quantity(
    gold: Decimal, given: Quantity, unit: Unit | None = None, *, measured: bool = False
) -> bool:
    """Tell whether a number of a text is the gold value, in its unit or, without one, in any.

    Equal, converted, or rounded (decimals, and whole numbers from 10,000 on, to two digits or
    more); "about" allows two per cent.

    >>> numbers = quantities("38 million, about 38.2 million, 40 million")[1]
    >>> [same_quantity(Decimal("38483957"), one) for one in numbers]
    [True, True, False]
    >>> areas = quantities("34,084 km², 70 km²")[1]
    >>> [same_quantity(Decimal("3.40841e10"), one) for one in areas]
    [True, False]
    """
    if unit and given.unit and unit.kind != given.unit.kind:
        return False
    if gold == given.value and (unit is None or given.unit in (None, unit)):
        return True
    if given.unit is None:
        return _rounded(gold, given, measured=measured or unit is not None)
    kept = (unit,) if unit else _kept_units(given.unit.kind)
    # A small whole number may count anything.
    whole = not measured and gold == gold.to_integral_value() and abs(gold) < LARGE
    kept = () if unit is None and whole else kept
    for quantity in kept:
        value = (given.base() - quantity.zero) / quantity.factor
        places = given.step * given.unit.factor / quantity.factor
        error = abs(value - gold)
        close = abs(gold) * (_CLOSE if given.digits > 2 else 0)
        close = max(close, min(places / 2, abs(gold) * 2 * _CLOSE))
        if error <= (abs(gold) * _ABOUT if given.about else close):
            return True
    return unit is None and _rounded(gold, given, measured=measured)


def _rounded(gold: Decimal, given: Quantity, *, measured: bool) -> bool:
    """Tell whether a number is the gold value rounded, in the same unit."""
    whole = gold == gold.to_integral_value() and abs(gold) < LARGE
    if (gold < 0) != (given.value < 0) or not given.value or not gold or given.digits < 2:
        return False
    error = abs(given.value - gold) / abs(gold)
    if whole:
        about = given.about and (given.unit is not None or measured)
        return about and error <= _ABOUT and abs(gold) >= _MEASURED
    if gold.adjusted() - given.step.adjusted() > _MOST_DIGITS:
        return False  # So many digits are not rounded, and more than a division can have.
    nearest = (abs(gold) / given.step).to_integral_value(rounding="ROUND_HALF_UP") * given.step
    return abs(given.value) == nearest or (given.about and error <= _ABOUT)
