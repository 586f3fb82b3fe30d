"""A text and its words with their spans, and the parts of it that assert something."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Collection, Mapping
from typing import TypeAlias

from qaldgen.scoring.words.phrases import UNSPACED, WORD_END, WORD_START, phrases, respelled
from qaldgen.scoring.words.tokens import (
    Word,
    normalised_text,
    phrase_tokens,
    phrase_words,
    phrases_in,
    stem,
    tokens,
)

Words: TypeAlias = tuple[str, ...]

#: The end of a sentence; none after an initial, an ordinal and some abbreviations.
_END = re.compile(
    r"(?<=[.!?।。！？؟۔])(?<!\b[^\W_]\.)(?<!\b\d\d\.)(?<!\b[DMS][rt]\.)(?<!\bMrs\.)[\"'”’»)\]]*\s+"
    r"|(?<=[。！？])|\n+|\s{2,}"
)
_CLAUSE = re.compile(r"[.,;:!?\n。，、；：！？()]")
#: The most common words of languages in Latin script.
COMMON = frozenset(word for word in phrase_words("common") if len(word) > 1)
#: Words that say nothing by themselves.
SMALL = phrase_words("common") | phrase_words("article")
#: The most words of a short answer.
_MAX_SHORT_WORDS = 3
#: The most words of an answer before a "but": "I think it's blue".
_MAX_BEFORE_BUT = 5


class Reading:
    r"""A normalised text with its words; `forms` are the words in the form that is compared.

    The signs of numbers are words, and entities of HTML are their characters.

    >>> Reading("3.85 × 10⁷, 71 %, 5'10\", 1h20", "en").normalised
    '3.85e7, 71 percent , 5 feet 10 inch , 1 hour 20 minute '
    """

    def __init__(self, text: str, language: str) -> None:
        self.text, self.language = html.unescape(text), language
        self.has_digits = any(map(str.isdigit, self.text))
        self._respelled = respelled(self.text, "number-sign") if self.has_digits else self.text
        self.forms = tokens(self._respelled, language)

    @functools.cached_property
    def stems(self) -> Words:
        """The words without their endings."""
        return tuple(stem(form, self.language) for form in self.forms)

    @functools.cached_property
    def places(self) -> Mapping[str, list[int]]:
        """The places of each stem."""
        places: dict[str, list[int]] = {}
        for index, stem_form in enumerate(self.stems):
            places.setdefault(stem_form, []).append(index)
        return places

    @functools.cached_property
    def normalised(self) -> str:
        """The text in one form for all scripts."""
        return normalised_text(self._respelled, self.language)[0]

    @functools.cached_property
    def words(self) -> tuple[Word, ...]:
        """The words with their places in the normalised text."""
        return normalised_text(self._respelled, self.language)[1]

    def surface(self, start: int, end: int) -> str:
        """Return the text from a word to before another one."""
        return self.normalised[self.words[start].start : self.words[end - 1].end]

    def gap(self, before: int) -> str:
        """Return the text between a word and the one before it; a line break at both ends."""
        if not 0 < before < len(self.words):
            return "\n"
        return self.normalised[self.words[before - 1].end : self.words[before].start]


def ends_clause(reading: Reading, index: int) -> bool:
    """Return whether a clause ends before a word."""
    return _CLAUSE.search(reading.gap(index)) is not None


@functools.lru_cache(maxsize=64)
def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text; initials, ordinals and usual abbreviations do not end one.

    >>> sentences("By J. R. Mill. On 5. May? Yes!")
    ('By J. R. Mill.', 'On 5. May?', 'Yes!')
    """
    parts = _END.split(text.strip())
    return tuple(part for part in parts if any(map(str.isalnum, part)))


def split_list(text: str, words: Collection[str]) -> list[str]:
    """Return the items of a list in running text whose last items these words join.

    >>> split_list("Ada Mill, Ben and Cleo", {"and"})
    ['Ada Mill', ' Ben ', ' Cleo']
    """
    joiner = "|".join(map(re.escape, words))
    parts = re.split(rf",(?!\d)|[;\n、，&]|{WORD_START}(?:{joiner}){WORD_END}", text)
    return [part for part in parts if part.strip()]


@functools.lru_cache(maxsize=64)
def is_abstention(words: tuple[str, ...]) -> bool:
    """Return whether a sentence says that there is no answer: "I don't know", "unknown"."""
    if words in phrase_tokens("no-answer") or any(phrases_in(words, "abstention")):
        return True
    return any(start == 0 for start, _ in phrases_in(words, "abstention-at-start"))


@functools.cache
def but_of(language: str) -> re.Pattern[str]:
    """Return a pattern for the words that lead from an abstention to an answer: but."""
    words = [word for tag in (language, "en") for word in phrases("but").get(tag, ())]
    start, end = ("", "") if language in UNSPACED else (WORD_START, WORD_END)
    return re.compile(f"{start}(?:{'|'.join(map(re.escape, words))}){end}", re.IGNORECASE)


def asserted_parts(text: str, language: str, *, before_but: bool = False) -> list[str]:
    """Return the parts of an answer that are neither an abstention nor a question back.

    The text after a "but" counts, even if that before it is an abstention. With `before_but`, so
    do a few words before it, where more may only repeat the question.

    >>> asserted_parts("Sorry, I don't know all mills. One is the Old Mill. Or in Bonn?", "en")
    ['One is the Old Mill.']
    >>> asserted_parts("I cannot verify this, but it is Ulm.", "en")
    [' it is Ulm.']
    >>> asserted_parts("It is Ulm, but I cannot verify this.", "en", before_but=True)
    ['It is Ulm, ']
    """
    assertions = []
    is_answer = _is_short(text)
    for part in sentences(text):
        if is_abstention(tokens(part)):
            before, *after = but_of(language).split(part, maxsplit=1)
            words = tokens(before)
            is_brief = 0 < len(words) <= _MAX_BEFORE_BUT and not is_abstention(words)
            is_before = before_but and bool(after) and is_brief
            part = before if is_before else "".join(after)
        if any(map(str.isalnum, part)) and (is_answer or not is_question(part)):
            assertions.append(part)
    return assertions


def _is_short(text: str) -> bool:
    """Return whether a text is one sentence of a few words: "Ulm?" is an answer."""
    parts = sentences(text)
    return len(parts) == 1 and len(tokens(parts[0])) <= _MAX_SHORT_WORDS


def is_question(text: str) -> bool:
    """Return whether a text ends in a question mark."""
    return text.rstrip(" \"'”’»)]*_").endswith(("?", "？", "؟"))


def asks_back(text: str) -> bool:
    """Return whether a text is one question, and no short answer such as "Ulm?".

    It may be an answer to a clue: "Who is Ada Mill?".

    >>> asks_back("Who is Ada Mill?"), asks_back("Ada Mill?"), asks_back("Who? Ada Mill.")
    (True, False, False)
    """
    parts = sentences(text)
    return len(parts) == 1 and is_question(parts[0]) and not _is_short(text)
