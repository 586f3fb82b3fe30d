"""``qaldgen gate``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen.cli import common, groups, output_files
from qaldgen.cli.groups import FOR_PROGRAMS
from qaldgen.cli.scoring import ScoringOptions, scored_runs, scoring_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Decision
    from qaldgen.formats.reading import Reading

#: Exit status by verdict; 1 and 2 still mean bad data and wrong calls.
EXITS = {"better": 0, "undecided": 3, "worse": 4}
#: Where the options are declared.
_GATE = "qaldgen.analysis.stopping.gate:gate"


@verb(
    usual=(
        "baseline", "above", "others", "largest", "measure", "match", "language", "output", "force",
    ),
    epilog="Example: qaldgen gate bench.ttl new.jsonl --baseline old.csv",
)  # fmt: skip
@click.argument("bench")
@click.argument("run")
@scoring_options
@options_of(
    _GATE,
    "baseline",
    "above",
    "others",
    "families",
    "largest",
    "measure",
    called={"families": "family", "largest": "max"},
)
@click.option(
    "--no-record", is_flag=True, help="Do not record the plan and the looks in the journal RUN."
)
@click.option(
    "--plot",
    metavar="FILE",
    help="Draw the difference against the questions asked: .png or .svg.",
)
@groups.table_options(output="Output file for the table of looks; - is stdout (default).")
def command(
    bench: str,
    run: str,
    scoring: ScoringOptions,
    reading: Reading,
    baseline: str | None,
    above: float | None,
    others: str | None,
    families: Mapping[str, str] | None,
    largest: int | None,
    measure: str,
    no_record: bool,
    plot: str | None,
    out: groups.Output,
) -> None:
    """Say whether a system is better than a baseline or a threshold.

    The exit status is 0 for better, 4 for worse, and 3 for undecided.

    BENCH is a benchmark by lpm or random, as RDF; RUN holds answers to all its questions, or to the
    first ones. The looks are few and fixed in advance, so that false claims stay below 5 %; a
    journal keeps them, and they are final.
    """
    from qaldgen.analysis.stopping.gate import gate
    from qaldgen.cli.checks import check_files, check_no_judge, check_table_form

    check_table_form(out.form)
    check_no_judge(scoring.match)
    # Neither, or both.
    if (baseline is None) == (above is None):
        raise UsageError(
            "say what the run is compared with: either --baseline SYSTEM or --above SCORE"
        )
    if scoring.weighted:
        raise UsageError(
            "--weighted has no effect here: every question had the same chance to be asked"
        )
    if plot is not None and not plot.endswith((".png", ".svg")):
        raise UsageError(f"{plot}: unknown picture format; use .png or .svg")
    # A picture that cannot be written should not be noticed only after the looks are recorded.
    output_files.check_outputs(
        [out.output, *([plot] if plot else [])],
        force=out.force,
        inputs=[bench, run, scoring.aliases, others, baseline],
    )
    check_files(others)
    asked, scored = scored_runs(bench, [run], scoring, reading)
    decision = gate(
        asked,
        scored[0],
        baseline=baseline,
        above=above,
        others=others,
        families=families,
        largest=largest,
        measure=measure,
        record=False if no_record else Path(run),
    )
    # The notes on the run are printed already.
    common.notes(note for note in decision.notes if note not in scored[0].notes)
    show(decision, out, plot)
    sys.exit(EXITS[decision.verdict])


def show(decision: Decision, out: groups.Output, plot: str | None) -> None:
    """Write the looks and the picture, and say what they mean."""
    from qaldgen.reports.tables.results import dump_frame

    if plot is not None:
        output_files.write_output(plot, decision.draw(Path(plot).suffix[1:]), force=out.force)
    table = decision.table
    if out.form not in FOR_PROGRAMS:
        table = table.assign(verdict=[verdict or "-" for verdict in table["verdict"]])
    output_files.write_output(out.output, dump_frame(table, out.form), force=out.force)
    click.echo(decision.sentence, err=True)
