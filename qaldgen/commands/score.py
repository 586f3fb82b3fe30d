"""``qaldgen score``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from qaldgen.commands import common
from qaldgen.commands.early_checks import check_choice, check_files, check_slices
from qaldgen.commands.scoring_options import (
    check_form,
    format_option,
    gold_weights,
    scored_runs,
    scoring_options,
    slice_options,
    wanted_slices,
)
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.formats.reading import Reading

_MISSING = {"zero": ("zero",), "asked": ("asked",), "skip": ("skip",), "both": ("zero", "skip")}
#: Tables other than the summary, by the option that asks for them, and the options that say nothing there.
_VIEWS = {
    "-q": ("--weighted", "--missing both", "--measure"),
    "--by/--where": (),
    "--estimate": ("--weighted", "--missing both", "--missing skip", "--missing asked"),
    "--subtasks": ("--weighted", "--missing both", "--missing skip", "--missing asked", "--measure"),
}


@click.command(epilog="Example: qaldgen score gold.json mine.json other.json --by answerType")
@click.argument("gold")
@click.argument("runs", nargs=-1, required=True)
@scoring_options
@click.option(
    "--missing", default="zero", show_default=True,
    help="Questions that count: zero (all; what is missing is wrong, as in GERBIL), asked (those that the run was asked), skip "
    "(those it did not fail on either), or both (zero and skip).",
)  # fmt: skip
@click.option("-q", "--by-question", is_flag=True, help="One row a question: counts, scores, status, gold and given answers.")
@slice_options
@click.option("--measure", metavar="NAME", help="This measure alone; of --by, --where and --estimate Macro F1 by default.")
@click.option(
    "--estimate", is_flag=True, help="Estimate the score on all questions from this benchmark, with an honest interval."
)
@click.option(
    "--others", metavar="FILE", help="Scores of other systems on all questions, to sharpen --estimate: CSV, see 'study'."
)
@click.option(
    "--family", "families", multiple=True, metavar="SYSTEM=NAME", help="Systems of one family never sharpen each other."
)
@click.option("--subtasks", is_flag=True, help="GERBIL's sub-experiments, from the queries: C2KB, P2KB, RE2KB, AType.")
@click.option("--seed", default=0, show_default=True, type=common.SEED, help="Of drawn weights (Macro F1 QALD).")
@format_option
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write the table; - is stdout (default).")
@common.force_option
def command(
    gold: str, runs: tuple[str, ...], match: str, same_as: str, lang: str, aliases: str | None, reading: Reading,
    run_format: str | None, weighted: bool, missing: str, by_question: bool, by: tuple[str, ...], where: tuple[str, ...],
    measure: str | None, estimate: bool, others: str | None, families: tuple[str, ...], subtasks: bool, seed: int, form: str,
    output: str, force: bool,
) -> None:  # fmt: skip
    """Score the answers of systems: GERBIL's numbers offline, per question, per slice, or as an estimate.

    GOLD is a question set or a benchmark; RUNS are files of answers: QALD JSON, the journal, id to answer, tables, free text.
    """
    from qaldgen.commands import score_views as views

    asked_for = {"-q": by_question, "--by/--where": bool(by or where), "--estimate": estimate, "--subtasks": subtasks}
    given = {"--weighted": weighted, f"--missing {missing}": True, "--measure": measure is not None}
    view = _view(missing, measure, asked_for, {name for name, there in given.items() if there}, others, families)
    check_form(form)
    common.check_outputs([output], force=force, inputs=[gold, *runs, aliases, others, *where])
    check_slices(by, where)
    check_files(others)
    gold_, scored = scored_runs(
        gold, runs, match=match, same_as=same_as, lang=lang, aliases=aliases, reading=reading, run_format=run_format,
        answers=not subtasks, nothing=not view,
    )  # fmt: skip
    weights, rules, chosen = gold_weights(gold_, weighted), _MISSING[missing], measure or "macro-f1"
    slices = wanted_slices(gold_, by, where, lang)
    keys: int | None = None
    table: pd.DataFrame
    if view == "-q":
        table = views.question_rows(gold_, scored, form, rule=rules[0])
    elif view == "--by/--where":
        table = views.slice_rows(scored, slices, form, measure=chosen, rules=rules, weights=weights, seed=seed)
        keys = 2 if "n" in table else 1
    elif view == "--estimate":
        table = views.estimates(gold_, scored, slices, form, measure=chosen, others=others, families=families)
    elif view == "--subtasks":
        table, keys = views.subtask_rows(gold_, scored, form, same_as=same_as, lang=lang), 2
    else:
        table, keys = views.summary(gold_, scored, form, rules=rules, measure=measure, weights=weights, seed=seed), 1
    common.write_output(output, views.dump(table, form, keys=keys), force=force)


def _view(
    missing: str, measure: str | None, asked_for: dict[str, bool], given: set[str], others: str | None, families: Sequence[str]
) -> str:
    """Return the option that says which table; refuse what would have no effect there."""
    from qaldgen.scoring.measures import MEASURES

    check_choice("--missing", missing, _MISSING)
    if measure is not None:
        check_choice("--measure", measure, MEASURES)
    views = [name for name, wanted in asked_for.items() if wanted]
    if set(views) == {"--estimate", "--by/--where"}:
        views = ["--estimate"]
    if len(views) > 1:
        raise UsageError(f"{' and '.join(views)} are different tables; ask for one at a time")
    view = views[0] if views else ""
    idle = next((name for name in _VIEWS.get(view, ()) if name in given), None)
    if idle is not None:
        raise UsageError(f"{idle} says nothing about the table of {view}; leave it out")
    if others and view != "--estimate":
        raise UsageError("--others sharpens an estimate; add --estimate")
    if families and not others:
        raise UsageError("--family is about the systems of --others; add --others")
    return view
