"""``qaldgen race``."""

from __future__ import annotations

import click

from qaldgen.cli.scoring import (
    bench_argument,
    check_ordered,
    evaluated,
    runs_argument,
    scoring_options,
)
from qaldgen.cli.shared_options import table_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, verb
from qaldgen.errors import UsageError


@verb(
    usual="max budget measure record match lang format output force",
    epilog="Example: qaldgen race bench.ttl one.jsonl two.jsonl three.jsonl",
)
@bench_argument
@runs_argument(required=True)
@options_of("race")
@scoring_options
@table_options()
def command(call: Call) -> None:
    """Find the best of several systems.

    Systems that are clearly behind the leader drop out, and need not be asked further.

    BENCH is a benchmark by lpm or random, as RDF; RUNS hold answers to all its questions, or to the
    first ones. If answers are missing, it says which systems to ask, and how far. The race names
    the best system; it does not rank the others. --record keeps the plan and the looks.
    """
    check_ordered(call)
    # Successive halving and the sequential test choose the number of questions in different ways.
    if call.budget is not None and call.max is not None:
        raise UsageError("--budget and --max are different rules; give one of them")
    call.check()
    ranking = call.result("race", evaluated(call, call.runs, several=True))
    call.write(ranking.table)
    click.echo(ranking.sentence, err=True)
