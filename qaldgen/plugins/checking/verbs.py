"""``qaldgen check``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click

from qaldgen.cli.printing import with_flags
from qaldgen.cli.shared_options import shared, source_of, source_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, verb
from qaldgen.errors import UsageError


class CheckOptions:
    """Command-line options of `check`.

    Attributes
    ----------
    kg
        RDF file of the knowledge graph; executes the gold queries and compares the answers.
    no_shacl
        Skip validation of RDF with SHACL.
    strict
        Exit with status 1 for warnings too.
    all
        List every finding, not only the first few of each rule.
    format
        Output format.
    """

    kg: Path | None = None
    no_shacl: bool = False
    strict: bool = False
    all: bool = False
    format: Literal["text", "json", "csv"] = "text"


_CHECK = "qaldgen.plugins.checking.lint:check"


@verb(epilog="Example: qaldgen check qald-9-train.json --kg graph.ttl --ignore text-untranslated")
@click.argument("files", nargs=-1)
@options_of(
    _CHECK,
    "kind",
    "format",
    "split_answers",
    "text_property",
    "language",
    "gold",
    "against",
    called={"kind": "as", "format": "form"},
)
@source_options(options_of(CheckOptions, "kg"))
@options_of(_CHECK, "journal", "select", "ignore")
@options_of(CheckOptions, "no_shacl", "strict", "all", "format")
@shared("output", "force")
def command(call: Call) -> None:
    """Find errors in question sets, features, benchmarks and runs.

    FILES are recognised by content; names from 'qaldgen data list' are downloaded. With --gold,
    FILES are runs. The exit status is 1 if there are errors, otherwise 0.
    """
    from qaldgen.plugins.checking.findings_report import change_table, format_findings, summary
    from qaldgen.plugins.checking.lint import check, has_errors
    from qaldgen.plugins.checking.lint_rules import chosen_rules
    from qaldgen.questions.loading import load
    from qaldgen.selection.select import open_data

    source = source_of(call, call.kg)
    if not call.files:
        raise UsageError("no files given; name the files to check")
    # unknown rules are refused before anything is read
    chosen_rules(call.select, call.ignore)
    call.check(*call.files)

    # read once for all files
    gold = load(call.gold, language=call.lang, skip_broken=True) if call.gold else None
    graph = open_data(source) if source is not None else None
    other_edition = None
    if call.against:
        other_edition = load(call.against, language=call.lang, skip_broken=True)
    inputs = {"gold": gold, "source": graph, "against": other_edition}
    options = call.of(_CHECK) | inputs

    checked = [check(file, **options, shacl=not call.no_shacl) for file in call.files]
    if call.format == "csv" and other_edition is not None:
        text = change_table(checked)
    else:
        text = format_findings(checked, call.format, all_=call.all)
    if call.format == "text":
        text = with_flags(text)
    call.write(text)

    if len(call.files) > 1:
        click.echo(f"{len(call.files)} files: {summary(checked)}", err=True)
    if has_errors(checked, strict=call.strict):
        sys.exit(1)
