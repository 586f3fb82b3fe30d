"""``qaldgen slices``."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen.cli.output_files import check_outputs, write_outputs
from qaldgen.cli.printing import print_line, print_notes
from qaldgen.cli.scoring import gold_argument, read_and_evaluate, runs_argument, scoring_options
from qaldgen.cli.shared_options import shared, table_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, section, verb
from qaldgen.defaults import LEVEL_LABEL
from qaldgen.errors import UsageError
from qaldgen.options import Folder, RunPathOrName

if TYPE_CHECKING:
    from qaldgen.analysis.slices.weak_spots import WeakSpots


class SlicesOptions:
    """Command-line options of `slices`.

    Attributes
    ----------
    against
        Find where the only run is worse compared with this one: a file, or the name of a system
        beside the questions.
    save
        Folder for the query of each weak spot, for 'qaldgen sample DATA -q DIR/FILE.rq'.
    """

    against: RunPathOrName | None = None
    save: Folder | None = None


_SEARCH = "qaldgen.analysis.slices.weak_spots:Search"


@verb(
    brief="against missing measure match lang aliases labels min_support alpha verbose save format"
    " output force",
    epilog="Example: qaldgen slices gold.json mine.json --save weak/",
)
@gold_argument
@runs_argument(metavar="[RUNS]...")
@options_of(SlicesOptions, "against")
@options_of("slices", "measure", "missing")
@section("Search", options_of("evaluate", "also_gold"))
@scoring_options
@section("Search", options_of("slices", "min_support"), options_of(_SEARCH))
@shared("verbose")
@options_of(SlicesOptions, "save")
@table_options()
def command(call: Call) -> None:
    """Find the kinds of questions on which systems are worse.

    GOLD may be a table with question, gold and prediction, or a log with gold answers; RUNS are
    not needed then.

    A kind is a condition on a feature, or two of them. What is named is more than the largest
    chance finding over all kinds and runs; 'qaldgen report' shows the same.
    """
    from qaldgen.analysis.slices.weak_spots import Search, slices

    if call.against is not None and len(call.runs) > 1:
        raise UsageError("--against compares one run with another; give one run")
    if call.weighted:
        raise UsageError("--weighted: the search uses unweighted scores; remove it")
    call.check()

    folder = None if call.save is None else Path(call.save)
    if folder is not None:  # one with slices of an earlier search is refused
        paths = {folder / "slice-1.rq", *folder.glob("slice-*.rq")}
        saved = sorted(map(str, paths))
        inputs = [call.gold, *call.runs, call.against, call.aliases, *call.also_gold]
        check_outputs(saved, force=call.force, inputs=inputs, in_new_folders=saved)

    against = [] if call.against is None else [call.against]
    evaluation = read_and_evaluate(call, call.runs, against=against)
    baseline = evaluation[-1].name if against else ""
    weak_spots = slices(
        evaluation, against=baseline, tests=Search(**call.of(_SEARCH)), **call.of("slices")
    )

    print_notes(weak_spots.notes)
    _print_findings(weak_spots, verbose=call.verbose)
    if folder is not None:
        _save_queries(call, weak_spots, folder, annotated=evaluation.gold.benchmark is not None)
    for_people = not call.for_programs and not call.verbose
    if any(weak_spots.spots.values()) or not for_people or call.output != "-":
        call.write(weak_spots.table(people=for_people))


def _print_findings(weak: WeakSpots, *, verbose: bool) -> None:
    """Print what the scores mean, the kinds that overlap, and the systems without a weak spot."""
    if any(weak.spots.values()):
        print_line(
            f"score, elsewhere: {weak.measured} on the questions of the kind and on the others;"
            f" expected gap: what to expect on new ones, with its {LEVEL_LABEL} interval"
        )
    if verbose:
        print_line(
            f"{weak.conditions:,} conditions and {weak.pairs:,} pairs, searched on"
            f" {weak.questions:,} questions; seed {weak.random_state}"
        )
    for system, spots in weak.spots.items():
        for spot in spots:
            if spot.also:
                print_line(f"{system}, {spot.slice.label}: also {'; '.join(spot.also)}")
        if not spots:
            print_line(f"{system}: {weak.silence(system)}")


def _save_queries(call: Call, weak: WeakSpots, folder: Path, *, annotated: bool) -> None:
    """Write the query of each weak spot, and print the commands for a benchmark of the first."""
    from qaldgen.analysis.feature_table import sampling_query
    from qaldgen.reports.page.page_data import benchmark_commands

    slices = [spot.slice for spot in chain.from_iterable(weak.spots.values())]
    paths = [folder / f"slice-{number}.rq" for number in range(1, len(slices) + 1)]
    if not slices:
        click.echo(f"{folder}: no slices to save", err=True)
    queries = [(str(path), sampling_query(part)) for path, part in zip(paths, slices, strict=True)]
    write_outputs(queries, force=call.force)
    # files of an earlier search with more slices
    for stale in set(folder.glob("slice-*.rq")) - set(paths):
        stale.unlink()
    if slices:
        lines = benchmark_commands(
            call.gold, str(paths[0]), len(slices[0]), annotated=annotated, language=call.lang
        )
        click.echo("next, a benchmark of the first slice:", err=True)
        for line in lines:
            click.echo(f"  {line}", err=True)
