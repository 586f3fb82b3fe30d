"""Which sampling method gives the best estimates? Draw many samples from a pool and compare.

The full scores of the pool are known. The figures are those of survey sampling: mean absolute
error, bias, design effect (mean squared error over that of a simple random sample of the same
size), rank correlation of the systems, coverage and width of the 95 % interval, and the paper's D.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qaldgen.analysis.estimating.pool_mean import estimate_mean
from qaldgen.analysis.planning.questions_needed import score_table
from qaldgen.analysis.score_files import (
    aligned,
    families_of,
    features_note,
    read_features,
    strangers_of,
)
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import check_whole, one_of
from qaldgen.io.concurrency import parallel_settings
from qaldgen.io.progress import step
from qaldgen.io.text import helpful, printed
from qaldgen.options import Count, Methods, Seed, Several
from qaldgen.pictures.style import DEFAULT
from qaldgen.sampling import METHODS, Sample, draw
from qaldgen.sampling.diversity import diversity
from qaldgen.scoring.score import Scores
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd


Array = NDArray[np.float64]

#: Default sample sizes.
SIZES = (25, 50, 100, 200)
#: Methods without a random choice always give the same sample. They are given a random part of the
#: pool of this size, drawn anew each time, so that their figures are means over samples too.
SUBPOOL = 0.8


@helpful
@dataclasses.dataclass(frozen=True)
class Study:
    """Which sampling methods are unbiased.

    Attributes
    ----------
    table : DataFrame
        One row for each method and size: ``design`` (probability or purposive), ``mae`` and its
        standard error ``mae_se``, ``bias`` and the worst system's, ``deff`` (design effect),
        ``effective_size`` (random questions with the same error), ``tau`` (Kendall's tau-b with the
        full ranking), ``coverage`` and ``worst_coverage`` of the 95 % intervals (for purposive
        methods: of the naive one), ``width``, ``D``.
    notes : tuple of str
        How many questions were left out.
    """

    table: pd.DataFrame
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the table and the notes."""
        return printed([self.table.to_string(index=False)], self.notes)

    def draw(self, form: str, layout: str = DEFAULT) -> bytes:
        """Draw error, bias and coverage against the size.

        Parameters
        ----------
        form
            ``png``, ``svg`` or ``pdf``.
        layout
            ``screen``, or for a paper ``one-column`` or ``two-column``.

        Returns
        -------
        bytes
            The content of the file.
        """
        from qaldgen.pictures.line_charts import draw_study

        return draw_study(self.table, form, layout)


def study(
    scores: pd.DataFrame | Scores | Sequence[Scores] | str | Path,
    features: Vectors | str | Path,
    *,
    sizes: Sequence[Several] = (),
    methods: Sequence[Methods] = (),
    n_repeats: Count = 300,
    others: Mapping[str, str] | None = None,
    random_state: Seed = 0,
    n_jobs: Count = 1,
) -> Study:
    """Compare sampling methods on systems whose scores on all questions are known.

    Parameters
    ----------
    scores
        One row per question (index: its id), one column per system, values 0 to 1; or their CSV
        file; or what `score` returns for a system or several.
    features
        What `select` returns for the same questions, or the CSV file that ``qaldgen select``
        writes.
    sizes
        Sample size. Default: 25, 50, 100, 200.

        Those of them that are smaller than the pool.
    methods
        Sampling methods, comma-separated. Default: all.
    n_repeats
        Number of samples per method and size.
    others
        Do not use related systems of one family to adjust each other.

        System to family: adjust probability designs by the results of systems of other families; a
        system that is not named is a family of its own. None for not at all.
    random_state
        Seed of the first sample.
    n_jobs
        Number of processes.

    Returns
    -------
    Study
        The table, and what was left out.

    Raises
    ------
    UsageError
        If a method is unknown, a size is not smaller than the pool, or all systems are of one
        family and other results are to be used.
    DataError
        If a file cannot be read, a question has features but no scores, or a score is missing.

    Examples
    --------
    >>> import qaldgen as qg
    >>> import pandas as pd
    >>> table = qg.select([{"id": f"{n}", "question": f"What is {n}?"} for n in range(60)])
    >>> scores = pd.DataFrame({"mine": [n % 2 for n in range(60)]}, index=map(str, range(60)))
    >>> study(scores, table, sizes=[20], methods=["random"], n_repeats=20).table["samples"].tolist()
    [20]
    """
    import pandas as pd
    from joblib import Parallel, delayed

    check_whole("n_repeats", n_repeats, 1)
    check_whole("random_state", random_state, 0)
    check_whole("n_jobs", n_jobs, 1)
    names = _known_methods(methods)
    scores, _ = score_table(scores)
    vectors = read_features(features) if isinstance(features, (str, Path)) else features
    cells = [(name, size) for size in _fitting_sizes(sizes, len(vectors)) for name in names]
    table = aligned(scores, vectors)
    strangers = None if others is None else strangers_of(families_of(scores.columns, others))
    if strangers is not None and not all(strangers):
        raise UsageError(
            "all systems are of one family; there are no others whose results could help"
        )
    rows = []
    # Four parts for each process keep all of them busy although parts differ in length.
    seeds = np.array_split(
        np.arange(random_state, random_state + n_repeats), max(1, min(n_jobs * 4, n_repeats))
    )
    with (
        Parallel(n_jobs=n_jobs, **parallel_settings()) as pool,
        step("drawing samples", len(cells) * n_repeats) as advance,
    ):
        for name, size in cells:
            fixed = _is_fixed(vectors, size, name)
            parts = pool(
                delayed(_draws)(table, strangers, vectors, name, size, part, fixed)
                for part in seeds
            )
            rows.append(_figures(name, size, [drawn for part in parts for drawn in part]))
            advance(n_repeats)
    return Study(pd.DataFrame(rows), features_note(scores, vectors))


