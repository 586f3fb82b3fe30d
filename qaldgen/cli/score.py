"""``qaldgen score``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import click

from qaldgen.cli import checks, common, groups, output_files
from qaldgen.cli.label_scores import label_scores
from qaldgen.cli.scoring import (
    Cuts,
    ScoringOptions,
    across_of,
    gold_weights,
    on_editions,
    runs_argument,
    scored_runs,
    scoring_options,
    slice_options,
)
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import given_options, listed_option, verb
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_choice
from qaldgen.scoring.missing import DEFAULT

if TYPE_CHECKING:
    from qaldgen.analysis.slicing import Slice
    from qaldgen.cli.score_views import Shown
    from qaldgen.formats.reading import Reading

_MISSING = {"zero": ("zero",), "asked": ("asked",), "skip": ("skip",), "both": ("zero", "skip")}
#: Tables other than the summary, by option, with the options that have no effect on them.
_VIEWS = {
    "-q": ("--weighted", "--missing both", "--measure", "--also-gold"),
    "--by/--where": (),
    "--estimate": ("--weighted", "--missing both", "--missing skip", "--missing asked"),
    "--subtasks": (
        "--weighted",
        "--missing both",
        "--missing skip",
        "--missing asked",
        "--measure",
        "--also-gold",
    ),
    "--outcomes": ("--missing both", "--measure"),
}


ESTIMATE = "qaldgen.analysis.estimating.estimate:estimate"


class View(SimpleNamespace):
    """Which table is printed: the values of the options below."""


@verb(
    usual=(
        "match",
        "language",
        "aliases",
        "labels",
        "weighted",
        "by",
        "where",
        "missing",
        "by_question",
        "measure",
        "estimate",
        "others",
        "outcomes",
        "seed",
        "form",
        "output",
        "force",
    ),
    rows={"form": "qaldgen.reports.tables.score_forms:SCORE_FORMS"},
    epilog="Example: qaldgen score gold.json mine.json other.json --by answerType",
)
@click.argument("gold")
@runs_argument()
@scoring_options
@slice_options(
    listed_option(
        "--missing",
        table="missing-answers",
        default=DEFAULT,
        show_default=True,
        help=(
            "Which questions count: zero is GERBIL's rule, so scores compare with published ones;"
            " both prints zero and skip."
        ),
    )
)
@groups.collected(
    "view",
    View,
    click.option(
        "-q",
        "--by-question",
        is_flag=True,
        help="Print one row per question: counts, scores, status, gold and given answers.",
    ),
    listed_option(
        "--measure",
        table="measures",
        only=True,
        help="Print only this measure. Default for --by, --where and --estimate: macro-f1.",
    ),
    click.option(
        "--estimate",
        is_flag=True,
        help="Estimate the score on the full pool from this benchmark, with a confidence interval.",
    ),
    options_of(ESTIMATE, "others", "families", "baseline", called={"families": "family"}),
    click.option(
        "--proxy",
        "proxies",
        multiple=True,
        metavar="RULES",
        help=(
            "With a worksheet as --labels: an automatic verdict on all answers, which the labels"
            " correct; a name of --match, or a CSV file with id and label (that of --match)."
        ),
    ),
    click.option(
        "--subtasks",
        is_flag=True,
        help="Print GERBIL's sub-experiments, computed from the queries: C2KB, P2KB, RE2KB, AType.",
    ),
    click.option(
        "--outcomes",
        is_flag=True,
        help=(
            "Print the outcome of each question, and whether wrong answers have the right type; "
            "see --kg."
        ),
    ),
    click.option(
        "--seed",
        default=0,
        show_default=True,
        type=groups.SEED,
        help="Seed of the simulated weights (Macro F1 QALD).",
    ),
    groups.verbose_option,
)
@groups.table_options(more="score-forms")
def command(
    gold: str,
    runs: tuple[str, ...],
    scoring: ScoringOptions,
    reading: Reading,
    cuts: Cuts,
    view: View,
    out: groups.Output,
) -> None:
    """Score the answers of systems with GERBIL's measures.

    GOLD is a question set or a benchmark; RUNS are files of answers: QALD JSON, journals, JSON
    objects, tables, free text, logs of other evaluators. A file with question, gold answer and
    prediction, or a log with gold answers, needs no other. The summary shows all measures; other
    options print scores per question, per slice, or estimates for the full pool.
    """
    from qaldgen.analysis.labelling.worksheet import is_sheet
    from qaldgen.cli import score_views as views
    from qaldgen.reports.tables.score_forms import SCORE_FORMS

    if view.proxies or (scoring.labels and is_sheet(scoring.labels)):
        by_question = view.by_question
        label_scores(gold, runs, scoring, reading, view.proxies, out, by_question=by_question)
        return
    which = _which(view, cuts, scoring.weighted)
    whole = out.form in SCORE_FORMS
    shaping = {which: which, "--weighted": scoring.weighted, "--measure": view.measure}
    _check_form(out.form, [name for name, given in shaping.items() if given])
    inputs = [
        gold,
        *runs,
        scoring.aliases,
        view.others,
        cuts.clusters,
        *cuts.also_gold,
        *cuts.where,
    ]
    output_files.check_outputs([out.output], force=out.force, inputs=inputs)
    cuts.check()
    checks.check_files(view.others)
    asked, scored = scored_runs(
        gold,
        runs or [gold],
        scoring,
        reading,
        answers=not view.subtasks,
        # The summary reports 0 where nothing can be scored, as GERBIL does; other tables would be
        # empty.
        nothing=not which,
        alone=not runs,
        outcomes=_needs_outcomes(view, scoring),
        across=across_of(cuts, view.measure),
    )
    asked, scored = on_editions(cuts.clustered(asked), scored, cuts.also_gold, scoring)
    if whole:
        made = SCORE_FORMS[out.form].write(asked, scored, **given_options())
        output_files.write_output(out.output, made, force=out.force)
        return
    weights = gold_weights(asked, scoring.weighted)
    shown = views.Shown(asked, scored, out.form, _MISSING[cuts.missing], weights, view.seed)
    slices = cuts.slices(asked, scoring.language)
    output_files.write_output(out.output, _table(which, shown, slices, view), force=out.force)


def _check_form(form: str, given: list[str]) -> None:
    """Refuse an unknown format, options of other formats, and whole results of one table."""
    from qaldgen.reports.tables.score_forms import SCORE_FORMS

    checks.check_table_form(form, SCORE_FORMS)
    if form in SCORE_FORMS and given:
        raise UsageError(f"--format {form} writes whole results; remove {given[0]}")
    own = {option.name for option in SCORE_FORMS[form].options} if form in SCORE_FORMS else set()
    idle = next((name for name in given_options() if name not in own), None)
    if idle is not None:
        flag = f"--{idle.replace('_', '-')}"
        raise UsageError(f"{flag} has no effect on --format {form}; remove it")


def _needs_outcomes(view: View, scoring: ScoringOptions) -> bool:
    """Return whether the table classifies wrong answers, which needs the types of answers."""
    from qaldgen.scoring.measures import BY_OUTCOME

    return (
        view.outcomes or view.measure in BY_OUTCOME or (view.by_question and scoring.kg is not None)
    )


def _table(which: str, shown: Shown, slices: list[Slice], view: View) -> str:
    """Return the table that an option selects; the summary if none does."""
    from qaldgen.cli import estimate_view
    from qaldgen.cli import score_views as views

    measure = view.measure or "macro-f1"
    if which == "-q":
        return views.question_rows(shown)
    if which == "--by/--where":
        return views.slice_rows(shown, slices, measure)
    if which == "--estimate":
        runs = [run.name for run in shown.scored]
        known = common.known_on_pool(runs, view.others, view.families, view.baseline)
        return estimate_view.estimates(shown, slices, measure, known, verbose=view.verbose)
    if which == "--outcomes":
        return views.outcome_rows(shown, slices)
    if which == "--subtasks":
        return views.subtask_rows(shown)
    if shown.scored[0].editions:
        return views.edition_rows(shown, view.measure)
    return views.summary(shown, view.measure)


def _which(view: View, cuts: Cuts, weighted: bool) -> str:
    """Return the option that selects the table; reject options without effect on it."""
    check_choice("--missing", cuts.missing, _MISSING)
    asked_for = {
        "-q": view.by_question,
        "--by/--where": bool(cuts.by or cuts.where),
        "--estimate": view.estimate,
        "--subtasks": view.subtasks,
        "--outcomes": view.outcomes,
    }
    views = [name for name, wanted in asked_for.items() if wanted]
    if len(views) == 2 and views[0] == "--by/--where" and views[1] in {"--estimate", "--outcomes"}:
        # A table by slice is also what --estimate and --outcomes can print.
        views = views[1:]  # these have slices of their own
    if len(views) > 1:
        raise UsageError(f"{' and '.join(views)} select different tables; use one at a time")
    chosen = views[0] if views else ""
    # Keyed by what a user types, so that the message can name it.
    there = {
        "--weighted": weighted,
        f"--missing {cuts.missing}": True,
        "--measure": view.measure is not None,
        "--also-gold": bool(cuts.also_gold),
    }
    idle = next((name for name in _VIEWS.get(chosen, ()) if there.get(name)), None)
    if idle is not None:
        raise UsageError(f"{idle} has no effect on the table of {chosen}; remove it")
    for option, given in (("--others", view.others), ("--baseline", view.baseline)):
        if given and chosen != "--estimate":
            raise UsageError(f"{option} only applies to estimates; add --estimate")
    if view.families and not view.others:
        raise UsageError("--family only applies to the systems in --others; add --others")
    return chosen
