"""How much a text is like a gold answer that it does not have, by words and by letters."""

from __future__ import annotations

import functools
import math
import re
from typing import NamedTuple

from qaldgen.scoring.words.contains import index_gold
from qaldgen.scoring.words.gold_names import GoldKey, gold_wordings
from qaldgen.scoring.words.reading import is_common
from qaldgen.scoring.words.tokens import primary, stem, tokens

_NUMBER = re.compile(r"\d+|[ivx]+")
_LATIN = re.compile(r"[A-Za-z]{3}")
#: How much of a text, and how many names, are compared by their letters; the shortest word.
_LETTERS, _NAMES, _WORD = 400, 40, 4
#: From where on, of 100, a part of the text is much like a name.
_ALIKE = 75.0
#: From where on, of 100, two words are one, spelled in two ways.
_SPELLED = 80.0
#: The longest answer that may be a part of a name, in words.
_SHORT = 6


class PlainGold(NamedTuple):
    """The names of the gold answers as they are compared by words and letters."""

    names: tuple[str, ...]
    words: tuple[frozenset[str], ...]  # of each name, without those of the question
    asked: tuple[str, ...]  # the question
    known: frozenset[str]  # its words
    own: frozenset[str]  # these and all words of the names
    stems: frozenset[str]  # of all these
    latin: bool


@functools.lru_cache(maxsize=2048)
def plain_gold(key: GoldKey) -> PlainGold:
    """Return the names of the gold answers to a question; cached, since several runs answer it."""
    from anyascii import anyascii

    gold, rows = index_gold(key), gold_wordings(key.question, key.language, key.aliases)
    known = frozenset(word for words in gold.asked for word in words)
    forms = (" ".join(tokens(anyascii(name[:_LETTERS]))) for row in rows for name in row[:_NAMES])
    names = tuple(dict.fromkeys(filter(None, forms)))[:_NAMES]
    words = tuple(
        frozenset(word for word in name.split() if not is_common(word)) - known for name in names
    )
    latin = any(_LATIN.search(name) for row in rows for name in row)
    listed = [name.words for same in gold.names.values() for name, _, _ in same]
    own = known.union(*words, *listed)
    stems = frozenset(stem(word, primary(key.language)) for word in own)
    asked = tuple(text for texts in key.question.texts.values() for text in texts)
    return PlainGold(names, words, asked, known, own, stems, latin)


def likeness(key: GoldKey, text: str, *, spelled: bool) -> dict[str, float]:
    """Return how much a text is like a gold answer; by its letters only if it may be `spelled` so.

    One of several names looks alike by chance.
    """
    from anyascii import anyascii
    from rapidfuzz import fuzz, process

    gold = plain_gold(key)
    words = tokens(anyascii(text[:_LETTERS]))
    said, line = frozenset(words), " ".join(words)
    own = said - gold.known
    # a name with another number is another name: Henry VII, Apollo 12
    others = {one for one in gold.words if any(w not in said for w in one if _NUMBER.fullmatch(w))}
    names = [
        name
        for name, one in zip(gold.names, gold.words, strict=True)
        if spelled and min(len(line), len(name)) >= _WORD and one not in others
    ]
    found = process.extractOne(line, names, scorer=fuzz.partial_ratio, score_cutoff=_ALIKE)
    alike = (found[1] - _ALIKE) / (100 - _ALIKE) if found else 0.0
    long = [word for word in said if len(word) >= _WORD]
    met = {
        word
        for word in frozenset[str]().union(*gold.words)
        if word in said
        or (
            len(word) >= _WORD
            and process.extractOne(word, long, scorer=fuzz.ratio, score_cutoff=_SPELLED)
        )
    }
    shares = [len(one & met) / len(one) for one in gold.words if one and one not in others]
    return {
        "variants": math.log1p(len(gold.names)),
        "short": float(0 < len(own) <= _SHORT and any(own <= one for one in gold.words)),
        "share": max(shares, default=0.0),
        "word": float(any(len(word) >= _WORD for word in met & said)),
        "alike": alike,
        "script": float(not gold.latin and bool(_LATIN.search(text))),
    }
