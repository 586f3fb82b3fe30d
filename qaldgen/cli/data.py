"""``qaldgen data``."""

from __future__ import annotations

from typing import Literal

import click

from qaldgen.cli.shared_options import shared
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, Verb
from qaldgen.options import Folder


class DataOptions:
    """Command-line options of `data`.

    Attributes
    ----------
    format
        Output format; json and csv include addresses, checksums and citations.
    cite
        Print the citation and licence of each set.
    output
        Folder, created if it does not exist.
    """

    format: Literal["text", "json", "csv"] = "text"
    cite: bool = False
    output: Folder = "examples"


@click.group(epilog="Example: qaldgen data fetch qald-9-train rubq-2.0-dev --cite")
def command() -> None:
    """List and download public question sets; write the example."""


@command.command(
    cls=Verb,
    name="list",
    short_help="Print the catalogue.",
    epilog="Example: qaldgen data list --format csv > sets.csv",
)
@options_of(DataOptions, "format")
def list_(call: Call) -> None:
    """Print the catalogue.

    Name, format, split, size, licence and languages of each question set.
    """
    from qaldgen.questions.catalog import format_catalogue

    click.echo(format_catalogue(call.format), nl=False)


@command.command(
    cls=Verb,
    name="fetch",
    short_help="Download question sets and print their paths.",
    epilog="Example: qaldgen data fetch lc-quad-1-test --cite",
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@options_of(DataOptions, "cite")
@options_of("qaldgen.questions.fetching:fetch", "timeout")
def fetch_(call: Call) -> None:
    """Download question sets and print the path of each.

    Its file, or its folder if it has several files.

    Sets that are in the cache and undamaged are not downloaded again. QALDGEN_CACHE sets the cache
    folder.
    """
    from qaldgen.questions import catalog
    from qaldgen.questions.fetching import fetch

    for name in call.names:
        catalog.find_entry(name)  # before any is fetched
    for name in call.names:
        click.echo(fetch(name, timeout=call.timeout))
        if call.cite:
            click.echo(catalog.format_citation(name), err=True)


@command.command(
    cls=Verb,
    name="example",
    short_help="Write the example that README reads.",
    epilog="Example: qaldgen data example -o examples",
)
@options_of(DataOptions, "output")
@shared("force")
def example(call: Call) -> None:
    """Write the example that README and the docs read, and print the paths of its files.

    245 questions over a small knowledge graph, 900 passages with questions in Polish, and training
    questions.
    """
    from qaldgen.questions.loading import write_example

    for path in write_example(call.output, force=call.force):
        click.echo(path)
