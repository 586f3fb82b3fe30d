"""``qaldgen plan``."""

from __future__ import annotations

import dataclasses

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.errors import UsageError


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What the questions shall do."""

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
        help="The wanted error: half the width of the 95 % interval.",
    ),
    click.option(
        "--pool", type=click.IntRange(min=2), metavar="N", help="Questions in the pool from which you will draw (without end)."
    ),
    click.option(
        "--power", default=0.8, show_default=True, type=groups.SHARE, help="The wanted chance to tell two systems apart."
    ),
)
@click.option("--plot", metavar="FILE", help="Draw the error against the number of questions: .png or .svg.")
@groups.force_option
@groups.form_option()
def command(scores: str, wanted: Wanted, plot: str | None, force: bool, form: str) -> None:
    """Say how many questions it takes, for a wanted error or to tell two systems apart.

    SCORES are those of a pilot, or of past results: CSV with one row a question (its id first) and one column a system, values
    0 to 1; or what 'qaldgen score -q --format csv' writes.
    """
    api.checks.check_table_form(form)
    common.check_outputs([plot] if plot else [], force=force, inputs=[scores])
    if plot is not None and not plot.endswith((".png", ".svg")):
        raise UsageError("the ending names no picture; use .png or .svg", where=plot)
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
    click.echo(f"questions for an error of {error} (half of the 95 % interval), by a random sample and by lpm:", err=True)
    click.echo(dump(found.errors, form))
    if len(found.differences):
        click.echo(f"questions to tell two systems apart, with a chance of {power} (paired test, 5 %):", err=True)
        click.echo(dump(found.differences, form))
