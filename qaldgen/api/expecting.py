"""How many questions to expect until a rule stops, and how many labels it takes."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

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

#: Default maximum number of questions for a comparison.
LARGEST = 200
#: The columns of `Expectation.decisions`.
_DECISION = ["system", "baseline", "difference", "questions", "decided", "paired", "paired decided"]


@dataclasses.dataclass(frozen=True)
class Expectation:
    """How many questions to expect until a rule stops.

    Attributes
    ----------
    until : DataFrame
        One row per system: ``system``, ``alone`` and ``with others``, the questions until the
        wanted precision.
    decisions : DataFrame
        One row for each system and baseline: ``system``, ``baseline``, ``difference``,
        ``questions`` until it is decided who is better where the baseline's results are known, the
        chance that it ``decided``, and the same where both are asked (``paired``, ``paired
        decided``).
    half_width : float
        The wanted precision.
    largest : int
        Maximum number of questions for a comparison.
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
        Those of past results: one row per question, one column per system; or their CSV file.
    error
        The wanted half-width of the 95 % interval.
    pool_size
        Number of questions in the pool; None for an infinite pool.
    families
        System to family; the others of a system are those of other families.
    largest
        Maximum number of questions for a comparison; None for 200, or what the pool allows.

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
    # an unknown pool counts as infinite
    size = pool_size or 10**9
    looks = plan_looks(
        largest if largest is not None else min(LARGEST, int(MOST_OF_POOL * size)), size
    )
    family = {str(name): (families or {}).get(str(name), str(name)) for name in table.columns}
    until = [_until(table, family, name, error, pool_size) for name in family]
    decisions = [
        _decision(table, family, pair, looks) for pair in itertools.permutations(family, 2)
    ]
    return Expectation(
        pd.DataFrame(until, columns=["system", "alone", "with others"], dtype=object),
        pd.DataFrame(decisions, columns=_DECISION),
        error,
        looks.largest,
    )


def _until(
    table: pd.DataFrame,
    family: Mapping[str, str],
    name: str,
    error: float,
    pool_size: int | None,
) -> tuple[str, int | None, int | None]:
    """Return the questions until the target precision, for a system alone and with the others."""
    own = table[name].to_numpy(dtype=float)
    # systems of the same family are too similar to count as independent evidence
    others = _mean(table, [other for other in family if family[other] != family[name]])
    helped = (
        None if others is None else questions_until(own, error, pool_size=pool_size, known=others)
    )
    return name, questions_until(own, error, pool_size=pool_size), helped


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
    """Return how many hand labels a given error requires, alone and with each automatic verdict.

    Parameters
    ----------
    scores
        One row per labelled answer: a column with the labels, and one for each verdict; ``qaldgen
        score --labels -q`` writes such a table.
    labels
        The column with the labels.
    error
        The wanted half-width of the 95 % interval.
    answers
        How many answers there are; None for an infinite number.

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

    table = read_scores(scores, gaps=True) if isinstance(scores, (str, Path)) else scores
    if labels not in table.columns:
        raise UsageError(
            f"--labels {labels}: there is no such column; there are"
            f" {', '.join(map(str, table.columns))}"
        )
    table = table.dropna(subset=[labels])
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
            there = ~np.isnan(verdicts)
            agreed = agreement(own[there], verdicts[there]) if there.any() else (nan, nan)
            # an answer on which the judge failed has no verdict, which costs labels too
            filled = np.where(there, verdicts, verdicts[there].mean() if there.any() else 0.0)
            rows.append((str(name), *agreed, labels_needed(own, filled, error, answers=answers)))
    found = pd.DataFrame(rows, columns=["verdict", "agreement", "kappa", "labels"])
    return found.astype({"labels": "Int64"})


def _mean(table: pd.DataFrame, names: list[str]) -> Array | None:
    """Return the mean score of systems as one column; None if there are none."""
    return table[names].mean(axis=1).to_numpy(dtype=float)[:, None] if names else None
