"""How the samplers grow with the number of questions and of exemplars.

Measured is the CPU time of one thread, one run each, on random vectors of 50 features, no two
alike. Methods that look at every question once for each exemplar should take ten times as long for
ten times as many of either; the last columns show by which power of the number of questions and of
exemplars the time grows between the two largest sizes that were measured (1 is linear). Left out
("-") is what would take longer than --max-seconds, judged by the sizes measured before, and k-means
above --max-kmeans questions; also what asks for more exemplars than there are questions.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from functools import partial

from bench_tools import (
    choose,
    cpu,
    one_thread,
    parser,
    print_header,
    print_table,
    seconds,
    synthetic_uniform,
    whole_numbers,
    yes,
)

from qaldgen.sampling import METHODS

DEFAULT = "feasible-exmp,feasible,farthest-first,km++,random"
Measured = Mapping[tuple[str, int, int], float]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if a sample is not of the size asked for."""
    options = _arguments(argv)
    print_header(__doc__)
    measured: dict[tuple[str, int, int], float] = {}
    complete = True
    with one_thread():
        for method in options.methods:
            choose(
                synthetic_uniform(20, 2), 2, method
            )  # what is imported on first use does not count
        for questions in options.questions:
            vectors = synthetic_uniform(questions, options.features)
            for method in options.methods:
                for k in options.exemplars:
                    if _worth(method, questions, k, measured, options):
                        measured[method, questions, k], sample = cpu(
                            partial(choose, vectors, k, method)
                        )
                        complete &= len(set(sample.chosen.tolist())) == k
    _print(measured, options)
    print(f"every sample has k different questions: {yes(complete)}")
    return 0 if complete else 1


def _worth(
    method: str, questions: int, k: int, measured: Measured, options: argparse.Namespace
) -> bool:
    """Whether a size is possible and, judging by the largest ones so far, not too slow."""
    if k >= questions or (method == "km++" and questions > options.max_kmeans):
        return False
    before = [
        seconds_ * max(questions / n, 1.0) * max(k / size, 1.0)
        for (name, n, size), seconds_ in measured.items()
        if name == method and n <= questions and size <= k
    ]
    return min(before, default=0.0) <= float(options.max_seconds)


def _print(measured: Measured, options: argparse.Namespace) -> None:
    rows = []
    for method in options.methods:
        for questions in options.questions:
            cells = [seconds(measured.get((method, questions, k))) for k in options.exemplars]
            if set(cells) != {"-"}:
                rows.append(
                    [method, f"{questions:,}", *cells, _power_of_k(method, questions, measured)]
                )
        rows[-1].append(_power_of_n(method, measured))
    rows = [row if len(row) == len(options.exemplars) + 4 else [*row, ""] for row in rows]
    print_table(
        f"CPU seconds, {options.features} features",
        [
            "method",
            "questions",
            *(f"k = {k:,}" for k in options.exemplars),
            "power of k",
            "power of questions",
        ],
        rows,
        markdown=options.markdown,
    )


def _power_of_k(method: str, questions: int, measured: Measured) -> str:
    return _power(
        sorted(
            (k, value)
            for (name, n, k), value in measured.items()
            if (name, n) == (method, questions)
        )
    )


def _power_of_n(method: str, measured: Measured) -> str:
    """Return the exponent with which time grows with the number of questions.

    It is measured at the largest size that two numbers of questions share.
    """
    by_k: dict[int, list[tuple[int, float]]] = {}
    for (name, n, k), value in measured.items():
        if name == method:
            by_k.setdefault(k, []).append((n, value))
    shared = [k for k, points in by_k.items() if len(points) > 1]
    return _power(sorted(by_k[max(shared)])) if shared else "-"


def _power(points: Sequence[tuple[int, float]]) -> str:
    if len(points) < 2 or min(value for _, value in points[-2:]) < 1e-3:
        return "-"
    (size, value), (next_size, next_value) = points[-2:]
    return f"{math.log(next_value / value) / math.log(next_size / size):.2f}"


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    options = parser(__doc__)
    options.add_argument(
        "--questions", type=whole_numbers, help="numbers of questions (5000,50000,100000,1000000)"
    )
    options.add_argument(
        "--exemplars", type=whole_numbers, help="numbers of exemplars (10,100,1000)"
    )
    options.add_argument("--features", type=int, default=50, help="features of a question (50)")
    options.add_argument("--methods", default=DEFAULT, help=f"comma-separated ({DEFAULT})")
    options.add_argument(
        "--max-seconds", type=float, default=60.0, help="longest single measurement (60)"
    )
    options.add_argument(
        "--max-kmeans", type=int, default=50_000, help="most questions for k-means (50000)"
    )
    given = options.parse_args(argv)
    given.questions = sorted(
        given.questions or ([500, 2000] if given.quick else [5000, 50_000, 100_000, 1_000_000])
    )
    given.exemplars = sorted(given.exemplars or ([5, 50] if given.quick else [10, 100, 1000]))
    given.methods = given.methods.split(",")
    unknown = [method for method in given.methods if method not in METHODS]
    if unknown:
        options.error(f"--methods {unknown[0]!r} is unknown; choose from {', '.join(METHODS)}")
    return given


if __name__ == "__main__":
    sys.exit(main())
