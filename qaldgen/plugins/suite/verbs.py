"""``qaldgen suite``: make a suite of small benchmarks, and run it."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from qaldgen.cli import system_verbs
from qaldgen.cli.output_files import check_outputs, write_outputs
from qaldgen.cli.printing import print_notes
from qaldgen.cli.progress_bar import show_elapsed_time
from qaldgen.cli.scoring import read_gold
from qaldgen.cli.shared_options import reading_options, shared, table_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import QUESTIONS, Call, Verb, section
from qaldgen.errors import UsageError
from qaldgen.options import OutputPath

#: The exit status where a kind got worse, as that of a test that fails.
WORSE_EXIT = 1


@click.group(epilog="Example: qaldgen suite make questions.json --by answerType -o suite")
def command() -> None:
    """Test each kind of question: make small benchmarks, and say which kinds got worse."""


class SuiteOptions:
    """Command-line options of `suite`.

    Attributes
    ----------
    spots
        A kind for each weak spot of a system, from its answers to the questions.
    from_suite
        Rebuild this suite from its signatures.
    junit
        Also write the verdicts as JUnit XML.
    """

    spots: Path | None = None
    from_suite: Path | None = None
    junit: OutputPath | None = None


_MAKE = "qaldgen.plugins.suite.making:make_suite"
_RUN = "qaldgen.plugins.suite.running:run_suite"
#: What says when an answer is right.
_RULES = ("match", "same_as", "aliases", "labels", "extract")


@command.command(
    "make", cls=Verb, epilog="Example: qaldgen suite make questions.json --by answerType -o suite"
)
@click.argument("questions", type=QUESTIONS)
@options_of(_MAKE, "where", "by", "queries", called={"queries": "q/query"})
@options_of(SuiteOptions, "spots", "from_suite")
@options_of(_MAKE, "difference", "power", "disagreement", "random_state", "language")
@section("Scoring for --spots", options_of("evaluate", *_RULES))
@reading_options("gold_format")
@click.option("-o", "--output", required=True, metavar="DIR", help="Folder for the suite.")
@shared("force")
def make_command(call: Call) -> None:
    """Draw a small benchmark of each kind of question, and one of all questions.

    QUESTIONS is a question set. Kinds are conditions (--where), the values of a feature (--by),
    queries, or the weak spots of a system. Each benchmark has as many questions as show a fall of
    --difference with --power, or all that there are.
    """
    from qaldgen.plugins.suite.making import CONTENTS, make_suite, rebuild_suite
    from qaldgen.scoring.evaluation import evaluate
    from qaldgen.scoring.rules import refuse_judge

    refuse_judge(call.match)
    call.check()
    contents = str(Path(call.output, CONTENTS))
    check_outputs([contents], force=call.force, in_new_folders=[contents])
    gold = read_gold(call, call.questions)
    if call.from_suite is not None:
        suite = rebuild_suite(gold, call.from_suite, call.output, force=call.force)
    else:
        spots = None
        if call.spots is not None:
            spots = evaluate(gold, call.spots, **call.of("evaluate"))
            print_notes(spots.notes)
        with show_elapsed_time("making the suite"):
            suite = make_suite(gold, call.output, spots=spots, force=call.force, **call.of(_MAKE))
    click.echo(str(suite))


@command.command(
    "run",
    cls=Verb,
    rows=system_verbs.ROWS,
    brief="system url kg baseline junit journal budget most jobs match lang format output force",
    epilog="Example: qaldgen suite run suite --system typed --kg graph.ttl --baseline old.jsonl",
)
@click.argument("folder", metavar="SUITE", type=click.Path(file_okay=False))
@click.argument("run_file", metavar="[RUN]", required=False)
@system_verbs.system_options
@click.option(
    "--baseline",
    required=True,
    metavar="FILE",
    help="Answers of the system before to the questions of the suite, or its scores ('score -q"
    " --format csv').",
)
@options_of(_RUN, "journal", "jobs", "budget", "most")
@section("Scoring", options_of("evaluate", "language", *_RULES))
@options_of(SuiteOptions, "junit")
@table_options()
def run_command(call: Call) -> None:
    """Ask a system the questions of a suite, and say which kinds got worse.

    RUN holds answers of the system; without it, --system is asked. Each kind is asked until it is
    decided. The exit status is 1 if a kind got worse, and 0 if none did; bad data end in 1 too, and
    a wrong call in 2.
    """
    from qaldgen.plugins.suite.running import run_suite
    from qaldgen.scoring.rules import refuse_judge

    refuse_judge(call.match)
    call.check(call.run_file, call.baseline, must_exist=[call.run_file, call.baseline])
    if call.run_file is not None:
        answering = {"run": call.run_file}
    else:
        if call.most is not None and call.journal is None:
            raise UsageError("--most ends before the suite does; name a --journal to go on with")
        system_verbs.check_system(call)
        answering = {"system": system_verbs.open_system(call, call.lang)}
    options = call.of(_RUN) | call.of("evaluate")
    result = run_suite(call.folder, baseline=call.baseline, **answering, **options)
    if call.run_file is not None:
        call.unused("system", "kg", "journal", "jobs", "budget", "most")
    print_notes(result.notes)
    if call.junit is not None:
        write_outputs([(call.junit, result.junit())], force=call.force)
    call.write(result.table)
    click.echo(result.sentence, err=True)
    if result.worse:
        sys.exit(WORSE_EXIT)
