"""``qaldgen check``."""

from __future__ import annotations

import sys

import click

from qaldgen.cli.signatures import options_of
from qaldgen.cli.sources import source_of, source_options
from qaldgen.cli.verb import Call, file_option, flag, force_option, output_option, verb
from qaldgen.errors import UsageError


@verb(epilog="Example: qaldgen check qald-9-train.json --kg graph.ttl --ignore text-untranslated")
@click.argument("files", nargs=-1)
@options_of(
    "check",
    "kind",
    "format",
    "separator",
    "language",
    "gold",
    "against",
    called={"kind": "as", "format": "form"},
)
@source_options(
    file_option(
        "--kg",
        help="RDF file of the knowledge graph; executes the gold queries and compares the answers.",
    ),
    "Query a SPARQL endpoint instead of --kg.",
)
@options_of("check", "journal", "select", "ignore")
@flag("--no-shacl", help="Skip validation of RDF with SHACL.")
@flag("--rules", help="List all rules and exit.")
@flag("--strict", help="Exit with status 1 for warnings too.")
@flag("--all", help="List every finding, not only the first few of each rule.")
@click.option(
    "--format",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@output_option()
@force_option
def command(call: Call) -> None:
    """Find errors in question sets, features, benchmarks and runs.

    FILES are recognised by content; names from 'qaldgen data list' are downloaded. With --gold,
    FILES are runs. The exit status is 1 if there are errors, otherwise 0.
    """
    from qaldgen.checking.check import change_table, failed, show, summary
    from qaldgen.checking.rules import chosen_rules, describe_rules
    from qaldgen.datasets.loading import load
    from qaldgen.selection.select import open_data

    source = source_of(call, call.kg)
    if call.rules:
        click.echo(describe_rules(), nl=False)
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
    graph = None if source is None else open_data(source)
    more = {"gold": asked, "source": graph, "against": other, "shacl": not call.no_shacl}
    checked = [call.run("check", file, **more) for file in call.files]
    if call.format == "csv" and other is not None:
        call.write(change_table(checked))
    else:
        call.write(show(checked, call.format, all_=call.all))
    if len(call.files) > 1:
        click.echo(f"{len(call.files)} files: {summary(checked)}", err=True)
    if failed(checked, strict=call.strict):
        sys.exit(1)
