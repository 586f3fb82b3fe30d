"""``qaldgen cluster``."""

from __future__ import annotations

import click

from qaldgen.cli.export import rendered_outputs
from qaldgen.cli.output_files import write_outputs
from qaldgen.cli.printing import notes
from qaldgen.cli.signatures import options_of
from qaldgen.cli.sources import file_of, required_source, selection_options
from qaldgen.cli.verb import WRITTEN, Call, file_option, force_option, verb
from qaldgen.errors import UsageError


@verb(epilog="Example: qaldgen cluster features.ttl -k 8 -o clusters.ttl")
@selection_options
@options_of("cluster")
@file_option(
    "-o",
    "--output",
    kind=WRITTEN,
    help="Output file (.ttl or .nt), for --clusters of other commands.",
)
@force_option
def command(call: Call) -> None:
    """Partition a pool into clusters of similar questions.

    Says in words what sets each apart. DATA and QUERY are as for 'sample'. The output is a
    benchmark with one question per cluster, the one nearest to its mean; 'score POOL RUN --by
    cluster --clusters FILE' shows how systems do on each.
    """
    from qaldgen.benchmark.clusters import cluster_table
    from qaldgen.reports.tables.results import dump_frame

    data = required_source(call)
    if call.output is not None and not call.output.lower().endswith((".ttl", ".nt")):
        raise UsageError(f"{call.output}: clusters are written as RDF; use .ttl or .nt")
    call.check(file_of(data))
    vectors = call.result("select", data)
    click.echo(str(vectors), err=True)
    made = call.run("cluster", vectors)
    if call.k is None:
        click.echo(
            f"{len(made)} clusters have the largest mean silhouette; -k takes another number",
            err=True,
        )
    notes(made.notes)
    click.echo(dump_frame(cluster_table(made), "text"), nl=False)
    # Rendered before writing, so that a failure leaves no half-written file.
    outputs = [] if call.output is None else [call.output]
    write_outputs(rendered_outputs(call, made, outputs, None), force=call.force)
