"""What the benchmarks share.

CPU time, tables, the published data or a synthetic stand-in of the same size.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from qaldgen.sampling import METHODS, resolve_options
from qaldgen.sampling.sample import Sample
from qaldgen.selection.scaling import scale
from qaldgen.selection.vectors import Vectors

Result = TypeVar("Result")

ROOT = Path(__file__).resolve().parent.parent
#: The size of the published data, which the synthetic stand-ins have too.
QUESTIONS = 5543
#: Statements about a question that no query of ours asks for: 383,902 statements on 5,543
#: questions, as in the published data.
_FILLERS = 60
_EX = "http://example.org/"


def published() -> Path | None:
    """Return the published data set, or None if it is absent.

    It lies beside the checkout, or where QALDGEN_TEST_DATA says.
    """
    folder = Path(os.environ.get("QALDGEN_TEST_DATA", ROOT.parent / "shared" / "data"))
    path = folder / "qaldgen-r1" / "QaldGen-RDF.zip"
    return path if path.is_file() else None


def cpu(function: Callable[[], Result], *, repeat_for: float = 0.0) -> tuple[float, Result]:
    """Return the CPU seconds of a call and its result.

    The time is the least of several calls, repeated until `repeat_for` seconds are spent.
    """
    best, spent = float("inf"), 0.0
    while True:
        start = time.process_time()
        result = function()
        seconds = time.process_time() - start
        best, spent = min(best, seconds), spent + seconds
        if spent >= repeat_for:
            return best, result


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep the numerical libraries to one thread."""
    with threadpool_limits(1):
        yield


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return an argument parser with what all benchmarks know: --quick and --markdown."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument(
        "--quick", action="store_true", help="a run of a few seconds on small synthetic data"
    )
    made.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    return made


def whole_numbers(text: str) -> list[int]:
    """Read ``10,100,1000``; underscores are allowed."""
    numbers = [int(part) for part in text.split(",")]
    if min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"{text}: every number must be 1 or more")
    return numbers


def print_header(description: str | None) -> None:
    """Print what is measured and how, and with which versions."""
    packages = ("numpy", "pyoxigraph", "rdflib", "scikit-learn")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    print(
        f"{(description or '').strip()}\n\nPython {platform.python_version()}, {versions};"
        f" {os.cpu_count()} cores\n"
    )


def print_table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], *, markdown: bool
) -> None:
    """Print a table, first column to the left, all others to the right."""
    widths = [max(len(row[at]) for row in (header, *rows)) for at in range(len(header))]
    lines = [
        [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        for row in (header, *rows)
    ]
    if markdown:
        lines.insert(
            1, [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
        )
        print(f"**{title}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n")
    else:
        lines.insert(1, ["-" * width for width in widths])
        print(f"{title}\n" + "\n".join("  ".join(line).rstrip() for line in lines) + "\n")


def seconds(value: float | None) -> str:
    """Return seconds with three digits; ``-`` where nothing was measured."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}"


def ratio(value: float | None, unit: float | None) -> str:
    """Return how many times `unit` goes into `value`; ``-`` where one was not measured."""
    if value is None or unit is None or unit == 0:
        return "-"
    times = value / unit
    return f"{times:,.0f}x" if times >= 100 else f"{times:.1f}x"


def yes(equal: bool) -> str:
    """Return how a check ended."""
    return "yes" if equal else "NO"


def choose(vectors: Vectors, k: int, method: str) -> Sample:
    """Run a sampling method with its defaults, without the checks and plug-in search of `draw`."""
    settings = resolve_options(method, {})
    return METHODS[method].function(vectors, k, np.random.default_rng(0), **settings)


def vectors_of(matrix: NDArray[np.float64]) -> Vectors:
    """Name the rows of a matrix ``q1``, ``q2``, ... as questions."""
    ids = tuple(f"{_EX}q{number}" for number in range(1, len(matrix) + 1))
    features = tuple(f"f{at}" for at in range(matrix.shape[1]))
    return Vectors(ids, features, matrix, matrix)


def synthetic_uniform(questions: int, features: int) -> Vectors:
    """Return random vectors, every feature uniform in 0..1: no two alike."""
    return vectors_of(np.random.default_rng(0).random((questions, features)))


def synthetic_counts(questions: int) -> Vectors:
    """Return random vectors like those of Listing 1.2.

    Eight small counts, one heavy tail, and many that occur several times.
    """
    raw = _counts(questions)
    named = vectors_of(raw)
    return vectors_of(scale("max", raw, named.features, named.ids))


def _counts(questions: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    kinds = max(questions // 4, 1)
    small = [rng.poisson(mean, kinds) for mean in (9, 1, 1.5, 0.5, 2, 2, 0.2, 0.8)]
    tail = np.floor(rng.lognormal(1.0, 1.8, kinds))
    return np.column_stack([*small, tail]).astype(np.float64)[rng.integers(kinds, size=questions)]


@contextmanager
def synthetic_file(questions: int, *, fillers: int = _FILLERS) -> Iterator[Path]:
    """Write a temporary Turtle file with the features of Listing 1.2.

    It has as many other statements as the published data.
    """
    names = [
        "qaldgen:length",
        "qaldgen:totalEntities",
        "qaldgen:totalRelations",
        "qaldgen:totalClasses",
    ]
    names += [
        "qaldgen:avgEntitiesWords",
        "lsq:tps",
        "lsq:bgps",
        "lsq:projectVars",
        "lsq:resultSize",
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "synthetic.ttl"
        with path.open("w", encoding="utf-8") as file:
            file.write(
                "@prefix qaldgen: <http://qald-gen.aksw.org/vocab#> . @prefix lsq:"
                " <http://lsq.aksw.org/vocab#> .\n"
            )
            file.write("@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n")
            for number, row in enumerate(_counts(questions).astype(int).tolist(), 1):
                found = [
                    f'{name} "{value}"^^xsd:int' for name, value in zip(names, row, strict=True)
                ]
                found += [
                    f'qaldgen:other{at} "value {at} of question {number}"' for at in range(fillers)
                ]
                file.write(f"<{_EX}q{number}> {' ; '.join(found)} .\n")
        yield path
