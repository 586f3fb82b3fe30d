"""Sentences of an answer.

Which assert something, and which refuse, ask back or only repeat the question.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from qaldgen.scoring.words.languages import is_common
from qaldgen.scoring.words.lexicon import NO_ANSWER, phrases
from qaldgen.scoring.words.tokens import listed, tokens

_END = re.compile(r"(?<=[.!?。।！？؟۔])[\"'”’»)\]]*\s+|(?<=[。！？])|\n+|\s{2,}")
#: Letters before a full stop that ends no sentence: an initial, an ordinal, a usual abbreviation.
_NO_END = re.compile(
    r"(?:\b[^\W\d_]|\b\d{1,2}|\b(?:dr|mr|mrs|ms|st|sr|jr|prof|vs|no|nr|approx|ca|bzw|bl|st|ing|gen|lt|sgt|mt|fr|sra|etc|z\.b))\.\s*$",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？؟;;]")
QUESTION_MARKS = ("?", "？", "؟")
#: How much an echo is like the question.
_ECHO = 0.75
_FEWEST = 3


def sentences(text: str) -> list[str]:
    """Split a text into sentences; initials, ordinals and usual abbreviations end none.

    Examples
    --------
    >>> sentences("By J. R. Mill. On 5. May? Yes!")
    ['By J. R. Mill.', 'On 5. May?', 'Yes!']
    """
    found: list[str] = []
    held = ""
    for part in _END.split(text.strip()):
        held = f"{held} {part}" if held else part
        if not _NO_END.search(held):
            found.append(held)
            held = ""
    found += [held] if held else []
    return [part for part in found if any(map(str.isalnum, part))]


def is_question(sentence: str) -> bool:
    """Tell whether a sentence ends in a question mark, in any script.

    Greek asks with a semicolon.
    """
    end = sentence.rstrip(" \"'”’»)]*_")
    return end.endswith(QUESTION_MARKS) or (
        end.endswith((";", ";")) and any("α" <= char <= "ω" for char in end)
    )


@functools.cache
def _refusals() -> dict[str, list[tuple[str, ...]]]:
    """Return the phrases of all languages that refuse, by their first word."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in {tokens(phrase) for row in phrases("refusal").values() for phrase in row}:
        found.setdefault(phrase[0], []).append(phrase)
    return found


def refuses(words: tuple[str, ...]) -> bool:
    """Tell whether a sentence says that there is no answer.

    "I don't know", an apology, "unknown".
    """
    table = _refusals()
    if not table.keys().isdisjoint(words):
        for i, word in enumerate(words):
            if any(words[i : i + len(phrase)] == phrase for phrase in table.get(word, ())):
                return True
    return len(words) <= _FEWEST and " ".join(words) in NO_ANSWER


def is_echo(words: Sequence[str], questions: Sequence[Sequence[str]]) -> bool:
    """Tell whether a sentence is one of these questions again.

    The same words in the same order, and no new ones.

    Examples
    --------
    >>> asked = [tokens("Give me all mills of Ulm.")]
    >>> is_echo(tokens("Give me all the mills of Ulm."), asked), is_echo(tokens("Give me all mills of Bonn."), asked)
    (True, False)
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
    """Tell whether a text may have sentences that assert nothing, so that `assertions` has to look.

    Parameters
    ----------
    text, words
        The text, and its tokens.
    questions
        The tokens of the question, in each of its languages.
    language
        Of the text.
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

    What a system says it does not know, it does not say; what it asks, or repeats of the question,
    it does not either. An answer of nothing but one short question ("Ulm?") is taken as it is.

    Parameters
    ----------
    text
        The answer.
    questions
        The tokens of the question, in each of its languages.
    language
        Of the answer.

    Examples
    --------
    >>> assertions("I'm sorry, I don't know all mills of Ulm. One is the Old Mill. Or do you mean Bonn?")
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
