"""``qaldgen plan``."""

from __future__ import annotations

import dataclasses

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.errors import UsageError


@dataclasses.dataclass(frozen=True)
class Wanted:
    """The required precision and power."""

    error: float
    pool: int | None
    power: float


@click.command(epilog="Example: qaldgen plan pilot.csv --error 0.05 --pool 1200")
@click.argument("scores")
@groups.grouped(
    "wanted",
    Wanted,
    click.option(
        "--error",
        default=0.05,
        show_default=True,
        type=groups.FiniteRange(0, min_open=True),
        help="Target error: half the width of the 95 % interval.",
    ),
    click.option("--pool", type=click.IntRange(min=2), metavar="N", help="Size of the pool to sample from. Default: infinite."),
    click.option(
        "--power",
        default=0.8,
        show_default=True,
        type=groups.SHARE,
        help="Target power: the probability of detecting the difference of two systems.",
    ),
)
@click.option("--plot", metavar="FILE", help="Plot the error against the number of questions (.png or .svg).")
@groups.force_option
@groups.form_option()
def command(scores: str, wanted: Wanted, plot: str | None, force: bool, form: str) -> None:
    """Compute how many questions a given error requires, and how many it takes to tell two systems apart.

    SCORES come from a pilot or from past results: CSV with one row per question (id first) and one column per system,
    values from 0 to 1; or the output of 'qaldgen score -q --format csv'.
    """
    api.checks.check_table_form(form)
    common.check_outputs([plot] if plot else [], force=force, inputs=[scores])
    if plot is not None and not plot.endswith((".png", ".svg")):
        raise UsageError("unknown picture format; use .png or .svg", where=plot)
    table = api.planning.read_scores(scores)
    found = api.planning.plan(table, error=wanted.error, power=wanted.power, pool_size=wanted.pool)
    if plot is not None:
        common.write_output(plot, found.draw(table, plot[-3:]), force=force)
    common.notes(found.notes)
    dump = api.tables.dump_frame
    if form in ("csv", "json"):
        common.write_output("-", dump(found.table(), form), force=force)
        return
    error, power = f"+-{wanted.error:g}", f"{wanted.power:.0%}"
    click.echo(f"questions for an error of {error} (half the 95 % interval), with a random sample and with lpm:", err=True)
    click.echo(dump(found.errors, form))
    if len(found.differences):
        click.echo(f"questions to tell two systems apart with power {power} (paired test, 5 %):", err=True)
        click.echo(dump(found.differences, form))
