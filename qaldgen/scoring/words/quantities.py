"""Numbers in a text, in digits and in words, with units; and when two are the same quantity."""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from qaldgen.io.packages import data_rows
from qaldgen.scoring.words.numbers import gold_numbers
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
#: The bounds that a gold number states, as those of SimpleQA Verified do.
_BOUNDS = re.compile(r"\(acceptable range: (?:anything )?(?P<bounds>between [^()]+ and [^()]+)\)")
#: Numbers that between them take nearly every plural form of the languages in CLDR.
_PLURALS = (1, 2, 5, 1.5)
#: Whole numbers from this one on may be rounded: 381,000 for 381,488.
LARGE = 10_000
#: Whole numbers from this one on may be "about" so many metres; smaller ones count something.
_MIN_MEASURED = 100
#: The start of a number with a unit; 0 and another digit begin a code.
_COUNTS = re.compile(r"(?!0\d)\D?\d")
#: The most words after the number of a gold answer that may be its unit: "23 episodes".
_MAX_UNIT_WORDS = 3
#: The relative error of a conversion or a rounded value.
_ERROR = Decimal("0.005")
#: The relative error of an "about".
_ABOUT_ERROR = Decimal("0.02")


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
def _unit_words(language: str) -> _ByFirstWord[Unit]:
    """Return the units by their names in a language and in English, in every plural."""
    from babel import Locale
    from babel.units import UnknownUnitError, format_unit

    units = {tokens(text): unit for unit in _units() for text in unit.more_names}
    lengths: tuple[Literal["short", "long"], ...] = ("short", "long")
    spelled = (*locales(language), Locale("en", "GB"))  # kilometres
    ways = itertools.product(spelled, _units(), lengths, _PLURALS)
    for locale, unit, length, count in ways:
        with contextlib.suppress(UnknownUnitError):
            text = format_unit(count, unit.name, length, locale=locale)
            units.setdefault(tokens(re.sub(r"[\d.,٫]+", " ", text)), unit)
    units.pop((), None)
    return _by_first_word(units)


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
        if number is None or words[start : number[1] + 1] == ("one", "of"):
            return None
        value, end = number

    if start and words[start - 1] in _MINUS:
        value = -value
    step = _step_of(value)
    while _INNER_GAP.fullmatch(reading.gap(end)):
        scale = _longest(_values(language, "scale"), words, end)
        if scale is None:
            break
        value, step, end = value * scale[0], step * scale[0], scale[1]
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
            scales.add(scale[0])
    return scales


class Amount(NamedTuple):
    """A number of a gold answer."""

    number: Decimal
    unit: Unit | None = None
    measured: bool = False  # whether it is a decimal
    bounds: tuple[Decimal, Decimal] | None = None  # that the gold answer states

    def is_met_by(self, given: Quantity) -> bool:
        """Return whether a number of a text is the gold value, in its unit or, without one, in any.

        Equal, converted, or rounded (decimals, and whole numbers from 10,000 on, to two digits or
        more); "about" allows two per cent.

        >>> numbers = quantities(Reading("38 million, about 38.2 million, 40 million", "en"))
        >>> [Amount(Decimal("38483957")).is_met_by(number) for number in numbers]
        [True, True, False]
        >>> areas = quantities(Reading("34,084 km², 70 km²", "en"))
        >>> [Amount(Decimal("3.40841e10")).is_met_by(area) for area in areas]
        [True, False]
        """
        if self.bounds:
            return self.bounds[0] <= given.value <= self.bounds[1]
        is_comparable = self.unit is None or given.unit in (None, self.unit)
        is_close = self.number == given.value or self._is_rounded(given) or self._rounds(given)
        if is_comparable and is_close:
            return True
        if self.unit:
            units = [self.unit]
        elif self.measured or not self._is_small():
            units = [unit for unit in _units() if unit.implied]
        else:
            units = []  # it counts something
        return any(self._is_converted(given, unit) for unit in units)

    def _is_converted(self, given: Quantity, unit: Unit) -> bool:
        """Return whether a number in another unit is the gold value in this one."""
        if given.unit is None or given.unit.kind != unit.kind:
            return False
        # in one unit nothing is converted, 501 seconds are not 500; and years are counted
        is_exact = not given.about or unit.name == "duration-year"
        if unit.name == given.unit.name and is_exact:
            return False
        gold, size = abs(self.number), given.unit.factor / unit.factor
        value = given.value * size + (given.unit.zero - unit.zero) / unit.factor
        # the last digit of the number may be rounded
        close = max(gold * _ERROR, min(given.step * size / 2, gold * 2 * _ERROR))
        if given.about:
            close = gold * _ABOUT_ERROR
        return abs(value - self.number) <= close

    def _is_small(self) -> bool:
        return self.number == self.number.to_integral_value() and abs(self.number) < LARGE

    def _is_rounded(self, given: Quantity) -> bool:
        """Return whether a number is the gold value rounded, in the same unit."""
        gold, value = self.number, given.value
        digits = value.adjusted() - given.step.adjusted() + 1
        if not value or not gold or (gold < 0) != (value < 0) or digits < 2:
            return False
        close = given.about and abs(value - gold) <= abs(gold) * _ABOUT_ERROR
        if self._is_small():
            is_measured = self.measured or self.unit is not None or given.unit is not None
            return close and is_measured and abs(gold) >= _MIN_MEASURED
        return close or abs(value) == _rounded(abs(gold), given.step)

    def _rounds(self, given: Quantity) -> bool:
        """Return whether the gold value is a more exact number rounded: 12 % of 12.4 %."""
        step = _step_of(self.number)
        if abs(self.number) < LARGE:
            step = min(step, Decimal(1))  # 320 is exact
        if (self._is_small() and self.unit is None) or abs(self.number) < 10 * step:
            return False
        return given.step < step and _rounded(given.value, step) == self.number


