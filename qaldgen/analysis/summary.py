"""The numbers of whole runs with their intervals: GERBIL's six and the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qaldgen.analysis.estimating.design import group_estimates
from qaldgen.analysis.intervals import measure_interval
from qaldgen.analysis.slicing import ALL, Slice
from qaldgen.runs.record import STATUSES
from qaldgen.scoring.measures import available, find_measure, named
from qaldgen.scoring.missing import DEFAULT, SHORT_RULES
from qaldgen.scoring.score import NOT_JUDGED

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
    """Return the measures of runs, with 95 % intervals.

    The value is exactly that of `scoring.measures`, so GERBIL's to the last bit; the interval is
    Gaffke's for means of scores and micro measures, and that of drawn weights for the others. With
    a design all values are estimates for the whole pool.
    """
    import pandas as pd

    rows = []
    for one in scored:
        for rule in missing:
            counts = one.with_missing(rule)
            own = None if weights is None else weights.loc[counts.index]
            known = None if design is None else design.restricted(list(counts.index))
            for name in measures or available(counts):
                value, low, high, method = (
                    _measured(counts, name, own, population, random_state)
                    if known is None
                    else _estimated(counts, name, known)
                )
                rows.append(
                    (one.name, rule, name, named(name).label, value, low, high, len(counts), method)
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
    value = named(name).of(counts, None if weights is None else weights.tolist())
    return value, interval.low, interval.high, interval.method


def _estimated(counts: pd.DataFrame, name: str, design: Design) -> tuple[float, float, float, str]:
    """Return the estimate for the pool: by the design for a mean, else from weighted sums."""
    if not find_measure(name, counts).is_mean:
        return _measured(counts, name, design.weights().loc[counts.index], None, 0)
    (row,) = group_estimates(counts, [Slice(ALL, tuple(counts.index))], name, design).to_dict(
        "records"
    )
    return row["estimate"], row["low"], row["high"], row["method"]


def status_table(scored: Sequence[Scores]) -> pd.DataFrame:
    """Return how many questions were answered, left empty, failed, timed out or not asked."""
    import pandas as pd

    rows = [*STATUSES, *([NOT_JUDGED] if any(one.unjudged for one in scored) else [])]
    columns = {
        one.name: [
            len(one.counts) + len(one.unjudged),
            *(one.statuses().get(name, 0) for name in rows),
        ]
        for one in scored
    }
    return pd.DataFrame({_head("questions", columns): ["all", *rows], **columns})


def _head(name: str, runs: Mapping[str, object]) -> str:
    """Return the head of the first column, which no run has."""
    while name in runs:
        name += " "
    return name


def side_by_side(summary: pd.DataFrame) -> pd.DataFrame:
    """Return a summary for people: one row per measure, one column per run."""
    import pandas as pd

    both = summary["missing"].nunique() > 1
    columns: dict[str, list[str]] = {}
    for (run, rule), rows in summary.groupby(["run", "missing"], sort=False):
        name = f"{run} ({SHORT_RULES[str(rule)]})" if both else str(run)
        values = [shown(*row) for row in rows[["value", "low", "high"]].itertuples(index=False)]
        columns[name] = [*values, f"{rows['questions'].iloc[0]:,}"]
    labels = list(dict.fromkeys(summary["label"]))
    return pd.DataFrame({_head("measure", columns): [*labels, "Questions"], **columns})


def slices_side_by_side(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores on slices for people: one row per slice, one column per run."""
    import pandas as pd

    columns: dict[str, list[object]] = {"slice": list(dict.fromkeys(scores["slice"]))}
    runs = list(scores.groupby("run", sort=False))
    same = len({tuple(rows["n"]) for _, rows in runs}) == 1
    for name, rows in runs:
        if same:
            columns["n"] = rows["n"].tolist()
        else:
            columns[f"n, {name}"] = rows["n"].tolist()
        columns[str(name)] = [
            shown(*row) for row in rows[["estimate", "low", "high"]].itertuples(index=False)
        ]
    return pd.DataFrame(columns)


def shown(value: float, low: float, high: float) -> str:
    """Return a score with its interval as text, if there is one."""
    if value != value:
        return "undefined"
    return f"{value:.4f}" if low != low else f"{value:.4f} [{low:.3f}, {high:.3f}]"
