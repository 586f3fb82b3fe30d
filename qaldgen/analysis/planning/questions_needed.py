"""How many questions an error requires, and how many it takes to tell two systems apart."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qaldgen.analysis.planning.sample_size import (
    DESIGNS,
    error_curves,
    questions_for_difference,
    questions_for_error,
)
from qaldgen.analysis.score_files import read_scores
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_share
from qaldgen.io.text import helpful, printed, result_html
from qaldgen.options import Matchers, Several, Share
from qaldgen.pictures.style import DEFAULT
from qaldgen.scoring.gold import AnyGold, as_gold, gold_as_run
from qaldgen.scoring.matchers import AUTO, Scoring
from qaldgen.scoring.score import AnyRun, Scores, check_names, notes_of, score_all

if TYPE_CHECKING:
    import pandas as pd


@helpful
@dataclasses.dataclass(frozen=True)
class Plan:
    """How many questions it takes.

    Attributes
    ----------
    errors : DataFrame
        One row per system: ``system``, ``mean``, ``deviation``, and for each design the questions
        for the error; missing where all scores of the pilot are equal.
    differences : DataFrame
        One row per pair of systems: ``systems``, ``difference``, and for each design the questions
        until `compare` tells them apart; missing where the pilot does not say, or the whole pool
        would not do.
    error, power : float
        The error, half the width of the 95 % interval, and the chance to tell two systems apart.
    pool_size : int or None
        Questions in the pool.
    notes : tuple of str
        What the pilot says nothing about, and why.
    """

    errors: pd.DataFrame
    differences: pd.DataFrame
    error: float
    power: float
    pool_size: int | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return one line: the systems and what is planned for."""
        return f"<Plan for {', '.join(self.errors['system'])}: error {self.error:g}>"

    @property
    def parts(self) -> list[tuple[str, pd.DataFrame]]:
        """The tables, each with its heading."""
        error = (
            f"questions until a score is known within +-{self.error:g} (95 % interval), drawn at"
            " random, and drawn by lpm, which spreads them (sample -m lpm):"
        )
        apart = (
            "questions until 'compare' finds the difference of two systems with a chance of"
            f" {self.power:.0%}:"
        )
        both = [(error, self.errors), (apart, self.differences)]
        return [(head, table) for head, table in both if len(table)]

    def __str__(self) -> str:
        """Return the tables and the notes."""
        tables = [f"{head}\n{table.to_string(index=False)}" for head, table in self.parts]
        return printed(tables, self.notes)

    def _repr_html_(self) -> str:
        """Return the line, the notes and the tables, for notebooks."""
        return result_html(repr(self), [table for _, table in self.parts], self.notes)

    def table(self) -> pd.DataFrame:
        """Return both tables as one.

        What for (``error`` or ``difference``), which systems, mean and questions.
        """
        import pandas as pd

        names = {"system": "systems", "difference": "mean"}
        both = {"error": self.errors, "difference": self.differences}
        parts = [
            table.rename(columns=names)[["systems", "mean", *DESIGNS]]
            .assign(**{"for": what})
            .astype(dict.fromkeys(DESIGNS, object))
            for what, table in both.items()
            if len(table)
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
        from qaldgen.pictures.line_charts import draw_plan

        curves = error_curves(scores, self.pool_size)
        return draw_plan(curves, form, wanted=self.error, layout=layout)


def plan(
    scores: pd.DataFrame | Scores | Sequence[Scores] | AnyGold,
    *runs: AnyRun | Sequence[AnyRun],
    error: Share = 0.05,
    difference: Share | None = None,
    pool_size: Several | None = None,
    power: Share = 0.8,
    match: Matchers = AUTO,
    language: str = "en",
) -> Plan:
    """Report how many questions a given error, or telling two systems apart, requires.

    Parameters
    ----------
    scores
        Those of a pilot, or of past results: one row per question, one column per system, values 0
        to 1; or their CSV file; or what `score` returns for a system or several,
        of which the F1 of each question counts. Or the questions of a pilot, as for `compare`.
    runs
        The answers of systems to these questions, or the scores of further systems.
    error
        Target error: half the width of the 95 % interval.
    difference
        Plan for two systems that differ by this much. Default: as they do in the pilot.
    pool_size
        Size of the pool to sample from. Default: infinite.
    power
        Target power: the probability of detecting the difference of two systems.
    match, language
        See `score`.

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

    check_share("error", error)
    table, how = score_table(scores, runs, match=match, language=language)
    if difference is not None and len(table.columns) < 2:
        raise UsageError(
            "the questions that a difference requires depend on how two systems differ; give the"
            " scores of two"
        )
    errors = [
        {"system": name, "mean": float(column.mean()), "deviation": float(column.std(ddof=1))}
        | {
            label: questions_for_error(column, error, pool_size=pool_size, design_effect=deff)
            for label, deff in DESIGNS.items()
        }
        for name, column in table.items()
    ]
    pairs = list(itertools.combinations(table.columns, 2))
    differences = [_apart(table, pair, power, pool_size, difference) for pair in pairs]
    unplanned = [
        f"{row['systems']}: {_why_none(table[a] - table[b], difference, pool_size)}"
        for (a, b), row in zip(pairs, differences, strict=True)
        if None in row.values()
    ]
    columns = ["systems", "difference", *DESIGNS]
    equal = [
        f"{row['system']}: all scores of the pilot are equal, so their variance cannot be estimated"
        for row in errors
        if not row["deviation"]
    ]
    return Plan(
        _whole(pd.DataFrame(errors, dtype=object)),
        _whole(pd.DataFrame(differences, columns=columns, dtype=object)),
        error,
        power,
        pool_size,
        (*how, *equal, *unplanned),
    )


def score_table(
    scores: Any,  # noqa: ANN401 - scores of any kind, or questions
    runs: Sequence[Any] = (),
    *,
    match: Any = AUTO,  # noqa: ANN401
    language: str = "en",
) -> tuple[pd.DataFrame, list[str]]:
    """Return scores with one column for each system, and how answers were scored."""
    import pandas as pd

    if not runs and isinstance(scores, (str, Path)):
        return read_scores(scores), []
    if not runs and isinstance(scores, pd.DataFrame):
        if all(map(pd.api.types.is_numeric_dtype, scores.dtypes)):
            return scores, []
        # a text is no score: questions with the answers of systems beside them
        runs = [gold_as_run(scores, as_gold(scores, language=language).questions.format)]
    several = [*(scores if isinstance(scores, (list, tuple)) else [scores]), *runs]
    notes: list[str] = []
    if runs and not isinstance(several[0], Scores):
        asked = as_gold(scores, language=language)
        given = runs[0] if len(runs) == 1 else runs
        several = [*score_all(asked, given, Scoring(match, language=language))]
        notes = [*notes_of(several), f"F1 of each question, matched by {several[0].judged_by}"]
    for item in several:
        if not isinstance(item, Scores):
            raise UsageError(
                f"a plan needs scores, or questions and runs, not a {type(item).__name__}:"
                " qg.plan(gold, run, ...) or qg.plan(qg.score(gold, run), ...)"
            )
    check_names(item.name for item in several)
    columns = {item.name: item.counts["f1"] for item in several}
    return pd.DataFrame(columns).dropna(), notes  # the questions that all of them have


def _apart(
    table: pd.DataFrame,
    pair: tuple[str, str],
    power: float,
    pool_size: int | None,
    difference: float | None,
) -> dict[str, object]:
    """Return the questions it takes to tell two systems apart, by each design."""
    first, second = pair
    apart = table[first] - table[second]
    # of two systems the one that is better in the pilot is to be the better one
    wanted = None if difference is None else math.copysign(difference, apart.mean())
    sizes = {
        label: questions_for_difference(
            apart, difference=wanted, pool_size=pool_size, design_effect=deff, power=power
        )
        for label, deff in DESIGNS.items()
    }
    mean = float(apart.mean()) if difference is None else difference
    return {"systems": f"{first} - {second}", "difference": mean, **sizes}


def _why_none(apart: pd.Series[float], difference: float | None, pool_size: int | None) -> str:
    """Say why there is no number of questions that tells two systems apart."""
    if apart.nunique() == 1:
        same = "differ by the same" if apart.mean() else "are equal"
        return (
            f"their scores {same} on every question of the pilot, so it does not say how many"
            " questions a difference takes"
        )
    if difference is None and pool_size is None:
        return "they are equal on average in the pilot; plan for a difference (--difference 0.05)"
    if pool_size is None:
        return f"in the pilot no question shows a difference of {difference:g} or more"
    size = abs(float(apart.mean())) if difference is None else difference
    return f"not even all {pool_size:,} questions of the pool would show a difference of {size:.3f}"


def _whole(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose numbers of questions are whole, or missing."""
    import pandas as pd

    columns = {name: table[name].tolist() for name in table.columns}
    return pd.DataFrame(
        {
            # pandas would turn whole numbers into floats in a column with a missing one
            name: pd.Series(numbers, dtype=object if None in numbers else None)
            for name, numbers in columns.items()
        }
    )
