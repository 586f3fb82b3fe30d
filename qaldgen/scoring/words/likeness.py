"""How much a text that does not give the gold answer is like it: by words, and by letters."""

from __future__ import annotations

import functools
import math
import re
from typing import NamedTuple

from qaldgen.questions.fields import is_wrong_answer
from qaldgen.scoring.words.contains import Name, index_gold
from qaldgen.scoring.words.gold_names import GoldKey, gold_wordings
from qaldgen.scoring.words.reading import is_common
from qaldgen.scoring.words.tokens import main_language, stem, tokens

#: A number, in digits or as a Roman numeral.
_NUMBER = re.compile(r"\d+|[ivx]+")
#: A text in Latin letters.
_LATIN = re.compile(r"[A-Za-z]{3}")
#: The letters of a text, or of a name, that are compared; the others are cut off.
_MAX_LETTERS = 400
#: The names of one gold answer, and of all together, that are compared.
_MAX_NAMES = 40
#: A word, name or text with fewer letters is like others by chance.
_MIN_LETTERS = 4
#: The lowest similarity, of 100, between a name and the part of a text that is most like it.
_SIMILAR_NAME = 75.0
#: The lowest similarity, of 100, between two spellings of one word.
_SIMILAR_WORD = 80.0
#: The most words of a short answer.
_MAX_SHORT_WORDS = 6


class PlainGold(NamedTuple):
    """The names of the gold answers and the words of the question, in ASCII and lower case."""

    names: tuple[str, ...]
    name_words: tuple[frozenset[str], ...]  # of each name, without those of the question
    question_words: frozenset[str]
    expected_stems: frozenset[str]  # of the words of the question and of all names
    has_latin_name: bool
    wrong_names: frozenset[str]  # wrong answers that the question lists


@functools.lru_cache(maxsize=2048)
def plain_gold(key: GoldKey) -> PlainGold:
    """Return the names of the gold answers to a question; cached, since several runs answer it."""
    wordings = gold_wordings(key)
    gold, language = index_gold(key), main_language(key.language)
    question_words = frozenset(word for words in gold.questions for word in words)
    compared = [_plain(wording) for row in wordings for wording in row[:_MAX_NAMES]]
    names = tuple(dict.fromkeys(filter(None, compared)))[:_MAX_NAMES]
    name_words = tuple(
        frozenset(word for word in name.split() if not is_common(word)) - question_words
        for name in names
    )
    stems = [name.stems for _, name in gold.sought if isinstance(name, Name)]
    expected_words = question_words.union(*name_words)
    wrong_names = set[str]()
    for column, value in key.question.metadata.items():
        if is_wrong_answer(column):
            wrong_names.update(map(_plain, value if isinstance(value, tuple) else (value,)))
    return PlainGold(
        names=names,
        name_words=name_words,
        question_words=question_words,
        expected_stems=frozenset(stem(word, language) for word in expected_words).union(*stems),
        has_latin_name=any(_LATIN.search(name) for row in wordings for name in row),
        wrong_names=frozenset(wrong_names) - {"", *names},
    )


def _plain(text: str) -> str:
    """Return the words at the start of a text, in ASCII and lower case."""
    from anyascii import anyascii

    return " ".join(tokens(anyascii(text[:_MAX_LETTERS])))


def is_listed_as_wrong(key: GoldKey, text: str) -> bool:
    """Return whether an answer is one of the wrong answers that its question lists."""
    wrong_names = plain_gold(key).wrong_names
    return bool(wrong_names) and _plain(text) in wrong_names


def likeness(key: GoldKey, text: str, *, spelled: bool) -> dict[str, float]:
    """Return the signs that a text is like a gold answer; see `signs.SIGNS`.

    Letters are compared only if `spelled`: one of several names looks alike by chance.
    """
    from rapidfuzz import fuzz, process

    gold, plain_text = plain_gold(key), _plain(text)
    text_words = frozenset(plain_text.split())

    # a name with another number is another name: Henry VII, Apollo 12
    possible = []
    for name, words in zip(gold.names, gold.name_words, strict=True):
        numbers = {word for word in words if _NUMBER.fullmatch(word)}
        if numbers <= text_words:
            possible.append((name, words))

    similar = None
    if spelled and len(plain_text) >= _MIN_LETTERS:
        names = [name for name, _ in possible if len(name) >= _MIN_LETTERS]
        similar = process.extractOne(
            plain_text, names, scorer=fuzz.partial_ratio, score_cutoff=_SIMILAR_NAME
        )
    similarity = similar[1] if similar else _SIMILAR_NAME

    # the words of names that the text has, also in another spelling
    long_text_words = [word for word in text_words if len(word) >= _MIN_LETTERS]
    name_words = frozenset[str]().union(*gold.name_words)
    common_words = set(name_words & text_words)
    for word in name_words - text_words:
        is_similar = len(word) >= _MIN_LETTERS and process.extractOne(
            word, long_text_words, scorer=fuzz.ratio, score_cutoff=_SIMILAR_WORD
        )
        if is_similar:
            common_words.add(word)

    shares = [len(words & common_words) / len(words) for _, words in possible if words]
    new_words = text_words - gold.question_words
    is_short = 0 < len(new_words) <= _MAX_SHORT_WORDS
    is_part_of_name = is_short and any(new_words <= words for words in gold.name_words)
    is_in_other_script = not gold.has_latin_name and _LATIN.search(text) is not None
    return {
        "variants": math.log1p(len(gold.names)),
        "short": float(is_part_of_name),
        "share": max(shares, default=0.0),
        "word": float(not common_words.isdisjoint(long_text_words)),
        "alike": (similarity - _SIMILAR_NAME) / (100 - _SIMILAR_NAME),
        "script": float(is_in_other_script),
    }
