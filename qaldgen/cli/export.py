"""``qaldgen export``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from qaldgen.cli.output_files import check_outputs, write_output, write_outputs
from qaldgen.cli.printing import notes
from qaldgen.cli.shared_options import READING, reading_options, shared
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, section, verb
from qaldgen.errors import UsageError
from qaldgen.options import Text

if TYPE_CHECKING:
    from qaldgen import Benchmark

_SAVE = "qaldgen.benchmark.benchmark:save"


class Options:
    """What only the command line has.

    Attributes
    ----------
    output
        Output file: .ttl, .nt, .json (QALD JSON), .extended.json, .csv or .jsonl; or a folder:
        .lm-eval, .inspect or .hf (Hugging Face); or a subset of a task: .lm-eval-samples.json or
        .inspect-ids.txt; - is stdout.
    gold
        Treat the argument as a run: write its answers to these questions, one per line, as
        submissions to shared tasks are.
    """

    output: Sequence[Annotated[str, Text("FILE")]] = ()
    gold: Annotated[str, Text("GOLD")] | None = None


OWN = f"{__name__}:Options"
#: -o and the options of `save`.
output_options = section(
    "",
    options_of(OWN, "output"),
    options_of(_SAVE, "format", "language", "answers", "licence"),
    shared("force"),
)


def prepared_outputs(outputs: Sequence[str], form: str | None) -> list[str]:
    """Return the files that will be written; reject unknown formats, and make folders."""
    from qaldgen.benchmark.benchmark import FORMATS, files_of, make_folders

    files = list[str]()
    for output, name in [(output, _form(output, form)) for output in outputs]:
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


def rendered_outputs(
    call: Call, benchmark: Benchmark, outputs: Sequence[str], form: str | None
) -> list[tuple[str, bytes]]:
    """Return the content of each file (Turtle for stdout); print notes on their use, each once."""
    from qaldgen.benchmark.benchmark import render_files

    made, remarks = [], dict[str, None]()
    how = {name: value for name, value in call.of(_SAVE).items() if name != "format"}
    for output in outputs:
        files, warnings = render_files(benchmark, Path(output), _form(output, form), **how)
        remarks.update(dict.fromkeys(warnings))
        made += [(str(file), content) for file, content in files]
    notes(remarks)
    return made


def _form(output: str, form: str | None) -> str:
    from qaldgen.benchmark.benchmark import format_of

    return form or ("turtle" if output == "-" else format_of(Path(output)))


@verb(epilog="Example: qaldgen export bench.ttl -o bench.json -o bench.csv")
@click.argument("benchmark")
@options_of(OWN, "gold")
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
    if call.gold_from is not None:
        if call.gold is not None or len(call.output) != 1 or not call.output[0].endswith(".json"):
            raise UsageError(
                "--gold-from writes one file of QALD JSON; name it with -o gold-2026-11.json"
            )
        _write_edition(call, call.output[0])
        return
    if call.gold is None:
        call.refuse(READING, "is for questions with --gold-from or --gold; a benchmark is RDF")
    outputs = call.output or ("-",)  # like other commands, write to stdout without -o
    if call.gold is not None:
        if len(outputs) > 1 or call.format not in {None, "lines"}:
            raise UsageError(
                "a run is written to one file, as lines; leave out --format and further -o"
            )
        _write_submission(call, outputs[0])
        return
    from qaldgen.benchmark.rdf import load_benchmark

    files = prepared_outputs(outputs, call.format)
    check_outputs(files, force=call.force, inputs=[call.benchmark])
    made = rendered_outputs(call, load_benchmark(call.benchmark), outputs, call.format)
    write_outputs(made, force=call.force)


def _write_edition(call: Call, output: str) -> None:
    """Write questions with the answers that a knowledge graph gives now; answers are journalled."""
    from qaldgen.scoring.editions import dump_edition
    from qaldgen.scoring.gold import load_gold
    from qaldgen.selection.select import open_data
    from qaldgen.stores.gold_queries import check_new, gold_edition

    check_new(output)
    check_outputs([output], force=False, inputs=[call.benchmark])
    asked = load_gold(call.benchmark, language=call.lang, **call.of("load"))
    remote = call.gold_from.startswith(("http://", "https://"))
    graph: Any = open_data(call.run("Endpoint", call.gold_from) if remote else call.gold_from)
    made, done = gold_edition(asked.questions, graph, journal=Path(f"{output}.journal.jsonl"))
    click.echo(f"{made.name}: {done}", err=True)
    notes((*done.notes, *made.notes[-1:]))
    write_output(output, dump_edition(asked, made), force=False)


def _write_submission(call: Call, output: str) -> None:
    """Write a run as lines."""
    from qaldgen.datasets.fetching import find_source
    from qaldgen.io.files import check_files
    from qaldgen.scoring.gold import load_gold
    from qaldgen.scoring.score import submission

    find_source(call.gold)
    check_files(call.benchmark)
    check_outputs([output], force=call.force, inputs=[call.benchmark, call.gold])
    asked = load_gold(call.gold, language=call.lang, **call.of("load"))
    text, remarks = submission(asked, call.benchmark, language=call.lang)
    notes(remarks)
    write_output(output, text, force=call.force)
