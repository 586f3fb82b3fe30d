"""Units and scale words of every language, from CLDR."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

from qaldgen.scoring.words.cldr import PLURALS, locales
from qaldgen.scoring.words.tokens import tokens


@functools.cache
def scale_words(language: str) -> Mapping[tuple[str, ...], int]:
    """Return the words of a language for thousand, million and so on after digits.

    Parameters
    ----------
    language
        A language tag.

    Returns
    -------
    Mapping[tuple[str, ...], int]
        The factor by tokens.

    Examples
    --------
    >>> scale_words("es")["mil", "millones"], scale_words("zh")["万",], scale_words("hi")["लाख",]
    (1000000000, 10000, 100000)
    """
    factors: dict[tuple[str, ...], int] = {}
    for one in locales(language):
        for length in ("short", "long"):
            try:
                # The patterns of compact numbers ("0 million") are the only place where CLDR has
                # these words.
                patterns: Any = one.compact_decimal_formats[length]
            except KeyError:
                continue
            for row in patterns.values():
                for power, pattern in row.items():
                    words, zeros = _scale(pattern.pattern, language)
                    if words and (len("".join(words)) > 1 or not "".join(words).isascii()):
                        factors[words] = int(power) // 10 ** (zeros - 1)
    return factors


def _scale(pattern: str, language: str) -> tuple[tuple[str, ...], int]:
    part = pattern.partition(";")[0]
    return tokens(re.sub(r"[0'.\u200f\u200e]", " ", part), language), max(part.count("0"), 1)


@functools.cache
def unit_words(language: str, units: tuple[str, ...]) -> Mapping[tuple[str, ...], str]:
    """Return the words of a language for units, in every plural.

    Parameters
    ----------
    language
        A language tag.
    units
        Names of units in CLDR.

    Returns
    -------
    Mapping[tuple[str, ...], str]
        The unit's name by tokens.

    Examples
    --------
    >>> unit_words("pl", ("area-square-kilometer",))["kilometrow", "kwadratowych"]
    'area-square-kilometer'
    """
    from babel.units import UnknownUnitError, format_unit

    by_words: dict[tuple[str, ...], str] = {}
    for one in locales(language):
        for unit in units:
            for length in ("narrow", "short", "long"):
                for count in PLURALS:
                    try:
                        text = format_unit(count, unit, length, locale=one)
                    except UnknownUnitError:
                        break
                    words = tuple(
                        word
                        for word in tokens(re.sub(r"[\d.,٫]+", " ", _latin_digits(text)), language)
                    )
                    if words:
                        by_words.setdefault(words, unit)
    return by_words


def _latin_digits(text: str) -> str:
    return "".join(str(int(char)) if char.isdecimal() else char for char in text)
