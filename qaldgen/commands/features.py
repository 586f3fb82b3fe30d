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
    help="Output format.",
)
def command(format_: str) -> None:
    """Print the feature catalogue: name, type, source (T text, S query, A answers, M metadata) and definition."""
    click.echo(api.annotating.describe_features(format_), nl=False)
