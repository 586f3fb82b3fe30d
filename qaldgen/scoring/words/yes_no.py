"""Whether a text says yes, no, or nothing at all."""

from __future__ import annotations

import enum
import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.defaults import LANGUAGE
from qaldgen.scoring.words.reading import Reading, asserted, is_common
from qaldgen.scoring.words.tokens import UNSPACED, listed, phrases, phrases_in, primary, tokens

_STOP = re.compile(r"[.,;:!?…—–()\n。，、！：；।؟،؛]|\s-\s")
#: The longest opening phrase, in words.
_LONGEST = 8
#: The share of the question's content that a statement about it has.
_SPEAKS = 0.34
#: A negated sentence of up to this many words needs no content: "She was not."
_BRIEF = 6
_SHORTEST, _PREFIX = 3, 5


class Polarity(enum.Enum):
    """What an answer to a yes-no question says; `UNJUDGED` if there are no rules to tell."""

    YES = "yes"
    NO = "no"
    NEITHER = "neither"
    UNJUDGED = "unjudged"


class YesNo(NamedTuple):
    """What an answer says, and whether in so many words, not by a statement."""

    polarity: Polarity
    explicit: bool = False


def has_sign(text: str) -> bool:
    """Tell whether a text begins with a sign for yes or no: a check mark, a cross, a thumb."""
    first = text.lstrip()[:1]
    return bool(first) and first in (*phrases("sign-yes")["any"], *phrases("sign-no")["any"])


def polarity(
    text: str, language: str = LANGUAGE, questions: Mapping[str, Sequence[str]] | None = None
) -> YesNo:
    """Return what an answer to a yes-no question says.

    By the word or phrase that opens its first or last sentence, else by a statement with the
    question's content, negated or not.

    >>> asked = {"en": ["Did she ever mill?"], "fr": ["Est-elle née ici ?"]}
    >>> texts = "Yes, she did.", "She never milled."
    >>> [polarity(text, questions=asked)[0].value for text in texts]
    ['yes', 'no']
    >>> polarity("Elle est née ici.", "fr", asked)[0].value, polarity("Ndiyo.", "sw")[0].value
    ('yes', 'unjudged')
    """
    if has_sign(text):
        return YesNo(_as(text.lstrip()[0] in phrases("sign-yes")["any"]), explicit=True)
    base = primary(language)
    parts = asserted(text, base)
    if not parts:
        return YesNo(Polarity.NEITHER)
    # English is tried too, except in Portuguese, where "no" means "in the".
    for one in dict.fromkeys([base, "en" if base != "pt" else base]):
        if one in phrases("no") and (truth := _explicit(parts, one)):
            return YesNo(truth, explicit=True)
    if base not in phrases("no"):
        return YesNo(Polarity.UNJUDGED)
    asked = {primary(name): texts for name, texts in (questions or {}).items()}
    contents = [_content(text, tag) for tag, texts in asked.items() for text in texts]
    for part in parts:
        said, negated = _content(part, base), is_negated(part, base)
        share = max((len(one & said) / (len(one) or 1) for one in contents), default=0.0)
        if share >= _SPEAKS:
            return YesNo(_as(not negated))
        if negated and len(tokens(part)) <= _BRIEF:
            return YesNo(Polarity.NO)
    return YesNo(Polarity.NEITHER if any(asked.get(base, ())) else Polarity.UNJUDGED)


def _as(truth: bool) -> Polarity:
    return Polarity.YES if truth else Polarity.NO


def _explicit(parts: Sequence[str], language: str) -> Polarity | None:
    """Return what the first words of the first or last sentence say; None if nothing."""
    for sentence in dict.fromkeys([parts[0], parts[-1]]):
        text = Reading(sentence, language)
        forms = text.forms
        for end in range(min(_LONGEST, len(forms)), 0, -1):
            stopped = _STOP.search(text.gap(end)) is not None
            for kind, truth in (("yes", True), ("no", False)):
                alone = stopped and forms[:end] in listed(kind, language)
                if alone or forms[:end] in listed(f"{kind}-word", language):
                    return _as(truth)
    return None


def _content(sentence: str, language: str) -> frozenset[str]:
    """Return the content words of a text, cut to a few letters."""
    forms = tokens(sentence, language)
    if language in ("zh", "ja", "th"):
        return frozenset(map("".join, itertools.pairwise(forms)))
    kept = (form for form in forms if len(form) >= _SHORTEST or form.isdecimal())
    return frozenset(form[:_PREFIX] for form in kept if not is_common(form))


@functools.cache
def _negation(language: str) -> re.Pattern[str]:
    """Return a pattern for the words that negate, besides those that only look so."""
    bound = "" if language in UNSPACED else r"\b"
    patterns = list(phrases("not-pattern").get(language, ()))
    if language not in UNSPACED:
        patterns += [re.escape(word) for phrase in listed("not", language) for word in phrase]
    return re.compile(rf"{bound}(?:{'|'.join(patterns) or '(?!)'}){bound}")


def is_negated(text: str, language: str) -> bool:
    """Tell whether a clause has a negation.

    >>> [is_negated(text, "en") for text in ("It is not old.", "It is not only old.", "It is old.")]
    [True, False, False]
    """
    if language in UNSPACED:
        return _negation(language).search(text.lower()) is not None
    forms = tokens(text, language)
    harmless = {at for span in phrases_in(forms, "not-only", language) for at in range(*span)}
    rest = (form for at, form in enumerate(forms) if at not in harmless)
    return _negation(language).search(" ".join(rest)) is not None
