"""``qaldgen plan``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from qaldgen.cli import common, groups, output_files
from qaldgen.cli.scoring import runs_argument
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.planning.expected_size import Expectation
    from qaldgen.analysis.planning.questions_needed import Plan


@verb(epilog="Example: qaldgen plan gold.json mine.json other.json --difference 0.05")
@click.argument("scores")
@runs_argument()
@options_of(
    "qaldgen.analysis.planning.questions_needed:plan",
    "error",
    "difference",
    "pool_size",
    "power",
    "match",
    "language",
    called={"pool_size": "pool"},
)
@click.option(
    "--others",
    is_flag=True,
    help="Print the expected number of questions until a run stops, if they are asked in "
    "order and the results of other systems are known.",
)
@options_of(
    "qaldgen.analysis.planning.expected_size:plan_sequential",
    "families",
    "largest",
    called={"families": "family", "largest": "max"},
)
@click.option(
    "--labels",
    metavar="COLUMN",
    help="Print how many hand labels are needed: the column of SCORES with labels; the others "
    "are verdicts.",
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
    scores: str,
    runs: tuple[str, ...],
    error: float,
    difference: float | None,
    pool_size: int | None,
    power: float,
    match: str,
    language: str,
    others: bool,
    families: Mapping[str, str] | None,
    largest: int | None,
    labels: str | None,
    plot: str | None,
    style: str,
    force: bool,
    form: str,
) -> None:
    """Compute how many questions an error or a difference requires.

    SCORES come from a pilot or from past results: CSV with one row per question (id first) and one
    column per system, values from 0 to 1; or the output of 'qaldgen score -q --format csv'. With
    RUNS, the answers of systems, they are the questions that were asked, as for 'score'.
    """
    from qaldgen.analysis.planning.expected_size import plan_sequential
    from qaldgen.analysis.planning.labels_needed import plan_labels
    from qaldgen.analysis.planning.questions_needed import plan, score_table
    from qaldgen.analysis.score_files import read_scores
    from qaldgen.cli.checks import check_table_form
    from qaldgen.pictures.style import check_picture

    check_table_form(form)
    output_files.check_outputs([plot] if plot else [], force=force, inputs=[scores, *runs])
    picture = check_picture(plot, style)
    if others and labels is not None:
        raise UsageError("--others and --labels are different plans; ask for one at a time")
    if not others and (families or largest is not None):
        raise UsageError(
            f"{'--family' if families else '--max'} only applies with --others; add it"
        )
    if runs and labels is not None:
        raise UsageError("--labels plans for a table of verdicts; leave the runs out")
    if difference is not None and (others or labels is not None):
        raise UsageError("--difference is for samples of a fixed size; leave it out")
    if plot is not None and (others or labels is not None):
        raise UsageError("--plot draws the error of samples of a fixed size; leave it out")
    # One column is the truth, the others verdicts, of which some may be missing.
    if labels is not None:
        table = read_scores(scores, gaps=True)
    else:
        table, how = score_table(scores, runs, match=match, language=language)
        common.notes(how)
    if labels is not None:
        click.echo(f"labels for an error of +-{error:g}, alone and with each verdict:", err=True)
        _write(plan_labels(table, labels, error=error, answers=pool_size), form)
    elif others:
        expected = plan_sequential(
            table, error=error, pool_size=pool_size, families=families, largest=largest
        )
        _show_expected(expected, form)
    else:
        made = plan(table, error=error, difference=difference, pool_size=pool_size, power=power)
        if plot is not None:
            output_files.write_output(plot, made.draw(table, picture, style), force=force)
        common.notes(made.notes)
        _show(made, form)


def _show(made: Plan, form: str) -> None:
    if form in ("csv", "json"):  # programs get one table
        _write(made.table(), form)
        return
    click.echo(
        f"questions for an error of +-{made.error:g} (half the 95 % "
        "interval), with a random sample and with lpm:",
        err=True,
    )
    _print(made.errors, form)
    if len(made.differences):
        click.echo(
            f"questions to tell two systems apart with power {made.power:.0%} (by compare, 5 %):",
            err=True,
        )
        _print(made.differences, form)


def _show_expected(made: Expectation, form: str) -> None:
    if form in ("csv", "json"):
        _write(made.table(), form)
        return
    click.echo(
        f"questions until the 95 % interval is +-{made.half_width:g}, asked in order:", err=True
    )
    _print(made.until, form)
    click.echo(
        "questions until it is decided who is better, at most "
        f"{made.largest}, and the chance that it is:",
        err=True,
    )
    _print(made.decisions, form)


def _print(table: pd.DataFrame, form: str) -> None:
    """Print one of several tables, with a blank line after it."""
    from qaldgen.reports.tables.results import dump_frame

    click.echo(dump_frame(table, form))


def _write(table: pd.DataFrame, form: str) -> None:
    from qaldgen.reports.tables.results import dump_frame

    output_files.write_output("-", dump_frame(table, form), force=False)
