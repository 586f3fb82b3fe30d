"""Units of measurement: their names in each language, and their size in a base unit."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from qaldgen.scoring.words.cldr_units import unit_words
from qaldgen.scoring.words.tokens import tokens

_D = Decimal


class Unit(NamedTuple):
    """A unit of measurement.

    Attributes
    ----------
    kind : str
        What it measures: length, area, mass, ...
    factor : Decimal
        Its size in the base unit of the kind.
    zero : Decimal
        Its zero in the base unit, for temperatures.
    """

    kind: str
    factor: Decimal
    zero: Decimal = _D(0)


def _of(kind: str, prefix: str, **factors: str) -> dict[str, Unit]:
    return {
        f"{prefix}-{name.replace('_', '-')}": Unit(kind, _D(factor))
        for name, factor in factors.items()
    }


#: Units by their names in CLDR. The bases are those of SI, as DBpedia keeps its values.
UNITS: Mapping[str, Unit] = {
    **_of("length", "length", meter="1", kilometer="1e3", decimeter="0.1", centimeter="0.01",
        millimeter="0.001",
          micrometer="1e-6", nanometer="1e-9", mile="1609.344", yard="0.9144", foot="0.3048",
          inch="0.0254",
          nautical_mile="1852", light_year="9.4607304725808e15", astronomical_unit="1.495978707e11",
          parsec="3.0856776e16"),
    **_of("area", "area", square_meter="1", square_kilometer="1e6", square_centimeter="1e-4",
        hectare="1e4",
          square_mile="2589988.110336", acre="4046.8564224", square_foot="0.09290304",
          square_yard="0.83612736"),
    **_of("mass", "mass", kilogram="1", gram="0.001", milligram="1e-6", tonne="1000",
        pound="0.45359237",
          ounce="0.028349523125", stone="6.35029318", ton="907.18474", carat="0.0002"),
    **_of("volume", "volume", cubic_meter="1", cubic_kilometer="1e9", cubic_centimeter="1e-6",
        liter="0.001",
          milliliter="1e-6", centiliter="1e-5", hectoliter="0.1", megaliter="1e3",
          gallon="0.003785411784",
          gallon_imperial="0.00454609", cubic_foot="0.028316846592", barrel="0.158987294928",
          cubic_mile="4168181825.44058"),
    **_of("speed", "speed", meter_per_second="1", kilometer_per_hour="0.27777777777777777778",
        mile_per_hour="0.44704",
          knot="0.51444444444444444444"),
    **_of("time", "duration", second="1", minute="60", hour="3600", day="86400", week="604800",
        month="2629746",
          year="31556952", millisecond="0.001", decade="315569520", century="3155695200"),
    **_of("power", "power", watt="1", kilowatt="1e3", megawatt="1e6", gigawatt="1e9",
        horsepower="745.69987158227"),
    **_of("frequency", "frequency", hertz="1", kilohertz="1e3", megahertz="1e6", gigahertz="1e9"),
    **_of("data", "digital", byte="1", kilobyte="1e3", megabyte="1e6", gigabyte="1e9",
        terabyte="1e12"),
    **_of("share", "concentr", percent="0.01", permille="0.001"),
    "temperature-kelvin": Unit("temperature", _D(1)),
    "temperature-celsius": Unit("temperature", _D(1), _D("273.15")),
    "temperature-fahrenheit": Unit("temperature", _D(5) / _D(9), _D("273.15") - _D(32) * 5 / 9),
}  # fmt: skip

#: Spellings that CLDR does not have, for all languages.
_ALSO = {
    "area-square-kilometer": "sq km|sqkm|square km|km 2|km^2|square kilometres|кв км",
    "area-square-mile": "sq mi|square mi|sq miles",
    "area-square-meter": "sq m|square m|m 2|m^2|кв м", "area-square-foot": "sq ft|square ft",
    "length-kilometer": "kms",
    "mass-kilogram": "kgs|kilo|kilos", "mass-pound": "lbs|lb",
    "mass-tonne": "tonnes|tonne|metric tons", "mass-ton": "ton|tons",
    "speed-kilometer-per-hour": "kph|kmh|km h|km per hour|kilometres per hour",
    "speed-mile-per-hour": "mph|miles per hour",
    "speed-meter-per-second": "m s|meters per second|metres per second", "duration-hour": "hrs|h",
    "duration-minute": "mins|min",
    "duration-second": "secs|sec|s", "concentr-percent": "percent|per cent",
    "temperature-celsius": "celsius|degrees c|degree c",
    "temperature-fahrenheit": "fahrenheit|degrees f|degree f",
    "temperature-kelvin": "kelvins|kelvin|k", "length-inch": "in",
    "digital-gigabyte": "gb", "digital-megabyte": "mb", "digital-terabyte": "tb",
    "digital-kilobyte": "kb",
}  # fmt: skip
#: Abbreviations that are more often something else: a part of "1st", a grade, a note.
_AMBIGUOUS = frozenset([("st",), ("c",), ("f",), ("d",), ("y",), ("w",), ("b",)])
_LONGEST = 4


@functools.cache
def _table(language: str) -> Mapping[tuple[str, ...], Unit]:
    names = tuple(UNITS)
    units = {
        tokens(text): UNITS[name] for name, texts in _ALSO.items() for text in texts.split("|")
    }
    for own in ("en", language):
        units |= {words: UNITS[name] for words, name in unit_words(own, names).items()}
    return {words: unit for words, unit in units.items() if words not in _AMBIGUOUS}


def unit_at(words: Sequence[str], start: int, language: str) -> tuple[Unit, int] | None:
    """Return the unit that is named at a token, and the index after its name.

    Parameters
    ----------
    words
        Tokens.
    start
        Index of the first token of the name.
    language
        A primary language tag; English names count in all languages.

    Returns
    -------
    tuple[Unit, int] | None
        The unit with the longest name; None if there is none.

    Examples
    --------
    >>> unit, end = unit_at(tokens("34 084 km², all in all"), 1, "en")
    >>> unit.kind, int(unit.factor), end
    ('area', 1000000, 2)
    """
    table = _table(language)
    for length in range(min(_LONGEST, len(words) - start), 0, -1):
        unit = table.get(tuple(words[start : start + length]))
        if unit is not None:
            return unit, start + length
    return None


#: Units in which knowledge graphs keep values; what a text gives is converted to these.
_KEPT = (
    *("length-meter", "length-kilometer", "length-centimeter", "length-millimeter",
        "area-square-meter", "area-square-kilometer"),
    *("area-hectare", "mass-kilogram", "mass-gram", "mass-tonne", "volume-cubic-meter",
        "volume-liter", "volume-cubic-kilometer"),
    *("speed-meter-per-second", "speed-kilometer-per-hour", "duration-second", "duration-minute",
        "duration-hour"),
    *("duration-day", "duration-month", "duration-year", "power-watt", "power-kilowatt",
        "power-megawatt", "frequency-hertz"),
    *("frequency-megahertz", "digital-byte", "digital-megabyte", "digital-gigabyte",
        "concentr-percent"),
    *("temperature-kelvin", "temperature-celsius"),
)  # fmt: skip


@functools.cache
def kept_units(kind: str) -> tuple[Unit, ...]:
    """Return the units of a kind in which a gold value may be stored.

    Parameters
    ----------
    kind
        The kind of a `Unit`.

    Returns
    -------
    tuple[Unit, ...]
        Without the units that no knowledge graph uses.

    Examples
    --------
    >>> [str(unit.factor) for unit in kept_units("share")]
    ['0.01', '1']
    """
    units = [UNITS[name] for name in _KEPT if UNITS[name].kind == kind]
    return (*units, Unit("share", _D(1))) if kind == "share" else tuple(units)
