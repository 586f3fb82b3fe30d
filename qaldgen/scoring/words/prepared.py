"""The gold answers of a question, prepared to be found in texts."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from qaldgen.scoring.words.adjectives import is_country
from qaldgen.scoring.words.calendars import Day
from qaldgen.scoring.words.dates import day_of, read_date
from qaldgen.scoring.words.gold_key import GoldKey
from qaldgen.scoring.words.iri_names import plain_name
from qaldgen.scoring.words.lexicon import ARTICLES, phrases, primary
from qaldgen.scoring.words.matching import forms_of
from qaldgen.scoring.words.names import Name, Names
from qaldgen.scoring.words.numbers import canonical, number_style, readings
from qaldgen.scoring.words.timezones import is_zone
from qaldgen.scoring.words.tokens import DIGIT, joined_signs, tokens
from qaldgen.scoring.words.variants import asks_who, further_names, is_person_like
from qaldgen.scoring.words.wordings import gold_wordings

#: Aliases up to this length must be in their own case: "IT" is a country code, "it" is not.
_SHORT = 3


class Value(NamedTuple):
    """A number as gold answer.

    A decimal measures something in a unit that the data do not name: 8.0 may mean millions, so that
    "8 million" is right.

    Attributes
    ----------
    readings : frozenset of Decimal
        The numbers that it may denote.
    decimal : bool
        Whether it is written as a decimal.
    """

    readings: frozenset[Decimal]
    decimal: bool


class Prepared(NamedTuple):
    """The gold answers of a question, indexed for lookup.

    Attributes
    ----------
    values, dates : tuple of (int, ...)
        Gold answers that are numbers, and dates.
    names : Names
        The variants of the others.
    countries, zones : tuple of (int, str)
        Those that are countries and time zones, with their main names.
    asked : tuple of tuple of str
        The tokens of the question, in each of its languages.
    rivals : frozenset of str
        What the question offers besides the gold answer: "Ulm or Bonn?".
    echoes : bool
        Whether an echo of the question could contain a gold answer.
    """

    values: tuple[tuple[int, Value], ...]
    dates: tuple[tuple[int, Day], ...]
    names: Names
    countries: tuple[tuple[int, str], ...]
    zones: tuple[tuple[int, str], ...]
    asked: tuple[tuple[str, ...], ...]
    rivals: frozenset[str]
    echoes: bool

    @property
    def words_asked(self) -> frozenset[str]:
        """All tokens of the question."""
        return _all_words(self.asked)


@functools.lru_cache(maxsize=2048)
def prepare(key: GoldKey) -> Prepared:
    """Return the gold answers of a question in the language of `key`.

    Parameters
    ----------
    key
        Question, aliases and language.

    Returns
    -------
    Prepared
        Cached, since several runs are scored on the same questions.
    """
    question = key.question
    rows = gold_wordings(question, key.language, key.aliases)
    asked = tuple(
        dict.fromkeys(tokens(text, own) for own, texts in question.texts.items() for text in texts)
    )
    who = asks_who(question.texts)
    values: list[tuple[int, Value]] = []
    dates: list[tuple[int, Day]] = []
    names: list[Name] = []
    mains: list[tuple[int, str]] = []
    for gold, row in enumerate(rows):
        main = row[0] if row else ""
        if days := _days(main, [key.language, *question.texts]):
            dates += [(gold, day) for day in days]
        elif read := readings(main, key.language):
            values.append((gold, Value(read, "." in main or "e" in main.lower())))
        else:
            mains.append((gold, plain_name(main)))
            # Some literals list several names.
            listed = (*row, *main.split(";")) if ";" in main else row
            names += _names(listed, gold, asked, key.language, only=len(rows) == 1, who=who)
    own, heads = asked[0] if asked else (), _all_words(asked)
    given = [str(date.year) for _, date in dates] + [
        canonical(one) for _, value in values for one in value.readings
    ]
    echoes = not heads.isdisjoint(given) or any(heads.issuperset(name.words) for name in names)
    countries = tuple(one for one in mains if is_country(one[1]))
    zones = tuple(one for one in mains if is_zone(one[1]))
    return Prepared(
        tuple(values),
        tuple(dates),
        Names(names),
        countries,
        zones,
        asked,
        _rivals(names, own),
        echoes,
    )


def _days(text: str, languages: Sequence[str]) -> list[Day]:
    """Return the day that a text is, or two if day and month may change places."""
    if (day := read_date(text)) is not None:
        return [day]
    if not DIGIT.search(text):
        return []
    forms = (form for language in languages for form in forms_of(text, language))
    return list(dict.fromkeys(day for form in forms if (day := day_of(form)) is not None))


@functools.lru_cache(maxsize=1 << 18)
def _words(wording: str, numbers_as: str) -> tuple[str, ...]:
    """Return the tokens of a variant without a qualifier in brackets.

    Cached, since the same aliases come back for each language.
    """
    return tokens(plain_name(wording), numbers_as)


@functools.lru_cache(maxsize=4096)
def _all_words(asked: tuple[tuple[str, ...], ...]) -> frozenset[str]:
    return frozenset(word for row in asked for word in row)


def _names(
    row: Sequence[str],
    gold: int,
    asked: Sequence[Sequence[str]],
    language: str,
    *,
    only: bool,
    who: bool,
) -> Iterator[Name]:
    """Yield the names of one gold answer: its variants, and those derived from the main one."""
    articles = ARTICLES["en"] | ARTICLES.get(primary(language), frozenset())
    numbers_as, main = (
        number_style(language),
        frozenset(_words(row[0], number_style(language))) if row else frozenset(),
    )
    heads = {word for question in asked for word in question}
    for position, wording in enumerate(row):
        words = _words(wording, numbers_as)
        if len(words) > 2 and words[0] in articles:
            words = words[1:]
        # Answers often repeat the question: a name that is in the question proves nothing, unless
        # it is the main name of the only answer.
        if not words or (_is_asked(words, asked, heads) and not (only and position == 0)):
            continue
        short = (
            joined_signs(wording)
            if len(wording) <= _SHORT and wording.lower() != wording.upper()
            else ""
        )
        if position and (
            (words[0].isdecimal() and len(words) == 1)
            or (short and short.isascii() and short.islower())
        ):
            continue  # a code: "in" for India, a number
        part = len(words) == 1 and words[0] in main and is_person_like(plain_name(row[0]))
        yield Name(words, gold, short, main, part, is_person_like(plain_name(wording)))
        if len(words) == 2 and words[0] in articles:
            # "Hague" for "The Hague", but only as the whole answer: no text writes one word so
            yield Name(words[1:], gold, wording, main)
    for variant in further_names(plain_name(row[0]), numbers_as, who=who) if row else ():
        if not _is_asked(variant.words, asked, heads):
            yield Name(variant.words, gold, "", main, variant.part)


def _is_asked(words: Sequence[str], asked: Sequence[Sequence[str]], heads: set[str]) -> bool:
    return words[0] in heads and any(_at(question, words) for question in asked)


def _at(words: Sequence[str], part: Sequence[str]) -> bool:
    return any(
        tuple(words[i : i + len(part)]) == tuple(part)
        for i, word in enumerate(words)
        if word == part[0]
    )


def _rivals(names: Sequence[Name], asked: Sequence[str]) -> frozenset[str]:
    """Return the first words of what a question offers besides its gold answer.

    "Which is older, Ulm or Bonn?".
    """
    rivals: set[str] = set()
    for at, word in enumerate(asked):
        if word in _or_words() and 0 < at < len(asked) - 1:
            left, right = asked[at - 1], asked[at + 1]
            ends, starts = {name.words[-1] for name in names}, {name.words[0] for name in names}
            rivals |= {right} if left in ends else {left} if right in starts else set()
    return frozenset(rivals)


@functools.cache
def _or_words() -> frozenset[str]:
    return frozenset(
        token for row in phrases("or").values() for word in row for token in tokens(word)
    )
