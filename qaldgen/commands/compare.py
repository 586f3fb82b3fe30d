"""``qaldgen compare``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from qaldgen.commands import common
from qaldgen.commands.early_checks import check_choice, check_slices
from qaldgen.commands.score_views import FOR_PROGRAMS
from qaldgen.commands.scoring_options import (
    check_form,
    check_measure,
    check_missing,
    common_questions,
    format_option,
    gold_weights,
    measure_option,
    missing_option,
    scored_runs,
    scoring_options,
    slice_options,
    wanted_slices,
)
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.compare import Comparison
    from qaldgen.formats.reading import Reading
    from qaldgen.scoring.gold import Gold
    from qaldgen.scoring.score import Scores


@click.command(epilog="Example: qaldgen compare gold.json mine.json other.json --by answerType --by whType")
@click.argument("gold")
@click.argument("runs", nargs=-1, required=True)
@scoring_options
@slice_options
@missing_option
@click.option("-q", "--by-question", is_flag=True, help="One row a question: the F1 of every system, side by side.")
@measure_option
@click.option("--correct", default="holm", show_default=True, help="For the number of tests: holm or bh (Benjamini-Hochberg).")
@click.option("--alpha", default=0.05, show_default=True, type=common.SHARE, help="The level of the corrected tests.")
@click.option(
    "--repeats", default=10_000, show_default=True, type=click.IntRange(100, 10_000_000), help="Random exchanges of each test."
)
@click.option("--seed", default=0, show_default=True, type=common.SEED, help="Of the random exchanges.")
@format_option
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write the table of tests; - is stdout (default).")
@common.force_option
def command(
    gold: str, runs: tuple[str, ...], match: str, same_as: str, lang: str, aliases: str | None, reading: Reading,
    run_format: str | None, weighted: bool, by: tuple[str, ...], where: tuple[str, ...], missing: str, by_question: bool,
    measure: str, correct: str, alpha: float, repeats: int, seed: int, form: str, output: str, force: bool,
) -> None:  # fmt: skip
    """Compare systems on the same questions, overall and slice by slice, and say which differences are real.

    Runs are compared on the questions that all of them were asked. p is corrected for every pair of systems, and on slices for
    every slice too; the tests on all questions do not depend on the slices.
    """
    from qaldgen.analysis.compare import compare_runs
    from qaldgen.analysis.multiplicity import CORRECTIONS
    from qaldgen.reports.tables.results import dump_frame

    check_form(form)
    check_measure(measure)
    check_choice("--correct", correct, CORRECTIONS)
    check_missing(missing)
    if len(runs) < 2:
        raise UsageError("a comparison needs two runs at least; 'qaldgen score' scores one")
    common.check_outputs([output], force=force, inputs=[gold, *runs, aliases, *where])
    check_slices(by, where)
    asked, scored = scored_runs(
        gold, runs, match=match, same_as=same_as, lang=lang, aliases=aliases, reading=reading, run_format=run_format
    )
    if by_question:
        common.write_output(output, dump_frame(_questions(asked, scored, missing), form), force=force)
        return
    scored = common_questions(scored, missing)
    found = compare_runs(
        {one.name: one.counts for one in scored}, wanted_slices(asked, by, where, lang), measure=measure, correct=correct,
        alpha=alpha, weights=gold_weights(asked, weighted), repeats=repeats, random_state=seed,
    )  # fmt: skip
    if form not in FOR_PROGRAMS:
        _tell(found)
    table = found.pairs if form in FOR_PROGRAMS else _for_people(found)
    common.write_output(output, dump_frame(table, form, keys=3), force=force)


def _questions(gold: Gold, scored: Sequence[Scores], missing: str) -> pd.DataFrame:
    """Return the F1 of every system on every question, those that are hardest for all first; empty where it does not count."""
    import pandas as pd

    texts = {question.id: question.text() for question in gold.questions.questions}
    table = pd.DataFrame({one.name: one.with_missing(missing)["f1"] for one in scored}, index=scored[0].counts.index)
    table = table.iloc[table.mean(axis=1).argsort(kind="stable")]
    table.insert(0, "id", table.index)
    table["question"] = [texts[name] for name in table.index]
    return table


def _for_people(found: Comparison) -> pd.DataFrame:
    """Return the tests with the columns people read: all questions first, of slices those that could be tested."""
    from qaldgen.analysis.slices import ALL

    table = found.pairs[found.pairs["p"].notna()].copy()
    table["better"] = [
        "-" if p > found.alpha else a if difference > 0 else b
        for a, b, difference, p in table[["a", "b", "difference", "p_adjusted"]].itertuples(index=False)
    ]
    table = table.iloc[(table["slice"] != ALL).argsort(kind="stable")]
    columns = ["slice", "a", "b", "n", "difference", "low", "high", "p_adjusted", "better", "wins", "ties", "losses"]
    return table[columns].rename(columns={"p_adjusted": "corrected p"})


def _tell(found: Comparison) -> None:
    """Print who is ahead overall, who wins where, and the flips, in words."""
    from qaldgen.analysis.compare import families_in_words, tested_in_words
    from qaldgen.analysis.summary import shown
    from qaldgen.reports.tables.results import dump_frame
    from qaldgen.scoring.measures import MEASURES

    label = MEASURES[found.measure].label
    overall = found.overall.reset_index()
    overall[label] = [shown(*row) for row in overall[["estimate", "low", "high"]].itertuples(index=False)]
    click.echo(dump_frame(overall[["system", "n", label]], "text"), err=True)
    if len(found.winners) > 1:
        click.echo(dump_frame(found.winners.reset_index(), "text"), err=True)
    certain = [flip for flip in found.flips if flip.p <= found.alpha]
    for flip in certain:
        click.echo(flip.sentence, err=True)
    chance = len(found.flips) - len(certain)
    if chance:
        again = "also " if certain else ""
        what = "a system that is behind overall is ahead on a slice; that may be chance"
        click.echo(f"{again}{'once' if chance == 1 else f'{chance} times'} {what}", err=True)
    untested = list(dict.fromkeys(found.pairs.loc[found.pairs["p"].isna(), "slice"]))
    if untested:
        click.echo(f"{len(untested)} slices are too small for a test and left out (first: {untested[0]})", err=True)
    click.echo(f"p: two-sided, {tested_in_words(found.measure)}", err=True)
    click.echo(f"{families_in_words(found)}, level {found.alpha:g}; seed {found.random_state}", err=True)
    click.echo("difference: a - b with its 95 % interval; better: who, if it is significant\n", err=True)
