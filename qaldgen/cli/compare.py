"""``qaldgen compare``."""

from __future__ import annotations

from qaldgen.cli.printing import print_lines, print_notes
from qaldgen.cli.scoring import (
    SIGNIFICANCE,
    gold_argument,
    read_and_evaluate,
    runs_argument,
    scoring_options,
    slice_conditions,
    slice_options,
    split_by,
    test_options,
)
from qaldgen.cli.shared_options import shared, table_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, verb
from qaldgen.cli.views import views_of
from qaldgen.errors import UsageError


class CompareOptions:
    """Command-line options of `compare`.

    Attributes
    ----------
    by_question
        Print one row per question: the F1 of every system, side by side; with --by language or
        wording, what is right in one and wrong in another.
    """

    by_question: bool = False


@verb(
    brief="match lang aliases weighted by where missing by_question measure correct alpha format"
    " output force",
    epilog="Example: qaldgen compare gold.json mine.json other.json --by answerType --by whType",
)
@gold_argument
@runs_argument()
@options_of("compare")
@scoring_options
@slice_options("compare")
@options_of(CompareOptions, "by_question")
@shared("verbose")
@views_of("compare")
@test_options
@table_options()
def command(call: Call) -> None:
    """Compare systems on the same questions, with significance tests.

    Overall and by slice. A question that a run was not asked counts as wrong. p-values are
    corrected for the number of pairs, and on slices also for the number of slices; the tests on all
    questions do not depend on the slices.

    --by language and --by wording ask if systems agree with themselves: the share of questions
    right in all languages or wordings of those right in any. RUNS are then files with several of
    them, or one for each language (mine.en.json mine.de.json); one system is enough. Without RUNS,
    GOLD is a table of scores: question, system, language (or wording), f1.

    Without RUNS, GOLD may also be what 'qaldgen score GOLD RUNS -o scores.csv' wrote.

    --labels also takes a table of answers with labels by hand, which are the verdicts on them.
    """
    from qaldgen.analysis.comparing.comparison import compare
    from qaldgen.analysis.comparing.hand_labels import is_sheet
    from qaldgen.analysis.comparing.multiplicity import Significance
    from qaldgen.reports.tables import comparisons as tables

    by, across = split_by(call.by)
    if by and across:
        raise UsageError(f"--by {across} compares whole sets; leave out the other --by")
    if across:
        _print_agreement(call, across)
        return

    call.check(*call.query)
    where = slice_conditions(call)
    hand_labels = None
    scoring_call = call
    if call.labels and is_sheet(call.labels):
        hand_labels = call.labels
        scoring_call = call.replaced(labels="")  # they are not the names of gold answers

    evaluation = read_and_evaluate(scoring_call, call.runs, several=True)
    if call.by_question:
        call.write(tables.f1_by_question(evaluation.gold, evaluation.scores, call.missing))
        return

    comparison = compare(
        evaluation,
        **call.of("compare") | {"by": by, "where": where},
        tests=Significance(**call.of(SIGNIFICANCE)),
        labels=hand_labels,
    )
    print_notes(comparison.notes)

    # Programs get the names of slices, people their labels.
    if call.format == "json":
        call.write(tables.comparison_json(comparison))
        return
    if call.format == "csv":
        call.write(comparison.pairs)
        return
    print_lines(tables.comparison_lines(comparison, verbose=call.verbose))
    call.write(tables.tests_for_people(comparison))


def _print_agreement(call: Call, across: str) -> None:
    """Print how systems agree with themselves, or the questions on which they do not."""
    from qaldgen.analysis.comparing.consistency import consistency
    from qaldgen.analysis.comparing.multiplicity import Significance
    from qaldgen.reports.tables.comparisons import consistency_lines

    call.unused("clusters", "weighted", "measure")
    if call.runs:
        call.check()
        first_language = call.lang.partition(",")[0].strip()
        answers = read_and_evaluate(call.replaced(lang=first_language), call.runs)
    else:  # a table of scores
        call.check(call.gold)
        answers = call.gold
    tests = Significance(**call.of(SIGNIFICANCE))
    agreement = consistency(answers, by=across, language=call.lang, tests=tests)  # type: ignore[arg-type]
    print_notes(agreement.notes)
    if not call.for_programs:
        print_lines(consistency_lines(agreement))
    if call.by_question:
        call.write(agreement.flips)
    else:
        call.write(agreement.systems.rename_axis("system").reset_index())
