"""Yes-or-no features of the words of a question, by patterns (`data/patterns.tsv`).

Quotations and names are masked before, so that their words do not count. The features are those of
Mintaka (Sen et al. 2022: superlative, comparative, ordinal, count) and ComplexWebQuestions (Talmor
and Berant 2018: conjunction, comparative, superlative), with negation, time, quantifiers and
numbers added.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from qaldgen.features.text.languages import LANGUAGES
from qaldgen.features.text.letters import FeatureValue, without_quotes
from qaldgen.features.text.words import patterns


@functools.cache
def _flag_patterns(language: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns for a language; none if there are no rules for it."""
    words_by_flag: Mapping[str, str] = {}
    if language == "en":
        words_by_flag = {name: patterns()[name] for name in NAMES}
    elif language in LANGUAGES:
        words_by_flag = LANGUAGES[language].flags
    return {
        name: re.compile(rf"(?<![\w'])(?:{words})(?!\w)", re.IGNORECASE)
        for name, words in words_by_flag.items()
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
    normalised = " ".join(without_quotes(text.replace("’", "'")).split())
    flag_patterns = _flag_patterns(language)
    if not flag_patterns:
        return {"hasNumber": True} if _DIGIT.search(normalised) else {}
    if language == "en":
        normalised = _HOW_MANY.sub(" ", normalised)
    return {
        name: flag_pattern.search(normalised) is not None
        for name, flag_pattern in flag_patterns.items()
    }
