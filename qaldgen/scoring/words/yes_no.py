"""Whether a text says yes, no, or nothing at all."""

from __future__ import annotations

import enum
import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.defaults import LANGUAGE
from qaldgen.scoring.words.reading import Reading, asserted_parts, is_common
from qaldgen.scoring.words.tokens import (
    UNSPACED,
    main_language,
    phrase_tokens,
    phrases,
    phrases_in,
    reading_languages,
    tokens,
)

_STOP = re.compile(r"[.,;:!?…—–()\n。，、！：；।؟،؛]|\s-\s")
#: The most words of an opening phrase.
_MAX_OPENING_WORDS = 8
#: The least share of the question's content words in a statement that answers it.
_MIN_CONTENT_SHARE = 0.34
#: A negated sentence of up to this many words needs no word of the question: "She was not."
_MAX_BRIEF_WORDS = 6
#: The fewest letters of a content word.
_MIN_CONTENT_LETTERS = 3
#: The letters of content words that are compared.
_PREFIX_LETTERS = 5
#: Languages without spaces, whose texts are compared by pairs of characters.
_COMPARED_BY_PAIRS = frozenset(["zh", "ja", "th"])


class Polarity(enum.Enum):
    """What an answer to a yes-no question says; `UNJUDGED` if there are no rules to tell."""

    YES = "yes"
    NO = "no"
    NEITHER = "neither"
    UNJUDGED = "unjudged"


def polarity_of(truth: bool) -> Polarity:
    """Return what an answer says if it says yes, or no."""
    return Polarity.YES if truth else Polarity.NO


class YesNo(NamedTuple):
    """What an answer says, and whether in so many words, not by a statement."""

    polarity: Polarity
    explicit: bool = False


def polarity(
    text: str, language: str = LANGUAGE, questions: Mapping[str, Sequence[str]] | None = None
) -> YesNo:
    """Return what an answer to a yes-no question says.

    By the word or phrase that opens its first or last sentence, else by a statement with the
    question's content, negated or not.

    >>> questions = {"en": ["Did she ever mill?"], "fr": ["Est-elle née ici ?"]}
    >>> texts = "Yes, she did.", "She never milled."
    >>> [polarity(text, questions=questions)[0].value for text in texts]
    ['yes', 'no']
    >>> polarity("Elle est née ici.", "fr", questions)[0].value, polarity("Ndiyo.", "sw")[0].value
    ('yes', 'unjudged')
    """
    for said in (Polarity.YES, Polarity.NO):
        if text.lstrip()[:1] in phrases(f"sign-{said.value}")["any"]:
            return YesNo(said, explicit=True)
    base = main_language(language)
    sentences = asserted_parts(text, base)
    if not sentences:
        return YesNo(Polarity.NEITHER)
    for tag in [base] if base == "pt" else reading_languages(base):  # "no" means "in the" there
        opening = _polarity_of_opening(sentences, tag)
        if opening is not None:
            return YesNo(opening, explicit=True)
    if base not in phrases("no"):
        return YesNo(Polarity.UNJUDGED)
    wordings = {main_language(tag): texts for tag, texts in (questions or {}).items()}
    question_words = [
        _content_words(wording, tag) for tag, texts in wordings.items() for wording in texts
    ]
    for sentence in sentences:
        words = _content_words(sentence, base)
        is_no = is_negated(sentence, base)
        shares = [len(words & asked) / len(asked) for asked in question_words if asked]
        if max(shares, default=0) >= _MIN_CONTENT_SHARE:
            return YesNo(polarity_of(not is_no))
        if is_no and len(tokens(sentence)) <= _MAX_BRIEF_WORDS:
            return YesNo(Polarity.NO)
    if any(wordings.get(base, ())):
        return YesNo(Polarity.NEITHER)
    return YesNo(Polarity.UNJUDGED)


def _polarity_of_opening(sentences: Sequence[str], language: str) -> Polarity | None:
    """Return what the first words of the first or last sentence say; None if neither yes nor no."""
    for sentence in dict.fromkeys([sentences[0], sentences[-1]]):
        reading = Reading(sentence, language)
        for end in range(min(_MAX_OPENING_WORDS, len(reading.forms)), 0, -1):
            opening = reading.forms[:end]
            is_stopped = _STOP.search(reading.gap(end)) is not None
            for answer in ("yes", "no"):
                is_phrase = is_stopped and opening in phrase_tokens(answer, language)
                if is_phrase or opening in phrase_tokens(f"{answer}-word", language):
                    return Polarity(answer)
    return None


def _content_words(sentence: str, language: str) -> frozenset[str]:
    """Return the content words of a text, cut to a few letters."""
    forms = tokens(sentence, language)
    if language in _COMPARED_BY_PAIRS:
        return frozenset(map("".join, itertools.pairwise(forms)))
    long_forms = [form for form in forms if len(form) >= _MIN_CONTENT_LETTERS or form.isdecimal()]
    return frozenset(form[:_PREFIX_LETTERS] for form in long_forms if not is_common(form))


@functools.cache
def _negation(language: str) -> re.Pattern[str]:
    """Return a pattern for the words that negate."""
    bound = "" if language in UNSPACED else r"\b"
    patterns = list(phrases("not-pattern").get(language, ()))
    if language not in UNSPACED:
        patterns += [re.escape(word) for words in phrase_tokens("not", language) for word in words]
    return re.compile(rf"{bound}(?:{'|'.join(patterns) or '(?!)'}){bound}")


def is_negated(text: str, language: str) -> bool:
    """Return whether a clause has a negation.

    >>> [is_negated(text, "en") for text in ("It is not old.", "It is not only old.", "It is old.")]
    [True, False, False]
    """
    if language in UNSPACED:
        return _negation(language).search(text.lower()) is not None
    forms = tokens(text, language)
    # "not only" does not negate
    spans = [range(*span) for span in phrases_in(forms, "not-only", language)]
    words = [word for i, word in enumerate(forms) if not any(i in span for span in spans)]
    return _negation(language).search(" ".join(words)) is not None
