"""Do the rules keep their promises? Every rule is run on many orders of a pool on which all systems are known.

What is known of others never includes relatives here: the question is how well a rule does for a
system of a new kind.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qaldgen.analysis import controls
from qaldgen.analysis.controls import Array, Known, Many, Moments, Neighbours
from qaldgen.analysis.sequential.bounds import FIRST_LOOK, Looks, plan_looks
from qaldgen.analysis.sequential.precision import STEP
from qaldgen.analysis.sequential.race import race
from qaldgen.io.arguments import check_number, check_whole
from qaldgen.sampling.orders import spread_order
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

#: Sizes of beginnings whose variance is compared with that of random samples.
BEGINNINGS = (25, 50, 100, 200, 300)
#: What the rules are called where the systems of a pair were made equally good.
EQUAL = ", equal systems"
#: What a peeking user takes for significant.
_NAIVE = 1.959964
#: A row of raw figures: rule, whom it is about, questions, and whether it was right, decided or
#: wrong.
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
        One row a rule: ``rule``, ``questions`` (mean), ``right`` (share of intervals that hold the
        truth, of comparisons decided, of beginnings the design effect, of races that keep the
        best), its least favourable ``worst`` with ``worst_name``, and ``wrong`` (claims of the
        wrong sign, or any claim between equal systems), ``worst_wrong`` with ``worst_wrong_name``.
    """
    from joblib import Parallel, delayed

    told = progress or (lambda done: None)
    stage = _Stage.of(table, names, vectors, families or {}, how)
    rows: list[Row] = []
    seeds = [how.random_state + at for at in range(how.n_repeats)]
    batches = [seeds[at : at + 10] for at in range(0, len(seeds), 10)]
    with Parallel(n_jobs=n_jobs, return_as="generator") as pool:
        for batch, found in zip(
            batches, pool(delayed(_runs)(stage, batch) for batch in batches), strict=True
        ):
            rows += found
            told(len(batch))
    return _figures(rows, stage)


@dataclasses.dataclass(frozen=True, eq=False)
class _Stage:
    """The pool, the systems and what is rehearsed on them."""

    table: Array
    names: Sequence[str]
    matrix: Array
    nearest: NDArray[np.intp]
    strangers: Sequence[Sequence[int]]
    looks: Looks
    how: Rehearsal

    @classmethod
    def of(
        cls,
        table: Array,
        names: Sequence[str],
        vectors: Vectors,
        families: Mapping[str, str],
        how: Rehearsal,
    ) -> _Stage:
        from scipy.spatial.distance import cdist

        family = [families.get(name, name) for name in names]
        strangers = [[at for at, other in enumerate(family) if other != own] for own in family]
        looks = plan_looks(min(how.largest, len(table)), len(table))
        distance = cdist(vectors.matrix, vectors.matrix, "sqeuclidean")
        np.fill_diagonal(distance, -1.0)
        nearest = np.argsort(distance, axis=1, kind="stable")
        return cls(table, names, vectors.matrix, nearest, strangers, looks, how)

    @property
    def size(self) -> int:
        return len(self.table)

    def mean_of(self, systems: Sequence[int]) -> Array:
        return np.asarray(self.table[:, list(systems)].mean(axis=1))


class _Order:
    """One order of the pool, with the neighbours at each look."""

    def __init__(self, stage: _Stage, rows: NDArray[np.intp]) -> None:
        self.stage, self.rows = stage, rows
        self._neighbours: dict[int, Neighbours] = {}

    def neighbours(self, n: int) -> Neighbours:
        """Return who is near whom among the first questions.

        Of all questions by their distance, those that are there.
        """
        if n not in self._neighbours:
            own, size = self.rows[:n], controls.group_size(n, self.stage.size)
            place = np.full(self.stage.size, -1, dtype=np.intp)
            place[own] = np.arange(n)
            near = place[self.stage.nearest[own]]
            there = near >= 0
            wanted = there & (np.cumsum(there, axis=1) <= size)
            self._neighbours[n] = near[wanted].reshape(n, size) if size else None
        return self._neighbours[n]

    def estimates(
        self,
        scores: Array,
        n: int,
        columns: Array | None = None,
        bounds: tuple[float, float] = (0, 1),
    ) -> Many:
        """Return estimates for scores (estimates, pool), with columns (estimates, pool, columns) that are known."""
        rows = self.rows[:n]
        if columns is None:
            columns = np.empty((*scores.shape, 0))
        known = Known(columns[:, rows], columns.mean(axis=1))
        return controls.estimate_means(
            scores[:, rows], self.stage.size, known, self.neighbours(n), bounds
        )


def _runs(stage: _Stage, seeds: Sequence[int]) -> list[Row]:
    rows: list[Row] = []
    for seed in seeds:
        order = _Order(stage, spread_order(stage.matrix, np.random.default_rng(seed)))
        rng = np.random.default_rng((seed, 1))
        rows += _beginnings(order)
        rows += _precisions(order)
        pairs = [
            pair if rng.random() < 0.5 else pair[::-1]
            for pair in itertools.combinations(range(len(stage.names)), 2)
        ]
        new, old = (np.array([stage.table[:, pair[side]] for pair in pairs]) for side in (0, 1))
        rows += _comparisons(order, pairs, new, old, "")
        equal = [dealt_out(one, two, rng) for one, two in zip(new, old, strict=True)]
        rows += _comparisons(
            order,
            pairs,
            np.array([one for one, _ in equal]),
            np.array([two for _, two in equal]),
            EQUAL,
        )
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
            rows += [
                (f"beginning of {n}: deff", name, n, own, 0.0)
                for name, own in zip(order.stage.names, ratio, strict=True)
            ]
    return rows


