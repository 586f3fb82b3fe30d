"""``qaldgen slices``."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.commands.listing import listed_option, listing_command
from qaldgen.commands.score_views import FOR_PROGRAMS
from qaldgen.commands.scoring_options import (
    ScoringOptions,
    common_questions,
    features_of,
    is_outcome,
    measure_option,
    missing_option,
    scored_runs,
    scoring_options,
)
from qaldgen.errors import UsageError
from qaldgen.io.outputs import make_folder

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen import Discovery, Scores
    from qaldgen.api.comparing import FoundSlice, SliceSearch
    from qaldgen.api.questions import Reading

#: Number of candidates that are named if none is significant.
_NEAREST = 3


@dataclasses.dataclass(frozen=True)
class SearchOptions:
    """The options of the search."""

    depth: int
    support: int | None
    top: int
    search: str
    alpha: float
    seed: int
    verbose: bool = False

    def read(self) -> SliceSearch:
        """Return the settings of the search."""
        api.checks.check_search(self.search)
        return api.comparing.SliceSearch(
            self.depth, self.support, self.search, self.top, self.alpha, random_state=self.seed
        )


@dataclasses.dataclass(frozen=True)
class Against:
    """The other run, the measure, and which questions count."""

    against: str | None
    missing: str
    measure: str

    def runs(self, run: str | None, gold: str) -> list[str]:
        """Return the files of both runs.

        Parameters
        ----------
        run
            RUN of the command line; None if the gold file is a log with the answers.
        gold
            GOLD of the command line.

        Returns
        -------
        list of str
            One file, or with --against two.
        """
        return [run or gold, *([self.against] if self.against else [])]


@listing_command(epilog="Example: qaldgen slices gold.json mine.json --save weak/")
@click.argument("gold")
@click.argument("run", required=False)
@groups.grouped(
    "against",
    Against,
    click.option(
        "--against", metavar="RUN", help="Find where RUN does worst compared with this run."
    ),
    missing_option(),
    measure_option(),
)
@scoring_options
@groups.grouped(
    "search",
    SearchOptions,
    click.option(
        "--depth",
        default=3,
        show_default=True,
        type=click.IntRange(1, 3),
        help="Maximum number of conditions per slice.",
    ),
    click.option(
        "--min",
        "support",
        type=click.IntRange(min=2),
        metavar="N",
        help="Minimum number of questions per slice. Default: 2 %, at least 10.",
    ),
    click.option(
        "--top",
        default=10,
        show_default=True,
        type=click.IntRange(min=1),
        help="Number of candidates to test.",
    ),
    listed_option(
        "--search",
        table="searches",
        default="held-out",
        show_default=True,
        help="How slices are found and tested.",
    ),
    click.option(
        "--alpha",
        default=0.05,
        show_default=True,
        type=groups.SHARE,
        help="Probability of reporting any slice if there is none.",
    ),
    click.option(
        "--seed",
        default=0,
        show_default=True,
        type=groups.SEED,
        help="Seed of the split and the permutations.",
    ),
    groups.verbose_option,
)
@click.option(
    "--save",
    metavar="DIR",
    help="Folder for the query of each slice, for 'qaldgen sample DATA -q DIR/slice-1.rq'.",
)
@groups.table_options()
def command(
    gold: str,
    run: str | None,
    against: Against,
    scoring: ScoringOptions,
    reading: Reading,
    search: SearchOptions,
    save: str | None,
    out: groups.Output,
) -> None:
    """Find the slices where a system does worst, confirmed on held-out questions.

    GOLD may be a log of lm-eval or inspect_ai with gold answers; RUN is not needed then.

    A slice is a conjunction of conditions on features. Only slices that are significantly worse
    than the rest are reported.
    """
    api.checks.check_table_form(out.form)
    how = search.read()
    api.checks.check_missing(against.missing)
    api.checks.check_measure(against.measure)
    if scoring.weighted:
        raise UsageError("--weighted: the search uses unweighted scores; remove it")
    inputs = [gold, run, against.against, scoring.aliases]
    common.check_outputs([out.output], force=out.force, inputs=inputs)
    if save is not None:
        _prepare(Path(save), out.force, inputs)
    outcomes = is_outcome(against.measure)
    asked, scored = scored_runs(
        gold, against.runs(run, gold), scoring, reading, alone=run is None, outcomes=outcomes
    )
    same = common_questions(scored, against.missing)
    found = api.comparing.search_scores(
        same, features_of(asked, scoring.lang), how, measure=against.measure
    )
    _tell(found, same, against.measure, verbose=search.verbose)
    if save is not None:
        _save(found, Path(save), out.force)
    people = out.form not in FOR_PROGRAMS
    table = _short_table(found) if people and not search.verbose else _table(found, people=people)
    common.write_output(out.output, api.tables.dump_frame(table, out.form, keys=2), force=out.force)


_EXPECTED = (
    "mean and difference: what to expect on new questions; slices are reported because they look"
    " bad, so observed values are biased downwards"
)
#: Smaller differences are printed as 0.
_VISIBLE = 0.00005
_WHOLLY_CHOSEN = (
    "difference 0: the slice only just passes the test and may be an artefact of the search;"
    " confirm it on new questions"
)


def _tell(found: Discovery, scored: list[Scores], measure: str, *, verbose: bool) -> None:
    """Print what was searched, what the numbers mean, and that unreported slices were not proved.

    Without `verbose` in one line, if something was found.
    """
    if found.found and not verbose:
        what = api.comparing.searched_in_words(measure)
        if len(scored) > 1:
            what += f" of {scored[0].name} minus that of {scored[1].name}"
        where = (
            "on questions that did not choose the slice"
            if found.method == "held-out"
            else "on all questions"
        )
        common.tell(
            f"score, elsewhere: {what} in the slice and outside it, "
            f"{where}; --verbose shows how it was tested"
        )
        return
    looked = (
        f"{found.looked_at:,} conjunctions of {found.conditions:,} conditions, searched on"
        f" {found.n_search:,} questions"
    )
    split = found.method == "held-out"
    if split:
        looked += f", {len(found.candidates)} candidates tested on {found.n_held_out:,} others"
    common.tell(f"{looked}; seed {found.random_state}")
    what = api.comparing.searched_in_words(measure)
    if len(scored) > 1:
        what += (
            f" of {scored[0].name} minus that of {scored[1].name}, so below 0 where"
            f" {scored[0].name} is behind"
        )
    where = "the others" if split else "all"
    if found.found:
        common.tell(
            f"n: all questions of the slice; observed: {what} on "
            f"{where}; rest: the same outside the slice"
        )
        common.tell(_EXPECTED)
        # Shrinkage has removed the whole difference.
        if any(abs(one.difference) < _VISIBLE for one in found.found):
            common.tell(_WHOLLY_CHOSEN)
        common.tell("")
        return
    common.tell(
        f"no slice is significantly worse than the rest; the closest, which may be chance ({what}):"
    )
    for one in [one for one in found.candidates if one.observed < one.rest][:_NEAREST]:
        figures = (
            f"{one.observed:.3f} against {one.rest:.3f} elsewhere, corrected p ="
            f" {one.p_adjusted:.2g}"
        )
        common.tell(f"  {one.slice.name} (n = {len(one.slice)}): {figures}")


def _short_table(found: Discovery) -> pd.DataFrame:
    """Return what a person needs: which questions, how many, the score there and elsewhere."""
    import pandas as pd

    rows = [
        (
            number,
            f"{one.slice.label} ({one.slice.name})",
            len(one.slice),
            one.observed,
            one.rest,
            one.p_adjusted,
        )
        for number, one in enumerate(found.found, 1)
    ]
    return pd.DataFrame(
        rows, columns=["slice", "questions", "n", "score", "elsewhere", "corrected p"]
    )


def _table(found: Discovery, *, people: bool) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        [_row(number, one, people) for number, one in enumerate(found.found, 1)],
        columns=_columns(people),
    )


def _columns(people: bool) -> list[str]:
    columns = [
        "slice",
        "conditions",
        "n",
        "observed",
        "mean",
        "rest",
        "difference",
        "low",
        "high",
        "corrected p",
    ]
    return columns if people else [*columns, "p", "n_search", "n_held_out", "sparql"]


def _row(number: int, one: FoundSlice, people: bool) -> dict[str, object]:
    row = {"slice": number, "conditions": one.slice.name, **api.comparing.row_of(one)}
    return (
        row
        if people
        else row
        | {
            "p": one.p,
            "n_search": one.n_search,
            "n_held_out": one.n_held_out,
            "sparql": one.slice.sparql,
        }
    )


def _prepare(folder: Path, force: bool, inputs: Sequence[str | None]) -> None:
    """Create the folder; reject one with slices of an earlier search before any work is done."""
    make_folder(folder)
    common.check_outputs(sorted(map(str, folder.glob("slice-*.rq"))), force=force, inputs=inputs)


def _save(found: Discovery, folder: Path, force: bool) -> None:
    """Write the query of each slice, with features to sample by."""
    queries = api.comparing.slice_queries(found, folder)
    if not queries:
        click.echo(f"{folder}: no slices to save", err=True)
    common.write_outputs([(str(path), query) for path, query in queries], force=force)
    # A search with fewer slices would leave files of an earlier one beside its own.
    for stale in set(folder.glob("slice-*.rq")) - {path for path, _ in queries}:
        stale.unlink()
