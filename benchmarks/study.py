"""Do samples keep their promises? Tried on pools with known scores.

**Which sampling method gives the best estimates?** Many samples are drawn. The figures are those of
survey sampling: mean absolute error, bias, design effect (mean squared error over that of a simple
random sample of the same size), rank correlation of the systems, coverage and width of the 95 %
interval, and the paper's D.

With ``--sequential``, rules that stop a run are tried, see ``stopping_study.py``.

    python benchmarks/study.py scores.csv table.csv -n 50 -n 100 --plot study.png
    python benchmarks/study.py scores.csv table.csv --sequential

The first file has one row per question (id first) and one column per system, or is the output of
``qaldgen score -q --format csv``; the second is what ``qaldgen select`` writes.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter
from numpy.typing import NDArray
from score_tables import aligned, read_features

from qaldgen.analysis.estimating.pool_mean import estimate_mean
from qaldgen.analysis.planning import pilot_scores
from qaldgen.analysis.score_files import families_of
from qaldgen.defaults import SEED
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import check_integer, one_of
from qaldgen.io.concurrency import parallel_settings
from qaldgen.io.progress import step
from qaldgen.io.result_display import result_text
from qaldgen.pictures.style import COLOURS, GREY, MARKERS, figure_bytes, paper_style
from qaldgen.sampling import METHODS, Sample, draw
from qaldgen.sampling.diversity import diversity
from qaldgen.scoring.mean_bounds import Array
from qaldgen.scoring.score import Scores
from qaldgen.selection.vectors import Vectors

#: Default sample sizes.
SIZES = (25, 50, 100, 200)
#: Methods without a random choice always give the same sample. They are given a random part of the
#: pool of this size, drawn anew each time, so that their figures are means over samples too.
SUBPOOL = 0.8


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
        return result_text([self.table.to_string(index=False)], self.notes)


def features_note(scores: pd.DataFrame, vectors: Vectors) -> tuple[str, ...]:
    """Return a note on questions without features, which cannot be drawn; none if all have them."""
    lacking = len(scores) - len(vectors)
    note = (
        f"{lacking:,} of {len(scores):,} questions have scores but no features; they are left out"
    )
    return (note,) if lacking > 0 else ()


def strangers_of(families: Mapping[str, str]) -> list[list[int]]:
    """Return for each system the places of the systems of other families."""
    family = list(families.values())
    return [[at for at, other in enumerate(family) if other != name] for name in family]


def study(
    scores: pd.DataFrame | Scores | Sequence[Scores] | str | Path,
    features: Vectors | str | Path,
    *,
    sizes: Sequence[int] = (),
    methods: Sequence[str] = (),
    n_repeats: int = 300,
    others: Mapping[str, str] | None = None,
    random_state: int = SEED,
    n_jobs: int = 1,
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
        Sample sizes; by default those of `SIZES` that are smaller than the pool.
    methods
        Sampling methods; by default all.
    n_repeats
        Number of samples per method and size.
    others
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
    """
    from joblib import Parallel, delayed

    check_integer("n_repeats", n_repeats, 1)
    check_integer("random_state", random_state, 0)
    check_integer("n_jobs", n_jobs, 1)
    names = _known_methods(methods)
    scores = pilot_scores(scores)
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
        check_integer("size", size, 1)
        if not 1 < size < pool_size:
            raise UsageError(
                f"-n {size}: the sample size must be from 2 to {pool_size - 1}, because the pool"
                f" has {pool_size} questions"
            )
    fitting = list(sizes) or [size for size in SIZES if size < pool_size]
    if not fitting:
        raise UsageError(f"the pool has only {pool_size} questions; pass smaller `sizes`")
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
            control=None if known is None else known[rows],
            control_mean=0.0 if known is None else float(known.mean()),
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


_PANELS = (
    ("mae", "Mean absolute error"), ("bias", "Bias"), ("coverage", "Coverage of the 95 % interval"),
)  # fmt: skip
#: Half a 95 % interval, in standard errors.
_HALF = 1.96
#: An axis of percentages spans at least two points.
_LEAST_SPAN = 0.02


