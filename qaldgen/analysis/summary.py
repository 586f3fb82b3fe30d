"""The numbers of whole runs with their intervals: GERBIL's six and the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qaldgen.analysis.intervals import measure_interval
from qaldgen.scoring.measures import available, find_measure, measure_named, summed_columns
from qaldgen.scoring.missing import DEFAULT

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.estimating.design import Design
    from qaldgen.scoring.score import Scores

_COLUMNS = ("run", "missing", "measure", "label", "value", "low", "high", "questions", "interval")


def summarise(
    scored: Sequence[Scores],
    *,
    missing: Sequence[str] = (DEFAULT,),
    measures: Sequence[str] | None = None,
    weights: pd.Series[float] | None = None,
    population: int | None = None,
    random_state: int = 0,
    design: Design | None = None,
) -> pd.DataFrame:
    """Return the measures of runs, with 95 % intervals."""
    # the value is exactly that of `scoring.measures`, so GERBIL's to the last bit; the interval is
    # Gaffke's for means of scores and micro measures, and that of drawn weights for the others.
    # With a design all values are estimates for the whole pool.
    import pandas as pd

    rows = []
    for scores in scored:
        for rule in missing:
            counts = scores.with_missing(rule)
            weight = None if weights is None else weights.loc[counts.index]
            known = None if design is None else design.restricted(list(counts.index))
            for name in measures or available(counts):
                value, low, high, method = (
                    _measured(counts, name, weight, population, random_state)
                    if known is None
                    else _estimated(counts, name, known)
                )
                rows.append(
                    (
                        scores.name,
                        rule,
                        name,
                        measure_named(name).label,
                        value,
                        low,
                        high,
                        len(counts),
                        method,
                    )
                )
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _measured(
    counts: pd.DataFrame,
    name: str,
    weights: pd.Series[float] | None,
    population: int | None,
    random_state: int,
) -> tuple[float, float, float, str]:
    interval = measure_interval(
        counts, name, weights=weights, population=population, random_state=random_state
    )
    value = measure_named(name).of(counts, None if weights is None else weights.tolist())
    return value, interval.low, interval.high, interval.method


def _estimated(counts: pd.DataFrame, name: str, design: Design) -> tuple[float, float, float, str]:
    """Return the estimate for the pool: by the design for a mean, else from weighted sums."""
    kind = find_measure(name, counts)
    if not kind.is_mean:
        return _measured(counts, name, design.weights().loc[counts.index], None, 0)
    found = design.estimate(
        list(counts.index), summed_columns(counts, kind)[:, 0], bounds=kind.bounds
    )
    return found.estimate, found.low, found.high, found.method
