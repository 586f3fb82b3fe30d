"""``qaldgen select``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.verb import verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.api.selecting import DataSource, Query


@dataclasses.dataclass(frozen=True)
class Table:
    """What is written and shown of the selection."""

    output: str | None
    scaled: bool
    dropped: bool
    force: bool

    def form(self) -> str:
        """Return the format of the output file."""
        return (
            "jsonl" if self.output is not None and self.output.lower().endswith(".jsonl") else "csv"
        )


@verb(epilog="Example: qaldgen select features.ttl -q listing-1.2 --dropped -o table.csv")
@groups.selection_options
@groups.grouped(
    "table",
    Table,
    click.option(
        "-o", "--output", metavar="FILE", help="Output file: .csv or .jsonl; - is stdout (CSV)."
    ),
    click.option(
        "--scaled", is_flag=True, help="Write the normalised values instead of the selected ones."
    ),
    click.option(
        "--dropped", is_flag=True, help="Show how many questions each pattern of the query loses."
    ),
    groups.force_option,
)
def command(source: groups.SourceOptions, selection: groups.SelectionOptions, table: Table) -> None:
    """Select questions and features with a SPARQL query, and show the table for sampling.

    DATA is RDF (Turtle, N-Triples, RDF/XML, JSON-LD, TriG; plain, .gz, .bz2, .zip). In the query,
    ?qId or else the first variable is the question; every other variable is a feature.
    """
    # If the table goes to stdout, the report must not be mixed with it.
    output, report = table.output, table.output == "-"
    if output is not None and output != "-" and not output.lower().endswith((".csv", ".jsonl")):
        raise UsageError("unknown table format; use .csv or .jsonl", where=output)
    output_files.check_outputs(
        [output] if output else [], force=table.force, inputs=[source.data, selection.query]
    )
    api.selecting.check_rules(selection.scale, selection.missing)
    chosen = common.check_query(selection.query, source)
    opened = common.open_source(source)
    if table.dropped:
        _show_losses(opened, chosen, report=report)
    vectors = common.selected(opened, chosen, selection)
    click.echo(common.describe_selection(vectors), err=report)
    click.echo(common.table(vectors.spread(), {"scaled_low": ".1%"}), err=report)
    common.tell(
        "scaled_low: questions in the lowest hundredth of the scaled range; near 100 % a feature"
        " tells few questions apart"
    )
    if output is not None:
        dumped = api.selecting.dump_vectors(vectors, table.form(), scaled=table.scaled)
        output_files.write_output(output, dumped, force=table.force)


def _show_losses(source: DataSource, query: Query | None, *, report: bool) -> None:
    """Print how many questions each pattern loses."""
    losses, asked = api.selecting.losses(source, query)
    click.echo(
        f"{losses.left:,} of {losses.pool:,} questions satisfy the patterns of {asked.name}",
        err=report,
    )
    click.echo(
        common.table(losses.to_frame(), dict.fromkeys(("having", "lost", "back"), ",d")), err=report
    )
    if losses.sentence() and losses.left:
        click.echo(losses.sentence(), err=report)
