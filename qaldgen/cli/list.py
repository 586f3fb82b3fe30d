"""``qaldgen list``."""

from __future__ import annotations

import shutil
import sys
from typing import Literal

import click

from qaldgen.cli.listed_tables import table_lines, tables
from qaldgen.cli.printing import with_flags
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, verb
from qaldgen.errors import UsageError

_FEATURES = "features"
_EXAMPLES = "qaldgen.analysis.feature_table:feature_examples"
_TEXT = "text"


class ListOptions:
    """Command-line options of `list`.

    Attributes
    ----------
    format
        Output format of the features.
    """

    format: Literal["text", "markdown", "csv", "turtle", "shapes"] = "text"


@verb(epilog="Example: qaldgen list matchers")
@click.argument("table", required=False)
@click.argument("name", required=False)
@click.argument("data", required=False)
@options_of(ListOptions)
@options_of(_EXAMPLES, "language")
def command(call: Call) -> None:
    """List what can be chosen by name, such as matchers and measures.

    Prints the tables, the rows of TABLE, or row NAME of it. Rows of other packages are listed too.
    The table 'features' is the catalogue; with NAME it explains a feature, with examples from DATA.
    Its columns: name, label, type, source (T text, S query, A answers, M metadata) and definition.
    """
    table = call.table
    if table == _FEATURES:
        _print_features(call)
        return
    if call.format != _TEXT or call.data is not None:
        raise UsageError("--format and DATA are for 'qaldgen list features'; remove them")
    all_tables = [*tables(), _FEATURES]
    if table is None:
        click.echo("\n".join(sorted(all_tables)))
        return
    from qaldgen.io.arguments import check_choice

    check_choice("TABLE", table, all_tables)
    rows = table_lines(table)
    if call.name is not None:
        check_choice("NAME", call.name, rows)
        rows = {call.name: rows[call.name]}
    # wrapped on a terminal, one a line elsewhere
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000
    formatter = click.HelpFormatter(width=width, max_width=width)
    formatter.write_dl([(row, with_flags(text)) for row, text in rows.items()], col_max=24)
    click.echo("\n".join(text.removeprefix("  ") for text in formatter.getvalue().splitlines()))


def _print_features(call: Call) -> None:
    """Print the catalogue of features, or the feature NAME with examples from DATA."""
    from qaldgen.features.vocabulary import catalogue_text, feature_text

    name = call.name
    if name is None:
        click.echo(catalogue_text(call.format), nl=False)
        return
    if call.format != _TEXT:
        raise UsageError(f"--format {call.format} prints the whole catalogue; leave out {name}")
    text = feature_text(name)
    if call.data is None:
        click.echo(text, nl=False)
        return
    from qaldgen.analysis.feature_table import feature_examples
    from qaldgen.questions.fetching import find_source
    from qaldgen.reports.tables.results import dump_frame

    find_source(call.data)
    click.echo(text)
    examples = feature_examples(name, call.data, language=call.lang)
    click.echo(dump_frame(examples, "text"), nl=False)
