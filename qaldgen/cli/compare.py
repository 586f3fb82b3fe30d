"""``qaldgen compare``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import qaldgen
from qaldgen.cli import checks, common, groups, output_files
from qaldgen.cli.comparison_tables import for_people, question_table, tell, tell_agreement
from qaldgen.cli.gate import show
from qaldgen.cli.groups import FOR_PROGRAMS
from qaldgen.cli.scoring import (
    Cuts,
    ScoringOptions,
    gold_weights,
    is_outcome,
    measure_option,
    on_editions,
    runs_argument,
    scored_runs,
    scoring_options,
    slice_options,
    test_options,
)
from qaldgen.cli.verb import given, verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Gold, Scores
    from qaldgen.formats.reading import Reading

#: Options by parameter that only apply with --sequential, and those that exclude it.
_SEQUENTIAL = {"largest": "--max", "record": "--record", "plot": "--plot"}
_WHOLE = {"by_question": "-q", "by": "--by", "where": "--where", "weighted": "--weighted"}


@verb(
    usual=(
        "match", "language", "aliases", "weighted", "by", "where", "missing", "by_question",
        "measure", "correct", "alpha", "form", "output", "force",
    ),
    epilog="Example: qaldgen compare gold.json mine.json other.json --by answerType --by whType",
)  # fmt: skip
@click.argument("gold")
@runs_argument()
@scoring_options
@slice_options()
@click.option(
    "-q",
    "--by-question",
    is_flag=True,
    help=(
        "Print one row per question: the F1 of every system, side by side; with --by language or"
        " wording, what is right in one and wrong in another."
    ),
)
@groups.verbose_option
@measure_option()
@click.option(
    "--sequential",
    is_flag=True,
    help=(
        "Compare two runs before they are complete, on the questions that both have answered so"
        " far. See --record."
    ),
)
@click.option(
    "--max",
    "largest",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --sequential: maximum number of questions.",
)
@click.option(
    "--record", metavar="FILE", help="With --sequential: file that keeps the plan and the looks."
)
@click.option(
    "--plot",
    metavar="FILE",
    help="With --sequential: draw the difference against the questions asked.",
)
@test_options
@groups.table_options(output="Output file for the table of tests; - is stdout (default).")
def command(
    gold: str,
    runs: tuple[str, ...],
    scoring: ScoringOptions,
    reading: Reading,
    cuts: Cuts,
    by_question: bool,
    verbose: bool,
    measure: str,
    sequential: bool,
    largest: int | None,
    record: str | None,
    plot: str | None,
    tests: dict[str, Any],
    out: groups.Output,
) -> None:
    """Compare systems on the same questions, with significance tests.

    Overall and by slice. Runs are compared on the questions that all of them were asked. p-values
    are corrected for the number of pairs, and on slices also for the number of slices; the tests on
    all questions do not depend on the slices.

    --by language and --by wording ask if systems agree with themselves: the share of questions
    right in all languages or wordings of those right in any. RUNS are then files with several of
    them, or one for each language (mine.en.json mine.de.json); one system is enough. Without RUNS,
    GOLD is a table of scores: question, system, language (or wording), f1.
    """
    from qaldgen.reports.tables.results import dump_frame

    if cuts.across:
        _agreement(gold, runs, scoring, reading, cuts, tests, out, by_question=by_question)
        return
    _check_call(runs, scoring, plot, sequential=sequential)
    # Whatever can fail is refused first: scoring may take minutes, and a judge costs money.
    checks.check_table_form(out.form)
    outputs, inputs = [out.output, *([plot] if plot else [])], [gold, *runs]
    output_files.check_outputs(
        outputs,
        force=out.force,
        inputs=[*inputs, scoring.aliases, cuts.clusters, *cuts.also_gold, *cuts.where],
    )
    if record is not None:  # an existing record goes on
        output_files.check_outputs([record], force=True, inputs=[*inputs, *outputs])
    cuts.check()
    outcomes = is_outcome(measure)
    asked, scored = scored_runs(gold, runs, scoring, reading, outcomes=outcomes)
    if sequential:
        _look(asked, scored, measure, largest, record, plot, out)
        return
    asked, scored = on_editions(cuts.clustered(asked), scored, cuts.also_gold, scoring)
    if by_question:
        table = question_table(asked, scored, cuts.missing)
        output_files.write_output(out.output, dump_frame(table, out.form), force=out.force)
        return
    compared = qaldgen.compare(
        asked,
        scored,
        by=cuts.by,
        where=cuts.where,
        measure=measure,
        missing=cuts.missing,
        weights=gold_weights(asked, scoring.weighted),
        language=scoring.language,
        **tests,
    )
    common.notes(compared.notes)
    # Programs get the names of slices, people their labels.
    if out.form not in FOR_PROGRAMS:
        tell(compared, verbose=verbose)
    table = compared.pairs if out.form in FOR_PROGRAMS else for_people(compared)
    output_files.write_output(out.output, dump_frame(table, out.form, keys=3), force=out.force)


def _agreement(
    gold: str,
    runs: Sequence[str],
    scoring: ScoringOptions,
    reading: Reading,
    cuts: Cuts,
    tests: dict[str, Any],
    out: groups.Output,
    *,
    by_question: bool,
) -> None:
    """Print how systems agree with themselves, or the questions on which they do not."""
    from qaldgen.analysis.comparing.consistency import agreement_of, consistency, several_languages
    from qaldgen.analysis.comparing.multiplicity import Significance
    from qaldgen.reports.tables.results import dump_frame

    idle = next(iter(given(*_SEQUENTIAL, "where", "clusters", "weighted", "measure")), "")
    if idle or cuts.by:
        other = f"--{idle}" if idle else "the other --by"
        raise UsageError(f"--by {cuts.across} compares whole sets; leave out {other}")
    checks.check_table_form(out.form)
    output_files.check_outputs([out.output], force=out.force, inputs=[gold, *runs, scoring.aliases])
    languages = scoring.language
    if runs:
        scoring.language = languages.partition(",")[0].strip()
        among = several_languages(languages) if cuts.across == "language" else ()
        asked, scored = scored_runs(gold, runs, scoring, reading, across=cuts.across, among=among)
        found = agreement_of(asked, scored, cuts.across, Significance(**tests), languages)
    else:
        checks.check_files(gold)
        found = consistency(gold, by=cuts.across, language=languages, **tests)
    common.notes(found.notes)
    if out.form not in FOR_PROGRAMS:
        tell_agreement(found)
    table = found.flips if by_question else found.systems.rename_axis("system").reset_index()
    output_files.write_output(out.output, dump_frame(table, out.form, keys=2), force=out.force)


def _check_call(
    runs: Sequence[str], scoring: ScoringOptions, plot: str | None, *, sequential: bool
) -> None:
    """Refuse options that exclude each other, or have no effect."""
    if len(runs) < 2:
        raise UsageError("a comparison needs at least two runs; use 'qaldgen score' for one")
    if not sequential:
        for name in given(*_SEQUENTIAL):
            raise UsageError(f"{_SEQUENTIAL[name]} only applies with --sequential; add it")
        return
    if len(runs) != 2:
        raise UsageError(
            f"--sequential compares two runs, but {len(runs)} were given; 'qaldgen race' finds the"
            " best of several"
        )
    if plot is not None and not plot.endswith((".png", ".svg")):
        raise UsageError(f"{plot}: unknown picture format; use .png or .svg")
    for name in given(*_WHOLE):
        raise UsageError(
            f"{_WHOLE[name]} cannot be combined with --sequential: the size of a slice in the pool"
            " is not known, and weights are equal"
        )
    checks.check_no_judge(scoring.match)


def _look(
    gold: Gold,
    scored: Sequence[Scores],
    measure: str,
    largest: int | None,
    record: str | None,
    plot: str | None,
    out: groups.Output,
) -> None:
    """Look at two runs that need not be finished, and print what was seen."""
    from qaldgen.analysis.stopping.gate import compare_in_order

    looked = compare_in_order(
        gold,
        scored,
        measure=measure,
        largest=largest,
        record=None if record is None else Path(record),
    )
    common.notes(looked.notes)
    show(looked, out, plot)
