"""``qaldgen race``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from qaldgen.cli import common, groups, output_files
from qaldgen.cli.scoring import ScoringOptions, runs_argument, scored_runs, scoring_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.formats.reading import Reading


@verb(
    usual=(
        "largest", "budget", "measure", "record", "match", "language", "form", "output", "force",
    ),
    epilog="Example: qaldgen race bench.ttl one.jsonl two.jsonl three.jsonl",
)  # fmt: skip
@click.argument("bench")
@runs_argument(required=True)
@scoring_options
@options_of(
    "qaldgen.analysis.stopping.race:race",
    "largest",
    "budget",
    "measure",
    "record",
    called={"largest": "max"},
)
@groups.table_options()
def command(
    bench: str,
    runs: tuple[str, ...],
    scoring: ScoringOptions,
    reading: Reading,
    largest: int | None,
    budget: int | None,
    measure: str,
    record: str | None,
    out: groups.Output,
) -> None:
    """Find the best of several systems.

    Systems that are clearly behind the leader drop out, and need not be asked further.

    BENCH is a benchmark by lpm or random, as RDF; RUNS hold answers to all its questions, or to the
    first ones. If answers are missing, it says which systems to ask, and how far. The race names
    the best system; it does not rank the others. --record keeps the plan and the looks.
    """
    from qaldgen.analysis.stopping.race import race
    from qaldgen.cli.checks import check_no_judge, check_table_form
    from qaldgen.reports.tables.results import dump_frame

    check_table_form(out.form)
    check_no_judge(scoring.match)
    if len(runs) < 2:
        raise UsageError("a race needs at least two runs; use 'qaldgen score --estimate' for one")
    # Successive halving and the sequential test choose the number of questions in different ways.
    if budget is not None and largest is not None:
        raise UsageError("--budget and --max are different rules; give one of them")
    if scoring.weighted:
        raise UsageError(
            "--weighted has no effect here: every question had the same chance to be asked"
        )
    inputs = [bench, *runs, scoring.aliases]
    output_files.check_outputs([out.output], force=out.force, inputs=inputs)
    if record is not None:  # an existing record goes on
        output_files.check_outputs([record], force=True, inputs=[*inputs, out.output])
    asked, scored = scored_runs(bench, runs, scoring, reading)
    ranking = race(asked, scored, largest=largest, budget=budget, measure=measure, record=record)
    # The notes on the runs are printed already.
    printed = {note for run in scored for note in run.notes}
    common.notes(note for note in ranking.notes if note not in printed)
    output_files.write_output(out.output, dump_frame(ranking.table, out.form), force=out.force)
    click.echo(ranking.sentence, err=True)
