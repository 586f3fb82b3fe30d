"""A matcher for long free text, as language models write it: a gold answer occurs in it, and is meant."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias

from qaldgen.model import Question
from qaldgen.runs.record import Response
from qaldgen.scoring.counts import Count
from qaldgen.scoring.words.adjectives import names_country
from qaldgen.scoring.words.calendars import Day
from qaldgen.scoring.words.context import Reading, has_capitals, is_denied, is_said, only_offers
from qaldgen.scoring.words.dates import date_at, has_date, is_decade, read_date
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.languages import answer_language
from qaldgen.scoring.words.lexicon import ARTICLES, primary
from qaldgen.scoring.words.names import Name, Names, Place
from qaldgen.scoring.words.numbers import number_style, readings
from qaldgen.scoring.words.polarity import Polarity, has_sign, polarity
from qaldgen.scoring.words.quantities import Quantity, quantities, same_quantity, spell_signs
from qaldgen.scoring.words.sentences import assertions
from qaldgen.scoring.words.timezones import names_zone
from qaldgen.scoring.words.tokens import marked, tokens
from qaldgen.scoring.words.variants import asks_who, further_names, is_person_like
from qaldgen.scoring.words.wordings import Aliases, GoldKey, cannot_be_named, given_texts, gold_cells, gold_wordings, plain_name

#: Aliases up to this length count only in their own case: "IT" is a country code, "it" is not.
_SHORT = 3
#: Whether one gold answer in the text is enough, or all of them are wanted.
Need: TypeAlias = Literal["any", "all"]


class _Value(NamedTuple):
    """A number as gold answer: its readings, and whether it is written as a decimal.

    A decimal measures something in a unit that the data do not name: 8.0 may be millions, so that "8 million" is right.
    """

    readings: frozenset[Decimal]
    decimal: bool


class _Gold(NamedTuple):
    """The gold answers of a question, ready to be looked up.

    Attributes
    ----------
    size : int
        The number of gold answers.
    values, dates : tuple of (int, ...)
        Gold answers that are numbers, and dates.
    names : Names
        The wordings of the others.
    mains : tuple of (int, str)
        Their main wordings.
    asked : tuple of tuple of str
        The tokens of the question, in each of its languages.
    rivals : frozenset of tuple of str
        What the question offers beside the gold answer: "Ulm or Bonn?".
    """

    size: int
    values: tuple[tuple[int, _Value], ...]
    dates: tuple[tuple[int, Day], ...]
    names: Names
    mains: tuple[tuple[int, str], ...]
    asked: tuple[tuple[str, ...], ...]
    rivals: frozenset[str]


@functools.lru_cache(maxsize=2048)
def _gold(key: GoldKey) -> _Gold:
    question = key.question
    rows = gold_wordings(question, key.language, key.aliases)
    asked = tuple(dict.fromkeys(tokens(text, own) for own, texts in question.texts.items() for text in texts))
    who = asks_who(question.texts)
    values: list[tuple[int, _Value]] = []
    dates: list[tuple[int, Day]] = []
    names: list[Name] = []
    mains: list[tuple[int, str]] = []
    for gold, row in enumerate(rows):
        main = row[0] if row else ""
        if (date := read_date(main)) is not None:
            dates.append((gold, date))
        elif read := readings(main, key.language):
            values.append((gold, _Value(read, "." in main or "e" in main.lower())))
        else:
            mains.append((gold, plain_name(main)))
            # some literals list several names
            listed = (*row, *main.split(";")) if ";" in main else row
            names += _names(listed, gold, asked, key.language, only=len(rows) == 1, who=who)
    own = asked[0] if asked else ()
    return _Gold(len(rows), tuple(values), tuple(dates), Names(names), tuple(mains), asked, _rivals(names, own))


@functools.lru_cache(maxsize=1 << 18)
def _words(wording: str, numbers_as: str) -> tuple[str, ...]:
    """Return the tokens of a wording without a qualifier in brackets; the same aliases come back for each language."""
    return tokens(plain_name(wording), numbers_as)


def _names(
    row: Sequence[str], gold: int, asked: Sequence[Sequence[str]], language: str, *, only: bool, who: bool
) -> Iterator[Name]:
    """Yield the names of one gold answer: its wordings, and what can be made of the main one."""
    articles = ARTICLES["en"] | ARTICLES.get(primary(language), frozenset())
    numbers_as, main = number_style(language), frozenset(_words(row[0], number_style(language))) if row else frozenset()
    heads = {word for question in asked for word in question}
    for position, wording in enumerate(row):
        words = _words(wording, numbers_as)
        if len(words) > 2 and words[0] in articles:
            words = words[1:]
        # an answer often repeats the question: what stands there proves nothing, unless it is the name of the only answer
        if not words or (_is_asked(words, asked, heads) and not (only and position == 0)):
            continue
        short = wording if len(wording) <= _SHORT else ""
        if position and (words[0].isdecimal() and len(words) == 1 or (short and short.isascii() and short.islower())):
            continue  # a code: "in" for India, a number
        part = len(words) == 1 and words[0] in main and is_person_like(plain_name(row[0]))
        yield Name(words, gold, short, main, part, is_person_like(plain_name(wording)))
    for variant in further_names(plain_name(row[0]), numbers_as, who=who) if row else ():
        if not _is_asked(variant.words, asked, heads):
            yield Name(variant.words, gold, "", main, variant.part)


def _is_asked(words: Sequence[str], asked: Sequence[Sequence[str]], heads: set[str]) -> bool:
    return words[0] in heads and any(_at(question, words) for question in asked)


def _at(words: Sequence[str], part: Sequence[str]) -> bool:
    return any(tuple(words[i : i + len(part)]) == tuple(part) for i, word in enumerate(words) if word == part[0])


def _rivals(names: Sequence[Name], asked: Sequence[str]) -> frozenset[str]:
    """Return the first words of what a question offers beside its gold answer: "Which is older, Ulm or Bonn?"."""
    found: set[str] = set()
    for at, word in enumerate(asked):
        if word in _OR and 0 < at < len(asked) - 1:
            left, right = asked[at - 1], asked[at + 1]
            ends, starts = {name.words[-1] for name in names}, {name.words[0] for name in names}
            found |= {right} if left in ends else {left} if right in starts else set()
    return frozenset(found)


_OR = frozenset(["or", "oder", "ou", "o", "of", "sau", "или", "або", "czy", "nebo", "ili", "eller", "tai", "vai", "vagy", "veya"])


def _found(gold: _Gold, text: str, language: str) -> Iterator[int]:
    """Yield the gold answers that a text names and means, some of them more than once."""
    kept = [part for part in assertions(text, gold.asked, language) if not only_offers(part, language)]
    source, words = marked("\n".join(kept), language)
    reading = Reading(source, words, language, has_capitals(words), frozenset(word for row in gold.asked for word in row))
    forms = tuple(word.form for word in words)
    yield from _found_names(gold, reading, forms)
    for gold_date in gold.dates:
        if has_date(forms, gold_date[1], language) and not _all_denied(gold_date[1], reading, forms):
            yield gold_date[0]
    if gold.values:
        yield from _found_values(gold, source, reading)


def _all_denied(date: Day, reading: Reading, forms: Sequence[str]) -> bool:
    places = [at for at, form in enumerate(forms) if form == str(date.year) and date_at(forms, date, at, reading.language)]
    return bool(places) and all(is_denied(at, at + 1, reading) for at in places)


def _found_names(gold: _Gold, reading: Reading, forms: tuple[str, ...]) -> Iterator[int]:
    surfaces = [word.surface for word in reading.words]
    rival = next((at for at, form in enumerate(forms) if form in gold.rivals), len(forms))
    exact = gold.names.exact(forms)
    others = itertools.chain(gold.names.inflected(forms, reading.language), gold.names.sounding(reading.words))
    # another form of what stands in the question proves as little
    new = (place for place in others if not reading.asked.issuperset(forms[place.start : place.end]))
    for place in itertools.chain(exact, new):
        if place.start < rival and _is_cased(place, surfaces) and is_said(place, reading):
            yield place.name.gold
    for index, main in gold.mains:
        if names_country(forms, main, reading.language) or names_zone(reading.source, main):
            yield index


def _is_cased(place: Place, surfaces: Sequence[str]) -> bool:
    return not place.name.cased or len(surfaces) == 1 or surfaces[place.start] == place.name.cased


def _found_values(gold: _Gold, source: str, reading: Reading) -> Iterator[int]:
    """Yield the gold values that a text gives, in any unit."""
    spelled, words = marked(spell_signs(source), reading.language)
    read = reading._replace(source=spelled, words=words)
    forms = [word.form for word in words]
    given = [one for one in quantities(forms, reading.language) if not _is_no_value(one, forms, read)]
    for index, value in gold.values:
        if any(_is_value(value, one) for one in given):
            yield index


def _is_no_value(one: Quantity, forms: Sequence[str], reading: Reading) -> bool:
    single = one.end - one.start == 1
    return (single and is_decade(forms, one.start, reading.language)) or is_denied(one.start, one.end, reading)


def _is_value(value: _Value, given: Quantity) -> bool:
    if any(same_quantity(number, given, measured=value.decimal) for number in value.readings):
        return True
    return value.decimal and given.times > 1 and given.value / given.times in value.readings


def _size(question: Question) -> int:
    answers = question.answers
    if answers is None:
        return 0
    return 1 if answers.boolean is not None else len(gold_cells(answers)) + len(answers.texts)


def contains(
    question: Question,
    response: Response,
    *,
    language: str = "en",
    aliases: Aliases | None = None,
    need: Need = "any",
    extract: Extractor | None = None,
) -> Count | None:
    """Tell whether gold answers occur in a free text, and are meant there.

    Names are compared word by word, in the answer's language too where CLDR has them, in other cases, scripts and usual
    variants; numbers by value in any usual unit, sensibly rounded; dates by their year, unless the text gives another day; yes
    and no as in `qaldgen.scoring.words.polarity`. A part of another name, a denied name, one of several that are merely
    offered, and what only repeats the question do not count; refusals are not read. docs/scoring-text.md has all rules.

    Parameters
    ----------
    question : Question
        Its gold answers.
    response : Response
        The replies it gave, read as one text.
    language : str
        The language that is expected; that of the text counts where it is plain to see.
    aliases : mapping of str to sequence of str, optional
        Further wordings of gold answers, see `qaldgen.scoring.words.wordings`.
    need : {'any', 'all'}
        Whether one gold answer is enough, or each of them counts.
    extract : callable, optional
        Finds the answer in a reply; by default the marked one, or else the whole reply.

    Returns
    -------
    Count or None
        With ``any`` (1, 0, 0) for a hit, (0, 1, 1) for an answer without, (0, 0, 1) for none. With ``all`` the gold answers
        found and missed; what else a text says cannot be counted, so an answer without any hit has one false positive, and one
        with a hit none. A question without gold answers expects no answer: (0, 0, 0) or (0, 1, 0). None where it cannot be
        judged: no gold answer has a name, or there are no rules for yes and no in the language.

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> question = Question("1", {}, answers=Answers(texts=(("Ada Mill",), ("Ben Weir",))))
    >>> response = Response("1", answers=Answers(texts=(("The owner is Ben Weir.",),)))
    >>> contains(question, response), contains(question, response, need="all")
    (Count(tp=1, fp=0, fn=0), Count(tp=1, fp=0, fn=1))
    """
    text = "\n".join(given_texts(response, extract))
    answered = any(map(str.isalnum, text)) or has_sign(text)
    size = _size(question)
    if not answered or not size:
        return Count(0, int(answered), min(size, 1) if need == "any" else size)
    if question.answers is not None and question.answers.boolean is not None:
        said = polarity(text, language, question.texts)
        if said is Polarity.UNJUDGED:
            return None
        hits = int(said is (Polarity.YES if question.answers.boolean else Polarity.NO))
    else:
        if cannot_be_named(question, response, aliases):
            return None
        spoken = answer_language(text, tokens(text, language), language)
        hits = len(set(_found(_gold(GoldKey(question, aliases, spoken)), text, spoken)))
    if need == "any":
        return Count(1, 0, 0) if hits else Count(0, 1, 1)
    return Count(hits, int(not hits), size - hits)
