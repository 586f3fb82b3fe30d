"""FEASIBLE of qaldgen against plain Python, plain numpy, and the reference Java class.

Measured is the CPU time of one thread on the vectors of Listing 1.2 (5,543 questions, 9 features),
the least of several runs where a run takes less than 0.2 s. "Exemplars" is FEASIBLE-Exemplars,
"FEASIBLE" goes on to clusters and representatives; qaldgen's exemplars know their clusters already.
In the same run the chosen vectors are compared as multisets: ids differ only between questions with
the same vector. Plain Python keeps the distances in a dictionary and adds them up anew for every
candidate, as the reference does, so its time grows with the square of the number of exemplars;
plain numpy takes one broadcast a step and keeps the sums, but no clusters. --java CLASSPATH adds
the reference itself, from dice-group/feasible; its FEASIBLE need not be equal, because it leaves
ties between representatives to the order of a hash map.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tracemalloc
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
from bench_tools import (
    QUESTIONS,
    choose,
    cpu,
    one_thread,
    parser,
    print_header,
    print_table,
    published,
    ratio,
    seconds,
    synthetic_counts,
    synthetic_uniform,
    whole_numbers,
    yes,
)
from java_feasible import JavaError, JavaFeasible
from plain_feasible import PlainFeasible, numpy_exemplars, numpy_feasible

from qaldgen.selection.select import select
from qaldgen.selection.vectors import Vectors

METHODS = {"exemplars": "feasible-exmp", "feasible": "feasible"}


class Line(NamedTuple):
    """What was measured for one size.

    CPU seconds, None where it was left out, and whether the chosen vectors are equal.
    """

    k: int
    plain: float | None
    numpy: float
    java: float | None
    ours: float
    equal: bool
    common: int | None


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if the chosen vectors differ."""
    options = _arguments(argv)
    print_header(__doc__)
    with one_thread(), ExitStack() as stack:
        vectors = _vectors(options)
        java = None
        if options.java is not None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            try:
                java = JavaFeasible(options.java, vectors, folder)
            except JavaError as error:
                sys.exit(f"feasible.py: error: {error}")
        lines = {
            kind: [_measure(vectors, kind, k, options, java) for k in options.sizes]
            for kind in METHODS
        }
        for kind in METHODS:
            _print(kind, lines, options)
        _print_targets(lines, options)
    return 0 if all(line.equal for kind in METHODS for line in lines[kind]) else 1


def _measure(
    vectors: Vectors, kind: str, k: int, options: argparse.Namespace, java: JavaFeasible | None
) -> Line:
    """Measure all implementations at one size, and compare what they choose."""
    names, matrix = vectors.ids, vectors.matrix
    rows = {name: row for row, name in enumerate(names)}
    chosen: dict[str, list[int]] = {}
    ours, sample = cpu(lambda: choose(vectors, k, METHODS[kind]), repeat_for=options.repeat_for)
    naive: Callable[[], list[int]] = {
        "exemplars": lambda: numpy_exemplars(matrix, k),
        "feasible": lambda: numpy_feasible(matrix, names, k),
    }[kind]  # fmt: skip
    broadcast, chosen["numpy"] = cpu(naive, repeat_for=options.repeat_for)
    plain, reference, common = None, None, None
    if k <= options.max_plain:
        table = PlainFeasible(dict(zip(names, matrix.tolist(), strict=True)))
        plain, found = cpu(lambda: table.exemplars(k) if kind == "exemplars" else table.feasible(k))
        chosen["plain"] = [rows[name] for name in found]
    if java is not None and k <= options.max_java:
        reference, found = java.run(kind, k)
        if kind == "exemplars":
            chosen["java"] = [rows[name] for name in found]
        common = len({rows[name] for name in found} & set(sample.chosen.tolist()))
    expected = _multiset(matrix, sample.chosen.tolist())
    equal = all(_multiset(matrix, found_rows) == expected for found_rows in chosen.values())
    return Line(k, plain, broadcast, reference, ours, equal, common)


def _multiset(
    matrix: np.ndarray[tuple[int, ...], np.dtype[np.float64]], rows: Sequence[int]
) -> Counter[tuple[float, ...]]:
    return Counter(tuple(vector) for vector in matrix[list(rows)].tolist())


def _print(kind: str, lines: dict[str, list[Line]], options: argparse.Namespace) -> None:
    header = [
        "k",
        "plain Python",
        "numpy",
        "qaldgen",
        "Python / qaldgen",
        "numpy / qaldgen",
        "equal",
    ]
    rows = []
    for at, line in enumerate(lines[kind]):
        row = [f"{line.k:,}", seconds(line.plain), seconds(line.numpy), seconds(line.ours)]
        row += [ratio(line.plain, line.ours), ratio(line.numpy, line.ours), yes(line.equal)]
        if kind == "feasible":
            row.append(ratio(line.ours, lines["exemplars"][at].ours))
        if options.java is not None:
            row += [
                seconds(line.java),
                ratio(line.java, line.ours),
                "-" if line.common is None else f"{line.common:,}",
            ]
        rows.append(row)
    header += ["FEASIBLE / exemplars"] if kind == "feasible" else []
    header += ["Java", "Java / qaldgen", "same ids as Java"] if options.java is not None else []
    title = {"exemplars": "Exemplars", "feasible": "FEASIBLE"}[kind]
    print_table(f"{title}, CPU seconds", header, rows, markdown=options.markdown)


