"""``qaldgen gate``."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.common import known_on_pool
from qaldgen.commands.groups import FOR_PROGRAMS
from qaldgen.commands.scoring import ScoringOptions, measure_option, scored_runs, scoring_options
from qaldgen.commands.verb import FiniteRange, verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.api.questions import Reading
    from qaldgen.api.stopping import Decision

#: Exit status by verdict; 1 and 2 still mean bad data and wrong calls.
EXITS = {"better": 0, "undecided": 3, "worse": 4}


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What the run is compared with, and how far."""

    baseline: str | None
    above: float | None
    others: str | None
    families: tuple[str, ...]
    largest: int | None
    measure: str
    no_record: bool
    plot: str | None


@verb(
    usual=(
        "baseline",
        "above",
        "others",
        "largest",
        "measure",
        "match",
        "language",
        "output",
        "force",
    ),
    epilog="Example: qaldgen gate bench.ttl new.jsonl --baseline old.csv",
)
@click.argument("bench")
@click.argument("run")
@scoring_options
@groups.grouped(
    "wanted",
    Wanted,
    click.option(
        "--baseline",
        metavar="SYSTEM",
        help=(
            "Compare with a system whose scores on the whole pool are known: one of --others, or a"
            " CSV file with its scores."
        ),
    ),
    click.option(
        "--above",
        type=FiniteRange(0, 1, min_open=True, max_open=True),
        help="Compare with a threshold.",
    ),
    click.option(
        "--others",
        metavar="FILE",
        help="Scores of other systems on the whole pool: CSV, see 'study'.",
    ),
    click.option(
        "--family",
        "families",
        multiple=True,
        metavar="SYSTEM=NAME",
        help="Name the family of related systems, as for 'study'. Repeatable.",
    ),
    click.option(
        "--max",
        "largest",
        type=click.IntRange(min=1),
        metavar="N",
        help="Maximum number of questions (default: all of BENCH); fixed before the first look.",
    ),
    measure_option(),
    click.option(
        "--no-record", is_flag=True, help="Do not record the plan and the looks in the journal RUN."
    ),
    click.option(
        "--plot",
        metavar="FILE",
        help="Draw the difference against the questions asked: .png or .svg.",
    ),
)
@groups.table_options(output="Output file for the table of looks; - is stdout (default).")
def command(
    bench: str,
    run: str,
    scoring: ScoringOptions,
    reading: Reading,
    wanted: Wanted,
    out: groups.Output,
) -> None:
    """Say whether a system is better or worse than a baseline, or than a threshold.

    The exit status is 0 for better, 4 for worse, and 3 for undecided.

    BENCH is a benchmark by lpm or random, as RDF; RUN holds answers to all its questions, or to the
    first ones. The looks are few and fixed in advance, so that false claims stay below 5 %; a
    journal keeps them, and they are final.
    """
    api.checks.check_table_form(out.form)
    api.checks.check_measure(wanted.measure)
    api.checks.check_no_judge(scoring.match)
    # Neither, or both.
    if (wanted.baseline is None) == (wanted.above is None):
        raise UsageError(
            "say what the run is compared with: either --baseline SYSTEM or --above SCORE"
        )
    if scoring.weighted:
        raise UsageError(
            "--weighted has no effect here: every question had the same chance to be asked"
        )
    if wanted.plot is not None and not wanted.plot.endswith((".png", ".svg")):
        raise UsageError(f"{wanted.plot}: unknown picture format; use .png or .svg")
    # A picture that cannot be written should not be noticed only after the looks are recorded.
    outputs = [out.output, *([wanted.plot] if wanted.plot else [])]
    output_files.check_outputs(
        outputs,
        force=out.force,
        inputs=[bench, run, scoring.aliases, wanted.others, wanted.baseline],
    )
    api.checks.check_files(wanted.others)
    asked, scored = scored_runs(bench, [run], scoring, reading)
    journal = None if wanted.no_record else Path(run)
    found = api.stopping.decide(
        asked,
        scored[0],
        known_on_pool([scored[0].name], wanted.others, wanted.families, wanted.baseline),
        wanted.above,
        largest=wanted.largest,
        measure=wanted.measure,
        journal=journal,
    )
    common.notes(found.notes)
    show(found, out, wanted.plot)
    sys.exit(EXITS[found.verdict])


def show(found: Decision, out: groups.Output, plot: str | None) -> None:
    """Write the looks and the picture, and say what they mean.

    Parameters
    ----------
    found
        What the looks showed.
    out
        Where the table goes.
    plot
        Where the picture goes; None for nowhere.
    """
    if plot is not None:
        output_files.write_output(plot, found.draw(Path(plot).suffix[1:]), force=out.force)
    table = (
        found.table
        if out.form in FOR_PROGRAMS
        else found.table.assign(verdict=[one or "-" for one in found.table["verdict"]])
    )
    output_files.write_output(out.output, api.tables.dump_frame(table, out.form), force=out.force)
    click.echo(found.sentence, err=True)
