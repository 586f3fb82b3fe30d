"""Whether a statement affirms or denies what a yes-no question asks, by their shared content."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.scoring.words.languages import is_common
from qaldgen.scoring.words.lexicon import phrases
from qaldgen.scoring.words.spans import Word, marked
from qaldgen.scoring.words.tokens import tokens
from qaldgen.scoring.words.word_lists import phrases_in, word_set

#: Languages whose phrases are searched in the text, since words are not separated by spaces or have
#: endings attached.
UNSPACED = frozenset(["zh", "ja", "ko", "th", "vi"])
_THAN = word_set("than als dan niż чем ніж än end enn kuin mint decât από daha že hơn daripada")
_CLAUSE = re.compile(
    r"[,;:，、；：،؛()]|\s[–—-]\s"
    r"|\b(?:but|although|though|aber|mais|pero|mas|maar|но|але|ale|men|però|ma|dar)\b"
)
#: The share of the question's content that a statement needs: to affirm it, and to be about it at
#: all.
_AFFIRMS, _SPEAKS = 0.6, 0.34
#: A negated sentence of up to this many words needs no content: "She was not."
_BRIEF = 5
_SHORTEST, _PREFIX = 3, 5


class Content(NamedTuple):
    """The content of a text.

    Attributes
    ----------
    words : frozenset of str
        Its content words, cut to a few letters so that endings do not count.
    names : frozenset of str
        Those that are names or numbers.
    """

    words: frozenset[str]
    names: frozenset[str]


def content(text: str, language: str) -> Content:
    """Return the words of a text that carry content.

    Parameters
    ----------
    text
        A statement or a question.
    language
        Its language.

    Returns
    -------
    Content
        In scripts without spaces, pairs of characters and no names.

    Examples
    --------
    >>> asked = content("Was Ada Mill born in Ulm in 1990?", "en")
    >>> sorted(asked.words), sorted(asked.names)
    (['1990', 'ada', 'born', 'mill', 'ulm'], ['1990', 'ada', 'mill', 'ulm'])
    """
    _, words = marked(text, language)
    if language in ("zh", "ja", "th"):
        forms = [word.form for word in words]
        return Content(frozenset("".join(pair) for pair in itertools.pairwise(forms)), frozenset())
    kept = [word for word in words if _is_content(word)]
    names = (
        word
        for word in kept
        if word.surface[0].isdigit() or (word.surface[0].isupper() and word is not words[0])
    )
    return Content(frozenset(_key(word) for word in kept), frozenset(_key(word) for word in names))


def _is_content(word: Word) -> bool:
    return (len(word.form) >= _SHORTEST or word.form.isdecimal()) and not is_common(word.form)


def _key(word: Word) -> str:
    return word.form[:_PREFIX]


@functools.cache
def _negations(
    language: str,
) -> tuple[frozenset[str], re.Pattern[str] | None, tuple[tuple[str, ...], ...]]:
    """Return words that negate, a pattern for more, and phrases that only look like negations."""
    patterns = phrases("not-pattern")
    pattern = re.compile("|".join(patterns[language])) if language in patterns else None
    words = frozenset(token for word in phrases("not").get(language, ()) for token in tokens(word))
    # The longest first: one of them may be a part of another.
    harmless = tuple(
        sorted(map(tokens, phrases("not-only").get(language, ())), key=len, reverse=True)
    )
    return words, pattern, harmless


def is_negated(text: str, language: str) -> bool:
    """Tell whether a clause has a negation.

    Parameters
    ----------
    text
        The clause.
    language
        Its language.

    Returns
    -------
    bool
        Whether it has.

    Examples
    --------
    >>> [is_negated(text, "en") for text in ("It is not old.", "It is not only old.", "It is old.")]
    [True, False, False]
    """
    negating, pattern, harmless = _negations(language)
    if language in UNSPACED:
        return pattern is not None and pattern.search(text.lower()) is not None
    words = list(tokens(text, language))
    for phrase in harmless:
        _remove(words, phrase)
    return any(
        word in negating or (pattern is not None and pattern.fullmatch(word) is not None)
        for word in words
    )


def _remove(words: list[str], phrase: tuple[str, ...]) -> None:
    for i in range(len(words) - len(phrase), -1, -1):
        if tuple(words[i : i + len(phrase)]) == phrase:
            del words[i : i + len(phrase)]


def states(sentence: str, language: str, questions: Mapping[str, Sequence[str]]) -> bool | None:
    """Tell whether a statement affirms (True) or denies (False) what a question asks.

    It denies if a clause about the question has a negation, or if it has other names in place of
    the question's. It affirms if it has most of the question's content, and all of its names.

    Parameters
    ----------
    sentence
        The statement.
    language
        Its language.
    questions
        The texts of the question, by language.

    Returns
    -------
    bool | None
        None if it does neither.

    Examples
    --------
    >>> asked = {"en": ["Is Bonn the capital of France?"]}
    >>> statements = ("Bonn is not.", "Paris is the capital of France.", "Bonn lies on a river.")
    >>> [states(text, "en", asked) for text in statements]
    [False, False, None]
    """
    life = _says_of_life(sentence, language, questions)
    if life is not None:
        return life
    said = content(sentence, language)
    asked = [content(text, own) for own, texts in questions.items() for text in texts]
    best = max(
        asked,
        key=lambda one: len(one.words & said.words) / (len(one.words) or 1),
        default=Content(said.words, said.names),
    )
    share = len(best.words & said.words) / (len(best.words) or 1)
    if _negates(sentence, language, best):
        return False if share >= _SPEAKS or len(tokens(sentence)) <= _BRIEF else None
    if not asked or share < _SPEAKS:
        return None
    missing, new = best.names - said.words, _new_names(sentence, language) - best.words
    if missing and new and share < 1:
        return False
    # Without its "than", a statement does not answer a comparison.
    compares = any(
        not _THAN.isdisjoint(tokens(text)) for texts in questions.values() for text in texts
    )
    affirms = (
        share >= _AFFIRMS
        and not missing
        and (not compares or not _THAN.isdisjoint(tokens(sentence)))
    )
    return True if affirms else None


def _says_of_life(
    sentence: str, language: str, questions: Mapping[str, Sequence[str]]
) -> bool | None:
    """Tell whether somebody is alive (or dead, if that is asked), by a statement of their death."""
    if next(phrases_in(tokens(sentence), "dead", language), None) is None or is_negated(
        sentence, language
    ):
        return None
    texts = [(own, tokens(text)) for own, wordings in questions.items() for text in wordings]
    if any(next(phrases_in(words, "alive", own), None) for own, words in texts):
        return False
    return (
        True
        if any(
            next(phrases_in(words, "dead", own), None) and len(words) <= _BRIEF
            for own, words in texts
        )
        else None
    )


def _negates(sentence: str, language: str, asked: Content) -> bool:
    """Tell whether the statement, or a clause of it that is about the question, has a negation."""
    clauses = [part for part in _CLAUSE.split(sentence) if any(map(str.isalnum, part))]
    if len(clauses) < 2:
        return is_negated(sentence, language)
    return any(
        is_negated(part, language) and bool(content(part, language).words & asked.words)
        for part in clauses
    )


def _new_names(sentence: str, language: str) -> frozenset[str]:
    """Return the names of a statement, including its first word unless that is a common one."""
    _, words = marked(sentence, language)
    first = [word for word in words[:1] if word.surface[0].isupper() and _is_content(word)]
    return content(sentence, language).names | {_key(word) for word in first}
