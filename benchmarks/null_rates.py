"""How often intervals cover the truth, and how often tests and searches raise a false alarm.

Populations are real scores of systems on QALD-9 where they are at hand, else synthetic. All figures
are shares of simulations.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from bench_tools import ROOT, one_thread, parser, print_header, print_table
from numpy.typing import NDArray

from qaldgen.analysis.comparing.comparison import compare_runs
from qaldgen.analysis.comparing.multiplicity import CORRECTIONS, Significance
from qaldgen.analysis.comparing.significance import paired_tests
from qaldgen.analysis.slices.slicing import ALL, Slice, slices_by
from qaldgen.scoring.intervals import interval, measure_interval
from qaldgen.scoring.measures import find_measure, summed_columns

Array = NDArray[np.float64]
#: At most this share of false alarms, and this share of intervals that hold the truth.
ALPHA, LEVEL = 0.05, 0.95
#: Populations with rare or skewed scores.
HARD: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "5 % right": lambda rng, n: (rng.random(n) < 0.05).astype(float),
    "5 % right, small rest": lambda rng, n: np.where(
        rng.random(n) < 0.05, 1.0, 0.02 * rng.random(n)
    ),
    "8 % partly right": lambda rng, n: np.where(
        rng.random(n) < 0.08, rng.triangular(0.0, 0.2, 1.0, n), 0.0
    ),
    "log-normal": lambda rng, n: np.minimum(np.exp(rng.normal(-4.0, 1.5, n)), 1.0),
    "5 % wrong, else nearly right": lambda rng, n: np.where(
        rng.random(n) < 0.05, 0.0, 1.0 - 0.02 * rng.random(n)
    ),
}
#: How many answers questions have, and the measures of them.
ANSWERS: dict[str, Callable[[np.random.Generator, int], NDArray[np.int64]]] = {
    "geometric": lambda rng, n: rng.geometric(0.5, n),
    "log-normal": lambda rng, n: np.maximum(1, np.exp(rng.normal(0.7, 1.2, n)).astype(np.int64)),
    "8 % long lists": lambda rng, n: np.where(rng.random(n) < 0.08, rng.integers(20, 80, n), 1),
}
RATIOS = ("macro-f1-qald", "micro-precision", "micro-recall", "micro-f1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return 1 if false alarms are significantly more frequent than nominal."""
    options = parser(__doc__)
    options.add_argument(
        "--repeats", type=int, default=500, help="simulations a figure (default 500)"
    )
    given = options.parse_args(arguments)
    repeats = 4 if given.quick else given.repeats
    print_header(__doc__)
    scores, features = _data(quick=given.quick)
    with one_thread():
        sizes = (5, 20) if given.quick else (5, 10, 20, 50, 100, 200)
        header = [
            "n",
            "0/1",
            "graded",
            "0/1, pool",
            "graded, pool",
            "weighted",
            "weighted, other way",
            "difference",
        ]
        print_table(
            "Coverage of intervals of means",
            header,
            _coverage(scores, sizes, repeats),
            markdown=given.markdown,
        )
        rows = _hard_coverage(sizes[1:], repeats)
        print_table(
            "Coverage where good answers are rare", ["n", *HARD], rows, markdown=given.markdown
        )
        header = ["answers to a question", "n", *RATIOS]
        print_table(
            "Coverage of other measures",
            header,
            _ratio_coverage(sizes[1:], repeats),
            markdown=given.markdown,
        )
        alarms = _false_alarms(scores, features, repeats)
        alarms += _skewed_alarms(sizes[1:], repeats)
        rows = [[name, f"{share:.3f}", str(count)] for name, share, count in alarms]
        print_table(
            "False alarms under a true null, at 0.05",
            ["what", "share", "simulations"],
            rows,
            markdown=given.markdown,
        )
    allowed = [ALPHA + 2.6 * np.sqrt(ALPHA * (1 - ALPHA) / count) for *_, count in alarms]
    return int(any(share > limit for (_, share, _), limit in zip(alarms, allowed, strict=True)))


