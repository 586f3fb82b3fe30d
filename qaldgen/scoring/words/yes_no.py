"""Whether a text says yes, no, or nothing at all."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from qaldgen.defaults import LANGUAGE
from qaldgen.questions.truth_values import parse_yes_or_no
from qaldgen.scoring.words.phrases import (
    UNSPACED,
    WORD_END,
    WORD_START,
    main_language,
    phrases,
    reading_languages,
)
from qaldgen.scoring.words.reading import COMMON, AnswerText, Reading
from qaldgen.scoring.words.tokens import phrase_tokens, phrase_words, tokens

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
#: By truth value the kind of the phrases that say it.
YES_AND_NO = MappingProxyType({True: "yes", False: "no"})


class YesNo(NamedTuple):
    """What an answer to a yes-no question says."""

    is_yes: bool | None  # None if neither yes nor no
    explicit: bool = False  # whether in so many words, not by a statement


def polarity(
    answer: AnswerText,
    language: str = LANGUAGE,
    questions: Mapping[str, Sequence[str]] | None = None,
) -> YesNo | None:
    """Return what an answer to a yes-no question says; None if there are no rules to tell.

    By the word or phrase that opens its first or last sentence, by the word at the end of one, else
    by a statement with the question's content, negated or not.

    >>> questions = {"en": ["Did she ever mill?"], "fr": ["Est-elle née ici ?"]}
    >>> answers = [AnswerText(text) for text in ("Yes, she did.", "She never milled.")]
    >>> [polarity(answer, questions=questions) for answer in answers]
    [YesNo(is_yes=True, explicit=True), YesNo(is_yes=False, explicit=False)]
    >>> polarity(AnswerText("Elle est née ici."), "fr", questions)
    YesNo(is_yes=True, explicit=False)
    >>> polarity(AnswerText("Ndiyo."), "sw") is None
    True
    """
    for is_yes, kind in YES_AND_NO.items():
        if answer.text.lstrip()[:1] in phrases(f"sign-{kind}")["any"]:
            return YesNo(is_yes, explicit=True)
    base = main_language(language)
    sentences = answer.asserted_parts(base)
    if not sentences:
        return YesNo(None)
    tags = [base] if base == "pt" else reading_languages(base)  # "no" means "in the" there
    for tag, sentence in itertools.product(tags, dict.fromkeys([sentences[0], sentences[-1]])):
        opening = _opening(sentence, tag)
        if opening is not None:
            return YesNo(opening, explicit=True)
    closings = {_closing(sentence, base) for sentence in sentences} - {None}
    if len(closings) == 1:
        return YesNo(closings.pop(), explicit=True)
    if base not in phrases("no"):
        return None
    wordings = {main_language(tag): texts for tag, texts in (questions or {}).items()}
    pairs = [(text, tag) for tag, texts in wordings.items() for text in texts]
    question_words = [_content_words(text, tag) for text, tag in pairs]
    for sentence in sentences:
        words = _content_words(sentence, base)
        shares = [len(words & asked) / len(asked) for asked in question_words if asked]
        is_no = is_negated(sentence, base)
        is_brief_no = is_no and len(tokens(sentence)) <= _MAX_BRIEF_WORDS
        if is_brief_no or max(shares, default=0) >= _MIN_CONTENT_SHARE:
            return YesNo(not is_no)
    return YesNo(None) if wordings.get(base) else None


def _opening(sentence: str, language: str) -> bool | None:
    """Return whether the first words of a sentence say yes; None if neither yes nor no."""
    reading = Reading(sentence, language)
    for end in range(min(_MAX_OPENING_WORDS, len(reading.forms)), 0, -1):
        opening = reading.forms[:end]
        is_stopped = _STOP.search(reading.gap(end)) is not None
        for is_yes, kind in YES_AND_NO.items():
            if opening in phrase_tokens(f"{kind}-word", language):
                return is_yes
            if is_stopped and opening in phrase_tokens(kind, language):
                return is_yes
    return None


def _closing(sentence: str, language: str) -> bool | None:
    """Return whether a sentence ends in yes or no, as in "The answer is yes."; else None."""
    truths = list(map(parse_yes_or_no, Reading(sentence, language).forms))
    is_one = len(truths) > 1 and len(set(truths)) == 2  # not "yes or no"
    return truths[-1] if is_one else None


def _content_words(sentence: str, language: str) -> frozenset[str]:
    """Return the content words of a text, cut to a few letters."""
    forms = tokens(sentence, language)
    if language in _COMPARED_BY_PAIRS:
        return frozenset(map("".join, itertools.pairwise(forms)))
    long_forms = [form for form in forms if len(form) >= _MIN_CONTENT_LETTERS or form.isdecimal()]
    return frozenset(form[:_PREFIX_LETTERS] for form in long_forms if form not in COMMON)


@functools.cache
def _negation(language: str) -> re.Pattern[str]:
    """Return a pattern for what negates, and for what only looks like it: "not only"."""
    patterns = phrases("not-pattern").get(language, ())
    if language in UNSPACED:
        return re.compile(f"(?P<no>{'|'.join(patterns)})")
    negations = "|".join([*patterns, *map(re.escape, phrase_words("not", language))])
    others = "|".join(map(" ".join, phrase_tokens("not-only", language)))
    words = f"(?:{others or '(?!)'}|(?P<no>{negations or '(?!)'}))"
    return re.compile(f"{WORD_START}{words}{WORD_END}")


def may_negate(words: Iterable[str], language: str) -> bool:
    """Return whether a text with these words may have a negation; quick to tell."""
    if language in UNSPACED or language in phrases("not-pattern"):
        return True
    return not phrase_words("not", language).isdisjoint(words)


def is_negated(text: str, language: str) -> bool:
    """Return whether a clause has a negation.

    >>> [is_negated(text, "en") for text in ("It is not old.", "It is not only old.", "It is old.")]
    [True, False, False]
    >>> is_negated("वह किनारे है", "hi")  # with "न" (not) inside a word
    False
    """
    plain_text = text.lower() if language in UNSPACED else " ".join(tokens(text, language))
    return any(match["no"] for match in _negation(language).finditer(plain_text))
