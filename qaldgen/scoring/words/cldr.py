"""What the Unicode Common Locale Data Repository says, by way of Babel.

Names, months, units and scales of every language.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from qaldgen.scoring.words.lexicon import phrases, primary
from qaldgen.scoring.words.tokens import tokens

if TYPE_CHECKING:
    from babel import Locale

#: Other locales that are read with a language: its other scripts and standards.
_WITH = {
    "pt": ("pt_PT",), "zh": ("zh_Hant",), "es": ("es_MX", "es_419"), "sr": ("sr_Latn",), "no": ("nb", "nn"),
    "en": ("en_GB",), "ar": ("ar_SY", "ar_MA", "ar_DZ"), "de": ("de_AT",), "tl": ("fil",),
}  # fmt: skip
_BRACKETS = re.compile(r"\s*[(\[（]([^()\[\]（）]*)[)\]）]")
_PLURALS = (1, 2, 3, 5, 11, 100, 1.5)
#: A territory, a language, a currency or a city, and its code there.
Known = tuple[str, str]


@functools.cache
def locales(language: str) -> tuple[Locale, ...]:
    """Return the locales of a language tag; none if CLDR does not know it.

    Examples
    --------
    >>> [str(one) for one in locales("pt-BR")], locales("xx")
    (['pt_BR', 'pt', 'pt_PT'], ())
    """
    from babel import Locale, UnknownLocaleError

    tag = language.replace("-", "_")
    found: dict[str, Locale] = {}
    for name in (tag, primary(tag), *_WITH.get(primary(tag), ())):
        try:
            one = Locale.parse(name)
        except (UnknownLocaleError, ValueError):
            continue
        found.setdefault(str(one), one)
    return tuple(found.values())


def _variants(name: str) -> tuple[str, ...]:
    """Return a name, and what it has in brackets, each alone: "Myanmar (Burma)"."""
    inner = [part for part in _BRACKETS.findall(name) if not part[:1].isdigit()]
    return (_BRACKETS.sub("", name).strip(), *inner)


def _key(name: str) -> tuple[str, ...]:
    """Return the words that tell a name: no articles, "St." written out."""
    return tuple(
        "saint" if word == "st" else word for word in tokens(name) if word not in ("the", "and")
    )


@functools.cache
def _codes() -> Mapping[tuple[str, ...], Known]:
    """Return the English names of territories, languages, currencies and cities, and their codes."""
    english = locales("en")[0]
    found: dict[tuple[str, ...], Known] = {}
    for zone in _city_zones():
        found[_key(_english_city(zone))] = ("city", zone)
    for kind, table in (
        ("currency", english.currencies),
        ("language", english.languages),
        ("territory", english.territories),
    ):
        for code, name in table.items():
            for variant in _variants(str(name)):
                found[_key(variant)] = (kind, str(code))
    for kind, rows in (("currency", phrases("currency")), ("territory", phrases("territory"))):
        found |= {_key(name): (kind, code) for code, names in rows.items() for name in names}
    found.pop((), None)
    return found


@functools.cache
def _city_zones() -> tuple[str, ...]:
    """Return the time zones that are called after a city, from all locales at hand."""
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
    """Return what an English name is called after.

    A territory, language, currency or city, with its code.

    Examples
    --------
    >>> known("South Korea"), known("Estonian language"), known("Czech koruna"), known("New York City"), known("Old Mill")
    (('territory', 'KR'), ('language', 'et'), ('currency', 'CZK'), ('city', 'America/New_York'), None)
    """
    words = _key(name)
    codes = _codes()
    if words[-1:] == ("language",):
        return found if (found := codes.get(words[:-1])) and found[0] == "language" else None
    return codes.get(words) or (codes.get(words[:-1]) if words[-1:] == ("city",) else None)


def translations(name: str, language: str) -> tuple[str, ...]:
    """Return the names that a language has for a territory, language, currency or city with this English name.

    Examples
    --------
    >>> translations("South Korea", "fa"), translations("Bhutan", "fr"), translations("Estonian language", "pt")
    (('کرهٔ جنوبی',), ('Bhoutan',), ('estoniano', 'estónio'))
    """
    found = known(name)
    return names_in(found, language) if found else ()


@functools.cache
def names_in(what: Known, language: str) -> tuple[str, ...]:
    """Return the names of a known thing in a language, without repeats."""
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

    for count in (None, *_PLURALS):
        yield get_currency_name(code, count=count, locale=one)


@functools.cache
def territory_names(language: str) -> Mapping[tuple[str, ...], str]:
    """Return the tokens of every country's name in a language, and its code of two letters."""
    found: dict[tuple[str, ...], str] = {}
    for one in locales(language):
        for code, name in one.territories.items():
            if len(str(code)) == 2:
                found |= {tokens(variant, language): str(code) for variant in _variants(str(name))}
    found.pop((), None)
    return found


