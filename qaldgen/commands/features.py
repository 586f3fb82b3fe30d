"""``qaldgen features``."""

from __future__ import annotations

import click

from qaldgen import api


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
    click.echo(api.annotating.describe_features(format_), nl=False)
