"""The words of a text in one form for all scripts, their stems, and the phrases among them."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from qaldgen.defaults import LANGUAGE
from qaldgen.scoring.words.numbers import NUMBER, UNSPACED_LETTERS, plain_number
from qaldgen.scoring.words.phrases import locales, main_language, phrases, respelled

#: Letters that Unicode does not decompose, and Arabic letters that Persian writes in another way.
_LETTERS = str.maketrans("øłđðıيىكة", "olddiییکه") | {
    ord(letter): letters for letter, letters in (("æ", "ae"), ("œ", "oe"), ("þ", "th"))
}
_JOINED_BY = "\u200b\u200c"
_VOWEL_SIGNS = re.compile("[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\ufe00-\ufe0f]")
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.[ \u00a0]?){2,}")
#: Hangul endings follow Latin letters without a space.
_WORD = re.compile(
    rf"[{UNSPACED_LETTERS}]|[A-Za-z0-9]+(?=[\uac00-\ud7af])|[^\s{UNSPACED_LETTERS}]+"
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_DIGIT = re.compile("[0-9]")
#: The fewest letters of a stem.
_MIN_STEM_LETTERS = 3
#: A language with more endings than this inflects its nouns, and adds endings to endings.
_FEW_ENDINGS = 8


#: A word of a normalised text: its form, and its span.
Word: TypeAlias = tuple[str, tuple[int, int]]


class _Shape(dict[int, str]):
    """Letters, marks and numbers stay, all else becomes a space; the length does not change."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        stays = category[0] in "LMN" or (category == "Cf" and chr(code) not in _JOINED_BY)
        self[code] = chr(code) if stays else " "
        return self[code]


_SHAPE = _Shape()


def joined_signs(text: str) -> str:
    """Return a text in which signs that belong to a name become letters: C++, C#, J. K., U.S.

    >>> joined_signs("C++ and C#, not C"), joined_signs("J. K. Mill")
    ('Cplusplus and Csharp, not C', 'JK Mill')
    """
    text = respelled(text, "name-sign")
    if "." in text:
        text = _DOTTED.sub(lambda match: re.sub(r"\.|\s(?!$)", "", match[0]), text)
    return text


def has_digits(text: str) -> bool:
    """Return whether a text has digits of any script."""
    if text.isascii():  # most texts are, and are read faster
        return _DIGIT.search(text) is not None
    return any(map(str.isdigit, text))


def normalised(text: str) -> str:
    """Return a text in one form for all scripts, in which `words_of` finds words.

    >>> normalised("3½ km²"), normalised("C++")
    ('3.5 km2', 'Cplusplus')
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", respelled(text, "fraction"))  # NFKC: 31/2 of 3½
        text = text.replace("\u2010", "-")  # of a hyphen that does not break the line
    return joined_signs(text)


def words_of(text: str, language: str = LANGUAGE) -> list[Word]:
    """Return the words of a normalised text without case and accents, each with its place.

    Numbers have one form, a date in digits is three numbers, and in scripts without spaces each
    character is a word.

    >>> [form for form, _ in words_of("São-Paulo's 1,234 km, 25.06.2009 東京")]
    ['sao', 'paulo', 's', '1234', 'km', '25', '6', '2009', '東', '京']
    """
    words: list[Word] = []
    letters = text.translate(_SHAPE)
    end = 0
    for number, forms in _numbers_in(text, language):
        words += _words_between(letters, end, number.start())
        words += [(form, number.span()) for form in forms]
        end = number.end()
    words += _words_between(letters, end, len(letters))
    return words


def forms_of(text: str, language: str) -> tuple[str, ...]:
    """Return the words of a normalised text without their places, which takes half the time."""
    letters = text if text.isascii() else text.translate(_SHAPE)
    if not letters.isascii():
        return tuple(form for form, _ in words_of(text, language))
    letters = letters.lower()
    words: list[str] = []
    end = 0
    for number, forms in _numbers_in(text, language):
        words += _ASCII_WORD.findall(letters, end, number.start())
        words += forms
        end = number.end()
    words += _ASCII_WORD.findall(letters, end)
    return tuple(words)


def _numbers_in(text: str, language: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Yield the numbers of a text, with their forms as words; a date in digits has three."""
    if not has_digits(text):
        return
    for number in NUMBER.finditer(text):
        if number["date"]:
            yield number, [str(int(part)) for part in re.split(r"[-/.]", number[0])]
        else:
            yield number, [plain_number(number[0], language) or number[0]]


