"""``qaldgen plan``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from qaldgen.cli.output_files import write_output
from qaldgen.cli.printing import print_notes, printing_notes
from qaldgen.cli.scoring import read_gold, runs_argument
from qaldgen.cli.shared_options import format_option, reading_options, shared
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import NAMED, Call, verb
from qaldgen.cli.views import views_of
from qaldgen.options import OutputPath

if TYPE_CHECKING:
    import pandas as pd


class PlanOptions:
    """Command-line options of `plan`.

    Attributes
    ----------
    plot
        Plot the error against the number of questions (.png, .svg or .pdf).
    """

    plot: OutputPath | None = None


@verb(epilog="Example: qaldgen plan gold.json mine.json other.json --difference 0.05")
@click.argument("scores", type=NAMED)
@runs_argument()
@options_of("plan")
@options_of("evaluate", "match", "language")
@views_of("plan")
@options_of(PlanOptions, "plot")
@shared("style", "force")
@format_option()
@reading_options("gold_format")
def command(call: Call) -> None:
    """Compute how many questions an error or a difference requires.

    SCORES come from a pilot or from past results: CSV with one row per question (id first) and one
    column per system, values from 0 to 1; or the output of 'qaldgen score -q --format csv'. With
    RUNS, the answers of systems, they are the questions that were asked, as for 'score'.
    """
    from qaldgen.analysis.planning import plan
    from qaldgen.pictures.layouts import check_picture

    call.check()
    picture = check_picture(call.plot, call.style)  # before any file is read
    pilot = read_pilot(call)
    sample_size_plan = plan(pilot, **call.of("plan"))
    print_notes(sample_size_plan.notes)
    if call.plot is not None:
        drawing = sample_size_plan.draw(pilot, picture, call.style)
        write_output(call.plot, drawing, force=call.force)
    show_plan(call, sample_size_plan.parts, sample_size_plan.table())


def read_pilot(call: Call) -> pd.DataFrame:
    """Read SCORES, or judge RUNS on the questions: a row per question, a column per system."""
    from qaldgen.analysis.planning import pilot_scores
    from qaldgen.scoring.evaluation import evaluate

    source = call.scores
    if call.runs:
        gold = read_gold(call, call.scores)
        source = evaluate(gold, call.runs, match=call.match, language=call.lang)
    with printing_notes():
        return pilot_scores(source)


def show_plan(call: Call, parts: Sequence[tuple[str, pd.DataFrame]], table: pd.DataFrame) -> None:
    """Print the tables of a plan with their headings; programs get one table."""
    from qaldgen.reports.tables.results import dump_frame

    if call.for_programs:
        write_output("-", dump_frame(table, call.format), force=False)
        return
    for heading, part in parts:
        click.echo(heading, err=True)
        click.echo(dump_frame(part, call.format))
