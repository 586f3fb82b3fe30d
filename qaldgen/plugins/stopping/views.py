"""``ask --until``, ``compare --sequential`` and ``plan --others``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen.cli.output_files import write_output
from qaldgen.cli.printing import print_notes
from qaldgen.cli.scoring import read_and_evaluate
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, section
from qaldgen.cli.views import View
from qaldgen.defaults import LAYOUT
from qaldgen.errors import UsageError
from qaldgen.options import OutputPath

if TYPE_CHECKING:
    from qaldgen.plugins.stopping.decision import Decision
    from qaldgen.plugins.stopping.rule import StopRule

#: Exit status by verdict; 1 and 2 still mean bad data and wrong calls.
EXITS = {"better": 0, "undecided": 3, "worse": 4}
STOP_RULE = "qaldgen.plugins.stopping.rule:stop_rule"
_IN_ORDER = "qaldgen.plugins.stopping.decision:compare_in_order"
_EXPECTED = "qaldgen.plugins.stopping.expected_questions:plan_sequential"


class UntilOptions:
    """Command-line options of `ask --until`.

    Attributes
    ----------
    until_decided
        Stop when the system is known to be better or worse; the exit status is that of 'gate'.
        Needs, as --until, a benchmark by lpm or random, as RDF.
    """

    until_decided: bool = False


class SequentialOptions:
    """Command-line options of `compare --sequential`.

    Attributes
    ----------
    sequential
        Compare two runs before they are complete, on the questions that both have answered so far.
        See --record.
    plot
        With --sequential: draw the difference against the questions asked.
    """

    sequential: bool = False
    plot: OutputPath | None = None


class OthersOptions:
    """Command-line options of `plan --others`.

    Attributes
    ----------
    others
        Print the expected number of questions until a run stops, if they are asked in order and the
        results of other systems are known.
    """

    others: bool = False


def has_one_reference(call: Call) -> bool:
    """Return whether either a baseline or a threshold is given."""
    return (call.baseline is None) != (call.above is None)


def show_decision(call: Call, decision: Decision) -> None:
    """Write the looks and the picture, and print the decision."""
    if call.plot is not None:
        write_output(call.plot, decision.draw(Path(call.plot).suffix[1:]), force=call.force)
    table = decision.table
    if not call.for_programs:
        table = table.assign(verdict=[verdict or "-" for verdict in table["verdict"]])
    call.write(table)
    click.echo(decision.sentence, err=True)


def ask_until(call: Call) -> None:
    """Ask until a rule stops, and print its verdict."""
    from qaldgen.benchmark.gold import load_gold
    from qaldgen.cli.ask import ask_questions
    from qaldgen.plugins.stopping.rule import stop_rule
    from qaldgen.questions.collecting import ReadOptions
    from qaldgen.scoring.evaluation import evaluate
    from qaldgen.scoring.rules import refuse_judge

    if call.until is not None and call.until_decided:
        raise UsageError("--until and --until-decided are different rules; give one of them")
    if call.until_decided and not has_one_reference(call):
        raise UsageError(
            "--until-decided: say what the run is compared with: either --baseline SYSTEM or"
            " --above SCORE"
        )
    refuse_judge(call.match)
    if call.wordings or "," in call.lang:
        raise UsageError(
            "--until and --until-decided are about questions asked once; leave out --wordings, and"
            " name one language"
        )

    def make_rule() -> StopRule:
        bench = load_gold(call.questions, ReadOptions(language=call.lang, **call.of("load")))
        evaluation = evaluate(bench, (), language=call.lang, **call.of("evaluate"))
        rule = stop_rule(evaluation, **call.of(STOP_RULE))
        if call.until is not None:
            call.unused("max")
        return rule

    verdict = ask_questions(call, make_rule)
    if verdict is not None:
        sys.exit(EXITS[verdict])


def print_comparison(call: Call) -> None:
    """Print the looks at two runs."""
    from qaldgen.pictures.layouts import check_picture
    from qaldgen.plugins.stopping.decision import compare_in_order
    from qaldgen.scoring.rules import refuse_judge

    if len(call.runs) != 2:
        raise UsageError(
            f"--sequential compares two runs, but {len(call.runs)} were given; 'qaldgen race'"
            " finds the best of several"
        )
    check_picture(call.plot, LAYOUT)
    refuse_judge(call.match)
    call.check()
    evaluation = read_and_evaluate(call, call.runs, several=True)
    # The size of a slice in the pool is not known, and weights are equal.
    call.unused("by", "weighted")
    looks = compare_in_order(
        evaluation.gold,
        evaluation.scores,
        measure=call.measure,
        largest=call.max,
        record=call.record,
    )
    print_notes(looks.notes)
    show_decision(call, looks)


def print_expected_questions(call: Call) -> None:
    """Print the expected numbers of questions until a rule stops."""
    from qaldgen.cli.plan import read_pilot, show_plan
    from qaldgen.plugins.stopping.expected_questions import plan_sequential

    call.check()
    pilot = read_pilot(call)
    expected = plan_sequential(pilot, error=call.error, pool_size=call.pool, **call.of(_EXPECTED))
    show_plan(call, expected.parts, expected.table())


UNTIL = View(
    section(
        "Stopping",
        options_of(STOP_RULE, "until"),
        options_of(UntilOptions),
        options_of(STOP_RULE, "baseline", "above", "others", "families", "largest", "measure"),
        options_of("evaluate", "match", "extract"),
    ),
    lambda call: call.given("until", "until_decided"),
    ask_until,
    brief="until",
)
SEQUENTIAL = View(
    section(
        "",
        options_of(SequentialOptions, "sequential"),
        options_of(_IN_ORDER, "largest", "record"),
        options_of(SequentialOptions, "plot"),
    ),
    lambda call: call.given("sequential"),
    print_comparison,
)
OTHERS = View(
    section("", options_of(OthersOptions), options_of(_EXPECTED, "families", "largest")),
    lambda call: call.given("others"),
    print_expected_questions,
)
