"""``qaldgen cluster``."""

from __future__ import annotations

import click

from qaldgen.cli.printing import print_notes
from qaldgen.cli.shared_options import as_data, file_of, required_source, selection_options, shared
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, verb
from qaldgen.errors import UsageError
from qaldgen.options import OutputPath


class ClusterOptions:
    """Command-line options of `cluster`.

    Attributes
    ----------
    output
        Output file (.ttl or .nt), for --clusters of other commands.
    """

    output: OutputPath | None = None


@verb(epilog="Example: qaldgen cluster features.ttl -k 8 -o clusters.ttl")
@selection_options
@options_of("cluster")
@options_of(ClusterOptions)
@shared("force")
def command(call: Call) -> None:
    """Partition a pool into clusters of similar questions.

    Says in words what sets each apart. DATA and QUERY are as for 'sample'. The output is a
    benchmark with one question per cluster, the one nearest to its mean; 'score POOL RUN --by
    cluster --clusters FILE' shows how systems do on each.
    """
    from qaldgen.benchmark.clusters import cluster, cluster_table
    from qaldgen.benchmark.rdf import dump_rdf
    from qaldgen.reports.tables.results import dump_frame
    from qaldgen.selection.select import select

    data = required_source(call)
    if call.output is not None and not call.output.endswith((".ttl", ".nt")):
        raise UsageError("clusters are written as RDF; use .ttl or .nt", where=call.output)
    call.check(file_of(data))
    vectors = select(as_data(call, data), **call.of("select"))
    print_notes(vectors.notes)
    click.echo(str(vectors), err=True)
    clusters = cluster(vectors, **call.of("cluster"))
    if call.k is None:
        click.echo(
            f"{len(clusters)} clusters have the largest mean silhouette; -k takes another number",
            err=True,
        )
    print_notes(clusters.notes)
    click.echo(dump_frame(cluster_table(clusters), "text"), nl=False)
    if call.output is not None:
        rdf_format = "turtle" if call.output.endswith(".ttl") else "ntriples"
        call.write(dump_rdf(clusters, rdf_format))
