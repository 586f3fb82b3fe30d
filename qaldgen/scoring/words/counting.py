"""Numbers written in words, in the languages of `number_words`, and in Chinese numerals."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from qaldgen.scoring.words.cldr_units import scale_words
from qaldgen.scoring.words.number_words import HAN_DIGITS, HAN_POWERS, WORDS
from qaldgen.scoring.words.tokens import tokens
from qaldgen.scoring.words.word_lists import word_set

#: Words of the longest phrase for a number below 100: quatre vingt dix sept.
_LONGEST = 4
#: Letters of the shortest number from 100 on that is one word of several.
_SHORTEST_GLUED = 7
#: The first parts of years that are said in two.
_FIRST_CENTURY, _LAST_CENTURY = 10, 20
#: "And" where it is written together with the next word.
_AND = MappingProxyType(
    {"de": "und", "nl": "en", "sv": "och", "da": "og", "no": "og", "ar": "و", "he": "ו"}
)


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
def _hundreds(language: str) -> Mapping[tuple[str, ...], int]:
    """Return the words for 200, 300 ... 900, as tokens."""
    return {tokens(form): 100 * n + 200 for form, n in _forms(WORDS[language].hundreds)}


def _hundred(words: Sequence[str], start: int, language: str) -> Counted | None:
    table = _hundreds(language)
    for end in (start + 2, start + 1):
        value = table.get(tuple(words[start:end])) if end <= len(words) else None
        if value is not None:
            return Counted(value, end)
    return None


@functools.lru_cache(maxsize=1 << 14)
def _glued(word: str, language: str) -> int | None:
    """Return the value of a number from 100 to 999,999 in one word, such as "zweihundertacht"."""
    if not WORDS[language].glued or len(word) < _SHORTEST_GLUED:
        return None
    for thousand in _scale_words(language, 1000):
        left, found, right = word.partition(thousand)
        if found:
            many, rest = _below_thousand(left, language), _below_thousand(right, language)
            known = left + right and many is not None and rest is not None
            return 1000 * (many or 1) + (rest or 0) if known else None
    return _below_thousand(word, language) if word not in _simple_scales(language) else None


def _below_thousand(word: str, language: str) -> int | None:
    """Return the value of a part of a long word, 0 if it is empty; also "nineteen hundred"."""
    small = _single_words(language)
    if not word or word in small:
        return small.get(word, 0)
    for hundred in _scale_words(language, 100):
        left, found, right = word.partition(hundred)
        many, rest = small.get(left, 0), small.get(right.removeprefix(_AND.get(language, " ")), 0)
        if found and (many or not left) and (rest or not right):
            return 100 * (many or 1) + rest
    return None


@functools.cache
def _single_words(language: str) -> Mapping[str, int]:
    ones = {token: 1 for word in WORDS[language].one.split() for token in tokens(word)}
    return ones | {phrase[0]: n for phrase, n in _phrases(language).items() if len(phrase) == 1}


@functools.cache
def _scale_words(language: str, value: int) -> tuple[str, ...]:
    """Return the words for a hundred or a thousand, the longest first."""
    found = (word for word, factor in _simple_scales(language).items() if factor == value)
    return tuple(sorted(found, key=len, reverse=True))


@functools.cache
def _first_words(language: str) -> frozenset[str]:
    joiners = word_set(WORDS[language].joiners)
    phrases = (*_phrases(language), *_hundreds(language))
    return (
        frozenset(phrase[0] for phrase in phrases) | frozenset(_simple_scales(language))
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
    if language not in WORDS:
        return None
    if words[start] not in _first_words(language):
        glued = _glued(words[start], language)
        return None if glued is None else _added_up(words, start, language)
    if not (words[start] in _simple_scales(language) or _group(words, start, language)):
        return None
    return _year(words, start, language) or _added_up(words, start, language)


def _year(words: Sequence[str], start: int, language: str) -> Counted | None:
    """Return an English year in two parts: "nineteen ninety-nine", "nineteen oh five"."""
    century = _phrase(words, start, language) if language == "en" else None
    if century is None or not _FIRST_CENTURY <= century.value <= _LAST_CENTURY:
        return None
    oh = words[century.end : century.end + 1] in (["oh"], ("oh",))
    rest = _phrase(words, century.end + oh, language)
    # "Fifteen, sixteen" is rather a list.
    fits = rest and (
        rest.value < 10 if oh else rest.value >= 20 or 10 <= rest.value < century.value
    )
    scaled = rest and rest.end < len(words) and words[rest.end] in _simple_scales(language)
    return (
        Counted(100 * century.value + rest.value, rest.end)
        if rest and fits and not scaled
        else None
    )


def _group(words: Sequence[str], start: int, language: str) -> Counted | None:
    """Return what one or a few words add to a number: 0 to 99, 200 to 900, or more in one word."""
    found = _phrase(words, start, language) or _hundred(words, start, language)
    glued = None if found else _glued(words[start], language)
    return found if glued is None else Counted(glued, start + 1)


def _unjoined(words: Sequence[str], at: int, language: str) -> Sequence[str]:
    """Return the words from here on, without a joiner that is written as part of the first."""
    prefix = _AND.get(language, "")
    joined = prefix and not WORDS[language].glued and words[at].startswith(prefix)
    return [words[at].removeprefix(prefix) if joined else words[at], *words[at + 1 : at + _LONGEST]]


def _added_up(words: Sequence[str], start: int, language: str) -> Counted:
    joiners, multiples = word_set(WORDS[language].joiners), _simple_scales(language)
    total = group = last = 0
    i = end = start
    while i < len(words):
        here = _unjoined(words, i, language) if i > start else words[i : i + _LONGEST]
        small, scale = _group(here, 0, language), multiples.get(here[0], 0)
        if small is not None and multiples.get(_word(words, i + small.end), 0) in _used(
            group, last
        ):
            break  # "Two hundred and three hundred" are two numbers.
        if small is not None and (group == 0 or (group % 100 == 0 and small.value < 100)):
            group, i = group + small.value, i + small.end
        elif scale == 100 and group < 20:  # as in "twelve hundred"
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


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else ""


def _used(group: int, last: int) -> tuple[int, ...]:
    """Return the scales that a number cannot have again, after what has been read of it."""
    return tuple(scale for scale in (100 * (group > 99), last) if scale)


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
