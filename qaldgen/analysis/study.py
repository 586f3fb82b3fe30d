"""Which sampling method gives the best estimates? Draw many samples from a pool and compare.

The full scores of the pool are known. The figures are those of survey sampling: mean absolute
error, bias, design effect (mean squared error over that of a simple random sample of the same
size), rank correlation of the systems, coverage and width of the 95 % interval, and the paper's D.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qaldgen.analysis.estimation import Estimate, estimate_mean
from qaldgen.errors import DataError, UsageError
from qaldgen.formats.rdf_questions import local_names
from qaldgen.io.arguments import check_whole
from qaldgen.io.workers import watched
from qaldgen.sampling import METHODS, Sample, draw
from qaldgen.sampling.diversity import diversity
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

#: Methods without a random choice always give the same sample. They are given a random part of the
#: pool of this size, drawn anew each time, so that their figures are means over samples too.
SUBPOOL = 0.8


@dataclasses.dataclass(frozen=True)
class _Draw:
    """What one sample says about all systems: errors, interval hits, widths and estimates."""

    error: Array
    hit: Array
    width: Array
    estimates: Array
    truth: Array
    random_variance: Array
    pool_size: int
    diversity: float
    honest: bool


@dataclasses.dataclass(frozen=True)
class Trials:
    """Which samples a study draws.

    Attributes
    ----------
    sizes : sequence of int
        The sample sizes; those not smaller than the pool are left out.
    methods : sequence of str
        Names in `sampling.METHODS`; empty for all.
    n_repeats : int
        Samples for each method and size.
    random_state : int
        The first seed.

    Raises
    ------
    UsageError
        If a number is out of its range.
    """

    sizes: Sequence[int] = (25, 50, 100, 200)
    methods: Sequence[str] = ()
    n_repeats: int = 300
    random_state: int = 0

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        for size in self.sizes:
            check_whole("size", size, 1)
        check_whole("n_repeats", self.n_repeats, 1)
        check_whole("random_state", self.random_state, 0)

    def cells(self, pool_size: int) -> list[tuple[str, int]]:
        """Return each method with each size that is smaller than the pool.

        Parameters
        ----------
        pool_size
            Questions in the pool.

        Returns
        -------
        list[tuple[str, int]]
            Pairs of method and size, all methods of a size together.
        """
        names = self.methods or list(METHODS)
        return [(name, size) for size in self.sizes if size < pool_size for name in names]


def study(
    scores: pd.DataFrame,
    vectors: Vectors,
    trials: Trials | None = None,
    *,
    others: Mapping[str, str] | None = None,
    n_jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> pd.DataFrame:
    """Compare sampling methods on systems whose scores on all questions are known.

    Parameters
    ----------
    scores
        One row per question (index: its id), one column per system, values 0 to 1.
    vectors
        The features of the same questions, in any order.
    trials
        Which samples are drawn; None for the defaults of `Trials`.
    others
        System to family: use the results of the systems of other families as a control variate. A
        system that is not named is a family of its own. None uses no other results.
    n_jobs
        Processes, through joblib.
    progress
        Called with the number of samples that are done.

    Returns
    -------
    pandas.DataFrame
        One row for each method and size: ``design`` (probability or purposive), ``mae`` and its
        standard error ``mae_se``, ``bias`` and the worst system's, ``deff`` (design effect),
        ``effective_size`` (random questions with the same error), ``tau`` (Kendall's tau-b with the
        full ranking), ``coverage`` and ``worst_coverage`` of the 95 % intervals (for purposive
        methods: of the naive one), ``width``, ``D``.

    Raises
    ------
    DataError
        If a question has features but no scores, or a score is missing.
    UsageError
        If all systems are of one family and other results are to be used.
    """
    import pandas as pd
    from joblib import Parallel, delayed

    check_whole("n_jobs", n_jobs, 1)
    how = trials or Trials()
    table = aligned(scores, vectors)
    related = None if others is None else _others(scores, others)
    told = progress or (lambda done: None)
    rows = []
    # Four parts for each process keep all of them busy although parts differ in length.
    first, parts_wanted = how.random_state, max(1, min(n_jobs * 4, how.n_repeats))
    seeds = np.array_split(np.arange(first, first + how.n_repeats), parts_wanted)
    with Parallel(n_jobs=n_jobs, **watched()) as pool:
        for name, size in how.cells(len(vectors)):
            fixed = _is_fixed(vectors, size, name)
            parts = pool(
                delayed(_draws)(table, related, vectors, name, size, part, fixed) for part in seeds
            )
            rows.append(_figures(name, size, [one for part in parts for one in part]))
            told(how.n_repeats)
    return pd.DataFrame(rows)


def aligned(scores: pd.DataFrame, vectors: Vectors) -> Array:
    """Return the scores in the order of the features.

    Ids may repeat only if both tables have the same rows in the same order. If one table has IRIs
    and the other short ids, the last part of the IRI is the id.

    Parameters
    ----------
    scores
        One row per question (index: its id), one column per system.
    vectors
        The features of the questions.

    Returns
    -------
    Array
        Shape (questions, systems).

    Raises
    ------
    DataError
        If a question has no scores or several, or a score is not within 0 and 1.
    """
    if list(scores.index) != list(vectors.ids):
        ids = list(vectors.ids)
        if not set(ids) & set(scores.index):
            ids, scores = local_names(ids), scores.set_axis(local_names(list(scores.index)), axis=0)
        absent = [name for name in ids if name not in scores.index]
        if absent:
            raise DataError(
                f"{len(absent)} of {len(ids)} questions have features but no scores (first:"
                f" {absent[0]}; ids of the scores look like {scores.index[0]}); both tables must"
                " use the same ids (01 is not 1)"
            )
        if not scores.index.is_unique:
            doubled = scores.index[scores.index.duplicated()][0]
            raise DataError(f"question {doubled} has scores twice; give every question one row")
        scores = scores.loc[ids]
    table = scores.to_numpy(dtype=float)
    if not ((table >= 0) & (table <= 1)).all():
        raise DataError(
            "a score is missing or not within 0 and 1;"
            " every system needs a score for every question"
        )
    return table


def _others(scores: pd.DataFrame, families: Mapping[str, str]) -> list[list[int]]:
    """Return for each system the columns of the systems of other families."""
    family = [families.get(str(name), str(name)) for name in scores.columns]
    strangers = [[at for at, other in enumerate(family) if other != own] for own in family]
    if not all(strangers):
        raise UsageError(
            "all systems are of one family; there are no others whose results could help"
        )
    return strangers


def _is_fixed(vectors: Vectors, size: int, name: str) -> bool:
    """Say whether a method makes no random choice here."""
    first, second = (_try(vectors, size, name, seed) for seed in (0, 1))
    return (
        first is not None
        and second is not None
        and np.array_equal(np.sort(first.chosen), np.sort(second.chosen))
    )


def _try(vectors: Vectors, size: int, name: str, seed: int) -> Sample | None:
    try:
        return draw(vectors, size, name, random_state=seed)
    except DataError:
        return None  # for instance, DBSCAN leaves too few questions


def _draws(
    table: Array,
    others: list[list[int]] | None,
    vectors: Vectors,
    name: str,
    size: int,
    seeds: NDArray[np.intp],
    fixed: bool,
) -> list[_Draw]:
    draws = []
    for seed in seeds.tolist():
        rows = np.arange(len(vectors))
        if fixed and size < SUBPOOL * len(vectors):
            rows = np.sort(
                np.random.default_rng(seed).choice(
                    len(vectors), int(SUBPOOL * len(vectors)), replace=False
                )
            )
        pool = vectors.take(rows) if len(rows) < len(vectors) else vectors
        drawn = _try(pool, size, name, seed)
        if drawn is not None:
            draws.append(_measure(table[rows], others, pool, drawn, name))
    return draws


def _measure(
    table: Array, others: list[list[int]] | None, pool: Vectors, drawn: Sample, name: str
) -> _Draw:
    truth = table.mean(axis=0)
    estimates = [
        _estimate(table, others, pool, drawn, name, system) for system in range(table.shape[1])
    ]
    value = np.array([one.estimate for one in estimates])
    low, high = (np.array([getattr(one, bound) for one in estimates]) for bound in ("low", "high"))
    n, size = len(drawn.chosen), len(table)
    return _Draw(
        error=value - truth,
        hit=np.where(np.isnan(low), np.nan, (low <= truth) & (truth <= high)),
        width=high - low,
        estimates=value,
        truth=truth,
        random_variance=table.var(axis=0, ddof=1) * (1 / n - 1 / size),
        pool_size=size,
        diversity=diversity(pool.matrix[drawn.chosen]),
        honest=drawn.inclusion is not None,
    )


def _estimate(
    table: Array,
    others: list[list[int]] | None,
    pool: Vectors,
    drawn: Sample,
    name: str,
    system: int,
) -> Estimate:
    """Estimate one system's score.

    For a purposive sample as its users would, as if it were a simple random one.
    """
    rows, n = drawn.chosen, len(drawn.chosen)
    honest = drawn.inclusion is not None
    inclusion = drawn.inclusion if drawn.inclusion is not None else np.full(n, n / len(table))
    # Simple random samples are not spread over the features, so neighbours would say nothing.
    features = pool.matrix[rows] if honest and name != "random" else None
    if others is None or not honest:
        return estimate_mean(table[rows, system], inclusion, len(table), features=features)
    known = table[:, others[system]].mean(axis=1)
    return estimate_mean(
        table[rows, system],
        inclusion,
        len(table),
        features=features,
        others=known[rows],
        others_mean=float(known.mean()),
    )


def _figures(name: str, size: int, draws: list[_Draw]) -> dict[str, object]:
    """Return one row of the table; figures are means over systems of means over samples."""
    from scipy.stats import kendalltau

    if not draws:
        return {"method": name, "n": size, "samples": 0}
    error = np.array([one.error for one in draws])
    square, chance = (
        np.mean(error**2, axis=0),
        np.mean([one.random_variance for one in draws], axis=0),
    )
    deff = float(np.mean(square / np.where(chance > 0, chance, np.nan)))
    ranked = [kendalltau(one.estimates, one.truth).statistic for one in draws if len(one.truth) > 1]
    taus = [tau for tau in ranked if tau == tau]  # NaN where all systems are equal
    # NaN where samples are too small for an interval.
    hit = np.mean([one.hit for one in draws], axis=0)
    per_sample = np.abs(error).mean(axis=1)
    return {
        "method": name,
        "n": size,
        "design": "probability" if draws[0].honest else "purposive",
        "samples": len(draws),
        "mae": float(per_sample.mean()),
        "mae_se": (
            float(per_sample.std(ddof=1) / np.sqrt(len(draws))) if len(draws) > 1 else float("nan")
        ),
        "bias": float(error.mean()),
        "worst_bias": float(error.mean(axis=0)[np.argmax(np.abs(error.mean(axis=0)))]),
        "deff": deff,
        # Solved for n: the simple random sample whose variance is deff times that of this size.
        "effective_size": 1 / (deff * (1 / size - 1 / draws[0].pool_size) + 1 / draws[0].pool_size),
        "tau": float(np.mean(taus)) if taus else float("nan"),
        "coverage": float(hit.mean()),
        "worst_coverage": float(hit.min()),
        "width": float(np.mean([one.width for one in draws])),
        "D": float(np.mean([one.diversity for one in draws])),
    }
