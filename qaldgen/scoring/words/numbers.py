"""Numbers in running text: digits with their grouping, and when two numbers are the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Context, Decimal

from qaldgen.scoring.words.lexicon import primary

_GROUPED = r"\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?"
_PLAIN = r"\d+(?:[.,'’٬٫]\d+)*"
#: A date in digits, or a number without a letter before it; a minus sign needs a space or bracket
#: before it.
NUMBER = re.compile(
    rf"(?<![^\W_])(?<!\d[.,])((?P<date>\d{{1,4}}(?P<mark>[-/.])\d{{1,2}}(?P=mark)\d{{1,4}}(?!\d))"
    rf"|(?:(?<![^\s(\[])[-−])?(?:{_GROUPED}|{_PLAIN})(?:[eE][+-]?\d{{1,3}}(?![^\W_]))?)"
)
_XSD = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
#: Languages that write 1.234,5; the others write 1,234.5.
_COMMA = frozenset([
    *("de", "fr", "es", "it", "pt", "nl", "ro", "ru", "pl", "cs", "sk", "uk", "be", "bg", "hr",
        "sr", "bs", "sl", "mk", "lt"),
    *("lv", "et", "fi", "sv", "da", "no", "nb", "nn", "is", "hu", "el", "tr", "id", "vi", "ca",
        "eu", "gl", "sq", "az", "hy"),
    *("ka", "kk", "af"),
])  # fmt: skip


def canonical(value: Decimal) -> str:
    """Return a number in one form: no grouping, a point, no trailing zeros.

    Parameters
    ----------
    value
        A number.

    Returns
    -------
    str
        Without an exponent.

    Examples
    --------
    >>> canonical(Decimal("8.1741E10")), canonical(Decimal("20.0"))
    ('81741000000', '20')
    """
    return format(value.normalize(Context(prec=max(28, len(value.as_tuple().digits)))), "f")


def read_number(text: str, language: str = "en") -> Decimal | None:
    """Return the number that digits denote in a language.

    Parameters
    ----------
    text
        Digits with a sign, separators and an exponent.
    language
        Tells 1.234 (German: 1234) from 1.234 (English: 1.234). One separator with other than three
        digits after it is a decimal sign in any language, a repeated one groups, and of two
        different ones the last is the decimal sign.

    Returns
    -------
    Decimal | None
        None if the text as a whole is not a number.

    Examples
    --------
    >>> read_number("1,234"), read_number("1.234,5", "de"), read_number("K2")
    (Decimal('1234'), Decimal('1234.5'), None)
    """
    match = NUMBER.fullmatch(text.strip())
    if match is None or match["date"]:
        return None
    body, _, exponent = match[0].lower().replace("−", "-").partition("e")
    body = re.sub(r"[ '’]", "", body).replace("٬", ",").replace("٫", ".")
    marks = [char for char in body if char in ".,"]
    point = _decimal_sign(body, marks, language)
    whole = body.replace("," if point == "." else ".", "") if point else re.sub(r"[.,]", "", body)
    # 1,234.5.6 is the number of a version or a section.
    if point and whole.count(point) > 1:
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
    """Return the language that represents all that write numbers alike.

    Parameters
    ----------
    language
        A language tag.

    Returns
    -------
    str
        ``de`` for 1.234,5 and ``en`` for 1,234.5.
    """
    return "de" if primary(language) in _COMMA else "en"


def readings(text: str, language: str = "en") -> frozenset[Decimal]:
    """Return the numbers that a gold value may denote: as XSD and as the language write it.

    A value that begins with 0 and another digit is a name (a dialling code), not a number.

    Parameters
    ----------
    text
        The gold value.
    language
        A language tag.

    Returns
    -------
    frozenset[Decimal]
        Empty if it is not a number.

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
