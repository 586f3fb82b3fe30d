"""Misspelt question words, and function words that are written twice."""

from __future__ import annotations

import re

from qaldgen.features.text.words import pattern, word_list

#: The words that a misspelt question word may be, in this order.
_CORRECTIONS = ("what", "which", "when", "where", "whose")
#: Correct words that are one letter away from a question word.
_CORRECT_WORDS = word_list("like question words")
#: Misspelt question words that people write anywhere in a question.
_SLIPS = word_list("misspelt question words")
#: Function words that are never right twice in a row; "had had" and "that that" can be.
_REPEATED = pattern("twice")


def question_word_meant(word: str) -> str:
    """Return the question word that a lower-case word is a misspelling of, else the word itself.

    A misspelling has one letter too many, too few or wrong, or two letters in the wrong order
    (Damerau 1964). Of several question words, the first of what, which, when, where, whose wins.

    >>> [question_word_meant(word) for word in ("whicch", "hwat", "there", "river")]
    ['which', 'what', 'there', 'river']
    """
    from rapidfuzz.distance import OSA

    if word in _CORRECT_WORDS:
        return word
    for correct in _CORRECTIONS:
        if word != correct and OSA.distance(word, correct, score_cutoff=1) == 1:
            return correct
    return word


def spelling_suspect(text: str) -> bool:
    """Return whether the question word is misspelt, or a function word occurs twice in a row.

    >>> texts = ("Whihc lake is it?", "Where is the the lake?", "Which lake is it?")
    >>> [spelling_suspect(text) for text in texts]
    [True, True, False]
    """
    lowered = text.lower().replace("’", "'")
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", lowered)
    is_misspelt = bool(words) and question_word_meant(words[0]) != words[0]
    return is_misspelt or not _SLIPS.isdisjoint(words) or _REPEATED.search(text) is not None
