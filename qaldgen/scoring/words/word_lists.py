"""Words and phrases in lists, and where they occur among the words of a text."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from qaldgen.scoring.words.lexicon import phrases
from qaldgen.scoring.words.tokens import tokens


@functools.cache
def listed(kind: str, language: str = "any") -> frozenset[str]:
    """Return the tokens of the words of a kind.

    Parameters
    ----------
    kind
        See `qaldgen.scoring.words.lexicon.phrases`.
    language
        A primary language tag, or ``any``.

    Returns
    -------
    frozenset[str]
        Empty if there are none.

    Examples
    --------
    >>> "queen" in listed("title"), "oder" in listed("or", "de"), listed("or", "xx")
    (True, True, frozenset())
    """
    return frozenset(
        token for phrase in phrases(kind).get(language, ()) for token in tokens(phrase)
    )


@functools.cache
def listed_phrases(kind: str, language: str = "any") -> frozenset[tuple[str, ...]]:
    """Return the phrases of a kind, each as tokens.

    Parameters
    ----------
    kind
        See `qaldgen.scoring.words.lexicon.phrases`.
    language
        A primary language tag, or ``any``.

    Returns
    -------
    frozenset[tuple[str, ...]]
        Empty if there are none.

    Examples
    --------
    >>> ("nicht", "nur") in listed_phrases("not-only", "de")
    True
    """
    return frozenset(tokens(phrase) for phrase in phrases(kind).get(language, ()))


@functools.cache
def _by_first_word(kind: str, language: str) -> dict[str, list[tuple[str, ...]]]:
    by_word: dict[str, list[tuple[str, ...]]] = {}
    for phrase in listed_phrases(kind, language):
        by_word.setdefault(phrase[0], []).append(phrase)
    return by_word


def phrases_in(
    words: tuple[str, ...], kind: str, language: str = "any"
) -> Iterator[tuple[int, int]]:
    """Yield where tokens contain a phrase of a kind.

    Parameters
    ----------
    words
        The tokens.
    kind
        See `qaldgen.scoring.words.lexicon.phrases`.
    language
        A primary language tag, or ``any``.

    Yields
    ------
    Iterator[tuple[int, int]]
        Index of its first word, and index after its last.

    Examples
    --------
    >>> list(phrases_in(tokens("Er ist nicht nur alt."), "not-only", "de"))
    [(2, 4)]
    """
    table = _by_first_word(kind, language)
    for i, word in enumerate(words):
        for phrase in table.get(word, ()):
            if words[i : i + len(phrase)] == phrase:
                yield i, i + len(phrase)


@functools.cache
def word_set(words: str) -> frozenset[str]:
    """Return the tokens of words in a table.

    Parameters
    ----------
    words
        Words separated by spaces or slashes.

    Returns
    -------
    frozenset[str]
        Without repetitions.

    Examples
    --------
    >>> sorted(word_set("não nunca"))
    ['nao', 'nunca']
    """
    return frozenset(token for word in words.replace("/", " ").split() for token in tokens(word))
