"""``qaldgen export``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups

if TYPE_CHECKING:
    from qaldgen import Benchmark


@dataclasses.dataclass(frozen=True)
class Outputs:
    """What a benchmark is written as, and where."""

    outputs: tuple[str, ...]
    format_: str | None
    lang: str
    answers: str
    licence: str
    force: bool

    def files(self) -> list[str]:
        """Return the files that will be written; refuse a form or an ending that there is not, before any work is done."""
        return api.sampling.prepared(self.outputs, self.format_)

    def render(self, benchmark: Benchmark) -> list[tuple[str, bytes]]:
        """Return what each file gets, stdout if there is none; nothing is written before everything is there."""
        outputs = self.outputs or ("-",)
        made, told = api.sampling.rendered(
            benchmark, outputs, self.format_, language=self.lang, answers=self.answers, licence=self.licence
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
        help="Write the benchmark: .ttl, .nt, .json (QALD JSON), .extended.json, .csv, .jsonl, or a folder: .lm-eval, .inspect, "
        ".hf (Hugging Face); - is stdout. Repeatable.",
    ),
    click.option("--format", "format_", metavar="NAME", help="The form, where the ending does not say it; for - turtle."),
    click.option("--lang", default="en", show_default=True, help="The language of texts without a tag, and that of tables."),
    click.option(
        "--answers",
        type=click.Choice(["all", "first"]),
        default="all",
        show_default=True,
        help="Which variables of the gold rows QALD JSON and tables get.",
    ),
    click.option("--licence", default="", metavar="IRI", help="The licence of the questions, for the card in a folder."),
    groups.force_option,
)


@click.command(epilog="Example: qaldgen export bench.ttl -o bench.json -o bench.csv")
@click.argument("benchmark")
@output_options
def command(benchmark: str, out: Outputs) -> None:
    """Write a saved benchmark (Turtle or N-Triples) in another form.

    QALD JSON for GERBIL, CSV, JSON Lines, a task of lm-eval or inspect_ai, or a data set of Hugging Face.
    """
    common.check_outputs(out.files(), force=out.force, inputs=[benchmark])
    loaded = api.sampling.load_benchmark(benchmark)
    common.write_outputs(out.render(loaded), force=out.force)
