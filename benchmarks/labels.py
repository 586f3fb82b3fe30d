"""How many labels does a verdict save, and do the intervals hold? For docs/answers-in-words.md.

Systems that answer right or wrong stand for the labels; verdicts are made from them that agree in a
given share of the answers. Their errors are mostly too strict, or all of them are. Run it with the
folder of the matrices; it prints Markdown:

    python benchmarks/labels.py ../shared/data/system-scores --repeats 1000
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
from score_tables import aligned, read_features

from qaldgen.analysis.estimating.regression_estimate import neighbours_of
from qaldgen.analysis.score_files import read_scores
from qaldgen.plugins.labelling.accuracy import estimate_accuracy
from qaldgen.reports.tables.results import dump_frame
from qaldgen.sampling.pivotal import spread_order

#: Of the errors of a verdict, the share that calls a right answer wrong: most of them, or all.
STRICT = (0.7, 1.0)
SIZES = (40, 60, 100, 200)
AGREEMENTS = (0.75, 0.84, 0.9, 0.95)
#: Stands for labels alone.
ALONE = (float("nan"), float("nan"))


def verdicts(
    truth: np.ndarray, agreement: float, strict: float, rng: np.random.Generator
) -> np.ndarray:
    """Return verdicts that agree with the truth in a share of the answers."""
    wrong = round((1.0 - agreement) * len(truth))
    right_answers, wrong_answers = (
        rng.permutation(np.flatnonzero(truth == 1)),
        rng.permutation(np.flatnonzero(truth == 0)),
    )
    too_strict = min(round(strict * wrong), len(right_answers))
    found = truth.copy()
    found[right_answers[:too_strict]] = 0.0
    found[wrong_answers[: wrong - too_strict]] = 1.0
    return found


def least_variance(truth: np.ndarray, verdict: np.ndarray) -> float:
    """Return the share of the variance that is left to who knows the verdict's error rates."""
    left = sum(
        truth[verdict == value].var() * (verdict == value).mean() for value in np.unique(verdict)
    )
    return float(left / truth.var())


def trial(table: np.ndarray, matrix: np.ndarray, seed: int) -> list[tuple[float, ...]]:
    """Return a row for each number of labels and kind of verdict.

    After these: whether the interval held the truth, the squared error over the variance of the
    labels, and the least possible variance.
    """
    rng, size = np.random.default_rng(seed), len(table)
    rows: list[tuple[float, ...]] = []
    truth = table[:, seed % table.shape[1]]
    order = spread_order(matrix, rng, max(SIZES))
    kinds = list(itertools.product(AGREEMENTS, STRICT))
    said = {kind: verdicts(truth, *kind, rng) for kind in kinds}
    said[ALONE] = np.full(size, np.nan)
    for n in SIZES:
        own = order[:n]
        near = neighbours_of(matrix[own], size)
        for kind, verdict in said.items():
            found = estimate_accuracy(truth[own], own, verdict, size, near)
            error = (found.estimate - truth.mean()) ** 2 / truth.var(ddof=1)
            held = found.low - 1e-9 <= truth.mean() <= found.high + 1e-9
            least = 1.0 if kind is ALONE else least_variance(truth, verdict)
            rows.append((n, *kind, float(held), float(error), least))
    return rows


def same_error(variance: float, n: int, size: int) -> float:
    """Return how many random labels have a share of the variance of `n`."""
    return 1.0 / (variance * (1.0 / n - 1.0 / size) + 1.0 / size)


def main() -> None:
    """Print one row for each number of labels, agreement and kind of error."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=1000)
    asked = parser.parse_args()
    vectors = read_features(asked.folder / "F_qald9_en.csv")
    table = aligned(read_scores(asked.folder / "Y_qald9_en.csv"), vectors)
    found = [one for seed in range(asked.repeats) for one in trial(table, vectors.matrix, seed)]
    keys = ["agreement", "strict", "labels"]
    raw = pd.DataFrame(found, columns=["labels", *keys[:2], "coverage", "error", "least"])
    means = raw.groupby(keys, dropna=False).mean().reset_index()
    size = len(table)
    rows = []
    for one in means.to_dict("records"):
        n = int(one["labels"])
        variance = one["error"] / (1.0 / n - 1.0 / size)
        told = [one["agreement"], one["strict"], n, one["coverage"], variance, one["least"]]
        rows.append((*told, same_error(variance, n, size), same_error(one["least"], n, size)))
    columns = [
        "agreement",
        "errors too strict",
        "labels",
        "coverage",
        "variance, of that of random labels alone",
        "least possible",
        "random labels for the same error",
        "most possible",
    ]
    print(dump_frame(pd.DataFrame(rows, columns=columns), "markdown"))


if __name__ == "__main__":
    main()
