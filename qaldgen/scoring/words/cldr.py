"""Names, months, units and scales of every language.

From the Unicode Common Locale Data Repository (CLDR), through Babel.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from qaldgen.scoring.words.lexicon import phrases, primary
from qaldgen.scoring.words.tokens import tokens

if TYPE_CHECKING:
    from babel import Locale

#: Other locales that are read with a language: its other scripts and standards.
_WITH = {
    "pt": ("pt_PT",), "zh": ("zh_Hant",), "es": ("es_MX", "es_419"), "sr": ("sr_Latn",),
    "no": ("nb", "nn"),
    "en": ("en_GB",), "ar": ("ar_SY", "ar_MA", "ar_DZ"), "de": ("de_AT",), "tl": ("fil",),
}  # fmt: skip
_BRACKETS = re.compile(r"\s*[(\[（]([^()\[\]（）]*)[)\]）]")
#: Numbers that between them take every plural form of the languages in CLDR.
PLURALS = (1, 2, 3, 5, 11, 100, 1.5)
#: The kind (territory, language, currency or city) and the code of a thing in CLDR.
Known = tuple[str, str]


@functools.cache
def locales(language: str) -> tuple[Locale, ...]:
    """Return the locales of a language tag; none if CLDR does not know it.

    Parameters
    ----------
    language
        A language tag.

    Returns
    -------
    tuple[Locale, ...]
        The most specific first, then other standards and scripts of the language.

    Examples
    --------
    >>> [str(one) for one in locales("pt-BR")], locales("xx")
    (['pt_BR', 'pt', 'pt_PT'], ())
    """
    from babel import Locale, UnknownLocaleError

    tag = language.replace("-", "_")
    by_name: dict[str, Locale] = {}
    for name in (tag, primary(tag), *_WITH.get(primary(tag), ())):
        try:
            one = Locale.parse(name)
        except (UnknownLocaleError, ValueError):
            continue
        by_name.setdefault(str(one), one)
    return tuple(by_name.values())


def _variants(name: str) -> tuple[str, ...]:
    """Return a name, and the parts in brackets by themselves: "Myanmar (Burma)"."""
    inner = [part for part in _BRACKETS.findall(name) if not part[:1].isdigit()]
    return (_BRACKETS.sub("", name).strip(), *inner)


def _key(name: str) -> tuple[str, ...]:
    """Return the words that identify a name: no articles, "St." written out."""
    return tuple(
        "saint" if word == "st" else word for word in tokens(name) if word not in ("the", "and")
    )


@functools.cache
def _codes() -> Mapping[tuple[str, ...], Known]:
    """Return the codes of territories, languages, currencies and cities by English name."""
    english = locales("en")[0]
    codes: dict[tuple[str, ...], Known] = {}
    for zone in _city_zones():
        codes[_key(_english_city(zone))] = ("city", zone)
    for kind, table in (
        ("currency", english.currencies),
        ("language", english.languages),
        ("territory", english.territories),
    ):
        for code, name in table.items():
            for variant in _variants(str(name)):
                codes[_key(variant)] = (kind, str(code))
    for kind, rows in (("currency", phrases("currency")), ("territory", phrases("territory"))):
        codes |= {_key(name): (kind, code) for code, names in rows.items() for name in names}
    codes.pop((), None)
    return codes


@functools.cache
def _city_zones() -> tuple[str, ...]:
    """Return the time zones that are named after a city.

    Only translated ones are: locales that translate many of them are looked at.
    """
    zones = {
        str(zone) for name in ("ru", "ar", "ja") for one in locales(name) for zone in one.time_zones
    }
    return tuple(
        sorted(zone for zone in zones if zone.count("/") == 1 and not zone.startswith("Etc/"))
    )


def _english_city(zone: str) -> str:
    own = locales("en")[0].time_zones.get(zone, {}).get("city")
    return str(own or zone.rpartition("/")[2].replace("_", " "))


@functools.lru_cache(maxsize=1 << 16)
def known(name: str) -> Known | None:
    """Return the kind and code of the thing with an English name.

    Parameters
    ----------
    name
        The name of a territory, language, currency or city.

    Returns
    -------
    Known | None
        None if CLDR has no such thing.

    Examples
    --------
    >>> known("South Korea"), known("Estonian language"), known("Czech koruna")
    (('territory', 'KR'), ('language', 'et'), ('currency', 'CZK'))
    >>> known("New York City"), known("Old Mill")
    (('city', 'America/New_York'), None)
    """
    words = _key(name)
    codes = _codes()
    if words[-1:] == ("language",):
        return thing if (thing := codes.get(words[:-1])) and thing[0] == "language" else None
    return codes.get(words) or (codes.get(words[:-1]) if words[-1:] == ("city",) else None)


def translations(name: str, language: str) -> tuple[str, ...]:
    """Return the names of a territory, language, currency or city in a language.

    Parameters
    ----------
    name
        Its English name.
    language
        A language tag.

    Returns
    -------
    tuple[str, ...]
        Empty if CLDR does not know it.

    Examples
    --------
    >>> translations("Bhutan", "fr"), translations("Estonian language", "pt")
    (('Bhoutan',), ('estoniano', 'estónio'))
    """
    thing = known(name)
    return names_in(thing, language) if thing else ()


@functools.cache
def names_in(what: Known, language: str) -> tuple[str, ...]:
    """Return the names of a known thing in a language, without repetitions.

    Parameters
    ----------
    what
        Its kind and code.
    language
        A language tag.

    Returns
    -------
    tuple[str, ...]
        The most usual name first; a currency's code last.
    """
    kind, code = what
    names: list[str] = []
    for one in locales(language):
        if kind == "city":
            names.append(str(one.time_zones.get(code, {}).get("city") or _english_city(code)))
        elif kind == "currency":
            names += _currency(one, code)
        else:
            table: Mapping[str, str] = one.territories if kind == "territory" else one.languages
            names += _variants(str(table.get(code, "")))
    if kind == "territory" and language == "en":
        names += phrases("territory").get(code, ())
    if kind == "currency":
        names.append(code)
    return tuple(dict.fromkeys(filter(None, names)))


def _currency(one: Locale, code: str) -> Iterator[str]:
    from babel.numbers import get_currency_name

    for count in (None, *PLURALS):
        yield get_currency_name(code, count=count, locale=one)


@functools.cache
def territory_names(language: str) -> Mapping[tuple[str, ...], str]:
    """Return the tokens of every country's name in a language, and its code of two letters.

    Parameters
    ----------
    language
        A language tag.

    Returns
    -------
    Mapping[tuple[str, ...], str]
        Codes by tokens.
    """
    codes: dict[tuple[str, ...], str] = {}
    for one in locales(language):
        for code, name in one.territories.items():
            if len(str(code)) == 2:
                codes |= {tokens(variant, language): str(code) for variant in _variants(str(name))}
    codes.pop((), None)
    return codes


@functools.cache
def month_names(language: str) -> Mapping[tuple[str, ...], int]:
    """Return the tokens of the names of months in a language, wide and abbreviated.

    Parameters
    ----------
    language
        A language tag.

    Returns
    -------
    Mapping[tuple[str, ...], int]
        Months from 1 to 12 by tokens.

    Examples
    --------
    >>> month_names("cs")["brezna",], month_names("hr")["ozujak",]
    (3, 3)
    """
    months: dict[tuple[str, ...], int] = {}
    for one in locales(language):
        for context in ("format", "stand-alone"):
            for width in ("abbreviated", "wide"):
                for month, name in one.months[context][width].items():
                    words = tokens(str(name), language)
                    # A language without names of its own gets those of CLDR's root, with a
                    # Chinese character for month.
                    own = "月" not in words or primary(language) in ("zh", "ja")
                    if own and not all(word.isdecimal() for word in words):
                        months[words] = int(month)
    return months
