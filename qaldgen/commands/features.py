"""``qaldgen features``."""

from __future__ import annotations

import click

from qaldgen import api
from qaldgen.errors import UsageError


@click.command(epilog="Example: qaldgen features NNS questions.json")
@click.argument("name", required=False)
@click.argument("data", required=False)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "markdown", "csv", "turtle", "shapes"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option("--lang", default="en", show_default=True, help="Language of the questions in DATA.")
def command(name: str | None, data: str | None, format_: str, lang: str) -> None:
    """Print the feature catalogue, or explain feature NAME with examples from DATA.

    Columns: name, label, type, source (T text, S query, A answers, M metadata) and definition.
    """
    if name is None:
        click.echo(api.annotating.describe_features(format_), nl=False)
        return
    if format_ != "text":
        raise UsageError(f"--format {format_} prints the whole catalogue; leave out {name}")
    api.checks.check_feature(name)
    api.checks.check_sets(data)
    click.echo(api.annotating.explain_feature(name), nl=False)
    if data is not None:
        click.echo()
        click.echo(
            api.tables.dump_frame(
                api.annotating.feature_examples(name, data, language=lang), "text"
            ),
            nl=False,
        )
