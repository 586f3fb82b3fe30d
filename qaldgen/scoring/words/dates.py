"""Whether a text names a date.

In digits, with the name of a month in any language, or in another calendar.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence

from qaldgen.scoring.words.calendars import OTHER_CALENDARS, Day, other_calendars
from qaldgen.scoring.words.cldr import month_names
from qaldgen.scoring.words.lexicon import DATE_JOINERS, MONTHS_ALSO, phrases, primary
from qaldgen.scoring.words.tokens import tokens
from qaldgen.scoring.words.word_lists import word_set

_DATE = re.compile(r"(-?\d{1,4})-(\d{1,2})-(\d{1,2})(?:T.*|Z|[+-]\d\d:\d\d)?")
_YEAR_MONTH = re.compile(r"(-?\d{4})-(\d{2})")
_MONTH_DAY = re.compile(r"--(\d{2})-(\d{2})")
_JOINERS = word_set(" ".join(DATE_JOINERS))
_LONGEST_MONTH = 2
#: The name of a month may have an ending of up to this many letters: maaliskuussa.
_ENDING = 4
#: How many words before (and after) a year may belong to its date.
_REACH = 6


def read_date(text: str) -> Day | None:
    """Return the date that an XSD date, dateTime, gYearMonth or gMonthDay denotes.

    Parameters
    ----------
    text
        A literal; leading zeros may be missing.

    Returns
    -------
    Day | None
        None if it is something else.

    Examples
    --------
    >>> read_date("2001-6-20"), read_date("0632-06-08T00:00:00Z"), read_date("1995")
    (Day(year=2001, month=6, day=20), Day(year=632, month=6, day=8), None)
    >>> read_date("1995-03"), read_date("--03-05")
    (Day(year=1995, month=3, day=0), Day(year=0, month=3, day=5))
    """
    text = text.strip()
    if match := _DATE.fullmatch(text):
        return Day(abs(int(match[1])), int(match[2]), int(match[3]))
    if (match := _YEAR_MONTH.fullmatch(text)) and 1 <= int(match[2]) <= 12:
        return Day(abs(int(match[1])), int(match[2]), 0)
    match = _MONTH_DAY.fullmatch(text)
    return Day(0, int(match[1]), int(match[2])) if match else None


def has_date(words: Sequence[str], date: Day, language: str = "en") -> bool:
    """Tell whether a text names a date.

    The year is enough, unless the words around it give another month or day; the first of January
    counts as a mere year. A decade ("the 1990s") is not one of its years.

    Parameters
    ----------
    words
        The tokens of the text.
    date
        The gold date.
    language
        The language of the names of months and decades, besides English.

    Returns
    -------
    bool
        Whether it does.

    Examples
    --------
    >>> day = Day(1616, 4, 23)
    >>> [has_date(tokens(text), day) for text in ("in 1616", "on April 23rd, 1616", "1616-04-23")]
    [True, True, True]
    >>> [has_date(tokens(text), day) for text in ("on 3 May 1616", "in 1617")]
    [False, False]
    >>> has_date(tokens("in the 1610s"), Day(1610, 3, 5))
    False
    """
    year, own = str(date.year), primary(language)
    if any(
        (word == year or not date.year) and date_at(words, date, i, language)
        for i, word in enumerate(words)
    ):
        return True
    return own in OTHER_CALENDARS and any(_same(date, day) for day in other_calendars(words, own))


def date_at(words: Sequence[str], date: Day, at: int, language: str) -> bool:
    """Tell whether the token at an index is the year of a date that agrees with `date`.

    Parameters
    ----------
    words
        Tokens.
    date
        The gold date; without a year, the token must be its month.
    at
        Index of the token.
    language
        As for `has_date`.

    Returns
    -------
    bool
        Whether it is.
    """
    if not date.year:
        month = _month_at(words, at, language)
        near = (*words[max(at - 2, 0) : at], *words[at + 1 : at + 4])
        return month is not None and month[0] == date.month and str(date.day) in near
    if words[at] != str(date.year) or is_decade(words, at, language):
        return False
    months, days = _around(words, at, language)
    return _agrees(date, months, days)


def is_decade(words: Sequence[str], at: int, language: str) -> bool:
    """Tell whether a number is a decade: the 1990s, les années 1990, 1990年代.

    Parameters
    ----------
    words
        Tokens.
    at
        Index of the number.
    language
        As for `has_date`.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> is_decade(tokens("in the 1990s"), 2, "en"), is_decade(tokens("in 1990"), 1, "en")
    (True, False)
    """
    if not words[at].endswith("0"):
        return False
    after, before = _decades(primary(language))
    return any(tuple(words[at + 1 : at + 1 + n]) in after for n in (1, 2)) or any(
        tuple(words[max(at - n, 0) : at]) in before for n in (1, 2)
    )


@functools.cache
def _decades(language: str) -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]]:
    def read(kind: str) -> frozenset[tuple[str, ...]]:
        return frozenset(
            tokens(phrase) for own in ("en", language) for phrase in phrases(kind).get(own, ())
        )

    return read("decade-after"), read("decade-before")


@functools.cache
def _months(language: str) -> Mapping[tuple[str, ...], int]:
    months: dict[tuple[str, ...], int] = {}
    for own in ("en", language):
        months |= month_names(own)
        months |= {tokens(name): month for name, month in MONTHS_ALSO.get(own, {}).items()}
    return months


def _month_at(words: Sequence[str], at: int, language: str) -> tuple[int, int] | None:
    """Return the month that is named here, and how many words its name has."""
    table = _months(primary(language))
    for length in range(_LONGEST_MONTH, 0, -1):
        month = table.get(tuple(words[at : at + length])) if at + length <= len(words) else None
        if month is not None:
            return month, length
    word = words[at]
    # Inflected names, in long words only: a short one with a letter less is easily another word.
    if (len(word) > 5 and not word.isascii()) or len(word) > 7:
        for cut in range(1, _ENDING + 1):
            month = table.get((word[:-cut],))
            if month is not None and len(word) - cut > 3:
                return month, 1
    return None


def _around(words: Sequence[str], year: int, language: str) -> tuple[set[int], set[int]]:
    """Return the months and days in the date phrase around a year."""
    start = max(year - _REACH, 0)
    months, days = _parts(words, range(start, year), language, backwards=True)
    more = _parts(
        words, range(year + 1, min(year + 1 + _REACH, len(words))), language, backwards=False
    )
    return months | more[0], days | more[1]


def _parts(
    words: Sequence[str], places: range, language: str, *, backwards: bool
) -> tuple[set[int], set[int]]:
    """Read months and days next to a year, up to the first other word."""
    months: set[int] = set()
    days: set[int] = set()
    todo = list(places)
    while todo:
        at = todo.pop() if backwards else todo.pop(0)
        length = 1
        if (
            backwards
            and at - 1 in places
            and (wide := _month_at(words, at - 1, language))
            and wide[1] == 2
        ):
            months.add(wide[0])
            todo.pop()
        elif named := _month_at(words, at, language):
            months.add(named[0])
            length = named[1]
        elif len(words[at]) < 3 and words[at].isdecimal() and 1 <= int(words[at]) <= 31:
            days.add(int(words[at]))
        elif words[at] not in _JOINERS:
            break
        if not backwards:
            todo = todo[length - 1 :]
    return months, days


def _agrees(date: Day, months: set[int], days: set[int]) -> bool:
    if (date.month, date.day) == (1, 1):
        return True
    if months:
        return date.month in months and (not days or not date.day or date.day in days)
    # Without a month by name, two numbers are day and month in either order.
    return len(days) < 2 or not date.day or days == {date.month, date.day}


def _same(date: Day, given: Day) -> bool:
    return (
        date.year == given.year
        and given.month in (0, date.month)
        and (given.day in (0, date.day) or (date.month, date.day) == (1, 1))
    )
