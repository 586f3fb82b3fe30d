"""Whether a free text, as language models write it, gives a gold answer.

The answer to a yes-no question is read by `qaldgen.scoring.words.yes_no`. Dates, numbers with their
units, formulas and names are compared as such. Words of the question prove nothing. One gold answer
is enough.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from qaldgen.questions.fields import has_role
from qaldgen.questions.written_lists import split_at
from qaldgen.scoring.words.dates import Day, date_in_words, has_swapped_date, read_date
from qaldgen.scoring.words.extraction import without_markup
from qaldgen.scoring.words.gold_amounts import Amounts, amounts_of
from qaldgen.scoring.words.gold_names import (
    GoldKey,
    count_nameless,
    gold_truths,
    gold_wordings,
    plain_name,
)
from qaldgen.scoring.words.phrases import reading_languages, respelled
from qaldgen.scoring.words.quantities import scales_in
from qaldgen.scoring.words.reading import (
    SMALL,
    AnswerText,
    Reading,
    Words,
    ends_clause,
    is_abstention,
)
from qaldgen.scoring.words.short_answers import form_of
from qaldgen.scoring.words.tokens import joined_signs, phrase_tokens, phrase_words, stem, tokens
from qaldgen.scoring.words.yes_no import is_negated, polarity

#: Names up to this length must be in their own case: "IT" is a country code, "it" is not.
_MAX_CASED_CHARS = 3
#: The fewest letters of a word of a name that may be written without the space before or after it.
_MIN_JOINED = 3
#: Parts of names that may be missing: Germany of "Ulm, Germany", 0 of 025, the start of an address.
_OPTIONAL = re.compile(r",.*|^0+(?=\d+$)|^(?:https?://)?(?:www\.)?", re.DOTALL)
#: The most words of what denies the name after it: "en lugar de".
_MAX_DENIAL = 4
#: A command of LaTeX, a power, a relation, or numbers in brackets.
_FORMULA = re.compile(
    r"\\[a-zA-Z]|\^|\w\s*[=<>≤≥]\s*[-−\w\\]|^[(\[](?=[^()\[\]]*\d)[^()\[\]]*,[^()\[\]]*[)\]]$"
)
_FORMULA_SIGNS = frozenset("\\^=<>≤≥([")
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
#: A number, a word, which may be a command, or a sign; what is between them only groups.
_FORMULA_TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)?|[^\W\d_]+|[^\w\s{}$\\]")
_GROUPING = r"[\s{}$\\_]*"
#: A place that is within no word and no number.
_EDGE = r"(?:(?<![^\W_])|(?![^\W_]))(?<!\d\.)(?!\.\d)"


class Name(NamedTuple):
    """A name of a gold answer."""

    stems: Words
    cased: str = ""  # how it must be written; empty if in any case
    part: bool = False  # whether it is only a part: Ulm of "Ulm, Germany", 25 of 025

    def spans(self, reading: Reading) -> Iterator[tuple[int, int]]:
        """Yield where a text has the name: its first word, and the word after its last."""
        for start in reading.places.get(self.stems[0], ()):
            end = start + len(self.stems)
            if reading.stems[start:end] != self.stems:
                continue
            is_all = len(self.stems) == len(reading.stems)
            if self.cased and not is_all and self.cased != reading.surface(start, end):
                continue
            if self.part and reading.gap(end).strip() == ",":
                is_other = reading.stems[end] not in self.stems
                if is_other and reading.surface(end, end + 1)[:1].isupper():
                    continue  # Ulm, France is not Ulm, Germany
            yield start, end


class Formula(NamedTuple):
    """A formula as gold answer."""

    text: str

    def spans(self, reading: Reading) -> Iterator[tuple[int, int]]:
        r"""Yield all of a text that has the formula with its signs, and as no part of a longer one.

        >>> texts = ("So x = -3.", "x = 3", "2x = -3")
        >>> [list(Formula("x=-3").spans(Reading(text, "en"))) for text in texts]
        [[(0, 3)], [], []]
        """
        parts = map(re.escape, _FORMULA_TOKEN.findall(_plain_formula(self.text)))
        pattern = rf"([-+^]{_GROUPING})?{_EDGE}{_GROUPING.join(parts)}{_EDGE}(?!{_GROUPING}\^)"
        if any(match[1] is None for match in re.finditer(pattern, _plain_formula(reading.text))):
            yield 0, len(reading.forms)


def _plain_formula(text: str) -> str:
    """Return a text in which the same formula is written in one way."""
    powers = _SUPERSCRIPT.sub(lambda match: f"^{match[0]}", text)
    plain = unicodedata.normalize("NFKC", powers).replace("−", "-").casefold()
    return respelled(plain, "formula")


def is_formula(text: str) -> bool:
    r"""Return whether a text is a formula, which words and numbers alone do not make.

    >>> [is_formula(text) for text in (r"\frac{1}{2}", "x=-3", "[0, 5)", "C++", "Ulm (1912)")]
    [True, True, True, False, False]
    """
    return not _FORMULA_SIGNS.isdisjoint(text) and _FORMULA.search(text) is not None


#: What a text is searched for.
Sought: TypeAlias = Name | Day | Amounts | Formula


class IndexedGold:
    """The gold answers of a question as they are sought in texts.

    Attributes
    ----------
    question, language : Question, str
        The question, and the language in which texts are read.
    truths : frozenset of bool
        The right answers to a yes-no question; none for another.
    wordings : list of tuple of Reading
        The names of each gold answer.
    questions : tuple of Words
        The tokens of each wording of the question.
    sought : list of tuple
        What is sought, each with the index of its gold answer.
    size : int
        How many gold answers a text can name.
    wrong_answers : list of str
        Wrong answers that the question lists.
    """

    def __init__(self, key: GoldKey) -> None:
        self.question, self.language = key.question, key.language
        self.truths = gold_truths(key)
        self.wordings = [
            tuple(Reading(name, self.language) for name in row) for row in gold_wordings(key)
        ]
        texts = [(text, tag) for tag, texts in self.question.texts.items() for text in texts]
        self.questions = tuple(dict.fromkeys(tokens(text, tag) for text, tag in texts))
        self.sought: list[tuple[int, Sought]] = []
        is_only = len(self.wordings) == 1
        for index, row in enumerate(self.wordings):
            all_sought = list(sought_of(row, self.questions, is_only=is_only))
            for number in [sought for sought in all_sought if isinstance(sought, Amounts)]:
                # it may be in millions only if the question says so
                for words in self.questions:
                    all_sought += map(number.scaled, scales_in(words, self.language))
            # names often differ in case and signs only
            self.sought += [(index, sought) for sought in dict.fromkeys(all_sought)]
        n_named = len({index for index, _ in self.sought})
        self.size = max(n_named - count_nameless(self.question, key.aliases), 1)
        self.wrong_answers: list[str] = []
        for column, value in self.question.metadata.items():
            if has_role(column, "wrong answer"):
                self.wrong_answers += split_at(value, ";") if isinstance(value, str) else value

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """The names of all gold answers in lower case."""
        return frozenset(name.text.strip().casefold() for row in self.wordings for name in row)

    @functools.cached_property
    def joined(self) -> list[tuple[int, Sought]]:
        """Names of several words as one word: Milltown for Mill Town."""
        asked = frozenset[str]().union(*self.questions)
        found: list[tuple[int, Sought]] = []
        for index, row in enumerate(self.wordings):
            for name in row:
                words = [word for word in name.forms if word not in SMALL]
                joined = "".join(words)
                is_one_word = joined.isascii() and joined.isalpha() and joined not in asked
                if len(words) > 1 and is_one_word and min(map(len, words)) >= _MIN_JOINED:
                    found.append((index, Name((stem(joined, self.language),))))
        return found

    @functools.cached_property
    def has_abstention(self) -> bool:
        """Whether a gold answer is worded like an abstention: "unknown"."""
        return any(is_abstention(name.forms) for row in self.wordings for name in row)

    @functools.cached_property
    def allows_abstention(self) -> bool:
        """Whether a gold answer is that there is nothing to say: "I have no comment"."""
        no_comment = phrase_tokens("no-comment")
        return any(name.forms in no_comment for row in self.wordings for name in row)

    @functools.cached_property
    def expected_stems(self) -> set[str]:
        """The stems of the words of the question and of all gold answers."""
        days = [day.words(self.language) for _, day in self.sought if isinstance(day, Day)]
        words = frozenset[str]().union(*self.questions, *days)
        stems = {stem(word, self.language) for word in words}
        stems.update(*(name.stems for row in self.wordings for name in row))
        return stems.union(*(name.stems for _, name in self.sought if isinstance(name, Name)))


@functools.lru_cache(maxsize=2048)
def index_gold(key: GoldKey) -> IndexedGold:
    """Return the gold answers of a question; cached, since several runs answer it."""
    return IndexedGold(key)


def values_of(wording: Reading) -> Sequence[Sought]:
    """Return the formula, date or numbers that a wording of a gold answer denotes; none of a name.

    >>> values_of(Reading("9 November 1989", "en")), values_of(Reading("Ulm", "en"))
    ([Day(year=1989, month=11, day=9)], [])
    """
    text = wording.text.strip("$ ")  # of a price, or around a formula
    # in a formula, a comma stands between numbers
    is_in_dollars = wording.text.startswith("$") and wording.text.endswith("$")
    if is_formula(text) or ("," in text and is_in_dollars):
        return [Formula(text)]
    if wording.has_digits:
        words = form_of(text, wording.language).split()
        day = read_date(text) or date_in_words(words, "en")
        if day:
            return [day]
    return amounts_of(wording)


def sought_of(
    row: Sequence[Reading], questions: Sequence[Words], *, is_only: bool
) -> Iterator[Sought]:
    """Yield what is sought of a gold answer: the values that its wordings denote, and its names.

    A name in the question proves nothing, since answers repeat it, unless it is the main name of
    the only answer.
    """
    question_text = "|".join(f" {' '.join(words)} " for words in questions)
    names = []
    for wording in row:
        values = values_of(wording)
        yield from values
        if not values or not wording.has_digits:
            names.append(wording)
    for position, wording in enumerate(names):
        language = wording.language
        text = wording.text
        if "<" in text or "[" in text:
            text = without_markup(text)
        plain_text = plain_name(text)
        name = wording if plain_text == wording.text else Reading(plain_text, language)
        first = 0
        if len(name.forms) > 2:
            first = int(name.forms[0] in phrase_words("article", *reading_languages(language)))
        words = name.forms[first:]
        is_main = is_only and position == 0
        if not words or (not is_main and f" {' '.join(words)} " in question_text):
            continue
        cased = ""
        if len(text) <= _MAX_CASED_CHARS and text != text.lower():
            cased = joined_signs(text)
        yield Name(name.stems[first:], cased)
        part_text = _OPTIONAL.sub("", name.text) if position == 0 else name.text
        if part_text == name.text:
            continue
        part = Reading(part_text, language)
        is_new = part.forms and part.forms != words
        if is_new and f" {' '.join(part.forms)} " not in question_text:
            yield Name(part.stems, part=True)


class Match(NamedTuple):
    """A gold answer in a text."""

    gold: int  # index of the gold answer
    sought: Sought
    start: int  # its first word in the reading
    end: int  # the word after its last


class GoldMatches(NamedTuple):
    """The gold answers in a text."""

    number: int
    #: False where yes, no or 0 follows from the text without a word for it, or a date has its day
    #: in the place of the month.
    is_stated: bool = True
    is_silent: bool = False  # whether the text says neither yes nor no to a yes-no question
    #: What it asserts; None for a yes-no question, and where it denies every gold answer it has.
    reading: Reading | None = None
    matches: tuple[Match, ...] = ()  # without those that are denied


def count_gold(gold: IndexedGold, answer: AnswerText) -> GoldMatches | None:
    """Return how many gold answers an answer gives; None if there are no rules to tell."""
    language, text = gold.language, answer.text
    if gold.truths:
        said = polarity(answer, language, gold.question.texts)
        if said is None:
            return None
        is_right = said.is_yes in gold.truths
        return GoldMatches(int(is_right), said.explicit, is_silent=said.is_yes is None)
    assertions = text
    if not answer.asks_back and not (any(answer.abstentions) and gold.has_abstention):
        assertions = "\n".join(answer.asserted_parts(language, before_but=True))
    reading = Reading(assertions, language)
    matches = _find(gold.sought, reading) or _find(gold.joined, reading)
    asserted = tuple(match for match in matches if not _is_denied(reading, match))
    if not asserted:
        if text.strip().casefold() in gold.names:
            return GoldMatches(1)
        # a negation may say 0: "He had no children"
        amounts = [sought.amounts for _, sought in gold.sought if isinstance(sought, Amounts)]
        is_zero = any(not any(amount.number for amount in row) for row in amounts)
        if is_zero and any(is_negated(text, tag) for tag in reading_languages(language)):
            return GoldMatches(1, is_stated=False, reading=reading)
        if matches:
            return GoldMatches(0)
    days = [sought for _, sought in gold.sought if isinstance(sought, Day)]
    return GoldMatches(
        number=len({match.gold for match in asserted}),
        is_stated=not any(has_swapped_date(assertions, day, language) for day in days),
        reading=reading,
        matches=asserted,
    )


def _find(sought: Sequence[tuple[int, Sought]], reading: Reading) -> list[Match]:
    return [Match(index, one, *span) for index, one in sought for span in one.spans(reading)]


def _is_denied(reading: Reading, match: Match) -> bool:
    """Return whether a gold answer comes right after what denies it: "not in Ulm", "except Ada"."""
    forms, tags = reading.forms, reading_languages(reading.language)
    denials = phrase_tokens("instead", *tags)
    negations = phrase_words("not", *tags)
    for end in range(match.start, 0, -1):
        starts = range(max(end - _MAX_DENIAL, 0), end)
        if forms[end - 1] in negations or any(forms[start:end] in denials for start in starts):
            return not ends_clause(reading, end)
        if forms[end - 1] not in SMALL or ends_clause(reading, end):
            return False
    return False
