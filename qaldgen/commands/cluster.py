"""``qaldgen cluster``."""

from __future__ import annotations

import dataclasses

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.listing import listing_command
from qaldgen.errors import UsageError


@dataclasses.dataclass(frozen=True)
class Wanted:
    """How many clusters, how they are made, and where they go."""

    number: int | None
    method: str
    seed: int
    title: str | None
    output: str | None
    force: bool


@listing_command(epilog="Example: qaldgen cluster features.ttl -k 8 -o clusters.ttl")
@groups.selection_options
@groups.grouped(
    "wanted",
    Wanted,
    click.option(
        "-k",
        "number",
        type=click.IntRange(min=1),
        metavar="K",
        help=(
            "Number of clusters. Default: the number from 2 to 12 with the largest mean silhouette."
        ),
    ),
    click.option(
        "-m",
        "--method",
        default="km++",
        show_default=True,
        metavar="METHOD",
        help="km++, agglomerative, or FEASIBLE's cells: feasible, feasible-exmp.",
    ),
    click.option(
        "--seed", default=0, show_default=True, type=groups.SEED, help="Seed of all random choices."
    ),
    click.option("--title", help="Title of the clusters."),
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Output file (.ttl or .nt), for --clusters of other commands.",
    ),
    groups.force_option,
)
def command(
    source: groups.SourceOptions, selection: groups.SelectionOptions, wanted: Wanted
) -> None:
    """Partition a pool into clusters of similar questions, and say in words what sets each apart.

    DATA and QUERY are as for 'sample'. The output is a benchmark with one question per cluster, the
    one nearest to its mean; 'score POOL RUN --by cluster --clusters FILE' shows how systems do on
    each.
    """
    api.checks.check_choice("--method", wanted.method, api.clustering.METHODS)
    if wanted.output is not None and not wanted.output.lower().endswith((".ttl", ".nt")):
        raise UsageError(f"{wanted.output}: clusters are written as RDF; use .ttl or .nt")
    output_files.check_outputs(
        [wanted.output] if wanted.output else [],
        force=wanted.force,
        inputs=[source.data, selection.query],
    )
    api.selecting.check_rules(selection.scale, selection.missing)
    chosen = common.check_query(selection.query, source)
    vectors = common.selected(common.open_source(source), chosen, selection)
    click.echo(common.describe_selection(vectors), err=True)
    with common.clock("clustering"):
        made = api.clustering.cluster(
            vectors,
            wanted.number,
            method=wanted.method,
            random_state=wanted.seed,
            title=wanted.title,
        )
    if wanted.number is None:
        click.echo(
            f"{len(made)} clusters have the largest mean silhouette; -k takes another number",
            err=True,
        )
    common.notes(made.notes)
    click.echo(api.tables.dump_frame(api.clustering.cluster_table(made), "text"), nl=False)
    if wanted.output is not None:
        # Rendered before writing, so that a failure leaves no half-written file.
        rendered, told = api.sampling.rendered(made, [wanted.output], None)
        common.notes(told)
        output_files.write_outputs(rendered, force=wanted.force)
