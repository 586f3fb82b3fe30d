"""Numbers in a text, in digits and in words, with units."""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from qaldgen.io.packages import data_rows
from qaldgen.scoring.words.phrases import locales, reading_languages
from qaldgen.scoring.words.reading import SMALL, Reading, Words
from qaldgen.scoring.words.tokens import phrase_values, phrases_in, tokens

_DIGITS = re.compile(r"-?\d+(?:\.\d+)?")
#: What may separate the words of one number.
_INNER_GAP = re.compile(r"[^\S\n]*|[-\u2010\u2011]")
#: Chinese numerals, also of Japanese.
_HAN = {words[0]: value for words, value in phrase_values("han-numeral", "zh").items()}
_NUMERAL = rf"[{''.join(_HAN)}]| [万萬亿億兆京]"
#: A number with one of them or more; those of 10,000 and more may stand apart: 12 万.
_HAN_NUMBER = re.compile(rf"(?:\d+(?:\.\d+)?)?(?={_NUMERAL})(?:{_NUMERAL}|\d)+")
_MINUS = frozenset(["minus", "negative", "moins", "menos", "meno", "минус"])
_Value = TypeVar("_Value")
_ByFirstWord: TypeAlias = Mapping[str, Mapping[Words, _Value]]
#: The most words of a number word, a scale or a unit.
_MAX_WORDS = 4
#: An "about" up to this many words before a number says that it is rounded.
_MAX_ABOUT_WORDS = 3
#: Numbers that between them take nearly every plural form of the languages in CLDR.
_PLURALS = (1, 2, 5, 1.5)


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
def units() -> Sequence[Unit]:
    """Return the units of ``data/units.tsv``."""
    return [
        Unit(name, kind, Decimal(factor), Decimal(zero), mark == "implied", tuple(more_names))
        for name, kind, factor, zero, mark, *more_names in data_rows("scoring/words/data/units.tsv")
    ]


@functools.cache
def _unit_words(language: str) -> _ByFirstWord[Unit]:
    """Return the units by their names in a language and in English, in every plural."""
    from babel import Locale
    from babel.units import UnknownUnitError, format_unit

    by_name = {tokens(text): unit for unit in units() for text in unit.more_names}
    lengths: tuple[Literal["short", "long"], ...] = ("short", "long")
    spelled = (*locales(language), Locale("en", "GB"))  # kilometres
    ways = itertools.product(spelled, units(), lengths, _PLURALS)
    for locale, unit, length, count in ways:
        with contextlib.suppress(UnknownUnitError):
            text = format_unit(count, unit.name, length, locale=locale)
            by_name.setdefault(tokens(re.sub(r"[\d.,٫]+", " ", text)), unit)
    by_name.pop((), None)
    return _by_first_word(by_name)


@functools.cache
def _values(language: str, *kinds: str) -> _ByFirstWord[Decimal]:
    """Return the phrases for numbers, or for scales such as million, of a language and English."""
    values: dict[tuple[str, ...], Decimal] = {}
    for kind in kinds:
        for tag in reversed(reading_languages(language)):
            for words, value in phrase_values(kind, tag).items():
                values[words] = Decimal(value)
    return _by_first_word(values)


def _by_first_word(values: Mapping[Words, _Value]) -> _ByFirstWord[_Value]:
    """Return values by the first word of their phrase, then by the phrase."""
    table: dict[str, dict[Words, _Value]] = {}
    for phrase, value in values.items():
        table.setdefault(phrase[0], {})[phrase] = value
    return table


def _longest(
    table: _ByFirstWord[_Value], words: Sequence[str], start: int
) -> tuple[_Value, int] | None:
    """Return what a table has for the longest phrase from a word on, and the word after it."""
    values = table.get(words[start]) if start < len(words) else None
    if values is not None:  # it is None for most words
        for end in range(min(start + _MAX_WORDS, len(words)), start, -1):
            phrase = tuple(words[start:end])
            if phrase in values:
                return values[phrase], end
    return None


@functools.lru_cache(maxsize=64)
def quantities(reading: Reading) -> Sequence[Quantity]:
    """Return the quantities in a text; other readings, sums and fractions come last.

    >>> text = "two thousand of 3.5 million, minus twenty-two"
    >>> [int(number.value) for number in quantities(Reading(text, "en"))]
    [2000, 3500000, -22]
    >>> [int(number.value) for number in quantities(Reading("6 feet 6 inches", "en"))]
    [6, 6, 78]
    >>> [str(number.value) for number in quantities(Reading("3/4", "en"))]
    ['3', '4', '0.75']
    """
    numbers: list[Quantity] = []
    for start in range(len(reading.forms)):
        if numbers and start < numbers[-1].end:
            continue
        if number := _quantity(reading, start):
            numbers.append(number)
    thousands = [
        number._replace(value=number.value * 1000, step=number.step * 1000, unit=None)
        for number in numbers
        if reading.forms[number.number_end : number.end] == ("k",)  # or it is kelvin
    ]
    return [*numbers, *thousands, *_sums(numbers, reading), *_fractions(numbers, reading)]


