"""How much a text that does not give the gold answer is like it: by words, and by letters."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from qaldgen.scoring.words.contains import IndexedGold
from qaldgen.scoring.words.phrases import main_language, phrases
from qaldgen.scoring.words.reading import COMMON
from qaldgen.scoring.words.tokens import phrase_values, tokens

#: A number, in digits or, as a whole word, in Roman numerals.
_NUMBER = re.compile(r"\d+|^[ivx]+$")
_HAN = re.compile(r"[\u3400-\u9fff]")
#: A text in Latin letters.
_LATIN = re.compile(r"[A-Za-z]{3}")
#: A word that has lost the space in it: "inUlm".
_GLUED = re.compile(r"\b[a-z]+[A-Z]\w*")
#: The letters of a text, or of a name, that are compared; the others are cut off.
_MAX_LETTERS = 400
#: The names of one gold answer, and of all together, that are compared.
_MAX_NAMES = 40
#: A word, name or text with fewer letters is like others by chance.
_MIN_LETTERS = 4
#: What makes the opposite of a word: never and ever.
_PREFIX = re.compile(rf"\A(?:{'|'.join(phrases('opposite-prefix')['any'])})(?=.{{{_MIN_LETTERS}}})")
#: The lowest similarity, of 100, between a name and the part of a text that is most like it.
_SIMILAR_NAME = 75.0
#: The lowest similarity, of 100, between two spellings of one word.
_SIMILAR_WORD = 80.0
#: The most words of a short answer.
_MAX_SHORT_WORDS = 6

#: Currencies by their signs and names; pounds may be a weight.
_CURRENCIES = {
    sign: re.compile(rf"{re.escape(sign)}|\b(?:{names})\b", re.IGNORECASE)
    for sign, names in {
        "$": "dollars?|usd", "€": "euros?|eur", "£": "gbp|pounds? sterling", "¥": "yen|jpy",
        "₹": "rupees?|inr",
    }.items()
}  # fmt: skip


class PlainName(NamedTuple):
    """A name of a gold answer in ASCII and lower case."""

    text: str
    words: frozenset[str]  # without common ones and those of the question
    numbers: frozenset[str]  # its numbers, also those of the question
    number_words: frozenset[tuple[str, str]]  # the languages and values of its words for numbers
    han: frozenset[str]  # its Chinese characters


@functools.lru_cache(maxsize=2048)
def _plain_names(gold: IndexedGold) -> tuple[PlainName, ...]:
    """Return the names of the gold answers to a question; cached, since several runs answer it."""
    wordings = [wording.text for row in gold.wordings for wording in row[:_MAX_NAMES]]
    wordings_by_text = {_plain(wording): wording for wording in wordings}
    wordings_by_text.pop("", None)
    names = []
    for text in list(wordings_by_text)[:_MAX_NAMES]:
        words = {word for word in text.split() if word not in COMMON}
        new_words = words.difference(*gold.questions)
        numbers, number_words = _numbers_in(words), _number_words_in(words)
        han = frozenset(_HAN.findall(wordings_by_text[text]))
        names.append(PlainName(text, frozenset(new_words), numbers, number_words, han))
    return tuple(names)


def _numbers_in(words: Iterable[str]) -> frozenset[str]:
    return frozenset(number for word in words for number in _NUMBER.findall(word))


def _number_words_in(words: Iterable[str]) -> frozenset[tuple[str, str]]:
    """Return the languages and values of the words for numbers among some words."""
    return frozenset().union(*(_number_words().get(word, ()) for word in words))


@functools.cache
def _number_words() -> Mapping[str, set[tuple[str, str]]]:
    """Return the languages and values of words for numbers from 2 on, in ASCII."""
    values: dict[str, set[tuple[str, str]]] = {}
    for tag in phrases("number"):
        for words, value in phrase_values("number", tag).items():
            if value > 1:
                values.setdefault(_plain(" ".join(words)), set()).add((tag, str(value)))
    return values


def _is_other_number(
    number_words: Iterable[tuple[str, str]], text_words: Iterable[str], numbers: frozenset[str]
) -> bool:
    """Return whether a text has numbers, in digits or in the same language, but not those."""
    given = _number_words_in(text_words)
    for language, value in number_words:
        values = {other for tag, other in given if tag == language}
        values.update(number for number in numbers if number.isdigit() and len(number) < 3)
        if values and value not in values:
            return True
    return False


def _plain(text: str) -> str:
    """Return the words at the start of a text, in ASCII and lower case."""
    from anyascii import anyascii

    return " ".join(tokens(anyascii(text[:_MAX_LETTERS])))


def names_other_currency(gold: IndexedGold, text: str) -> bool:
    """Return whether a text names currencies, but none of those that the gold answers name."""
    wordings = " ".join(name.text for row in gold.wordings for name in row)
    expected, given = (
        {name for name, pattern in _CURRENCIES.items() if pattern.search(part)}
        for part in (wordings, text)
    )
    return bool(expected and given) and expected.isdisjoint(given)


def is_listed_as_wrong(gold: IndexedGold, text: str) -> bool:
    """Return whether an answer is one of the wrong answers that its question lists."""
    if not gold.wrong_answers:
        return False
    plain_text = _plain(text)
    right_names = {"", *(name.text for name in _plain_names(gold))}
    return plain_text not in right_names and plain_text in map(_plain, gold.wrong_answers)


def likeness(gold: IndexedGold, text: str, *, spelled: bool) -> dict[str, float]:
    """Return the signs that a text is like a gold answer; see `signs.SIGNS`.

    Letters are compared only if `spelled`: one of several names looks alike by chance.
    """
    from rapidfuzz import fuzz, process

    names, plain_text = _plain_names(gold), _plain(text)
    text_words = frozenset(plain_text.split())
    # a name with another number, or the opposite of a word, is another name: Henry VII, Illegal
    name_words = frozenset[str]().union(*(name.words for name in names))
    missing_words = name_words - text_words
    own_words = text_words.difference(map(str.lower, _GLUED.findall(text)))
    text_bases = own_words | {_PREFIX.sub("", word) for word in own_words}
    opposites = {word for word in missing_words if text_bases & {word, _PREFIX.sub("", word)}}
    # a number of the question need not be said again, but another one contradicts it
    numbers = _numbers_in(text_words)
    if not any(map(str.isdigit, numbers)):
        numbers |= _numbers_in(set[str]().union(*gold.questions))
    text_han = _HAN.findall(text)
    is_japanese = main_language(gold.language) == "ja"
    possible = []
    for name in names:
        is_other = not name.numbers <= numbers or bool(name.words & opposites)
        # in ASCII, different characters look alike; in Chinese one may be the other, simplified
        if is_japanese and name.han and text_han and name.han.isdisjoint(text_han):
            is_other = True
        if not (is_other or _is_other_number(name.number_words, text_words, numbers)):
            possible.append(name)

    similarity = _SIMILAR_NAME
    if spelled and len(plain_text) >= _MIN_LETTERS:
        long_names = [name.text for name in possible if len(name.text) >= _MIN_LETTERS]
        similar = process.extractOne(
            plain_text, long_names, scorer=fuzz.partial_ratio, score_cutoff=_SIMILAR_NAME
        )
        similarity = similar[1] if similar else _SIMILAR_NAME

    # the words of names that the text has, also in another spelling
    long_text_words = [word for word in text_words if len(word) >= _MIN_LETTERS]
    common_words = set(name_words & text_words)
    for word in missing_words - opposites:
        is_similar = len(word) >= _MIN_LETTERS and process.extractOne(
            word, long_text_words, scorer=fuzz.ratio, score_cutoff=_SIMILAR_WORD
        )
        if is_similar:
            common_words.add(word)

    shares = [len(name.words & common_words) / len(name.words) for name in possible if name.words]
    new_words = text_words.difference(*gold.questions)
    is_short = 0 < len(new_words) <= _MAX_SHORT_WORDS
    is_part_of_name = is_short and any(new_words <= name.words for name in names)
    names_in_one = "".join(name.text for row in gold.wordings for name in row)
    letters = list(filter(str.isalpha, names_in_one))
    is_in_latin = any(map(str.isascii, letters))
    is_in_other_script = bool(letters) and not is_in_latin and _LATIN.search(text) is not None
    return {
        "variants": math.log1p(len(names)),
        "short": float(is_part_of_name),
        "share": max(shares, default=0.0),
        "word": float(not common_words.isdisjoint(long_text_words)),
        "alike": (similarity - _SIMILAR_NAME) / (100 - _SIMILAR_NAME),
        "script": float(is_in_other_script),
    }
