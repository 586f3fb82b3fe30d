"""``qaldgen select``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from qaldgen.cli.printing import format_table, print_line, print_notes
from qaldgen.cli.shared_options import as_data, file_of, required_source, selection_options, shared
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, verb
from qaldgen.errors import UsageError
from qaldgen.options import OutputPath

if TYPE_CHECKING:
    from qaldgen.selection.select import Data


class SelectOptions:
    """Command-line options of `select`.

    Attributes
    ----------
    output
        Output file: .csv or .jsonl; - is stdout (CSV).
    scaled
        Write the normalised values instead of the selected ones.
    dropped
        Show how many questions each pattern of the query loses.
    """

    output: OutputPath | None = None
    scaled: bool = False
    dropped: bool = False


@verb(epilog="Example: qaldgen select features.ttl -q listing-1.2 --dropped -o table.csv")
@selection_options
@options_of(SelectOptions)
@shared("force")
def command(call: Call) -> None:
    """Select questions and features with a SPARQL query.

    Prints the table for sampling. DATA is RDF (Turtle, N-Triples, RDF/XML, JSON-LD, TriG; plain,
    .gz, .bz2, .zip), or a question set, whose features are computed on the way. In the query, ?qId
    or else the first variable is the question; every other variable is a feature.
    """
    from qaldgen.selection.dropped import find_losses
    from qaldgen.selection.select import open_with_query, select
    from qaldgen.selection.vectors import check_rules

    source = required_source(call)

    # If the table goes to stdout, the report must not be mixed with it.
    to_stderr = call.output == "-"
    if to_stderr or call.output is None:
        table_format = "csv"
    else:
        table_format = call.output.lower().rpartition(".")[2]
    if table_format not in {"csv", "jsonl"}:
        raise UsageError("unknown table format; use .csv or .jsonl", where=call.output)

    call.check(file_of(source))
    data: Data = as_data(call, source)

    if call.dropped:
        check_rules(call.scale, call.missing)
        data, query = open_with_query(data, call.query, call.where)
        losses = find_losses(data, query.text)
        click.echo(
            f"{losses.left:,} of {losses.pool:,} questions satisfy the patterns of {query.name}",
            err=to_stderr,
        )
        formatters = dict.fromkeys(["having", "lost", "back"], "{:,d}".format)
        click.echo(format_table(losses.to_frame(), formatters), err=to_stderr)
        if losses.sentence() and losses.left:
            click.echo(losses.sentence(), err=to_stderr)

    vectors = select(data, **call.of("select"))
    print_notes(vectors.notes)
    click.echo(str(vectors), err=to_stderr)
    click.echo(format_table(vectors.spread(), {"scaled_low": "{:.1%}".format}), err=to_stderr)
    print_line(
        "scaled_low: questions in the lowest hundredth of the scaled range; near 100 % a feature"
        " tells few questions apart"
    )

    if call.output is not None:
        call.write(vectors.dump(table_format, scaled=call.scaled))