def _quantity(reading: Reading, start: int) -> Quantity | None:
    """Return the quantity that begins at a word, if any."""
    words, language = reading.forms, reading.language
    match = _HAN_NUMBER.match(reading.normalised, reading.spans[start][0])
    if match is not None:
        value = _han_value(match[0].replace(" ", ""))
        end = start + sum(begin < match.end() for begin, _ in reading.spans[start:])
    elif _DIGITS.fullmatch(words[start]):
        value, end = Decimal(words[start]), start + 1
    else:
        stop = start + 1
        while stop < start + _MAX_WORDS and _INNER_GAP.fullmatch(reading.gap(stop)):
            stop += 1
        number = _longest(_values(language, "scale", "number"), words[:stop], start)
        if number is None:
            return None
        value, end = number
        if words[start : end + 1] == ("one", "of"):
            return None

    if start and words[start - 1] in _MINUS:
        value = -value
    step = step_of(value)
    while _INNER_GAP.fullmatch(reading.gap(end)):
        scale = _longest(_values(language, "scale"), words, end)
        if scale is None:
            break
        factor, end = scale
        value *= factor
        step *= factor
    unit, unit_end = _longest(_unit_words(language), words, end) or (None, end)
    about = any(phrases_in(words[max(start - _MAX_ABOUT_WORDS, 0) : start], "about"))
    return Quantity(value, step, unit, about, start, end, unit_end)


def _han_value(text: str) -> Decimal:
    """Return the value of Chinese numerals and digits: 二十三, 3万5千."""
    largest = max(text, key=lambda char: _HAN.get(char, 0), default="")
    if _HAN.get(largest, 0) >= 10:  # it multiplies what is before it
        before, _, after = text.partition(largest)
        return (_han_value(before) or 1) * _HAN[largest] + _han_value(after)
    return Decimal("".join(str(_HAN.get(char, char)) for char in text) or 0)


def _sums(numbers: Sequence[Quantity], reading: Reading) -> Iterator[Quantity]:
    """Yield the sums of adjacent quantities of one kind, the larger unit first: 6 feet 2 inches."""
    for large, small in itertools.pairwise(numbers):
        if not large.unit or not small.unit or large.unit.kind != small.unit.kind:
            continue
        are_adjacent = SMALL.issuperset(reading.forms[large.end : small.start])
        if are_adjacent and 0 <= small.value < large.unit.factor / small.unit.factor:
            value = large.value * large.unit.factor / small.unit.factor + small.value
            about = (large.about or small.about) and small.value % 5 == 0  # 43 minutes 29 is exact
            yield small._replace(value=value, start=large.start, about=about)


def _fractions(numbers: Sequence[Quantity], reading: Reading) -> Iterator[Quantity]:
    """Yield the fractions of two numbers that are not whole: 3/4, as LaTeX writes it, too."""
    for above, below in itertools.pairwise(numbers):
        between = reading.gap(below.start)
        is_command = between == "}{" and reading.forms[above.start - 1].endswith("frac")
        are_digits = reading.forms[above.start].isdigit() and reading.forms[below.start].isdigit()
        if not are_digits or not (between == "/" or is_command):
            continue
        if below.value and above.value % below.value:
            yield below._replace(value=above.value / below.value, start=above.start)


def scales_in(words: Sequence[str], language: str) -> set[Decimal]:
    """Return the scales that the words of a question name, and not after a number: in millions.

    >>> scales_in(("what", "is", "it", "in", "usd", "millions"), "en")
    {Decimal('1000000')}
    """
    singular = [word.removesuffix("s") for word in words]
    scales = set()
    for index in range(1, len(words)):
        scale = _longest(_values(language, "scale"), singular, index)
        if scale is not None and not _DIGITS.fullmatch(words[index - 1]):
            factor, _ = scale
            scales.add(factor)
    return scales


def begins_with_number(words: Sequence[str], language: str) -> bool:
    """Return whether the first words are a number in words, or a scale such as million."""
    return _longest(_values(language, "scale", "number"), words, 0) is not None


def step_of(value: Decimal) -> Decimal:
    """Return the value of the last digit of a number that is not 0: 1000 for 12,000."""
    return Decimal(1).scaleb(int(value.normalize().as_tuple().exponent))
