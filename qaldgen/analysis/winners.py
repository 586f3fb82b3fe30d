"""How much of an effect remains that is reported because it is large."""

from __future__ import annotations

import math

#: Bisection steps; 60 exhaust the precision of a float.
_STEPS = 60


def share_that_remains(z: float, threshold: float) -> float:
    """Return the factor that corrects an effect for having been selected.

    Effects that just reach the threshold were mostly lucky, those far beyond it did not need luck.
    The median unbiased estimate under this condition is the mean of a normal distribution which,
    cut off at the threshold, has one half of its mass beyond `z` (Zöllner and Pritchard 2007,
    American Journal of Human Genetics 80; Andrews, Kitagawa and McCloskey 2024, Quarterly Journal
    of Economics 139). It is never below 0.

    Parameters
    ----------
    z
        The effect in standard errors.
    threshold
        Effects are reported beyond this, in standard errors.

    Returns
    -------
    float
        0 to 1; 0 if `z` is not beyond the threshold.

    Examples
    --------
    >>> [round(share_that_remains(z, 2.58), 2) for z in (2.6, 3.0, 4.0, 6.0)]
    [0.0, 0.55, 0.97, 1.0]
    """
    if z <= threshold:
        return 0.0
    low, high = 0.0, z
    if _beyond(z) >= 0.5 * _beyond(threshold):
        return 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        if _beyond(z - middle) < 0.5 * _beyond(threshold - middle):
            low = middle
        else:
            high = middle
    return high / z


def _beyond(z: float) -> float:
    return 0.5 * math.erfc(z / math.sqrt(2.0))
