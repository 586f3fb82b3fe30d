"""The numbers of whole runs with their intervals: GERBIL's six and the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qaldgen.analysis.intervals import measure_interval
from qaldgen.runs.record import STATUSES
from qaldgen.scoring.measures import MEASURES
from qaldgen.scoring.score import NOT_JUDGED

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.scoring.score import Scores

_COLUMNS = ("run", "missing", "measure", "label", "value", "low", "high", "questions", "interval")


def summarise(
    scored: Sequence[Scores],
    *,
    missing: Sequence[str] = ("zero",),
    measures: Sequence[str] = tuple(MEASURES),
    weights: pd.Series[float] | None = None,
    population: int | None = None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Return the measures of runs, with 95 % intervals.

    The value is exactly that of `scoring.measures`, so GERBIL's to the last bit; the interval is Wilson's for means of scores
    and the bootstrap's for the others.

    Parameters
    ----------
    scored
        The runs.
    missing
        The rules for missing answers: ``zero``, ``skip``, or both.
    measures
        Keys of `MEASURES`.
    weights
        By question; None for equal ones.
    population
        Questions in the pool from which these were drawn at random, for the finite population correction.
    random_state
        Of the bootstrap.

    Returns
    -------
    pandas.DataFrame
        One row for each run, rule and measure: ``run``, ``missing``, ``measure``, ``label``, ``value``, ``low``, ``high``,
        ``questions`` (the denominator) and ``interval`` (how it was made, or why there is none).
    """
    import pandas as pd

    rows = []
    for one in scored:
        for rule in missing:
            counts = one.with_missing(rule)
            own = None if weights is None else weights.loc[counts.index]
            for name in measures:
                found = measure_interval(counts, name, weights=own, population=population, random_state=random_state)
                value = MEASURES[name].of(counts, None if own is None else own.tolist())
                rows.append((one.name, rule, name, MEASURES[name].label, value, found.low, found.high, len(counts), found.method))
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def status_table(scored: Sequence[Scores]) -> pd.DataFrame:
    """Return how many questions were asked, answered, left empty, failed, timed out or not asked, one column a run."""
    import pandas as pd

    rows = [*STATUSES, *([NOT_JUDGED] if any(one.unjudged for one in scored) else [])]
    columns = {one.name: [len(one.counts) + len(one.unjudged), *(one.statuses().get(name, 0) for name in rows)] for one in scored}
    return pd.DataFrame({"questions": ["asked", *rows], **columns})


def side_by_side(summary: pd.DataFrame) -> pd.DataFrame:
    """Return a summary for people: one row a measure, one column a run, ``value [low, high]``; last the denominator."""
    import pandas as pd

    both = summary["missing"].nunique() > 1
    columns: dict[str, list[str]] = {}
    for (run, rule), rows in summary.groupby(["run", "missing"], sort=False):
        name = f"{run} ({'missing is 0' if rule == 'zero' else 'missing left out'})" if both else str(run)
        values = [shown(*row) for row in rows[["value", "low", "high"]].itertuples(index=False)]
        columns[name] = [*values, f"{rows['questions'].iloc[0]:,}"]
    labels = list(dict.fromkeys(summary["label"]))
    return pd.DataFrame({"measure": [*labels, "Questions"], **columns})


def slices_side_by_side(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores on slices for people: one row a slice, its questions, one column a run, ``value [low, high]``.

    Parameters
    ----------
    scores
        One row for each run and slice: ``run`` and the columns of `analysis.slices.group_scores`. Where runs have different
        numbers of questions, since missing answers are left out, each run has its own ``n``.
    """
    import pandas as pd

    columns: dict[str, list[object]] = {"slice": list(dict.fromkeys(scores["slice"]))}
    runs = list(scores.groupby("run", sort=False))
    same = len({tuple(rows["n"]) for _, rows in runs}) == 1
    for name, rows in runs:
        if same:
            columns["n"] = rows["n"].tolist()
        else:
            columns[f"n, {name}"] = rows["n"].tolist()
        columns[str(name)] = [shown(*row) for row in rows[["estimate", "low", "high"]].itertuples(index=False)]
    return pd.DataFrame(columns)


def shown(value: float, low: float, high: float) -> str:
    """Return a score with its interval, if there is one."""
    if value != value:
        return "undefined"
    return f"{value:.4f}" if low != low else f"{value:.4f} [{low:.3f}, {high:.3f}]"
