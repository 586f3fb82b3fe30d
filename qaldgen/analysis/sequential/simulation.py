"""Do the rules keep their promises? Every rule is run on many orders of a pool on which all systems are known.

What is known of others never includes relatives here: the question is how well a rule does for a system of a new kind.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qaldgen.analysis import controls
from qaldgen.analysis.controls import Array, Known, Moments, Neighbours
from qaldgen.analysis.sequential.bounds import FIRST_LOOK, Looks, plan_looks
from qaldgen.analysis.sequential.looks import BETTER, WORSE, take
from qaldgen.analysis.sequential.precision import STEP
from qaldgen.analysis.sequential.race import race
from qaldgen.io.arguments import check_number, check_whole
from qaldgen.sampling.orders import spread_order
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

#: Sizes of beginnings whose variance is compared with that of random samples.
BEGINNINGS = (25, 50, 100, 200, 300)
#: What a peeking user takes for significant.
_NAIVE = 1.959964
#: A row of raw figures: rule, whom it is about, questions, and whether it was right, decided or wrong.
Row = tuple[str, str, float, float, float]


@dataclasses.dataclass(frozen=True)
class Rehearsal:
    """What is rehearsed.

    Attributes
    ----------
    n_repeats : int
        Orders of the pool.
    random_state : int
        The first seed.
    largest : int
        The most questions of comparisons and races.
    half_widths : sequence of float
        The wanted precisions.

    Raises
    ------
    UsageError
        If a number is out of its range.
    """

    n_repeats: int = 300
    random_state: int = 0
    largest: int = 200
    half_widths: Sequence[float] = (0.05, 0.03)

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        check_whole("n_repeats", self.n_repeats, 1)
        check_whole("random_state", self.random_state, 0)
        check_whole("the most questions", self.largest, 1)
        for width in self.half_widths:
            check_number("a wanted half-width", width, above=0)


def rehearse(
    table: Array,
    names: Sequence[str],
    vectors: Vectors,
    how: Rehearsal,
    *,
    families: Mapping[str, str] | None = None,
    n_jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> pd.DataFrame:
    """Run every rule on many orders of a pool.

    Parameters
    ----------
    table
        Scores, of shape (questions, systems).
    names
        Of the systems.
    vectors
        The features of the questions, in the same order.
    how
        What is rehearsed.
    families
        System to family.
    n_jobs
        Processes.
    progress
        Called with the number of orders that are done.

    Returns
    -------
    pandas.DataFrame
        One row a rule: ``rule``, ``questions`` (mean), ``right`` (share of intervals that hold the truth, of comparisons
        decided, of beginnings the design effect, of races that keep the best), its least favourable ``worst`` with
        ``worst_name``, and ``wrong`` (claims of the wrong sign, or any claim between equal systems), ``worst_wrong`` with
        ``worst_wrong_name``.
    """
    from joblib import Parallel, delayed

    told = progress or (lambda done: None)
    stage = _Stage.of(table, names, vectors, families or {}, how)
    rows: list[Row] = []
    seeds = [how.random_state + at for at in range(how.n_repeats)]
    batches = [seeds[at : at + 10] for at in range(0, len(seeds), 10)]
    with Parallel(n_jobs=n_jobs, return_as="generator") as pool:
        for batch, found in zip(batches, pool(delayed(_runs)(stage, batch) for batch in batches), strict=True):
            rows += found
            told(len(batch))
    return _figures(rows, stage)


@dataclasses.dataclass(frozen=True, eq=False)
class _Stage:
    """The pool, the systems and what is rehearsed on them."""

    table: Array
    names: Sequence[str]
    matrix: Array
    distance: Array
    strangers: Sequence[Sequence[int]]
    looks: Looks
    how: Rehearsal

    @classmethod
    def of(cls, table: Array, names: Sequence[str], vectors: Vectors, families: Mapping[str, str], how: Rehearsal) -> _Stage:
        from scipy.spatial.distance import cdist

        family = [families.get(name, name) for name in names]
        strangers = [[at for at, other in enumerate(family) if other != own] for own in family]
        looks = plan_looks(min(how.largest, len(table)), len(table))
        distance = cdist(vectors.matrix, vectors.matrix, "sqeuclidean")
        return cls(table, names, vectors.matrix, distance, strangers, looks, how)

    @property
    def size(self) -> int:
        return len(self.table)

    def mean_of(self, systems: Sequence[int]) -> Array:
        return self.table[:, list(systems)].mean(axis=1)


class _Order:
    """One order of the pool, with the neighbours at each look."""

    def __init__(self, stage: _Stage, rows: NDArray[np.intp]) -> None:
        self.stage, self.rows = stage, rows
        self._neighbours: dict[int, Neighbours] = {}

    def neighbours(self, n: int) -> Neighbours:
        if n not in self._neighbours:
            own = self.rows[:n]
            self._neighbours[n] = controls.nearest(self.stage.distance[np.ix_(own, own)], self.stage.size)
        return self._neighbours[n]

    def estimate(self, scores: Array, n: int, columns: Sequence[Array] = (), bounds: tuple[float, float] = (0, 1)) -> Moments:
        rows = self.rows[:n]
        known = Known.nothing(n)
        if columns:
            known = Known(np.column_stack([one[rows] for one in columns]), np.array([one.mean() for one in columns]))
        return controls.estimate_mean(scores[rows], self.stage.size, known, self.neighbours(n), bounds)


def _runs(stage: _Stage, seeds: Sequence[int]) -> list[Row]:
    rows: list[Row] = []
    for seed in seeds:
        order = _Order(stage, spread_order(stage.matrix, np.random.default_rng(seed)))
        rng = np.random.default_rng((seed, 1))
        rows += _beginnings(order)
        rows += _precisions(order)
        for one, two in itertools.combinations(range(len(stage.names)), 2):
            pair = (one, two) if rng.random() < 0.5 else (two, one)
            rows += _comparisons(order, pair, stage.table[:, pair[0]], stage.table[:, pair[1]], "")
            rows += _comparisons(order, pair, *dealt_out(stage.table[:, one], stage.table[:, two], rng), ", equal systems")
        rows += _races(order)
    return rows


def _beginnings(order: _Order) -> list[Row]:
    """Return the squared errors of plain means over the variance of random samples."""
    table, size = order.stage.table, order.stage.size
    rows: list[Row] = []
    for n in BEGINNINGS:
        if n < size:
            error = table[order.rows[:n]].mean(axis=0) - table.mean(axis=0)
            chance = table.var(axis=0, ddof=1) * (1.0 / n - 1.0 / size)
            ratio = error**2 / np.where(chance > 0, chance, np.nan)
            rows += [(f"beginning of {n}: deff", name, n, own, 0.0) for name, own in zip(order.stage.names, ratio, strict=True)]
    return rows


def _precisions(order: _Order) -> list[Row]:
    stage = order.stage
    rows: list[Row] = []
    for at, name in enumerate(stage.names):
        scores, truth = stage.table[:, at], float(stage.table[:, at].mean())
        others = [stage.mean_of(stage.strangers[at])] if stage.strangers[at] else []
        wanted = sorted(stage.how.half_widths, reverse=True)
        for n in (*range(FIRST_LOOK, stage.size, STEP), stage.size):
            low, high = controls.interval(order.estimate(scores, n, others), n)
            while wanted and ((high - low) / 2.0 <= wanted[0] or n == stage.size):
                rows.append((f"until +-{wanted.pop(0):g}", name, n, float(low - 1e-9 <= truth <= high + 1e-9), 0.0))
            if not wanted:
                break
    return rows


def _comparisons(order: _Order, pair: tuple[int, int], new: Array, old: Array, kind: str) -> list[Row]:
    """Return what the rules say of a pair: known baseline, paired, and for equal systems what peeking would have said."""
    stage = order.stage
    looks, name = stage.looks, " - ".join(stage.names[at] for at in sorted(pair))
    truth = float(new.mean() - old.mean()) if not kind else 0.0
    others = [at for at in stage.strangers[pair[0]] if at != pair[1]]
    columns = [old, *([stage.mean_of(others)] if others else [])]
    ways = {
        "known baseline": take(looks, looks.largest, lambda n: order.estimate(new, n, columns), float(old.mean())),
        "paired": take(looks, looks.largest, lambda n: order.estimate(new - old, n, (), (-1, 1))),
    }
    rows: list[Row] = []
    for rule, taken in ways.items():
        wrong = taken.decided and (bool(kind) or taken.verdict != (BETTER if truth > 0 else WORSE))
        rows.append((rule + kind, name, taken.looks[-1].n, float(taken.decided), float(wrong)))
    if kind:
        rows.append(_peeking(order, new - old, name))
    return rows


def _peeking(order: _Order, apart: Array, name: str) -> Row:
    """Return what looking at every tenth question finds, each time with an ordinary test."""
    for n in range(FIRST_LOOK, order.stage.looks.largest + 1, STEP):
        found = order.estimate(apart, n, (), (-1, 1))
        plain = Moments(found.estimate, found.plain, found.freedom, found.plain)
        if abs(plain.z) >= _NAIVE:
            return "peeking, equal systems", name, n, 1.0, 1.0
    return "peeking, equal systems", name, order.stage.looks.largest, 0.0, 0.0


def _races(order: _Order) -> list[Row]:
    stage = order.stage
    scores = dict(zip(stage.names, stage.table[order.rows].T, strict=True))

    def difference(one: str, two: str, n: int) -> Moments:
        return order.estimate(stage.table[:, at[one]] - stage.table[:, at[two]], n, (), (-1, 1))

    at = {name: place for place, name in enumerate(stage.names)}
    found = race(scores, dict.fromkeys(scores, stage.size), difference, largest=stage.looks.largest, pool_size=stage.size)
    best = stage.names[int(np.argmax(stage.table.mean(axis=0)))]
    first = found.standings[0].system
    return [
        ("race: best is kept", best, found.calls, float(best in found.alive), 0.0),
        ("race: best is first", best, found.calls, float(best == first), 0.0),
    ]


def dealt_out(one: Array, two: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return two systems that are equally good on the pool: on each question it is dealt out who gets which of two scores.

    Questions with about the same difference are taken in pairs, and one goes to each system, so that the means over the pool
    are the same but for a rounding.

    Parameters
    ----------
    one, two
        Scores of two systems.
    rng
        Deals.
    """
    apart = np.abs(one - two)
    place = np.lexsort((rng.random(len(apart)), apart))[::-1]
    signs = np.empty(len(apart))
    first = rng.choice([-1.0, 1.0], (len(apart) + 1) // 2)
    signs[place[0::2]], signs[place[1::2]] = first, -first[: len(apart) // 2]
    middle = (one + two) / 2.0
    left = float(np.sum(signs * apart))
    for at in place:  # what is left over is evened out by single questions
        if abs(left - 2.0 * signs[at] * apart[at]) < abs(left):
            left -= 2.0 * signs[at] * apart[at]
            signs[at] = -signs[at]
    return middle + signs * apart / 2.0, middle - signs * apart / 2.0


def _figures(rows: Sequence[Row], stage: _Stage) -> pd.DataFrame:
    import pandas as pd

    raw = pd.DataFrame(rows, columns=["rule", "name", "questions", "right", "wrong"])
    made: list[dict[str, Any]] = []
    for rule, own in raw.groupby("rule", sort=False):
        by_name = own.groupby("name", sort=False)[["right", "wrong"]].mean()
        least = by_name["right"].idxmax() if "deff" in str(rule) else by_name["right"].idxmin()
        made.append(
            {
                "rule": rule,
                "questions": float(own["questions"].mean()),
                "right": float(own["right"].mean()),
                "worst": float(by_name["right"][least]),
                "worst_name": least,
                "wrong": float(own["wrong"].mean()),
                "worst_wrong": float(by_name["wrong"].max()),
                "worst_wrong_name": by_name["wrong"].idxmax() if by_name["wrong"].max() > 0 else "",
                "orders": stage.how.n_repeats,
            }
        )
    return pd.DataFrame(made)
