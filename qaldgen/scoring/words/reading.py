"""A text and its words with their spans, and the parts of it that assert something."""

from __future__ import annotations

import functools
import html
import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from qaldgen.scoring.words.phrases import UNSPACED, WORD_END, WORD_START, phrases, respelled
from qaldgen.scoring.words.tokens import (
    forms_of,
    has_digits,
    normalised,
    phrase_tokens,
    phrase_words,
    phrases_in,
    stem,
    tokens,
    words_of,
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

    `stems` are these without their endings.

    The signs of numbers are words, and entities of HTML are their characters.

    >>> Reading("3.85 × 10⁷, 71 %, 5'10\", 1h20", "en").normalised
    '3.85e7, 71 percent , 5 feet 10 inch , 1 hour 20 minute '
    """

    def __init__(self, text: str, language: str) -> None:
        self.text, self.language = html.unescape(text), language
        self.has_digits = has_digits(self.text)
        respelled_text = respelled(self.text, "number-sign") if self.has_digits else self.text
        self.normalised = normalised(respelled_text)
        self.forms = forms_of(self.normalised, language)
        self.stems = tuple(map(stem, self.forms, itertools.repeat(language)))

    @functools.cached_property
    def places(self) -> Mapping[str, list[int]]:
        """The places of each stem."""
        places: dict[str, list[int]] = {}
        for index, stem_form in enumerate(self.stems):
            places.setdefault(stem_form, []).append(index)
        return places

    @functools.cached_property
    def spans(self) -> Sequence[tuple[int, int]]:
        """The places of the words in the normalised text."""
        return [span for _, span in words_of(self.normalised, self.language)]

    def surface(self, start: int, end: int) -> str:
        """Return the text from a word to before another one."""
        return self.normalised[self.spans[start][0] : self.spans[end - 1][1]]

    def gap(self, before: int) -> str:
        """Return the text between a word and the one before it; a line break at both ends."""
        if not 0 < before < len(self.forms):
            return "\n"
        return self.normalised[self.spans[before - 1][1] : self.spans[before][0]]


def ends_clause(reading: Reading, index: int) -> bool:
    """Return whether a clause ends before a word."""
    return _CLAUSE.search(reading.gap(index)) is not None


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


class AnswerText:
    """An answer as sentences, some of which may be abstentions or questions back.

    Attributes
    ----------
    text : str
        The answer.
    sentences : tuple of str
        Its sentences.
    words : list of Words
        The words of each sentence.
    abstentions : list of bool
        Which sentences say that there is no answer.
    asks_back : bool
        Whether it is one question, and no short answer such as "Ulm?"; it may be an answer to a
        clue: "Who is Ada Mill?".
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.sentences = sentences(text)
        self.words = [tokens(sentence) for sentence in self.sentences]
        self.abstentions = [is_abstention(words) for words in self.words]
        is_single = len(self.sentences) == 1
        self._is_short = is_single and len(self.words[0]) <= _MAX_SHORT_WORDS
        self.asks_back = is_single and not self._is_short and is_question(self.sentences[0])

    def asserted_parts(self, language: str, *, before_but: bool = False) -> list[str]:
        """Return the parts of the answer that are neither an abstention nor a question back.

        The text after a "but" counts, even if that before it is an abstention. With `before_but`,
        so do a few words before it, where more may only repeat the question.

        >>> text = "Sorry, I don't know all mills. One is the Old Mill. Or in Bonn?"
        >>> AnswerText(text).asserted_parts("en")
        ['One is the Old Mill.']
        >>> AnswerText("I cannot verify this, but it is Ulm.").asserted_parts("en")
        [' it is Ulm.']
        >>> answer = AnswerText("It is Ulm, but I cannot verify this.")
        >>> answer.asserted_parts("en", before_but=True)
        ['It is Ulm, ']
        """
        assertions = []
        for part, is_abstained in zip(self.sentences, self.abstentions, strict=True):
            if is_abstained:
                before, *after = but_of(language).split(part, maxsplit=1)
                words = tokens(before)
                is_brief = 0 < len(words) <= _MAX_BEFORE_BUT and not is_abstention(words)
                is_before = before_but and bool(after) and is_brief
                part = before if is_before else "".join(after)
                if not any(map(str.isalnum, part)):
                    continue
            if self._is_short or not is_question(part):
                assertions.append(part)
        return assertions


def is_question(text: str) -> bool:
    """Return whether a text ends in a question mark."""
    return text.rstrip(" \"'”’»)]*_").endswith(("?", "？", "؟"))
