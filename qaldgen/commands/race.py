"""``qaldgen race``."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.scoring import ScoringOptions, measure_option, scored_runs, scoring_options
from qaldgen.commands.verb import verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.api.questions import Reading


@dataclasses.dataclass(frozen=True)
class Rules:
    """How far the race goes."""

    largest: int | None
    budget: int | None
    measure: str
    record: str | None


@verb(
    usual=(
        "largest",
        "budget",
        "measure",
        "record",
        "match",
        "language",
        "form",
        "output",
        "force",
    ),
    epilog="Example: qaldgen race bench.ttl one.jsonl two.jsonl three.jsonl",
)
@click.argument("bench")
@click.argument("runs", nargs=-1, required=True)
@scoring_options
@groups.grouped(
    "rules",
    Rules,
    click.option(
        "--max",
        "largest",
        type=click.IntRange(min=1),
        metavar="N",
        help="Maximum number of questions per system (default: all of BENCH).",
    ),
    click.option(
        "--budget",
        type=click.IntRange(min=1),
        metavar="N",
        help=(
            "Total number of answers: the worse half drops out in each round. Nothing guarantees "
            "that the best one stays."
        ),
    ),
    measure_option(),
    click.option(
        "--record",
        metavar="FILE",
        help="File that keeps the plan and the looks as more answers come in.",
    ),
)
@groups.table_options()
def command(
    bench: str,
    runs: tuple[str, ...],
    scoring: ScoringOptions,
    reading: Reading,
    rules: Rules,
    out: groups.Output,
) -> None:
    """Find the best of several systems.

    Systems that are clearly behind the leader drop out, and need not be asked further.

    BENCH is a benchmark by lpm or random, as RDF; RUNS hold answers to all its questions, or to the
    first ones. If answers are missing, it says which systems to ask, and how far. The race names
    the best system; it does not rank the others. --record keeps the plan and the looks.
    """
    api.checks.check_table_form(out.form)
    api.checks.check_measure(rules.measure)
    api.checks.check_no_judge(scoring.match)
    if len(runs) < 2:
        raise UsageError("a race needs at least two runs; use 'qaldgen score --estimate' for one")
    # Successive halving and the sequential test choose the number of questions in different ways.
    if rules.budget is not None and rules.largest is not None:
        raise UsageError("--budget and --max are different rules; give one of them")
    if scoring.weighted:
        raise UsageError(
            "--weighted has no effect here: every question had the same chance to be asked"
        )
    inputs = [bench, *runs, scoring.aliases]
    output_files.check_outputs([out.output], force=out.force, inputs=inputs)
    if rules.record is not None:  # an existing record goes on
        output_files.check_outputs([rules.record], force=True, inputs=[*inputs, out.output])
    asked, scored = scored_runs(bench, runs, scoring, reading)
    found = api.racing.race_scores(
        asked,
        scored,
        largest=rules.largest,
        budget=rules.budget,
        measure=rules.measure,
        record=None if rules.record is None else Path(rules.record),
    )
    common.notes(found.notes)
    output_files.write_output(
        out.output, api.tables.dump_frame(found.table, out.form), force=out.force
    )
    click.echo(found.sentence, err=True)
