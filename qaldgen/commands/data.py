"""``qaldgen data``."""

from __future__ import annotations

import click

from qaldgen import api
from qaldgen.commands import common, groups


@click.group(epilog="Example: qaldgen data fetch qald-9-train rubq-2.0-dev --cite")
def command() -> None:
    """List and download public question sets, verified and cached; write the example."""


@command.command(
    "list",
    short_help="Print the catalogue.",
    epilog="Example: qaldgen data list --format csv > sets.csv",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
    help="Output format; json and csv include addresses, checksums and citations.",
)
def list_(format_: str) -> None:
    """Print the catalogue.

    Name, format, split, size, licence and languages of each question set.
    """
    click.echo(api.questions.catalogue(format_), nl=False)


@command.command(
    "fetch",
    short_help="Download question sets and print their paths.",
    epilog="Example: qaldgen data fetch lc-quad-1-test --cite",
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--cite", is_flag=True, help="Print the citation and licence of each set.")
@click.option(
    "--timeout",
    default=30.0,
    show_default=True,
    type=groups.SECONDS,
    metavar="SECONDS",
    help="Time limit for a response, and for each further piece of it.",
)
def fetch(names: tuple[str, ...], cite: bool, timeout: float) -> None:
    """Download question sets and print the path of each.

    Its file, or its folder if it has several files.

    Sets that are in the cache and undamaged are not downloaded again. QALDGEN_CACHE sets the cache
    folder.
    """
    for name, size in [(name, api.questions.size_of(name)) for name in names]:
        with common.progress_bar(f"fetching {name}", size) as bar:
            path = api.questions.fetch(name, timeout=timeout, progress=bar.update)
        click.echo(path)
        if cite:
            click.echo(api.questions.cite(name), err=True)


@command.command(
    "example",
    short_help="Write the example that README reads.",
    epilog="Example: qaldgen data example -o examples",
)
@click.option(
    "-o",
    "--output",
    default="examples",
    show_default=True,
    type=click.Path(),
    metavar="DIR",
    help="Folder, created if it does not exist.",
)
@groups.force_option
def example(output: str, force: bool) -> None:
    """Write the example that README and the docs read, and print the paths of its files.

    245 questions over a small knowledge graph, 900 passages with questions in Polish, and training
    questions.
    """
    for path in api.questions.write_example(output, force=force):
        click.echo(path)
