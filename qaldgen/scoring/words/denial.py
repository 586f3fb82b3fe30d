"""Whether words of a text are denied there: "not Ulm but Bonn", "Ulm is not the capital"."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from qaldgen.scoring.words.languages import is_common
from qaldgen.scoring.words.reading import Reading
from qaldgen.scoring.words.tokens import tokens
from qaldgen.scoring.words.word_lists import listed, listed_phrases, phrases_in, word_set

#: Languages without spaces, for which the text is searched instead of its words.
UNSPACED = frozenset(["zh", "ja", "th"])
#: How many words before a name a negation reaches.
_REACH = 4
_APOSTROPHES = ("'", "’")
_CLAUSE_END = re.compile(r"[.,;:!?()\n。，、！：；।؟،؛]|\s[–—-]\s")
#: Words of the kind `not` that do not deny the name after them ("never, Ulm is", "no, Ulm"); and
#: those that do so in addition to the others.
_VAGUE = word_set("no never nothing without none nobody nowhere t n ne nie mai nunca jamás jamais")
_DENYING = {
    "en": word_set("t"),
    "fr": word_set("pas ni"),
    "es": word_set("no ni"),
    "it": word_set("ni"),
    "ca": word_set("no ni"),
}
_BEFORE_UNSPACED = {
    "zh": ("不是", "并非", "並非", "不在", "而非", "不叫", "不属于", "不屬於"),
    "th": ("ไม่ใช่", "ไม่ได้อยู่ที่"),
}
_BEHIND_UNSPACED = {"ja": ("ではな", "ではあり", "じゃな", "でな")}
#: Languages that deny after the name, and the beginnings of the words that do.
_BEHIND = {
    "tr": ("degil",),
    "ko": tuple("".join(tokens(word)) for word in ("아니", "아닙", "아닌")),
    "hi": ("नहीं", "नही"),
    "fa": ("نیست",),
}
_COPULA = word_set(
    "is was are were isn wasn aren weren does did ist war sind est était es fue era è é foi is was"
    " este a fost"
)
_IS_NOT = word_set("not t nicht pas non não niet nu n")
_ONLY = word_set("only just alone merely nur seulement solo só alleen")


class _Words(NamedTuple):
    """The words of a language that deny.

    Attributes
    ----------
    denying : frozenset of str
        Words that deny what follows.
    instead : frozenset of tuple of str
        Phrases that deny a name right after them.
    suspicious : frozenset of str
        All words that may deny, for a quick check.
    """

    denying: frozenset[str]
    instead: frozenset[tuple[str, ...]]
    suspicious: frozenset[str]


@functools.cache
def _words(language: str) -> _Words:
    words, instead = listed("not", language), listed_phrases("instead", language)
    if language in _DENYING:
        words = (words - _VAGUE) | _DENYING[language]
    suspicious = (
        words
        | {phrase[-1] for phrase in instead}
        | (_IS_NOT if language not in _BEHIND else frozenset())
    )
    return _Words(words, instead, suspicious)


def is_denied(start: int, end: int, text: Reading) -> bool:
    """Tell whether words of a text are denied.

    "not Ulm but Bonn", "instead of Ulm", "Ulm is not the capital". A question that has a negation
    itself asks for something that is not the case, so there nothing is denied.

    Parameters
    ----------
    start, end
        Index of the first of the words, and index after the last.
    text
        The text.

    Returns
    -------
    bool
        Whether they are.
    """
    if text.language in UNSPACED:
        return _is_denied_unspaced(start, end, text)
    words = _words(text.language)
    if not words.denying or not words.denying.isdisjoint(text.asked - {"t"}):
        return False
    behind = _BEHIND.get(text.language)
    if behind is not None and _is_denied_behind(end, text, behind):
        return True
    first = max(start - _REACH, 0)
    if words.suspicious.isdisjoint(text.forms[first : end + 2]):
        return False
    return _is_denied_before(first, start, text, words) or (behind is None and _is_not(end, text))


def _is_denied_before(first: int, start: int, text: Reading, words: _Words) -> bool:
    reach = start
    while reach > first and not _CLAUSE_END.search(text.gap(reach)):
        reach -= 1
    window = tuple(
        form
        for at, form in enumerate(text.forms[reach:start], reach)
        if form != "t" or text.gap(at) in _APOSTROPHES
    )
    if not words.denying.isdisjoint(window):
        return next(phrases_in(window, "not-only", text.language), None) is None
    return any(window[-len(phrase) :] == phrase for phrase in words.instead)


def _is_denied_behind(end: int, text: Reading, behind: tuple[str, ...]) -> bool:
    """Tell whether one of the next two words denies, in languages whose verb comes last."""
    for at in range(end, min(end + 2, len(text.forms))):
        if _CLAUSE_END.search(text.gap(at)):
            return False
        if text.forms[at].startswith(behind):
            return True
    return False


def _is_not(end: int, text: Reading) -> bool:
    """Tell whether the sentence goes on with "is not", about the question or nothing more."""
    forms = text.forms
    if end + 1 >= len(forms) or forms[end] not in _COPULA or forms[end + 1] not in _IS_NOT:
        return False
    rest = forms[end + 2 : end + 8]
    if _CLAUSE_END.search(text.gap(end)) or (rest and rest[0] in _ONLY):
        return False
    content = [form for form in rest if len(form) > 2 and not is_common(form)]
    return not content or any(form in text.asked for form in content)


def _is_denied_unspaced(start: int, end: int, text: Reading) -> bool:
    first, last = text.places[start][0], text.places[end - 1][1]
    before = text.source[max(first - 8, 0) : first]
    denied_before, denied_behind = (
        _BEFORE_UNSPACED.get(text.language, ()),
        _BEHIND_UNSPACED.get(text.language, ()),
    )
    return before.endswith(denied_before) or text.source[last : last + 6].startswith(denied_behind)
