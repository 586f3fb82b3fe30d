"""Adjectives that name a country or a language: Dutch, holandês, canadien, российский."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from qaldgen.scoring.words.cldr import known, names_in, territory_names
from qaldgen.scoring.words.lexicon import phrases, primary
from qaldgen.scoring.words.tokens import tokens
from qaldgen.scoring.words.word_lists import listed, word_set

#: Countries whose adjective is also the name of a language. Other pairs (Mexico, Spanish) are left
#: out: the language would name the wrong country.
_OWN_LANGUAGE = (
    "AL=sq AM=hy AZ=az BD=bn BG=bg BY=be CN=zh CZ=cs DE=de DK=da EE=et ES=es FI=fi FR=fr GE=ka"
    " GR=el HR=hr HU=hu ID=id IE=ga"
    " IS=is IT=it JP=ja KG=ky KH=km KZ=kk LA=lo LT=lt LU=lb LV=lv MK=mk MM=my MN=mn MT=mt MY=ms"
    " NL=nl NO=nb NP=ne PL=pl PT=pt"
    " RO=ro RS=sr RU=ru SE=sv SI=sl SK=sk SO=so TH=th TJ=tg TM=tk TR=tr UA=uk UZ=uz VN=vi"
)
#: The endings that turn a name into an adjective or a noun for people, by language; languages that
#: are not listed allow any short ending.
_ENDINGS = {"en": word_set("n an ian ean i ese nese lese ish ic er vian inian ans ians men")}
_LONGEST_ENDING, _SHORTEST_STEM = 6, 4
_VOWELS = "aeiouyαεηιουаеиоуыэюяіїьй"


def _stem(word: str) -> str:
    """Return a word without its last vowels, keeping at least four letters."""
    while len(word) > _SHORTEST_STEM and word[-1] in _VOWELS:
        word = word[:-1]
    return word


@functools.cache
def _stems(language: str) -> Mapping[str, str]:
    """Return the beginnings of adjectives in a language, and the countries that they name."""
    codes: dict[str, str] = {}
    for words, code in territory_names(language).items():
        if len(words) == 1 and len(words[0]) >= _SHORTEST_STEM:
            codes[_stem(words[0])] = code
            codes.setdefault(words[0], code)
    for code, spoken in (pair.split("=") for pair in _OWN_LANGUAGE.split()):
        for name in names_in(("language", spoken), language):
            words = tokens(name, language)
            if len(words) == 1 and len(words[0]) >= _SHORTEST_STEM:
                codes[_stem(words[0])] = code
    for code in phrases("demonym-anywhere"):
        codes |= dict.fromkeys(listed("demonym-anywhere", code), code)
    if language == "en":
        codes |= {word: code for code in phrases("demonym") for word in listed("demonym", code)}
    return codes


@functools.lru_cache(maxsize=1 << 16)
def country_of(word: str, language: str) -> str:
    """Return the country that an adjective or an inflected name refers to.

    Parameters
    ----------
    word
        A token.
    language
        A primary language tag.

    Returns
    -------
    str
        The code of the country with the longest matching beginning; empty for none.

    Examples
    --------
    >>> [country_of(word, "en") for word in ("indian", "indiana", "dutch", "mill")]
    ['IN', '', 'NL', '']
    >>> country_of("holandesa", "pt"), country_of("россиискии", "ru")
    ('NL', 'RU')
    """
    stems, endings = _stems(language), _ENDINGS.get(language)
    for length in range(len(word), _SHORTEST_STEM - 1, -1):
        code = stems.get(word[:length])
        ending = word[length:]
        if code and (
            ending in endings if endings is not None and ending else len(ending) <= _LONGEST_ENDING
        ):
            return code
    return ""


def is_country(name: str) -> bool:
    """Tell whether an English name is that of a country or another territory.

    Parameters
    ----------
    name
        The name.

    Returns
    -------
    bool
        By CLDR.
    """
    what = known(name)
    return what is not None and what[0] == "territory"


def names_country(words: Sequence[str], name: str, language: str) -> bool:
    """Tell whether a text names a country by an adjective, and no other country.

    Parameters
    ----------
    words
        The tokens of the text.
    name
        The English name of the country.
    language
        Language of the text.

    Returns
    -------
    bool
        False too if `name` is not a country.

    Examples
    --------
    >>> names_country(tokens("He was Dutch."), "Netherlands", "en")
    True
    >>> names_country(tokens("The German composer died in Austria."), "Germany", "en")
    False
    """
    what = known(name)
    if what is None or what[0] != "territory":
        return False
    own = primary(language)
    table = territory_names(own)
    others = {
        code
        for i in range(len(words))
        for n in (1, 2, 3)
        if (code := table.get(tuple(words[i : i + n])))
    }
    if others - {what[1]}:
        return False
    # The name itself is looked up elsewhere; here only words derived from it count.
    plain = {name[0] for name, code in table.items() if code == what[1] and len(name) == 1}
    long_names = [name for name, code in table.items() if code == what[1] and len(name) > 1]
    return any(word not in plain and country_of(word, own) == what[1] for word in words) or any(
        tuple(words[i : i + len(name) - 1]) == name[:-1]
        and _derives(words[i + len(name) - 1], name[-1], own)
        for name in long_names
        for i in range(len(words) - len(name) + 1)
    )


def _derives(word: str, name: str, language: str) -> bool:
    """Tell whether a word is derived from the last word of a country's name: South Korean."""
    stem, endings = _stem(name), _ENDINGS.get(language)
    if endings is not None:
        return word.startswith(name) and word[len(name) :] in endings
    return word.startswith(stem) and len(word) - len(stem) <= _LONGEST_ENDING
