"""The numbers that digits denote in a language."""

from __future__ import annotations

import functools
import re
from decimal import Context, Decimal

from qaldgen.defaults import LANGUAGE
from qaldgen.scoring.words.phrases import main_language, phrases

#: Scripts without spaces between words, where each character is one: Thai to Myanmar, Khmer, CJK
#: with kana, the supplementary ideographs.
UNSPACED_LETTERS = "\u0e00-\u109f\u1780-\u17ff\u2e80-\u9fff\U00020000-\U0003ffff"
_GROUPED = r"\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?"
_PLAIN = r"\d+(?:[.,'’٬٫]\d+)*"
#: A date in digits, or a number without a letter before it; a minus sign needs a space, a
#: bracket or a dollar sign before it.
NUMBER = re.compile(
    rf"(?<![^\W_{UNSPACED_LETTERS}\uac00-\ud7af])(?<!\d[.,])"
    rf"((?P<date>\d{{1,4}}(?P<mark>[-/.])\d{{1,2}}(?P=mark)\d{{1,4}}(?!\d))"
    rf"|(?:(?<![^\s(\[$])[-−])?(?:{_GROUPED}|{_PLAIN})(?:[eE][+−-]?\d{{1,3}}(?![^\W_]))?)"
)
#: A number whose only separator may group its digits.
_GROUP = re.compile(r"-?[1-9]\d{0,2}[.,]\d{3}")
#: The start of a number; 0 and another digit begin a name (a dialling code).
_NUMERIC = re.compile(r"(?!-?0\d)[-−]?\.?\d")
_XSD = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+−-]?\d{1,3})?")


def number_text(value: Decimal) -> str:
    """Return a number in one form: no grouping, a point, no trailing zeros, no exponent.

    >>> number_text(Decimal("8.1741E10")), number_text(Decimal("20.0"))
    ('81741000000', '20')
    """
    digits = len(value.as_tuple().digits)
    return format(value.normalize(Context(prec=max(28, digits))), "f")


def read_number(text: str, language: str = LANGUAGE) -> Decimal | None:
    """Return the number that digits denote in a language; None if the text as a whole is none.

    One separator before exactly three digits is read by language; a repeated one groups, and of two
    different ones the last is the decimal sign. 0 and more digits are a code.

    >>> read_number("1,234"), read_number("1.234,5", "de"), read_number("K2"), read_number("030")
    (Decimal('1234'), Decimal('1234.5'), None, None)
    """
    match = NUMBER.fullmatch(text.strip())
    if match is None or match["date"] or re.fullmatch(r"0\d+", match[0]):
        return None
    body, e, exponent = match[0].lower().replace("−", "-").partition("e")
    body = re.sub(r"[ '’]", "", body).replace("٬", ",").replace("٫", ".")
    marks = re.findall(r"[.,]", body)
    point = ""  # the decimal sign
    if len(set(marks)) == 2 or (len(marks) == 1 and not _GROUP.fullmatch(body)):
        point = marks[-1]
    elif len(marks) == 1:
        point = "," if main_language(language) in phrases("comma")["any"] else "."
    digits = "".join(char for char in body if char not in ".," or char == point)
    # 1,234.5.6 is the number of a version or a section
    if point and digits.count(point) > 1:
        return None
    return Decimal(digits.replace(",", ".") + e + exponent)


@functools.lru_cache(maxsize=1 << 14)
def plain_number(text: str, language: str) -> str:
    """Return the number that digits denote in one form (see `number_text`); empty for no number."""
    value = read_number(text, language)
    return "" if value is None else number_text(value)


def gold_numbers(text: str, language: str = LANGUAGE) -> frozenset[Decimal]:
    """Return the numbers that a gold value may denote: as XSD, English and the language write it.

    A value that begins with 0 and another digit is a name (a dialling code), not a number.
    """
    text = text.strip().removeprefix("+")
    if not _NUMERIC.match(text):
        return frozenset()
    values = [read_number(text, language), read_number(text)]  # many translated sets keep English
    if _XSD.fullmatch(text):
        values.append(Decimal(text))
    return frozenset(value for value in values if value is not None)
