"""A small extractive reader: rules that take a stretch of a passage for the answer, no model.

It looks for the kind of thing that the question wants: a number, a date, a year, a name, a choice,
yes or no. Of the candidates in the passages it takes the one that stands nearest to words of the
question and is none of them itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from qaldgen.errors import UsageError
from qaldgen.features.text.text_features import text_features
from qaldgen.io.arguments import one_of
from qaldgen.plugins.passages.analysers import PREFIX, words
from qaldgen.plugins.passages.collection import Passage

_TOKEN = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-ząćęłńóśźż])")
_NUMBER = re.compile(r"\d+(?:[., ]\d+)*")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_NAME = re.compile(
    r"[^\W\d_a-ząćęłńóśźż][\w’'-]*(?:\s+(?:de|van|von|da|of|the|[^\W\d_a-ząćęłńóśźż][\w’'-]*))*"
)
_CHOICE = re.compile(r"([^,:;–-]+?)\s+(?:czy|lub|albo|or)\s+([^?]+)\?")
#: What can be an answer by its category, and how a title of a work is written.
_PATTERNS = {"literal-number": _NUMBER, "literal-date": _YEAR}


class ReaderKind(NamedTuple):
    """A reader."""

    #: Takes the question, its language and the passages, best first; returns the answer, empty for
    #: none.
    read: Callable[[str, str, Sequence[Passage]], str]
    help: str  #: what it does, in one line


def extract(question: str, language: str, passages: Sequence[Passage]) -> str:
    """Return the stretch of the passages that answers a question best; empty if there is none.

    >>> mill = Passage("1", "Młyn stał długo. Młyn spłonął w 1871 roku.")
    >>> extract("W którym roku spłonął młyn?", "pl", [mill])
    '1871'
    """
    features = next(iter(text_features([question], language=language)))
    if features.get("informationSought") == "yes-no":
        return {"pl": "tak", "en": "yes"}.get(language.partition("-")[0], "")
    stems = {word[:PREFIX] for word in words(question) if len(word) > 1}
    options = []
    choice = _CHOICE.search(question)
    if choice and features.get("informationSought") == "entity-choice":
        options = [option.strip(" „”\"'") for option in choice.groups()]
    pattern = _PATTERNS.get(str(features.get("expectedAnswerCategory", "")), _NAME)
    best, most = "", 0.0
    for rank, passage in enumerate(passages):
        for sentence in _SENTENCE.split(passage.text):
            there = {word[:PREFIX] for word in words(f"{sentence} {passage.title}")}
            score = len(stems & there) / max(len(stems), 1) - 0.05 * rank
            for candidate in _candidates(sentence, pattern, options, stems):
                if score > most:
                    best, most = candidate, score
    return best


def _candidates(
    sentence: str, pattern: re.Pattern[str], options: Sequence[str], stems: set[str]
) -> Iterator[str]:
    """Yield candidates for the answer in a sentence.

    They are options of the question, or texts of the right form that are not in the question.
    """
    if options:
        there = {word[:PREFIX] for word in words(sentence)}
        for option in options:
            if {word[:PREFIX] for word in words(option)} <= there:
                yield option
        return
    for match in pattern.finditer(sentence):
        text = match[0].strip()
        prefixes = {word[:PREFIX] for word in words(text)}
        first_word = pattern is _NAME and match.start() == 0 and " " not in text
        if prefixes and not prefixes <= stems and not first_word:
            yield text


#: Every reader, by name.
READERS = {
    "extractive": ReaderKind(
        extract, "rules that take a number, a date, a name or a choice from the nearest sentence"
    )
}


def make_reader(name: str) -> Callable[[str, str, Sequence[Passage]], str]:
    """Return a reader."""
    if name not in READERS:
        raise UsageError(f"there is no reader {name!r}; {one_of(name, READERS)}")
    return READERS[name].read
