"""Whether a text names a date: in digits, or with the name of a month in any language."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from qaldgen.defaults import LANGUAGE
from qaldgen.scoring.words.phrases import locales, main_language, reading_languages
from qaldgen.scoring.words.reading import Reading
from qaldgen.scoring.words.tokens import phrase_values, phrase_words, phrases_in, stem, tokens


class Day(NamedTuple):
    """A day in the Gregorian calendar; a part that is not known is 0."""

    year: int = 0  # negative before Christ
    month: int = 0
    day: int = 0

    def spans(self, reading: Reading) -> Iterator[tuple[int, int]]:
        """Yield where a text has the year, or the month of a date without one."""
        before = None
        # the year before 1 is -1, or 0 as astronomers count; in digits both count alike
        if self.year < 0 and not _BC_IN_DIGITS.search(reading.text):
            before = self._replace(year=self.year - 1)
        words, language = reading.forms, reading.language
        for index in range(len(words)):
            is_here = date_at(words, self, index, language)
            if not is_here and before is not None:
                is_here = date_at(words, before, index, language, in_era=True)
            if is_here:
                yield index, index + 1

    def words(self, language: str) -> frozenset[str]:
        """Return the words that a text may have for the date: "on the 3rd of May, 44 BC".

        >>> sorted(Day(-44, 5, 3).words("de") & {"mai", "3", "bc", "april"})
        ['3', 'bc', 'mai']
        """
        names = [name for name, month in months_of(language).items() if month == self.month]
        eras = phrase_words("bc" if self.year < 0 else "ad", *reading_languages(language))
        return _JOINERS.union(names, eras, [str(abs(part)) for part in self if part])


#: The forms of dates in XSD: date and dateTime, gYearMonth, gYear before Christ, gMonthDay.
_XSD = (
    re.compile(r"(?P<year>-?\d{1,4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?:T.*|Z|[+-]\d\d:\d\d)?"),
    re.compile(r"(?P<year>-?\d{4})-(?P<month>0[1-9]|1[0-2])"),
    re.compile(r"(?P<year>-0\d{3})"),  # -525 may be a number
    re.compile(r"--(?P<month>\d{2})-(?P<day>\d{2})"),
)
_JOINERS = phrase_words("date-joiner")
#: Names of months up to this length are abbreviations, and are not inflected.
_MAX_ABBR_CHARS = 3
#: Day and month are sought in this many words before and after a year.
_MAX_WORDS_FROM_YEAR = 6
#: The most words for an era: "до нашей эры".
_MAX_ERA_WORDS = 3
_IN_DIGITS = re.compile(r"\b(?:\d{1,2}[-/.]\d{1,2}[-/.]\d{3,4}|\d{3,4}-\d{1,2}-\d{1,2})\b")
_BC_IN_DIGITS = re.compile(r"(?<!\w)-\d{4}\b")
_DAY = re.compile(r"(\d{1,2})\D{0,3}")


def day_in_words(day: Day) -> str:
    """Return the common form of a date, in which all ways to write it are equal.

    >>> day_in_words(Day(1989, 11, 9)), day_in_words(Day(1989, 11, 0))
    ('9 november 1989', 'november 1989')
    """
    if not (1 <= day.month <= 12 and 0 <= day.day <= 31):
        return ""
    month = locales("en")[0].months["format"]["wide"][day.month].lower()
    return " ".join(str(part) for part in (day.day, month, day.year) if part)


def date_in_digits(text: str, language: str = LANGUAGE) -> str:
    """Return the common form of a date in three numbers, if one of them can only be the year.

    A number above 12 is the day; else the month comes first in English with slashes.

    >>> date_in_digits("15/06/1215"), date_in_digits("06/15/1215"), date_in_digits("1/2/3")
    ('15 june 1215', '15 june 1215', '')
    >>> date_in_digits("3/4/1999"), date_in_digits("3/4/1999", "de")
    ('4 march 1999', '3 april 1999')
    """
    first, second, third = re.split(r"[-/.]", text)
    if len(first) > 2:
        return day_in_words(Day(int(first), int(second), int(third)))
    if len(third) < 3:
        return ""
    day, month = int(first), int(second)
    if month > 12 or (day <= 12 and "/" in text and main_language(language) == "en"):
        day, month = month, day
    return day_in_words(Day(int(third), month, day))


def date_in_words(words: Sequence[str], language: str) -> Day | None:
    """Return the date that words state in full; None if a part is missing or words are left.

    >>> date_in_words("on november 9th 1989".split(), "en")
    Day(year=1989, month=11, day=9)
    >>> date_in_words("9 de noviembre de 1989".split(), "es")
    Day(year=1989, month=11, day=9)
    """
    values: dict[str, int] = {}
    for word in words:
        if word in _JOINERS:
            continue
        part = _part_of_date(word, language)
        if part is None or part[0] in values:
            return None
        values[part[0]] = part[1]
    if len(values) < len(Day._fields):
        return None
    day = Day(**values)
    return day if day.year else None  # no year is called 0


def _part_of_date(word: str, language: str) -> tuple[str, int] | None:
    """Return what a word may be in a date, its year, month or day, and its value."""
    if month := month_of(word, language):
        return "month", month
    if word.isdecimal() and len(word) in (3, 4):
        return "year", int(word)
    day = _DAY.fullmatch(word)
    if day and 1 <= int(day[1]) <= 31:
        return "day", int(day[1])
    return None


def read_date(text: str) -> Day | None:
    """Return the date that an XSD date, dateTime, gYearMonth or gMonthDay, or a year BC, denotes.

    >>> read_date("2001-6-20"), read_date("0632-06-08T00:00:00Z"), read_date("1995")
    (Day(year=2001, month=6, day=20), Day(year=632, month=6, day=8), None)
    >>> read_date("1995-03"), read_date("--03-05")
    (Day(year=1995, month=3, day=0), Day(year=0, month=3, day=5))
    >>> read_date("-0525")
    Day(year=-525, month=0, day=0)
    """
    for form in _XSD:
        if match := form.fullmatch(text.strip()):
            return Day(**{part: int(digits) for part, digits in match.groupdict().items()})
    return None


def date_at(
    words: tuple[str, ...], date: Day, index: int, language: str, *, in_era: bool = False
) -> bool:
    """Return whether a word is the year, or the month, of a date that agrees with `date`.

    With `in_era`, the words must say that it is before Christ.
    """
    if not date.year:
        neighbours = (*words[max(index - 2, 0) : index], *words[index + 1 : index + 4])
        return month_of(words[index], language) == date.month and str(date.day) in neighbours
    if words[index] not in (str(abs(date.year)), str(date.year)):
        return False

    near = words[max(index - _MAX_ERA_WORDS, 0) : index + 1 + _MAX_ERA_WORDS]
    tags = reading_languages(language)
    is_bc = any(phrases_in(near, "bc", *tags))
    is_ad = any(phrases_in(near, "ad", *tags))
    if is_bc != is_ad and is_bc != (date.year < 0):
        return False
    if in_era and not is_bc:
        return False
    if not date.month or (date.month, date.day) == (1, 1):  # often written for the year alone
        return True

    # the numbers beside the year that may be its month and day
    months = list[int]()
    days = list[int]()
    for side in (words[:index][::-1], words[index + 1 :]):
        for word in side[:_MAX_WORDS_FROM_YEAR]:
            part, value = _part_of_date(word, language) or ("", 0)
            if part == "month":
                months.append(value)
            elif part == "day":
                days.append(value)
            elif word not in _JOINERS:
                break

    if months:
        return date.month in months and (not days or not date.day or date.day in days)
    # without the name of a month, two numbers are day and month in either order
    return len(days) < 2 or not date.day or sorted(days) == sorted([date.month, date.day])


def has_swapped_date(text: str, date: Day, language: str) -> bool:
    """Return whether a text has a date in digits whose day and month another language swaps.

    >>> has_swapped_date("On 9/11/1989", Day(1989, 11, 9), "en")
    True
    >>> has_swapped_date("On 9/11/1989", Day(1989, 11, 9), "fr")
    False
    """
    if date.day == date.month:
        return False
    swapped = day_in_words(Day(date.year, date.day, date.month))
    return any(date_in_digits(digits, language) == swapped for digits in _IN_DIGITS.findall(text))


@functools.cache
def months_of(language: str) -> Mapping[str, int]:
    """Return the names of months in a language and in English, wide and abbreviated, and stems."""
    numbers_by_name: dict[tuple[str, ...], int] = {}
    for locale in locales(language):
        for context in ("format", "stand-alone"):
            for names in locale.months[context].values():
                for month, name in names.items():
                    numbers_by_name[tokens(str(name), locale.language)] = int(month)
        numbers_by_name |= phrase_values("month", locale.language)
    months = {}
    for words, month in numbers_by_name.items():
        if len(words) == 1 and len(words[0]) > 1 and not words[0].isdecimal():
            months[words[0]] = month
    long_names = [name for name in months if len(name) > _MAX_ABBR_CHARS]
    return {stem(name, language): months[name] for name in long_names} | months


@functools.lru_cache(maxsize=1 << 14)
def month_of(word: str, language: str) -> int:
    """Return the month that a word names in a language or in English, inflected or not; 0 if none.

    >>> month_of("rijnu", "cs"), month_of("october", "cs"), month_of("mill", "cs")
    (10, 10, 0)
    """
    months = months_of(language)
    return months.get(word) or months.get(stem(word, language), 0)
