"""Whether a name that stands in a text is said there: not a part of another name, not denied, not merely offered."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from qaldgen.scoring.words.cldr import territory_names
from qaldgen.scoring.words.languages import is_common
from qaldgen.scoring.words.lexicon import phrases
from qaldgen.scoring.words.names import NUMERALS, Place
from qaldgen.scoring.words.tokens import Word, tokens, word_set
from qaldgen.scoring.words.variants import CLASSES, LEGAL, TITLES

#: Words that make the name of something else of the name before them.
_INSTITUTIONS = word_set(
    "company corporation university college school institute academy airport foundation museum library award awards prize stadium"
    " arena bridge street avenue road hospital studios studio records productions theatre theater center centre show memorial band"
    " group park hotel tower building square station cathedral church orchestra philharmonic football club united league times post"
    " news magazine press bank railway expressway highway protocol treaty agreement conference declaration convention accord open"
    " marathon festival"
)
#: Words that make another name of a single one behind them.
_OTHER_PLACES = word_set(
    "new north south east west northern southern eastern western nova nueva nouvelle neu neue nuova novo nieuw ny nya nowy nove norte"
    " sur sul nord sud sued est ost oeste port fort san santa saint st"
)
_HYPHENS = frozenset("-‐‑–")
_CLAUSE_END = re.compile(r"[.,;:!?()\n。，、！：；।؟،؛]|\s[–—-]\s")
#: How far before a name a negation reaches, and how far behind it in languages that negate there.
_REACH = 4
_CJK = frozenset(["zh", "ja", "th", "yue"])
_DENIED_BEFORE_CJK = {
    "zh": ("不是", "并非", "並非", "不在", "而非", "不叫", "不属于", "不屬於"),
    "th": ("ไม่ใช่", "ไม่ได้อยู่ที่"),
}
_DENIED_BEHIND = {
    "ja": ("ではな", "ではあり", "じゃな", "でな"), "tr": ("degil",), "ko": tuple("".join(tokens(word)) for word in ("아니", "아닙", "아닌")),
    "hi": ("नहीं", "नही"), "fa": ("نیست",), "zh": (),
}  # fmt: skip
_COPULA = word_set("is was are were isn wasn aren weren does did ist war sind est était es fue era è é foi is was este a fost")
_IS_NOT = word_set("not t nicht pas no non não niet nu n")


class Reading(NamedTuple):
    """A text as it is read.

    Attributes
    ----------
    source : str
        The text.
    words : list of Word
        Its words, with their places.
    language : str
        Its language.
    cased : bool
        Whether capitals tell anything: the text has some, and not nearly everywhere.
    asked : frozenset of str
        The tokens of the question.
    """

    source: str
    words: list[Word]
    language: str
    cased: bool
    asked: frozenset[str]

    def gap(self, before: int) -> str:
        """Return what stands between a word and the one before it."""
        return self.source[self.words[before - 1].end : self.words[before].start] if 0 < before < len(self.words) else "\n"


def has_capitals(words: Sequence[Word]) -> bool:
    """Tell whether capitals set names apart in a text: some words have one, and not all but a few."""
    letters = [word for word in words if word.surface[:1].isalpha()]
    upper = sum(word.surface[:1].isupper() for word in letters)
    return 0 < upper and (upper < 0.8 * len(letters) or len(letters) < 5)


def is_said(place: Place, text: Reading) -> bool:
    """Tell whether a name that stands in a text is meant, and asserted.

    Parameters
    ----------
    place
        Where it stands.
    text
        The text.
    """
    if text.language in _CJK:
        return not _denied_without_spaces(place, text)
    return (
        not _is_broken(place, text)
        and not _is_other_name(place, text)
        and not is_denied(place.start, place.end, text)
    )


def _is_broken(place: Place, text: Reading) -> bool:
    """Tell whether the words of a name do not belong together here: a stop stands between, or a verb."""
    words, name = text.words, place.name
    longer = place.end - place.start > len(name.words)
    for at in range(place.start + 1, place.end):
        if longer and not (words[at].surface[:1].isupper() or words[at].form in _PARTICLES):
            return True
        if len(name.words) > 1 and "\n" in text.gap(at):
            return True
    return False


_PARTICLES = word_set("de la van von der den di da al bin ibn of")


def _is_other_name(place: Place, text: Reading) -> bool:
    """Tell whether a name is a part of a longer one that is somebody else's."""
    words, name, start, end = text.words, place.name, place.start, place.end
    after = words[end] if end < len(words) and _touches(text.gap(end)) else None
    before = words[start - 1] if start and _touches(text.gap(start)) else None
    single = end - start == 1
    if after is not None and after.form in NUMERALS and after.form not in name.main:
        return True
    if after is not None and _goes_on(after, text, text.gap(end), single=single, part=name.part) and after.form not in name.main:
        return True
    if before is None or not single or before.form in name.main:
        return False
    capital = _is_capital(before, text) or not text.cased
    if before.form in _OTHER_PLACES and capital and not text.gap(start).strip(" ") and len(name.main) < 2:
        return True
    if text.gap(start) in _HYPHENS and before.surface[:1].isupper() and text.cased:
        return True
    return name.part and _is_first_name(start - 1, text)


