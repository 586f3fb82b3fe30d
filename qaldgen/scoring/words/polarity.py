"""Whether a free text says yes, no, or nothing at all."""

from __future__ import annotations

import functools
import re

from qaldgen.scoring.words.lexicon import NEGATIONS, NO, NO_ANSWER, REFUSALS, YES, primary
from qaldgen.scoring.words.tokens import tokens, word_set

_SENTENCE = re.compile(r"(?<=[.!?。।])\s+|\n")
#: Negations that are safe to read in an answer in another language; "no" is not: it is Portuguese for "in the".
_ENGLISH_NEGATIONS = frozenset(["not", "never", "cannot"])
_QUESTION_MARKS = ("?", "？", "؟")
#: The fewest words that can affirm without a yes: subject, verb, object.
_STATEMENT = 3


def _sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE.split(text.strip()) if any(map(str.isalnum, part))]


@functools.cache
def _words(language: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the words for yes, no and not: of the language, and of English in an answer that is given in English."""
    yes = word_set(f"{YES['en']} {YES.get(language, '')}")
    no = word_set(f"{NO.get(language, '')} {'' if language == 'pt' else NO['en']}")
    own = word_set(NEGATIONS.get(language, ""))
    return yes, no, own | _ENGLISH_NEGATIONS


def polarity(text: str, language: str = "en") -> bool | None:
    """Tell whether an answer to a yes-no question says yes.

    Parameters
    ----------
    text : str
        The answer.
    language : str
        Its language; English words are understood everywhere.

    Returns
    -------
    bool or None
        By the first word, where it is a yes or a no; else False if the first sentence has a negation, and True if it has none.
        None for no words at all, for a refusal, a question, or one or two words that are neither.

    Examples
    --------
    >>> polarity("Yes, she did."), polarity("She never did. She was ill."), polarity("Elle est née ici.", "fr"), polarity("...")
    (True, False, True, None)
    """
    yes, no, negations = _words(primary(language))
    first = next(iter(_sentences(text)), "")
    words = tokens(first, language)
    if not words or _refuses(words):
        return None
    if words[0] in yes or words[0] in no:
        return words[0] in yes
    if len(words) < _STATEMENT or first.rstrip().endswith(_QUESTION_MARKS):
        return None
    return negations.isdisjoint(words)


@functools.cache
def _refusals() -> dict[str, list[tuple[str, ...]]]:
    """Return the phrases that refuse, by their first word."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in {tokens(phrase) for row in REFUSALS.values() for phrase in row.split("|")}:
        found.setdefault(phrase[0], []).append(phrase)
    return found


def _refuses(words: tuple[str, ...]) -> bool:
    phrases = _refusals()
    return " ".join(words) in NO_ANSWER or any(
        words[i : i + len(phrase)] == phrase for i, word in enumerate(words) if word in phrases for phrase in phrases[word]
    )


def without_refusals(text: str) -> str:
    """Return a text without the sentences that refuse to answer: what a system says it does not know, it does not say.

    The phrases of all languages are looked for.

    Examples
    --------
    >>> without_refusals("I'm sorry, I don't know all mills of Ulm. One is the Old Mill.")
    'One is the Old Mill.'
    """
    if not _refuses(tokens(text)):
        return text
    return " ".join(sentence for sentence in _sentences(text) if not _refuses(tokens(sentence)))


def is_refusal(text: str) -> bool:
    """Tell whether an answer only says that there is none: "I don't know", an apology, "unknown".

    Its first sentence refuses, or it has no words. What it says after an apology may still be an answer, see `without_refusals`.

    Examples
    --------
    >>> [is_refusal(text) for text in ("I don't know.", "Es tut mir leid, das weiß ich nicht.", "Unknown", "...", "In 1990.")]
    [True, True, True, True, False]
    """
    sentences = _sentences(text)
    return not sentences or _refuses(tokens(sentences[0]))
