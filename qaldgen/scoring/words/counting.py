"""Numbers written in words, in the languages of `number_words`, and in Chinese numerals."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.scoring.words.cldr_units import scale_words
from qaldgen.scoring.words.number_words import HAN_DIGITS, HAN_POWERS, WORDS
from qaldgen.scoring.words.tokens import tokens
from qaldgen.scoring.words.word_lists import word_set

#: Words of the longest phrase for a number below 100: quatre vingt dix sept.
_LONGEST = 4


class Counted(NamedTuple):
    """A number in words.

    Attributes
    ----------
    value : int
        The number.
    end : int
        Index after its last word.
    """

    value: int
    end: int


def _forms(row: str) -> list[tuple[str, int]]:
    return [
        (form.replace("_", " "), n)
        for n, forms in enumerate(row.split())
        for form in forms.split("/")
        if form != "-"
    ]


@functools.cache
def _phrases(language: str) -> Mapping[tuple[str, ...], int]:
    """Return the phrases of a language for 0 to 99, as tokens."""
    words = WORDS[language]
    units, tens = _forms(words.units), [(form, 10 * n + 20) for form, n in _forms(words.tens)]
    values = dict(units + tens)
    for ten, high in tens:
        forms = [
            form for form in words.compounds if high == 20 or "{ten}" in form or "{cut}" in form
        ]
        for unit, low in units + [(form, 1) for form in words.one.split()]:
            # French counts on to nineteen after sixty and eighty.
            if 0 < low < (20 if language == "fr" and high >= 60 else 10):
                values |= {
                    form.format(ten=ten, unit=unit, cut=ten[:-1]): high + low for form in forms
                }
    return {tokens(phrase): value for phrase, value in values.items()}


@functools.cache
def scales(language: str) -> Mapping[tuple[str, ...], int]:
    """Return the words that multiply a number, as tokens.

    Those of our tables, of CLDR, and of English.

    Parameters
    ----------
    language
        A primary language tag.

    Returns
    -------
    Mapping[tuple[str, ...], int]
        The factor by tokens.

    Examples
    --------
    >>> scales("de")["millionen",], scales("es")["mil", "millones"], scales("ja")["万",]
    (1000000, 1000000000, 10000)
    """
    factors: dict[tuple[str, ...], int] = {}
    for name in dict.fromkeys(["en", language]):
        factors |= scale_words(name)
        if name in WORDS:
            factors |= {tokens(word): value for word, value in WORDS[name].scales.items()}
    return factors


@functools.cache
def _simple_scales(language: str) -> Mapping[str, int]:
    return {
        token: value for word, value in WORDS[language].scales.items() for token in tokens(word)
    }


def _phrase(words: Sequence[str], start: int, language: str) -> Counted | None:
    """Return the longest phrase for 0 to 99 that begins here."""
    table = _phrases(language)
    for length in range(_LONGEST, 0, -1):
        value = table.get(tuple(words[start : start + length]))
        if value is not None and start + length <= len(words):
            return Counted(value, start + length)
    return None


@functools.cache
def _first_words(language: str) -> frozenset[str]:
    joiners = word_set(WORDS[language].joiners)
    return (
        frozenset(phrase[0] for phrase in _phrases(language)) | frozenset(_simple_scales(language))
    ) - joiners


def in_words(words: Sequence[str], start: int, language: str) -> Counted | None:
    """Return the number in words that begins at a token.

    Parameters
    ----------
    words
        Tokens.
    start
        Index of the first token.
    language
        A primary language tag.

    Returns
    -------
    Counted | None
        None if no number begins there.

    Examples
    --------
    >>> in_words(tokens("two thousand five hundred mills"), 0, "en")
    Counted(value=2500, end=4)
    >>> in_words(tokens("三百五十"), 0, "zh")
    Counted(value=350, end=4)
    """
    if words[start] in HAN_DIGITS or words[start] == "十":
        return _in_han(words, start)
    if language not in WORDS or words[start] not in _first_words(language):
        return None
    joiners, multiples = word_set(WORDS[language].joiners), _simple_scales(language)
    if not (words[start] in multiples or _phrase(words, start, language)):
        return None
    return _added_up(words, start, language, joiners, multiples)


def _added_up(
    words: Sequence[str],
    start: int,
    language: str,
    joiners: frozenset[str],
    multiples: Mapping[str, int],
) -> Counted:
    total = group = last = 0
    i = end = start
    while i < len(words):
        small, scale = _phrase(words, i, language), multiples.get(words[i], 0)
        if small is not None and group % 100 == 0:
            group, i = group + small.value, small.end
        elif scale == 100 and group < 10:
            group, i = 100 * (group or 1), i + 1
        elif scale > 100:
            # "Two hundred thousand million" multiplies everything so far; after a larger scale a
            # smaller one starts a new group: "two million three thousand".
            larger = scale > last > 0
            total = (total + group) * scale if larger else total + (group or 1) * scale
            group, last, i = 0, scale, i + 1
        elif words[i] in joiners and end == i:
            i += 1
            continue
        else:
            break
        end = i
    return Counted(total + group, end)


def _in_han(words: Sequence[str], start: int) -> Counted | None:
    """Read a Chinese numeral of two characters or more, or of one from 2 on."""
    total = section = digit = 0
    i = start
    while i < len(words) and (words[i] in HAN_DIGITS or words[i] in HAN_POWERS):
        power = HAN_POWERS.get(words[i], 0)
        if not power:
            digit = HAN_DIGITS[words[i]] if not digit else 10 * digit + HAN_DIGITS[words[i]]
        # Below 10,000 a power multiplies its digit; from there on it multiplies the whole section.
        elif power < 10**4:
            section, digit = section + (digit or 1) * power, 0
        else:
            total, section, digit = total + ((section + digit) or 1) * power, 0, 0
        i += 1
    value = total + section + digit
    return Counted(value, i) if i > start + 1 or value > 1 else None
