"""The words of a text, in one form for all scripts: what `contains` looks up."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from qaldgen.scoring.words.lexicon import phrases
from qaldgen.scoring.words.numbers import NUMBER, canonical, read_number

#: Letters that Unicode does not take apart, and Arabic letters that Persian writes in another way.
_LETTERS = dict(
    zip(
        "øłđðıæœþيىكة", ["o", "l", "d", "d", "i", "ae", "oe", "th", "ی", "ی", "ک", "ه"], strict=True
    )
)
#: Scripts that put no space between words: Thai to Myanmar, Khmer, CJK with kana, the supplementary
#: ideographs.
_NO_SPACES = ((0x0E00, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x9FFF), (0x20000, 0x3FFFF))
_ZERO_WIDTH_SPACES = "\u200b\u200c"


class _Table(dict[int, str]):
    """What becomes of a character: itself, another letter, nothing, or a space.

    Filled on demand for `str.translate`.
    """

    def __missing__(self, code: int) -> str:
        self[code] = self._of(code, chr(code))
        return self[code]

    @staticmethod
    def _of(code: int, char: str) -> str:
        category = unicodedata.category(char)
        if (
            0x0300 <= code <= 0x036F
            or 0x0610 <= code <= 0x061A
            or 0x064B <= code <= 0x065F
            or code == 0x0670
        ):
            return ""
        if category[0] in "LMN":
            return (
                f" {char} "
                if any(low <= code <= high for low, high in _NO_SPACES)
                else _LETTERS.get(char, char)
            )
        return "" if category == "Cf" and char not in _ZERO_WIDTH_SPACES else " "


_TABLE = _Table()


_DIGIT = re.compile(r"\d")
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.[ \u00a0]?){2,}")
_SIGNED = re.compile(r"\b([^\W\d_]\w*?)(\+\+|\+|#|♯)(?!\w)")
_LEADING_DOT = re.compile(r"(?<![\w.])\.(?=[A-Z]{2})")
_FEWEST_DOTS = 2
_SIGNS = {"++": "plusplus", "+": "plus", "#": "sharp", "♯": "sharp"}


def joined_signs(text: str) -> str:
    """Return a text in which signs that belong to a name are letters: C++, C#, Disney+, .NET, J.

    K., U.S.

    Examples
    --------
    >>> joined_signs("C++ and C#, not C"), joined_signs("J. K. Rowling of the U.S.A."), joined_signs(".NET")
    ('Cplusplus and Csharp, not C', 'JK Rowling of the USA', 'dotNET')
    """
    if "+" in text or "#" in text or "♯" in text:
        text = _SIGNED.sub(lambda found: found[1] + _SIGNS[found[2]], text)
    if "." in text:
        text = _LEADING_DOT.sub("dot", text) if " ." in text or text[0] == "." else text
        text = (
            text
            if text.count(".") < _FEWEST_DOTS
            else _DOTTED.sub(
                lambda found: (
                    re.sub(r"[.\s]", "", found[0]) + (" " if found[0][-1].isspace() else "")
                ),
                text,
            )
        )
    return text


def _words(text: str) -> list[str]:
    if text.isascii():
        return text.lower().translate(_TABLE).split()
    return unicodedata.normalize("NFKD", text.casefold()).translate(_TABLE).split()


def tokens(text: str, language: str = "en") -> tuple[str, ...]:
    """Split a text into words without case, accents and punctuation, numbers in one form.

    Parameters
    ----------
    text : str
        Any text.
    language : str
        Tells how numbers are written.

    Returns
    -------
    tuple of str
        Words; a number as `qaldgen.scoring.words.numbers.canonical` writes it, a date in digits as
        three numbers, and in scripts without spaces (Chinese, Japanese, Thai, Lao, Tibetan,
        Burmese, Khmer) each character. "5km" is a number and a word, "K2" one word; signs that
        belong to a name are letters (`joined_signs`).

    Examples
    --------
    >>> tokens("São-Paulo's 1,234 km")
    ('sao', 'paulo', 's', '1234', 'km')
    >>> tokens("25.06.2009 東京")
    ('25', '6', '2009', '東', '京')
    """
    text = joined_signs(unicodedata.normalize("NFKC", text))
    if _DIGIT.search(text) is None:
        return tuple(_words(text))
    found: list[str] = []
    end = 0
    for number in NUMBER.finditer(text):
        found += _words(text[end : number.start()])
        found += _numbers(number, language)
        end = number.end()
    return tuple(found + _words(text[end:]))


def _numbers(number: re.Match[str], language: str) -> list[str]:
    if number["date"]:
        return [str(int(part)) for part in re.split(r"[-/.]", number["date"])]
    digits = number[0]
    if digits.isascii() and digits.isdecimal():
        return [digits]
    value = None if re.fullmatch(r"0\d+", digits) else read_number(digits, language)
    return [digits if value is None else canonical(value)]


class Word(NamedTuple):
    """A word of a text: in the form of `tokens`, as it stands there, and where."""

    form: str
    surface: str
    start: int
    end: int


class _Shape(dict[int, str]):
    """Letters, marks and numbers stay, all else is a space; every character remains one."""

    def __missing__(self, code: int) -> str:
        char, category = chr(code), unicodedata.category(chr(code))
        joins = category == "Cf" and char not in _ZERO_WIDTH_SPACES
        self[code] = char if category[0] in "LMN" or joins else " "
        return self[code]


_SHAPE = _Shape()
_SHAPED = re.compile(r"\S+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")


def spans(text: str, language: str = "en") -> tuple[str, list[tuple[int, int]]]:
    """Return a text in the form in which it is read, and where each of its tokens stands there.

    Examples
    --------
    >>> text, places = spans("In São-Paulo, 1,234 km")
    >>> [text[start:end] for start, end in places]
    ['In', 'São', 'Paulo', '1,234', 'km']
    """
    text = joined_signs(unicodedata.normalize("NFKC", text))
    if _DIGIT.search(text) is None:
        return text, _word_spans(text, 0, len(text))
    found: list[tuple[int, int]] = []
    end = 0
    for number in NUMBER.finditer(text):
        found += _word_spans(text, end, number.start())
        found += [number.span()] * len(_numbers(number, language))
        end = number.end()
    return text, found + _word_spans(text, end, len(text))


def _word_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    if text.isascii():
        return [found.span() for found in _ASCII_WORD.finditer(text, start, end)]
    places: list[tuple[int, int]] = []
    for found in _SHAPED.finditer(text[start:end].translate(_SHAPE)):
        forms, at = len(_words(found[0])), start + found.start()
        single = forms == len(found[0])
        places += (
            [(at + i, at + i + 1) for i in range(forms)]
            if single
            else [(at, start + found.end())] * forms
        )
    return places


def marked(text: str, language: str = "en") -> tuple[str, list[Word]]:
    """Return a text as `tokens` reads it, and its tokens with their places there.

    Examples
    --------
    >>> text, words = marked("In São-Paulo, 1,234 km")
    >>> [(word.form, text[word.start : word.end]) for word in words]
    [('in', 'In'), ('sao', 'São'), ('paulo', 'Paulo'), ('1234', '1,234'), ('km', 'km')]
    """
    source, places = spans(text, language)
    forms = tokens(text, language)
    return source, [
        Word(form, source[start:end], start, end)
        for form, (start, end) in zip(forms, places, strict=True)
    ]


@functools.cache
def listed(kind: str, language: str = "any") -> frozenset[str]:
    """Return the tokens of the words of a kind, see `qaldgen.scoring.words.lexicon.phrases`.

    Examples
    --------
    >>> "queen" in listed("title"), "oder" in listed("or", "de"), listed("or", "xx")
    (True, True, frozenset())
    """
    return frozenset(
        token for phrase in phrases(kind).get(language, ()) for token in tokens(phrase)
    )


@functools.cache
def listed_phrases(kind: str, language: str = "any") -> frozenset[tuple[str, ...]]:
    """Return the phrases of a kind, each as tokens.

    Examples
    --------
    >>> ("nicht", "nur") in listed_phrases("not-only", "de")
    True
    """
    return frozenset(tokens(phrase) for phrase in phrases(kind).get(language, ()))


@functools.cache
def _by_first_word(kind: str, language: str) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in listed_phrases(kind, language):
        found.setdefault(phrase[0], []).append(phrase)
    return found


def phrases_in(
    words: tuple[str, ...], kind: str, language: str = "any"
) -> Iterator[tuple[int, int]]:
    """Yield where tokens have a phrase of a kind: its first word, and the one behind its last.

    Examples
    --------
    >>> list(phrases_in(tokens("Er ist nicht nur alt."), "not-only", "de"))
    [(2, 4)]
    """
    table = _by_first_word(kind, language)
    for i, word in enumerate(words):
        for phrase in table.get(word, ()):
            if words[i : i + len(phrase)] == phrase:
                yield i, i + len(phrase)


@functools.cache
def word_set(words: str) -> frozenset[str]:
    """Return the tokens of a row of words of a table.

    Examples
    --------
    >>> sorted(word_set("não nunca"))
    ['nao', 'nunca']
    """
    return frozenset(token for word in words.replace("/", " ").split() for token in tokens(word))
