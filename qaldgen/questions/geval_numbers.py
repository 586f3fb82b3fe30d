"""Find numbers in a text like GEval, the evaluator of PolEval."""

from __future__ import annotations

import re

#: The white space of Haskell's ``isSpace``; Python's ``str.strip`` would also take U+0085 and
#: U+2028.
SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
    "\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
_WORDS = re.compile(f"[^{SPACE}]+")
_NUMBER = re.compile(r"[-+]?[0-9]*\.[0-9]+|[0-9]+")
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_ONLY_ROMAN = re.compile("[IVXLCDM]+")


def find_number(text: str) -> str | None:
    """Return the number that GEval finds in a text, as a string.

    It is the first number in digits, whose sign is kept only before a decimal point, else the first
    word of the capitals IVXLCDM, added up without checking that it is a valid numeral.

    >>> [find_number(text) for text in ("8,90 m", "-3.5", "-5", "w XVI", "XVI.", "IIII")]
    ['8', '-3.5', '5', '16', None, '4']
    """
    digits = _NUMBER.search(text)
    if digits:
        return digits[0]
    words = (word[0] for word in _WORDS.finditer(text))
    for word in filter(_ONLY_ROMAN.fullmatch, words):
        total = previous = 0
        for digit in reversed(word):  # a digit less than the one after it is subtracted
            value = _ROMAN[digit]
            if value >= previous:
                total += value
            else:
                total -= value
            previous = value
        if total > 0:
            return str(total)
    return None
