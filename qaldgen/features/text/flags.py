"""Yes-or-no features of a question's words, by patterns of words (`data/patterns.tsv`).

Quotations and names are masked before, so that their words do not count.

The kinds are those of Mintaka (Sen et al. 2022: superlative, comparative, ordinal, count) and
ComplexWebQuestions (Talmor and Berant 2018: conjunction, comparative, superlative), with negation,
time, quantifiers and numbers added.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from qaldgen.features.text.languages import LANGUAGES
from qaldgen.features.text.letters import FeatureValue, without_quotes
from qaldgen.features.text.words import patterns


@functools.cache
def _flags_of(language: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns for a language; none if there are no rules for it."""
    table: Mapping[str, str] = {}
    if language == "en":
        table = {name: patterns()[name] for name in NAMES}
    elif language in LANGUAGES:
        table = LANGUAGES[language].flags
    return {
        name: re.compile(rf"(?<![\w'])(?:{words})(?!\w)", re.IGNORECASE)
        for name, words in table.items()
    }


_DIGIT = re.compile(r"\d")
#: A question word, not a quantifier.
_HOW_MANY = re.compile(r"\bhow (?:many|much)\b", re.IGNORECASE)
#: The features of this module.
NAMES = tuple(name for name in patterns() if name.startswith("has"))


def flags(text: str, language: str) -> dict[str, FeatureValue]:
    """Return the flags that the words of a question set.

    >>> flags("Wer hat 2 Mühlen?", "de"), flags("Wer hat zwei Mühlen?", "de")
    ({'hasNumber': True}, {})
    """
    plain = " ".join(without_quotes(text.replace("’", "'")).split())
    table = _flags_of(language)
    if not table:
        if not _DIGIT.search(plain):
            return {}
        return {"hasNumber": True}
    if language == "en":
        plain = _HOW_MANY.sub(" ", plain)
    return {name: rule.search(plain) is not None for name, rule in table.items()}