def _print_targets(lines: dict[str, list[Line]], options: argparse.Namespace) -> None:
    """Set what was measured beside what was aimed at."""
    large = _large(options.rows, options.columns)
    steps = [
        feasible.ours / exemplars.ours
        for feasible, exemplars in zip(lines["feasible"], lines["exemplars"], strict=True)
    ]
    rows = [
        (
            "exemplars, reference Java / qaldgen at k = 100",
            "at least 2,000x",
            _at(100, lines["exemplars"], "java"),
        ),
        ("the same, plain Python / qaldgen at k = 100", "-", _at(100, lines["exemplars"], "plain")),
        (
            f"{large.name}: one exemplar / one X.sum()",
            "at most 5x",
            f"{large.step / large.read:.1f}x",
        ),
        (f"{large.name}: peak memory / X", "at most 2.5x", f"{large.memory:.2f}x"),
        ("FEASIBLE / exemplars, all k, worst", "at most 3x", f"{max(steps):.1f}x"),
    ]
    print_table("Targets", ("what", "target", "measured"), rows, markdown=options.markdown)
    print(
        f"{large.name}: X.sum() {large.read * 1000:.1f} ms, one more exemplar"
        f" {large.step * 1000:.1f} ms, before the first {large.start:.2f} s (a copy by columns, the"
        " order of the ids)"
    )


def _at(k: int, lines: Sequence[Line], name: str) -> str:
    found = [ratio(getattr(line, name), line.ours) for line in lines if line.k == k]
    return found[0] if found and found[0] != "-" else "not measured"


class Large(NamedTuple):
    """Seconds of one X.sum(), of one further exemplar, and before the first.

    Memory as a multiple of X, X counted.
    """

    name: str
    read: float
    step: float
    start: float
    memory: float


def _large(rows: int, columns: int) -> Large:
    """Measure one pass over a large random matrix.

    The difference between two sizes, without what is done once.
    """
    vectors = synthetic_uniform(rows, columns)
    matrix, (few, many) = vectors.matrix, (5, 25)
    read = min(cpu(matrix.sum)[0] for _ in range(7))
    short = min(cpu(lambda: choose(vectors, few, "feasible-exmp"))[0] for _ in range(2))
    long = min(cpu(lambda: choose(vectors, many, "feasible-exmp"))[0] for _ in range(2))
    step = (long - short) / (many - few)
    tracemalloc.start()
    choose(vectors, few, "feasible-exmp")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Large(
        f"{rows:,} x {columns}",
        read,
        step,
        short - few * step,
        (peak + matrix.nbytes) / matrix.nbytes,
    )


def _vectors(options: argparse.Namespace) -> Vectors:
    data = options.data or (None if options.quick else published())
    if data is None:
        vectors = synthetic_counts(300 if options.quick else QUESTIONS)
        origin = "SYNTHETIC vectors made up by this script, not the published ones"
    else:
        vectors, origin = select(data, "listing-1.2"), f"{data.name}, Listing 1.2"
    print(
        f"{origin}: {len(vectors):,} questions, {len(vectors.features)} features,"
        f" {vectors.distinct():,} different vectors\n"
    )
    return vectors


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    options = parser(__doc__)
    options.add_argument(
        "data",
        nargs="?",
        type=Path,
        help="a file of question features (default: the published data)",
    )
    options.add_argument(
        "--sizes", type=whole_numbers, help="numbers of exemplars (10,50,100,200,500)"
    )
    options.add_argument(
        "--max-plain",
        type=int,
        default=100,
        metavar="K",
        help="largest size for plain Python (100)",
    )
    options.add_argument(
        "--java",
        metavar="CLASSPATH",
        help="class path with the reference implementation; needs a JDK",
    )
    options.add_argument(
        "--max-java",
        type=int,
        default=100,
        metavar="K",
        help="largest size for Java (100: 20 s each)",
    )
    options.add_argument("--rows", type=int, help="questions of the large matrix (1000000)")
    options.add_argument(
        "--columns", type=int, default=50, help="features of the large matrix (50)"
    )
    given = options.parse_args(argv)
    given.repeat_for = 0.02 if given.quick else 0.2
    given.sizes = given.sizes or ([5, 20, 50] if given.quick else [10, 50, 100, 200, 500])
    given.rows = given.rows or (20_000 if given.quick else 1_000_000)
    if given.rows <= 25:
        options.error("--rows must be more than 25")
    return given


if __name__ == "__main__":
    sys.exit(main())
