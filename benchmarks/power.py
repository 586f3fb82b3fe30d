"""Does `plan --power` keep its promise? Samples of the planned size, tested by `compare_runs`.

Only the plan is the program's: samples are drawn here, from the whole table with replacement (no
pool) or without (the table is the pool). Shares should lie between .78 and .82.

    python benchmarks/power.py ../shared/data/system-scores/Y_*.csv --repeats 1000
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from qaldgen.analysis.comparing.comparison import compare_runs
from qaldgen.analysis.planning import questions_for_difference
from qaldgen.analysis.score_files import read_scores
from qaldgen.reports.tables.results import dump_frame


def found_share(table: pd.DataFrame, n: int, repeats: int, *, pool: bool, seed: int = 1) -> float:
    """Return in how many samples of `n` questions `compare` finds a difference of two systems."""
    rng, found = np.random.default_rng(seed), 0
    for _ in range(repeats):
        rows = table.iloc[rng.choice(len(table), n, replace=not pool)].reset_index(drop=True)
        counts = {str(name): pd.DataFrame({"f1": rows[name]}) for name in table}
        found += bool(compare_runs(counts).pairs["p_adjusted"].iloc[0] <= 0.05)
    return found / repeats


def rows_of(table: pd.DataFrame, most: int, repeats: int) -> Iterator[tuple[object, ...]]:
    """Yield a row per pair of systems and kind of pool, for plans of at most `most` questions."""
    for pair in itertools.combinations(table.columns, 2):
        two = table[list(pair)]
        for pool in (False, True):
            n = questions_for_difference(
                two[pair[0]] - two[pair[1]], pool_size=len(two) if pool else None
            )
            if n is not None and n <= most:
                share = found_share(two, n, repeats, pool=pool)
                yield " - ".join(pair), len(two) if pool else None, n, share


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one table per file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--most", type=int, default=400, help="leave out larger plans")
    asked = parser.parse_args(arguments)
    for path in asked.tables:
        rows = list(rows_of(read_scores(path), asked.most, asked.repeats))
        print(f"## {path}, {asked.repeats} samples\n")
        table = pd.DataFrame(rows, columns=["systems", "pool", "planned", "found"], dtype=object)
        print(dump_frame(table, "markdown"), flush=True)


if __name__ == "__main__":
    main()