def _data(*, quick: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return scores of systems and features of questions."""
    folder = (
        Path(os.environ.get("QALDGEN_TEST_DATA", ROOT.parent / "shared" / "data")) / "system-scores"
    )
    if (folder / "Y_qald9_kbqa.csv").is_file() and not quick:
        scores, features = (
            pd.read_csv(folder / f"{kind}_qald9_kbqa.csv", index_col=0) for kind in "YF"
        )
        keep = ~scores.index.duplicated()
        return scores[keep], features[keep].round(3)
    print("SYNTHETIC scores and features\n")
    rng = np.random.default_rng(0)
    flags = {f"flag{at}": rng.random(400) < 0.3 for at in range(12)}
    made = {
        name: rng.choice([0.0, 0.5, 1.0], 400, p=[1 - chance, 0.1, chance - 0.1])
        for name, chance in (("A", 0.5), ("B", 0.3))
    }
    return pd.DataFrame(made), pd.DataFrame({**flags, "size": rng.poisson(6, 400)})


def _coverage(scores: pd.DataFrame, sizes: Sequence[int], repeats: int) -> list[list[str]]:
    """Return for each n the mean coverage over all systems."""
    rng = np.random.default_rng(1)
    graded = [scores[name].to_numpy(float) for name in scores]
    binary = [(one > 0.5).astype(float) for one in graded]
    gaps = [one - other for one, other in itertools.pairwise(graded)]
    rows = []
    for n in sizes:
        figures = [
            _covered(binary, n, repeats, rng),
            _covered(graded, n, repeats, rng),
            _covered(binary, n, repeats, rng, pool=True),
            _covered(graded, n, repeats, rng, pool=True),
            _covered(
                graded, n, repeats, rng, size=lambda one: (0.5 + rng.random(len(one))) * (1.0 + one)
            ),
            _covered(
                graded, n, repeats, rng, size=lambda one: (0.5 + rng.random(len(one))) * (2.0 - one)
            ),
            _covered(gaps, n, repeats, rng, bounds=(-1.0, 1.0)),
        ]
        rows.append([str(n), *(f"{figure:.3f}" for figure in figures)])
    return rows


def _covered(
    populations: Sequence[Array], n: int, repeats: int, rng: np.random.Generator, *,
    pool: bool = False, size: Callable[[Array], Array] | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> float:  # fmt: skip
    """Return how often the interval of a sample holds the mean of its population.

    `size` draws in proportion to it.
    """
    held = []
    for population in populations:
        sizes = None if size is None else size(population)
        chances = None if sizes is None else sizes / sizes.sum()
        for _ in range(repeats):
            chosen = rng.choice(len(population), n, replace=not pool, p=chances)
            weights = None if chances is None else 1.0 / chances[chosen]
            found = interval(
                population[chosen],
                weights=weights,
                population=len(population) if pool else None,
                bounds=bounds,
            )
            held.append(found.low - 1e-12 <= population.mean() <= found.high + 1e-12)
    return float(np.mean(held))


def _hard_coverage(sizes: Sequence[int], repeats: int) -> list[list[str]]:
    """Return for each n the coverage of means of rare or skewed scores."""
    rng = np.random.default_rng(5)
    populations = [draw(rng, 200_000) for draw in HARD.values()]
    return [
        [str(n), *(f"{_covered([one], n, repeats, rng):.3f}" for one in populations)] for n in sizes
    ]


def _ratio_coverage(sizes: Sequence[int], repeats: int) -> list[list[str]]:
    """Return, per distribution and n, the coverage of measures that are not plain means."""
    rng = np.random.default_rng(2)
    rows = []
    for label, draw in ANSWERS.items():
        expected = draw(rng, 20_000)
        tp = np.where(rng.random(20_000) < 0.5, rng.binomial(expected, 0.8), 0)
        fp = rng.binomial(2, 0.3, 20_000)
        whole = pd.DataFrame({"tp": tp, "fp": fp, "fn": expected - tp, "recall": tp / expected})
        whole["precision"] = np.where(tp > 0, tp / np.maximum(tp + fp, 1), 0.0)
        rows += [
            [
                label,
                str(n),
                *(f"{_ratio_covered(whole, name, n, repeats, rng):.3f}" for name in RATIOS),
            ]
            for n in sizes
        ]
    return rows


def _ratio_covered(
    whole: pd.DataFrame, name: str, n: int, repeats: int, rng: np.random.Generator
) -> float:
    """Return how often the interval of a sample holds the measure of all questions."""
    measure = find_measure(name, whole)
    truth = float(
        measure.value_or_zero(
            summed_columns(whole, measure).sum(axis=0), np.array(float(len(whole)))
        )
    )
    held = []
    for seed in range(repeats):
        found = measure_interval(
            whole.iloc[rng.integers(0, len(whole), n)], name, random_state=seed
        )
        held.append(found.low <= truth <= found.high)
    return float(np.mean(held))


def _skewed_alarms(sizes: Sequence[int], repeats: int) -> list[tuple[str, float, int]]:
    """Return how often systems with equal means differ.

    One is a little right everywhere, the other fully on a tenth.
    """
    rng = np.random.default_rng(6)
    alarms = []
    for n in sizes:
        steady = {"a": pd.DataFrame({"f1": np.full(n, 0.1)})}
        found = []
        for seed in range(repeats):
            rare = pd.DataFrame({"f1": (rng.random(n) < 0.1).astype(float)})
            everything = np.ones((len(rare), 1), dtype=bool)
            ((test,),) = paired_tests(
                [steady["a"], rare], everything, n_resamples=2000, random_state=seed
            )
            found.append(test.p <= ALPHA)
        alarms.append(
            (f"paired test, equal means, unequal skew, n = {n}", float(np.mean(found)), repeats)
        )
    return alarms


def _false_alarms(
    scores: pd.DataFrame, features: pd.DataFrame, repeats: int
) -> list[tuple[str, float, int]]:
    """Return how often anything is reported.

    Systems exchanged at random on each question, scores dealt out at random.
    """
    rng = np.random.default_rng(3)
    slices = _slices(features)
    names = [str(name) for name in scores][:3]
    both = scores[names].to_numpy(float)
    alarms: dict[str, list[bool]] = {correction: [] for correction in CORRECTIONS}
    for _ in range(repeats):
        mixed = rng.permuted(both, axis=1)
        systems = {
            name: pd.DataFrame({"f1": mixed[:, at]}, index=scores.index)
            for at, name in enumerate(names)
        }
        seed = int(rng.integers(2**31))
        for correction, found in alarms.items():
            pairs = compare_runs(
                systems,
                slices,
                tests=Significance(correct=correction, n_resamples=1000, random_state=seed),
            ).pairs
            found.append(bool((pairs.loc[pairs["slice"] != ALL, "p_adjusted"] <= ALPHA).any()))
    what = f"compare, {len(names)} systems, {len(slices)} slices"
    return [
        (f"{what}, {correction}", float(np.mean(found)), repeats)
        for correction, found in alarms.items()
    ]


def _slices(features: pd.DataFrame) -> list[Slice]:
    return [one for name in list(features)[-12:] for one in slices_by(features, str(name))]


if __name__ == "__main__":
    sys.exit(main())
