"""``qaldgen export``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.verb import listed_option, verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Benchmark


@dataclasses.dataclass(frozen=True)
class Outputs:
    """Formats and files in which a benchmark is written."""

    outputs: tuple[str, ...]
    format_: str | None
    lang: str
    answers: str
    licence: str
    force: bool

    def files(self) -> list[str]:
        """Return the files to write; reject unknown formats and file extensions early."""
        return api.sampling.prepared(self.outputs, self.format_)

    def render(self, benchmark: Benchmark) -> list[tuple[str, bytes]]:
        """Return the content of each file (stdout if there is none).

        Nothing is written until all are rendered.
        """
        # Like other commands, write to stdout without -o.
        outputs = self.outputs or ("-",)
        made, told = api.sampling.rendered(
            benchmark,
            outputs,
            self.format_,
            language=self.lang,
            answers=self.answers,
            licence=self.licence,
        )
        common.notes(told)
        return made


output_options = groups.grouped(
    "out",
    Outputs,
    click.option(
        "-o",
        "--output",
        "outputs",
        multiple=True,
        metavar="FILE",
        help=(
            "Output file: .ttl, .nt, .json (QALD JSON), .extended.json, .csv or .jsonl; or a"
            " folder: .lm-eval, .inspect or .hf (Hugging Face); - is stdout. Repeatable."
        ),
    ),
    listed_option(
        "--format",
        "format_",
        table="exports",
        metavar="NAME",
        help="Format, if the extension does not determine it. Default for -: turtle.",
    ),
    click.option(
        "--lang",
        default="en",
        show_default=True,
        help="Language of tables, and of texts without a language tag.",
    ),
    click.option(
        "--answers",
        type=click.Choice(["all", "first"]),
        default="all",
        show_default=True,
        help="Variables of the gold rows to write to QALD JSON and tables.",
    ),
    click.option(
        "--licence",
        default="",
        metavar="IRI",
        help="Licence of the questions, for the card in a folder.",
    ),
    groups.force_option,
)


@verb(epilog="Example: qaldgen export bench.ttl -o bench.json -o bench.csv")
@click.argument("benchmark")
@click.option(
    "--gold",
    metavar="GOLD",
    help="Treat the argument as a run: write its answers to these questions, one per line, as "
    "submissions to shared tasks are.",
)
@output_options
def command(benchmark: str, gold: str | None, out: Outputs) -> None:
    """Convert a saved benchmark (Turtle or N-Triples) to another format.

    The formats are QALD JSON for GERBIL, CSV, JSON Lines, and those of plug-ins:
    tasks for other evaluators, data sets.

    With --gold, write the answers of a run as a submission to a shared task: one line per question,
    in the order of GOLD.
    """
    if gold is not None:
        _submission(benchmark, gold, out)
        return
    output_files.check_outputs(out.files(), force=out.force, inputs=[benchmark])
    loaded = api.sampling.load_benchmark(benchmark)
    output_files.write_outputs(out.render(loaded), force=out.force)


def _submission(run: str, gold: str, out: Outputs) -> None:
    """Write a run as lines."""
    if len(out.outputs) > 1 or out.format_ not in {None, "lines"}:
        raise UsageError(
            "a run is written to one file, as lines; leave out --format and further -o"
        )
    output = out.outputs[0] if out.outputs else "-"
    api.checks.check_sets(gold)
    api.checks.check_files(run)
    output_files.check_outputs([output], force=out.force, inputs=[run, gold])
    from qaldgen.analysis.scores import submission

    text, told = submission(gold, run, language=out.lang)
    common.notes(told)
    output_files.write_output(output, text, force=out.force)
