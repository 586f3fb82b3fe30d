"""``qaldgen cluster``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from qaldgen.commands import common, groups, output_files, sources
from qaldgen.commands.export import rendered
from qaldgen.commands.signatures import options_of
from qaldgen.commands.verb import verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Endpoint


@verb(epilog="Example: qaldgen cluster features.ttl -k 8 -o clusters.ttl")
@sources.selection_options
@options_of(
    "qaldgen.benchmark.clusters:cluster",
    "k",
    "method",
    "random_state",
    "title",
    short={"method": "-m"},
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Output file (.ttl or .nt), for --clusters of other commands.",
)
@groups.force_option
def command(
    source: str | Endpoint,
    query: str | None,
    scaling: str,
    missing: str,
    k: int | None,
    output: str | None,
    force: bool,
    **how: Any,  # noqa: ANN401 - what the signature of cluster says
) -> None:
    """Partition a pool into clusters of similar questions.

    Says in words what sets each apart. DATA and QUERY are as for 'sample'. The output is a
    benchmark with one question per cluster, the one nearest to its mean; 'score POOL RUN --by
    cluster --clusters FILE' shows how systems do on each.
    """
    from qaldgen.benchmark.clusters import cluster, cluster_table
    from qaldgen.reports.tables.results import dump_frame
    from qaldgen.selection.select import select

    if output is not None and not output.lower().endswith((".ttl", ".nt")):
        raise UsageError(f"{output}: clusters are written as RDF; use .ttl or .nt")
    outputs = [output] if output else []
    output_files.check_outputs(outputs, force=force, inputs=[sources.file_of(source), query])
    vectors = select(source, query, scaling=scaling, missing=missing)
    common.notes(vectors.notes)
    click.echo(sources.describe_selection(vectors), err=True)
    made = cluster(vectors, k, **how)
    if k is None:
        click.echo(
            f"{len(made)} clusters have the largest mean silhouette; -k takes another number",
            err=True,
        )
    common.notes(made.notes)
    click.echo(dump_frame(cluster_table(made), "text"), nl=False)
    # Rendered before writing, so that a failure leaves no half-written file.
    output_files.write_outputs(rendered(made, outputs, None), force=force)
