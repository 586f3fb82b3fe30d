"""How much a text is like a gold answer that it does not have, by words and by letters."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.scoring.words.contains import Name, index_gold, stem
from qaldgen.scoring.words.gold_names import GoldKey, gold_wordings
from qaldgen.scoring.words.quantities import spell_signs
from qaldgen.scoring.words.reading import Reading, is_common
from qaldgen.scoring.words.tokens import UNSPACED, primary, tokens

_NUMBER = re.compile(r"\d+|[ivx]+")
_LATIN = re.compile(r"[A-Za-z]{3}")
#: How much of a text, and how many names, are compared by their letters; the shortest word.
_LETTERS, _NAMES, _WORD = 400, 40, 4
#: From where on, of 100, a part of the text is like a name, and much like it.
_LIKE, _ALIKE = 40.0, 75.0
#: From where on, of 100, two words are one, spelled in two ways.
_SPELLED = 80.0
#: The longest answer that may be a part of a name, in words.
_SHORT = 6


class _PlainGold(NamedTuple):
    """The names of the gold answers as they are compared by words and letters."""

    names: tuple[str, ...]
    words: tuple[frozenset[str], ...]  # of each name, without those of the question
    known: frozenset[str]  # the words of the question
    own: frozenset[str]  # these and all words of the names
    parts: frozenset[tuple[str, ...]]  # names that are what stands before a comma, by their words
    latin: bool


@functools.lru_cache(maxsize=2048)
def plain_gold(key: GoldKey) -> _PlainGold:
    """Return the names of the gold answers to a question; cached, since several runs answer it."""
    from anyascii import anyascii

    gold, rows = index_gold(key), gold_wordings(key.question, key.language, key.aliases)
    known = frozenset(word for words in gold.asked for word in words)
    forms = (
        " ".join(tokens(spell_signs(anyascii(name[:_LETTERS]))))
        for row in rows
        for name in row[:_NAMES]
    )
    names = tuple(dict.fromkeys(filter(None, forms)))[:_NAMES]
    words = tuple(
        frozenset(word for word in name.split() if not is_common(word)) - known for name in names
    )
    latin = any(_LATIN.search(name) for row in rows for name in row)
    indexed = (name for same in gold.names.values() for name, _, _ in same)
    parts = frozenset(name.words for name in indexed if name.part)
    return _PlainGold(names, words, known, known.union(*words), parts, latin)


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
    found = process.extractOne(line, names, scorer=fuzz.partial_ratio, score_cutoff=_LIKE)
    like = found[1] if found else 0.0
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
        "like": max(like - _LIKE, 0.0) / (100 - _LIKE),
        "alike": max(like - _ALIKE, 0.0) / (100 - _ALIKE),
        "replaced": float(_has_replaced(key, text[:_LETTERS])),
        "script": float(not gold.latin and bool(_LATIN.search(text))),
    }


@functools.lru_cache(maxsize=2048)
def _names_by_stem(key: GoldKey) -> Mapping[str, Sequence[tuple[tuple[str, ...], Name, int]]]:
    """Return names of two words or more by each of their stems, with its place among them."""
    table: dict[str, list[tuple[tuple[str, ...], Name, int]]] = defaultdict(list)
    for name, stems, _ in itertools.chain.from_iterable(index_gold(key).names.values()):
        if len(stems) > 1:
            for at, one in enumerate(stems):
                table[one].append((stems, name, at))
    return table


def _has_replaced(key: GoldKey, text: str) -> bool:
    """Tell whether another name stands in the place of one word of a name: Karl for Anna Roth."""
    from rapidfuzz import fuzz

    reading, base = Reading(text, key.language), primary(key.language)
    known, names = plain_gold(key).known, _names_by_stem(key)
    given = tuple(stem(form, base) for form in reading.forms)
    for at, one in enumerate(given):
        for stems, name, place in names.get(one, ()):
            start = at - place
            window = given[max(start, 0) : start + len(stems)]
            odd = [i for i, two in enumerate(zip(stems, window, strict=False)) if two[0] != two[1]]
            if len(window) != len(stems) or len(odd) != 1 or stems[odd[0]] in given:
                continue
            instead, word = reading.forms[start + odd[0]], name.words[odd[0]]
            surface = reading.surface(start + odd[0], start + odd[0] + 1)
            if (
                not surface[:1].islower()
                and (len(instead) > 1 or base in UNSPACED)
                and not is_common(instead)
                and instead not in known
                and not _NUMBER.fullmatch(word)
                and not (word.startswith(instead) or instead.startswith(word))
                and fuzz.ratio(word, instead) < _SPELLED
            ):
                return True
    return False
