"""Expected numbers of questions until a rule stops, from the scores of past results."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from qaldgen.analysis.estimating.regression_estimate import quantile
from qaldgen.analysis.planning import LPM_DESIGN_EFFECT
from qaldgen.analysis.score_files import families_of, read_scores
from qaldgen.defaults import HALF_WIDTH, LEVEL_LABEL, UPPER_QUANTILE
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_positive
from qaldgen.options import PositiveInt
from qaldgen.plugins.stopping.look_plan import (
    FIRST_LOOK,
    MOST_OF_POOL,
    STEP,
    LookPlan,
    expected_size,
    plan_looks,
)
from qaldgen.scoring.mean_bounds import Array

#: Default maximum number of questions for a comparison.
MAX_QUESTIONS = 200
#: The design effect of a spread sample on the variance that known scores leave unexplained,
#: measured in `benchmarks/sequential.py`.
_UNEXPLAINED_DESIGN_EFFECT = 0.92
#: Stands for an infinite pool in the formulas.
_INFINITE_POOL = 10**9
#: The columns of `Expectation.decisions`.
_DECISION = ["system", "baseline", "difference", "questions", "decided", "paired", "paired decided"]


@dataclasses.dataclass(frozen=True, eq=False)
class Expectation:
    """The expected numbers of questions until a rule stops."""

    #: One row per system: ``system``, ``alone`` and ``with others``, the questions until the
    #: precision is reached.
    until: pd.DataFrame
    #: One row for each system and baseline: ``system``, ``baseline``, ``difference``, ``questions``
    #: until it is decided who is better where the baseline's results are known, the chance that it
    #: ``decided``, and the same where both are asked (``paired``, ``paired decided``).
    decisions: pd.DataFrame
    half_width: float  # the precision: half the width of the 95 % interval
    largest: int  # maximum number of questions for a comparison

    @property
    def parts(self) -> list[tuple[str, pd.DataFrame]]:
        """The tables, each with its heading."""
        until = (
            f"questions until the {LEVEL_LABEL} interval is +-{self.half_width:g}, asked in order:"
        )
        decided = (
            f"questions until it is decided who is better, at most {self.largest}, and the chance"
            " that it is:"
        )
        return [(until, self.until), (decided, self.decisions)]

    def __str__(self) -> str:
        """Return the tables."""
        return "\n\n".join(f"{head}\n{table.to_string(index=False)}" for head, table in self.parts)

    def table(self) -> pd.DataFrame:
        """Return both tables as one, with the rows of systems that do not stop."""
        return self.decisions.merge(self.until, on="system", how="left")


def plan_sequential(
    scores: pd.DataFrame | str | Path,
    *,
    error: float = HALF_WIDTH,
    pool_size: int | None = None,
    families: Mapping[str, str] | None = None,
    largest: PositiveInt | None = None,
) -> Expectation:
    """Return the expected number of questions until a rule stops, for an ``lpm`` sample in order.

    Parameters
    ----------
    scores
        Those of past results: one row per question, one column per system; or their CSV file.
    error
        Half the width of the 95 % interval.
    pool_size
        Number of questions in the pool; None for an infinite pool.
    families
        With others: systems of one family do not help each other.

        System to family.
    largest
        With others: maximum number of questions (default: 200).

        For a comparison; None for 200, or what the pool allows.

    Returns
    -------
    Expectation
        The questions for each system, and for each system with each baseline.

    Raises
    ------
    UsageError
        If a number is out of its range, there is one system only, or a family names no system.
    DataError
        If the file cannot be read.
    """
    table = read_scores(scores) if isinstance(scores, (str, Path)) else scores
    family = families_of(table.columns, families)
    if len(family) < 2:
        raise UsageError(
            "`others`: there is one system only, and no other whose results could help"
        )

    size = pool_size or _INFINITE_POOL
    if largest is None:
        largest = min(MAX_QUESTIONS, int(MOST_OF_POOL * size))
    looks = plan_looks(largest, size)

    scores_by_system = {name: table[name].to_numpy(dtype=float) for name in family}
    until_rows: list[tuple[object, ...]] = []
    decision_rows: list[tuple[object, ...]] = []
    for name, new_scores in scores_by_system.items():
        # systems of the same family are too similar to count as independent evidence
        strangers = [system for system in family if family[system] != family[name]]

        n_alone = questions_until(new_scores, error, pool_size=pool_size)
        n_with_others = None
        if strangers:
            others = _mean_score(table, strangers)
            n_with_others = questions_until(new_scores, error, pool_size=pool_size, known=others)
        until_rows.append((name, n_alone, n_with_others))

        for baseline, old_scores in scores_by_system.items():
            if baseline == name:
                continue
            others = _mean_score(table, [system for system in strangers if system != baseline])
            known_baseline = questions_to_decide(new_scores, old_scores, looks, known=others)
            both_asked = questions_to_decide(new_scores, old_scores, looks, paired=True)
            difference = float((new_scores - old_scores).mean())
            decision_rows.append((name, baseline, difference, *known_baseline, *both_asked))

    return Expectation(
        until=pd.DataFrame(until_rows, columns=["system", "alone", "with others"], dtype=object),
        decisions=pd.DataFrame(decision_rows, columns=_DECISION),
        half_width=error,
        largest=looks.largest,
    )


def _mean_score(table: pd.DataFrame, names: list[str]) -> Array | None:
    """Return the mean score of systems as one column; None without systems."""
    if not names:
        return None
    return table[names].mean(axis=1).to_numpy(dtype=float)[:, None]


def questions_until(
    scores: ArrayLike,
    half_width: float,
    *,
    pool_size: int | None = None,
    known: Array | None = None,
) -> int | None:
    """Return the number of questions of an ordered sample by ``lpm`` for a precision.

    `known` are scores known on the whole pool, shape (n, columns). None if all scores are equal,
    as their spread is not known.

    >>> questions_until([0, 1] * 50, 0.05, pool_size=1000)
    260
    """
    check_positive("the half-width", half_width)
    values = np.asarray(scores, dtype=float)
    size = pool_size or _INFINITE_POOL
    if np.ptp(values) == 0:
        return None

    effect = LPM_DESIGN_EFFECT
    n_columns = 0
    if known is not None:
        effect = _UNEXPLAINED_DESIGN_EFFECT
        n_columns = known.shape[1]
    spread = _unexplained_variance(values, known) * effect
    mean = float(values.mean())

    for n in range(FIRST_LOOK, size, STEP):
        freedom = n - 1 - n_columns
        pairs = 2.0 * (mean**2 + (1.0 - mean) ** 2) / n**2
        variance = (1.0 - n / size) * (spread / n * (n - 1) / freedom + pairs)
        if quantile(UPPER_QUANTILE, freedom) * math.sqrt(variance) <= half_width:
            return n
    return size


def questions_to_decide(
    scores: ArrayLike,
    baseline: ArrayLike,
    looks: LookPlan,
    *,
    known: Array | None = None,
    paired: bool = False,
) -> tuple[float, float]:
    """Return the expected number of questions until a decision, and the probability of one.

    The scores of the baseline, and `known` ones of other systems, are known on the whole pool. With
    `paired` nothing is known, and both systems are asked.
    """
    new = np.asarray(scores, dtype=float)
    old = np.asarray(baseline, dtype=float)
    if paired:
        spread = float(np.var(new - old, ddof=1))
        effect = LPM_DESIGN_EFFECT
        pair_weight = 1.0
    else:
        columns = old[:, None] if known is None else np.column_stack([old, known])
        spread = _unexplained_variance(new, columns)
        effect = _UNEXPLAINED_DESIGN_EFFECT
        pair_weight = float(new.mean() ** 2 + (1.0 - new.mean()) ** 2)
    # the imaginary pairs weigh less at each look; here they weigh as at the middle look
    middle = looks.sizes[len(looks.sizes) // 2]
    variance = spread * effect + 2.0 * pair_weight / middle
    return expected_size(looks, float(np.mean(new - old)) / math.sqrt(variance))


def _unexplained_variance(scores: Array, known: Array | None) -> float:
    """Return the variance that known columns leave unexplained, adjusted for chance."""
    if known is None:
        return float(np.var(scores, ddof=1))
    centred = scores - scores.mean()
    columns = known - known.mean(axis=0)
    slope, *_ = np.linalg.lstsq(columns, centred, rcond=None)
    freedom = max(1, len(scores) - 1 - known.shape[1])
    return float(np.sum((centred - columns @ slope) ** 2) / freedom)
