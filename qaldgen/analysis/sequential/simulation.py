"""Do the rules keep their promises? Each one is run on many orders of a pool with known scores.

The scores known of others never include relatives here: the question is how well a rule does for a
system of a new kind.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qaldgen.analysis import controls
from qaldgen.analysis.controls import Array, Many, Moments
from qaldgen.analysis.sequential.bounds import FIRST_LOOK
from qaldgen.analysis.sequential.precision import STEP
from qaldgen.analysis.sequential.race import race
from qaldgen.analysis.sequential.rehearsal import Order, Rehearsal, Stage
from qaldgen.sampling.orders import spread_order
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

#: Sizes of prefixes whose variance is compared with that of random samples.
BEGINNINGS = (25, 50, 100, 200, 300)
#: Added to the names of rules where the systems of a pair were made equally good.
EQUAL = ", equal systems"
#: The normal deviate that a peeking user takes for significant.
_NAIVE = 1.959964
#: A row of raw figures: rule, system or pair, questions, whether it was right or decided, and
#: whether the claim was wrong.
Row = tuple[str, str, float, float, float]


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
        Names of the systems.
    vectors
        The features of the questions, in the same order.
    how
        The settings.
    families
        System to family; a system that is not named is a family of its own.
    n_jobs
        Processes.
    progress
        Called with the number of orders that are done.

    Returns
    -------
    pandas.DataFrame
        One row per rule: ``rule``, ``questions`` (mean), ``right`` (share of intervals that contain
        the truth, of comparisons decided, of races that keep the best; for prefixes the design
        effect), the least favourable ``worst`` with ``worst_name``, and ``wrong`` (claims of the
        wrong sign, or any claim between equal systems), ``worst_wrong`` with ``worst_wrong_name``.
    """
    from joblib import Parallel, delayed

    told = progress or (lambda done: None)
    stage = Stage.of(table, names, vectors, families or {}, how)
    rows: list[Row] = []
    seeds = [how.random_state + at for at in range(how.n_repeats)]
    # Batches of ten orders: large enough for a process, small enough to show progress.
    batches = [seeds[at : at + 10] for at in range(0, len(seeds), 10)]
    with Parallel(n_jobs=n_jobs, return_as="generator") as pool:
        for batch, more in zip(
            batches, pool(delayed(_runs)(stage, batch) for batch in batches), strict=True
        ):
            rows += more
            told(len(batch))
    return _figures(rows, stage)


def _runs(stage: Stage, seeds: Sequence[int]) -> list[Row]:
    rows: list[Row] = []
    for seed in seeds:
        order = Order(stage, spread_order(stage.matrix, np.random.default_rng(seed)))
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


def _beginnings(order: Order) -> list[Row]:
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


def _precisions(order: Order) -> list[Row]:
    stage = order.stage
    truth = stage.table.mean(axis=0)
    columns = np.array([_column(stage, own) for own in stage.strangers])[:, :, None]
    wanted = {at: sorted(stage.how.half_widths, reverse=True) for at in range(len(stage.names))}
    rows: list[Row] = []
    for n in (*range(FIRST_LOOK, stage.size, STEP), stage.size):
        many = order.estimates(stage.table.T, n, columns)
        for at, left in wanted.items():
            one = Moments(
                float(many.estimate[at]),
                float(many.variance[at]),
                many.freedom,
                float(many.plain[at]),
            )
            low, high = controls.interval(one, n) if left else (0.0, 0.0)
            while left and ((high - low) / 2.0 <= left[0] or n == stage.size):
                right = float(low - 1e-9 <= truth[at] <= high + 1e-9)
                rows.append((f"until +-{left.pop(0):g}", stage.names[at], n, right, 0.0))
        if not any(wanted.values()):
            break
    return rows


def _column(stage: Stage, systems: Sequence[int]) -> Array:
    """Return the mean of some systems; a constant column if there are none."""
    return stage.mean_of(systems) if systems else np.zeros(stage.size)


def _comparisons(
    order: Order, pairs: Sequence[tuple[int, int]], new: Array, old: Array, kind: str
) -> list[Row]:
    """Return the claims of the rules about pairs.

    With a known baseline, paired, and for equal systems what peeking would claim.
    """
    stage = order.stage
    others = [[at for at in stage.strangers[one] if at != two] for one, two in pairs]
    columns = old[:, :, None]
    if any(others):
        columns = np.stack([old, np.array([_column(stage, own) for own in others])], axis=2)
    truth = (new - old).mean(axis=1) if not kind else np.zeros(len(pairs))
    known, paired = [], []
    for n in stage.looks.sizes:
        many = order.estimates(new, n, columns)
        known.append(_deviates(many._replace(estimate=many.estimate - old.mean(axis=1))))
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


def _deviates(many: Many) -> Array:
    """Return estimates in standard errors, as normal deviates.

    A difference without variance is infinitely many standard errors.
    """
    from scipy.special import ndtri, stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(np.abs(many.estimate) > 1e-12, many.estimate / np.sqrt(many.variance), 0.0)
    return np.asarray(-np.sign(t) * ndtri(stdtr(many.freedom, -np.abs(t))))


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
    stage = order.stage
    scores = dict(zip(stage.names, stage.table[order.rows].T, strict=True))

    def difference(one: str, two: str, n: int) -> Moments:
        outcome = order.estimates(
            (stage.table[:, at[one]] - stage.table[:, at[two]])[None], n, None, (-1, 1)
        )
        return Moments(
            float(outcome.estimate[0]),
            float(outcome.variance[0]),
            outcome.freedom,
            float(outcome.plain[0]),
        )

    at = {name: place for place, name in enumerate(stage.names)}
    outcome = race(
        scores,
        dict.fromkeys(scores, stage.size),
        difference,
        largest=stage.looks.largest,
        pool_size=stage.size,
    )
    best = stage.names[int(np.argmax(stage.table.mean(axis=0)))]
    first = outcome.standings[0].system
    return [
        ("race: best is kept", best, outcome.calls, float(best in outcome.alive), 0.0),
        ("race: best is first", best, outcome.calls, float(best == first), 0.0),
    ]


def dealt_out(one: Array, two: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return two systems that are equally good on the pool.

    On each question chance decides which of them gets which of the two scores. Questions with about
    the same difference are taken in pairs, and one goes to each system, so that the means over the
    pool are equal up to rounding.

    Parameters
    ----------
    one, two
        Scores of two systems, shape (pool,).
    rng
        The random generator.

    Returns
    -------
    tuple[Array, Array]
        Scores of the new systems, shape (pool,).
    """
    apart = np.abs(one - two)
    place = np.lexsort((rng.random(len(apart)), apart))[::-1]
    signs = np.empty(len(apart))
    first = rng.choice([-1.0, 1.0], (len(apart) + 1) // 2)
    signs[place[0::2]], signs[place[1::2]] = first, -first[: len(apart) // 2]
    middle = (one + two) / 2.0
    left = float(np.sum(signs * apart))
    # The remainder is evened out by single questions, the largest differences first.
    for at in place:
        if abs(left - 2.0 * signs[at] * apart[at]) < abs(left):
            left -= 2.0 * signs[at] * apart[at]
            signs[at] = -signs[at]
    return middle + signs * apart / 2.0, middle - signs * apart / 2.0


def _figures(rows: Sequence[Row], stage: Stage) -> pd.DataFrame:
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
