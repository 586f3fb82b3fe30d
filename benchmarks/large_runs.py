"""How long `score` and `report` take on large question sets, step by step, and how much memory.

CPU seconds of one thread.

Gold and runs are made up, in QALD JSON: up to eleven answers a question, of which each system gives
some. With --texts the questions have the texts and queries of question sets, and reports are
measured, too: CPU seconds of `qaldgen report` with its processes, for all systems but the last,
without anything in the cache, once more, and for all systems.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from bench_tools import cpu, one_thread, parser, print_header, print_table, seconds

from qaldgen.analysis.comparing.comparison import compare_runs
from qaldgen.analysis.slices.slicing import Slice
from qaldgen.answers.reading import read_run
from qaldgen.benchmark.gold import Gold, load_gold
from qaldgen.questions.reading import read_questions
from qaldgen.scoring.evaluation import score
from qaldgen.scoring.score import Scores

Result = TypeVar("Result")
_SLICES = 25


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    options = _arguments(argv)
    print_header(__doc__)
    asked = itertools.chain.from_iterable(map(read_questions, options.texts))
    texts = [(one.text(), one.sparql) for one in itertools.islice(asked, options.questions)]
    with one_thread(), tempfile.TemporaryDirectory() as folder:
        questions = len(texts) or options.questions
        gold, runs = write_files(Path(folder), questions, options.systems, texts)
        measure(gold, runs, markdown=options.markdown)
        if texts:
            measure_reports(gold, runs, markdown=options.markdown)
    return 0


def measure(gold: Path, runs: Sequence[Path], *, markdown: bool) -> None:
    """Measure the steps one after the other, and print the table."""
    table: list[tuple[str, ...]] = []

    def step(name: str, work: Callable[[], Result]) -> Result:
        spent, result = cpu(work)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        table.append((name, seconds(spent), f"{peak:,.0f}"))
        return result

    asked = step("gold", lambda: load_gold(gold))
    scored = [step(path.stem, partial(_scored, asked, path)) for path in runs]
    if len(scored) > 1:
        names = list(scored[0].counts.index)
        slices = [Slice(f"part {at}", tuple(names[at::_SLICES])) for at in range(_SLICES)]
        step(
            f"comparing on {_SLICES} slices",
            lambda: compare_runs({one.name: one.counts for one in scored}, slices),
        )
    title = (
        f"{len(asked.questions):,} questions, {len(runs)} runs; CPU seconds, peak memory"
        " so far in MB"
    )
    print_table(title, ("step", "seconds", "MB"), table, markdown=markdown)


def measure_reports(gold: Path, runs: Sequence[Path], *, markdown: bool) -> None:
    """Measure reports in a folder of their own, and print the table."""
    folder, table = gold.parent, []
    for name, some in (("first", runs[:-1]), ("again", runs[:-1]), ("one run added", runs)):
        command = [sys.executable, "-m", "qaldgen", "report", *map(str, [gold, *some]), "--force"]
        before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        subprocess.run(
            [*command, "-o", str(folder / "report.html")],
            env={**os.environ, "QALDGEN_CACHE": str(folder / "cache")},
            check=True,
            capture_output=True,
        )
        spent = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before
        table.append((f"{name}, {len(some)} runs", seconds(spent)))
    print_table("reports; CPU seconds", ("report", "seconds"), table, markdown=markdown)


def _scored(asked: Gold, path: Path) -> Scores:
    return score(asked, read_run(path, gold=asked.questions))


def write_files(
    folder: Path, questions: int, systems: int, texts: Sequence[tuple[str, str]] = ()
) -> tuple[Path, list[Path]]:
    """Write gold and runs; the later a system comes, the more often it is right."""
    rng = random.Random(0)
    answers = [_answers(rng) for _ in range(questions)]
    gold = _write(folder / "gold.json", answers, texts)
    return gold, [
        _write(
            folder / f"system{at}.json",
            [one if rng.random() < 0.3 + 0.06 * at else _answers(rng) for one in answers],
            texts,
        )
        for at in range(systems)
    ]


def _answers(rng: random.Random) -> list[str]:
    return [
        f"http://example.org/thing{rng.randrange(1000)}"
        for _ in range(rng.choice([0, 1, 1, 1, 2, 11]))
    ]


def _write(path: Path, answers: Sequence[Sequence[str]], texts: Sequence[tuple[str, str]]) -> Path:
    said = texts or [_made_up(number) for number in range(1, len(answers) + 1)]
    pairs = enumerate(zip(said, answers, strict=True), 1)
    entries = [_entry(number, *text, values) for number, (text, values) in pairs]
    path.write_text(
        json.dumps({"dataset": {"id": path.stem}, "questions": entries}), encoding="utf-8"
    )
    return path


def _made_up(number: int) -> tuple[str, str]:
    query = f"SELECT ?x {{ <http://example.org/subject{number}> <http://example.org/has> ?x }}"
    return f"What belongs to subject number {number}?", query


def _entry(number: int, text: str, query: str, values: Sequence[str]) -> dict[str, Any]:
    rows = [{"x": {"type": "uri", "value": value}} for value in values]
    return {
        "id": str(number),
        "question": [{"language": "en", "string": text}],
        "query": {"sparql": query},
        "answers": [{"head": {"vars": ["x"]}, "results": {"bindings": rows}}],
    }


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    options = parser(__doc__)
    options.add_argument("--questions", type=int, help="questions of the gold set (100000)")
    options.add_argument("--systems", type=int, default=2, help="runs (2)")
    options.add_argument("--texts", nargs="+", default=[], help="question sets")
    given = options.parse_args(argv)
    given.questions = given.questions or (500 if given.quick else 100_000)
    return given


if __name__ == "__main__":
    sys.exit(main())
