"""Do rules that stop a run keep their promises? Tried on pools with known scores.

Each rule is run on many orders of the pool. The scores of other systems that a rule uses never
include relatives here: the question is how well it does for a system of a new kind.
``study.py --sequential`` prints the table.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from score_tables import aligned, read_features
from study import features_note, strangers_of

from qaldgen.analysis.estimating.regression_estimate import (
    KnownMeans,
    Moments,
    Neighbours,
    group_size,
    regression_estimate,
    wilson_interval,
)
from qaldgen.analysis.score_files import families_of, read_scores
from qaldgen.defaults import SEED
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_integer, check_positive
from qaldgen.io.progress import step
from qaldgen.io.result_display import result_text
from qaldgen.plugins.stopping.look_plan import (
    FIRST_LOOK,
    MOST_OF_POOL,
    STEP,
    LookPlan,
    plan_looks,
)
from qaldgen.plugins.stopping.ranking import eliminate
from qaldgen.sampling.pivotal import spread_order
from qaldgen.scoring.mean_bounds import Array
from qaldgen.selection.vectors import Vectors

#: Sizes of prefixes whose variance is compared with that of random samples.
BEGINNINGS = (25, 50, 100, 200, 300)
#: The precisions that rules stop at.
HALF_WIDTHS = (0.05, 0.03)
#: Default maximum number of questions for comparisons and races.
LARGEST = 200
#: Added to the names of rules where the systems of a pair were made equally good.
EQUAL = ", equal systems"
#: The normal deviate that a peeking user takes for significant.
_NAIVE = 1.959964
#: A row of raw figures: rule, system or pair, questions, whether it was right or decided, and
#: whether the claim was wrong.
Row = tuple[str, str, float, float, float]


@dataclasses.dataclass(frozen=True)
class SequentialStudy:
    """How well the stopping rules work on a table of full results."""

    #: One row per rule: ``rule``, ``questions`` (mean), ``right`` (share of intervals that contain
    #: the truth, of comparisons decided, of races that keep the best; for prefixes the design
    #: effect), the least favourable ``worst`` with ``worst_name``, ``wrong`` (claims of the wrong
    #: sign, or any claim between equal systems), ``worst_wrong`` with ``worst_wrong_name``, and
    #: ``orders``.
    table: pd.DataFrame
    notes: tuple[str, ...] = ()  # how many questions were left out

    def __str__(self) -> str:
        """Return the table and the notes."""
        return result_text([self.table.to_string(index=False)], self.notes)


def study_sequential(
    scores: pd.DataFrame | str | Path,
    features: Vectors | str | Path,
    *,
    half_widths: Sequence[float] = HALF_WIDTHS,
    families: Mapping[str, str] | None = None,
    n_repeats: int = 300,
    largest: int | None = None,
    random_state: int = SEED,
    n_jobs: int = 1,
) -> SequentialStudy:
    """Run every stopping rule on many orders of a fully scored pool, to check its error rates.

    Parameters
    ----------
    scores
        One row per question (index: its id), one column per system, values 0 to 1; or their CSV
        file.
    features
        What `select` returns for the same questions, or the CSV file that ``qaldgen select``
        writes.
    half_widths
        The precisions that rules stop at: half the width of the 95 % interval.
    families
        System to family; relatives are never used here, as the question is how well it works for a
        new kind of system.
    n_repeats
        Orders of the pool.
    largest
        Maximum number of questions of comparisons and races; None for 200, or what the pool allows.
    random_state
        The first seed.
    n_jobs
        Processes to compute with.

    Returns
    -------
    SequentialStudy
        One row per rule.

    Raises
    ------
    UsageError
        If there are fewer than two systems, or too few questions.
    DataError
        If a file cannot be read, or a question has features but no scores.
    """
    from joblib import Parallel, delayed

    check_integer("n_repeats", n_repeats, 1)
    check_integer("random_state", random_state, 0)
    for width in half_widths:
        check_positive("half_widths", width)
    scores = read_scores(scores) if isinstance(scores, (str, Path)) else scores
    vectors = read_features(features) if isinstance(features, (str, Path)) else features
    if scores.shape[1] < 2 or len(vectors) <= FIRST_LOOK:
        raise UsageError(
            f"{scores.shape[1]} systems on {len(vectors)} questions: two systems and more than"
            f" {FIRST_LOOK} questions are needed"
        )
    if largest is None:
        largest = min(LARGEST, int(MOST_OF_POOL * len(vectors)))
    check_integer("largest", largest, 1)
    pool = Pool.of(
        aligned(scores, vectors),
        families_of(scores.columns, families),
        vectors,
        half_widths,
        largest,
    )
    rows: list[Row] = []
    seeds = range(random_state, random_state + n_repeats)
    # Batches of ten orders: large enough for a process, small enough to show progress.
    batches = [seeds[at : at + 10] for at in range(0, n_repeats, 10)]
    with (
        Parallel(n_jobs=n_jobs, return_as="generator") as run,
        step("orders", n_repeats) as advance,
    ):
        several = run(delayed(_orders)(pool, batch) for batch in batches)
        for batch, more in zip(batches, several, strict=True):
            rows += more
            advance(len(batch))
    return SequentialStudy(_by_rule(rows, n_repeats), features_note(scores, vectors))


@dataclasses.dataclass(frozen=True, eq=False)
class Pool:
    """What does not depend on the order of the questions."""

    table: Array  # scores
    names: Sequence[str]  # the systems
    matrix: Array  # normalised features
    nearest: NDArray[np.intp]  # for each question all questions, the nearest first
    strangers: Sequence[Sequence[int]]  # for each system the systems of other families
    looks: LookPlan  # the looks of comparisons and races
    half_widths: Sequence[float]  # the precisions that rules stop at

    @classmethod
    def of(
        cls,
        table: Array,
        families: Mapping[str, str],
        vectors: Vectors,
        half_widths: Sequence[float],
        largest: int,
    ) -> Pool:
        """Return the pool; `families` has every system, in the order of the columns."""
        from scipy.spatial.distance import cdist

        strangers = strangers_of(families)
        looks = plan_looks(min(largest, len(table)), len(table))
        distance = cdist(vectors.matrix, vectors.matrix, "sqeuclidean")
        # Below every distance, so that each question comes first among its own neighbours, even if
        # another one has the same features.
        np.fill_diagonal(distance, -1.0)
        nearest = np.argsort(distance, axis=1, kind="stable")
        return cls(table, list(families), vectors.matrix, nearest, strangers, looks, half_widths)

    @property
    def size(self) -> int:
        """Questions in the pool."""
        return len(self.table)

    def mean_of(self, systems: Sequence[int]) -> Array:
        """Return the mean score of some systems on each question; a constant if there are none."""
        if not systems:
            return np.zeros(self.size)
        return np.asarray(self.table[:, list(systems)].mean(axis=1))


class Order:
    """One order of the pool: `rows` are all questions in the order of asking."""

    def __init__(self, pool: Pool, rows: NDArray[np.intp]) -> None:
        self.pool, self.rows = pool, rows
        self._neighbours: dict[int, Neighbours] = {}

    def neighbours(self, n: int) -> Neighbours:
        """Return the neighbours among the first questions, as `neighbours_of` would."""
        # of all questions sorted by distance, those that are there: sorting once per pool is much
        # faster than once per look
        if n not in self._neighbours:
            first, size = self.rows[:n], group_size(n, self.pool.size)
            place = np.full(self.pool.size, -1, dtype=np.intp)
            place[first] = np.arange(n)
            near = place[self.pool.nearest[first]]
            there = near >= 0
            nearest = there & (np.cumsum(there, axis=1) <= size)
            self._neighbours[n] = near[nearest].reshape(n, size) if size else None
        return self._neighbours[n]

    def estimates(
        self,
        scores: Array,
        n: int,
        columns: Array | None = None,
        bounds: tuple[float, float] = (0, 1),
    ) -> list[Moments]:
        """Return estimates for score vectors, shape (estimates, pool), from the first questions."""
        # `columns` are known on the pool, shape (estimates, pool, columns); `bounds` are the least
        # and the largest possible score
        rows = self.rows[:n]
        if columns is None:
            columns = np.empty((*scores.shape, 0))
        near = self.neighbours(n)
        found = []
        for vector, table in zip(scores, columns, strict=True):
            known = KnownMeans(table[rows], table.mean(axis=0))
            found.append(regression_estimate(vector[rows], self.pool.size, known, near, bounds))
        return found


def _orders(pool: Pool, seeds: Sequence[int]) -> list[Row]:
    rows: list[Row] = []
    for seed in seeds:
        order = Order(pool, spread_order(pool.matrix, np.random.default_rng(seed)))
        rng = np.random.default_rng((seed, 1))
        rows += _beginnings(order)
        rows += _precisions(order)
        pairs = [
            pair if rng.random() < 0.5 else pair[::-1]
            for pair in itertools.combinations(range(len(pool.names)), 2)
        ]
        new, old = (np.array([pool.table[:, pair[side]] for pair in pairs]) for side in (0, 1))
        rows += _comparisons(order, pairs, new, old, "")
        equal = [equally_good(first, second, rng) for first, second in zip(new, old, strict=True)]
        rows += _comparisons(
            order,
            pairs,
            np.array([first for first, _ in equal]),
            np.array([second for _, second in equal]),
            EQUAL,
        )
        rows += _races(order)
    return rows


def _beginnings(order: Order) -> list[Row]:
    """Return the squared errors of plain means over the variance of random samples."""
    table, size = order.pool.table, order.pool.size
    rows: list[Row] = []
    for n in BEGINNINGS:
        if n < size:
            error = table[order.rows[:n]].mean(axis=0) - table.mean(axis=0)
            chance = table.var(axis=0, ddof=1) * (1.0 / n - 1.0 / size)
            ratio = error**2 / np.where(chance > 0, chance, np.nan)
            rows += [
                (f"beginning of {n}: deff", name, n, values, 0.0)
                for name, values in zip(order.pool.names, ratio, strict=True)
            ]
    return rows


def _precisions(order: Order) -> list[Row]:
    pool = order.pool
    truth = pool.table.mean(axis=0)
    columns = np.array([pool.mean_of(stranger) for stranger in pool.strangers])[:, :, None]
    wanted = {at: sorted(pool.half_widths, reverse=True) for at in range(len(pool.names))}
    rows: list[Row] = []
    for n in (*range(FIRST_LOOK, pool.size, STEP), pool.size):
        many = order.estimates(pool.table.T, n, columns)
        for at, left in wanted.items():
            low, high = wilson_interval(many[at], n) if left else (0.0, 0.0)
            while left and ((high - low) / 2.0 <= left[0] or n == pool.size):
                right = float(low - 1e-9 <= truth[at] <= high + 1e-9)
                rows.append((f"until +-{left.pop(0):g}", pool.names[at], n, right, 0.0))
        if not any(wanted.values()):
            break
    return rows


def _comparisons(
    order: Order, pairs: Sequence[tuple[int, int]], new: Array, old: Array, kind: str
) -> list[Row]:
    """Return the claims of the rules about pairs."""
    # with a known baseline, paired, and for equal systems what peeking would claim
    pool = order.pool
    others = [[at for at in pool.strangers[first] if at != second] for first, second in pairs]
    columns = old[:, :, None]
    if any(others):
        columns = np.stack([old, np.array([pool.mean_of(other) for other in others])], axis=2)
    truth = (new - old).mean(axis=1) if not kind else np.zeros(len(pairs))
    known, paired = [], []
    for n in pool.looks.sizes:
        estimates = zip(order.estimates(new, n, columns), old.mean(axis=1).tolist(), strict=True)
        differences = [one._replace(estimate=one.estimate - mean) for one, mean in estimates]
        known.append(_deviates(differences))
        paired.append(_deviates(order.estimates(new - old, n, None, (-1, 1))))
    names = [" - ".join(pool.names[at] for at in sorted(pair)) for pair in pairs]
    sizes, bounds = pool.looks.sizes, pool.looks.bounds
    rows = _claims(f"known baseline{kind}", names, known, sizes, bounds, truth)
    rows += _claims(f"paired{kind}", names, paired, sizes, bounds, truth)
    if kind:
        peeks = range(FIRST_LOOK, pool.looks.largest + 1, STEP)
        several = [order.estimates(new - old, n, None, (-1, 1)) for n in peeks]
        naive = [
            _deviates([pair._replace(variance=pair.sample_variance) for pair in pairs_at_peek])
            for pairs_at_peek in several
        ]
        rows += _claims(f"peeking{EQUAL}", names, naive, peeks, [_NAIVE] * len(peeks), truth)
    return rows


def _deviates(estimates: Sequence[Moments]) -> Array:
    """Return estimates in standard errors, as normal deviates."""
    # a difference of equal sums is not quite 0
    return np.array([one.z if abs(one.estimate) > 1e-12 else 0.0 for one in estimates])


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


def _races(order: Order) -> list[Row]:
    pool = order.pool
    scores = dict(zip(pool.names, pool.table[order.rows].T, strict=True))

    def difference(first: str, second: str, n: int) -> Moments:
        apart = pool.table[:, at[first]] - pool.table[:, at[second]]
        return order.estimates(apart[None], n, None, (-1, 1))[0]

    at = {name: place for place, name in enumerate(pool.names)}
    outcome = eliminate(
        scores,
        dict.fromkeys(scores, pool.size),
        difference,
        largest=pool.looks.largest,
        pool_size=pool.size,
    )
    best = pool.names[int(np.argmax(pool.table.mean(axis=0)))]
    first = outcome.table["system"][0]
    return [
        ("race: best is kept", best, outcome.calls, float(best in outcome.alive), 0.0),
        ("race: best is first", best, outcome.calls, float(best == first), 0.0),
    ]


def equally_good(values: Array, second: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return two systems that are equally good on the pool."""
    # on each question chance decides which of them gets which of the two scores. Questions with
    # about the same difference are taken in pairs, and one goes to each system, so that the means
    # over the pool are equal up to rounding.
    apart = np.abs(values - second)
    place = np.lexsort((rng.random(len(apart)), apart))[::-1]
    signs = np.empty(len(apart))
    first = rng.choice([-1.0, 1.0], (len(apart) + 1) // 2)
    signs[place[0::2]], signs[place[1::2]] = first, -first[: len(apart) // 2]
    middle = (values + second) / 2.0
    left = float(np.sum(signs * apart))
    # The remainder is evened out by single questions, the largest differences first.
    for at in place:
        if abs(left - 2.0 * signs[at] * apart[at]) < abs(left):
            left -= 2.0 * signs[at] * apart[at]
            signs[at] = -signs[at]
    return middle + signs * apart / 2.0, middle - signs * apart / 2.0


def _by_rule(rows: Sequence[Row], orders: int) -> pd.DataFrame:
    raw = pd.DataFrame(rows, columns=["rule", "name", "questions", "right", "wrong"])
    made: list[dict[str, Any]] = []
    for rule, of_rule in raw.groupby("rule", sort=False):
        by_name = of_rule.groupby("name", sort=False)[["right", "wrong"]].mean()
        least = str(by_name["right"].idxmax() if "deff" in str(rule) else by_name["right"].idxmin())
        made.append(
            {
                "rule": rule,
                "questions": float(of_rule["questions"].mean()),
                "right": float(of_rule["right"].mean()),
                "worst": float(by_name["right"][least]),
                "worst_name": least,
                "wrong": float(of_rule["wrong"].mean()),
                "worst_wrong": float(by_name["wrong"].max()),
                "worst_wrong_name": by_name["wrong"].idxmax() if by_name["wrong"].max() > 0 else "",
                "orders": orders,
            }
        )
    return pd.DataFrame(made)
