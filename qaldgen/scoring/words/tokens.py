"""The words of a text, in one form for all scripts: the basis of lookups in `contains`."""

from __future__ import annotations

import re
import unicodedata

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
ZERO_WIDTH_SPACES = "\u200b\u200c"


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
            or 0xFE00 <= code <= 0xFE0F  # says how an emoji is drawn
        ):
            return ""
        if category[0] in "LMN":
            return (
                f" {char} "
                if any(low <= code <= high for low, high in _NO_SPACES)
                else _LETTERS.get(char, char)
            )
        return "" if category == "Cf" and char not in ZERO_WIDTH_SPACES else " "


_TABLE = _Table()
#: An emoji is the same with and without the character that says how it is drawn.
_NO_STYLE = dict.fromkeys(range(0xFE00, 0xFE10))
DIGIT = re.compile(r"\d")
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


def plain_words(text: str) -> list[str]:
    """Return the words in lower case, cut at whatever is neither letter nor digit."""
    if text.isascii():
        return text.lower().translate(_TABLE).split()
    return unicodedata.normalize("NFKD", text.casefold()).translate(_TABLE).split()


def signs(text: str) -> str:
    """Return a text of signs alone as it is compared: whole. Empty for any other text.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    str
        In one Unicode form, with single spaces.

    Examples
    --------
    >>> signs(" !!! "), signs("U2!"), signs("\u200b")
    ('!!!', '', '')
    """
    if any(map(str.isalnum, text)):
        return ""
    plain = " ".join(unicodedata.normalize("NFKC", text).translate(_NO_STYLE).split())
    return plain if any(unicodedata.category(char)[0] in "PS" for char in plain) else ""


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
    if DIGIT.search(text) is None:
        return tuple(plain_words(text))
    words: list[str] = []
    end = 0
    for number in NUMBER.finditer(text):
        words += plain_words(text[end : number.start()])
        words += with_numbers(number, language)
        end = number.end()
    return tuple(words + plain_words(text[end:]))


def with_numbers(number: re.Match[str], language: str) -> list[str]:
    """Return the words of a date or a number with separators.

    Parameters
    ----------
    number
        The match, whose group ``date`` holds a date.
    language
        The language, which decides between point and comma.
    """
    if number["date"]:
        return [str(int(part)) for part in re.split(r"[-/.]", number["date"])]
    digits = number[0]
    if digits.isascii() and digits.isdecimal():
        return [digits]
    value = None if re.fullmatch(r"0\d+", digits) else read_number(digits, language)
    return [digits if value is None else canonical(value)]
