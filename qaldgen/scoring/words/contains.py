"""Whether a free text, as language models write it, gives a gold answer.

The answer to a yes-no question is read by `qaldgen.scoring.words.yes_no`. Dates, numbers with their
units, and names are compared as such. Words of the question prove nothing. One gold answer is
enough.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import chain
from typing import NamedTuple, TypeAlias

from qaldgen.scoring.words.dates import Day, date_at, date_in_words, has_swapped_date, read_date
from qaldgen.scoring.words.formulas import has_formula, is_formula
from qaldgen.scoring.words.gold_names import (
    GoldKey,
    gold_truths,
    gold_wordings,
    nameless,
    plain_name,
)
from qaldgen.scoring.words.quantities import Quantity, Unit, quantities, same_quantity
from qaldgen.scoring.words.reading import (
    SMALL,
    Reading,
    asks_back,
    asserted_parts,
    ends_clause,
    is_abstention,
)
from qaldgen.scoring.words.short_answers import form_of
from qaldgen.scoring.words.tokens import (
    gold_numbers,
    joined_signs,
    main_language,
    phrase_words,
    phrases_in,
    reading_languages,
    stem,
    tokens,
)
from qaldgen.scoring.words.yes_no import Polarity, is_negated, polarity, polarity_of

#: Names up to this length must be in their own case: "IT" is a country code, "it" is not.
_MAX_CASED_CHARS = 3
#: Parts of names that may be missing: Germany of "Ulm, Germany", 0 of 025, the start of an address.
_OPTIONAL = re.compile(r",.*|^0+(?=\d+$)|^(?:https?://)?(?:www\.)?", re.DOTALL)
#: The start of a number with a unit; 0 and another digit begin a code.
_COUNTS = re.compile(r"(?!0\d)\D?\d")
#: The most words after the number of a gold answer that may be its unit: "23 episodes".
_MAX_UNIT_WORDS = 3

Words: TypeAlias = tuple[str, ...]


class Name(NamedTuple):
    """A name of a gold answer."""

    words: Words
    stems: Words
    gold: int  # index of the gold answer
    cased: str = ""  # how it must be written; empty if in any case
    part: bool = False  # whether it is only a part: Ulm of "Ulm, Germany", 25 of 025


class Value(NamedTuple):
    """A number as gold answer."""

    numbers: frozenset[Decimal]  # what it may denote
    unit: Unit | None
    measured: bool  # whether it is a decimal

    def is_met_by(self, quantity: Quantity) -> bool:
        """Return whether a number in a text is one that it may denote."""
        return any(
            same_quantity(number, quantity, self.unit, measured=self.measured)
            for number in self.numbers
        )


class IndexedGold(NamedTuple):
    """The gold answers of a question, indexed for lookup, and the tokens of the question."""

    #: By gold answer the numbers that a text has to give, two for a range.
    values: Sequence[tuple[int, Sequence[Value]]]
    dates: Sequence[tuple[int, Day]]
    formulas: Sequence[tuple[int, str]]
    names: Sequence[Name]
    questions: tuple[Words, ...]  # the tokens of each wording
    size: int  # how many gold answers a text can name
    has_abstention: bool  # whether a gold answer is worded like an abstention: "unknown"


class Match(NamedTuple):
    """A gold answer in a text."""

    gold: int  # index of the gold answer
    reading: Reading
    start: int  # its first word in the reading
    end: int  # the word after its last
    name: Name | None = None  # None for a number or a date


class GoldMatches(NamedTuple):
    """The gold answers in a text."""

    number: int
    #: False where yes, no or 0 follows from the text without a word for it, or a date has its day
    #: in the place of the month.
    is_stated: bool = True
    is_silent: bool = False  # whether the text says neither yes nor no to a yes-no question
    matches: tuple[Match, ...] = ()  # what it asserts; empty for a yes-no question
    is_denied: bool = False  # whether the text denies every gold answer that it has


@functools.lru_cache(maxsize=2048)
def index_gold(key: GoldKey) -> IndexedGold:
    """Return the gold answers of a question; cached, since several runs answer it."""
    question, language = key.question, key.language
    rows = gold_wordings(key)
    pairs = [(text, tag) for tag, texts in question.texts.items() for text in texts]
    questions = tuple(dict.fromkeys(tokens(text, tag) for text, tag in pairs))
    values: list[tuple[int, Sequence[Value]]] = []
    dates: list[tuple[int, Day]] = []
    formulas: list[tuple[int, str]] = []
    names: list[Name] = []
    for gold, row in enumerate(rows):
        wordings = []
        for wording in row:
            day = numbers = None
            if any(map(str.isdigit, wording)):
                day = read_date(wording) or date_in_words(form_of(wording, language).split(), "en")
                numbers = _values(wording, language)
            if is_formula(wording):
                formulas.append((gold, wording))
            elif day:
                dates.append((gold, day))
            elif numbers:
                values.append((gold, numbers))
            else:
                wordings.append(wording)
        names += names_of(wordings, gold, questions, language, only=len(rows) == 1)
    indexed = {gold for gold, _ in (*values, *dates, *formulas)} | {name.gold for name in names}
    size = max(len(indexed) - nameless(question, key.aliases)[0], 1)
    has_abstention = any(is_abstention(name.words) for name in names)
    return IndexedGold(values, dates, formulas, names, questions, size, has_abstention)


def names_of(
    row: Sequence[str], gold: int, questions: Sequence[Words], language: str, *, only: bool
) -> Iterator[Name]:
    """Yield the names of a gold answer.

    A name in the question proves nothing, since answers repeat it, unless it is the main name of
    the only answer.
    """
    base = main_language(language)
    articles = phrase_words("article", base) | phrase_words("article", "en")
    question_text = "|".join(f" {' '.join(words)} " for words in questions)
    for position, wording in enumerate(row):
        words = tokens(plain_name(wording), language)
        if len(words) > 2 and words[0] in articles:
            words = words[1:]
        is_main = only and position == 0
        if not words or (not is_main and f" {' '.join(words)} " in question_text):
            continue
        cased = ""
        if len(wording) <= _MAX_CASED_CHARS and wording != wording.lower():
            cased = joined_signs(wording)
        yield Name(words, _stems(words, base), gold, cased)
        part = tokens(_OPTIONAL.sub("", plain_name(wording)))
        is_new = part and part != words and f" {' '.join(part)} " not in question_text
        if position == 0 and is_new:
            yield Name(part, _stems(part, base), gold, part=True)


def _stems(words: Sequence[str], language: str) -> Words:
    return tuple(stem(word, language) for word in words)


def _values(text: str, language: str) -> tuple[Value, ...]:
    """Return the numbers that a gold answer denotes: a bare one, or numbers with a unit."""
    if numbers := gold_numbers(text, language):
        return (Value(numbers, None, "." in text or "e" in text.lower()),)
    if not _COUNTS.match(text):
        return ()
    reading, numbers_in_text = quantities(text, language)
    covered = {index for number in numbers_in_text for index in range(number.start, number.end)}
    other_words = len(reading.forms) - len(covered)
    # lower-case words after a number are its unit, "23 episodes"; others are a name, "12 Monkeys"
    is_name = other_words > _MAX_UNIT_WORDS or (other_words > 0 and text != text.lower())
    if 0 not in covered or is_name:
        return ()
    return tuple(
        Value(frozenset([number.value]), number.unit, number.step < 1) for number in numbers_in_text
    )


def _names_in(gold: IndexedGold, reading: Reading) -> Iterator[Match]:
    """Yield where a text has names of gold answers."""
    stems = _stems(reading.forms, main_language(reading.language))
    different_stems = set(stems)
    for name in gold.names:
        if not different_stems.issuperset(name.stems):
            continue
        for start in range(len(stems) - len(name.stems) + 1):
            end = start + len(name.stems)
            if stems[start:end] != name.stems:
                continue
            is_all = len(name.stems) == len(stems)
            if name.cased and not is_all and reading.surface(start, end) != name.cased:
                continue
            if name.part and reading.gap(end).strip() == ",":
                next_word = reading.surface(end, end + 1)
                if next_word[:1].isupper() and reading.forms[end] not in name.words:
                    continue  # Ulm, France is not Ulm, Germany
            yield Match(name.gold, reading, start, end, name)


def _numbers_in(gold: IndexedGold, text: str, language: str) -> Iterator[Match]:
    """Yield where a text has the numbers of gold answers."""
    if not gold.values:
        return
    reading, numbers = quantities(text, language)
    for index, values in gold.values:
        remaining = iter(numbers)  # the two numbers of a range or a score come in their order
        while True:
            found = [next(filter(value.is_met_by, remaining), None) for value in values]
            first, last = found[0], found[-1]
            if first is None or last is None:
                break
            end = last.number_end
            if values[-1].unit is not None or values[-1].measured:
                end = last.end  # else the gold answer is a count, and the unit says more
            yield Match(index, reading, first.start, end)


def _is_denied(match: Match, language: str) -> bool:
    """Return whether a gold answer comes right after what denies it: "not in Ulm", "except Ada"."""
    reading, languages = match.reading, reading_languages(language)
    phrase_ends = {end for tag in languages for _, end in phrases_in(reading.forms, "instead", tag)}
    for index in range(match.start, 0, -1):
        if ends_clause(reading, index):
            return False
        if index in phrase_ends:
            return True
        word = reading.forms[index - 1]
        tags = [tag for tag in languages if word in phrase_words("not", tag)]
        if tags:
            return any(is_negated(" ".join(reading.forms[:index]), tag) for tag in tags)
        if word not in SMALL:
            return False
    return False


@functools.lru_cache(maxsize=1 << 14)
def count_gold(key: GoldKey, text: str) -> GoldMatches | None:
    """Return how many gold answers a text gives; None if there are no rules to tell.

    Cached, since several runs may give the same answer.
    """
    language, truths = key.language, gold_truths(key)
    if truths:
        answer, is_stated = polarity(text, language, key.question.texts)
        if answer is Polarity.UNJUDGED:
            return None
        is_right = answer in [polarity_of(truth) for truth in truths]
        return GoldMatches(int(is_right), is_stated, is_silent=answer is Polarity.NEITHER)
    gold = index_gold(key)
    assertions = text
    if not gold.has_abstention and not asks_back(text):
        assertions = "\n".join(asserted_parts(text, language))
    reading = Reading(assertions, language)
    matches = [*_names_in(gold, reading), *_numbers_in(gold, assertions, language)]
    for index, formula in gold.formulas:
        if has_formula(assertions, formula):
            matches.append(Match(index, reading, 0, len(reading.forms)))
    is_swapped = False
    for index, day in gold.dates:
        for start in range(len(reading.forms)):
            if date_at(reading.forms, day, start, language):
                matches.append(Match(index, reading, start, start + 1))
        is_swapped |= has_swapped_date(assertions, day, language)
    asserted_matches = tuple(match for match in matches if not _is_denied(match, language))
    if not asserted_matches:
        wordings = chain.from_iterable(gold_wordings(key))
        if text.strip().casefold() in map(str.casefold, wordings):
            return GoldMatches(1)
        # a negation may say 0: "He had no children"
        is_zero = any(len(values) == 1 and 0 in values[0].numbers for _, values in gold.values)
        if is_zero and any(is_negated(text, tag) for tag in reading_languages(language)):
            return GoldMatches(1, is_stated=False)
    number = len({match.gold for match in asserted_matches})
    is_denied = bool(matches) and not asserted_matches
    return GoldMatches(number, not is_swapped, matches=asserted_matches, is_denied=is_denied)
