"""``qaldgen compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from qaldgen.commands import common
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

    from qaldgen.analysis.compare import Comparison


@click.command(epilog="Example: qaldgen compare gold.json mine.json other.json --by answerType --by whType")
@click.argument("gold")
@click.argument("runs", nargs=-1, required=True)
@scoring_options
@slice_options
@click.option("--measure", default="macro-f1", show_default=True, metavar="NAME", help="What is compared.")
@click.option("--correct", default="holm", show_default=True, help="For the number of tests: holm or bh (Benjamini-Hochberg).")
@click.option("--alpha", default=0.05, show_default=True, help="The level of the corrected tests.")
@click.option("--repeats", default=10_000, show_default=True, help="Random exchanges of each test.")
@click.option("--seed", default=0, show_default=True, help="Of the random exchanges.")
@format_option
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write the table of tests; - is stdout (default).")
@common.force_option
def command(
    gold: str, runs: tuple[str, ...], match: str, same_as: str, lang: str, aliases: str | None, gold_format: str | None,
    run_format: str | None, weighted: bool, by: tuple[str, ...], where: tuple[str, ...], measure: str, correct: str, alpha: float,
    repeats: int, seed: int, form: str, output: str, force: bool,
) -> None:  # fmt: skip
    """Compare systems on the same questions, overall and slice by slice, and say which differences are real.

    Paired approximate randomisation; p is corrected for every pair and slice that was looked at.
    """
    from qaldgen.analysis.compare import compare_runs
    from qaldgen.report.result_tables import dump_frame

    check_form(form)
    if len(runs) < 2:
        raise UsageError("a comparison needs two runs at least; 'qaldgen score' scores one")
    common.check_outputs([output], force=force)
    asked, scored = scored_runs(
        gold, runs, match=match, same_as=same_as, lang=lang, aliases=aliases, gold_format=gold_format, run_format=run_format
    )
    slices = wanted_slices(asked, by, where, lang)
    found = compare_runs(
        {one.name: one.counts for one in scored}, slices, measure=measure, correct=correct, alpha=alpha,
        weights=gold_weights(asked, weighted), repeats=repeats, random_state=seed,
    )  # fmt: skip
    if form == "text":
        _tell(found)
    table = found.pairs if form in {"csv", "json"} else _for_people(found)
    common.write_output(output, dump_frame(table, form).encode())


def _for_people(found: Comparison) -> pd.DataFrame:
    """Return the tests with the columns people read, of slices that could be tested."""
    table = found.pairs[found.pairs["p"].notna()]
    columns = ["slice", "a", "b", "n", "difference", "low", "high", "p_adjusted", "wins", "ties", "losses"]
    return table[columns].rename(columns={"p_adjusted": "corrected p"})


def _tell(found: Comparison) -> None:
    """Print who is ahead overall, who wins where, and the flips, in words."""
    from qaldgen.report.result_tables import dump_frame

    click.echo(dump_frame(found.overall.reset_index(), "text"), err=True)
    if len(found.winners) > 1:
        click.echo(dump_frame(found.winners.reset_index(), "text"), err=True)
    for flip in found.flips:
        click.echo(flip.sentence, err=True)
    tests = f"{found.tests} paired tests, {found.repeats:,} random exchanges, seed {found.random_state}"
    click.echo(f"{tests}, corrected by {found.correction} at {found.alpha:g}\n", err=True)
