"""A matcher for long free text, as language models write it: a gold answer occurs in it."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias

from qaldgen.model import Question
from qaldgen.runs.record import Response
from qaldgen.scoring.counts import Count
from qaldgen.scoring.words.lexicon import ARTICLES, NO, YES, primary
from qaldgen.scoring.words.numbers import number_style, read_number, readings
from qaldgen.scoring.words.polarity import polarity, without_refusals
from qaldgen.scoring.words.tokens import tokens, word_set
from qaldgen.scoring.words.values import Date, has_date, numbers, read_date, same_number
from qaldgen.scoring.words.wordings import Aliases, given_texts, gold_wordings, plain_name

#: Aliases up to this length count only in their own case: "IT" is a country code, "it" is not.
_SHORT = 3
#: A name that goes on with one of these is the name of something else: "World War II".
_NUMERALS = frozenset(["ii", "iii", "iv", "vi", "vii", "viii", "ix", "xi", "xii", "xiii", "xiv", "xv", "xvi"])
_CASED = re.compile(r"\w+")
#: Whether one gold answer in the text is enough, or all of them are wanted.
Need: TypeAlias = Literal["any", "all"]


class _Name(NamedTuple):
    """A wording of a gold answer."""

    words: tuple[str, ...]
    gold: int
    cased: str = ""


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
    boolean : bool or None
        The gold answer of a yes-no question.
    values : tuple of (int, _Value)
        Gold answers that are numbers.
    dates : tuple of (int, Date)
        Gold answers that are dates.
    names : dict of str to list of _Name
        The wordings of the others, by their first word.
    """

    size: int
    boolean: bool | None
    values: tuple[tuple[int, _Value], ...]
    dates: tuple[tuple[int, Date], ...]
    names: dict[str, list[_Name]]


@dataclasses.dataclass(frozen=True, eq=False)
class _Key:
    """A question and a table of aliases: the same only if they are the same objects, so that their contents need no hash."""

    question: Question
    aliases: Aliases | None
    language: str

    def __hash__(self) -> int:
        return hash((id(self.question), id(self.aliases), self.language))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Key):
            return NotImplemented
        return self.question is other.question and self.aliases is other.aliases and self.language == other.language


@functools.lru_cache(maxsize=2048)
def _gold(key: _Key) -> _Gold:
    rows = gold_wordings(key.question, key.language, key.aliases)
    values: list[tuple[int, _Value]] = []
    dates: list[tuple[int, Date]] = []
    names: dict[str, list[_Name]] = defaultdict(list)
    asked = tokens(key.question.text(key.language), key.language)
    for gold, row in enumerate(rows):
        main = row[0] if row else ""
        if (date := read_date(main)) is not None:
            dates.append((gold, date))
        elif read := readings(main, key.language):
            values.append((gold, _Value(read, "." in main)))
        else:
            # some literals list several names
            for name in _names((*row, *main.split(";")) if ";" in main else row, gold, asked, len(rows) == 1, key.language):
                names[name.words[0]].append(name)
    return _Gold(len(rows), _boolean(rows, key.language), tuple(values), tuple(dates), dict(names))


def _boolean(rows: Sequence[Sequence[str]], language: str) -> bool | None:
    """Return the gold answer of a yes-no question: the one gold answer is a word for yes or no."""
    words = tokens(rows[0][0]) if len(rows) == 1 and rows[0] else ()
    if len(words) != 1:
        return None
    yes, no = (words[0] in word_set(f"{table['en']} {table.get(primary(language), '')}") for table in (YES, NO))
    return yes if yes or no else None


@functools.lru_cache(maxsize=1 << 18)
def _words(wording: str, numbers_as: str) -> tuple[str, ...]:
    """Return the tokens of a wording without a qualifier in brackets; the same aliases come back for each language."""
    return tokens(plain_name(wording), numbers_as)


