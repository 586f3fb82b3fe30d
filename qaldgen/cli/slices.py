"""``qaldgen slices``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import qaldgen
from qaldgen.cli import checks, groups, output_files
from qaldgen.cli.common import notes, tell
from qaldgen.cli.groups import FOR_PROGRAMS
from qaldgen.cli.scoring import (
    SCORE,
    ScoringOptions,
    across_of,
    is_outcome,
    measure_option,
    on_editions,
    runs_argument,
    scored_runs,
    scoring_options,
)
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import verb
from qaldgen.errors import UsageError
from qaldgen.io.outputs import make_folder

if TYPE_CHECKING:
    from qaldgen import WeakSpots
    from qaldgen.formats.reading import Reading

_SLICES = "qaldgen.analysis.slices:slices"


@verb(
    usual=(
        "against",
        "missing",
        "measure",
        "match",
        "language",
        "aliases",
        "labels",
        "min_support",
        "alpha",
        "verbose",
        "save",
        "form",
        "output",
        "force",
    ),
    epilog="Example: qaldgen slices gold.json mine.json --save weak/",
)
@click.argument("gold")
@runs_argument(metavar="[RUNS]...")
@click.option(
    "--against", metavar="RUN", help="Find where the only run is worse compared with this one."
)
@options_of(_SLICES, "missing")
@options_of(SCORE, "also_gold", section="Search")
@measure_option()
@scoring_options
@groups.collected(
    "search",
    dict,
    options_of(_SLICES, "min_support", "alpha", "n_resamples", "random_state", section="Search"),
)
@groups.verbose_option
@click.option(
    "--save",
    metavar="DIR",
    help="Folder for the query of each weak spot, for 'qaldgen sample DATA -q DIR/FILE.rq'.",
)
@groups.table_options()
def command(
    gold: str,
    runs: tuple[str, ...],
    against: str | None,
    missing: str,
    also_gold: tuple[str, ...],
    measure: str,
    scoring: ScoringOptions,
    reading: Reading,
    search: dict[str, Any],
    verbose: bool,
    save: str | None,
    out: groups.Output,
) -> None:
    """Find the kinds of questions on which systems are worse.

    GOLD may be a table with question, gold and prediction, or a log with gold answers; RUNS are
    not needed then.

    A kind is a condition on a feature, or two of them. What is named is more than the largest
    chance finding over all kinds and runs; 'qaldgen report' shows the same.
    """
    from qaldgen.reports.tables.results import dump_frame

    checks.check_table_form(out.form)
    if against is not None and len(runs) > 1:
        raise UsageError("--against compares one run with another; give one run")
    if scoring.weighted:
        raise UsageError("--weighted: the search uses unweighted scores; remove it")
    inputs = [gold, *runs, against, scoring.aliases, *also_gold]
    checks.check_sets(*also_gold)
    output_files.check_outputs([out.output], force=out.force, inputs=inputs)
    if save is not None:
        _prepare(Path(save), out.force, inputs)
    paths = [*(runs or [gold]), *([against] if against else [])]
    asked, scored = scored_runs(
        gold,
        paths,
        scoring,
        reading,
        alone=not runs,
        outcomes=is_outcome(measure),
        across=across_of(None, measure),
    )
    asked, scored = on_editions(asked, scored, also_gold, scoring)
    found = qaldgen.slices(
        asked,
        scored[:-1] if against else scored,
        against=scored[-1] if against else None,
        measure=measure,
        missing=missing,
        language=scoring.language,
        **search,
    )
    notes(found.notes)
    _tell(found, verbose=verbose)
    if save is not None:
        _save(found, Path(save), out.force)
        annotated = asked.benchmark is not None
        _tell_next(found, Path(save), gold, annotated=annotated, lang=scoring.language)
    people = out.form not in FOR_PROGRAMS
    output_files.write_output(
        out.output,
        dump_frame(found.table(people=people and not verbose), out.form, keys=2),
        force=out.force,
    )


def _tell(found: WeakSpots, *, verbose: bool) -> None:
    """Print what the scores are, what is low beside a weak spot, and what would have been seen."""
    if any(found.spots.values()):
        tell(
            f"score, elsewhere: {found.measured} on the questions of the kind and on the others;"
            " expected gap: what to expect on new ones, with its 95 % interval"
        )
    if verbose:
        tell(
            f"{found.conditions:,} conditions and {found.pairs:,} pairs, searched on"
            f" {found.questions:,} questions; seed {found.random_state}"
        )
    for system, spots in found.spots.items():
        for one in spots:
            if one.also:
                tell(f"{system}, {one.slice.label}: also {'; '.join(one.also)}")
        if not spots:
            tell(f"{system}: {found.silence(system)}")


def _prepare(folder: Path, force: bool, inputs: Sequence[str | None]) -> None:
    """Create the folder; reject one with slices of an earlier search before any work is done."""
    make_folder(folder)
    output_files.check_outputs(
        sorted(map(str, folder.glob("slice-*.rq"))), force=force, inputs=inputs
    )


def _queries(found: WeakSpots, folder: Path) -> list[tuple[Path, str, int]]:
    """Return a file, a query and the number of questions for each weak spot."""
    from qaldgen.analysis.feature_table import sampling_query

    spots = [one.slice for own in found.spots.values() for one in own]
    return [
        (folder / f"slice-{number}.rq", sampling_query(one), len(one))
        for number, one in enumerate(spots, 1)
    ]


def _save(found: WeakSpots, folder: Path, force: bool) -> None:
    """Write the query of each weak spot, with features to sample by."""
    queries = _queries(found, folder)
    if not queries:
        click.echo(f"{folder}: no slices to save", err=True)
    output_files.write_outputs([(str(path), query) for path, query, _ in queries], force=force)
    # A search with fewer slices would leave files of an earlier one beside its own.
    for stale in set(folder.glob("slice-*.rq")) - {path for path, _, _ in queries}:
        stale.unlink()


def _tell_next(found: WeakSpots, folder: Path, gold: str, *, annotated: bool, lang: str) -> None:
    """Print the commands that make a benchmark of the first weak spot."""
    from qaldgen.reports.page.data import benchmark_commands

    for path, _, size in _queries(found, folder)[:1]:
        lines = benchmark_commands(gold, str(path), size, annotated=annotated, language=lang)
        click.echo("next, a benchmark of the first slice:", err=True)
        for line in lines:
            click.echo(f"  {line}", err=True)
