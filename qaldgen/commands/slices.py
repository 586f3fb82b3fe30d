"""``qaldgen slices``."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.analysis.feature_table import features_of
from qaldgen.commands import groups, output_files
from qaldgen.commands.found_slices import short_table, tell, whole_table
from qaldgen.commands.groups import FOR_PROGRAMS
from qaldgen.commands.scoring import (
    COMPARE,
    ScoringOptions,
    common_questions,
    is_outcome,
    measure_option,
    scored_runs,
    scoring_options,
)
from qaldgen.commands.signatures import options_of
from qaldgen.commands.verb import listed_option, verb
from qaldgen.errors import UsageError
from qaldgen.io.outputs import make_folder

if TYPE_CHECKING:
    from qaldgen import Discovery
    from qaldgen.api.comparing import SliceSearch
    from qaldgen.api.questions import Reading


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


def _one_run(_ctx: click.Context, _param: click.Parameter, runs: Sequence[str]) -> str | None:
    """Reject several runs, and say what takes them."""
    if len(runs) > 1:
        raise UsageError(
            "searches one run at a time; 'qaldgen report' shows where several systems are weak, and"
            " --against RUN finds where one is worse than another"
        )
    return runs[0] if runs else None


@verb(
    usual=(
        "against",
        "measure",
        "missing",
        "support",
        "top",
        "alpha",
        "save",
        "match",
        "language",
        "form",
        "output",
        "force",
    ),
    epilog="Example: qaldgen slices gold.json mine.json --save weak/",
)
@click.argument("gold")
@click.argument("run", nargs=-1, metavar="[RUN]", callback=_one_run)
@groups.grouped(
    "against",
    Against,
    click.option(
        "--against", metavar="RUN", help="Find where RUN does worst compared with this run."
    ),
    options_of(COMPARE, "missing"),
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

    GOLD may be a log of another evaluator with gold answers; RUN is not needed then.

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
    output_files.check_outputs([out.output], force=out.force, inputs=inputs)
    if save is not None:
        _prepare(Path(save), out.force, inputs)
    outcomes = is_outcome(against.measure)
    asked, scored = scored_runs(
        gold, against.runs(run, gold), scoring, reading, alone=run is None, outcomes=outcomes
    )
    same = common_questions(scored, against.missing)
    found = api.comparing.search_scores(
        same, features_of(asked, language=scoring.language)[0], how, measure=against.measure
    )
    tell(found, same, against.measure, verbose=search.verbose)
    if save is not None:
        _save(found, Path(save), out.force)
        annotated = asked.benchmark is not None
        _tell_next(found, Path(save), gold, annotated=annotated, lang=scoring.language)
    people = out.form not in FOR_PROGRAMS
    table = (
        short_table(found) if people and not search.verbose else whole_table(found, people=people)
    )
    output_files.write_output(
        out.output, api.tables.dump_frame(table, out.form, keys=2), force=out.force
    )


def _prepare(folder: Path, force: bool, inputs: Sequence[str | None]) -> None:
    """Create the folder; reject one with slices of an earlier search before any work is done."""
    make_folder(folder)
    output_files.check_outputs(
        sorted(map(str, folder.glob("slice-*.rq"))), force=force, inputs=inputs
    )


def _save(found: Discovery, folder: Path, force: bool) -> None:
    """Write the query of each slice, with features to sample by."""
    queries = api.comparing.slice_queries(found, folder)
    if not queries:
        click.echo(f"{folder}: no slices to save", err=True)
    output_files.write_outputs([(str(path), query) for path, query in queries], force=force)
    # A search with fewer slices would leave files of an earlier one beside its own.
    for stale in set(folder.glob("slice-*.rq")) - {path for path, _ in queries}:
        stale.unlink()


def _tell_next(found: Discovery, folder: Path, gold: str, *, annotated: bool, lang: str) -> None:
    """Print the commands that make a benchmark of the first slice."""
    from qaldgen.reports.page.first_screen import benchmark_commands

    for (path, _), one in zip(
        api.comparing.slice_queries(found, folder), found.found[:1], strict=False
    ):
        lines = benchmark_commands(
            gold, str(path), len(one.slice), annotated=annotated, language=lang
        )
        click.echo("next, a benchmark of the first slice:", err=True)
        for line in lines:
            click.echo(f"  {line}", err=True)
