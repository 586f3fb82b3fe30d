"""Looks at the results so far: the finding of each, and the decision."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from qaldgen.analysis.estimating.regression_estimate import Moments, normal_deviate
from qaldgen.errors import DataError
from qaldgen.plugins.stopping.look_plan import LookPlan

#: The warning that goes with a difference that stopped a run, without a full stop.
EXAGGERATED = (
    "A difference that is large enough to stop a run looks larger than it is, by about 2 points on"
    " average: quote the interval"
)
#: Differences that are smaller than this come from rounding.
_ROUNDING = 1e-12
BETTER = "better"
WORSE = "worse"
UNDECIDED = "undecided"
#: The numeric fields of every look, and those of looks with a required share of answers.
_NUMBERS = ("estimate", "low", "high", "z", "bound")
_ANSWERED = ("answered", "answered_low", "answered_high")


@dataclasses.dataclass(frozen=True)
class Look:
    """The result of a look."""

    n: int  # questions
    #: The difference, with the repeated interval: over all looks together it contains the truth in
    #: at least 95 % of the runs.
    estimate: float
    low: float
    high: float
    z: float  # the difference in standard errors, as a normal deviate
    bound: float  # the bound as a normal deviate
    verdict: str = ""  # ``better``, ``worse``, or empty if nothing was decided
    #: The share of answered questions with its repeated interval, where enough must be answered.
    answered: float | None = None
    answered_low: float | None = None
    answered_high: float | None = None

    @property
    def interval(self) -> str:
        """The difference with its repeated interval, in words."""
        return f"{self.estimate:+.3f}, between {self.low:+.3f} and {self.high:+.3f}"

    def record(self) -> dict[str, Any]:
        """Return the look as it is written into a journal."""
        fields = dataclasses.asdict(self)
        return {name: value for name, value in fields.items() if value is not None}

    @classmethod
    def of(cls, record: Mapping[str, Any], where: str) -> Look:
        """Return the look of a record; `where` is the location of the record, for the message."""
        try:
            numbers = {name: float(record[name]) for name in _NUMBERS}
            answered = {name: float(record[name]) for name in _ANSWERED if name in record}
            return cls(n=int(record["n"]), verdict=str(record["verdict"]), **numbers, **answered)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"a look is damaged ({error}); the file was changed", where=where
            ) from error


def take_look(moments: Moments, n: int, bound: float, reference: float = 0.0) -> Look:
    """Return the result of a look at an estimate, compared with a known number.

    `bound` is a normal deviate; it is 0 if the whole pool was asked, as every difference is real
    then.

    >>> take_look(Moments(0.6, 0.0016, 99, 0.0016), 100, 2.4, 0.5).verdict
    'better'
    """
    from scipy.special import ndtr, stdtrit

    difference = moments.estimate - reference
    if moments.variance:
        error = math.sqrt(moments.variance)
        z = normal_deviate(difference / error, moments.freedom)
        # the quantile of t with the probability of the bound, which is a normal deviate
        half_width = float(stdtrit(moments.freedom, ndtr(bound))) * error
        has_stopped = abs(z) >= bound
    else:
        half_width = 0.0
        z = 0.0
        has_stopped = abs(difference) > _ROUNDING
        if has_stopped:
            z = moments._replace(estimate=difference).z

    verdict = ""
    if has_stopped:
        verdict = BETTER if difference > 0 else WORSE
    return Look(
        n=n,
        estimate=difference,
        low=difference - half_width,
        high=difference + half_width,
        z=z,
        bound=bound,
        verdict=verdict,
    )


def require_answers(score_look: Look, share: Moments, coverage: float) -> Look:
    """Return a look that also requires a share of answered questions, by the bound of the look.

    Better needs an interval of the share that does not reach below `coverage`; an interval below
    it makes the system worse, whatever its score.

    >>> scored = take_look(Moments(0.6, 0.0016, 99, 0.0016), 100, 2.4, 0.5)
    >>> shares = [Moments(share, 0.0004, 99, 0.0004) for share in (0.98, 0.92, 0.8)]
    >>> [require_answers(scored, share, 0.9).verdict for share in shares]
    ['better', '', 'worse']
    """
    share_look = take_look(share, score_look.n, score_look.bound, coverage)
    verdict = score_look.verdict
    if verdict == BETTER and share_look.low < -_ROUNDING:
        verdict = ""
    if share_look.high < -_ROUNDING:
        verdict = WORSE
    return dataclasses.replace(
        score_look,
        verdict=verdict,
        answered=share.estimate,
        answered_low=max(0.0, share_look.low + coverage),
        answered_high=min(1.0, share_look.high + coverage),
    )


@dataclasses.dataclass(frozen=True)
class LooksTaken:
    """The looks that were taken, and their outcome."""

    plan: LookPlan  # the planned looks
    looks: tuple[Look, ...]  # the looks taken, of which only the last one can decide
    ready: int  # length of the complete prefix of answers

    @property
    def verdict(self) -> str:
        """``better``, ``worse`` or ``undecided``."""
        if not self.looks:
            return UNDECIDED
        return self.looks[-1].verdict or UNDECIDED

    @property
    def decided(self) -> bool:
        """Whether a look decided."""
        return self.verdict != UNDECIDED

    @property
    def next_look(self) -> int | None:
        """The number of questions of the next look; None after a decision or the last look."""
        if self.decided:
            return None
        last_size = self.looks[-1].n if self.looks else 0
        later_sizes = [size for size in self.plan.sizes if size > last_size]
        return later_sizes[0] if later_sizes else None


class RequiredShare(NamedTuple):
    """The share of questions that a system must answer."""

    coverage: float
    moments: Callable[[int], Moments]  # returns the estimate of its share from the first n


def take_looks(
    plan: LookPlan,
    ready: int,
    moments: Callable[[int], Moments],
    *,
    reference: float = 0.0,
    earlier: Sequence[Look] = (),
    required: RequiredShare | None = None,
) -> LooksTaken:
    """Take the looks for which there are answers, until one decides.

    `ready` is the length of the complete prefix of answers, `moments` returns the estimate from the
    first n questions. The `earlier` looks are final, even if answers have changed.
    """
    looks = list(earlier)
    for n, bound in zip(plan.sizes, plan.bounds, strict=True):
        if looks and (looks[-1].verdict or n <= looks[-1].n):
            continue
        if n > ready:
            break
        new_look = take_look(moments(n), n, bound, reference)
        if required is not None:
            new_look = require_answers(new_look, required.moments(n), required.coverage)
        looks.append(new_look)
    return LooksTaken(plan, tuple(looks), ready)
