"""Time zones by other names: Mountain Time in any language, or the offset from UTC."""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Mapping

from qaldgen.scoring.words.cldr import known, locales
from qaldgen.scoring.words.tokens import tokens

_OFFSET = re.compile(r"(?:UTC|GMT)\s*([+\-−–±]?)\s*(\d{1,2})(?::?([0-5]\d))?(?!\d)")
_ZONE = re.compile(r"\b(?:time|utc|gmt)\b|zone$", re.IGNORECASE)
#: Days in winter and in summer, for both offsets of a zone.
_WINTER, _SUMMER = datetime.datetime(2024, 1, 15, 12), datetime.datetime(2024, 7, 15, 12)


@functools.cache
def _metazones() -> Mapping[tuple[str, ...], str]:
    """Return the keys in CLDR of the zones of several countries, by English name."""
    keys: dict[tuple[str, ...], str] = {}
    for key, names in locales("en")[0].meta_zones.items():
        keys |= {tokens(str(name)): str(key) for name in dict(names.get("long", {})).values()}
    return keys


@functools.cache
def _zones_of(main: str) -> tuple[str, tuple[str, ...]]:
    """Return the key of a named time zone in CLDR, and its zones in the tz database."""
    from babel.core import get_global

    words = tuple(word for word in tokens(main) if word != "zone")
    if words[:2] == ("time", "in"):
        place = known(" ".join(words[2:]))
        territories = get_global("zone_territories")
        return "", tuple(zone for zone, code in territories.items() if place == ("territory", code))
    key = next(
        (match for tail in ((), ("time",)) if (match := _metazones().get((*words, *tail)))), ""
    )
    return key, tuple(
        zone for zone, own in get_global("meta_zones").items() if own == key
    ) if key else ()


@functools.cache
def _offsets(main: str) -> frozenset[int]:
    """Return the offsets from UTC of a named time zone in minutes, in winter and in summer.

    For a country all of them.
    """
    import zoneinfo

    if written := _OFFSET.search(main):
        return frozenset([_minutes(written)])
    # Some members of a zone kept other times: the offsets of most of them count.
    counts: dict[frozenset[int], int] = {}
    for zone in _zones_of(main)[1]:
        try:
            area = zoneinfo.ZoneInfo(zone)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError):
            continue
        shifts = (day.replace(tzinfo=area).utcoffset() for day in (_WINTER, _SUMMER))
        both = frozenset(int(shift.total_seconds() // 60) for shift in shifts if shift is not None)
        counts[both] = counts.get(both, 0) + 1
    if not _zones_of(main)[0]:
        return frozenset(shift for both in counts for shift in both)
    return max(counts, key=counts.__getitem__, default=frozenset())


def _minutes(match: re.Match[str]) -> int:
    sign = -1 if match[1] in ("-", "−", "–") else 1
    return sign * (60 * int(match[2]) + int(match[3] or 0))


def is_zone(main: str) -> bool:
    """Tell whether a name may be that of a time zone.

    Parameters
    ----------
    main
        A name.

    Returns
    -------
    bool
        By the word "time", "zone" or "UTC".
    """
    return _ZONE.search(main) is not None


def names_zone(text: str, main: str) -> bool:
    """Tell whether a text gives a time zone by its offset from UTC.

    Parameters
    ----------
    text
        The text.
    main
        The English name of the zone.

    Returns
    -------
    bool
        Whether it does, in winter or summer time.

    Examples
    --------
    >>> zone = "Mountain Time Zone"
    >>> names_zone("It is UTC-7 there.", zone), names_zone("UTC+1", zone)
    (True, False)
    """
    if not is_zone(main) or ("UTC" not in text and "GMT" not in text):
        return False
    return any(_minutes(match) in _offsets(main) for match in _OFFSET.finditer(text))


def zone_names(main: str, language: str) -> tuple[str, ...]:
    """Return the names of a time zone in a language.

    Parameters
    ----------
    main
        Its English name.
    language
        A language tag.

    Returns
    -------
    tuple[str, ...]
        Empty if CLDR has none.

    Examples
    --------
    >>> zone_names("Central European Time", "de")[:1]
    ('Mitteleuropäische Zeit',)
    """
    key = _zones_of(main)[0] if is_zone(main) else ""
    names = [
        str(name)
        for one in locales(language)
        for width in ("long", "short")
        for name in dict(one.meta_zones.get(key, {}).get(width, {})).values()
    ]
    return tuple(dict.fromkeys(name for name in names if name and name != "∅∅∅")) if key else ()
