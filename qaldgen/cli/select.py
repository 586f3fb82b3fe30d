"""``qaldgen select``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from qaldgen.cli import common, groups, output_files, sources
from qaldgen.cli.verb import verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Endpoint
    from qaldgen.selection.select import Data


@verb(epilog="Example: qaldgen select features.ttl -q listing-1.2 --dropped -o table.csv")
@sources.selection_options
@click.option(
    "-o", "--output", metavar="FILE", help="Output file: .csv or .jsonl; - is stdout (CSV)."
)
@click.option(
    "--scaled", is_flag=True, help="Write the normalised values instead of the selected ones."
)
@click.option(
    "--dropped", is_flag=True, help="Show how many questions each pattern of the query loses."
)
@groups.force_option
def command(
    source: str | Endpoint,
    query: str | None,
    scaling: str,
    missing: str,
    output: str | None,
    scaled: bool,
    dropped: bool,
    force: bool,
) -> None:
    """Select questions and features with a SPARQL query.

    Prints the table for sampling. DATA is RDF (Turtle, N-Triples, RDF/XML, JSON-LD, TriG; plain,
    .gz, .bz2, .zip), or a question set, whose features are computed on the way. In the query, ?qId
    or else the first variable is the question; every other variable is a feature.
    """
    from qaldgen.selection.dropped import find_losses
    from qaldgen.selection.select import opened, select
    from qaldgen.selection.vectors import check_rules

    # If the table goes to stdout, the report must not be mixed with it.
    report = output == "-"
    if output is not None and output != "-" and not output.lower().endswith((".csv", ".jsonl")):
        raise UsageError("unknown table format; use .csv or .jsonl", where=output)
    output_files.check_outputs(
        [output] if output else [], force=force, inputs=[sources.file_of(source), query]
    )
    data: Data = source
    if dropped:
        check_rules(scaling, missing)
        data, chosen = opened(source, query)
        lost = find_losses(data, chosen.text)
        click.echo(
            f"{lost.left:,} of {lost.pool:,} questions satisfy the patterns of {chosen.name}",
            err=report,
        )
        formats = dict.fromkeys(("having", "lost", "back"), ",d")
        click.echo(common.table(lost.to_frame(), formats), err=report)
        if lost.sentence() and lost.left:
            click.echo(lost.sentence(), err=report)
    vectors = select(data, query, scaling=scaling, missing=missing)
    common.notes(vectors.notes)
    click.echo(sources.describe_selection(vectors), err=report)
    click.echo(common.table(vectors.spread(), {"scaled_low": ".1%"}), err=report)
    common.tell(
        "scaled_low: questions in the lowest hundredth of the scaled range; near 100 % a feature"
        " tells few questions apart"
    )
    if output is not None:
        form = "jsonl" if output.lower().endswith(".jsonl") else "csv"
        output_files.write_output(output, vectors.dump(form, scaled=scaled), force=force)
