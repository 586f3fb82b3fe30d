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
    rules
        List all rules and exit.
    strict
        Exit with status 1 for warnings too.
    all
        List every finding, not only the first few of each rule.
    format
        Output format.
    """

    kg: Path | None = None
    no_shacl: bool = False
    rules: bool = False
    strict: bool = False
    all: bool = False
    format: Literal["text", "json", "csv"] = "text"


OWN = f"{__name__}:CheckOptions"
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
@source_options(options_of(OWN, "kg"))
@options_of(_CHECK, "journal", "select", "ignore")
@options_of(OWN, "no_shacl", "rules", "strict", "all", "format")
@shared("output", "force")
def command(call: Call) -> None:
    """Find errors in question sets, features, benchmarks and runs.

    FILES are recognised by content; names from 'qaldgen data list' are downloaded. With --gold,
    FILES are runs. The exit status is 1 if there are errors, otherwise 0.
    """
    from qaldgen.plugins.checking.lint import change_table, failed, show, summary
    from qaldgen.plugins.checking.rules import chosen_rules, describe_rules
    from qaldgen.questions.loading import load
    from qaldgen.selection.select import open_data

    source = source_of(call, call.kg)
    if call.rules:
        click.echo(with_flags(describe_rules()), nl=False)
        return
    if not call.files:
        raise UsageError("no files given; name the files to check, or list the rules with --rules")
    # Before the gold questions and the knowledge graph are read, which is done once for all files.
    chosen_rules(call.select, call.ignore)
    call.check(*call.files)
    # The gold questions only serve for comparison; problems in them are not reported here.
    asked, other = (
        load(name, language=call.lang, skip_broken=True) if name else None
        for name in (call.gold, call.against)
    )
    graph = None
    if source is not None:
        graph = open_data(source)
    more = {"gold": asked, "source": graph, "against": other, "shacl": not call.no_shacl}
    checked = [call.run(_CHECK, file, **more) for file in call.files]
    if call.format == "csv" and other is not None:
        call.write(change_table(checked))
    else:
        shown = show(checked, call.format, all_=call.all)
        call.write(with_flags(shown) if call.format == "text" else shown)
    if len(call.files) > 1:
        click.echo(f"{len(call.files)} files: {summary(checked)}", err=True)
    if failed(checked, strict=call.strict):
        sys.exit(1)
