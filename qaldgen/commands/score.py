"""``qaldgen score``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.api.options import MISSING
from qaldgen.commands import estimate_view, groups, output_files
from qaldgen.commands import score_views as views
from qaldgen.commands.label_scores import LabelView, label_scores
from qaldgen.commands.scored_runs import gold_weights, scored_runs
from qaldgen.commands.scoring_options import ScoringOptions, scoring_options
from qaldgen.commands.slice_options import Cuts, slice_options, wanted_slices
from qaldgen.commands.verb import given_options, listed_option, verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.api.comparing import Slice
    from qaldgen.api.questions import Reading

_MISSING = {"zero": ("zero",), "asked": ("asked",), "skip": ("skip",), "both": ("zero", "skip")}
#: Tables other than the summary, by option, with the options that have no effect on them.
_VIEWS = {
    "-q": ("--weighted", "--missing both", "--measure"),
    "--by/--where": (),
    "--estimate": ("--weighted", "--missing both", "--missing skip", "--missing asked"),
    "--subtasks": (
        "--weighted",
        "--missing both",
        "--missing skip",
        "--missing asked",
        "--measure",
    ),
    "--outcomes": ("--missing both", "--measure"),
}


_MISSING_OPTION = listed_option(
    "--missing",
    table="missing-answers",
    default=MISSING,
    show_default=True,
    help=(
        "Which questions count: zero is GERBIL's rule, so scores compare with published ones; both"
        " prints zero and skip."
    ),
)


@dataclasses.dataclass(frozen=True)
class View:
    """Which table is printed."""

    by_question: bool
    measure: str | None
    estimate: bool
    others: str | None
    families: tuple[str, ...]
    baseline: str | None
    proxies: tuple[str, ...]
    subtasks: bool
    outcomes: bool
    seed: int
    verbose: bool = False


@verb(
    usual=(
        "match",
        "lang",
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
@click.argument("runs", nargs=-1)
@scoring_options
@slice_options(_MISSING_OPTION)
@groups.grouped(
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
        metavar="NAME",
        help="Print only this measure. Default for --by, --where and --estimate: macro-f1.",
    ),
    click.option(
        "--estimate",
        is_flag=True,
        help="Estimate the score on the full pool from this benchmark, with a confidence interval.",
    ),
    click.option(
        "--others",
        metavar="FILE",
        help=(
            "Scores of other systems on all questions, to reduce the "
            "error of --estimate (CSV, see 'study')."
        ),
    ),
    click.option(
        "--family",
        "families",
        multiple=True,
        metavar="SYSTEM=NAME",
        help="Average related systems separately from the others. Repeatable.",
    ),
    click.option(
        "--baseline",
        metavar="SYSTEM",
        help=(
            "A system whose scores on all questions are known: one of --others, or a CSV file with"
            " its scores."
        ),
    ),
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
    """Score the answers of systems offline with GERBIL's measures.

    GOLD is a question set or a benchmark; RUNS are files of answers: QALD JSON, journals, JSON
    objects, tables, free text, logs of other evaluators. A log with gold answers needs no other
    file. The summary shows all measures; other options print scores per question, per slice,
    or estimates for the full pool.
    """
    from qaldgen.analysis.labelling.worksheet import is_sheet

    if view.proxies or (scoring.labels and is_sheet(scoring.labels)):
        idle = _idle(view, cuts)
        labels = LabelView(view.proxies, by_question=view.by_question, idle=idle)
        label_scores(gold, runs, scoring, reading, labels, out)
        return
    which = _which(view, cuts, scoring.weighted)
    whole = out.form in api.tables.SCORE_FORMS
    shaping = {which: which, "--weighted": scoring.weighted, "--measure": view.measure}
    _check_form(out.form, [name for name, given in shaping.items() if given])
    inputs = [gold, *runs, scoring.aliases, view.others, cuts.clusters, *cuts.where]
    output_files.check_outputs([out.output], force=out.force, inputs=inputs)
    cuts.check()
    api.checks.check_files(view.others)
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
    )
    asked = cuts.clustered(asked)
    if whole:
        made = api.tables.SCORE_FORMS[out.form].write(asked, scored, **given_options())
        output_files.write_output(out.output, made, force=out.force)
        return
    weights = gold_weights(asked, scoring.weighted)
    shown = views.Shown(asked, scored, out.form, _MISSING[cuts.missing], weights, view.seed)
    slices = wanted_slices(asked, cuts, scoring.lang)
    output_files.write_output(out.output, _table(which, shown, slices, view), force=out.force)


def _check_form(form: str, given: list[str]) -> None:
    """Refuse an unknown format, options of other formats, and whole results of one table."""
    forms = api.tables.SCORE_FORMS
    api.checks.check_table_form(form, forms)
    if form in forms and given:
        raise UsageError(f"--format {form} writes whole results; remove {given[0]}")
    own = {option.name for option in forms[form].options} if form in forms else set()
    idle = next((name for name in given_options() if name not in own), None)
    if idle is not None:
        flag = f"--{idle.replace('_', '-')}"
        raise UsageError(f"{flag} has no effect on --format {form}; remove it")


def _needs_outcomes(view: View, scoring: ScoringOptions) -> bool:
    """Return whether the table classifies wrong answers, which needs the types of answers."""
    return (
        view.outcomes
        or view.measure in api.outcomes.BY_OUTCOME
        or (view.by_question and scoring.kg is not None)
    )


def _table(which: str, shown: views.Shown, slices: list[Slice], view: View) -> str:
    """Return the table that an option selects; the summary if none does."""
    measure = view.measure or "macro-f1"
    if which == "-q":
        return views.question_rows(shown)
    if which == "--by/--where":
        return views.slice_rows(shown, slices, measure)
    if which == "--estimate":
        known = estimate_view.KnownFiles(view.others, view.families, view.baseline)
        return estimate_view.estimates(shown, slices, measure, known, verbose=view.verbose)
    if which == "--outcomes":
        return views.outcome_rows(shown, slices)
    if which == "--subtasks":
        return views.subtask_rows(shown)
    return views.summary(shown, view.measure)


def _idle(view: View, cuts: Cuts) -> str:
    """Return the first option that says nothing beside a worksheet; empty if none is given."""
    given = {
        "--estimate": view.estimate,
        "--by": bool(cuts.by),
        "--where": bool(cuts.where),
        "--subtasks": view.subtasks,
        "--others": view.others,
        "--baseline": view.baseline,
        "--measure": view.measure,
    }
    return next((name for name, said in given.items() if said), "")


def _which(view: View, cuts: Cuts, weighted: bool) -> str:
    """Return the option that selects the table; reject options without effect on it."""
    api.checks.check_choice("--missing", cuts.missing, _MISSING)
    if view.measure is not None:
        api.checks.check_measure(view.measure)
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
