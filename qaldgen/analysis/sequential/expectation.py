"""How many questions to expect until a rule stops, from a pilot or past results."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from qaldgen.analysis.controls import Array, quantile
from qaldgen.analysis.planning import LPM_DESIGN_EFFECT
from qaldgen.analysis.sequential.bounds import FIRST_LOOK, Looks, expected_size
from qaldgen.analysis.sequential.precision import STEP
from qaldgen.io.arguments import check_number

#: The design effect of a spread sample on the variance that known scores leave unexplained,
#: measured in `benchmarks/sequential.py`.
_LEFT_DESIGN_EFFECT = 0.92
#: Stands for an infinite pool in the formulas.
_ENDLESS = 10**9


def questions_until(
    scores: ArrayLike,
    half_width: float,
    *,
    pool_size: int | None = None,
    known: Array | None = None,
) -> int | None:
    """Return how many questions of an ordered sample by ``lpm`` a wanted precision takes.

    Parameters
    ----------
    scores
        Scores of a system, shape (n,).
    half_width
        The wanted half-width of the 95 % interval.
    pool_size
        Questions in the pool; None for an infinite pool.
    known
        Scores that would be known on the whole pool, on the same questions, shape (n, columns);
        None for none.

    Returns
    -------
    int or None
        None if all scores are equal, which says nothing about their spread.

    Examples
    --------
    >>> questions_until([0, 1] * 50, 0.05, pool_size=1000)
    260
    """
    check_number("the wanted half-width", half_width, above=0)
    values, size = np.asarray(scores, dtype=float), pool_size or _ENDLESS
    if np.ptp(values) == 0:
        return None
    spread = _unexplained(values, known) * (
        LPM_DESIGN_EFFECT if known is None else _LEFT_DESIGN_EFFECT
    )
    columns = 0 if known is None else known.shape[1]
    mean = float(values.mean())
    n = FIRST_LOOK
    while n < size:
        pairs = 2.0 * (mean**2 + (1.0 - mean) ** 2) / n**2
        variance = (1.0 - n / size) * (spread / n * (n - 1) / (n - 1 - columns) + pairs)
        if quantile(0.975, n - 1 - columns) * math.sqrt(variance) <= half_width:
            return n
        n += STEP
    return size


def questions_to_decide(
    scores: ArrayLike,
    baseline: ArrayLike,
    looks: Looks,
    *,
    known: Array | None = None,
    paired: bool = False,
) -> tuple[float, float]:
    """Return how many questions to expect until a decision, and the chance of one.

    Parameters
    ----------
    scores, baseline
        Scores of two systems on the same questions, shape (n,).
    looks
        The planned looks.
    known
        Other scores that would be known on the whole pool, shape (n, columns); None for none.
    paired
        Whether the baseline's results are not known on the whole pool, so that both systems are
        asked.

    Returns
    -------
    tuple[float, float]
        Expected number of questions, and probability of a decision.
    """
    one, two = np.asarray(scores, dtype=float), np.asarray(baseline, dtype=float)
    columns = two[:, None] if known is None else np.column_stack([two, known])
    spread = float(np.var(one - two, ddof=1)) if paired else _unexplained(one, columns)
    effect = LPM_DESIGN_EFFECT if paired else _LEFT_DESIGN_EFFECT
    squares = 1.0 if paired else float(one.mean() ** 2 + (1.0 - one.mean()) ** 2)
    # The imaginary pairs weigh less at each look; the formula takes their weight at a middle one.
    middle = looks.sizes[len(looks.sizes) // 2]
    variance = spread * effect + 2.0 * squares / middle
    return expected_size(looks, float(np.mean(one - two)) / math.sqrt(variance))


def _unexplained(scores: Array, known: Array | None) -> float:
    """Return the variance that known columns leave unexplained, adjusted for chance."""
    centred = scores - scores.mean()
    if known is None:
        return float(np.var(scores, ddof=1))
    fitted = known - known.mean(axis=0)
    slope, *_ = np.linalg.lstsq(fitted, centred, rcond=None)
    return float(np.sum((centred - fitted @ slope) ** 2) / max(1, len(scores) - 1 - known.shape[1]))
