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
    query: str,
    scale: str,
    missing: str,
    timeout: float,
    output: str | None,
    scaled: bool,
    dropped: bool,
    force: bool,
) -> None:
    """Show the table behind a sample: questions and features, as a SPARQL query selects them.

    DATA is RDF (Turtle, N-Triples, RDF/XML, JSON-LD, TriG; plain, .gz, .bz2, .zip). In the query ?qId, or else the first
    variable, is the question; every other variable is a feature.
    """
    from qaldgen.queries import read_query
    from qaldgen.selection import select

    if output is not None and output != "-" and not output.endswith((".csv", ".jsonl")):
        raise UsageError(f"{output}: the ending names no form; use .csv or .jsonl")
    common.check_outputs([output] if output else [], force=force)
    chosen = read_query(query)
    source = common.open_source(data, endpoint, timeout)
    report = output == "-"
    if dropped:
        from qaldgen.dropped import find_losses

        losses = find_losses(source, chosen.text)
        click.echo(f"{losses.left:,} of {losses.pool:,} questions satisfy {chosen.name}", err=report)
        click.echo(common.table(losses.to_frame(), dict.fromkeys(("having", "lost", "back"), ",d")), err=report)
        click.echo(losses.sentence(), err=report)
    vectors = select(source, chosen, scaling=scale, missing=missing)
    common.notes(vectors.notes)
    click.echo(common.describe_selection(vectors), err=report)
    click.echo(common.table(vectors.spread(), {"scaled_low": ".1%"}), err=report)
    if output is not None:
        frame = vectors.to_frame(scaled=scaled)
        if output.endswith(".jsonl"):
            text = frame.reset_index().to_json(orient="records", lines=True, force_ascii=False, double_precision=15)
        else:
            text = frame.to_csv(lineterminator="\n")
        common.write_output(output, text.encode("utf-8"))
