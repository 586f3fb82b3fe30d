"""``qaldgen export``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen.commands import common
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.benchmark.record import Benchmark


def output_options(command: common.Command) -> common.Command:
    """Add -o, --format, --lang, --answers and --force, which say what a benchmark is written as."""
    for option in reversed(
        (
            click.option(
                "-o", "--output", "outputs", multiple=True, metavar="FILE",
                help="Write the benchmark: .ttl, .nt, .json (QALD JSON), .extended.json, .csv, .jsonl; - is stdout. Repeatable.",
            ),
            click.option("--format", "format_", metavar="NAME", help="The form, where the ending does not say it; for - turtle."),
            click.option(
                "--lang", default="en", show_default=True, help="The language of texts without a tag, and that of tables."
            ),
            click.option(
                "--answers", type=click.Choice(["all", "first"]), default="all", show_default=True,
                help="Which variables of the gold rows QALD JSON and tables get.",
            ),
            common.force_option,
        )
    ):  # fmt: skip
        command = option(command)
    return command


@click.command(epilog="Example: qaldgen export bench.ttl -o bench.json -o bench.csv")
@click.argument("benchmark")
@output_options
def command(benchmark: str, outputs: tuple[str, ...], format_: str | None, lang: str, answers: str, force: bool) -> None:
    """Write a saved benchmark (Turtle or N-Triples) in another form: QALD JSON for GERBIL, CSV, JSON Lines."""
    from qaldgen.benchmark.read_rdf import load_benchmark

    common.check_outputs(outputs, force=force, inputs=[benchmark])
    check_forms(outputs, format_)
    loaded = load_benchmark(Path(benchmark))
    common.write_outputs(render_all(loaded, outputs or ("-",), format_, lang, answers), force=force)


def check_forms(outputs: tuple[str, ...], format_: str | None) -> None:
    """Refuse a form or an ending that there is not, before any work is done."""
    from qaldgen.benchmark.export import FORMATS, format_of

    if format_ is not None and format_ not in FORMATS:
        raise UsageError(f"format {format_!r} is unknown; choose one of {', '.join(FORMATS)}")
    for output in outputs:
        if format_ is None and output != "-":
            format_of(Path(output))


def render_all(
    benchmark: Benchmark, outputs: tuple[str, ...], format_: str | None, lang: str, answers: str
) -> list[tuple[str, bytes]]:
    """Return what each output gets; nothing is written before everything is there."""
    from qaldgen.benchmark.export import format_of, render

    rendered, told = [], set[str]()
    for output in outputs:
        name = format_ or ("turtle" if output == "-" else format_of(Path(output)))
        data, warnings = render(benchmark, name, language=lang, answers=answers)
        common.notes(line for line in warnings if line not in told)
        told.update(warnings)
        rendered.append((output, data))
    return rendered