def draw_study(table: pd.DataFrame, form: str, layout: str = "screen") -> bytes:
    """Draw the table of `study`: error, bias and coverage against N, in percent."""
    # probability designs have solid lines, purposive ones dashed lines; the bands are 95 %
    # intervals of the mean error
    with paper_style(layout) as width:
        narrow = width < 4
        size = (width, 2.1 * len(_PANELS) + 0.6) if narrow else (width, 0.36 * width + 0.7)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(len(_PANELS), 1) if narrow else figure.subplots(1, len(_PANELS))
        for axis, (column, title) in zip(axes, _PANELS, strict=True):
            for at, (method, rows) in enumerate(table.groupby("method", sort=False)):
                _draw_method(axis, rows, column, at, str(method))
            axis.set_title(title)
            axis.set_xlabel("questions in the sample")
            axis.set_xscale("log")
            axis.xaxis.set_major_locator(FixedLocator(sorted(set(table["n"].tolist()))))
            axis.xaxis.set_minor_locator(NullLocator())
            axis.xaxis.set_major_formatter("{x:g}")
            axis.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
            axis.grid(color="#dddddd", lw=0.5)
            _widen(axis)
        axes[0].set_ylim(bottom=0)
        axes[1].axhline(0, color=GREY, lw=0.8)
        axes[2].axhline(0.95, color=GREY, lw=0.8, ls="--")
        columns = 3 if narrow else 6
        figure.legend(
            *axes[0].get_legend_handles_labels(),
            loc="outside lower center",
            ncols=columns,
            frameon=False,
        )
        return figure_bytes(figure, form)


def _widen(axis: Axes) -> None:
    """Make the axis span at least `_LEAST_SPAN`."""
    # otherwise the rounding errors of a bias of 0 would fill it, and all ticks would look the same
    low, high = axis.get_ylim()
    missing = _LEAST_SPAN - (high - low)
    if missing > 0:
        axis.set_ylim(low - missing / 2, high + missing / 2)


def _draw_method(axis: Axes, rows: pd.DataFrame, column: str, at: int, name: str) -> None:
    line = "-" if set(rows["design"]) == {"probability"} else "--"
    colour = COLOURS[at % len(COLOURS)]
    axis.plot(
        rows["n"],
        rows[column],
        label=name,
        marker=MARKERS[at % 10],
        color=colour,
        ls=line,
        lw=1.2,
        ms=4,
    )
    if column == "mae" and rows["mae_se"].notna().any():
        reach = _HALF * rows["mae_se"].fillna(0.0)
        axis.fill_between(
            rows["n"], rows[column] - reach, rows[column] + reach, color=colour, alpha=0.15, lw=0
        )


def main() -> None:
    """Print the table of a study of own scores."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scores", type=Path)
    parser.add_argument("features", type=Path)
    parser.add_argument("-n", dest="sizes", type=int, action="append", help="sample sizes")
    parser.add_argument("--methods", default="", help="sampling methods, by default all")
    parser.add_argument("--repeats", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--others", action="store_true", help="adjust by the other systems' scores")
    parser.add_argument("--sequential", action="store_true", help="study the rules that stop a run")
    parser.add_argument("--plot", type=Path, help="error, bias and coverage against n, as .png")
    asked = parser.parse_args()
    how = {"n_repeats": asked.repeats, "n_jobs": asked.jobs}
    if asked.sequential:
        from stopping_study import study_sequential  # needs the plug-in

        print(study_sequential(asked.scores, asked.features, **how))
        return
    studied = study(
        asked.scores,
        asked.features,
        sizes=asked.sizes or (),
        methods=[name for name in asked.methods.split(",") if name],
        others={} if asked.others else None,
        **how,
    )
    if asked.plot is not None:
        asked.plot.write_bytes(draw_study(studied.table, asked.plot.suffix.removeprefix(".")))
    print(studied)


if __name__ == "__main__":
    main()