def _step_of(value: Decimal) -> Decimal:
    """Return the value of the last digit of a number that is not 0: 1000 for 12,000."""
    return Decimal(1).scaleb(int(value.normalize().as_tuple().exponent))


def _rounded(value: Decimal, step: Decimal) -> Decimal:
    return (value / step).to_integral_value(rounding="ROUND_HALF_UP") * step


class Amounts(NamedTuple):
    """A gold answer that is a number, or the two of a range or a score."""

    amounts: tuple[Amount, ...]

    def scaled(self, scale: Decimal) -> Amounts:
        """Return the numbers without a unit times a scale."""
        scaled = []
        for amount in self.amounts:
            if not amount.unit:
                amount = amount._replace(number=amount.number * scale)
            scaled.append(amount)
        return Amounts(tuple(scaled))

    def spans(self, reading: Reading) -> Iterator[tuple[int, int]]:
        """Yield where a text has the numbers, in their order."""
        last = self.amounts[-1]
        start = 0
        index = 0  # of the amount that is sought next
        for given in quantities(reading):
            if not self.amounts[index].is_met_by(given):
                continue
            if index == 0:
                start = given.start
            index += 1
            if index == len(self.amounts):
                # the unit of a count is no part of it: it says more
                has_unit = last.unit is not None or last.measured
                yield start, given.end if has_unit else given.number_end
                index = 0


def amounts_of(wording: Reading) -> Sequence[Amounts]:
    """Return the numbers that a gold answer may denote: a bare one, or numbers with a unit.

    >>> texts = ("6 ft 2 in", "5 to 7")
    >>> rows = [amounts_of(Reading(text, "en"))[0].amounts for text in texts]
    >>> [[int(one.number) for one in amounts] for amounts in rows]
    [[74], [5, 7]]
    >>> amounts_of(Reading("12 Monkeys", "en"))
    []
    >>> range_text = "120 (acceptable range: anything between 119 and 1,210)"
    >>> [int(bound) for bound in amounts_of(Reading(range_text, "en"))[0].amounts[0].bounds]
    [119, 1210]
    """
    text, language = wording.text.strip().removesuffix("$"), wording.language
    is_in_words = not wording.has_digits
    if is_in_words and not _longest(_values(language, "scale", "number"), wording.forms, 0):
        return []
    for start, end in phrases_in(tokens(text, language), "about"):
        if start == 0:
            text = text.split(maxsplit=end)[-1]
    if match := _BOUNDS.search(text):
        bounds = [one.value for one in quantities(Reading(match["bounds"], language))]
        if len(bounds) == 2:
            return [Amounts((Amount(bounds[0], bounds=(bounds[0], bounds[1])),))]
    if numbers := gold_numbers(text.lstrip("$ "), language):
        is_decimal = "." in text or "e" in text.lower()
        return [Amounts((Amount(number, None, is_decimal),)) for number in numbers]
    if not is_in_words and not _COUNTS.match(text):
        return []
    reading = Reading(text, language)
    given = quantities(reading)
    covered = {index for number in given for index in range(number.start, number.end)}
    other_words = len(reading.forms) - len(covered)
    # lower-case words after a number are its unit, "23 episodes"; others are a name, "12 Monkeys"
    is_name = other_words > _MAX_UNIT_WORDS or (other_words > 0 and text != text.lower())
    if 0 not in covered or is_name or (other_words and is_in_words):
        return []
    amounts = [Amount(one.value, one.unit, one.step < 1) for one in given]
    # a sum, a fraction or another reading says all that its parts say
    end = max(one.end for one in given)
    whole = [
        amount
        for one, amount in zip(given, amounts, strict=True)
        if (one.start, one.end) == (0, end)
    ]
    return [Amounts((amount,)) for amount in whole] or [Amounts(tuple(amounts))]