def _names(row: Sequence[str], gold: int, asked: Sequence[str], only: bool, language: str) -> Iterator[_Name]:
    articles = ARTICLES["en"] | ARTICLES.get(primary(language), frozenset())
    numbers_as, heads = number_style(language), frozenset(asked)
    for position, wording in enumerate(row):
        words = _words(wording, numbers_as)
        if len(words) > 2 and words[0] in articles:
            words = words[1:]
        # an answer often repeats the question: what stands there proves nothing, unless it is the name of the only answer
        repeats = words and words[0] in heads and _at(asked, words) and not (only and position == 0)
        if words and not repeats:
            yield _Name(words, gold, wording if position and len(wording) <= _SHORT else "")


def _at(words: Sequence[str], part: Sequence[str]) -> bool:
    return any(words[i : i + len(part)] == part for i, word in enumerate(words) if word == part[0])


def _found(gold: _Gold, text: str, language: str) -> Iterator[int]:
    """Yield the gold answers that a text names, some of them more than once."""
    words = tokens(text, language)
    for i, word in enumerate(words):
        for name in gold.names.get(word, ()):
            end = i + len(name.words)
            here = words[i:end] == name.words and _NUMERALS.isdisjoint(words[end : end + 1])
            if here and (not name.cased or name.cased in _CASED.findall(text)):
                yield name.gold
    yield from (index for index, date in gold.dates if has_date(words, date, language))
    given = numbers(words, language) if gold.values else ()
    digits = {number for word in words if (number := read_number(word)) is not None} if gold.values else set()
    for index, value in gold.values:
        same = any(same_number(reading, number) for reading in value.readings for number in given)
        if same or (value.decimal and not digits.isdisjoint(value.readings)):
            yield index


def contains(
    question: Question, response: Response, *, language: str = "en", aliases: Aliases | None = None, need: Need = "any"
) -> Count:
    """Tell whether gold answers occur in a free text.

    Names are compared word by word after `qaldgen.scoring.words.tokens.tokens`, so they stand at word boundaries; inflected
    forms are other words, unless the aliases have them. Numbers are compared by value (digits, words, "3.5 million"), rounded
    ones as in `qaldgen.scoring.words.values.same_number`; dates by their year, unless the text gives another day; yes and no as
    in `qaldgen.scoring.words.polarity.polarity`. Aliases are used for names only. A wording that the question itself contains
    does not count, unless it is the main wording of the only gold answer; an alias of up to three letters counts in its own
    case only. Sentences that refuse to answer
    are not read (`qaldgen.scoring.words.polarity.without_refusals`), so a mere refusal is wrong.

    Parameters
    ----------
    question : Question
        Its gold answers.
    response : Response
        The texts it gave, read as one.
    language : str
        Of the answer.
    aliases : mapping of str to sequence of str, optional
        Further wordings of gold answers, see `qaldgen.scoring.text.wordings`.
    need : {'any', 'all'}
        Whether one gold answer is enough, or each of them counts.

    Returns
    -------
    Count
        With ``any`` (1, 0, 0) for a hit, (0, 1, 1) for an answer without, (0, 0, 1) for none. With ``all`` the gold answers
        found and missed; what else a text says cannot be counted, so an answer without any hit has one false positive, and one
        with a hit none. A question without gold answers expects no answer: (0, 0, 0) or (0, 1, 0).

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> question = Question("1", {}, answers=Answers(texts=(("Ada Mill",), ("Ben Weir",))))
    >>> response = Response("1", answers=Answers(texts=(("The owner is Ben Weir.",),)))
    >>> contains(question, response), contains(question, response, need="all")
    (Count(tp=1, fp=0, fn=0), Count(tp=1, fp=0, fn=1))
    """
    gold = _gold(_Key(question, aliases, language))
    text = "\n".join(given_texts(response))
    answered = any(map(str.isalnum, text))
    if not answered or not gold.size:
        return Count(0, int(answered), min(gold.size, 1) if need == "any" else gold.size)
    if gold.boolean is not None:
        hits = int(polarity(text, language) is gold.boolean)
    else:
        hits = len(set(_found(gold, without_refusals(text), language)))
    if need == "any":
        return Count(1, 0, 0) if hits else Count(0, 1, 1)
    return Count(hits, int(not hits), gold.size - hits)
