"""Numbers in running text.

Digits with their grouping, words, and what counts as the same number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Context, Decimal

from qaldgen.scoring.words.lexicon import primary

_GROUPED = r"\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?"
_PLAIN = r"\d+(?:[.,'’٬٫]\d+)*"
#: A date in digits, or a number that no letter precedes; a minus sign needs a space or bracket
#: before it.
NUMBER = re.compile(
    rf"(?<![^\W_])(?<!\d[.,])((?P<date>\d{{1,4}}(?P<mark>[-/.])\d{{1,2}}(?P=mark)\d{{1,4}}(?!\d))"
    rf"|(?:(?<![^\s(\[])[-−])?(?:{_GROUPED}|{_PLAIN})(?:[eE][+-]?\d{{1,3}}(?![^\W_]))?)"
)
_XSD = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
#: Languages that write 1.234,5; the others write 1,234.5.
_COMMA = frozenset([
    *("de", "fr", "es", "it", "pt", "nl", "ro", "ru", "pl", "cs", "sk", "uk", "be", "bg", "hr", "sr", "bs", "sl", "mk", "lt"),
    *("lv", "et", "fi", "sv", "da", "no", "nb", "nn", "is", "hu", "el", "tr", "id", "vi", "ca", "eu", "gl", "sq", "az", "hy"),
    *("ka", "kk", "af"),
])  # fmt: skip


def canonical(value: Decimal) -> str:
    """Return a number in one form: no grouping, a point, no zeros after it.

    Examples
    --------
    >>> canonical(Decimal("8.1741E10")), canonical(Decimal("20.0"))
    ('81741000000', '20')
    """
    return format(value.normalize(Context(prec=max(28, len(value.as_tuple().digits)))), "f")


def read_number(text: str, language: str = "en") -> Decimal | None:
    """Return the number that digits stand for in a language, or None if the whole text is no number.

    Parameters
    ----------
    text : str
        Digits with a sign, separators and an exponent.
    language : str
        Tells 1.234 (German: 1234) from 1.234 (English: 1.234). One separator with other than three
        digits after it is a decimal sign in any language, a repeated one groups, and of two
        different ones the last is the decimal sign.

    Examples
    --------
    >>> read_number("1,234"), read_number("1.234,5", "de"), read_number("−3,5", "pl"), read_number("K2")
    (Decimal('1234'), Decimal('1234.5'), Decimal('-3.5'), None)
    """
    found = NUMBER.fullmatch(text.strip())
    if found is None or found["date"]:
        return None
    body, _, exponent = found[0].lower().replace("−", "-").partition("e")
    body = re.sub(r"[ '’]", "", body).replace("٬", ",").replace("٫", ".")
    marks = [char for char in body if char in ".,"]
    point = _decimal_sign(body, marks, language)
    whole = body.replace("," if point == "." else ".", "") if point else re.sub(r"[.,]", "", body)
    if point and whole.count(point) > 1:  # 1,234.5.6: a version or a section
        return None
    return Decimal(whole.replace(",", ".") + (f"e{exponent}" if exponent else ""))


def _decimal_sign(body: str, marks: Sequence[str], language: str) -> str:
    if not marks:
        return ""
    if len(set(marks)) == 2:
        return marks[-1]
    if len(marks) > 1:
        return ""
    before, after = re.split(r"[.,]", body)
    groups = "." if number_style(language) == "de" else ","
    grouped = (
        marks[0] == groups
        and len(after) == 3
        and len(before.lstrip("-")) <= 3
        and before.lstrip("-")[0] != "0"
    )
    return "" if grouped else marks[0]


def number_style(language: str) -> str:
    """Return a language that stands for all that write numbers alike.

    ``de`` for 1.234,5 and ``en`` for 1,234.5.
    """
    return "de" if primary(language) in _COMMA else "en"


def readings(text: str, language: str = "en") -> frozenset[Decimal]:
    """Return the numbers that a gold value may stand for.

    As XSD writes it, and as the language does; empty if it is none.

    A value that begins with 0 and another digit is a name (a dialling code), no number.

    Examples
    --------
    >>> sorted(readings("12.192", "de")), readings("030")
    ([Decimal('12.192'), Decimal('12192')], frozenset())
    """
    text = text.strip()
    if re.match(r"[+-]?0\d", text):
        return frozenset()
    local = read_number(text, language)
    plain = Decimal(text) if _XSD.fullmatch(text) else None
    return frozenset(value for value in (local, plain) if value is not None)
