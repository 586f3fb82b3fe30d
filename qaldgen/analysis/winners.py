"""What remains of an effect that is reported because it is large."""

from __future__ import annotations

import math

_STEPS = 60


def share_that_remains(z: float, threshold: float) -> float:
    """Return by what to multiply an effect of `z` standard errors that is reported since it is beyond `threshold`.

    Of effects that just reach the threshold most had luck, those far beyond it need none. The
    median unbiased estimate under this condition is the mean of a normal distribution of which, cut
    off at the threshold, one half lies beyond `z` (Zöllner and Pritchard 2007, American Journal of
    Human Genetics 80; Andrews, Kitagawa and McCloskey 2024, Quarterly Journal of Economics 139). It
    is never below 0.

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
