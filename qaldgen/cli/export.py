"""``qaldgen export``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from qaldgen.cli.output_files import check_outputs, write_output, write_possible
from qaldgen.cli.printing import print_notes, printing_notes
from qaldgen.cli.shared_options import reading_options, shared
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, section, verb
from qaldgen.errors import UsageError
from qaldgen.io.inputs import check_files, is_web_address
from qaldgen.options import Text

if TYPE_CHECKING:
    from qaldgen import Benchmark

_SAVE = "qaldgen.benchmark.benchmark:Benchmark.save"


class ExportOptions:
    """Command-line options of `export`.

    Attributes
    ----------
    output
        Output file: .ttl, .nt, .json (QALD JSON), .extended.json, .csv, .jsonl, or .croissant.json
        beside one of the last two; or a folder:
        .lm-eval, .inspect or .hf (Hugging Face); or a subset of a task: .lm-eval-samples.json or
        .inspect-ids.txt; - is stdout.
    gold
        Treat the argument as a run: write its answers to these questions, one per line, as
        submissions to shared tasks are.
    """

    output: Sequence[Annotated[str, Text("FILE")]] = ()
    gold: Annotated[str, Text("GOLD")] | None = None


#: -o and the options of `Benchmark.save`.
output_options = section(
    "",
    options_of(ExportOptions, "output"),
    options_of(_SAVE, "format", "language", "variables", "licence", "publisher", "date"),
    shared("force"),
)


def check_exports(call: Call, outputs: Sequence[str], *inputs: str | None) -> None:
    """Check every output of a benchmark, and that its format can be written, before any work."""
    from qaldgen.benchmark.benchmark import FORMATS, check_export_format, files_of
    from qaldgen.io.arguments import check_date

    check_date(call.date)

    files: list[str] = []
    in_folders: set[str] = set()
    for output in outputs:
        name = _choose_format(output, call.format)
        check_export_format(name)
        parts = FORMATS[name].files  # of a folder
        if output == "-":
            if parts:
                raise UsageError(
                    f"{name} is a folder with {len(parts)} files, which stdout cannot hold; name"
                    " one with -o"
                )
            files.append(output)
            continue

        table_paths = _described_tables(output, name)
        if table_paths and not set(table_paths).intersection(outputs):
            tables = " or ".join(f"-o {table}" for table in table_paths)
            raise UsageError(f"describes a table; add {tables}", where=output)
        output_files = list(map(str, files_of(Path(output), name)))
        files += output_files
        if parts:
            in_folders.update(output_files)

    check_outputs(files, force=call.force, inputs=inputs, in_new_folders=in_folders)


def write_exports(
    call: Call,
    benchmark: Benchmark,
    outputs: Sequence[str],
    extra_outputs: Mapping[str, Callable[[], list[tuple[str, bytes]]]] | None = None,
) -> None:
    """Write a benchmark to every output, by default as Turtle to stdout, and print notes.

    `extra_outputs` has by name the functions that render the files of further outputs.
    """
    from qaldgen.benchmark.benchmark import render_files

    options = {name: value for name, value in call.of(_SAVE).items() if name != "format"}

    def render(output: str) -> list[tuple[str, bytes]]:
        name = _choose_format(output, call.format)
        table_paths = _described_tables(output, name)
        tables = [Path(table).name for table in outputs if table in table_paths]
        files = render_files(benchmark, Path(output), name, adjacent_tables=tables, **options)
        return [(str(file), content) for file, content in files]

    renderers: dict[str, Callable[[], list[tuple[str, bytes]]]]
    renderers = {output: functools.partial(render, output) for output in outputs}
    write_possible({**renderers, **(extra_outputs or {})}, force=call.force)


def _described_tables(output: str, name: str) -> list[str]:
    """Return the tables that an output may describe: data.csv for data.croissant.json."""
    from qaldgen.benchmark.benchmark import FORMATS

    stem = output.removesuffix(FORMATS[name].ending)
    return [stem + ending for ending in FORMATS[name].describes]


def _choose_format(output: str, format_option: str | None) -> str:
    """Return the format of an output: the chosen one, or that of its ending; Turtle for stdout."""
    from qaldgen.benchmark.benchmark import format_of

    if format_option:
        return format_option
    if output == "-":
        return "turtle"
    return format_of(Path(output))


@verb(epilog="Example: qaldgen export bench.ttl -o bench.json -o bench.csv")
@click.argument("benchmark")
@options_of(ExportOptions, "gold")
@shared("gold_from")
@options_of("Endpoint", "timeout")
@reading_options("gold_format")
@output_options
def command(call: Call) -> None:
    """Convert a benchmark to another format.

    BENCHMARK is Turtle or N-Triples. The formats are QALD JSON for GERBIL, CSV, JSON Lines, and
    those of plug-ins: tasks for other evaluators, data sets.

    With --gold-from, write BENCHMARK, or the questions of any set, with the answers of today: an
    edition of the gold, in QALD JSON.

    With --gold, write the answers of a run as a submission to a shared task: one line per question,
    in the order of GOLD.
    """
    from qaldgen.benchmark.rdf import load_benchmark

    if call.gold_from is not None:
        _write_edition(call)
        return
    outputs = call.output or ("-",)  # like other commands, write to stdout without -o
    if call.gold is not None:
        _write_submission(call, outputs)
        return
    check_exports(call, outputs, call.benchmark)
    benchmark = load_benchmark(call.benchmark, text_property=call.text_property)
    write_exports(call, benchmark, outputs)


def _write_edition(call: Call) -> None:
    """Write the questions with the answers of the graph that --gold-from names."""
    from qaldgen.benchmark.editions import dump_edition
    from qaldgen.benchmark.gold import load_gold
    from qaldgen.questions.collecting import ReadOptions
    from qaldgen.selection.select import open_data
    from qaldgen.stores.endpoint import Endpoint
    from qaldgen.stores.gold_queries import check_new_files, make_edition

    if call.gold is not None or len(call.output) != 1 or not call.output[0].endswith(".json"):
        raise UsageError(
            "--gold-from writes one file of QALD JSON; name it with -o gold-2026-11.json"
        )
    output = call.output[0]
    check_new_files(output)
    check_outputs([output], force=False, inputs=[call.benchmark])
    gold = load_gold(call.benchmark, ReadOptions(language=call.lang, **call.of("load")))
    source = call.gold_from
    if is_web_address(source):
        source = Endpoint(source, timeout=call.timeout)
    graph: Any = open_data(source)
    edition, execution = make_edition(
        gold.questions, graph, journal=Path(f"{output}.journal.jsonl")
    )
    click.echo(f"{edition.name}: {execution}", err=True)
    print_notes((*execution.notes, *edition.notes[-1:]))
    write_output(output, dump_edition(gold, edition), force=False)


def _write_submission(call: Call, outputs: Sequence[str]) -> None:
    """Write the answers of a run, which the argument names, to the questions of --gold."""
    from qaldgen.benchmark.gold import load_gold
    from qaldgen.questions.collecting import ReadOptions
    from qaldgen.questions.fetching import find_source
    from qaldgen.scoring.submission import submission

    if len(outputs) > 1 or call.format not in {None, "lines"}:
        raise UsageError(
            "a run is written to one file, as lines; leave out --format and further -o"
        )
    find_source(call.gold)
    check_files(call.benchmark)
    check_outputs(outputs, force=call.force, inputs=[call.benchmark, call.gold])
    gold = load_gold(call.gold, ReadOptions(language=call.lang, **call.of("load")))
    with printing_notes():
        text = submission(gold, call.benchmark, language=call.lang)
    write_output(outputs[0], text, force=call.force)
