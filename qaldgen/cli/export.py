"""``qaldgen export``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli import common, groups, output_files, sources
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Benchmark


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add -o and the options of `save`; the command gets ``outputs`` and their names there."""
    command = groups.force_option(command)
    command = options_of(
        "qaldgen.benchmark.benchmark:save",
        "format",
        "language",
        "answers",
        "licence",
    )(command)
    return click.option(
        "-o",
        "--output",
        "outputs",
        multiple=True,
        metavar="FILE",
        help=(
            "Output file: .ttl, .nt, .json (QALD JSON), .extended.json, .csv or .jsonl; or a"
            " folder: .lm-eval, .inspect or .hf (Hugging Face); or a subset of a task:"
            " .lm-eval-samples.json or .inspect-ids.txt; - is stdout. Repeatable."
        ),
    )(command)


def prepared(outputs: Sequence[str], form: str | None) -> list[str]:
    """Return the files that will be written; reject unknown formats, and make folders."""
    from qaldgen.benchmark.benchmark import FORMATS, files_of, make_folders
    from qaldgen.io.arguments import one_of

    if form is not None and form not in FORMATS:
        raise UsageError(f"unknown format {form!r}; {one_of(form, FORMATS)}")
    forms = [(output, _form(output, form)) for output in outputs]
    files = list[str]()
    for output, name in forms:
        if output != "-":
            make_folders(Path(output), name)
            files += map(str, files_of(Path(output), name))
        elif size := len(FORMATS[name].files):
            # stdout has no room for a folder
            raise UsageError(
                f"{name} is a folder with {size} files, which stdout cannot hold; name one with -o"
            )
        else:
            files.append("-")
    return files


def rendered(
    benchmark: Benchmark,
    outputs: Sequence[str],
    form: str | None,
    **how: Any,  # noqa: ANN401 - the options of `save`
) -> list[tuple[str, bytes]]:
    """Return the content of each file (Turtle for stdout); print notes on their use, each once."""
    from qaldgen.benchmark.benchmark import render_files

    made, told = [], dict[str, None]()
    for output in outputs:
        files, warnings = render_files(benchmark, Path(output), _form(output, form), **how)
        told.update(dict.fromkeys(warnings))
        made += [(str(file), content) for file, content in files]
    common.notes(told)
    return made


def _form(output: str, form: str | None) -> str:
    from qaldgen.benchmark.benchmark import format_of

    return form or ("turtle" if output == "-" else format_of(Path(output)))


@verb(epilog="Example: qaldgen export bench.ttl -o bench.json -o bench.csv")
@click.argument("benchmark")
@click.option(
    "--gold",
    metavar="GOLD",
    help="Treat the argument as a run: write its answers to these questions, one per line, as "
    "submissions to shared tasks are.",
)
@sources.gold_from_option
@options_of("qaldgen.stores.endpoint:Endpoint", "timeout")
@output_options
def command(
    benchmark: str,
    gold: str | None,
    gold_from: str | None,
    timeout: float,
    outputs: tuple[str, ...],
    format: str | None,
    force: bool,
    **how: Any,  # noqa: ANN401 - the options of `save`
) -> None:
    """Convert a benchmark to another format.

    BENCHMARK is Turtle or N-Triples. The formats are QALD JSON for GERBIL, CSV, JSON Lines, and
    those of plug-ins: tasks for other evaluators, data sets.

    With --gold-from, write BENCHMARK, or the questions of any set, with the answers of today: an
    edition of the gold, in QALD JSON.

    With --gold, write the answers of a run as a submission to a shared task: one line per question,
    in the order of GOLD.
    """
    if gold_from is not None:
        if gold is not None or len(outputs) != 1 or not outputs[0].endswith(".json"):
            raise UsageError(
                "--gold-from writes one file of QALD JSON; name it with -o gold-2026-11.json"
            )
        _edition(benchmark, gold_from, outputs[0], timeout, how["language"])
        return
    # Like other commands, write to stdout without -o.
    outputs = outputs or ("-",)
    if gold is not None:
        if len(outputs) > 1 or format not in {None, "lines"}:
            raise UsageError(
                "a run is written to one file, as lines; leave out --format and further -o"
            )
        _submission(benchmark, gold, outputs[0], language=how["language"], force=force)
        return
    from qaldgen.benchmark.rdf import load_benchmark

    output_files.check_outputs(prepared(outputs, format), force=force, inputs=[benchmark])
    made = rendered(load_benchmark(benchmark), outputs, format, **how)
    output_files.write_outputs(made, force=force)


def _edition(questions: str, source: str, output: str, timeout: float, language: str) -> None:
    """Write questions with the answers that a knowledge graph gives now; answers are journalled."""
    from qaldgen.scoring.editions import dump_edition
    from qaldgen.scoring.gold import load_gold
    from qaldgen.selection.select import open_data
    from qaldgen.stores.endpoint import Endpoint
    from qaldgen.stores.gold_queries import check_new, gold_edition

    check_new(output)
    journal = f"{output}.journal.jsonl"
    output_files.check_outputs([output], force=False, inputs=[questions])
    asked = load_gold(questions, language=language)
    remote = source.startswith(("http://", "https://"))
    graph: Any = open_data(Endpoint(source, timeout=timeout) if remote else source)
    made, done = gold_edition(asked.questions, graph, journal=Path(journal))
    click.echo(f"{made.name}: {done}", err=True)
    common.notes((*done.notes, *made.notes[-1:]))
    output_files.write_output(output, dump_edition(asked, made), force=False)


def _submission(run: str, gold: str, output: str, *, language: str, force: bool) -> None:
    """Write a run as lines."""
    from qaldgen.analysis.scores import submission
    from qaldgen.datasets.fetching import find_source
    from qaldgen.io.files import check_files

    find_source(gold)
    check_files(run)
    output_files.check_outputs([output], force=force, inputs=[run, gold])
    text, told = submission(gold, run, language=language)
    common.notes(told)
    output_files.write_output(output, text, force=force)
