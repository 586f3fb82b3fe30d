"""``qaldgen plan``."""

from __future__ import annotations

import itertools

import click

from qaldgen.commands import common
from qaldgen.errors import UsageError


@click.command(epilog="Example: qaldgen plan pilot.csv --error 0.05 --pool 1200")
@click.argument("scores")
@click.option("--error", default=0.05, show_default=True, help="The wanted error: half the width of the 95 % interval.")
@click.option("--pool", type=int, metavar="N", help="Questions in the pool (no end).")
@click.option("--power", default=0.8, show_default=True, help="The wanted chance to tell two systems apart.")
@click.option("--plot", metavar="FILE", help="Draw the error against the number of questions: .png or .svg.")
@common.force_option
@click.option("--format", "form", default="text", show_default=True, help="text, markdown, latex, csv or json.")
def command(scores: str, error: float, pool: int | None, power: float, plot: str | None, force: bool, form: str) -> None:
    """Say how many questions it takes, for a wanted error or to tell two systems apart.

    SCORES are those of a pilot, or of past results: CSV with one row a question and one column a system, values 0 to 1.
    """
    import pandas as pd

    from qaldgen.analysis.planning import LPM_DESIGN_EFFECT, questions_for_difference, questions_for_error
    from qaldgen.analysis.score_table import read_scores
    from qaldgen.report.result_tables import dump_frame

    common.check_outputs([plot] if plot else [], force=force)
    if plot is not None and not plot.endswith((".png", ".svg")):
        raise UsageError(f"{plot}: the ending names no picture; use .png or .svg")
    if not 0 < power < 1:
        raise UsageError(f"--power {power}: a chance within 0 and 1 is expected")
    table = read_scores(scores)
    designs = {"random": 1.0, "lpm": LPM_DESIGN_EFFECT}
    rows = [
        {"system": name, "mean": float(column.mean()), "deviation": float(column.std(ddof=1))}
        | {label: questions_for_error(column, error, pool_size=pool, design_effect=deff) for label, deff in designs.items()}
        for name, column in table.items()
    ]
    if plot is not None:
        from qaldgen.report.plan_picture import draw_plan

        common.write_output(plot, draw_plan(table, pool, designs, plot[-3:]))
    click.echo(f"questions for an error of +-{error:g} (95 % interval), by a random sample and by lpm:")
    click.echo(dump_frame(pd.DataFrame(rows), form))
    pairs = [
        {"systems": f"{first} - {second}", "difference": float((table[first] - table[second]).mean())}
        | {
            label: questions_for_difference(table[first] - table[second], pool_size=pool, design_effect=deff, power=power)
            for label, deff in designs.items()
        }
        for first, second in itertools.combinations(table.columns, 2)
    ]
    if pairs:
        click.echo(f"questions to tell two systems apart, with a chance of {power:.0%} (paired test, 5 %):")
        click.echo(dump_frame(pd.DataFrame(pairs), form))
