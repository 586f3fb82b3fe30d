"""How large a weakness must be to be seen as a weak spot."""

from __future__ import annotations

import math
from typing import NamedTuple

from qaldgen.analysis.slices.kinds import MIN_KIND_SIZE
from qaldgen.analysis.slices.search import LEAST_DIFFERENCE, NullDistribution
from qaldgen.scoring.mean_bounds import Array

#: The quantile of the normal distribution that gives 80 % power.
_POWER_QUANTILE = 0.84
#: The sizes of kinds, in questions and as shares of all.
_FEW_QUESTIONS = 20
_SHARES = (0.1, 0.2)
#: The differences that are tried, from the least one of a claim on.
_DIFFERENCES = tuple(points / 100.0 for points in range(round(100 * LEAST_DIFFERENCE), 101))


class Detectable(NamedTuple):
    """Kinds of `questions` questions are seen from this difference on, with power 80 %."""

    questions: int
    difference: float


def find_detectable(scores: Array, null: NullDistribution) -> tuple[Detectable, ...]:
    """Return the smallest weakness of one condition that is seen with power 80 %, by size.

    A kind is left out if it is too small to be seen with any difference: scores cannot be lower
    than the lowest.
    """
    n_questions = len(scores)
    sizes = {_FEW_QUESTIONS, *(round(share * n_questions) for share in _SHARES)}
    bar = float(null.bars[0]) - null.critical
    low = float(scores.min())
    high = float(scores.max())
    mean = float(scores.mean())
    variance = float(scores.var())
    # the variance as a share of the largest one with this mean; 1 for scores of 0 and 1
    largest_variance = (mean - low) * (high - mean)
    variance_ratio = variance / largest_variance if largest_variance > 0.0 else 1.0

    detectable_sizes = []
    for size in sorted(sizes):
        if not MIN_KIND_SIZE <= size <= n_questions / 2:
            continue
        n_outside = n_questions - size
        critical = bar * math.sqrt(variance * n_questions / (size * n_outside))
        for difference in _DIFFERENCES:
            mean_outside = mean + difference * size / n_questions
            mean_inside = mean_outside - difference
            outside_spread = max(0.0, (mean_outside - low) * (high - mean_outside))
            inside_spread = max(0.0, (mean_inside - low) * (high - mean_inside))
            error = math.sqrt(variance_ratio * (inside_spread / size + outside_spread / n_outside))
            if critical + _POWER_QUANTILE * error <= difference <= mean - low:
                detectable_sizes.append(Detectable(size, difference))
                break
    return tuple(detectable_sizes)
