"""Formulas as gold answers, such as ``x = -3`` and ``(3, -1)``: their signs count."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from qaldgen.scoring.words.reading import Reading
from qaldgen.scoring.words.tokens import respelled

#: A command of LaTeX, a power, a relation, or numbers in brackets.
_FORMULA = re.compile(
    r"\\[a-zA-Z]|\^|\w\s*[=<>≤≥]\s*[-−\w\\]|^[(\[](?=[^()\[\]]*\d)[^()\[\]]*,[^()\[\]]*[)\]]$"
)
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
#: A number, a word, which may be a command, or a sign; what is between them only groups.
_TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)?|[^\W\d_]+|[^\w\s{}$\\]")
_GROUPING = r"[\s{}$\\_]*"
#: A place that is within no word and no number.
_EDGE = r"(?:(?<![^\W_])|(?![^\W_]))(?<!\d\.)(?!\.\d)"


class Formula(NamedTuple):
    """A formula as gold answer."""

    text: str

    def spans(self, reading: Reading) -> Iterator[tuple[int, int]]:
        r"""Yield all of a text that has the formula with its signs, and as no part of a longer one.

        >>> texts = ("So x = -3.", "x = 3", "2x = -3")
        >>> [list(Formula("x=-3").spans(Reading(text, "en"))) for text in texts]
        [[(0, 3)], [], []]
        """
        tokens = map(re.escape, _TOKEN.findall(_plain(self.text)))
        pattern = rf"([-+^]{_GROUPING})?{_EDGE}{_GROUPING.join(tokens)}{_EDGE}(?!{_GROUPING}\^)"
        if any(match[1] is None for match in re.finditer(pattern, _plain(reading.text))):
            yield 0, len(reading.forms)


def is_formula(text: str) -> bool:
    r"""Return whether a text is a formula, which words and numbers alone do not make.

    >>> [is_formula(text) for text in (r"\frac{1}{2}", "x=-3", "[0, 5)", "C++", "Ulm (1912)")]
    [True, True, True, False, False]
    """
    return _FORMULA.search(text) is not None


@functools.lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    """Return a text in which the same formula is written in one way."""
    powers = _SUPERSCRIPT.sub(lambda match: f"^{match[0]}", text)
    plain = unicodedata.normalize("NFKC", powers).replace("−", "-").casefold()
    return respelled(plain, "formula")
