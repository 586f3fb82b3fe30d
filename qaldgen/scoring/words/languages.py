"""Which language an answer is in: by its script, and in the Latin one by its most common words."""

from __future__ import annotations

import functools
import re
from types import MappingProxyType

from qaldgen.scoring.words.lexicon import primary
from qaldgen.scoring.words.tokens import word_set

#: Scripts that one language (or the first of several) is written in, by the range of their letters.
_SCRIPTS = (
    (0x0370, 0x03FF, ("el",)), (0x0400, 0x052F, ("ru", "uk", "bg", "be", "sr", "mk", "kk", "ky", "mn", "tg", "tt")),
    (0x0530, 0x058F, ("hy",)), (0x0590, 0x05FF, ("he", "yi")), (0x0600, 0x06FF, ("ar", "fa", "ur", "ps", "ckb", "ug")),
    (0x0900, 0x097F, ("hi", "mr", "ne", "sa")), (0x0980, 0x09FF, ("bn", "as")), (0x0A00, 0x0A7F, ("pa",)), (0x0A80, 0x0AFF, ("gu",)),
    (0x0B80, 0x0BFF, ("ta",)), (0x0C00, 0x0C7F, ("te",)), (0x0C80, 0x0CFF, ("kn",)), (0x0D00, 0x0D7F, ("ml",)),
    (0x0E00, 0x0E7F, ("th",)), (0x10A0, 0x10FF, ("ka",)), (0x1200, 0x137F, ("am", "ti")), (0x3040, 0x30FF, ("ja",)),
    (0xAC00, 0xD7AF, ("ko",)), (0x4E00, 0x9FFF, ("zh", "yue")),
)  # fmt: skip
_LETTER = re.compile(r"[^\W\d_]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_PERSIAN, _UKRAINIAN, _BULGARIAN = re.compile("[پچژگ]|[\u06cc\u06a9]"), re.compile("[іїєґ]"), re.compile("ъ(?![еёюя])")
#: The most common words of languages in Latin script, those that few others share.
_COMMON = MappingProxyType({
    "en": "the of and is was are in to that it by with from which were has have this for not he she they who on as at an",
    "de": "der die das und ist war sind von mit für nicht ein eine im den dem des auf wurde es sich",
    "fr": "le la les et est était des du dans une un pas pour qui sur avec au par il elle sont",
    "es": "el la los las y es fue de del en una un por con para que se su son como",
    "it": "il la lo gli e è era di del della che in un una per con non sono stato nel",
    "pt": "o a os as e é foi de do da em um uma por com para que não no na são ele",
    "nl": "de het een en is was van in met voor niet dat op werd zijn die aan er",
    "ro": "este a fost de la în și un o din cu care pe pentru nu sunt al ale lui",
    "pl": "jest i w na z nie do się to był była że przez od są o jego",
    "cs": "je a v na s se ne byl byla z že do jsou který která pro ve to",
    "sk": "je a v na s sa nie bol bola z že do sú ktorý ktorá pre vo to",
    "hr": "je i u na s se ne bio bila iz da od su koji koja za to ali",
    "sv": "är och en ett i på av som den det var inte för med till från har att",
    "da": "er og en et i på af som den det var ikke for med til fra har at",
    "no": "er og en et i på av som den det var ikke for med til fra har å",
    "fi": "on ja oli ei se hän joka että ovat mutta kuin myös tai mukaan olivat eivät",
    "hu": "a az és egy van volt nem hogy is meg de mint ez azt vagy",
    "tr": "ve bir bu da de için ile olarak olan değil çok daha ise ama gibi",
    "vi": "là của và có được trong không một những cho với này các người đã",
    "id": "adalah dan di yang dari untuk dengan ini itu pada tidak dalam oleh sebagai juga",
    "ca": "el la els les i és va de del en una un per amb que no són com",
})  # fmt: skip
_ENOUGH = 2


@functools.cache
def _speakers() -> dict[str, tuple[str, ...]]:
    """Return the languages that each of the common words belongs to."""
    found: dict[str, tuple[str, ...]] = {}
    for language, row in _COMMON.items():
        for word in word_set(row):
            if len(word) > 1:
                found[word] = (*found.get(word, ()), language)
    return found


def is_common(word: str) -> bool:
    """Tell whether a token is one of the most common words of a language in Latin script.

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
    """Return the language that an answer is in, as far as it is cheap to tell; `language` where nothing speaks against it.

    Parameters
    ----------
    text
        The answer.
    words
        Its tokens.
    language
        The language that is expected.

    Examples
    --------
    >>> from qaldgen.scoring.words.tokens import tokens
    >>> [answer_language(text, tokens(text), "zh") for text in ("不是。", "It is the capital of France.", "いいえ")]
    ['zh', 'en', 'ja']
    >>> answer_language("Ulm", ("ulm",), "de"), answer_language("Die Antwort ist nein.", tokens("Die Antwort ist nein."), "fr")
    ('de', 'de')
    """
    own = primary(language)
    written = _by_script(text, own)
    if written:
        return written
    speakers, counts = _speakers(), dict.fromkeys([own, "en"], 0)
    for word in words:
        for name in speakers.get(word, ()):
            counts[name] = counts.get(name, 0) + 1
    most = max(counts, key=counts.__getitem__)
    if counts[most] >= _ENOUGH and counts[most] > counts[own] + 1:
        return most
    latin = own in _COMMON or not any(own in languages for _, _, languages in _SCRIPTS)
    return own if latin or not words else "en"


def _by_script(text: str, own: str) -> str:
    """Return the language of a script that is not the Latin one; empty for Latin text."""
    if text.isascii():
        return ""
    letters = _LETTER.findall(text[:400])
    other = [languages for letter in letters if ord(letter) > 0x36F and (languages := _script(ord(letter)))]
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

