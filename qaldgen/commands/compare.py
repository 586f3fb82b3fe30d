"""``qaldgen compare``."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.comparison_options import (
    TestOptions,
    common_questions,
    is_outcome,
    measure_option,
    missing_option,
    test_options,
)
from qaldgen.commands.comparison_tables import for_people, question_table, tell
from qaldgen.commands.gate import show
from qaldgen.commands.score_views import FOR_PROGRAMS
from qaldgen.commands.scored_runs import gold_weights, scored_runs
from qaldgen.commands.scoring_options import ScoringOptions, scoring_options
from qaldgen.commands.slice_options import Cuts, slice_options, wanted_slices
from qaldgen.commands.verb import verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Comparison, Scores
    from qaldgen.api.comparing import Significance
    from qaldgen.api.questions import Gold, Reading


@dataclasses.dataclass(frozen=True)
class View:
    """What is compared and shown."""

    by_question: bool
    measure: str
    sequential: bool
    largest: int | None
    record: str | None
    plot: str | None

    def check(self, runs: int, idle: dict[str, bool]) -> None:
        """Refuse options that have no effect with or without --sequential.

        Parameters
        ----------
        runs
            Number of runs given.
        idle
            Option to whether it was given, for the options that --sequential excludes.

        Raises
        ------
        UsageError
            For the first such option; also if not exactly two runs are to be compared in sequence.
        """
        if not self.sequential:
            given = {"--max": self.largest, "--record": self.record, "--plot": self.plot}
            alone = next((name for name, value in given.items() if value is not None), "")
            if alone:
                raise UsageError(f"{alone} only applies with --sequential; add it")
            return
        if runs != 2:
            raise UsageError(
                f"--sequential compares two runs, but {runs} were given; 'qaldgen race' finds the"
                " best of several"
            )
        if self.plot is not None and not self.plot.endswith((".png", ".svg")):
            raise UsageError(f"{self.plot}: unknown picture format; use .png or .svg")
        said = next((name for name, given in idle.items() if given), None)
        if said is not None:
            raise UsageError(
                f"{said} cannot be combined with --sequential: the size of a slice in the pool "
                f"is not"
                " known, and weights are equal"
            )


@verb(
    usual=(
        "match",
        "lang",
        "aliases",
        "weighted",
        "by",
        "where",
        "missing",
        "by_question",
        "measure",
        "correct",
        "alpha",
        "form",
        "output",
        "force",
    ),
    epilog="Example: qaldgen compare gold.json mine.json other.json --by answerType --by whType",
)
@click.argument("gold")
@click.argument("runs", nargs=-1, required=True)
@scoring_options
@slice_options(missing_option())
@groups.grouped(
    "view",
    View,
    click.option(
        "-q",
        "--by-question",
        is_flag=True,
        help="Print one row per question: the F1 of every system, side by side.",
    ),
    measure_option(),
    click.option(
        "--sequential",
        is_flag=True,
        help=(
            "Compare two runs before they are complete, on the questions that both have answered "
            "so far. See --record."
        ),
    ),
    click.option(
        "--max",
        "largest",
        type=click.IntRange(min=1),
        metavar="N",
        help="With --sequential: maximum number of questions.",
    ),
    click.option(
        "--record",
        metavar="FILE",
        help="With --sequential: file that keeps the plan and the looks.",
    ),
    click.option(
        "--plot",
        metavar="FILE",
        help="With --sequential: draw the difference against the questions asked.",
    ),
)
@test_options(seed="Seed of the random resamples.")
@groups.table_options(output="Output file for the table of tests; - is stdout (default).")
def command(
    gold: str,
    runs: tuple[str, ...],
    scoring: ScoringOptions,
    reading: Reading,
    cuts: Cuts,
    view: View,
    tests: TestOptions,
    out: groups.Output,
) -> None:
    """Compare systems on the same questions, overall and by slice, with significance tests.

    Runs are compared on the questions that all of them were asked. p-values are corrected for the
    number of pairs, and on slices also for the number of slices; the tests on all questions do not
    depend on the slices.
    """
    _check_call(runs, scoring, cuts, view, out)
    how = tests.read()
    # Whatever can fail is refused first: scoring may take minutes, and a judge costs money.
    _check_files(gold, runs, scoring, cuts, view, out)
    cuts.check()
    asked, scored = scored_runs(gold, runs, scoring, reading, outcomes=is_outcome(view.measure))
    if view.sequential:
        _look(asked, scored, view, out)
        return
    asked = cuts.clustered(asked)
    if view.by_question:
        table = question_table(asked, scored, cuts.missing)
        output_files.write_output(
            out.output, api.tables.dump_frame(table, out.form), force=out.force
        )
        return
    # Programs get the names of slices, people their labels.
    found, labels = _compared(asked, scored, scoring, cuts, view.measure, how)
    if out.form not in FOR_PROGRAMS:
        tell(found, labels)
    table = found.pairs if out.form in FOR_PROGRAMS else for_people(found, labels)
    output_files.write_output(
        out.output, api.tables.dump_frame(table, out.form, keys=3), force=out.force
    )


def _check_call(
    runs: Sequence[str], scoring: ScoringOptions, cuts: Cuts, view: View, out: groups.Output
) -> None:
    """Refuse unknown names, and options that exclude each other."""
    api.checks.check_table_form(out.form)
    api.checks.check_measure(view.measure)
    api.checks.check_missing(cuts.missing)
    if len(runs) < 2:
        raise UsageError("a comparison needs at least two runs; use 'qaldgen score' for one")
    idle = {
        "-q": view.by_question,
        "--by": bool(cuts.by),
        "--where": bool(cuts.where),
        "--weighted": scoring.weighted,
    }
    view.check(len(runs), idle)
    if view.sequential:
        api.checks.check_no_judge(scoring.match)


def _check_files(
    gold: str,
    runs: Sequence[str],
    scoring: ScoringOptions,
    cuts: Cuts,
    view: View,
    out: groups.Output,
) -> None:
    """Refuse outputs that exist or are also inputs, before any work is done."""
    outputs = [out.output, *([view.plot] if view.plot else [])]
    output_files.check_outputs(
        outputs, force=out.force, inputs=[gold, *runs, scoring.aliases, cuts.clusters, *cuts.where]
    )
    if view.record is not None:  # an existing record goes on
        output_files.check_outputs([view.record], force=True, inputs=[gold, *runs, *outputs])


def _compared(
    gold: Gold,
    scored: Sequence[Scores],
    scoring: ScoringOptions,
    cuts: Cuts,
    measure: str,
    tests: Significance,
) -> tuple[Comparison, dict[str, str]]:
    """Compare the runs on the questions that count for all, and label the slices for people."""
    same = common_questions(scored, cuts.missing)
    slices = wanted_slices(gold, cuts, scoring.lang)
    weights = gold_weights(gold, scoring.weighted)
    found = api.comparing.compare_scores(
        same, slices, measure=measure, weights=weights, tests=tests
    )
    return found, {one.name: one.label for one in slices}


def _look(gold: Gold, scored: Sequence[Scores], view: View, out: groups.Output) -> None:
    """Look at two runs that need not be finished, and print what was seen."""
    looked = api.stopping.compare_in_order(
        gold,
        scored,
        measure=view.measure,
        largest=view.largest,
        record=None if view.record is None else Path(view.record),
    )
    common.notes(looked.notes)
    show(looked, out, view.plot)
