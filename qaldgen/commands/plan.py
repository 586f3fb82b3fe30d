"""``qaldgen plan``."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from qaldgen.commands import common
from qaldgen.commands.scoring_options import check_form
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd


@click.command(epilog="Example: qaldgen plan pilot.csv --error 0.05 --pool 1200")
@click.argument("scores")
@click.option(
    "--error",
    default=0.05,
    show_default=True,
    type=common.FiniteRange(0, min_open=True),
    help="The wanted error: half the width of the 95 % interval.",
)
@click.option(
    "--pool", type=click.IntRange(min=2), metavar="N", help="Questions in the pool from which you will draw (without end)."
)
@click.option("--power", default=0.8, show_default=True, type=common.SHARE, help="The wanted chance to tell two systems apart.")
@click.option("--plot", metavar="FILE", help="Draw the error against the number of questions: .png or .svg.")
@common.force_option
@click.option("--format", "form", default="text", show_default=True, help="text, markdown, latex, csv or json.")
def command(scores: str, error: float, pool: int | None, power: float, plot: str | None, force: bool, form: str) -> None:
    """Say how many questions it takes, for a wanted error or to tell two systems apart.

    SCORES are those of a pilot, or of past results: CSV with one row a question (its id first) and one column a system, values
    0 to 1; or what 'qaldgen score -q --format csv' writes.
    """
    from qaldgen.analysis.planning import LPM_DESIGN_EFFECT
    from qaldgen.analysis.score_table import read_scores
    from qaldgen.reports.tables.results import dump_frame

    check_form(form)
    common.check_outputs([plot] if plot else [], force=force, inputs=[scores])
    if plot is not None and not plot.endswith((".png", ".svg")):
        raise UsageError(f"{plot}: the ending names no picture; use .png or .svg")
    table = read_scores(scores)
    designs = {"random": 1.0, "lpm": LPM_DESIGN_EFFECT}
    singles, pairs = _singles(table, designs, error, pool), _pairs(table, designs, power, pool)
    if plot is not None:
        from qaldgen.reports.pictures.plan import draw_plan

        common.write_output(plot, draw_plan(table, pool, designs, plot[-3:]), force=force)
    common.notes(
        f"{row['system']}: all scores of the pilot are equal, which does not say how they would differ"
        for row in singles
        if not row["deviation"]
    )
    if form in ("csv", "json"):
        common.write_output("-", dump_frame(_for_programs(singles, pairs), form), force=force)
        return
    click.echo(f"questions for an error of +-{error:g} (half of the 95 % interval), by a random sample and by lpm:", err=True)
    click.echo(dump_frame(_whole(singles), form))
    if pairs:
        click.echo(f"questions to tell two systems apart, with a chance of {power:.0%} (paired test, 5 %):", err=True)
        click.echo(dump_frame(_whole(pairs), form))


def _singles(table: pd.DataFrame, designs: Mapping[str, float], error: float, pool: int | None) -> list[dict[str, object]]:
    """Return for each system the questions it takes for the error, by each design."""
    from qaldgen.analysis.planning import questions_for_error

    return [
        {"system": name, "mean": float(column.mean()), "deviation": float(column.std(ddof=1))}
        | {label: questions_for_error(column, error, pool_size=pool, design_effect=deff) for label, deff in designs.items()}
        for name, column in table.items()
    ]


def _pairs(table: pd.DataFrame, designs: Mapping[str, float], power: float, pool: int | None) -> list[dict[str, object]]:
    """Return for each two systems the questions it takes to tell them apart, by each design."""
    from qaldgen.analysis.planning import questions_for_difference

    rows: list[dict[str, object]] = []
    for first, second in itertools.combinations(table.columns, 2):
        apart = table[first] - table[second]
        sizes = {
            label: questions_for_difference(apart, pool_size=pool, design_effect=deff, power=power)
            for label, deff in designs.items()
        }
        rows.append({"systems": f"{first} - {second}", "difference": float(apart.mean()), **sizes})
    return rows


def _whole(rows: list[dict[str, object]]) -> pd.DataFrame:
    """Return a table whose numbers of questions are whole, or missing."""
    import pandas as pd

    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return pd.DataFrame({name: pd.Series(own, dtype=object if None in own else None) for name, own in columns.items()})


def _for_programs(singles: list[dict[str, object]], pairs: list[dict[str, object]]) -> pd.DataFrame:
    """Return one table of both: what for (``error`` or ``difference``), which systems, mean and questions."""
    single = [{"for": "error", "systems": row["system"], "mean": row["mean"]} | _sizes(row) for row in singles]
    pair = [{"for": "difference", "systems": row["systems"], "mean": row["difference"]} | _sizes(row) for row in pairs]
    return _whole([*single, *pair])


def _sizes(row: dict[str, object]) -> dict[str, object]:
    return {"random": row["random"], "lpm": row["lpm"]}
