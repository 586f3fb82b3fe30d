"""Gold answers that are numbers, and whether a number in a text is one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from qaldgen.scoring.words.numbers import gold_numbers
from qaldgen.scoring.words.quantities import (
    Quantity,
    Unit,
    begins_with_number,
    quantities,
    step_of,
    units,
)
from qaldgen.scoring.words.reading import Reading
from qaldgen.scoring.words.tokens import phrases_in, tokens

#: The bounds that a gold number states, as those of SimpleQA Verified do.
_BOUNDS = re.compile(r"\(acceptable range: (?:anything )?(?P<bounds>between [^()]+ and [^()]+)\)")
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
            possible_units = [self.unit]
        elif self.measured or not self._is_small():
            possible_units = [unit for unit in units() if unit.implied]
        else:
            possible_units = []  # it counts something
        return any(self._is_converted(given, unit) for unit in possible_units)

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
        step = step_of(self.number)
        if abs(self.number) < LARGE:
            step = min(step, Decimal(1))  # 320 is exact
        if (self._is_small() and self.unit is None) or abs(self.number) < 10 * step:
            return False
        return given.step < step and _rounded(given.value, step) == self.number


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
    if is_in_words and not begins_with_number(wording.forms, language):
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
