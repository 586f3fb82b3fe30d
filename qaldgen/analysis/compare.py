"""Systems side by side on the same questions: who is better overall, who on which slice, and what of it may be chance."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qaldgen.analysis.flips import Flip, find_flips
from qaldgen.analysis.multiplicity import CORRECTIONS, adjust
from qaldgen.analysis.significance import paired_tests
from qaldgen.analysis.slices import ALL, Slice, group_scores
from qaldgen.errors import DataError, UsageError

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_IDS = 3


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Several systems on the same questions.

    Attributes
    ----------
    measure, correction : str
        What was compared, and how p was corrected for the number of tests.
    alpha : float
        The level of the corrected tests.
    tests : int
        Pairs and slices that were tested, all of them corrected for.
    repeats, random_state : int
        Random exchanges, and their seed.
    overall : DataFrame
        By system, the best first: the columns of `slices.group_scores`.
    scores : DataFrame
        By slice and system: the same columns; the first slice is ``(all)``.
    pairs : DataFrame
        One row for each pair of systems and slice: ``a``, ``b``, ``slice``, the fields of `significance.PairedTest`, and
        ``p_adjusted``.
    winners : DataFrame
        By slice: ``n``; ``winner``, which is ``tie`` unless one system is significantly better than every other; ``best``, the
        system with the highest score; ``not_worse``, the systems that are not significantly worse than it.
    flips : tuple of Flip
        Slices on which another system is ahead than overall: the certain ones first, then by corrected p.
    """

    measure: str
    correction: str
    alpha: float
    tests: int
    repeats: int
    random_state: int
    overall: pd.DataFrame
    scores: pd.DataFrame
    pairs: pd.DataFrame
    winners: pd.DataFrame
    flips: tuple[Flip, ...]

    def __repr__(self) -> str:
        """Return one line: who was compared, by what, and how often."""
        systems = ", ".join(str(name) for name in self.overall.index)
        return f"<Comparison of {systems}: {self.measure}, tests: {self.tests}, corrected by {self.correction}>"

    def __str__(self) -> str:
        """Return the line, the scores on all questions, and who wins where."""
        scores = self.overall[["n", "estimate", "low", "high"]].round(4)
        return f"{self!r}\n\n{scores.to_string()}\n\n{self.winners.to_string()}"


def compare_runs(
    counts_by_system: Mapping[str, pd.DataFrame],
    slices: Sequence[Slice] = (),
    *,
    measure: str = "macro-f1",
    correct: str = "holm",
    alpha: float = 0.05,
    weights: pd.Series[float] | None = None,
    repeats: int = 10_000,
    random_state: int = 0,
) -> Comparison:
    """Compare systems overall and on each slice, with paired randomisation tests corrected for all pairs and slices looked at.

    Parameters
    ----------
    counts_by_system
        By name of the system: counts, one row a question; the same questions for all.
    slices
        Where to look beside all questions. Slices of fewer than 5 questions get no test.
    measure
        A name of `totals.MEASURES`, or a column of the counts.
    correct
        ``holm`` (no claim at all is false, with probability 1 - `alpha`) or ``bh`` (on average at most this share of them is).
    alpha
        The level.
    weights
        By question.
    repeats
        Random exchanges of each test; more are made where so many tests are corrected for that fewer could never show anything.
    random_state
        The seed.

    Raises
    ------
    UsageError
        If there are fewer than two systems, two slices of one name, or an unknown measure or correction.
    DataError
        If the systems are not scored on the same questions.

    Examples
    --------
    >>> import pandas as pd
    >>> a = pd.DataFrame({"f1": [1.0] * 9 + [0.0] * 3}, index=[f"q{n}" for n in range(12)])
    >>> found = compare_runs({"A": a, "B": 1 - a}, [Slice("hard", ("q9", "q10", "q11"))])
    >>> found.overall["estimate"].to_dict(), found.winners.loc["hard", "winner"]
    ({'A': 0.75, 'B': 0.25}, 'tie')
    """
    import pandas as pd

    names = [ALL, *(one.name for one in slices)]
    _check(counts_by_system, names, correct)
    first = next(iter(counts_by_system.values()))
    counts = {name: own.loc[first.index] for name, own in counts_by_system.items()}
    everywhere = [Slice(ALL, tuple(str(one) for one in first.index)), *slices]
    couples = len(counts) * (len(counts) - 1) // 2
    repeats = max(repeats, math.ceil(2 * couples * len(names) / alpha))
    pairs = _pairs(counts, everywhere, measure=measure, weights=weights, repeats=repeats, random_state=random_state)
    pairs["p_adjusted"] = adjust(pairs["p"].to_numpy(), correct)
    tables = {
        name: group_scores(own, everywhere, measure, weights=weights, random_state=random_state) for name, own in counts.items()
    }
    scores = pd.concat(tables, names=["system", "slice"]).swaplevel().loc[names]
    return Comparison(
        measure=measure,
        correction=correct,
        alpha=alpha,
        tests=int(pairs["p"].notna().sum()),
        repeats=repeats,
        random_state=random_state,
        overall=_on(scores, ALL).sort_values("estimate", ascending=False, kind="stable"),
        scores=scores,
        pairs=pairs,
        winners=_winners(pairs, scores, names, alpha),
        flips=find_flips(pairs, alpha),
    )


