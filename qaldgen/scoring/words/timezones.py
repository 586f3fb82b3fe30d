"""Time zones by another name: Mountain Time in any language, or the offset from UTC."""

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
    """Return the English names of zones of several countries, as tokens, and their keys in CLDR."""
    found: dict[tuple[str, ...], str] = {}
    for key, names in locales("en")[0].meta_zones.items():
        found |= {tokens(str(name)): str(key) for name in dict(names.get("long", {})).values()}
    return found


@functools.cache
def _zones_of(main: str) -> tuple[str, tuple[str, ...]]:
    """Return the key in CLDR of a named time zone, and the zones of the tz database that keep its time."""
    from babel.core import get_global

    words = tuple(word for word in tokens(main) if word != "zone")
    if words[:2] == ("time", "in"):
        place = known(" ".join(words[2:]))
        territories = get_global("zone_territories")
        return "", tuple(zone for zone, code in territories.items() if place == ("territory", code))
    key = next(
        (found for tail in ((), ("time",)) if (found := _metazones().get((*words, *tail)))), ""
    )
    return key, tuple(
        zone for zone, own in get_global("meta_zones").items() if own == key
    ) if key else ()


@functools.cache
def _offsets(main: str) -> frozenset[int]:
    """Return the offsets from UTC of a named time zone in minutes, in winter and in summer.

    Of a country all.
    """
    import zoneinfo

    if written := _OFFSET.search(main):
        return frozenset([_minutes(written)])
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


def _minutes(found: re.Match[str]) -> int:
    sign = -1 if found[1] in ("-", "−", "–") else 1
    return sign * (60 * int(found[2]) + int(found[3] or 0))


def is_zone(main: str) -> bool:
    """Tell whether a name may be that of a time zone."""
    return _ZONE.search(main) is not None


def names_zone(text: str, main: str) -> bool:
    """Tell whether a text gives a time zone by its offset from UTC.

    Examples
    --------
    >>> names_zone("It is UTC-7 there.", "Mountain Time Zone"), names_zone("UTC+1", "Mountain Time Zone")
    (True, False)
    """
    if not is_zone(main) or ("UTC" not in text and "GMT" not in text):
        return False
    return any(_minutes(found) in _offsets(main) for found in _OFFSET.finditer(text))


def zone_names(main: str, language: str) -> tuple[str, ...]:
    """Return what a language calls a time zone with this English name.

    Examples
    --------
    >>> zone_names("Mountain Time Zone", "de")[:1]
    ('Rocky-Mountains-Zeit',)
    """
    key = _zones_of(main)[0] if is_zone(main) else ""
    names = [
        str(name)
        for one in locales(language)
        for width in ("long", "short")
        for name in dict(one.meta_zones.get(key, {}).get(width, {})).values()
    ]
    return tuple(dict.fromkeys(name for name in names if name and name != "∅∅∅")) if key else ()
