"""``qaldgen plan``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.verb import FiniteRange, verb
from qaldgen.errors import UsageError
from qaldgen.io.names import check_choice

if TYPE_CHECKING:
    import pandas as pd


@dataclasses.dataclass(frozen=True)
class Wanted:
    """The required precision and power."""

    error: float
    pool: int | None
    power: float
    others: bool
    families: tuple[str, ...]
    largest: int | None
    labels: str | None

    def check(self, plot: str | None) -> None:
        """Refuse incompatible options."""
        if self.others and self.labels is not None:
            raise UsageError("--others and --labels are different plans; ask for one at a time")
        if not self.others and (self.families or self.largest is not None):
            raise UsageError(
                f"{'--family' if self.families else '--max'} only applies with --others; add it"
            )
        if plot is not None and (self.others or self.labels is not None):
            raise UsageError("--plot draws the error of samples of a fixed size; leave it out")


@verb(epilog="Example: qaldgen plan pilot.csv --error 0.05 --pool 1200")
@click.argument("scores")
@groups.grouped(
    "wanted",
    Wanted,
    click.option(
        "--error",
        default=0.05,
        show_default=True,
        type=FiniteRange(0, min_open=True),
        help="Target error: half the width of the 95 % interval.",
    ),
    click.option(
        "--pool",
        type=click.IntRange(min=2),
        metavar="N",
        help="Size of the pool to sample from. Default: infinite.",
    ),
    click.option(
        "--power",
        default=0.8,
        show_default=True,
        type=groups.SHARE,
        help="Target power: the probability of detecting the difference of two systems.",
    ),
    click.option(
        "--others",
        is_flag=True,
        help=(
            "Print the expected number of questions until a run stops, if they are asked in "
            "order and the results of other systems are known."
        ),
    ),
    click.option(
        "--family",
        "families",
        multiple=True,
        metavar="SYSTEM=NAME",
        help="With --others: systems of one family do not help each other. Repeatable.",
    ),
    click.option(
        "--max",
        "largest",
        type=click.IntRange(min=30),
        metavar="N",
        help="With --others: maximum number of questions (default: 200).",
    ),
    click.option(
        "--labels",
        metavar="COLUMN",
        help=(
            "Print how many hand labels are needed: the column of SCORES with labels; the others "
            "are verdicts."
        ),
    ),
)
@click.option(
    "--plot",
    metavar="FILE",
    help="Plot the error against the number of questions (.png, .svg or .pdf).",
)
@groups.style_option
@groups.force_option
@groups.form_option()
def command(
    scores: str, wanted: Wanted, plot: str | None, style: str, force: bool, form: str
) -> None:
    """Compute how many questions a given error requires, and how many to tell two systems apart.

    SCORES come from a pilot or from past results: CSV with one row per question (id first) and one
    column per system, values from 0 to 1; or the output of 'qaldgen score -q --format csv'.
    """
    api.checks.check_table_form(form)
    output_files.check_outputs([plot] if plot else [], force=force, inputs=[scores])
    wanted.check(plot)
    # An unknown ending is refused before the scores are read.
    picture = api.planning.picture_form(plot) if plot is not None else ""
    check_choice("--style", style, api.planning.LAYOUTS)
    table = api.planning.read_scores(scores, gaps=wanted.labels is not None)
    # A plan of labels reads SCORES in another way: one column is the truth, the others verdicts.
    if wanted.labels is not None:
        click.echo(
            f"labels for an error of +-{wanted.error:g}, alone and with each verdict:", err=True
        )
        needed = api.expecting.plan_labels(
            table, wanted.labels, error=wanted.error, answers=wanted.pool
        )
        output_files.write_output("-", api.tables.dump_frame(needed, form), force=force)
        return
    if wanted.others:
        _print_expected(table, wanted, form)
        return
    found = api.planning.plan(table, error=wanted.error, power=wanted.power, pool_size=wanted.pool)
    if plot is not None:
        output_files.write_output(plot, found.draw(table, picture, style), force=force)
    common.notes(found.notes)
    dump = api.tables.dump_frame
    if form in ("csv", "json"):
        output_files.write_output("-", dump(found.table(), form), force=force)
        return
    error, power = f"+-{wanted.error:g}", f"{wanted.power:.0%}"
    click.echo(
        f"questions for an error of {error} (half the 95 % "
        "interval), with a random sample and with lpm:",
        err=True,
    )
    click.echo(dump(found.errors, form))
    if len(found.differences):
        click.echo(
            f"questions to tell two systems apart with power {power} (by compare, 5 %):", err=True
        )
        click.echo(dump(found.differences, form))


def _print_expected(table: pd.DataFrame, wanted: Wanted, form: str) -> None:
    """Print how many questions to expect until each rule stops."""
    families = common.read_families(wanted.families, [str(name) for name in table.columns])
    found = api.expecting.expect(
        table, error=wanted.error, pool_size=wanted.pool, families=families, largest=wanted.largest
    )
    dump = api.tables.dump_frame
    if form in ("csv", "json"):
        # Programs get one table; a system without a stop keeps its row.
        merged = found.decisions.merge(found.until, on="system", how="left")
        output_files.write_output("-", dump(merged, form), force=False)
        return
    click.echo(
        f"questions until the 95 % interval is +-{found.half_width:g}, asked in order:", err=True
    )
    click.echo(dump(found.until, form))
    click.echo(
        "questions until it is decided who is better, at most "
        f"{found.largest}, and the chance that it is:",
        err=True,
    )
    click.echo(dump(found.decisions, form))