def _words_between(letters: str, start: int, end: int) -> Iterator[Word]:
    """Yield the words of a part of a text that has no numbers."""
    for match in _WORD.finditer(letters, start, end):
        form = plain_word(match[0])
        if form:
            yield form, match.span()


@functools.lru_cache(maxsize=1 << 14)
def plain_word(word: str) -> str:
    """Return a word in lower case, without accents and signs of vowels."""
    chars = _VOWEL_SIGNS.sub("", unicodedata.normalize("NFKD", word.casefold()))
    letters = [char for char in chars if unicodedata.category(char)[0] in "LMN"]
    return "".join(letters).translate(_LETTERS)


def tokens(text: str, language: str = LANGUAGE) -> tuple[str, ...]:
    """Return the forms of the words of a text."""
    return forms_of(normalised(text), language)


@functools.lru_cache(maxsize=1 << 17)
def stem(word: str, language: str) -> str:
    """Return a word without the endings of a language: Krakowie and Kraków have one stem.

    >>> stem("krakowie", "pl"), stem("warszawie", "pl") == stem("warszawa", "pl")
    ('krak', True)
    """
    endings = phrase_words("ending", language)
    longest = max(map(len, endings), default=0)
    while True:
        lengths = range(min(len(word) - _MIN_STEM_LETTERS, longest), 0, -1)
        ending = next((word[-length:] for length in lengths if word[-length:] in endings), "")
        word = word.removesuffix(ending)
        if not ending or len(endings) <= _FEW_ENDINGS:
            return word


@functools.cache
def phrase_tokens(kind: str, *languages: str) -> frozenset[tuple[str, ...]]:
    """Return the phrases of a kind (see `phrases`) in some languages, or in all, each as tokens.

    >>> not_only = ("nicht", "nur")
    >>> not_only in phrase_tokens("not-only", "en"), not_only in phrase_tokens("not-only")
    (False, True)
    """
    rows = phrases(kind)
    chosen = [rows.get(main_language(tag), ()) for tag in languages] or rows.values()
    return frozenset(tokens(phrase) for row in chosen for phrase in row)


@functools.cache
def phrase_words(kind: str, *languages: str) -> frozenset[str]:
    """Return the words of the phrases of a kind, in some languages or in all."""
    return frozenset(word for phrase in phrase_tokens(kind, *languages) for word in phrase)


@functools.cache
def phrase_values(kind: str, language: str) -> Mapping[tuple[str, ...], int]:
    """Return the phrases of a kind that are followed by their value, as tokens, with that value.

    >>> phrase_values("month", "es")
    {('setiembre',): 9}
    """
    pairs = [row.rpartition(" ") for row in phrases(kind).get(language, ())]
    return {tokens(phrase): int(value) for phrase, _, value in pairs}


@functools.cache
def _phrases_by_first_word(kind: str, *languages: str) -> Mapping[str, list[tuple[str, ...]]]:
    """Return the phrases of a kind by their first word, the longest phrase first."""
    by_word: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(phrase_tokens(kind, *languages), key=len, reverse=True):
        by_word.setdefault(phrase[0], []).append(phrase)
    return by_word


def phrases_in(words: tuple[str, ...], kind: str, *languages: str) -> Iterator[tuple[int, int]]:
    """Yield where words have a phrase of a kind: the index of its first word, and after its last.

    >>> list(phrases_in(tokens("It may be Ulm."), "perhaps", "en"))
    [(1, 3)]
    """
    table = _phrases_by_first_word(kind, *languages)
    if table.keys().isdisjoint(words):  # most texts have none
        return
    for i, word in enumerate(words):
        for phrase in table.get(word, ()):
            if words[i : i + len(phrase)] == phrase:
                yield i, i + len(phrase)
                break


@functools.cache
def joiners(kind: str, language: str) -> frozenset[str]:
    """Return the words for "and" (a kind of CLDR: standard), or "or", of a language and of English.

    >>> sorted(joiners("standard", "de") | joiners("or", "de"))
    ['and', 'oder', 'or', 'und']
    """
    words: set[str] = set()
    for locale in locales(language):
        for name in (kind, f"{kind}-short"):
            pattern = locale.list_patterns.get(name, {}).get("2", "")  # "{0} and {1}"
            words.update(tokens(pattern.format("", "")))
    return frozenset(words)
