"""``qaldgen score``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from qaldgen.cli.printing import print_line, print_lines, print_notes, printing_notes
from qaldgen.cli.scoring import (
    add_details,
    check_scored,
    gold_argument,
    outcome_types,
    read_and_judge,
    runs_argument,
    scoring_options,
    slice_conditions,
    slice_options,
    split_by,
)
from qaldgen.cli.shared_options import shared, table_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, verb
from qaldgen.cli.views import views_of
from qaldgen.defaults import MEASURE
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_choice
from qaldgen.options import option_values
from qaldgen.scoring.missing import POLICIES

if TYPE_CHECKING:
    from qaldgen import Evaluation
    from qaldgen.analysis.slices.slicing import Slice
    from qaldgen.reports.tables.scores import ExplainedTable

_MEASURES = "qaldgen.scoring.score:Scores.measures"
#: The table whose rows bring options.
_FORMAT_TABLE = "qaldgen.reports.tables.score_formats:SCORE_FORMATS"
#: The policies that `--missing` takes; each name prints the scores by one or by two.
_MISSING = {**{policy: (policy,) for policy in POLICIES}, "both": ("zero", "skip")}


class ScoreOptions:
    """Command-line options of `score`.

    Attributes
    ----------
    by_question
        Print one row per question: counts, scores, status, gold and given answers.
    estimate
        Estimate the score on the full pool from this benchmark, with a confidence interval.
    outcomes
        Print the outcome of each question, and whether wrong answers have the right type; see --kg.
    """

    by_question: bool = False
    estimate: bool = False
    outcomes: bool = False


@verb(
    brief="match lang aliases labels weighted by where missing by_question measure estimate others"
    " outcomes seed format output force",
    rows={"format": _FORMAT_TABLE},
    epilog="Example: qaldgen score gold.json mine.json other.json --by answerType",
)
@gold_argument
@runs_argument()
@scoring_options
@slice_options("estimate", missing=_MEASURES)
@options_of(ScoreOptions, "by_question")
@options_of(_MEASURES, "measure")
@options_of(ScoreOptions, "estimate")
@options_of("estimate", "others", "families", "baseline")
@views_of("score")
@options_of(ScoreOptions, "outcomes")
@options_of(_MEASURES, "random_state")
@shared("verbose")
@table_options(extra_table="score-forms")
def command(call: Call) -> None:
    """Score the answers of systems with GERBIL's measures.

    GOLD is a question set or a benchmark; RUNS are files of answers: QALD JSON, journals, JSON
    objects, tables, free text, logs of other evaluators. A file with question, gold answer and
    prediction, or a log with gold answers, needs no other. The summary shows all measures; other
    options print scores per question, per slice, or estimates for the full pool, of Macro F1 unless
    --measure names another. '--missing both' prints zero and skip.

    -o scores.csv (or .parquet) saves the scores by question with all features: compare, slices,
    report, plan and --others read them, without GOLD and RUNS.
    """
    from qaldgen.analysis.feature_table import slices_of
    from qaldgen.reports.tables.score_formats import SCORE_FORMATS
    from qaldgen.scoring.score_table import ENDINGS

    check_choice("--missing", call.missing, _MISSING)
    by, across = split_by(call.by)
    is_sliced = bool(by or call.where or call.query)
    _refuse_two_tables(call, is_sliced=is_sliced)
    is_summary = not (is_sliced or call.by_question or call.estimate or call.outcomes)
    is_saved = call.output.endswith(ENDINGS) and is_summary and not call.given("format", "measure")
    call.check(*call.query, table=not is_saved)
    where = slice_conditions(call)

    outcomes = call.outcomes or (call.by_question and call.kg is not None)
    types = outcome_types(call, outcomes=outcomes)
    evaluation = add_details(call, read_and_judge(call, call.runs), types, across)
    # the summary reports 0 where nothing can be scored, as GERBIL does; other tables would be empty
    if not is_summary or not evaluation[0].counts.empty:
        check_scored(evaluation)

    if call.format in SCORE_FORMATS:
        options = call.row_options(_FORMAT_TABLE)
        options = option_values("--format", call.format, SCORE_FORMATS, options)
        write = SCORE_FORMATS[call.format].write
        call.write(write(evaluation.gold, evaluation.scores, **options))
        call.unused("by_question", "by", "where", "query", "estimate", "outcomes")
        call.unused("measure", "weighted", "missing")
        return

    with printing_notes():
        slices = slices_of(evaluation, by, where)
    table = _make_table(call, evaluation, slices, is_sliced=is_sliced)
    print_lines(table.lines)
    if not is_saved:
        call.write(table.text)
        return
    evaluation.save(call.output, force=call.force)
    click.echo(table.text, nl=False)
    print_line(f"{call.output}: the scores by question; 'qaldgen compare {call.output}' reads them")


def _refuse_two_tables(call: Call, *, is_sliced: bool) -> None:
    """Refuse options that select different tables."""
    selected = {
        "-q": call.by_question,
        "--by/--where": is_sliced,
        "--estimate": call.estimate,
        "--outcomes": call.outcomes,
    }
    flags = [flag for flag, is_given in selected.items() if is_given]
    is_table_of_slices = is_sliced and len(flags) == 2 and not call.by_question
    if len(flags) > 1 and not is_table_of_slices:
        raise UsageError(f"{' and '.join(flags)} select different tables; use one at a time")


def _make_table(
    call: Call, evaluation: Evaluation, slices: list[Slice], *, is_sliced: bool
) -> ExplainedTable:
    """Return the table that an option selects; the summary if none does."""
    from qaldgen.analysis.estimating.estimate import unfinished_notes
    from qaldgen.analysis.estimating.known_scores import known_scores
    from qaldgen.reports.tables import scores as tables

    output = tables.ScoreOutput(
        gold=evaluation.gold,
        all_scores=evaluation.scores,
        form=call.format,
        missing=_MISSING[call.missing],
        weights=evaluation.weights,
        seed=call.seed,
    )

    measure = call.measure or MEASURE
    if call.by_question:
        call.unused("weighted", "measure", "also_gold")
        return tables.question_rows(output)

    if call.estimate:
        call.unused("weighted", "missing")
        runs = [run.name for run in output.all_scores]
        pool_scores = known_scores(call.others, call.family, call.baseline, runs=runs)
        if not call.others:
            call.unused("family")
        print_notes(unfinished_notes(output.gold, output.all_scores))
        return tables.estimates(output, slices, measure, pool_scores, verbose=call.verbose)

    if call.outcomes:
        call.unused("measure")
        return tables.outcome_rows(output, slices)
    if is_sliced:
        return tables.slice_rows(output, slices, measure)
    if output.all_scores[0].editions:
        return tables.edition_rows(output, call.measure)
    return tables.summary(output, call.measure)
