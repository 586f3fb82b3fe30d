"""The words of a text, in one form for all scripts: the basis of lookups in `contains`."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from qaldgen.scoring.words.lexicon import phrases
from qaldgen.scoring.words.numbers import NUMBER, canonical, read_number

#: Letters that Unicode does not decompose, and Arabic letters that Persian writes in another way.
_LETTERS = dict(
    zip(
        "øłđðıæœþيىكة", ["o", "l", "d", "d", "i", "ae", "oe", "th", "ی", "ی", "ک", "ه"], strict=True
    )
)
#: Scripts without spaces between words: Thai to Myanmar, Khmer, CJK with kana, the supplementary
#: ideographs.
_NO_SPACES = ((0x0E00, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x9FFF), (0x20000, 0x3FFFF))
_ZERO_WIDTH_SPACES = "\u200b\u200c"


class _Table(dict[int, str]):
    """Maps a character to itself, another letter, nothing, or a space.

    Filled on demand by `str.translate`.
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
    """Return a text in which signs that belong to a name become letters.

    C++, C#, Disney+, .NET, J. K., U.S.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    str
        The same text if there are no such signs.

    Examples
    --------
    >>> joined_signs("C++ and C#, not C"), joined_signs(".NET"), joined_signs("J. K. Mill")
    ('Cplusplus and Csharp, not C', 'dotNET', 'JK Mill')
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
    text
        Any text.
    language
        Decides how numbers are written.

    Returns
    -------
    tuple of str
        Words; a number as `qaldgen.scoring.words.numbers.canonical` writes it, a date in digits as
        three numbers, and in scripts without spaces (Chinese, Japanese, Thai, Lao, Tibetan,
        Burmese, Khmer) each character. "5km" is a number and a word, "K2" one word; signs that
        belong to a name become letters (`joined_signs`).

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
    words: list[str] = []
    end = 0
    for number in NUMBER.finditer(text):
        words += _words(text[end : number.start()])
        words += _numbers(number, language)
        end = number.end()
    return tuple(words + _words(text[end:]))


def _numbers(number: re.Match[str], language: str) -> list[str]:
    if number["date"]:
        return [str(int(part)) for part in re.split(r"[-/.]", number["date"])]
    digits = number[0]
    if digits.isascii() and digits.isdecimal():
        return [digits]
    value = None if re.fullmatch(r"0\d+", digits) else read_number(digits, language)
    return [digits if value is None else canonical(value)]


class Word(NamedTuple):
    """A word of a text.

    Attributes
    ----------
    form : str
        Its token.
    surface : str
        The word as written.
    start, end : int
        Its position in the normalised text.
    """

    form: str
    surface: str
    start: int
    end: int


class _Shape(dict[int, str]):
    """Letters, marks and numbers stay, all else becomes a space; the length does not change."""

    def __missing__(self, code: int) -> str:
        char, category = chr(code), unicodedata.category(chr(code))
        joins = category == "Cf" and char not in _ZERO_WIDTH_SPACES
        self[code] = char if category[0] in "LMN" or joins else " "
        return self[code]


_SHAPE = _Shape()
_SHAPED = re.compile(r"\S+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")


def spans(text: str, language: str = "en") -> tuple[str, list[tuple[int, int]]]:
    """Return the normalised text, and the position of each of its tokens there.

    Parameters
    ----------
    text
        Any text.
    language
        Decides how numbers are written.

    Returns
    -------
    tuple[str, list[tuple[int, int]]]
        Start and end of each token; some tokens share a position, such as the parts of a date.

    Examples
    --------
    >>> text, places = spans("In São-Paulo, 1,234 km")
    >>> [text[start:end] for start, end in places]
    ['In', 'São', 'Paulo', '1,234', 'km']
    """
    text = joined_signs(unicodedata.normalize("NFKC", text))
    if _DIGIT.search(text) is None:
        return text, _word_spans(text, 0, len(text))
    positions: list[tuple[int, int]] = []
    end = 0
    for number in NUMBER.finditer(text):
        positions += _word_spans(text, end, number.start())
        positions += [number.span()] * len(_numbers(number, language))
        end = number.end()
    return text, positions + _word_spans(text, end, len(text))


def _word_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    if text.isascii():
        return [match.span() for match in _ASCII_WORD.finditer(text, start, end)]
    places: list[tuple[int, int]] = []
    for match in _SHAPED.finditer(text[start:end].translate(_SHAPE)):
        forms, at = len(_words(match[0])), start + match.start()
        single = forms == len(match[0])
        places += (
            [(at + i, at + i + 1) for i in range(forms)]
            if single
            else [(at, start + match.end())] * forms
        )
    return places


def marked(text: str, language: str = "en") -> tuple[str, list[Word]]:
    """Return the normalised text, and its tokens with their positions there.

    Parameters
    ----------
    text
        Any text.
    language
        Decides how numbers are written.

    Returns
    -------
    tuple[str, list[Word]]
        As `tokens` and `spans` together.

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
    """Return the tokens of the words of a kind.

    Parameters
    ----------
    kind
        See `qaldgen.scoring.words.lexicon.phrases`.
    language
        A primary language tag, or ``any``.

    Returns
    -------
    frozenset[str]
        Empty if there are none.

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

    Parameters
    ----------
    kind
        See `qaldgen.scoring.words.lexicon.phrases`.
    language
        A primary language tag, or ``any``.

    Returns
    -------
    frozenset[tuple[str, ...]]
        Empty if there are none.

    Examples
    --------
    >>> ("nicht", "nur") in listed_phrases("not-only", "de")
    True
    """
    return frozenset(tokens(phrase) for phrase in phrases(kind).get(language, ()))


@functools.cache
def _by_first_word(kind: str, language: str) -> dict[str, list[tuple[str, ...]]]:
    by_word: dict[str, list[tuple[str, ...]]] = {}
    for phrase in listed_phrases(kind, language):
        by_word.setdefault(phrase[0], []).append(phrase)
    return by_word


def phrases_in(
    words: tuple[str, ...], kind: str, language: str = "any"
) -> Iterator[tuple[int, int]]:
    """Yield where tokens contain a phrase of a kind.

    Parameters
    ----------
    words
        The tokens.
    kind
        See `qaldgen.scoring.words.lexicon.phrases`.
    language
        A primary language tag, or ``any``.

    Yields
    ------
    Iterator[tuple[int, int]]
        Index of its first word, and index after its last.

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
    """Return the tokens of words in a table.

    Parameters
    ----------
    words
        Words separated by spaces or slashes.

    Returns
    -------
    frozenset[str]
        Without repetitions.

    Examples
    --------
    >>> sorted(word_set("não nunca"))
    ['nao', 'nunca']
    """
    return frozenset(token for word in words.replace("/", " ").split() for token in tokens(word))
