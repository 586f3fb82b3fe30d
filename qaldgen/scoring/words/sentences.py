"""Sentences of an answer: which assert something, and which refuse, ask or echo the question."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from qaldgen.scoring.words.languages import is_common
from qaldgen.scoring.words.lexicon import NO_ANSWER, phrases
from qaldgen.scoring.words.tokens import tokens
from qaldgen.scoring.words.word_lists import listed

_END = re.compile(r"(?<=[.!?。।！？؟۔])[\"'”’»)\]]*\s+|(?<=[。！？])|\n+|\s{2,}")
#: Letters before a full stop that does not end a sentence: an initial, an ordinal, an abbreviation.
_NO_END = re.compile(
    r"(?:\b[^\W\d_]|\b\d{1,2}"
    r"|\b(?:dr|mr|mrs|ms|st|sr|jr|prof|vs|no|nr|approx|ca|bzw|bl|st|ing|gen|lt|sgt|mt|fr|sra"
    r"|etc|z\.b)"
    r")\.\s*$",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？؟;;]")
QUESTION_MARKS = ("?", "？", "؟")
#: The least similarity of an echo to the question.
_ECHO = 0.75
_FEWEST = 3


def sentences(text: str) -> list[str]:
    """Split a text into sentences; initials, ordinals and usual abbreviations do not end one.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    list[str]
        Without parts that have no letters or digits.

    Examples
    --------
    >>> sentences("By J. R. Mill. On 5. May? Yes!")
    ['By J. R. Mill.', 'On 5. May?', 'Yes!']
    """
    parts: list[str] = []
    held = ""
    for part in _END.split(text.strip()):
        held = f"{held} {part}" if held else part
        if not _NO_END.search(held):
            parts.append(held)
            held = ""
    parts += [held] if held else []
    return [part for part in parts if any(map(str.isalnum, part))]


def is_question(sentence: str) -> bool:
    """Tell whether a sentence ends in a question mark, in any script; Greek uses a semicolon.

    Parameters
    ----------
    sentence
        A sentence.

    Returns
    -------
    bool
        Whether it does.
    """
    end = sentence.rstrip(" \"'”’»)]*_")
    return end.endswith(QUESTION_MARKS) or (
        end.endswith((";", ";")) and any("α" <= char <= "ω" for char in end)
    )


@functools.cache
def _refusals() -> dict[str, list[tuple[str, ...]]]:
    """Return the refusing phrases of all languages, by their first word."""
    phrases_by_word: dict[str, list[tuple[str, ...]]] = {}
    for phrase in {tokens(phrase) for row in phrases("refusal").values() for phrase in row}:
        phrases_by_word.setdefault(phrase[0], []).append(phrase)
    return phrases_by_word


def refuses(words: tuple[str, ...]) -> bool:
    """Tell whether a sentence says that there is no answer: "I don't know", "unknown".

    Parameters
    ----------
    words
        The tokens of the sentence.

    Returns
    -------
    bool
        Whether it does.
    """
    table = _refusals()
    if not table.keys().isdisjoint(words):
        for i, word in enumerate(words):
            if any(words[i : i + len(phrase)] == phrase for phrase in table.get(word, ())):
                return True
    return len(words) <= _FEWEST and " ".join(words) in NO_ANSWER


def is_echo(words: Sequence[str], questions: Sequence[Sequence[str]]) -> bool:
    """Tell whether a sentence repeats one of these questions.

    The same words in the same order, and no new ones.

    Parameters
    ----------
    words
        The tokens of the sentence.
    questions
        The tokens of the questions.

    Returns
    -------
    bool
        Whether it does.

    Examples
    --------
    >>> asked = [tokens("Give me all mills of Ulm.")]
    >>> is_echo(tokens("Give me all the mills of Ulm."), asked)
    True
    >>> is_echo(tokens("Give me all mills of Bonn."), asked)
    False
    """
    from rapidfuzz.distance import Indel

    if len(words) < _FEWEST:
        return False
    own = set(words)
    for question in questions:
        if 2 * len(own.intersection(question)) < len(own):
            continue
        new = (word for word in words if word not in question and _tells(word))
        if next(new, None) is None and Indel.normalized_similarity(words, question) >= _ECHO:
            return True
    return False


def _tells(word: str) -> bool:
    return (len(word) >= _FEWEST or not word.isascii() or word.isdecimal()) and not is_common(word)


def needs_care(
    text: str, words: Sequence[str], questions: Sequence[Sequence[str]] = (), language: str = "en"
) -> bool:
    """Tell whether some sentences of a text may not assert anything.

    A quick check: only then does `assertions` have to look.

    Parameters
    ----------
    text, words
        The text, and its tokens.
    questions
        The tokens of the question, in each of its languages.
    language
        Language of the text.

    Returns
    -------
    bool
        False if all of it is asserted.
    """
    if _ASKS.search(text) or refuses(tuple(words)):
        return True
    if not listed("or", language).isdisjoint(words):
        return True
    return any(
        2 * len(set(words).intersection(question)) >= len(question)
        for question in questions
        if question
    )


def assertions(
    text: str, questions: Sequence[Sequence[str]] = (), language: str = "en"
) -> list[str]:
    """Return the sentences of an answer that assert something.

    A refusal is not an assertion, nor is a question or an echo. An answer that is just one short
    question ("Ulm?") is taken as it is.

    Parameters
    ----------
    text
        The answer.
    questions
        The tokens of the question, in each of its languages.
    language
        Language of the answer.

    Returns
    -------
    list[str]
        In order.

    Examples
    --------
    >>> assertions("I'm sorry, I don't know all mills. One is the Old Mill. Or do you mean Bonn?")
    ['One is the Old Mill.']
    """
    parts = sentences(text)
    kept = [
        part
        for part in parts
        if not is_question(part)
        and not refuses(words := tokens(part, language))
        and not (questions and is_echo(words, questions))
    ]
    if not kept and len(parts) == 1 and is_question(parts[0]):
        words = tokens(parts[0], language)
        return parts if len(words) <= _FEWEST and not refuses(words) else []
    return kept
