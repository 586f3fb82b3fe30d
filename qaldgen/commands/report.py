"""``qaldgen report``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.comparison_options import (
    TestOptions,
    common_questions,
    is_outcome,
    measure_option,
    missing_option,
    test_options,
)
from qaldgen.commands.listing import listing_command
from qaldgen.commands.scored_runs import gold_weights, scored_runs
from qaldgen.commands.scoring_options import ScoringOptions, scoring_options
from qaldgen.commands.slice_options import Cuts, features_of, slice_options
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Report
    from qaldgen.api.questions import Reading


@dataclasses.dataclass(frozen=True)
class Outputs:
    """What is written, for which measure, and where."""

    outputs: tuple[str, ...]
    title: str
    measure: str
    retrieved: tuple[str, ...]
    passages: int
    force: bool

    def files(self) -> list[str]:
        """Return all output files; reject an invalid call early."""
        if not self.outputs:
            raise UsageError("no output given; pass -o report.html")
        return api.reporting.files_of(self.outputs)


@listing_command(
    epilog="Example: qaldgen report gold.json mine.json other.json -o report.html -o tables.tex"
)
@click.argument("gold")
@click.argument("runs", nargs=-1)
@groups.grouped(
    "out",
    Outputs,
    click.option(
        "-o",
        "--output",
        "outputs",
        multiple=True,
        metavar="FILE",
        help=(
            "Output file; the extension selects the format: .html, .md, .tex, .csv (one file per"
            " table) or .json. - is stdout (Markdown). Repeatable."
        ),
    ),
    click.option("--title", default="", help="Title of the report."),
    groups.headed("Options", measure_option()),
    groups.headed(
        "Retriever",
        click.option(
            "--retrieved",
            multiple=True,
            metavar="FILE",
            help="Run of the retriever (TREC format): splits the errors into retriever and reader"
            " misses. One for all RUNS, or one for each.",
        ),
    ),
    groups.headed(
        "Retriever",
        click.option(
            "--passages",
            default=10,
            show_default=True,
            type=click.IntRange(1),
            metavar="N",
            help="With --retrieved: number of passages that the reader was given.",
        ),
    ),
    groups.force_option,
    section="Output",
)
@scoring_options
@slice_options(missing_option())
@test_options(seed="Seed of all random draws.")
def command(
    gold: str,
    runs: tuple[str, ...],
    out: Outputs,
    scoring: ScoringOptions,
    reading: Reading,
    cuts: Cuts,
    tests: TestOptions,
) -> None:
    """Write a report on scores, significant differences, weak slices and every question.

    GOLD is a question set or a benchmark; RUNS are files of answers, as for 'score'; a log
    contains both. The HTML page is self-contained.
    By default, questions are sliced by answer type, question word, query shape and size, and
    cluster.
    """
    files = out.files()
    output_files.check_outputs(
        files,
        force=out.force,
        inputs=[gold, *runs, scoring.aliases, cuts.clusters, *cuts.where, *out.retrieved],
    )
    cuts.check()
    api.checks.check_files(*out.retrieved)
    how = tests.read()
    api.checks.check_missing(cuts.missing)
    api.checks.check_measure(out.measure)
    outcomes = is_outcome(out.measure)
    asked, scored = scored_runs(
        gold, runs or [gold], scoring, reading, alone=not runs, outcomes=outcomes
    )
    asked = cuts.clustered(asked)
    # The report restricts the runs itself.
    common_questions(scored, cuts.missing)  # prints what is left out
    table, weights = features_of(asked, scoring.lang), gold_weights(asked, scoring.weighted)
    wanted = api.reporting.Cuts(cuts.by, cuts.where, out.measure, cuts.missing, out.title, gold)
    made = api.reporting.report_scores(
        asked, scored, table, wanted, weights=weights, tests=how, step=common.clock
    )
    if out.retrieved:
        made = api.chains.with_losses(made, asked, scored, out.retrieved, k=out.passages)
    output_files.write_outputs(api.reporting.rendered(made, out.outputs), force=out.force)
    _tell(made)


def _tell(report: Report) -> None:
    """Print the findings on all questions, the winners, the rank reversals and weak spots."""
    found = report.findings
    weak = report.weak.sentences()
    for sentence in (*found.overall, *found.winners, *found.reversals, *weak):
        click.echo(sentence, err=True)