def _touches(gap: str) -> bool:
    return gap in (" ", "\u00a0") or gap in _HYPHENS


def _is_capital(word: Word, text: Reading) -> bool:
    return text.cased and word.surface[:1].isupper()


def _goes_on(after: Word, text: Reading, gap: str, *, single: bool, part: bool) -> bool:
    """Tell whether the word behind a name belongs to it and makes another name of it."""
    capital = _is_capital(after, text) or (not text.cased and not any(word.surface[:1].isupper() for word in text.words))
    if after.form in _INSTITUTIONS:
        return capital
    if not text.cased or not after.surface[:1].isupper() or text.language == "de" or is_common(after.form):
        return False
    if gap in _HYPHENS:
        return single
    if after.form in CLASSES or after.form in LEGAL or after.form in TITLES or after.form.isdecimal():
        return False
    if (after.form,) in territory_names(text.language) or (after.form,) in territory_names("en"):
        return False
    return single and (part or after.form not in _HARMLESS)


_HARMLESS = word_set("city jr sr junior senior county usa uk us province language i")


def _is_first_name(at: int, text: Reading) -> bool:
    """Tell whether the word before a last name is somebody's first name: a capital, and no title or common word."""
    word = text.words[at]
    if word.form in TITLES or word.form in CLASSES or is_common(word.form):
        return False
    if not text.cased:
        return len(text.words) <= 5 and not any(one.surface[:1].isupper() for one in text.words)
    return word.surface[:1].isupper()


