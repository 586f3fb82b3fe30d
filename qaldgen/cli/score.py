"""``qaldgen score``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import click

from qaldgen.cli.printing import explain, notes, tell
from qaldgen.cli.scoring import (
    JUDGE,
    check_where,
    evaluated,
    gold_argument,
    judge_of,
    read_gold,
    read_one,
    runs_argument,
    scoring_options,
    slice_options,
    split_by,
)
from qaldgen.cli.shared_options import shared, table_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, given_options, verb
from qaldgen.defaults import MEASURE
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_choice
from qaldgen.options import Text

if TYPE_CHECKING:
    from qaldgen.analysis.slices.slicing import Slice
    from qaldgen.reports.tables.scores import ScoreOutput, View

_MEASURES = "qaldgen.scoring.score:Scores.measures"
_MISSING = {"zero": ("zero",), "asked": ("asked",), "skip": ("skip",), "both": ("zero", "skip")}
#: Tables other than the summary, by option: the options that have no effect on them, and the rules
#: of --missing that have none.
_VIEWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "-q": ("weighted measure also_gold", ("both",)),
    "--by/--where": ("", ()),
    "--estimate": ("weighted", ("both", "skip", "asked")),
    "--subtasks": ("weighted measure also_gold", ("both", "skip", "asked")),
    "--outcomes": ("measure", ("both",)),
}


class Options:
    """What only the command line has.

    Attributes
    ----------
    by_question
        Print one row per question: counts, scores, status, gold and given answers.
    estimate
        Estimate the score on the full pool from this benchmark, with a confidence interval.
    proxy
        With a worksheet as --labels: an automatic verdict on all answers, which the labels correct;
        a name of --match, or a CSV file with id and label (that of --match).
    subtasks
        Print GERBIL's sub-experiments, computed from the queries: C2KB, P2KB, RE2KB, AType.
    outcomes
        Print the outcome of each question, and whether wrong answers have the right type; see --kg.
    """

    by_question: bool = False
    estimate: bool = False
    proxy: Sequence[Annotated[str, Text("RULES")]] = ()
    subtasks: bool = False
    outcomes: bool = False


OWN = f"{__name__}:Options"


@verb(
    usual="match lang aliases labels weighted by where missing by_question measure estimate others"
    " outcomes seed format output force",
    rows={"format": "qaldgen.reports.tables.score_forms:SCORE_FORMS"},
    epilog="Example: qaldgen score gold.json mine.json other.json --by answerType",
)
@gold_argument
@runs_argument()
@scoring_options
@slice_options("estimate", missing=_MEASURES)
@options_of(OWN, "by_question")
@options_of(_MEASURES, "measure")
@options_of(OWN, "estimate")
@options_of("estimate", "others", "families", "baseline")
@options_of(OWN, "proxy", "subtasks", "outcomes")
@options_of(_MEASURES, "random_state")
@shared("verbose")
@table_options(more="score-forms")
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
    from qaldgen.analysis.labelling.worksheet import is_sheet
    from qaldgen.io.notes import collecting
    from qaldgen.reports.tables.score_forms import SCORE_FORMS
    from qaldgen.reports.tables.scores import ScoreOutput
    from qaldgen.scoring.score_table import ENDINGS

    if call.proxy or (call.labels and is_sheet(call.labels)):
        _score_labels(call)
        return
    across = split_by(call)
    which = _which(call)
    _check_form(call, which)
    call.check(*call.where)
    check_where(call.where)
    made = evaluated(
        call,
        call.runs,
        answers=not call.subtasks,
        # The summary reports 0 where nothing can be scored, as GERBIL does; other tables would be
        # empty.
        nothing=not which,
        outcomes=call.outcomes or (call.by_question and call.kg is not None),
        across=across,
    )
    asked, scored = made.gold, made.scores
    if call.format in SCORE_FORMS:
        call.write(SCORE_FORMS[call.format].write(asked, scored, **given_options()))
        return
    shown = ScoreOutput(asked, scored, call.format, _MISSING[call.missing], made.weights, call.seed)
    with collecting() as problems:
        slices = slices_of(made, call.by, call.where)
    notes(problems)
    view = _table(call, which, shown, slices)
    explain(view.told)
    if which or call.given("format", "measure") or not call.output.endswith(ENDINGS):
        call.write(view.text)
        return
    made.save(call.output, force=call.force)
    click.echo(view.text, nl=False)
    tell(f"{call.output}: the scores by question; 'qaldgen compare {call.output}' reads them")


def _check_form(call: Call, which: str) -> None:
    """Refuse options of other formats, and those of a table where whole results are written."""
    from qaldgen.reports.tables.score_forms import SCORE_FORMS

    row = SCORE_FORMS.get(call.format)
    if row is not None and (given := which or call.given("weighted", "measure")):
        raise UsageError(f"--format {call.format} writes whole results; remove {given}")
    offered = {option.name for option in row.options} if row is not None else set()
    for name in given_options():
        if name not in offered:
            call.refuse(name, f"has no effect on --format {call.format}; remove it")


def _table(call: Call, which: str, shown: ScoreOutput, slices: list[Slice]) -> View:
    """Return the table that an option selects; the summary if none does."""
    from qaldgen.analysis.estimating.estimate import prefix_notes
    from qaldgen.analysis.estimating.known_scores import known_scores
    from qaldgen.reports.tables import scores as views

    measure = call.measure or MEASURE
    if which == "-q":
        return views.question_rows(shown)
    if which == "--by/--where":
        return views.slice_rows(shown, slices, measure)
    if which == "--estimate":
        runs = [run.name for run in shown.scored]
        known = known_scores(call.others, call.family, call.baseline, runs=runs)
        notes(prefix_notes(shown.gold, shown.scored))
        return views.estimates(shown, slices, measure, known, verbose=call.verbose)
    if which == "--outcomes":
        return views.outcome_rows(shown, slices)
    if which == "--subtasks":
        return views.subtask_rows(shown)
    if shown.scored[0].editions:
        return views.edition_rows(shown, call.measure)
    return views.summary(shown, call.measure)


def _which(call: Call) -> str:
    """Return the option that selects the table; reject options without effect on it."""
    check_choice("--missing", call.missing, _MISSING)
    asked_for = (
        call.by_question,
        bool(call.by or call.where),
        call.estimate,
        call.subtasks,
        call.outcomes,
    )
    views = [name for name, wanted in zip(_VIEWS, asked_for, strict=True) if wanted]
    if len(views) == 2 and views[0] == "--by/--where" and views[1] in {"--estimate", "--outcomes"}:
        # A table by slice is also what --estimate and --outcomes can print.
        views = views[1:]  # these have slices of their own
    if len(views) > 1:
        raise UsageError(f"{' and '.join(views)} select different tables; use one at a time")
    chosen = views[0] if views else ""
    names, rules = _VIEWS.get(chosen, ("", ()))
    idle = f"--missing {call.missing}" if call.missing in rules else call.given(*names.split())
    if idle:
        raise UsageError(f"{idle} has no effect on the table of {chosen}; remove it")
    if chosen != "--estimate":
        call.refuse("others baseline", "only applies to estimates; add --estimate")
    if call.family and not call.others:
        raise UsageError("--family only applies to the systems in --others; add --others")
    return chosen


def _score_labels(call: Call) -> None:
    """Print what the labels of a worksheet say about all answers of a run."""
    from qaldgen.analysis.labelling.accuracy import score_labels
    from qaldgen.benchmark.gold import gold_wordings
    from qaldgen.io.files import check_files
    from qaldgen.scoring.matchers import MATCHERS
    from qaldgen.scoring.rules import AUTO

    # `auto` becomes a matcher once the answers are read.
    proxies = call.proxy or (() if call.match == AUTO else (call.match,))
    _check_labels(call)
    # A proxy that is not a name of --match is a file.
    files = [name for name in proxies if name not in MATCHERS]
    check_files(*files, call.labels)
    call.check(call.labels, *files)
    inputs = [call.gold, *call.runs, call.labels, *files]
    judge = judge_of(call, wanted=JUDGE in proxies, inputs=inputs)
    asked = read_gold(call, call.gold)
    run = read_one(call, asked, call.runs[0])
    # The labels are those of the worksheet, not names of gold answers.
    aliases = gold_wordings(call.aliases, "", asked, call.lang)
    verdicts = {} if judge is None else {JUDGE: judge(asked, [run], aliases)}
    match = verdicts.get(call.match, call.match)
    made = call.run("evaluate", asked, run, aliases=aliases, labels="", match=match)
    chosen = [verdicts.get(name, name) for name in proxies]
    estimated = score_labels(made, None, call.labels, chosen)
    notes(estimated.notes)
    # The index is the id of the question, which a table must show.
    call.write(estimated.pairs.reset_index() if call.by_question else estimated.table)
    if not call.by_question:
        click.echo(
            "accuracy: right answers among all questions, with its 95 % interval; verdict: what the"
            " rule says alone",
            err=True,
        )


def _check_labels(call: Call) -> None:
    """Refuse options that hand labels exclude."""
    if not call.labels:
        raise UsageError(
            "--proxy is corrected by hand labels; name the worksheet with --labels (see 'qaldgen "
            "label')"
        )
    if len(call.runs) != 1:
        raise UsageError(
            "a worksheet has the answers of one run, but the runs given are "
            f"{len(call.runs)}; score each with its own"
        )
    idle = "estimate by where subtasks others baseline measure weighted"
    call.refuse(idle, "has no effect with hand labels; leave it out")
