"""Formulas as gold answers, such as ``x = -3`` and ``(3, -1)``: their signs count."""

from __future__ import annotations

import functools
import re
import unicodedata

from qaldgen.scoring.words.tokens import Word

#: A command of LaTeX, a power, a relation, or numbers in brackets.
_FORMULA = re.compile(
    r"\\[a-zA-Z]|\^|\w\s*[=<>≤≥]\s*[-−\w\\]|^[(\[](?=[^()\[\]]*\d)[^()\[\]]*,[^()\[\]]*[)\]]$"
)
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
#: How the same formula is written, in the order of application.
_SPELLINGS = (
    (re.compile(r"\\(?:left|right)(?![a-zA-Z])|\\[!,;: ]"), ""),
    (re.compile(r"(?<![a-z])[dt]frac(?![a-z])"), "frac"),
    (re.compile(r"frac\s*([0-9])([0-9])"), r"frac \1 \2"),
)
#: A number, a word, which may be a command, or a sign; braces only group.
_TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)?|[^\W\d_]+|[^\w\s{}$\\]")


def is_formula(text: str) -> bool:
    r"""Return whether a text is a formula, which words and numbers alone do not make.

    >>> [is_formula(text) for text in (r"\frac{1}{2}", "x=-3", "[0, 5)", "C++", "Ulm (1912)")]
    [True, True, True, False, False]
    """
    return _FORMULA.search(text) is not None


@functools.lru_cache(maxsize=4096)
def _tokens(text: str) -> tuple[Word, ...]:
    """Return the tokens of a formula, or of a text with formulas."""
    powers = _SUPERSCRIPT.sub(lambda match: f"^{match[0]}", text)
    plain = unicodedata.normalize("NFKC", powers).replace("−", "-").casefold()
    for pattern, spelling in _SPELLINGS:
        plain = pattern.sub(spelling, plain)
    return tuple(Word(match[0], *match.span()) for match in _TOKEN.finditer(plain))


def has_formula(text: str, formula: str) -> bool:
    r"""Return whether a text has a formula with its signs, and as no part of a longer one.

    >>> [has_formula(text, "x=-3") for text in ("So x = -3.", "x = 3", "2x = -3")]
    [True, False, False]
    >>> has_formula(r"\dfrac12", r"\frac{1}{2}"), has_formula(r"-\frac{1}{2}", r"\frac{1}{2}")
    (True, False)
    """
    wanted = [token.form for token in _tokens(formula)]
    tokens = _tokens(text)
    for first in range(len(tokens) - len(wanted) + 1):
        last = first + len(wanted)
        if [token.form for token in tokens[first:last]] != wanted:
            continue
        goes_on = last < len(tokens) and (
            tokens[last].form == "^" or _touch(tokens[last - 1], tokens[last])
        )
        began_before = first > 0 and (
            tokens[first - 1].form in {"-", "+", "^"} or _touch(tokens[first - 1], tokens[first])
        )
        if not goes_on and not began_before:
            return True
    return False


def _touch(left: Word, right: Word) -> bool:
    """Tell whether two tokens are letters or digits without a space between them: 2 and x of 2x."""
    return left.end == right.start and left.form.isalnum() and right.form.isalnum()
