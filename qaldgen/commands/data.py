"""``qaldgen data``."""

from __future__ import annotations

import click

from qaldgen.commands import common


@click.group(epilog="Example: qaldgen data fetch qald-9-train rubq-2.0-dev --cite")
def command() -> None:
    """Show and fetch public question sets by name; those fetched are checked, and kept in a cache."""


@command.command("list", short_help="Print the catalogue.", epilog="Example: qaldgen data list --format csv > sets.csv")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
    help="How to print it; json and csv have addresses, checksums and citations too.",
)
def list_(format_: str) -> None:
    """Print the catalogue: name, form, split, size, licence and languages of each question set."""
    from qaldgen.datasets.catalog import describe

    click.echo(describe(format_), nl=False)


@command.command(
    "fetch",
    short_help="Fetch question sets, and print where they are.",
    epilog="Example: qaldgen data fetch lc-quad-1-test --cite",
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--cite", is_flag=True, help="Say how to cite each set, and its licence.")
@click.option(
    "--timeout",
    default=30.0,
    show_default=True,
    type=common.SECONDS,
    metavar="SECONDS",
    help="Longest wait for an answer, or for its next bytes.",
)
def fetch(names: tuple[str, ...], cite: bool, timeout: float) -> None:
    """Fetch question sets, and print where each is: its file, or its folder if it has several files.

    What is in the cache and undamaged is not fetched again. QALDGEN_CACHE names another folder for the cache.
    """
    from qaldgen.datasets import catalog, fetching

    for entry in [catalog.find(name) for name in names]:
        with common.progress_bar(f"fetching {entry.name}", entry.size or 0) as bar:
            path = fetching.fetch(entry.name, timeout=timeout, progress=bar.update)
        click.echo(path)
        if cite:
            click.echo(f"{entry.name}: {entry.citation}. Licence: {entry.licence} (github.com/{entry.repository})", err=True)
