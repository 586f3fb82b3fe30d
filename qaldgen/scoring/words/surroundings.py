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
from qaldgen.scoring.words.tokens import locales, read_in, stem, tokens
from qaldgen.scoring.words.yes_no import is_negated

#: The longest short answer and the longest brief one, in words; the fewest items of a list, and
#: the longest.
_SHORT, _BRIEF, _ITEMS, _ITEM = 8, 16, 3, 4
_YEAR = re.compile(r"[12]\d{3}")


def signs_around(matches: Sequence[Match], key: GoldKey) -> dict[str, float]:
    """Tell which signs of another answer stand around all gold answers in a text.

    Particular ones come first; `signs.SIGNS` has their words.
    """
    gold, languages = plain_gold(key), read_in(key.language)
    taken: dict[Reading, set[int]] = defaultdict(set)
    for match in matches:
        taken[match.reading].update(range(match.start, match.end))
    there = {
        "negated": all(_negated(one, gold, languages) for one in matches),
        "rival": all(_rival(one, taken[one.reading], gold, languages[0]) for one in matches),
        "added": all(_added(one, taken[one.reading], gold, languages[0]) for one in matches),
        "part": all(one.name is not None and one.name.part for one in matches),
    }
    return {sign: float(is_there) for sign, is_there in there.items()}


def _negated(match: Match, gold: PlainGold, languages: Sequence[str]) -> bool:
    """Tell whether the clause around a gold answer is negated, and the question is not."""
    reading, first, last = match.reading, match.start, match.end
    while first and not ends_clause(reading, first):
        first -= 1
    while last < len(reading.forms) and not ends_clause(reading, last):
        last += 1
    text, words = reading.normalised, reading.words
    before = text[words[first].start : words[match.start].start]
    after = text[words[match.end - 1].end : words[last - 1].end]
    return any(
        is_negated(f"{before} {after}", one)
        and not any(is_negated(asked, one) for asked in gold.questions)
        for one in languages
    )


def _rival(match: Match, taken: set[int], gold: PlainGold, language: str) -> bool:
    """Tell whether an "or" puts another answer beside it, or the text lists short items."""
    reading, joiners = match.reading, _joiners(language)
    joined = {at for at, form in enumerate(reading.forms) if form in joiners} - taken
    if match.start - 1 in joined and match.start - 2 not in taken:
        return True
    if match.end in joined and match.end + 1 not in taken:
        return True
    items = [item for item in _items(language).split(reading.text) if item.strip()]
    if len(items) < _ITEMS or any(len(item.split()) > _ITEM for item in items):
        return False
    return any(
        form not in gold.expected_words and not is_common(form)
        for at, form in enumerate(reading.forms)
        if at not in taken
    )


def _added(match: Match, taken: set[int], gold: PlainGold, language: str) -> bool:
    """Tell whether a brief answer says more than the question and the gold answers do.

    A short one anything, such as a unit: "12 %", "a portrait by Ada Mill"; a longer one another
    name, or beside a number another number: "Ada Mill was his wife. He was Bo Kim."
    """
    reading, forms, is_name = match.reading, match.reading.forms, match.name is not None
    if len(forms) > _BRIEF:
        return False
    for at, form in enumerate(forms):
        if at in taken or form in gold.expected_words:
            continue
        if stem(form, language) in gold.expected_stems:
            continue
        if len(forms) <= _SHORT and is_name and _YEAR.fullmatch(form):
            says_more = at == match.end and not ends_clause(reading, at)  # Mill 2049
        elif len(forms) <= _SHORT:
            says_more = form not in SMALL and form not in _joiners(language)
        elif is_name:
            is_capital = len(form) > 1 and reading.surface(at, at + 1)[0].isupper()
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


@functools.cache
def _items(language: str) -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted({*_joiners(language), "and"})))
    return re.compile(rf",(?!\d)|[;\n、，&]|\b(?:{words})\b")
