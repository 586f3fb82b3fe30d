"""Which language an answer is in: by its script, and in the Latin one by its most common words."""

from __future__ import annotations

import functools
import re

from qaldgen.scoring.words.lexicon import phrases, primary
from qaldgen.scoring.words.word_lists import listed

#: The languages of each script, the most likely first, by the range of its letters.
_SCRIPTS = (
    (0x0370, 0x03FF, ("el",)), (0x0400, 0x052F, ("ru", "uk", "bg", "be", "sr", "mk", "kk", "ky",
        "mn", "tg", "tt")),
    (0x0530, 0x058F, ("hy",)), (0x0590, 0x05FF, ("he", "yi")),
    (0x0600, 0x06FF, ("ar", "fa", "ur", "ps", "ckb", "ug")),
    (0x0900, 0x097F, ("hi", "mr", "ne", "sa")), (0x0980, 0x09FF, ("bn", "as")),
    (0x0A00, 0x0A7F, ("pa",)),
    (0x0A80, 0x0AFF, ("gu",)), (0x0B80, 0x0BFF, ("ta",)), (0x0C00, 0x0C7F, ("te",)),
    (0x0C80, 0x0CFF, ("kn",)),
    (0x0D00, 0x0D7F, ("ml",)),
    (0x0E00, 0x0E7F, ("th",)), (0x10A0, 0x10FF, ("ka",)), (0x1200, 0x137F, ("am", "ti")),
    (0x3040, 0x30FF, ("ja",)),
    (0xAC00, 0xD7AF, ("ko",)), (0x4E00, 0x9FFF, ("zh",)),
)  # fmt: skip
_LETTER = re.compile(r"[^\W\d_]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_PERSIAN, _UKRAINIAN, _BULGARIAN = (
    re.compile("[پچژگ]|[\u06cc\u06a9]"),
    re.compile("[іїєґ]"),
    re.compile("ъ(?![еёюя])"),
)
#: Common words that it takes to recognise a language.
_ENOUGH = 2


@functools.cache
def _speakers() -> dict[str, tuple[str, ...]]:
    """Return the languages in which each common word is used."""
    languages: dict[str, tuple[str, ...]] = {}
    for language in phrases("common"):
        for word in listed("common", language):
            if len(word) > 1:
                languages[word] = (*languages.get(word, ()), language)
    return languages


def is_common(word: str) -> bool:
    """Tell whether a token is one of the most common words of a language in Latin script.

    Parameters
    ----------
    word
        A token.

    Returns
    -------
    bool
        In any of these languages.

    Examples
    --------
    >>> is_common("the"), is_common("mill")
    (True, False)
    """
    return word in _speakers()


@functools.lru_cache(maxsize=1 << 16)
def _script(code: int) -> tuple[str, ...]:
    return next((languages for low, high, languages in _SCRIPTS if low <= code <= high), ())


def answer_language(text: str, words: tuple[str, ...], language: str) -> str:
    """Return the language that an answer is in, as far as it is cheap to tell.

    Parameters
    ----------
    text
        The answer.
    words
        Its tokens.
    language
        The expected language.

    Returns
    -------
    str
        `language`, unless there is evidence for another one.

    Examples
    --------
    >>> from qaldgen.scoring.words.tokens import tokens
    >>> answers = ("不是。", "It is the capital of the region.", "いいえ")
    >>> [answer_language(text, tokens(text), "zh") for text in answers]
    ['zh', 'en', 'ja']
    >>> answer_language("Ulm", ("ulm",), "de")
    'de'
    """
    own = primary(language)
    written = _by_script(text, own)
    if written:
        return written
    if len(listed("common", own).intersection(words)) > _ENOUGH:
        return own
    speakers, counts = _speakers(), dict.fromkeys([own, "en"], 0)
    for word in words:
        for name in speakers.get(word, ()):
            counts[name] = counts.get(name, 0) + 1
    most = max(counts, key=counts.__getitem__)
    if counts[most] >= _ENOUGH and counts[most] > counts[own] + 1:
        return most
    # An answer in Latin letters where another script is expected is most likely English.
    latin = own in phrases("common") or not any(own in languages for _, _, languages in _SCRIPTS)
    return own if latin or not words else "en"


def _by_script(text: str, own: str) -> str:
    """Return the language of a script other than Latin; empty for Latin text."""
    if text.isascii():
        return ""
    # The beginning is enough, and long replies are common.
    letters = _LETTER.findall(text[:400])
    other = [
        languages
        for letter in letters
        if ord(letter) > 0x36F and (languages := _script(ord(letter)))
    ]
    if not other or 3 * len(other) < len(letters):
        return ""
    languages = max(dict.fromkeys(other), key=other.count)
    if own in languages:
        return own
    if languages[0] == "zh" and _KANA.search(text):
        return "ja"
    if languages[0] == "ar":
        return "fa" if _PERSIAN.search(text) else "ar"
    if languages[0] == "ru":
        return "uk" if _UKRAINIAN.search(text) else "bg" if _BULGARIAN.search(text) else "ru"
    return languages[0]
