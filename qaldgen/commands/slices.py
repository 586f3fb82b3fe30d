"""``qaldgen slices``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen.commands import common
from qaldgen.commands.early_checks import check_choice
from qaldgen.commands.score_views import FOR_PROGRAMS
from qaldgen.commands.scoring_options import (
    check_form,
    check_measure,
    check_missing,
    common_questions,
    features_of,
    format_option,
    measure_option,
    missing_option,
    scored_runs,
    scoring_options,
)
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.found import Discovery, FoundSlice
    from qaldgen.formats.reading import Reading
    from qaldgen.scoring.score import Scores

_NEAREST = 3


@click.command(epilog="Example: qaldgen slices gold.json mine.json --save weak/")
@click.argument("gold")
@click.argument("run")
@click.option("--against", metavar="RUN", help="Find where the run does worst compared with this one.")
@scoring_options
@missing_option
@measure_option
@click.option("--depth", default=3, show_default=True, type=click.IntRange(1, 3), help="Most conditions of a slice.")
@click.option(
    "--min", "support", type=click.IntRange(min=2), metavar="N", help="Fewest questions of a slice (2 %, but 10 at least)."
)
@click.option("--top", default=10, show_default=True, type=click.IntRange(min=1), help="Candidates that are tested.")
@click.option("--search", default="held-out", show_default=True, help="held-out (test on another half) or permutation.")
@click.option(
    "--alpha", default=0.05, show_default=True, type=common.SHARE, help="The chance of reporting anything where there is nothing."
)
@click.option("--seed", default=0, show_default=True, type=common.SEED, help="Of halves and permutations.")
@click.option("--save", metavar="DIR", help="Write the query of each slice here, for 'qaldgen sample DATA -q DIR/slice-1.rq'.")
@format_option
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write the table; - is stdout (default).")
@common.force_option
def command(
    gold: str, run: str, against: str | None, match: str, same_as: str, lang: str, aliases: str | None, reading: Reading,
    run_format: str | None, weighted: bool, missing: str, measure: str,
    depth: int, support: int | None, top: int, search: str, alpha: float, seed: int,
    save: str | None, form: str, output: str, force: bool,
) -> None:  # fmt: skip
    """Find the slices where a system is worst, with evidence on questions that did not choose them.

    A slice is a conjunction of conditions on features. Only slices that are worse than the rest beyond chance are reported.
    """
    from qaldgen.analysis.discovery import METHODS, find_slices, scores_to_search
    from qaldgen.reports.tables.results import dump_frame

    check_form(form)
    check_choice("--search", search, METHODS)
    check_missing(missing)
    check_measure(measure)
    if weighted:
        raise UsageError("--weighted: slices are searched for in plain scores; leave it out")
    inputs = [gold, run, against, aliases]
    common.check_outputs([output], force=force, inputs=inputs)
    if save is not None:
        _prepare(Path(save), force, inputs)
    asked, scored = scored_runs(
        gold, [run, *([against] if against else [])], match=match, same_as=same_as, lang=lang, aliases=aliases,
        reading=reading, run_format=run_format,
    )  # fmt: skip
    scored = common_questions(scored, missing)
    scores = scores_to_search([one.counts for one in scored], measure)
    table = features_of(asked, lang)
    found = find_slices(scores, table, depth=depth, min_support=support, method=search, top=top, alpha=alpha, random_state=seed)
    _tell(found, scored, measure)
    if save is not None:
        _save(found, Path(save), force)
    table = _table(found, people=form not in FOR_PROGRAMS)
    common.write_output(output, dump_frame(table, form, keys=2), force=force)


_EXPECTED = (
    "mean and difference: what to expect on new questions; slices are reported because they look bad, so what was observed is "
    "too bad"
)
#: A smaller difference is printed as 0.
_VISIBLE = 0.00005
_WHOLLY_CHOSEN = (
    "difference 0: the slice only just passes the test, and the search may explain all of it; confirm it on new questions"
)


def _tell(found: Discovery, scored: list[Scores], measure: str) -> None:
    """Say what was searched, what the numbers are, and that what is not reported was not proved."""
    from qaldgen.analysis.discovery import searched_in_words

    looked = f"{found.looked_at:,} conjunctions of {found.conditions:,} conditions, searched on {found.n_search:,} questions"
    split = found.method == "held-out"
    if split:
        looked += f", {len(found.candidates)} candidates tested on {found.n_held_out:,} others"
    click.echo(f"{looked}; seed {found.random_state}", err=True)
    what = searched_in_words(measure)
    if len(scored) > 1:
        what += f" of {scored[0].name} minus that of {scored[1].name}, so below 0 where {scored[0].name} is behind"
    where = "the others" if split else "all"
    if found.found:
        click.echo(f"n: questions of the slice in all; observed: {what} on {where}; rest: the same outside the slice", err=True)
        click.echo(_EXPECTED, err=True)
        if any(abs(one.difference) < _VISIBLE for one in found.found):
            click.echo(_WHOLLY_CHOSEN, err=True)
        click.echo(err=True)
        return
    click.echo(f"no slice is worse than the rest beyond chance; the nearest, which may be chance ({what}):", err=True)
    for one in [one for one in found.candidates if one.observed < one.rest][:_NEAREST]:
        figures = f"{one.observed:.3f} against {one.rest:.3f} elsewhere, corrected p = {one.p_adjusted:.2g}"
        click.echo(f"  {one.slice.name} (n = {len(one.slice)}): {figures}", err=True)


def _table(found: Discovery, *, people: bool) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([_row(number, one, people) for number, one in enumerate(found.found, 1)], columns=_columns(people))


def _columns(people: bool) -> list[str]:
    columns = ["slice", "conditions", "n", "observed", "mean", "rest", "difference", "low", "high", "corrected p"]
    return columns if people else [*columns, "p", "n_search", "n_held_out", "sparql"]


def _row(number: int, one: FoundSlice, people: bool) -> dict[str, object]:
    row: dict[str, object] = {"slice": number, "conditions": one.slice.name, "n": len(one.slice)}
    row |= {
        "observed": one.observed,
        "mean": one.mean,
        "rest": one.rest,
        "difference": one.difference,
        "low": one.low,
        "high": one.high,
    }
    row["corrected p"] = one.p_adjusted
    return (
        row if people else row | {"p": one.p, "n_search": one.n_search, "n_held_out": one.n_held_out, "sparql": one.slice.sparql}
    )


def _prepare(folder: Path, force: bool, inputs: Sequence[str | None]) -> None:
    """Make the folder, and refuse one that has slices of an earlier search before the work is done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made a folder ({error.strerror or error}); name another") from error
    common.check_outputs(sorted(map(str, folder.glob("slice-*.rq"))), force=force, inputs=inputs)


def _save(found: Discovery, folder: Path, force: bool) -> None:
    """Write the query of each slice with features to sample by."""
    from qaldgen.analysis.feature_table import sampling_query

    targets = [folder / f"slice-{number}.rq" for number in range(1, len(found.found) + 1)]
    if not targets:
        click.echo(f"{folder}: there is no slice to save", err=True)
    queries = [sampling_query(one.slice) for one in found.found]
    common.write_outputs(list(zip(map(str, targets), queries, strict=True)), force=force)
    for stale in set(folder.glob("slice-*.rq")) - set(targets):
        stale.unlink()
