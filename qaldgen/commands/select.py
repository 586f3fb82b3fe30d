"""``qaldgen select``."""

from __future__ import annotations

import click

from qaldgen.commands import common
from qaldgen.errors import UsageError


@click.command(epilog="Example: qaldgen select features.ttl -q listing-1.2 --dropped -o table.csv")
@common.selection_options
@click.option("-o", "--output", metavar="FILE", help="Write the table: .csv or .jsonl, - is stdout (CSV).")
@click.option("--scaled", is_flag=True, help="Write the normalised values instead of those selected.")
@click.option("--dropped", is_flag=True, help="Show which pattern of the query loses how many questions.")
@common.force_option
def command(
    data: str | None,
    endpoint: str | None,
    query: str | None,
    scale: str,
    missing: str,
    timeout: float,
    max_reply: float,
    allow_service: bool,
    output: str | None,
    scaled: bool,
    dropped: bool,
    force: bool,
) -> None:
    """Show the table behind a sample: questions and features, as a SPARQL query selects them.

    DATA is RDF (Turtle, N-Triples, RDF/XML, JSON-LD, TriG; plain, .gz, .bz2, .zip). In the query ?qId, or else the first
    variable, is the question; every other variable is a feature.
    """
    from qaldgen.formats.plain_write import dump_records
    from qaldgen.selection.columns import file_columns
    from qaldgen.selection.vectors import check_rules

    if output is not None and output != "-" and not output.lower().endswith((".csv", ".jsonl")):
        raise UsageError(f"{output}: the ending names no form; use .csv or .jsonl")
    common.check_outputs([output] if output else [], force=force, inputs=[data, query])
    check_rules(scale, missing)
    chosen = common.check_query(query, endpoint)
    source = common.open_source(data, endpoint, timeout, max_reply, allow_service=allow_service)
    report = output == "-"
    if dropped:
        from qaldgen.selection.dropped import find_losses
        from qaldgen.selection.select import usual_query

        asked = chosen or usual_query(source)
        losses = find_losses(source, asked.text)
        click.echo(f"{losses.left:,} of {losses.pool:,} questions satisfy the patterns of {asked.name}", err=report)
        click.echo(common.table(losses.to_frame(), dict.fromkeys(("having", "lost", "back"), ",d")), err=report)
        if losses.sentence() and losses.left:
            click.echo(losses.sentence(), err=report)
    vectors = common.selected(source, chosen, scale, missing)
    click.echo(common.describe_selection(vectors), err=report)
    click.echo(common.table(vectors.spread(), {"scaled_low": ".1%"}), err=report)
    if output is not None:
        form = "jsonl" if output.lower().endswith(".jsonl") else "csv"
        names, values = file_columns(vectors.features), (vectors.matrix if scaled else vectors.raw).tolist()
        rows = ({"iri": iri, **dict(zip(names, row, strict=True))} for iri, row in zip(vectors.ids, values, strict=True))
        common.write_output(output, dump_records(rows, form), force=force)
