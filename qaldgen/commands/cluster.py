"""``qaldgen cluster``."""

from __future__ import annotations

from typing import Any

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.signatures import options_of
from qaldgen.commands.verb import verb
from qaldgen.errors import UsageError
from qaldgen.io.names import check_choice


@verb(epilog="Example: qaldgen cluster features.ttl -k 8 -o clusters.ttl")
@groups.selection_options
@options_of(
    "qaldgen.api.clustering:cluster", "k", "method", "random_state", "title", short={"method": "-m"}
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Output file (.ttl or .nt), for --clusters of other commands.",
)
@groups.force_option
def command(
    source: groups.SourceOptions,
    selection: groups.SelectionOptions,
    k: int | None,
    output: str | None,
    force: bool,
    **wanted: Any,  # noqa: ANN401 - what the signature of cluster says
) -> None:
    """Partition a pool into clusters of similar questions, and say in words what sets each apart.

    DATA and QUERY are as for 'sample'. The output is a benchmark with one question per cluster, the
    one nearest to its mean; 'score POOL RUN --by cluster --clusters FILE' shows how systems do on
    each.
    """
    check_choice("--method", wanted["method"], api.clustering.METHODS)
    if output is not None and not output.lower().endswith((".ttl", ".nt")):
        raise UsageError(f"{output}: clusters are written as RDF; use .ttl or .nt")
    output_files.check_outputs(
        [output] if output else [],
        force=force,
        inputs=[source.data, selection.query],
    )
    api.selecting.check_rules(selection.scale, selection.missing)
    chosen = common.check_query(selection.query, source)
    vectors = common.selected(common.open_source(source), chosen, selection)
    click.echo(common.describe_selection(vectors), err=True)
    with common.clock("clustering"):
        made = api.clustering.cluster(
            vectors,
            k,
            **wanted,
        )
    if k is None:
        click.echo(
            f"{len(made)} clusters have the largest mean silhouette; -k takes another number",
            err=True,
        )
    common.notes(made.notes)
    click.echo(api.tables.dump_frame(api.clustering.cluster_table(made), "text"), nl=False)
    if output is not None:
        # Rendered before writing, so that a failure leaves no half-written file.
        rendered, told = api.sampling.rendered(made, [output], None)
        common.notes(told)
        output_files.write_outputs(rendered, force=force)
