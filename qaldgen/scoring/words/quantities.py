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
from qaldgen.io.files import data_rows
from qaldgen.scoring.words.reading import SMALL, Reading
from qaldgen.scoring.words.tokens import locales, phrases, phrases_in, primary, read_in, tokens

#: Signs of numbers and the words for them, tried only where the first string occurs.
_SIGNS = (
    (
        "10",
        re.compile(
            r"(?:(?<!\s)\s+)?(?:[×x·]|times)\s*10(?:\^\{?|(?=[⁻⁺¹²³⁰⁴-⁹]))([-−⁻⁺]?[\d⁰¹²³⁴-⁹]+)\}?"
        ),
        r"e\1",
    ),
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
_DIGITS = re.compile(r"-?\d+(?:\.\d+)?")
#: What may stand between the words of one number.
_TOGETHER = re.compile(r"[^\S\n]*|[-\u2010\u2011]")
_MINUS = frozenset(["minus", "negative", "moins", "menos", "meno", "минус"])
_LONGEST = 4
#: How many words before a number may say that it is rounded.
_NEAR = 3
#: Numbers that between them take nearly every plural form of the languages in CLDR.
_PLURALS = (1, 2, 5, 1.5)
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


class _UnitRow(NamedTuple):
    """A row of ``data/units.tsv``."""

    unit: Unit
    kept: bool  # whether a gold value without a unit may be in it
    names: Sequence[str]  # those that CLDR does not have


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


@functools.cache
def _units() -> Mapping[str, _UnitRow]:
    """Return the units by their names in CLDR."""
    rows = {}
    for name, kind, factor, zero, kept, *names in data_rows("scoring/words/data/units.tsv"):
        unit = Unit(kind, Decimal(factor), Decimal(zero))
        rows[name] = _UnitRow(unit, kept == "kept", names)
    return rows


@functools.cache
def _unit_words(language: str) -> Mapping[tuple[str, ...], Unit]:
    """Return the units by their names in a language and in English, in every plural."""
    from babel.units import UnknownUnitError, format_unit

    units = {tokens(text): row.unit for row in _units().values() for text in row.names}
    lengths: tuple[Literal["short", "long"], ...] = ("short", "long")
    ways = itertools.product(locales(language), _units(), lengths, _PLURALS)
    for locale, name, length, count in ways:
        with contextlib.suppress(UnknownUnitError):
            text = format_unit(count, name, length, locale=locale)
            units.setdefault(tokens(re.sub(r"[\d.,٫]+", " ", text)), _units()[name].unit)
    units.pop((), None)
    return units


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
    '3.85e⁷, 71 percent , 5 feet 10 inch , 1 hour 20 minute '
    """
    if not any(map(str.isdigit, text)):
        return text
    for sign, pattern, words in _SIGNS:
        if sign in text:
            text = pattern.sub(words, text)
    return text


def quantities(text: str, language: str = LANGUAGE) -> tuple[Reading, list[Quantity]]:
    """Return a text as it is read for numbers, and its quantities; sums of adjacent ones come last.

    >>> text = "two thousand of 3.5 million, minus twenty-two"
    >>> [int(one.value) for one in quantities(text)[1]]
    [2000, 3500000, -22]
    >>> [int(one.value) for one in quantities("6 feet 6 inches")[1]]
    [6, 6, 78]
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
    else:
        stop = start + 1
        while stop < min(start + _LONGEST, len(words)) and _TOGETHER.fullmatch(text.gap(stop)):
            stop += 1
        numbers = _values(language, "scale", "number")
        phrase = _longest(numbers, words[:stop], start)
        if phrase is None:
            return None
        value, end = Decimal(numbers[phrase]), start + len(phrase)
        if value == 1 and words[end : end + 1] == ("of",):
            return None
    if start and words[start - 1] in _MINUS:
        value = -value
    last = value
    if value == value.to_integral_value():
        last = value.normalize()
    step, scales = Decimal(1).scaleb(int(last.as_tuple().exponent)), _values(language, "scale")
    while end < len(words) and _TOGETHER.fullmatch(text.gap(end)):
        joined = end + (words[end] == "de")
        scale = _longest(scales, words, joined)
        if scale is None:
            break
        value, step, end = value * scales[scale], step * scales[scale], joined + len(scale)
    units = _unit_words(language)
    unit = _longest(units, words, end) or ()
    about = next(phrases_in(words[max(start - _NEAR, 0) : start], "about"), None) is not None
    return Quantity(value, step, units.get(unit), about, start, end, end + len(unit))


def _sums(numbers: Sequence[Quantity], text: Reading) -> Iterator[Quantity]:
    """Yield the sums of adjacent quantities of one kind, the larger unit first: 6 feet 2 inches."""
    for large, small in itertools.pairwise(numbers):
        between = text.forms[large.end : small.start]
        if (
            large.unit
            and small.unit
            and large.unit.kind == small.unit.kind
            and 0 <= small.value < large.unit.factor / small.unit.factor
            and SMALL.issuperset(between)
        ):
            value = large.value * large.unit.factor / small.unit.factor + small.value
            yield small._replace(value=value, start=large.start, about=large.about or small.about)


@functools.cache
def _kept_units() -> tuple[Unit, ...]:
    """Return the units in which a gold value without one may be kept."""
    return tuple(row.unit for row in _units().values() if row.kept)


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
    if gold == given.value and (unit is None or given.unit in (None, unit)):
        return True
    if given.unit is None:
        return _rounded(gold, given, measured=measured or unit is not None)
    kept = _kept_units()
    if unit is not None:
        kept = (unit,)
    elif not measured and _is_small(gold):
        kept = ()  # it may count anything
    for own in kept:
        if own.kind != given.unit.kind:
            continue
        size = given.unit.factor / own.factor
        value = given.value * size + (given.unit.zero - own.zero) / own.factor
        # the last digit that is given may be rounded
        close = max(abs(gold) * _CLOSE, min(given.step * size / 2, abs(gold) * 2 * _CLOSE))
        if given.about:
            close = abs(gold) * _ABOUT
        if abs(value - gold) <= close:
            return True
    return unit is None and _rounded(gold, given, measured=measured)


def _is_small(gold: Decimal) -> bool:
    return gold == gold.to_integral_value() and abs(gold) < LARGE


def _rounded(gold: Decimal, given: Quantity, *, measured: bool) -> bool:
    """Tell whether a number is the gold value rounded, in the same unit."""
    if (gold < 0) != (given.value < 0) or not given.value or not gold:
        return False
    digits = given.value.adjusted() - given.step.adjusted() + 1
    close = given.about and abs(given.value - gold) <= abs(gold) * _ABOUT
    if digits < 2:
        return False
    if _is_small(gold):
        return close and (given.unit is not None or measured) and abs(gold) >= _MEASURED
    if gold.adjusted() - given.step.adjusted() > _MOST_DIGITS:
        return False  # So many digits are not rounded, and more than a division can have.
    nearest = (abs(gold) / given.step).to_integral_value(rounding="ROUND_HALF_UP") * given.step
    return close or abs(given.value) == nearest
