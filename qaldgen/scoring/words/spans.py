"""The words of a text with their places in it."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from qaldgen.scoring.words.numbers import NUMBER
from qaldgen.scoring.words.tokens import (
    DIGIT,
    ZERO_WIDTH_SPACES,
    joined_signs,
    plain_words,
    tokens,
    with_numbers,
)


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
        joins = category == "Cf" and char not in ZERO_WIDTH_SPACES
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
    if DIGIT.search(text) is None:
        return text, _word_spans(text, 0, len(text))
    positions: list[tuple[int, int]] = []
    end = 0
    for number in NUMBER.finditer(text):
        positions += _word_spans(text, end, number.start())
        positions += [number.span()] * len(with_numbers(number, language))
        end = number.end()
    return text, positions + _word_spans(text, end, len(text))


def _word_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    if text.isascii():
        return [match.span() for match in _ASCII_WORD.finditer(text, start, end)]
    places: list[tuple[int, int]] = []
    for match in _SHAPED.finditer(text[start:end].translate(_SHAPE)):
        forms, at = len(plain_words(match[0])), start + match.start()
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
