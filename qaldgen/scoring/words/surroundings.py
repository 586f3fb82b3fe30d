"""What stands around a gold answer in a text: a name there does not make the text right."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Sequence

from qaldgen.scoring.words.contains import Match
from qaldgen.scoring.words.dates import month_of
from qaldgen.scoring.words.gold_names import GoldKey
from qaldgen.scoring.words.likeness import PlainGold, plain_gold
from qaldgen.scoring.words.reading import SMALL, Reading, ends_clause, is_common
from qaldgen.scoring.words.tokens import locales, reading_languages, stem, tokens
from qaldgen.scoring.words.yes_no import is_negated

#: The most words of a short answer.
_MAX_SHORT_WORDS = 8
#: The most words of a brief answer.
_MAX_BRIEF_WORDS = 16
#: The fewest items of a list, and the most words of an item.
_MIN_ITEMS, _MAX_ITEM_WORDS = 3, 4
_YEAR = re.compile(r"[12]\d{3}")


def signs_around(matches: Sequence[Match], key: GoldKey) -> dict[str, float]:
    """Return which signs of another answer stand around all gold answers in a text.

    The most particular sign comes first; `signs.SIGNS` says what each means.
    """
    gold, languages = plain_gold(key), reading_languages(key.language)
    matched_words: dict[Reading, set[int]] = defaultdict(set)
    for match in matches:
        matched_words[match.reading].update(range(match.start, match.end))
    language = languages[0]
    pairs = [(match, matched_words[match.reading]) for match in matches]
    signs = {
        "negated": all(_is_negated(match, gold, languages) for match in matches),
        "rival": all(_has_rival(match, matched, gold, language) for match, matched in pairs),
        "added": all(_has_addition(match, matched, gold, language) for match, matched in pairs),
        "part": all(match.name is not None and match.name.part for match in matches),
    }
    return {name: float(is_seen) for name, is_seen in signs.items()}


def _is_negated(match: Match, gold: PlainGold, languages: Sequence[str]) -> bool:
    """Return whether the clause around a gold answer is negated, and the question is not."""
    reading, first, last = match.reading, match.start, match.end
    while not ends_clause(reading, first):
        first -= 1
    while not ends_clause(reading, last):
        last += 1
    text, words = reading.normalised, reading.words
    before = text[words[first].start : words[match.start].start]
    after = text[words[match.end - 1].end : words[last - 1].end]
    return any(
        is_negated(f"{before} {after}", tag)
        and not any(is_negated(question, tag) for question in gold.questions)
        for tag in languages
    )


def _has_rival(match: Match, matched: set[int], gold: PlainGold, language: str) -> bool:
    """Return whether "or" joins another answer to a gold answer, or the text lists short items."""
    reading, joiners = match.reading, _joiners(language)
    joiner_indices = {i for i, form in enumerate(reading.forms) if form in joiners} - matched
    if match.start - 1 in joiner_indices and match.start - 2 not in matched:
        return True
    if match.end in joiner_indices and match.end + 1 not in matched:
        return True
    words = "|".join(map(re.escape, sorted({*joiners, "and"})))
    parts = re.split(rf",(?!\d)|[;\n、，&]|\b(?:{words})\b", reading.text)
    items = [part.split() for part in parts if part.strip()]
    if len(items) < _MIN_ITEMS or max(map(len, items)) > _MAX_ITEM_WORDS:
        return False
    return any(
        form not in gold.expected_words and not is_common(form)
        for index, form in enumerate(reading.forms)
        if index not in matched
    )


def _has_addition(match: Match, matched: set[int], gold: PlainGold, language: str) -> bool:
    """Return whether a brief answer says more than the question and the gold answers do.

    In a short answer any word is more: "12 %", "a portrait by Ada Mill". In a longer one another
    name is, or another number beside a number: "Ada Mill was his wife. He was Bo Kim."
    """
    reading, forms, is_name = match.reading, match.reading.forms, match.name is not None
    if len(forms) > _MAX_BRIEF_WORDS:
        return False
    for index, form in enumerate(forms):
        if index in matched or stem(form, language) in gold.expected_stems:
            continue
        if len(forms) <= _MAX_SHORT_WORDS and is_name and _YEAR.fullmatch(form):
            says_more = index == match.end and not ends_clause(reading, index)  # Mill 2049
        elif len(forms) <= _MAX_SHORT_WORDS:
            says_more = form not in SMALL and form not in _joiners(language)
        elif is_name:
            is_capital = len(form) > 1 and reading.surface(index, index + 1)[0].isupper()
            says_more = is_capital and not is_common(form) and not month_of(form, language)
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