def _known_methods(names: Sequence[str]) -> list[str]:
    """Return the names of sampling methods, all if none is named."""
    unknown = next((name for name in names if name not in METHODS), None)
    if unknown is not None:
        raise UsageError(f"unknown method {unknown!r}; {one_of(unknown, METHODS)}")
    return list(names) or list(METHODS)


def _fitting_sizes(sizes: Sequence[int], pool_size: int) -> list[int]:
    """Return the given sizes, or of the default ones those that fit."""
    for size in sizes:
        check_whole("size", size, 1)
        if not 1 < size < pool_size:
            raise UsageError(
                f"-n {size}: the sample size must be from 2 to {pool_size - 1}, because the pool"
                f" has {pool_size} questions"
            )
    fitting = list(sizes) or [size for size in SIZES if size < pool_size]
    if not fitting:
        raise UsageError(
            f"the pool has only {pool_size} questions; pass smaller sample sizes with -n"
        )
    return fitting


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
    rows, n, size = drawn.chosen, len(drawn.chosen), len(table)
    truth, honest = table.mean(axis=0), drawn.inclusion is not None
    # a purposive sample is taken as its users do, as if it were a simple random one
    inclusion = np.full(n, n / size) if drawn.inclusion is None else drawn.inclusion
    # Simple random samples are not spread over the features, so neighbours would say nothing.
    features = pool.matrix[rows] if honest and name != "random" else None
    estimates = []
    for system, scores in enumerate(table.T):
        known = table[:, others[system]].mean(axis=1) if honest and others is not None else None
        found = estimate_mean(
            scores[rows],
            inclusion,
            size,
            features=features,
            others=None if known is None else known[rows],
            others_mean=0.0 if known is None else float(known.mean()),
        )
        estimates.append(found[:3])
    value, low, high = np.array(estimates).T
    return _Draw(
        error=value - truth,
        hit=np.where(np.isnan(low), np.nan, (low <= truth) & (truth <= high)),
        width=high - low,
        estimates=value,
        truth=truth,
        random_variance=table.var(axis=0, ddof=1) * (1 / n - 1 / size),
        pool_size=size,
        diversity=diversity(pool.matrix[drawn.chosen]),
        honest=honest,
    )


def _figures(name: str, size: int, draws: list[_Draw]) -> dict[str, object]:
    """Return one row of the table; figures are means over systems of means over samples."""
    from scipy.stats import kendalltau

    if not draws:
        return {"method": name, "n": size, "samples": 0}
    error = np.array([drawn.error for drawn in draws])
    square, chance = (
        np.mean(error**2, axis=0),
        np.mean([drawn.random_variance for drawn in draws], axis=0),
    )
    deff = float(np.mean(square / np.where(chance > 0, chance, np.nan)))
    ranked = [
        kendalltau(drawn.estimates, drawn.truth).statistic
        for drawn in draws
        if len(drawn.truth) > 1
    ]
    taus = [tau for tau in ranked if tau == tau]  # NaN where all systems are equal
    # NaN where samples are too small for an interval.
    hit = np.mean([drawn.hit for drawn in draws], axis=0)
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
        "width": float(np.mean([drawn.width for drawn in draws])),
        "D": float(np.mean([drawn.diversity for drawn in draws])),
    }
