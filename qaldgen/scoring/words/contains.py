"""Whether a gold answer occurs in a free text, as language models write it, and is meant.

A yes-no question is judged by what the text says (`qaldgen.scoring.words.yes_no`); dates, numbers
with their units, and names are compared as such. Words of the question prove nothing. One gold
answer is enough.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

from qaldgen.scoring.words.dates import Day, date_at, date_in_words, read_date
from qaldgen.scoring.words.gold_names import (
    GoldKey,
    gold_truths,
    gold_wordings,
    nameless,
    plain_name,
)
from qaldgen.scoring.words.quantities import Quantity, Unit, quantities, same_quantity
from qaldgen.scoring.words.reading import SMALL, Reading, asserted, ends_clause, refuses
from qaldgen.scoring.words.short_answers import form_of
from qaldgen.scoring.words.tokens import (
    joined_signs,
    listed_words,
    number_style,
    phrases,
    phrases_in,
    primary,
    read_in,
    readings,
    stem,
    tokens,
)
from qaldgen.scoring.words.yes_no import Polarity, has_sign, is_negated, polarity

#: Names up to this length must be in their own case: "IT" is a country code, "it" is not.
_SHORT = 3
_ADDRESS = re.compile(r"^(?:https?://)?(?:www\.)?")
_PARTS = re.compile(r"\d+|[^\W\d_]+")
#: How a number with a unit begins; 0 and another digit begin a code.
_COUNTS = re.compile(r"(?!0\d)\D?\d")
#: The most words after the number of a gold answer that may be its unit: "23 episodes".
_UNIT_WORDS = 3


class Name(NamedTuple):
    """A name of a gold answer: its tokens, which answer, and how it must be written, if it does."""

    words: tuple[str, ...]
    gold: int
    cased: str = ""
    #: Whether it is only a part: Ulm of "Ulm, Germany", 25 of 025.
    part: bool = False


class Value(NamedTuple):
    """A number as gold answer: what it may denote, its unit, and whether it is a decimal."""

    numbers: frozenset[Decimal]
    unit: Unit | None
    measured: bool

    def is_met_by(self, given: Quantity) -> bool:
        """Tell whether a number in a text is one that it may denote."""
        return any(
            same_quantity(number, given, self.unit, measured=self.measured)
            for number in self.numbers
        )


class IndexedGold(NamedTuple):
    """The gold answers of a question, indexed for lookup, and the tokens of the question."""

    #: By gold answer the numbers that a text has to give, two for a range.
    values: tuple[tuple[int, tuple[Value, ...]], ...]
    dates: tuple[tuple[int, Day], ...]
    #: By the stem of its longest word, each name with all its stems and the place of that word.
    names: Mapping[str, Sequence[tuple[Name, tuple[str, ...], int]]]
    asked: tuple[tuple[str, ...], ...]
    #: How many gold answers a text can name.
    size: int
    #: Whether a gold answer is worded like a refusal: "unknown".
    refuses: bool


class Match(NamedTuple):
    """Where a text gives a gold answer: its words in the text as it was read for that."""

    gold: int
    reading: Reading
    start: int
    end: int
    name: Name | None = None  # None for a number or a date


class GoldMatches(NamedTuple):
    """The gold answers in a text."""

    number: int
    #: Whether yes or no, where that is asked, or a 0 is said in so many words.
    said: bool = True
    #: Whether neither yes nor no is said, where that is asked.
    silent: bool = False
    #: Where it gives and asserts them; none where yes or no is asked.
    matches: tuple[Match, ...] = ()
    #: Whether every gold answer that stands in the text is denied there.
    denied: bool = False


@functools.lru_cache(maxsize=2048)
def index_gold(key: GoldKey) -> IndexedGold:
    """Return the gold answers of a question; cached, since several runs answer it."""
    texts, language = key.question.texts, key.language
    rows = gold_wordings(key.question, language, key.aliases)
    asked = tuple(dict.fromkeys(tokens(text, own) for own in texts for text in texts[own]))
    values: list[tuple[int, tuple[Value, ...]]] = []
    dates: list[tuple[int, Day]] = []
    names: dict[str, list[tuple[Name, tuple[str, ...], int]]] = defaultdict(list)
    for gold, row in enumerate(rows):
        named = []
        for variant in row:
            digits = any(map(str.isdigit, variant))
            if digits and (day := _day(variant, language)):
                dates.append((gold, day))
            elif digits and (value := _value(variant, language)):
                values.append((gold, value))
            else:
                named.append(variant)
        for name in names_of(named, gold, asked, language, only=len(rows) == 1):
            stems = _stems(name.words, language)
            longest = max(range(len(stems)), key=lambda at: (len(name.words[at]), -at))
            names[stems[longest]].append((name, stems, longest))
    told = {gold for gold, _ in (*values, *dates)}
    told |= {name.gold for same in names.values() for name, _, _ in same}
    size = max(len(told) - nameless(key.question, key.aliases)[0], 1)
    unknown = any(refuses(name.words) for same in names.values() for name, _, _ in same)
    return IndexedGold(tuple(values), tuple(dates), names, asked, size, unknown)


def names_of(
    row: Sequence[str], gold: int, asked: Sequence[tuple[str, ...]], language: str, *, only: bool
) -> Iterator[Name]:
    """Yield the names of a gold answer.

    A name in the question proves nothing, since answers repeat it, unless it is the main name of
    the only answer.
    """
    articles = {*phrases("article")["en"], *phrases("article").get(primary(language), ())}
    # Some literals list several names.
    wordings = [*row, *(name for text in row[:1] if ";" in text for name in text.split(";"))]
    known = {word for one in asked for word in one}
    questions = "|".join(f" {' '.join(one)} " for one in asked)
    numbers_as = number_style(language)
    for position, wording in enumerate(wordings):
        words = _words(wording, numbers_as)
        if len(words) > 2 and words[0] in articles:
            words = words[1:]
        echoed = known.issuperset(words) and f" {' '.join(words)} " in questions
        if not words or (echoed and not (only and position == 0)):
            continue
        cased = ""
        if len(wording) <= _SHORT and wording != wording.lower():
            cased = joined_signs(wording)
        yield Name(words, gold, cased)
        if re.fullmatch(r"0\d+", wording):
            yield Name((str(int(wording)),), gold, part=True)
        if position:
            continue
        # "Ulm, Germany" is also Ulm, and an address needs no www.
        shorter = tokens(_ADDRESS.sub("", plain_name(wording)).partition(",")[0])
        if shorter != words and f" {' '.join(shorter)} " not in questions:
            yield Name(shorter, gold, part=True)


@functools.lru_cache(maxsize=1 << 18)
def _words(wording: str, numbers_as: str) -> tuple[str, ...]:
    """Return the tokens of a name; cached, since the same aliases come back for each language."""
    return tokens(plain_name(wording), numbers_as)


def _stems(words: Sequence[str], language: str) -> tuple[str, ...]:
    base = primary(language)
    return tuple(stem(word, base) for word in words)


def _day(text: str, language: str) -> Day | None:
    """Return the day that a gold answer is."""
    day = read_date(text)
    if day is None and len(_PARTS.findall(text)) >= len(Day._fields):
        day = date_in_words(form_of(text, language).split(), "en")
    return day


def _value(text: str, language: str) -> tuple[Value, ...]:
    """Return the numbers that a gold answer denotes: a bare one, or numbers with a unit."""
    if numbers := readings(text, language):
        return (Value(numbers, None, "." in text or "e" in text.lower()),)
    if not _COUNTS.match(text):
        return ()
    reading, amounts = quantities(text, language)
    inside = {at for amount in amounts for at in range(amount.start, amount.end)}
    rest = len(reading.forms) - len(inside)
    # A lower-case word after a number is a unit, known or not: "23 episodes", no "12 Monkeys".
    if 0 not in inside or (rest and (rest > _UNIT_WORDS or text != text.lower())):
        return ()
    return tuple(Value(frozenset([one.value]), one.unit, one.step < 1) for one in amounts)


def _names_in(gold: IndexedGold, reading: Reading) -> Iterator[Match]:
    """Yield where a text has names of gold answers."""
    if not gold.names:
        return
    stems = _stems(reading.forms, reading.language)
    for i, first in enumerate(stems):
        for name, needed, at in gold.names.get(first, ()):
            start, end = i - at, i - at + len(needed)
            if start < 0 or stems[start:end] != needed:
                continue
            whole = len(needed) == len(stems)
            if name.cased and not whole and reading.surface(start, end) != name.cased:
                continue
            if name.part and reading.gap(end).strip() == ",":
                beside = reading.surface(end, end + 1)
                if beside[:1].isupper() and reading.forms[end] not in name.words:
                    continue  # Ulm, France is not Ulm, Germany
            yield Match(name.gold, reading, start, end, name)


def _numbers_in(gold: IndexedGold, text: str, language: str) -> Iterator[Match]:
    """Yield where a text has the numbers of gold answers."""
    if not gold.values:
        return
    reading, given = quantities(text, language)
    for index, values in gold.values:
        # a unit that a count does not have is no part of it
        has_unit = values[-1].unit is not None or values[-1].measured
        left = iter(given)  # the two numbers of a range or a score come in their order
        while True:
            found = [next(filter(value.is_met_by, left), None) for value in values]
            first, last = found[0], found[-1]
            if first is None or last is None:
                break
            end = last.number_end
            if has_unit:
                end = last.end
            yield Match(index, reading, first.start, end)


def says_anything(text: str) -> bool:
    """Tell whether a text says anything: words, or a sign for yes or no."""
    return any(map(str.isalnum, text)) or has_sign(text)


def _is_denied(match: Match, language: str) -> bool:
    """Tell whether a gold answer comes right after what denies it: "not in Ulm", "except Ada"."""
    reading = match.reading
    for one in read_in(language):
        instead = {end for _, end in phrases_in(reading.forms, "instead", one)}
        at = match.start
        while at and not ends_clause(reading, at):
            last = reading.forms[at - 1]
            if at in instead:
                return True
            if last in listed_words("not", one):
                return is_negated(" ".join(reading.forms[:at]), one)
            if last not in SMALL:
                break
            at -= 1
    return False


@functools.lru_cache(maxsize=1 << 14)
def count_gold(key: GoldKey, text: str) -> GoldMatches | None:
    """Return how many gold answers a text gives; None if there are no rules to tell.

    Cached, since several runs may give the same answer.
    """
    language, truths = key.language, gold_truths(key.question, key.language)
    if truths:
        said, explicit = polarity(text, language, key.question.texts)
        if said is Polarity.UNJUDGED:
            return None
        right = said in {Polarity.YES if truth else Polarity.NO for truth in truths}
        return GoldMatches(int(right), said=explicit, silent=said is Polarity.NEITHER)
    gold = index_gold(key)
    kept = text
    if not gold.refuses:
        kept = "\n".join(asserted(text, language))
    reading = Reading(kept, language)
    found = [*_names_in(gold, reading), *_numbers_in(gold, kept, language)]
    for index, day in gold.dates:
        found += [
            Match(index, reading, at, at + 1)
            for at in range(len(reading.forms))
            if date_at(reading.forms, day, at, language)
        ]
    meant = tuple(match for match in found if not _is_denied(match, language))
    if not meant:
        wordings = chain.from_iterable(gold_wordings(key.question, language, key.aliases))
        if text.strip().casefold() in map(str.casefold, wordings):
            return GoldMatches(1)
        # a negation may say 0: "He had no children"
        is_zero = any(0 in value.numbers for _, (value, *more) in gold.values if not more)
        if is_zero and any(is_negated(text, one) for one in read_in(language)):
            return GoldMatches(1, said=False)
    number = len({match.gold for match in meant})
    return GoldMatches(number, matches=meant, denied=bool(found) and not meant)
