"""What stands around a gold answer in a text: a name there does not make the text right."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from qaldgen.scoring.words.contains import Match
from qaldgen.scoring.words.dates import month_of
from qaldgen.scoring.words.gold_names import GoldKey
from qaldgen.scoring.words.likeness import PlainGold, plain_gold
from qaldgen.scoring.words.reading import SMALL, Reading, ends_clause, is_common
from qaldgen.scoring.words.tokens import main_language, stem

#: The most words of a short answer.
_MAX_SHORT_WORDS = 8
#: The most words of a brief answer.
_MAX_BRIEF_WORDS = 16
_YEAR = re.compile(r"[12]\d{3}")


def signs_around(matches: Sequence[Match], key: GoldKey) -> dict[str, float]:
    """Return which signs of another answer stand around all gold answers in a text.

    `signs.SIGNS` says what each means.
    """
    gold, language = plain_gold(key), main_language(key.language)
    matched_words: dict[Reading, set[int]] = defaultdict(set)
    for match in matches:
        matched_words[match.reading].update(range(match.start, match.end))
    is_added = all(
        _has_addition(match, matched_words[match.reading], gold, language) for match in matches
    )
    is_part = all(match.name is not None and match.name.part for match in matches)
    return {"added": float(is_added), "part": float(is_part)}


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
            says_more = form not in SMALL
        elif is_name:
            is_capital = len(form) > 1 and reading.surface(index, index + 1)[0].isupper()
            says_more = is_capital and not is_common(form) and not month_of(form, language)
        else:
            says_more = any(map(str.isdigit, form))
        if says_more:
            return True
    return False
