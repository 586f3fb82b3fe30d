"""Names in other cases: Krakowie for Kraków, Германии for Германия, 독일에 for 독일; with care."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType

from qaldgen.scoring.words.cldr import territory_names
from qaldgen.scoring.words.tokens import word_set

_CYRILLIC = (
    "а у ы и е о я ю ь ом ем ои еи ою ею ам ям ами ями ах ях ов ев ого его ому ему ым им ых их ии ию иеи иям иями иях ья ье ьи ью"
    " ая яя ое ее ую юю ыми ими і ові еві ом єм ою єю ії ію ові ів їв єві ою та ят ът"
)
_SCANDINAVIAN = "s n en et ens ets e ne"
_SOUTH_SLAVIC = "a u om em e i o oj im ima ama ih og oga ome ov eva ovu evu"
#: Endings of nouns and names by language, without accents.
_ENDINGS = MappingProxyType({
    "en": "s es", "de": "s es n en e er ern ens", "nl": "s en", "sv": _SCANDINAVIAN, "da": _SCANDINAVIAN, "no": _SCANDINAVIAN,
    "fr": "s e es", "es": "s es", "it": "i e", "pt": "s es", "ca": "s es", "ro": "ul ului ei a i ilor lor le e u lui uri ii iei",
    "pl": "a u owi em e ie y i o ow ach ami om iem ia iu iego im ym ymi ej emu ego ich ych iej a",
    "cs": "a u ovi em e y i ech ich ach ami um ou o ho mu ym im eho emu", "sk": "a u ovi om em e y i och ach ami ou o ho mu ym im eho emu",
    "hr": _SOUTH_SLAVIC, "sr": _SOUTH_SLAVIC, "bs": _SOUTH_SLAVIC, "sl": _SOUTH_SLAVIC,
    "ru": _CYRILLIC, "uk": _CYRILLIC, "bg": _CYRILLIC, "be": _CYRILLIC, "mk": _CYRILLIC,
    "lt": "o a u e os ai oje uje iai ui ia ios iu", "lv": "a u e i as ai am em os", "et": "s st sse le lt l ks ga ta ni na a i e u as es is us",
    "fi": "n a an ssa assa essa issa sta asta esta ista lla alla illa lle alle lta alta na ana ksi aksi in iin een aan ta tta en",
    "hu": "ban ben ba be bol rol tol on en n ra re hoz hez nak nek val vel t at et ot ig i ert as es an ul ott ett",
    "tr": "da de ta te dan den tan ten nin in un a e ya ye yi i u nun yu nda nde dir tir dur tur", "el": "σ ν υ ου ο α η ασ ησ εσ ων ουσ ι",
    "ko": "은 는 이 가 을 를 에 에서 의 와 과 로 으로 도 만 이다 입니다 이며 에는 에도 이고 까지 부터 라고 이라고 인 께서 였다 이었다 예요 이에요"
          " 이라는 라는 에게 한테 처럼 보다 이나 나 이란 란 였습니다 이었습니다 이라 라 씨 시 시에 시의 시입니다 에서는 에서의",
    "bn": "তে র কে য় টি দের এর ের ে", "id": "nya", "ms": "nya",
})  # fmt: skip
#: Prepositions and articles that are written together with a name.
_PREFIXES = MappingProxyType({
    "he": "ב ל מ ה ו ש כ וב ול ומ וה שב של מה כש בה לה", "ar": "و ب ل ف ك ال وال بال لل ول وب فال كال",
})  # fmt: skip
_VOWELS = frozenset("aeiouyαεηιουωаеиоуыэюяіїь")
_SHORTEST = 4


@functools.cache
def _endings(language: str) -> frozenset[str]:
    return word_set(_ENDINGS.get(language, ""))


@functools.cache
def _prefixes(language: str) -> tuple[str, ...]:
    return tuple(_PREFIXES.get(language, "").split())


def inflects(language: str) -> bool:
    """Tell whether there are rules for other cases of names in a language."""
    return language in _ENDINGS or language in _PREFIXES


def start_of(word: str, language: str) -> str:
    """Return the first letters that all forms of a word have, to look it up by."""
    return word[:2] if language == "ko" else word[:3]


def is_form(given: str, word: str, language: str) -> bool:
    """Tell whether a token is a word in another case.

    The stem has three letters at least, four where the word ends in a vowel that goes. The name of a country is never another
    country in some case: Nigeria is not Niger.

    Parameters
    ----------
    given
        The token of the text.
    word
        The token of the name.
    language
        Of the text.

    Examples
    --------
    >>> is_form("krakowie", "krakow", "pl"), is_form("германии", "германия", "ru"), is_form("nigeria", "niger", "pl")
    (True, True, False)
    """
    if given == word:
        return True
    for prefix in _prefixes(language):
        if len(word) >= _SHORTEST - 1 and given == prefix + word:
            return True
    if word.endswith(_ISM) and len(word) > _LONG_ENOUGH:
        stem = word[: max(word.rfind("is"), word.rfind("iz"), word.rfind("из"), word.rfind("ys"))]
        if given.startswith(stem) and given[len(stem) : len(stem) + 3] in _IST:
            return True
    endings = _endings(language)
    if not endings or given[:2] != word[:2]:
        return False
    stems: Mapping[str, bool] = {word: True, word[:-1]: word[-1:] in _VOWELS, word[:-2]: word[-2:] in _ADJECTIVAL}
    found = any(
        cut and len(stem) >= _least(stem, word, language) and given.startswith(stem) and given[len(stem) :] in endings
        for stem, cut in stems.items()
    )
    return found and (given,) not in territory_names(language)


#: A movement, and those who follow it: Cubism, Cubist.
_ISM = ("ism", "isme", "ismo", "ismus", "izm", "izmus", "изм", "ismul", "ismen")
_IST = frozenset(["ist", "yst", "ист", "ism", "изм", "izm"])
_LONG_ENOUGH = 5
_ADJECTIVAL = frozenset(["ои", "ыи", "ии", "ая", "ое", "ий", "ia"])


def _least(stem: str, word: str, language: str) -> int:
    if language == "ko":
        return 3
    return _SHORTEST - 1 if stem == word else _SHORTEST
