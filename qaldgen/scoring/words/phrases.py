"""What differs by language: tags, the phrases and spellings in ``data/``, and CLDR's data."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from qaldgen.io.packages import data_rows
from qaldgen.questions.question_texts import base_language

if TYPE_CHECKING:
    from babel import Locale

#: Tags of languages that are read by the rules of another tag.
_SAME = MappingProxyType(
    {"nb": "no", "nn": "no", "iw": "he", "in": "id", "cmn": "zh", "yue": "zh", "sh": "hr"}
)
#: Languages whose negations are parts of words, so that they are sought in the text.
UNSPACED = frozenset(["zh", "ja", "ko", "th", "vi"])
#: The bounds of a word: ``\b`` also stands before and after the vowel signs of Indian scripts.
_WORD = r"[\w\u0900-\u0963\u0966-\u0dff]"
WORD_START, WORD_END = f"(?<!{_WORD})", f"(?!{_WORD})"
#: Kinds of phrases that are regular expressions, one a row.
_PATTERNS = ("not-pattern", "introduction")


@functools.cache
def main_language(language: str) -> str:
    """Return the main part of a language tag, the same for all tags of one language.

    >>> main_language("pt_BR"), main_language("zh-Hans"), main_language("nb")
    ('pt', 'zh', 'no')
    """
    main = base_language(language)
    return _SAME.get(main, main)


@functools.cache
def reading_languages(language: str) -> tuple[str, ...]:
    """Return the languages in which an answer is read: its own and English.

    >>> reading_languages("pt_BR"), reading_languages("en")
    (('pt', 'en'), ('en',))
    """
    return tuple(dict.fromkeys([main_language(language), "en"]))


@functools.cache
def locales(language: str) -> tuple[Locale, ...]:
    """Return the data of CLDR on English and on a language, if it has any."""
    from babel import Locale, UnknownLocaleError

    parsed = []
    for tag in reversed(reading_languages(language)):
        with contextlib.suppress(UnknownLocaleError, ValueError):
            parsed.append(Locale.parse(tag))
    return tuple(parsed)


@functools.cache
def _phrase_table() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the phrases of ``data/phrases.tsv`` by kind, then by language."""
    table: dict[str, dict[str, tuple[str, ...]]] = {}
    for kind, language, row in data_rows("scoring/words/data/phrases.tsv"):
        rows = table.setdefault(kind, {})
        cells = (row,) if kind in _PATTERNS else tuple(row.split("|"))
        rows[language] = rows.get(language, ()) + cells
    return table


def phrases(kind: str) -> Mapping[str, tuple[str, ...]]:
    """Return the phrases of a kind in ``data/phrases.tsv`` by language (``any``: for all).

    =========================  ==============================================================
    yes, no                    say yes or no where a stop follows: "Indeed, she did"
    yes-word, no-word          say it in any place at the start: "yes", "no"
    sign-yes, sign-no          say it as the first character
    not, not-pattern           negate: a phrase, a regular expression
    not-only                   looks like a negation and is none
    instead                    denies the name after it: "rather than"
    abstention                 say that there is no answer, anywhere in a sentence
    abstention-at-start        say so where a sentence starts with them
    no-answer                  say so as the whole answer: "unknown"
    but                        lead from an abstention to an answer
    perhaps                    leave the answer open
    about                      say that the next number is rounded
    number, scale, month       are followed by their value
    ordinal                    are followed by the same in digits: "fifteenth 15th"
    han-numeral                the same, in Chinese numerals
    bc, ad                     say the era of a year
    date-joiner                stand between the parts of a date
    answer, answer-field       label an answer, before a colon, and in JSON
    introduction               lead to an answer in a sentence: regular expressions
    sources                    label the sources below a reply
    opposite-prefix            make the opposite of a word: regular expressions
    common, article            say nothing by themselves
    ending                     endings of inflected words
    comma                      languages with a decimal comma
    =========================  ==============================================================
    """
    return _phrase_table().get(kind, {})


@functools.cache
def _spellings(kind: str) -> Sequence[tuple[str, str, re.Pattern[str]]]:
    return [
        (mark.replace(r"\n", "\n"), replacement, re.compile(pattern, re.MULTILINE))
        for row_kind, mark, replacement, pattern in data_rows("scoring/words/data/spellings.tsv")
        if row_kind == kind
    ]


def respelled(text: str, kind: str) -> str:
    """Return a text in which what ``data/spellings.tsv`` has of a kind is replaced."""
    for mark, replacement, pattern in _spellings(kind):
        if mark in text:
            text = pattern.sub(replacement, text)
    return text
