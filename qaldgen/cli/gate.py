"""``qaldgen gate``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen.cli.output_files import write_output
from qaldgen.cli.scoring import bench_argument, check_ordered, evaluated, scoring_options
from qaldgen.cli.shared_options import table_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import FILE, Call, verb
from qaldgen.errors import UsageError
from qaldgen.options import Written

if TYPE_CHECKING:
    from qaldgen.analysis.stopping.gate import Decision

#: Exit status by verdict; 1 and 2 still mean bad data and wrong calls.
EXITS = {"better": 0, "undecided": 3, "worse": 4}


class GateOptions:
    """What only the command line has.

    Attributes
    ----------
    no_record
        Do not record the plan and the looks in the journal RUN.
    plot
        Draw the difference against the questions asked (.png, .svg or .pdf).
    """

    no_record: bool = False
    plot: Written | None = None


@verb(
    usual="baseline above coverage others max measure match lang output force",
    epilog="Example: qaldgen gate bench.ttl new.jsonl --baseline old.csv",
)
@bench_argument
@click.argument("run_file", metavar="RUN", type=FILE)
@scoring_options
@options_of("stop_rule", "baseline", "above")
@options_of("gate", "coverage", "others")
@options_of("stop_rule", "families")
@options_of("gate", "largest", "measure")
@options_of(f"{__name__}:GateOptions")
@table_options()
def command(call: Call) -> None:
    """Say whether a system is better than a baseline or a threshold.

    The exit status is 0 for better, 4 for worse, and 3 for undecided. With --coverage, better needs
    enough answers too, and too few are worse.

    BENCH is a benchmark by lpm or random, as RDF; RUN holds answers to all its questions, or to the
    first ones. The looks are few and fixed in advance, so that false claims stay below 5 %; a
    journal keeps them, and they are final.
    """
    from qaldgen.analysis.estimating.known_scores import known_scores
    from qaldgen.pictures.style import check_picture

    check_ordered(call)
    # Neither, or both.
    if (call.baseline is None) == (call.above is None):
        raise UsageError(
            "say what the run is compared with: either --baseline SYSTEM or --above SCORE"
        )
    check_picture(call.plot, "screen")
    # A picture that cannot be written should not be noticed only after the looks are recorded.
    call.check()
    evaluation = evaluated(call, [call.run_file], alone=True)
    record = False if call.no_record else Path(call.run_file)
    others = known_scores(call.others, call.family, runs=[evaluation[0].name])
    above = call.above if call.baseline is None else call.baseline
    decision = call.result("gate", evaluation, above=above, others=others, record=record)
    show(call, decision)
    sys.exit(EXITS[decision.verdict])


def show(call: Call, decision: Decision) -> None:
    """Write the looks and the picture, and say what they mean."""
    if call.plot is not None:
        write_output(call.plot, decision.draw(Path(call.plot).suffix[1:]), force=call.force)
    table = decision.table
    if not call.for_programs:
        table = table.assign(verdict=[verdict or "-" for verdict in table["verdict"]])
    call.write(table)
    click.echo(decision.sentence, err=True)
