"""Slips of the pen in English questions: the question word, and words written twice.

No dictionary is needed for either.
"""

from __future__ import annotations

import re

from qaldgen.features.text.surface import word_set

_MEANT = ("what", "which", "when", "where", "whose")
#: Words of their own that are one letter away from a question word.
_REAL = word_set(
    """that hat chat wheat whit whet what's whats then hen wren wen there here were whore wheres where's those hose whole chose
    witch winch whim whip wham white while"""
)
#: Other forms of question words that people write; correct ones are not among them.
_SLIPS = word_set(
    """waht wht wat whate whta whihc whch wich whichd whic whcih hich whci whichi wchich hwo wehn whn wher whre whee hoe
    howmany howmuch whos whats whens wheres hows"""
)
_TWICE = re.compile(
    r"\b(the|an?|of|in|on|at|to|for|by|with|from|and|or|who|which|what|when|where|how|does?|did|are|were|was)\s+\1\b"
)


def question_word_meant(word: str) -> str:
    """Return the question word that an unknown word in lower case is one slip away from, else the word itself.

    A slip is a letter too many, too few or wrong, or two letters in the wrong order (Damerau 1964);
    of several question words the first in the order of what, which, when, where, whose.

    Examples
    --------
    >>> [question_word_meant(word) for word in ("whicch", "hwat", "there", "river")]
    ['which', 'what', 'there', 'river']
    """
    if word in _REAL:
        return word
    return next((meant for meant in _MEANT if word != meant and _one_slip(word, meant)), word)


def _one_slip(word: str, meant: str) -> bool:
    if abs(len(word) - len(meant)) > 1:
        return False
    at = next(
        (at for at, (one, other) in enumerate(zip(word, meant, strict=False)) if one != other),
        min(len(word), len(meant)),
    )
    rest, wanted = word[at:], meant[at:]
    swapped = rest[:2] == wanted[:2][::-1] and rest[2:] == wanted[2:]
    return swapped or rest[1:] == wanted[1:] or rest[1:] == wanted or rest == wanted[1:]


def spelling_suspect(text: str) -> bool:
    """Tell whether the question word is misspelt, or a small word in lower case occurs twice in a row.

    Examples
    --------
    >>> [spelling_suspect(text) for text in ("Whihc lake is it?", "Where is the the lake?", "Which lake is it?")]
    [True, True, False]
    """
    plain = text.lower().replace("’", "'")
    found = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", plain)
    opening = bool(found) and question_word_meant(found[0]) != found[0]
    return opening or not _SLIPS.isdisjoint(found) or _TWICE.search(text) is not None