@functools.cache
def month_names(language: str) -> Mapping[tuple[str, ...], int]:
    """Return the tokens of the names of months in a language, wide and abbreviated.

    Examples
    --------
    >>> month_names("cs")["brezna",], month_names("hr")["ozujak",]
    (3, 3)
    """
    found: dict[tuple[str, ...], int] = {}
    for one in locales(language):
        for context in ("format", "stand-alone"):
            for width in ("abbreviated", "wide"):
                for month, name in one.months[context][width].items():
                    words = tokens(str(name), language)
                    # where a language has no names of its own, CLDR gives those of its root, which
                    # are Chinese
                    own = "月" not in words or primary(language) in ("zh", "ja")
                    if own and not all(word.isdecimal() for word in words):
                        found[words] = int(month)
    return found


@functools.cache
def scale_words(language: str) -> Mapping[tuple[str, ...], int]:
    """Return what a language says for thousand, million and so on after digits, as tokens.

    Examples
    --------
    >>> scale_words("es")["mil", "millones"], scale_words("zh")["万",], scale_words("hi")["लाख",]
    (1000000000, 10000, 100000)
    """
    found: dict[tuple[str, ...], int] = {}
    for one in locales(language):
        for length in ("short", "long"):
            try:
                patterns: Any = one.compact_decimal_formats[length]
            except KeyError:
                continue
            for row in patterns.values():
                for power, pattern in row.items():
                    words, zeros = _scale(pattern.pattern, language)
                    if words and (len("".join(words)) > 1 or not "".join(words).isascii()):
                        found[words] = int(power) // 10 ** (zeros - 1)
    return found


def _scale(pattern: str, language: str) -> tuple[tuple[str, ...], int]:
    part = pattern.partition(";")[0]
    return tokens(re.sub(r"[0'.\u200f\u200e]", " ", part), language), max(part.count("0"), 1)


@functools.cache
def unit_words(language: str, units: tuple[str, ...]) -> Mapping[tuple[str, ...], str]:
    """Return what a language calls units, in every plural, as tokens, and the unit's name in CLDR.

    Examples
    --------
    >>> unit_words("pl", ("area-square-kilometer",))["kilometrow", "kwadratowych"]
    'area-square-kilometer'
    """
    from babel.units import UnknownUnitError, format_unit

    found: dict[tuple[str, ...], str] = {}
    for one in locales(language):
        for unit in units:
            for length in ("narrow", "short", "long"):
                for count in _PLURALS:
                    try:
                        text = format_unit(count, unit, length, locale=one)
                    except UnknownUnitError:
                        break
                    words = tuple(
                        word
                        for word in tokens(re.sub(r"[\d.,٫]+", " ", _latin_digits(text)), language)
                    )
                    if words:
                        found.setdefault(words, unit)
    return found


def _latin_digits(text: str) -> str:
    return "".join(str(int(char)) if char.isdecimal() else char for char in text)