@functools.cache
def _negations(language: str) -> tuple[frozenset[str], tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """Return the words that deny what follows, the phrases that do, and those that only look like it."""
    words = {token for word in phrases("not").get(language, ()) for token in tokens(word)}
    vague = word_set("no never nothing without none nobody nowhere t ni n ne nie nessuno mai nunca jamás jamais")
    denying = frozenset(words if language not in ("en", "fr", "es", "it", "ca") else (words - vague) | _EXTRA.get(language, frozenset()))
    instead = tuple(tokens(phrase) for phrase in _INSTEAD.get(language, "").split("|") if phrase)
    return denying, instead, tuple(tokens(phrase) for phrase in phrases("not-only").get(language, ()))


_EXTRA = {"en": frozenset("t"), "fr": word_set("pas ni"), "es": word_set("no ni"), "it": word_set("non né"), "ca": word_set("no ni")}
_INSTEAD = {
    "en": "rather than|instead of|unlike|other than|except|except for|apart from|contrary to|not to be confused with|confused with",
    "de": "anstatt|statt|anstelle von|außer|nicht zu verwechseln mit", "fr": "plutôt que|au lieu de|contrairement à|sauf|hormis",
    "es": "en lugar de|en vez de|a diferencia de|excepto|salvo", "it": "invece di|al posto di|a differenza di|eccetto|tranne",
    "pt": "em vez de|ao contrário de|exceto|ao invés de", "nl": "in plaats van|anders dan|behalve", "ro": "în loc de|spre deosebire de|cu excepția",
    "ru": "вместо|в отличие от|кроме|за исключением", "uk": "замість|на відміну від|крім", "pl": "zamiast|w przeciwieństwie do|oprócz|z wyjątkiem",
    "sv": "istället för|i stället för|till skillnad från|utom", "da": "i stedet for|undtagen", "no": "i stedet for|unntatt", "cs": "místo|na rozdíl od|kromě",
}  # fmt: skip


def is_denied(start: int, end: int, text: Reading) -> bool:
    """Tell whether words of a text are denied: "not Ulm but Bonn", "instead of Ulm", "Ulm is not the capital".

    A question that has a negation itself asks for what is not.
    """
    denying, instead, harmless = _negations(text.language)
    if not denying or not denying.isdisjoint(text.asked - {"t"}):
        return False
    reach = start
    while reach > max(start - _REACH, 0) and not _CLAUSE_END.search(text.gap(reach)):
        reach -= 1
    window = tuple(word.form for word in text.words[reach:start])
    if any(window[i : i + len(phrase)] == phrase for phrase in harmless for i in range(len(window))):
        return False
    if any(word in denying for word in window) or any(window[-len(phrase) :] == phrase for phrase in instead):
        return True
    return _denied_behind(end, text)


def _denied_behind(end: int, text: Reading) -> bool:
    """Tell whether what follows a name denies it; "X is not ..." only where it goes on with words of the question."""
    words = text.words
    behind = _DENIED_BEHIND.get(text.language)
    if behind is not None:
        stop = next((at for at in range(end, min(end + 2, len(words))) if _CLAUSE_END.search(text.gap(at))), min(end + 2, len(words)))
        return bool(behind) and any(word.form.startswith(behind) for word in words[end:stop])
    if end + 1 >= len(words) or words[end].form not in _COPULA or _CLAUSE_END.search(text.gap(end)):
        return False
    if words[end + 1].form not in _IS_NOT or words[end + 1].form in ("no",):
        return False
    rest = words[end + 2 : end + 8]
    if tuple(word.form for word in rest[:1]) in (("only",), ("just",), ("alone",)):
        return False
    content = [word.form for word in rest if len(word.form) > 2 and not is_common(word.form)]
    return not content or any(form in text.asked for form in content)


def _denied_without_spaces(place: Place, text: Reading) -> bool:
    before = text.source[max(text.words[place.start].start - 8, 0) : text.words[place.start].start]
    last = text.words[place.end - 1]
    behind = text.source[last.end : last.end + 6]
    return before.endswith(_DENIED_BEFORE_CJK.get(text.language, ("\0",))) or behind.startswith(
        _DENIED_BEHIND.get(text.language, ()) or ("\0",)
    )


@functools.cache
def _alternatives(language: str) -> tuple[frozenset[str], tuple[tuple[str, ...], ...]]:
    either = frozenset(token for word in phrases("or").get(language, ()) for token in tokens(word))
    return either, tuple(tokens(phrase) for phrase in phrases("perhaps").get(language, ()))


def only_offers(sentence: str, language: str) -> bool:
    """Tell whether a sentence offers alternatives and chooses none: "It could be Ulm or Bonn."

    Examples
    --------
    >>> only_offers("It could be Ulm or Bonn.", "en"), only_offers("It is Ulm, or Bonn to some.", "en")
    (True, False)
    """
    either, perhaps = _alternatives(language)
    words = tokens(sentence, language)
    if either.isdisjoint(words):
        return False
    return any(words[i : i + len(phrase)] == phrase for phrase in perhaps for i in range(len(words)))
