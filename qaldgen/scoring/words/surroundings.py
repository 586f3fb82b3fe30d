"""What stands around a gold answer in a text: a name there does not make the text right."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from qaldgen.scoring.words.contains import Match, Name
from qaldgen.scoring.words.dates import month_of
from qaldgen.scoring.words.gold_names import GoldKey
from qaldgen.scoring.words.likeness import plain_gold
from qaldgen.scoring.words.reading import SMALL, Reading, ends_clause, is_common
from qaldgen.scoring.words.tokens import locales, reading_languages, tokens
from qaldgen.scoring.words.yes_no import is_negated

#: The most words of a short answer.
_MAX_SHORT_WORDS = 8
#: The most words of a brief answer.
_MAX_BRIEF_WORDS = 16
#: The fewest items of a list, and the most words of an item.
_MIN_ITEMS, _MAX_ITEM_WORDS = 3, 4
_YEAR = re.compile(r"[12]\d{3}")


def signs_around(reading: Reading, matches: Sequence[Match], key: GoldKey) -> dict[str, float]:
    """Return which signs of another answer stand around all gold answers in a text.

    The most particular sign comes first; `signs.SIGNS` says what each means.
    """
    others = set(range(len(reading.forms)))
    for match in matches:
        others -= set(range(match.start, match.end))
    signs = {
        "negated": all(_is_negated(reading, match, key) for match in matches),
        "rival": all(_has_rival(reading, match, others, key) for match in matches),
        "added": all(_has_addition(reading, match, others, key) for match in matches),
        "part": all(isinstance(match.sought, Name) and match.sought.part for match in matches),
    }
    return {name: float(is_seen) for name, is_seen in signs.items()}


def _is_negated(reading: Reading, match: Match, key: GoldKey) -> bool:
    """Return whether the clause around a gold answer is negated, and the question is not."""
    first, last = match.start, match.end
    while not ends_clause(reading, first):
        first -= 1
    while not ends_clause(reading, last):
        last += 1
    text, words = reading.normalised, reading.words
    before = text[words[first].start : words[match.start].start]
    after = text[words[match.end - 1].end : words[last - 1].end]
    questions = [text for texts in key.question.texts.values() for text in texts]
    return any(
        is_negated(f"{before} {after}", tag)
        and not any(is_negated(question, tag) for question in questions)
        for tag in reading_languages(key.language)
    )


def _has_rival(reading: Reading, match: Match, others: set[int], key: GoldKey) -> bool:
    """Return whether "or" joins another answer to a gold answer, or the text lists short items."""
    joiners, expected_stems = _joiners(key.language), plain_gold(key).expected_stems
    for joiner, other in ((match.start - 1, match.start - 2), (match.end, match.end + 1)):
        if {joiner, other} <= others and reading.forms[joiner] in joiners:
            return True
    words = "|".join(map(re.escape, sorted({*joiners, "and"})))
    parts = re.split(rf",(?!\d)|[;\n、，&]|\b(?:{words})\b", reading.text)
    items = [part.split() for part in parts if part.strip()]
    if len(items) < _MIN_ITEMS or max(map(len, items)) > _MAX_ITEM_WORDS:
        return False
    return any(
        reading.stems[index] not in expected_stems and not is_common(reading.forms[index])
        for index in others
    )


def _has_addition(reading: Reading, match: Match, others: set[int], key: GoldKey) -> bool:
    """Return whether a brief answer says more than the question and the gold answers do.

    In a short answer any word is more: "12 %", "a portrait by Ada Mill". In a longer one another
    name is, or another number beside a number: "Ada Mill was his wife. He was Bo Kim."
    """
    forms, is_name = reading.forms, isinstance(match.sought, Name)
    if len(forms) > _MAX_BRIEF_WORDS:
        return False
    expected_stems, joiners = plain_gold(key).expected_stems, _joiners(key.language)
    for index in others:
        form = forms[index]
        if reading.stems[index] in expected_stems:
            continue
        if len(forms) <= _MAX_SHORT_WORDS and is_name and _YEAR.fullmatch(form):
            says_more = index == match.end and not ends_clause(reading, index)  # Mill 2049
        elif len(forms) <= _MAX_SHORT_WORDS:
            says_more = form not in SMALL and form not in joiners
        elif is_name:
            is_capital = len(form) > 1 and reading.surface(index, index + 1)[0].isupper()
            says_more = is_capital and not is_common(form) and not month_of(form, key.language)
        else:
            says_more = any(map(str.isdigit, form))
        if says_more:
            return True
    return False


@functools.cache
def _joiners(language: str) -> frozenset[str]:
    """Return the words for "or" of a language, by CLDR, and of English."""
    rows = [locale.list_patterns for locale in locales(language)]
    texts = [row.get(name, {}).get("2", "") for row in rows for name in ("or", "or-short")]
    return frozenset(word for text in texts for word in tokens(re.sub(r"\{\d\}", " ", text)))
