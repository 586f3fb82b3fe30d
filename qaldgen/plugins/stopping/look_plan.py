"""The sizes of looks at the results so far, and the bound for a difference at each look.

Looking at a running comparison again and again, and stopping at the first "significant" difference,
finds one between equal systems in a fifth to a quarter of the runs. Group-sequential tests avoid
that: the looks are few and fixed beforehand, and each may spend a share of the total error (alpha
spending: Lan and DeMets 1983, Biometrika 70:659; Pocock's type of function, which is generous to
early looks). The bound of each look follows from the joint normal distribution of the statistics at
all looks, by numerical integration over the runs that have not stopped before (Armitage, McPherson
and Rowe 1969).

The information of n of N questions is n / (1 - n/N): the reciprocal of the variance, up to a
factor.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qaldgen.defaults import ALPHA
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_integer

Array = NDArray[np.float64]

#: The smallest number of questions at a look; the normal approximation is bad for fewer.
FIRST_LOOK = 30
#: The largest share of the pool at a look before the whole pool: information grows without limit
#: towards the whole pool, and such a look would spend nearly all of the error.
MOST_OF_POOL = 0.9
#: The largest ratio of questions at a look to those at the look before, unless that takes more than
#: `_MAX_LOOKS`.
GROWTH = 1.45
_MAX_LOOKS = 15
#: Questions between two looks of a rule that stops at a precision.
STEP = 10
#: Points of the numerical integration; more do not change the bounds in the fourth digit.
_POINTS = 801


@dataclasses.dataclass(frozen=True)
class LookPlan:
    """The looks of a comparison, and the bound of each."""

    sizes: tuple[int, ...]  # questions at each look
    #: The bounds as normal deviates; 0 at a look at the whole pool, where nothing is uncertain.
    bounds: tuple[float, ...]
    pool_size: int  # questions in the pool
    alpha: float  # the probability of a false claim between equal systems, over all looks

    @property
    def largest(self) -> int:
        """The number of questions of the last look."""
        return self.sizes[-1]


def plan_looks(
    largest: int, pool_size: int, *, alpha: float = ALPHA, growth: float = GROWTH
) -> LookPlan:
    """Return the looks of a comparison with a limited number of questions.

    Seven looks at 200 questions, eight at 400: each has about 1.4 times the questions of the one
    before. If the order holds the whole pool, the last look is at all of it, and exact.

    >>> looks = plan_looks(200, 5000)
    >>> looks.sizes
    (30, 40, 55, 75, 105, 145, 200)
    >>> [round(bound, 2) for bound in looks.bounds[:2]]
    [2.54, 2.7]
    """
    check_integer("the number of questions", largest, 1)
    if largest > pool_size:
        raise UsageError(f"{largest} questions are more than the {pool_size} of the pool")

    usable = min(largest, int(MOST_OF_POOL * pool_size))
    if usable < FIRST_LOOK and largest < pool_size:
        raise UsageError(
            f"{largest} questions of {pool_size} are too few to look before the end: a first look"
            f" needs {FIRST_LOOK}, and the last one, unless it is at the whole pool, at most"
            f" {MOST_OF_POOL:.0%} of it"
        )

    sizes = tuple[int, ...]()
    bounds = tuple[float, ...]()
    if usable >= FIRST_LOOK:
        sizes = look_sizes(usable, growth)
        bounds = boundaries(tuple(information(n, pool_size) for n in sizes), alpha)
    if largest == pool_size:
        sizes = (*sizes, pool_size)
        bounds = (*bounds, 0.0)
    return LookPlan(sizes, bounds, pool_size, alpha)


def look_sizes(largest: int, growth: float = GROWTH) -> tuple[int, ...]:
    """Return geometric sizes from the first look to the last, in steps of five.

    >>> look_sizes(100)
    (30, 40, 55, 75, 100)
    """
    if largest == FIRST_LOOK:
        return (largest,)
    steps = math.ceil(math.log(largest / FIRST_LOOK) / math.log(growth))
    steps = max(1, min(_MAX_LOOKS - 1, steps))
    ratio = (largest / FIRST_LOOK) ** (1.0 / steps)
    sizes = {FIRST_LOOK, largest}
    for step in range(1, steps):
        size = 5 * round(FIRST_LOOK * ratio**step / 5)
        if FIRST_LOOK < size < largest:
            sizes.add(size)
    return tuple(sorted(sizes))


def information(n: int, pool_size: int) -> float:
    """Return the number of questions of an infinite pool as informative as n of a finite one.

    >>> information(50, 100)
    100.0
    """
    return n / (1.0 - n / pool_size)


@functools.lru_cache(maxsize=4096)
def boundaries(times: tuple[float, ...], alpha: float) -> tuple[float, ...]:
    """Return the bound of each look, as normal deviates, for the information at each look.

    `alpha` is the two-sided error over all looks; of the information only the ratios count.

    >>> [round(bound, 3) for bound in boundaries((1.0, 2.0, 3.0, 4.0, 5.0), 0.05)]
    [2.438, 2.427, 2.41, 2.397, 2.386]
    """
    bounds = []
    spent = 0.0
    state = _State()
    for information_so_far in times:
        # Pocock's type of function: the error that may be spent by a time from 0 to 1
        time = information_so_far / times[-1]
        allowed = alpha * math.log(1.0 + (math.e - 1.0) * time)
        bound = state.bound(time, allowed - spent)
        bounds.append(bound)
        spent += state.beyond(time, bound)
        state = state.inside(time, bound)
    return tuple(bounds)


def expected_size(looks: LookPlan, drift: float) -> tuple[float, float]:
    """Return the expected number of questions until a stop, and the probability of a decision.

    `drift` is the true difference divided by the standard deviation of one question. A look at the
    whole pool always decides.

    >>> looks = plan_looks(200, 5000)
    >>> [round(figure, 2) for figure in expected_size(looks, 0.0)]
    [195.09, 0.05]
    """
    is_exact = looks.largest == looks.pool_size
    sizes = looks.sizes[:-1] if is_exact else looks.sizes
    share_running = 1.0
    questions = 0.0
    share_decided = 0.0
    state = _State(drift)
    for n, bound in zip(sizes, looks.bounds, strict=False):
        time = information(n, looks.pool_size)
        share_stopped = state.beyond(time, bound)
        questions += n * share_stopped
        share_decided += share_stopped
        share_running -= share_stopped
        state = state.inside(time, bound)
    questions += share_running * looks.largest
    if is_exact:
        share_decided = 1.0
    return questions, share_decided


class _State(NamedTuple):
    """The density of a Brownian motion with a drift, among the runs that have not stopped."""

    drift: float = 0.0
    time: float = 0.0  # of the last look
    points: Array = np.zeros(1)
    density: Array | None = None  # at the points; None before the first look

    def beyond(self, time: float, bound: float) -> float:
        """Return the share of all runs that stops at a bound of the next look, on either side."""
        from scipy.special import ndtr

        edge = bound * math.sqrt(time)
        step = time - self.time
        mean = self.drift * step
        deviation = math.sqrt(step)
        above = self.points + mean - edge
        below = -edge - self.points - mean
        stopping = ndtr(below / deviation) + ndtr(above / deviation)
        if self.density is None:
            return float(stopping[0])
        return float(np.trapezoid(self.density * stopping, self.points))

    def bound(self, time: float, share: float) -> float:
        """Return the bound at which a given share of all runs stops at the next look."""
        from scipy.optimize import brentq

        return float(brentq(lambda bound: self.beyond(time, bound) - share, 0.0, 12.0, xtol=1e-10))

    def inside(self, time: float, bound: float) -> _State:
        """Return the state of the runs that go on after the next look."""
        edge = bound * math.sqrt(time)
        step = time - self.time
        points = np.linspace(-edge, edge, _POINTS)
        gaps = (points[:, None] - self.points[None, :] - self.drift * step) / math.sqrt(step)
        kernel = np.exp(-0.5 * gaps**2) / math.sqrt(2.0 * math.pi * step)
        if self.density is None:
            density = kernel[:, 0]
        else:
            density = np.asarray(np.trapezoid(kernel * self.density[None, :], self.points, axis=1))
        return _State(self.drift, time, points, density)
