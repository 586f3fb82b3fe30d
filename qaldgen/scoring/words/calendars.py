"""Dates in other calendars, converted to the Gregorian one: Thai, Japanese eras, Persian."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from qaldgen.scoring.words.tokens import tokens

#: The languages in which other calendars are read; Japanese without kana may pass for Chinese.
OTHER_CALENDARS = frozenset(["ja", "zh", "th", "fa"])
_ERAS = {
    tokens(name): year
    for name, year in (
        ("明治", 1868),
        ("大正", 1912),
        ("昭和", 1926),
        ("平成", 1989),
        ("令和", 2019),
    )
}
#: The months of the Persian calendar; the first six have 31 days, the next five 30.
_PERSIAN = {
    tokens(name)[0]: month
    for month, name in enumerate(
        ["فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی",
            "بهمن", "اسفند"], 1
    )
}  # fmt: skip
#: The Thai calendar counts from the year 543 BC.
_THAI_OFFSET = 543


class Day(NamedTuple):
    """A day in the Gregorian calendar.

    Attributes
    ----------
    year : int
        The year.
    month, day : int
        0 if the text does not give them.
    """

    year: int
    month: int
    day: int


def other_calendars(words: Sequence[str], language: str) -> Iterator[Day]:
    """Yield the dates that a text gives in other calendars.

    Parameters
    ----------
    words
        The tokens of the text.
    language
        A primary language tag, for Thai and Persian dates; eras are read in any language.

    Yields
    ------
    Iterator[Day]
        In the order of the text.

    Examples
    --------
    >>> list(other_calendars(tokens("平成2年"), "ja"))
    [Day(year=1990, month=0, day=0)]
    >>> list(other_calendars(tokens("พ.ศ. 2533"), "th"))
    [Day(year=1990, month=0, day=0)]
    >>> list(other_calendars(tokens("۱۴ اسفند ۱۳۶۸"), "fa"))
    [Day(year=1990, month=3, day=5)]
    """
    for i, word in enumerate(words):
        if tuple(words[i : i + 2]) in _ERAS:
            count = words[i + 2] if len(words) > i + 2 else ""
            if count == "元" or count.isdecimal():
                yield Day(
                    _ERAS[words[i], words[i + 1]] + (1 if count == "元" else int(count)) - 1, 0, 0
                )
        # Years that can only be Thai ones, 1757 to 2157.
        elif language == "th" and word.isdecimal() and 2300 < int(word[:6]) < 2700:
            yield Day(int(word) - _THAI_OFFSET, 0, 0)
        elif word in _PERSIAN and language == "fa":
            yield from _persian(words, i)


def _persian(words: Sequence[str], at: int) -> Iterator[Day]:
    year, day = (words[n] if 0 <= n < len(words) else "" for n in (at + 1, at - 1))
    if not (year.isdecimal() and 1000 <= int(year[:6]) < 1600):
        return
    number = int(day) if day.isdecimal() and len(day) < 3 else 0
    if not 1 <= number <= 31:
        # The Persian year begins in March: from the eleventh month on (late January) the Gregorian
        # year is one further.
        yield Day(int(year) + 621 + (_PERSIAN[words[at]] > 10), 0, 0)
        return
    yield _gregorian(int(year), _PERSIAN[words[at]], number)


def _gregorian(year: int, month: int, day: int) -> Day:
    """Convert a Persian day by the 33-year cycle, exact for 1178 to 1633 (1799 to 2254)."""
    import datetime

    cycles, rest = divmod(year - 979, 33)
    days = (
        365 * (year - 979)
        + 8 * cycles
        + (rest + 3) // 4
        + 31 * (month - 1)
        - max(month - 7, 0)
        + day
        - 1
    )
    day_found = datetime.date(1600, 3, 20) + datetime.timedelta(days)
    return Day(day_found.year, day_found.month, day_found.day)
