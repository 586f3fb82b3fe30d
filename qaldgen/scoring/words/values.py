"""The numbers and dates that stand in a text: in digits, in words, with a month by name."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from qaldgen.scoring.words.lexicon import DATE_JOINERS, MONTHS, primary
from qaldgen.scoring.words.number_words import WORDS
from qaldgen.scoring.words.tokens import tokens, word_set

_DIGITS = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_MINUS = frozenset(["minus", "moins", "menos", "meno", "минус"])
_DATE = re.compile(r"(-?\d{1,4})-(\d{1,2})-(\d{1,2})(?:T.*|Z|[+-]\d\d:\d\d)?")
#: Lengths in metres: knowledge graphs keep them so, and answers give them in other units.
_METRES = {
    **dict.fromkeys(["foot", "feet", "ft"], Decimal("0.3048")),
    **dict.fromkeys(["inch", "inches"], Decimal("0.0254")),
    **dict.fromkeys(["mile", "miles"], Decimal("1609.344")),
    **dict.fromkeys(["km", "kilometer", "kilometers", "kilometre", "kilometres"], Decimal(1000)),
    **dict.fromkeys(["cm", "centimeter", "centimeters", "centimetre", "centimetres"], Decimal("0.01")),
}
#: From here on a rounded number counts: 381,000 for 381,488.
_LARGE = 10_000


class Date(NamedTuple):
    """A day; month and day are 1 where only the year is known, as DBpedia writes it."""

    year: int
    month: int
    day: int


def _forms(row: str) -> list[tuple[str, int]]:
    return [(form.replace("_", " "), n) for n, forms in enumerate(row.split()) for form in forms.split("/") if form != "-"]


@functools.cache
def _phrases(language: str) -> dict[tuple[str, ...], int]:
    """Return the phrases of a language for 0 to 99, as tokens."""
    words = WORDS[language]
    units, tens = _forms(words.units), [(form, 10 * n + 20) for form, n in _forms(words.tens)]
    found = dict(units + tens)
    for ten, high in tens:
        forms = [form for form in words.compounds if high == 20 or "veinti" not in form]
        for unit, low in units + [(form, 1) for form in words.one.split()]:
            # French counts on to nineteen after sixty and eighty
            if 0 < low < (20 if language == "fr" and high >= 60 else 10):
                found |= {form.format(ten=ten, unit=unit, cut=ten[:-1]): high + low for form in forms}
    return {tokens(phrase): value for phrase, value in found.items()}


@functools.cache
def _scales(language: str) -> dict[str, int]:
    return {token: value for word, value in WORDS[language].scales.items() for token in tokens(word)}


def _phrase(words: Sequence[str], start: int, language: str) -> tuple[int, int] | None:
    """Return the value of the longest phrase for 0 to 99 that begins here, and its length."""
    table = _phrases(language)
    for length in range(4, 0, -1):
        value = table.get(tuple(words[start : start + length]))
        if value is not None and start + length <= len(words):
            return value, length
    return None


def _in_words(words: Sequence[str], start: int, language: str) -> tuple[int, int]:
    """Return the number in words that begins here, and where it ends; the end is `start` if there is none."""
    scales, joiners = _scales(language), word_set(WORDS[language].joiners)
    total = group = last = 0
    i = end = start
    while i < len(words):
        small, scale = _phrase(words, i, language), scales.get(words[i], 0)
        if small is not None and group % 100 == 0:
            group, i = group + small[0], i + small[1]
        elif scale == 100 and group < 10:
            group, i = 100 * (group or 1), i + 1
        elif scale > 100 and scale > last > 0:
            total, group, last, i = (total + group) * scale, 0, scale, i + 1
        elif scale > 100:
            total, group, last, i = total + (group or 1) * scale, 0, scale, i + 1
        elif words[i] in joiners and end > start and end == i:
            i += 1
            continue
        else:
            break
        end = i
    return total + group, end


def _numbers(words: Sequence[str], language: str) -> Iterator[Decimal]:
    scales, i = _scales(language), 0
    while i < len(words):
        if _DIGITS.fullmatch(words[i]):
            value, i = Decimal(words[i]), i + 1
            while i < len(words) and words[i] in scales:
                value, i = value * scales[words[i]], i + 1
        else:
            number, end = _in_words(words, i, language)
            of = language == "en" and number == 1 and words[end : end + 1] == ("of",)
            if end == i or of:
                i = max(end, i + 1)
                continue
            value = Decimal(-number if i and words[i - 1] in _MINUS else number)
            i = end
        yield value


def _lengths(words: Sequence[str]) -> Iterator[Decimal]:
    """Yield the lengths in metres; 6 feet 2 inches also as one."""
    feet = (-1, Decimal(0))
    for i, (number, unit) in enumerate(itertools.pairwise(words)):
        if unit in _METRES and _DIGITS.fullmatch(number):
            metres = Decimal(number) * _METRES[unit]
            yield metres
            if feet[0] == i - 2:
                yield feet[1] + metres
            if unit in ("foot", "feet", "ft"):
                feet = (i, metres)


def numbers(words: Sequence[str], language: str = "en") -> frozenset[Decimal]:
    """Return the numbers of a text, in digits and in words (also English ones in any language), and its lengths in metres.

    Parameters
    ----------
    words : sequence of str
        The tokens of the text.
    language : str
        Without a table for it, English words only.

    Examples
    --------
    >>> sorted(map(int, numbers(tokens("Two thousand five hundred of 3.5 million, not minus twelve"))))
    [-12, 2500, 3500000]
    >>> sorted(map(int, numbers(tokens("quatre-vingt-dix-sept", "fr"), "fr")))
    [97]
    >>> [str(value) for value in sorted(numbers(tokens("6 feet 6 inches")))]
    ['0.1524', '1.8288', '1.9812', '6']
    """
    own = primary(language)
    languages = {"en", own} & set(WORDS)
    return frozenset(value for name in languages for value in _numbers(words, name)) | frozenset(_lengths(words))


def same_number(gold: Decimal, given: Decimal) -> bool:
    """Tell whether a given number is the gold one, or the gold one rounded to three or more significant digits.

    Rounding is accepted for decimals and from 10,000 on; a smaller whole number has to be exact, and so has a year.

    Examples
    --------
    >>> same_number(Decimal("381488"), Decimal("381000")), same_number(Decimal("381488"), Decimal("380000"))
    (True, False)
    >>> same_number(Decimal("1.7526"), Decimal("1.75")), same_number(Decimal("1225"), Decimal("1230"))
    (True, False)
    """
    if gold == given:
        return True
    if gold == gold.to_integral_value() and abs(gold) < _LARGE:
        return False
    digits = len(given.normalize().as_tuple().digits)
    return digits >= 3 and Decimal(f"{gold:.{digits - 1}e}") == given


def read_date(text: str) -> Date | None:
    """Return the date that an XSD date or dateTime writes, also without leading zeros; None for anything else.

    Examples
    --------
    >>> read_date("2001-6-20"), read_date("0632-06-08T00:00:00Z"), read_date("1995")
    (Date(year=2001, month=6, day=20), Date(year=632, month=6, day=8), None)
    """
    found = _DATE.fullmatch(text.strip())
    return Date(abs(int(found[1])), int(found[2]), int(found[3])) if found else None


@functools.cache
def _months(language: str) -> dict[str, int]:
    rows = [MONTHS["en"], MONTHS.get(language, "")]
    return {token: n for row in rows for n, forms in enumerate(row.split(), 1) for token in word_set(forms)}


def has_date(words: Sequence[str], date: Date, language: str = "en") -> bool:
    """Tell whether a text names a date.

    The year is enough, where the words around it give no other month or day; the first of January stands for a year.

    Examples
    --------
    >>> day = Date(1616, 4, 23)
    >>> [has_date(tokens(text), day) for text in ("in 1616", "on April 23rd, 1616", "on 3 May 1616", "1616-04-23", "in 1617")]
    [True, True, False, True, False]
    """
    months, year = _months(primary(language)), str(date.year)
    return any(_agrees(_around(words, i, months), date, months) for i, word in enumerate(words) if word == year)


def _around(words: Sequence[str], year: int, months: Iterable[str]) -> list[str]:
    """Return the words of the date phrase around a year: months and days, before it and right after it."""

    def part(word: str) -> bool:
        return word in months or (len(word) < 3 and word.isdecimal() and 1 <= int(word) <= 31)

    start, end = year, year + 1
    while start > 0 and (part(words[start - 1]) or words[start - 1] in DATE_JOINERS):
        start -= 1
    while end < len(words) and part(words[end]):
        end += 1
    return [word for word in (*words[start:year], *words[year + 1 : end]) if part(word)]


def _agrees(phrase: Sequence[str], date: Date, months: dict[str, int]) -> bool:
    named = {months[word] for word in phrase if word in months}
    days = {int(word) for word in phrase if word not in months}
    if (date.month, date.day) == (1, 1):
        return True
    if named:
        return date.month in named and (not days or date.day in days)
    return len(days) < 2 or days == {date.month, date.day}
