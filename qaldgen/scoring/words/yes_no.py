"""Whether a text says yes, no, or nothing at all."""

from __future__ import annotations

import enum
import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.scoring.words.reading import Reading, asserted, is_common
from qaldgen.scoring.words.tokens import UNSPACED, listed, phrases, phrases_in, primary, tokens

_STOP = re.compile(r"[.,;:!?…—–()\n。，、！：；।؟،؛]|\s-\s")
#: Words that may precede the word that decides.
_FILLERS = frozenset(["well", "so", "oh", "hmm", "ok", "okay", "unfortunately", "actually", "then"])
#: Limits in words: an opening phrase, what may follow it without a stop, and what may stand beside
#: a verdict on the question ("that is false").
_LONGEST, _REST, _MORE = 8, 2, 4
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


class Said(NamedTuple):
    """What an answer says, and whether in so many words, not by a statement."""

    polarity: Polarity
    explicit: bool = False


def has_sign(text: str) -> bool:
    """Tell whether a text begins with a sign for yes or no: a check mark, a cross, a thumb."""
    first = text.lstrip()[:1]
    return bool(first) and (
        first in phrases("sign-yes")["any"] or first in phrases("sign-no")["any"]
    )


def polarity(
    text: str, language: str = "en", questions: Mapping[str, Sequence[str]] | None = None
) -> Said:
    """Return what an answer to a yes-no question says.

    By the word or phrase that opens its first or last sentence; by a short sentence about the
    question ("That is false."); by the last word ("... so, no."); else by a statement with the
    question's content, negated or not.

    >>> asked = {"en": ["Did she ever mill?"], "fr": ["Est-elle née ici ?"]}
    >>> texts = "Yes, she did.", "She never milled."
    >>> [polarity(text, questions=asked)[0].value for text in texts]
    ['yes', 'no']
    >>> polarity("Elle est née ici.", "fr", asked)[0].value, polarity("Ndiyo.", "sw")[0].value
    ('yes', 'unjudged')
    """
    if has_sign(text):
        return Said(_as(text.lstrip()[0] in phrases("sign-yes")["any"]), explicit=True)
    own = primary(language)
    parts = asserted(text, own)
    if not parts:
        return Said(Polarity.NEITHER)
    # English is tried too, except in Portuguese, where "no" means "in the".
    for one in dict.fromkeys([own, "en" if own != "pt" else own]):
        if one in phrases("no") and (truth := _explicit(parts, one, own)):
            return Said(truth, explicit=True)
    if own not in phrases("no"):
        return Said(Polarity.UNJUDGED)
    asked = {primary(one): texts for one, texts in (questions or {}).items()}
    stated = (_states(part, own, asked) for part in parts)
    said = next((truth for truth in stated if truth is not None), None)
    if said is not None:
        return Said(_as(said))
    return Said(Polarity.NEITHER if any(asked.get(own, ())) else Polarity.UNJUDGED)


def _as(truth: bool) -> Polarity:
    return Polarity.YES if truth else Polarity.NO


def _explicit(parts: Sequence[str], language: str, spoken: str) -> Polarity | None:
    """Return what an answer says in words for yes and no; None if nothing."""
    ends = dict.fromkeys([parts[0], parts[-1]])
    for read in (_opening, _verdict):
        for part in ends:
            if (said := read(part, language, spoken)) is not None:
                return said
    last = tokens(_STOP.split(parts[-1].rstrip(" .!。！"))[-1], language)
    kinds = {True: listed("yes-word", language), False: listed("no-word", language)}
    both = all(any((word,) in words for word in last) for words in kinds.values())
    if both and language not in UNSPACED:
        return Polarity.NEITHER  # "Neither yes nor no."
    return next((_as(truth) for truth, words in kinds.items() if last in words), None)


def _opening(sentence: str, language: str, spoken: str) -> Polarity | None:
    """Return what the first words of a sentence say."""
    text = Reading(sentence, language)
    forms = text.forms
    start = 0
    while start < len(forms) - 1 and forms[start] in _FILLERS:
        start += 1
    for end in range(min(start + _LONGEST, len(forms)), start, -1):
        phrase = forms[start:end]
        for kind, truth in (("yes", True), ("no", False)):
            alone = len(forms) - end <= _REST or _STOP.search(text.gap(end)) is not None
            weak = alone and phrase in listed(kind, language)
            if not weak and phrase not in listed(f"{kind}-word", language):
                continue
            rest = forms[end:]
            if (
                weak
                and truth
                and not _STOP.search(text.gap(end))
                and is_negated(" ".join(rest), language)
            ):
                return None  # "It has not happened."
            harmless = {*listed("not-only", language), *listed("not-only", spoken)}
            # "No cabe duda" opens with an English "no", too.
            if not truth and any(forms[start : start + len(one)] == one for one in harmless):
                return None
            both = rest[1:2] in listed("yes-word", language) | listed("no-word", language)
            return Polarity.NEITHER if both and _STOP.search(text.gap(end)) is None else _as(truth)
    return None


def _verdict(sentence: str, language: str, spoken: str) -> Polarity | None:
    """Return what a short sentence says of the question, such as "That is false"."""
    forms = tokens(sentence, language)
    # "No doubt that she did" does not doubt it.
    harmless = [range(*span) for span in phrases_in(forms, "not-only", language)]
    for kind, truth in (("false", False), ("true", True)):
        for start, end in phrases_in(forms, kind, language):
            short = len(forms) <= end - start + _MORE or end == len(forms)
            opens = not truth and start <= _MORE and language not in UNSPACED
            short = short or opens  # "It is false that ..."
            if short and (truth or not any(start in span for span in harmless)):
                return _as(truth)
    return None


class _Content(NamedTuple):
    """The content words of a text, cut to a few letters; which are names or numbers."""

    words: frozenset[str]
    names: frozenset[str]


def _content(sentence: str, language: str) -> _Content:
    text = Reading(sentence, language)
    if language in ("zh", "ja", "th"):
        return _Content(frozenset(map("".join, itertools.pairwise(text.forms))), frozenset())
    kept = [
        (at, form[:_PREFIX])
        for at, form in enumerate(text.forms)
        if (len(form) >= _SHORTEST or form.isdecimal()) and not is_common(form)
    ]
    names = (form for at, form in kept if form.isdecimal() or text.is_upper(at))
    return _Content(frozenset(form for _, form in kept), frozenset(names))


@functools.cache
def _negation(language: str) -> re.Pattern[str]:
    """Return a pattern for the words that negate, besides those that only look so."""
    bound = "" if language in UNSPACED else r"\b"
    words = (re.escape(word) for phrase in listed("not", language) for word in phrase)
    patterns = phrases("not-pattern").get(language, ())
    either = "|".join([*patterns, *([] if language in UNSPACED else words)]) or "(?!)"
    return re.compile(rf"{bound}(?:{either}){bound}")


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


def _states(sentence: str, language: str, questions: Mapping[str, Sequence[str]]) -> bool | None:
    """Tell whether a statement affirms or denies what a question asks; None for neither."""
    said = _content(sentence, language)
    asked = [_content(text, own) for own, texts in questions.items() for text in texts]

    def share(one: _Content) -> float:
        return len(one.words & said.words) / (len(one.words) or 1)

    best = max(asked, key=share, default=said)
    negated = is_negated(sentence, language)
    if not asked or share(best) < _SPEAKS:
        return False if negated and len(tokens(sentence)) <= _BRIEF else None
    # Another name in place of one that is asked about: "Paris is the capital", asked about Berlin.
    replaced = best.names - said.words and said.names - best.words and share(best) < 1
    return not negated and not replaced
