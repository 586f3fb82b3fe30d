"""When two quantities are the same: in one unit, within what rounding explains."""

from __future__ import annotations

from decimal import Decimal

from qaldgen.scoring.words.quantities import Quantity
from qaldgen.scoring.words.units import Unit, kept_units

#: From here on whole numbers may be rounded: 381,000 for 381,488.
_LARGE = 10_000
#: From here on they may be "about" so many metres: smaller ones rather count something.
_MEASURED = 100
#: Relative errors allowed: for a conversion, for an "about", and for an "about" with a single
#: digit.
_CONVERTED, _ABOUT, _ABOUT_ONE_DIGIT = Decimal("0.005"), Decimal("0.02"), Decimal("0.01")
#: The absolute error of an exact conversion: only what the last digits of a factor lose.
_EXACT = Decimal("0.0000005")
#: The most digits of a number that may be rounded.
_DIGITS = 20


def same_quantity(gold: Decimal, given: Quantity, *, measured: bool = False) -> bool:
    """Tell whether a number of a text is the gold value.

    Equal; or in another unit, within half a per cent or the place of its last digit; or rounded to
    the digits given, at least two: decimals, and whole numbers from 10,000 on. There a number that
    the text calls "about" may be off by two per cent, and so may one from 100 on that has a unit.
    Any other whole number has to be exact, and so has a year.

    Parameters
    ----------
    gold
        The gold value, of an unknown unit.
    given
        A number of the text.
    measured
        Whether the gold value is written as a decimal: then it measures something.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> from qaldgen.scoring.words.quantities import quantities
    >>> from qaldgen.scoring.words.tokens import tokens
    >>> numbers = quantities(tokens("38 million, about 38 million, 40 million"))
    >>> [same_quantity(Decimal("38483957"), one) for one in numbers]
    [True, True, False]
    >>> areas = quantities(tokens("34,084 km², 70 km²"))
    >>> [same_quantity(Decimal("3.40841e10"), one) for one in areas]
    [True, False]
    """
    if gold == given.value:
        return True
    if given.unit is not None and any(
        _equals(gold, given, unit, measured=measured) for unit in kept_units(given.unit.kind)
    ):
        return True
    return _rounded(gold, given)


def _equals(gold: Decimal, given: Quantity, unit: Unit, *, measured: bool) -> bool:
    """Tell whether a quantity is the gold value, if that is in this unit."""
    assert given.unit is not None
    value = (given.base() - unit.zero) / unit.factor
    if not measured and gold == gold.to_integral_value() and abs(gold) < _LARGE:
        # A small whole number may count anything: only an exact conversion, such as 142 minutes for
        # "2 hours 22 minutes", cannot be a coincidence.
        return abs(gold) >= 10 and given.value != 1 and abs(value - gold) < _EXACT
    error = abs(value - gold)
    if not gold or not value:
        return error == 0
    if given.digits > 2 and error <= abs(gold) * _CONVERTED:
        return True
    places = given.step * given.unit.factor / unit.factor / 2
    if error <= places and error <= abs(gold) * _CONVERTED * 2:
        return True
    return (
        given.hedge == "about"
        and error <= abs(gold) * _ABOUT
        and (given.digits > 1 or error <= abs(gold) * _ABOUT_ONE_DIGIT)
    )


def _rounded(gold: Decimal, given: Quantity) -> bool:
    """Tell whether a number is the gold value rounded, in the same unit."""
    value, whole = given.value, gold == gold.to_integral_value()
    if (gold < 0) != (value < 0) or not value:
        return False
    if whole and abs(gold) < _LARGE:
        about = given.hedge == "about" and given.unit is not None and given.digits > 1
        return about and abs(value - gold) <= abs(gold) * _ABOUT and abs(gold) >= _MEASURED
    if gold.adjusted() - given.step.adjusted() > _DIGITS:
        return False  # So many digits are not rounded, and more than a division can have.
    down = (abs(gold) // given.step) * given.step
    exact = {"more": down, "almost": down + given.step}
    nearest = (abs(gold) / given.step).to_integral_value(rounding="ROUND_HALF_UP") * given.step
    if given.digits > 1 and abs(value) in (nearest, exact.get(given.hedge)):
        return True
    error = abs(value - gold) / abs(gold)
    if given.hedge == "about":
        return error <= (_ABOUT if given.digits > 1 else _ABOUT_ONE_DIGIT)
    return given.times > 1 and given.digits > 2 and error <= _CONVERTED
