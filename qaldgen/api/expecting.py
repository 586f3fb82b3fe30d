"""How many questions to expect until a rule stops, and how many labels it takes."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.labelling.estimate import agreement, labels_needed
from qaldgen.analysis.score_table import read_scores
from qaldgen.analysis.sequential.bounds import MOST_OF_POOL, plan_looks
from qaldgen.analysis.sequential.expectation import questions_to_decide, questions_until
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.controls import Array
    from qaldgen.analysis.sequential.bounds import Looks

__all__ = ["Expectation", "expect", "plan_labels"]

#: The most questions of a comparison, where nobody says how many.
LARGEST = 200


@dataclasses.dataclass(frozen=True)
class Expectation:
    """How many questions to expect until a rule stops.

    Attributes
    ----------
    until : DataFrame
        One row a system: ``system``, ``alone`` and ``with others``, the questions until the wanted
        precision.
    decisions : DataFrame
        One row for each system and baseline: ``system``, ``baseline``, ``difference``,
        ``questions`` until it is decided who is better where the baseline's results are known, the
        chance that it ``decided``, and the same where both are asked (``paired``, ``paired
        decided``).
    half_width : float
        The wanted precision.
    largest : int
        The most questions of a comparison.
    """

    until: pd.DataFrame
    decisions: pd.DataFrame
    half_width: float
    largest: int

    def __str__(self) -> str:
        """Return the tables."""
        return "\n\n".join(
            table.to_string(index=False) for table in (self.until, self.decisions) if len(table)
        )


def expect(
    scores: pd.DataFrame | str | Path,
    *,
    error: float = 0.05,
    pool_size: int | None = None,
    families: Mapping[str, str] | None = None,
    largest: int | None = None,
) -> Expectation:
    """Return how many questions to expect until a rule stops, for an ``lpm`` sample in order.

    Parameters
    ----------
    scores
        Those of past results: one row a question, one column a system; or their CSV file.
    error
        The wanted half-width of the 95 % interval.
    pool_size
        Questions in the pool; None for a pool without end.
    families
        System to family; the others of a system are those of other families.
    largest
        The most questions of a comparison; None for 200, or what the pool allows.

    Returns
    -------
    Expectation
        The questions for each system, and for each system with each baseline.

    Raises
    ------
    UsageError
        If a number is out of its range, or there is one system only.
    DataError
        If the file cannot be read.
    """
    import pandas as pd

    table = read_scores(scores) if isinstance(scores, (str, Path)) else scores
    if table.shape[1] < 2:
        raise UsageError(
            "--others: there is one system only, and no other whose results could help"
        )
    # an unknown pool counts as endless
    size = pool_size or 10**9
    looks = plan_looks(
        largest if largest is not None else min(LARGEST, int(MOST_OF_POOL * size)), size
    )
    family = {str(name): (families or {}).get(str(name), str(name)) for name in table.columns}
    until = []
    for name in family:
        own = table[name].to_numpy(dtype=float)
        # systems of the same family are too similar to count as independent evidence
        others = _mean(table, [other for other in family if family[other] != family[name]])
        sharper = (
            None
            if others is None
            else questions_until(own, error, pool_size=pool_size, known=others)
        )
        until.append((name, questions_until(own, error, pool_size=pool_size), sharper))
    decisions = [
        _decision(table, family, pair, looks) for pair in itertools.permutations(family, 2)
    ]
    columns = [
        "system",
        "baseline",
        "difference",
        "questions",
        "decided",
        "paired",
        "paired decided",
    ]
    return Expectation(
        pd.DataFrame(until, columns=["system", "alone", "with others"], dtype=object),
        pd.DataFrame(decisions, columns=columns),
        error,
        looks.largest,
    )


def _decision(
    table: pd.DataFrame, family: Mapping[str, str], pair: tuple[str, str], looks: Looks
) -> tuple[object, ...]:
    """Return what to expect of a system and a baseline.

    Where the baseline is known, and where both are asked.
    """
    name, baseline = pair
    own, old = (table[one].to_numpy(dtype=float) for one in pair)
    others = _mean(
        table, [other for other in family if family[other] != family[name] and other != baseline]
    )
    known = questions_to_decide(own, old, looks, known=others)
    return (
        name,
        baseline,
        float((own - old).mean()),
        *known,
        *questions_to_decide(own, old, looks, paired=True),
    )


def plan_labels(
    scores: pd.DataFrame | str | Path,
    labels: str,
    *,
    error: float = 0.05,
    answers: int | None = None,
) -> pd.DataFrame:
    """Say how many hand labels a wanted error takes, alone and with each automatic verdict.

    Parameters
    ----------
    scores
        One row a labelled answer: a column with the labels, and one for each verdict; ``qaldgen
        score --labels -q`` writes such a table.
    labels
        The column with the labels.
    error
        The wanted half-width of the 95 % interval.
    answers
        How many answers there are; None for a number without end.

    Returns
    -------
    pandas.DataFrame
        ``verdict`` (``none`` first), ``agreement``, ``kappa``, ``labels``; missing where the
        pilot's labels are all equal.

    Raises
    ------
    UsageError
        If there is no such column, or too few rows.
    DataError
        If the file cannot be read.
    """
    import pandas as pd

    table = read_scores(scores) if isinstance(scores, (str, Path)) else scores
    if labels not in table.columns:
        raise UsageError(
            f"--labels {labels}: there is no such column; there are"
            f" {', '.join(map(str, table.columns))}"
        )
    if len(table) < 10:
        raise UsageError(f"{len(table)} labels are too few to plan with; label 10 answers at least")
    own = table[labels].to_numpy(dtype=float)
    nan = float("nan")
    rows: list[tuple[str, float, float, int | None]] = [
        ("none", nan, nan, labels_needed(own, None, error, answers=answers))
    ]
    for name in table.columns:
        if name != labels:
            verdicts = table[name].to_numpy(dtype=float)
            rows.append(
                (
                    str(name),
                    *agreement(own, verdicts),
                    labels_needed(own, verdicts, error, answers=answers),
                )
            )
    found = pd.DataFrame(rows, columns=["verdict", "agreement", "kappa", "labels"])
    return found.astype({"labels": "Int64"})


def _mean(table: pd.DataFrame, names: list[str]) -> Array | None:
    """Return the mean score of systems as one column; None if there are none."""
    return table[names].mean(axis=1).to_numpy(dtype=float)[:, None] if names else None
