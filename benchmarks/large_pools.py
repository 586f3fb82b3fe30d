"""The CPU time (one thread) and memory of each step from feature file to sample, on a large pool.

The data are made up: the features of Listing 1.2 and nothing else. The sample is one of the local
pivotal method.
"""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from bench_tools import (
    cpu,
    one_thread,
    parser,
    print_header,
    print_table,
    seconds,
    synthetic_file,
    yes,
)

from qaldgen.benchmark.make import sample
from qaldgen.sampling import diversity
from qaldgen.selection.select import select
from qaldgen.stores.local import open_file

Result = TypeVar("Result")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if the sample has not the size asked for."""
    options = _arguments(argv)
    print_header(__doc__)
    with one_thread(), synthetic_file(options.questions, fillers=2) as path:
        return measure(path, options.size, markdown=options.markdown)


def measure(path: Path, size: int, *, markdown: bool) -> int:
    """Measure the steps one after the other, and print the table."""
    table: list[tuple[str, ...]] = []

    def step(name: str, work: Callable[[], Result]) -> Result:
        spent, result = cpu(work)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        table.append((name, seconds(spent), f"{peak:,.0f}"))
        return result

    source = step("load", lambda: open_file(path))
    vectors = step("select", lambda: select(source, "listing-1.2"))
    drawn = step("sample (lpm)", lambda: sample(vectors, size, method="lpm"))
    draws = diversity.n_random_samples(vectors, size, "lpm")
    step("random samples", lambda: diversity.measure_random_samples(vectors, size, repeats=draws))
    title = f"{len(vectors):,} questions, {size:,} chosen; CPU seconds, peak memory so far in MB"
    print_table(title, ("step", "seconds", "MB"), table, markdown=markdown)
    print(f"the sample has the size asked for: {yes(len(drawn.members) == size)}")
    return 0 if len(drawn.members) == size else 1


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    options = parser(__doc__)
    options.add_argument("--questions", type=int, help="questions of the pool (100000)")
    options.add_argument("--size", type=int, help="questions of the sample (1000)")
    given = options.parse_args(argv)
    given.questions = given.questions or (500 if given.quick else 100_000)
    given.size = given.size or (20 if given.quick else 1000)
    return given


if __name__ == "__main__":
    sys.exit(main())
