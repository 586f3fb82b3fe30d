"""``qaldgen race``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.commands.listing import listing_command
from qaldgen.commands.scoring_options import (
    ScoringOptions,
    measure_option,
    scored_runs,
    scoring_options,
)
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.api.questions import Reading


@dataclasses.dataclass(frozen=True)
class Rules:
    """How far the race goes."""

    largest: int | None
    budget: int | None
    measure: str


@listing_command(epilog="Example: qaldgen race bench.ttl one.jsonl two.jsonl three.jsonl")
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
        help="The most questions for a system (all of BENCH).",
    ),
    click.option(
        "--budget",
        type=click.IntRange(min=1),
        metavar="N",
        help=(
            "So many answers in all: the worse half leaves, round after round. Nothing guarantees"
            " that the best one stays."
        ),
    ),
    measure_option(),
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

    Who is clearly behind the leader leaves, and need not be asked further.

    BENCH is a benchmark by lpm or random, as RDF; RUNS are answers to its questions, or to the
    first ones of them. Where answers are missing, it says who is to be asked how far. The race
    names the best system; it does not rank the others. It keeps no looks in the journals.
    """
    api.checks.check_table_form(out.form)
    api.checks.check_measure(rules.measure)
    if len(runs) < 2:
        raise UsageError("a race needs two runs at least; 'qaldgen score --estimate' is for one")
    # Successive halving and the sequential test choose the number of questions in different ways.
    if rules.budget is not None and rules.largest is not None:
        raise UsageError("--budget and --max are different rules; give one of them")
    if scoring.weighted:
        raise UsageError(
            "--weighted says nothing here: every question had the same chance to be asked"
        )
    common.check_outputs([out.output], force=out.force, inputs=[bench, *runs, scoring.aliases])
    asked, scored = scored_runs(bench, runs, scoring, reading)
    found = api.racing.race_scores(
        asked, scored, largest=rules.largest, budget=rules.budget, measure=rules.measure
    )
    common.notes(found.notes)
    common.write_output(out.output, api.tables.dump_frame(found.table, out.form), force=out.force)
    click.echo(found.sentence, err=True)