def _precisions(order: _Order) -> list[Row]:
    stage = order.stage
    truth = stage.table.mean(axis=0)
    columns = np.array([_column(stage, own) for own in stage.strangers])[:, :, None]
    wanted = {at: sorted(stage.how.half_widths, reverse=True) for at in range(len(stage.names))}
    rows: list[Row] = []
    for n in (*range(FIRST_LOOK, stage.size, STEP), stage.size):
        found = order.estimates(stage.table.T, n, columns)
        for at, left in wanted.items():
            one = Moments(
                float(found.estimate[at]),
                float(found.variance[at]),
                found.freedom,
                float(found.plain[at]),
            )
            low, high = controls.interval(one, n) if left else (0.0, 0.0)
            while left and ((high - low) / 2.0 <= left[0] or n == stage.size):
                right = float(low - 1e-9 <= truth[at] <= high + 1e-9)
                rows.append((f"until +-{left.pop(0):g}", stage.names[at], n, right, 0.0))
        if not any(wanted.values()):
            break
    return rows


def _column(stage: _Stage, systems: Sequence[int]) -> Array:
    """Return the mean of some systems; a column that says nothing where there are none."""
    return stage.mean_of(systems) if systems else np.zeros(stage.size)


def _comparisons(
    order: _Order, pairs: Sequence[tuple[int, int]], new: Array, old: Array, kind: str
) -> list[Row]:
    """Return what the rules say of pairs.

    Known baseline, paired, and for equal systems what peeking would have said.
    """
    stage = order.stage
    others = [[at for at in stage.strangers[one] if at != two] for one, two in pairs]
    columns = old[:, :, None]
    if any(others):
        columns = np.stack([old, np.array([_column(stage, own) for own in others])], axis=2)
    truth = (new - old).mean(axis=1) if not kind else np.zeros(len(pairs))
    known, paired = [], []
    for n in stage.looks.sizes:
        found = order.estimates(new, n, columns)
        known.append(_deviates(found._replace(estimate=found.estimate - old.mean(axis=1))))
        paired.append(_deviates(order.estimates(new - old, n, None, (-1, 1))))
    names = [" - ".join(stage.names[at] for at in sorted(pair)) for pair in pairs]
    sizes, bounds = stage.looks.sizes, stage.looks.bounds
    rows = _claims(f"known baseline{kind}", names, known, sizes, bounds, truth)
    rows += _claims(f"paired{kind}", names, paired, sizes, bounds, truth)
    if kind:
        peeks = range(FIRST_LOOK, stage.looks.largest + 1, STEP)
        several = [order.estimates(new - old, n, None, (-1, 1)) for n in peeks]
        naive = [_deviates(one._replace(variance=one.plain)) for one in several]
        rows += _claims(f"peeking{EQUAL}", names, naive, peeks, [_NAIVE] * len(peeks), truth)
    return rows


def _deviates(found: Many) -> Array:
    """Return estimates in standard errors, as normal deviates.

    A difference without variance is as large as can be.
    """
    from scipy.special import ndtri, stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(np.abs(found.estimate) > 1e-12, found.estimate / np.sqrt(found.variance), 0.0)
    return np.asarray(-np.sign(t) * ndtri(stdtr(found.freedom, -np.abs(t))))


def _claims(
    rule: str,
    names: Sequence[str],
    deviates: Sequence[Array],
    sizes: Sequence[int],
    bounds: Sequence[float],
    truth: Array,
) -> list[Row]:
    """Return at which look each pair stops, whether it does, and whether the claim is wrong."""
    beyond = np.abs(deviates) >= np.array(bounds)[:, None]
    decided, first = beyond.any(axis=0), beyond.argmax(axis=0)
    sign = np.sign(np.array(deviates)[first, np.arange(len(names))])
    wrong = decided & (sign != np.sign(truth))
    questions = np.array(sizes)[np.where(decided, first, len(sizes) - 1)]
    return list(
        zip(
            [rule] * len(names),
            names,
            questions.tolist(),
            decided.astype(float).tolist(),
            wrong.astype(float).tolist(),
            strict=True,
        )
    )


def _races(order: _Order) -> list[Row]:
    stage = order.stage
    scores = dict(zip(stage.names, stage.table[order.rows].T, strict=True))

    def difference(one: str, two: str, n: int) -> Moments:
        found = order.estimates(
            (stage.table[:, at[one]] - stage.table[:, at[two]])[None], n, None, (-1, 1)
        )
        return Moments(
            float(found.estimate[0]), float(found.variance[0]), found.freedom, float(found.plain[0])
        )

    at = {name: place for place, name in enumerate(stage.names)}
    found = race(
        scores,
        dict.fromkeys(scores, stage.size),
        difference,
        largest=stage.looks.largest,
        pool_size=stage.size,
    )
    best = stage.names[int(np.argmax(stage.table.mean(axis=0)))]
    first = found.standings[0].system
    return [
        ("race: best is kept", best, found.calls, float(best in found.alive), 0.0),
        ("race: best is first", best, found.calls, float(best == first), 0.0),
    ]


def dealt_out(one: Array, two: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return two systems that are equally good on the pool.

    On each question it is dealt out who gets which of two scores.

    Questions with about the same difference are taken in pairs, and one goes to each system, so
    that the means over the pool are the same but for a rounding.

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
        least = str(by_name["right"].idxmax() if "deff" in str(rule) else by_name["right"].idxmin())
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
