"""How many labels does a verdict save, and do the intervals hold? The figures of docs/labels.md.

Systems that answer right or wrong stand for the labels; verdicts are made from them that agree in a
given share of the answers, and are too strict. Run it with the folder of the matrices; it prints
Markdown:

    python benchmarks/labels.py ../shared/data/system-scores --repeats 300
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import numpy as np
import pandas as pd

from qaldgen.analysis.controls import neighbours_of
from qaldgen.analysis.labelling.estimate import accuracy
from qaldgen.analysis.score_table import read_features, read_scores
from qaldgen.analysis.study import aligned
from qaldgen.reports.tables.results import dump_frame
from qaldgen.sampling.orders import spread_order

#: Of the errors of a verdict, the share that calls a right answer wrong.
STRICT = 0.7
SIZES = (40, 60, 100, 200)
AGREEMENTS = (0.84, 0.9, 0.95)


def verdicts(truth: np.ndarray, agreement: float, rng: np.random.Generator) -> np.ndarray:
    """Return verdicts that agree with the truth in a share of cases, and mostly err strictly."""
    wrong = round((1.0 - agreement) * len(truth))
    right_answers, wrong_answers = (
        rng.permutation(np.flatnonzero(truth == 1)),
        rng.permutation(np.flatnonzero(truth == 0)),
    )
    strict = min(round(STRICT * wrong), len(right_answers))
    found = truth.copy()
    found[right_answers[:strict]] = 0.0
    found[wrong_answers[: wrong - strict]] = 1.0
    return found


def trial(
    table: np.ndarray, matrix: np.ndarray, seed: int
) -> list[tuple[int, float, float, float]]:
    """Return, per number of labels and agreement, whether the interval held the truth.

    And the squared error divided by the variance.
    """
    rng, size, rows = np.random.default_rng(seed), len(table), []
    truth = table[:, seed % table.shape[1]]
    order = spread_order(matrix, rng, max(SIZES))
    said = {agreement: verdicts(truth, agreement, rng) for agreement in AGREEMENTS}
    for n in SIZES:
        own = order[:n]
        near = neighbours_of(matrix[own], size)
        for agreement, verdict in said.items():
            found = accuracy(truth[own], verdict[own], float(verdict.mean()), size, size, near)
            error = (found.estimate - truth.mean()) ** 2 / truth.var(ddof=1)
            rows.append(
                (n, agreement, float(found.low <= truth.mean() <= found.high), float(error))
            )
    return rows


def main() -> None:
    """Print one row for each number of labels and each agreement."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=300)
    asked = parser.parse_args()
    vectors = read_features(asked.folder / "F_qald9_en.csv")
    table = aligned(read_scores(asked.folder / "Y_qald9_en.csv"), vectors)
    found = [one for seed in range(asked.repeats) for one in trial(table, vectors.matrix, seed)]
    raw = pd.DataFrame(found, columns=["labels", "agreement", "held", "error"])
    rows = []
    for n, agreement in itertools.product(SIZES, AGREEMENTS):
        own = raw[(raw["labels"] == n) & (raw["agreement"] == agreement)]
        chance = 1.0 / n - 1.0 / len(table)
        worth = 1.0 / (own["error"].mean() + 1.0 / len(table))
        rows.append((n, agreement, own["held"].mean(), own["error"].mean() / chance, worth))
    columns = [
        "labels",
        "agreement",
        "coverage",
        "variance, of that of random labels alone",
        "random labels for the same error",
    ]
    print(dump_frame(pd.DataFrame(rows, columns=columns), "markdown"))


if __name__ == "__main__":
    main()
