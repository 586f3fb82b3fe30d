"""``qaldgen features``."""

from __future__ import annotations

import click


@click.command(epilog="Example: qaldgen features --format markdown > features.md")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "markdown", "csv", "turtle", "shapes"]),
    default="text",
    show_default=True,
    help="How to print it.",
)
def command(format_: str) -> None:
    """Print the catalogue of features: name, type, source (T text, S query, A answers, M the data set) and definition."""
    from qaldgen.features.describe import describe

    click.echo(describe(format_), nl=False)
