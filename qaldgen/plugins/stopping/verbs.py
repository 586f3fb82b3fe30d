"""``qaldgen gate`` and ``qaldgen race``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from qaldgen.cli.printing import print_notes
from qaldgen.cli.scoring import bench_argument, read_and_evaluate, runs_argument, scoring_options
from qaldgen.cli.shared_options import table_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import FILE, Call, verb
from qaldgen.defaults import LAYOUT
from qaldgen.errors import UsageError
from qaldgen.options import OutputPath
from qaldgen.plugins.stopping.views import EXITS, STOP_RULE, has_one_reference, show_decision

_GATE = "qaldgen.plugins.stopping.decision:gate"
_RACE = "qaldgen.plugins.stopping.ranking:race"


class GateOptions:
    """Command-line options of `gate`.

    Attributes
    ----------
    no_record
        Do not record the plan and the looks in the journal RUN.
    plot
        Draw the difference against the questions asked (.png, .svg or .pdf).
    """

    no_record: bool = False
    plot: OutputPath | None = None


@verb(
    brief="baseline above coverage others max measure match lang output force",
    epilog="Example: qaldgen gate bench.ttl new.jsonl --baseline old.csv",
)
@bench_argument
@click.argument("run_file", metavar="RUN", type=FILE)
@scoring_options
@options_of(STOP_RULE, "baseline", "above")
@options_of(_GATE, "coverage", "others")
@options_of(STOP_RULE, "families")
@options_of(_GATE, "largest", "measure")
@options_of(GateOptions)
@table_options()
def gate(call: Call) -> None:
    """Say whether a system is better than a baseline or a threshold.

    The exit status is 0 for better, 4 for worse, and 3 for undecided. With --coverage, better needs
    enough answers too, and too few are worse.

    BENCH is a benchmark by lpm or random, as RDF; RUN holds answers to all its questions, or to the
    first ones. The looks are few and fixed in advance, so that false claims stay below 5 %; a
    journal keeps them, and they are final.
    """
    from qaldgen.analysis.estimating.known_scores import known_scores
    from qaldgen.pictures.layouts import check_picture
    from qaldgen.plugins.stopping.decision import gate as decide

    _check_ordered(call)
    if not has_one_reference(call):
        raise UsageError(
            "say what the run is compared with: either --baseline SYSTEM or --above SCORE"
        )
    check_picture(call.plot, LAYOUT)
    # A picture that cannot be written should not be noticed only after the looks are recorded.
    call.check()
    evaluation = read_and_evaluate(call, [call.run_file], alone=True)
    record = False if call.no_record else Path(call.run_file)
    others = known_scores(call.others, call.family, runs=[evaluation[0].name])
    reference = call.above if call.baseline is None else call.baseline
    options = call.of(_GATE) | {"others": others}
    decision = decide(evaluation, above=reference, record=record, **options)
    print_notes(decision.notes)
    show_decision(call, decision)
    sys.exit(EXITS[decision.verdict])


@verb(
    brief="max measure record match lang format output force",
    epilog="Example: qaldgen race bench.ttl one.jsonl two.jsonl three.jsonl",
)
@bench_argument
@runs_argument(required=True)
@options_of(_RACE)
@scoring_options
@table_options()
def race(call: Call) -> None:
    """Find the best of several systems.

    Systems that are clearly behind the leader drop out, and need not be asked further.

    BENCH is a benchmark by lpm or random, as RDF; RUNS hold answers to all its questions, or to the
    first ones. If answers are missing, it says which systems to ask, and how far. The race names
    the best system; it does not rank the others. --record keeps the plan and the looks.
    """
    from qaldgen.plugins.stopping.ranking import race as run_race

    _check_ordered(call)
    call.check()
    evaluation = read_and_evaluate(call, call.runs, several=True)
    ranking = run_race(evaluation, **call.of(_RACE))
    print_notes(ranking.notes)
    call.write(ranking.table)
    click.echo(ranking.sentence, err=True)


def _check_ordered(call: Call) -> None:
    """Refuse a judge and weights; questions asked in a random order have equal weights."""
    from qaldgen.scoring.rules import refuse_judge

    refuse_judge(call.match)
    call.unused("weighted")