def _pairs(
    counts: Mapping[str, pd.DataFrame], slices: Sequence[Slice], *, measure: str, weights: pd.Series[float] | None, repeats: int,
    random_state: int,
) -> pd.DataFrame:  # fmt: skip
    """Test each two systems on each slice."""
    import pandas as pd

    index = next(iter(counts.values())).index
    masks = np.column_stack([one.mask(index) for one in slices])
    rows = []
    for a, b in itertools.combinations(counts, 2):
        tests = paired_tests(
            counts[a], counts[b], masks, measure=measure, weights=weights, repeats=repeats, random_state=random_state
        )
        rows += [{"a": a, "b": b, "slice": one.name, **test._asdict()} for one, test in zip(slices, tests, strict=True)]
    return pd.DataFrame(rows)


def _check(counts_by_system: Mapping[str, pd.DataFrame], names: Sequence[str], correct: str) -> None:
    if len(counts_by_system) < 2:
        raise UsageError(f"comparing needs two systems or more, {len(counts_by_system)} given; add a run")
    if correct not in CORRECTIONS:
        raise UsageError(f"unknown correction {correct!r}; known: {', '.join(CORRECTIONS)}")
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise UsageError(f"two slices are called {doubled!r}; rename one")
    (first, counts), *others = counts_by_system.items()
    for name, own in counts_by_system.items():
        if own.index.has_duplicates:
            raise DataError(f"{name}: question {own.index[own.index.duplicated()][0]} is scored twice; keep one row a question")
    for name, own in others:
        for less, more, missing in (
            (name, first, counts.index.difference(own.index)),
            (first, name, own.index.difference(counts.index)),
        ):
            if len(missing):
                shown = ", ".join(str(one) for one in missing[:_SHOWN_IDS]) + (", ..." if len(missing) > _SHOWN_IDS else "")
                raise DataError(
                    f"{less}: {len(missing):,} questions are not scored that {more} is scored on ({shown}); "
                    "systems are compared on the same questions, so score all on one question set"
                )


def _on(scores: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the scores on one slice, by system."""
    return scores[scores.index.get_level_values("slice") == name].droplevel("slice")


def _winners(pairs: pd.DataFrame, scores: pd.DataFrame, names: Sequence[str], alpha: float) -> pd.DataFrame:
    import pandas as pd

    rows = []
    significant = pairs["p_adjusted"] <= alpha
    for name in names:
        own = _on(scores, name)
        if not own["n"].iloc[0]:
            rows.append({"n": 0, "winner": "tie", "best": "", "not_worse": ""})
            continue
        best = str(own["estimate"].idxmax())
        beaten = pairs[significant & (pairs["slice"] == name) & ((pairs["a"] == best) | (pairs["b"] == best))]
        worse = {*beaten["a"], *beaten["b"]} - {best}
        equal = [system for system in own.index if system != best and system not in worse]
        rows.append({"n": int(own["n"].iloc[0]), "winner": "tie" if equal else best, "best": best, "not_worse": ", ".join(equal)})
    return pd.DataFrame(rows, index=pd.Index(names, name="slice"))
