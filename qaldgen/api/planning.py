"""How many questions you need, and which sampling methods are unbiased."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.planning import LPM_DESIGN_EFFECT, questions_for_error
from qaldgen.analysis.power import questions_for_difference
from qaldgen.analysis.score_table import read_scores
from qaldgen.reports.pictures.paper import DEFAULT, LAYOUTS, picture_form
from qaldgen.scoring.score import Scores

if TYPE_CHECKING:
    import pandas as pd

#: By design the variance over that of a simple random sample.
DESIGNS = {"random": 1.0, "lpm": LPM_DESIGN_EFFECT}


@dataclasses.dataclass(frozen=True)
class Plan:
    """How many questions it takes.

    Attributes
    ----------
    errors : DataFrame
        One row per system: ``system``, ``mean``, ``deviation``, and for each design the questions
        for the wanted error; missing where all scores of the pilot are equal.
    differences : DataFrame
        One row per pair of systems: ``systems``, ``difference``, and for each design the questions
        until `compare` tells them apart; missing where the pilot does not say, or the whole pool
        would not do.
    error, power : float
        The wanted error, half the width of the 95 % interval, and the wanted chance to tell two
        systems apart.
    pool_size : int or None
        Questions in the pool.
    notes : tuple of str
        What a user should know.
    """

    errors: pd.DataFrame
    differences: pd.DataFrame
    error: float
    power: float
    pool_size: int | None = None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the notes and the tables."""
        tables = [
            table.to_string(index=False) for table in (self.errors, self.differences) if len(table)
        ]
        return "\n\n".join([*self.notes, *tables])

    def table(self) -> pd.DataFrame:
        """Return both tables as one.

        What for (``error`` or ``difference``), which systems, mean and questions.
        """
        import pandas as pd

        names = {"system": "systems", "difference": "mean"}
        both = {"error": self.errors, "difference": self.differences}
        parts = [
            own.rename(columns=names)[["systems", "mean", *DESIGNS]]
            .assign(**{"for": what})
            .astype(dict.fromkeys(DESIGNS, object))
            for what, own in both.items()
            if len(own)
        ]
        return _whole(pd.concat(parts, ignore_index=True)[["for", "systems", "mean", *DESIGNS]])

    def draw(self, scores: pd.DataFrame, form: str, layout: str = DEFAULT) -> bytes:
        """Draw the error against the number of questions.

        Parameters
        ----------
        scores
            Those of the pilot.
        form
            ``png``, ``svg`` or ``pdf``.
        layout
            ``screen``, or for a paper ``one-column`` or ``two-column``.
        """
        from qaldgen.reports.pictures.plan import draw_plan

        return draw_plan(scores, self.pool_size, DESIGNS, form, wanted=self.error, layout=layout)


def plan(
    scores: pd.DataFrame | Scores | str | Path,
    *,
    error: float = 0.05,
    power: float = 0.8,
    pool_size: int | None = None,
) -> Plan:
    """Report how many questions a given error, or telling two systems apart, requires.

    Parameters
    ----------
    scores
        Those of a pilot, or of past results: one row per question, one column per system, values 0
        to 1; or their CSV file; or what `score` returns, of which the F1 of each question counts.
    error
        Half the width of the 95 % interval.
    power
        The target power for telling two systems apart.
    pool_size
        Questions in the pool from which you will draw; None for an infinite pool.

    Returns
    -------
    Plan
        The questions for each system and each pair, for random samples and for ``lpm``.

    Raises
    ------
    UsageError
        If a number is out of its range, or there are fewer than two scores.
    DataError
        If the file cannot be read, or a value is not a score.

    Examples
    --------
    >>> import pandas as pd
    >>> pilot = pd.DataFrame({"mine": [0, 1] * 50}, index=[f"q{n}" for n in range(100)])
    >>> plan(pilot, error=0.1).errors[["system", "random"]].values.tolist()
    [['mine', 98]]
    """
    import pandas as pd

    if isinstance(scores, Scores):
        scores = scores.counts[["f1"]].set_axis([scores.name], axis=1)
    table = read_scores(scores) if isinstance(scores, (str, Path)) else scores
    errors = [
        {"system": name, "mean": float(column.mean()), "deviation": float(column.std(ddof=1))}
        | {
            label: questions_for_error(column, error, pool_size=pool_size, design_effect=deff)
            for label, deff in DESIGNS.items()
        }
        for name, column in table.items()
    ]
    differences = [
        _apart(table, pair, power, pool_size) for pair in itertools.combinations(table.columns, 2)
    ]
    columns = ["systems", "difference", *DESIGNS]
    notes = (
        f"{row['system']}: all scores of the pilot are equal, so their variance cannot be estimated"
        for row in errors
        if not row["deviation"]
    )
    told = tuple(notes)
    return Plan(
        _whole(pd.DataFrame(errors, dtype=object)),
        _whole(pd.DataFrame(differences, columns=columns, dtype=object)), error,
        power, pool_size, told,
    )  # fmt: skip


def _apart(
    table: pd.DataFrame, pair: tuple[str, str], power: float, pool_size: int | None
) -> dict[str, object]:
    """Return the questions it takes to tell two systems apart, by each design."""
    first, second = pair
    apart = table[first] - table[second]
    sizes = {
        label: questions_for_difference(apart, pool_size=pool_size, design_effect=deff, power=power)
        for label, deff in DESIGNS.items()
    }
    return {"systems": f"{first} - {second}", "difference": float(apart.mean()), **sizes}


def _whole(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose numbers of questions are whole, or missing."""
    import pandas as pd

    columns = {name: table[name].tolist() for name in table.columns}
    return pd.DataFrame(
        {
            # pandas would turn whole numbers into floats in a column with a missing one
            name: pd.Series(own, dtype=object if None in own else None)
            for name, own in columns.items()
        }
    )


__all__ = ["LAYOUTS", "Plan", "picture_form", "plan", "read_scores"]
