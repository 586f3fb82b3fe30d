"""``qaldgen check``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli import groups, output_files, sources
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Endpoint

_CHECK = "qaldgen.checking.check:check"


@verb(epilog="Example: qaldgen check qald-9-train.json --kg graph.ttl --ignore text-untranslated")
@click.argument("files", nargs=-1)
@options_of(
    _CHECK,
    "kind",
    "format",
    "separator",
    "language",
    called={"kind": "as", "format": "form", "separator": "split-answers"},
)
@click.option(
    "--gold",
    metavar="GOLD",
    help="Questions that FILES answer: a question set, or a name from 'qaldgen data list'.",
)
@click.option(
    "--against",
    metavar="OTHER",
    help="Another edition of the gold in FILES: report what differs, --format csv by question.",
)
@sources.source_options(
    click.option(
        "--kg",
        "data",
        metavar="FILE",
        help="RDF file of the knowledge graph; executes the gold queries and compares the answers.",
    ),
    "Query a SPARQL endpoint instead of --kg.",
)
@options_of(_CHECK, "journal", "select", "ignore")
@click.option("--no-shacl", is_flag=True, help="Skip validation of RDF with SHACL.")
@click.option("--rules", is_flag=True, help="List all rules and exit.")
@click.option("--strict", is_flag=True, help="Exit with status 1 for warnings too.")
@click.option(
    "--all",
    "all_",
    is_flag=True,
    help="List every finding, not only the first few of each rule.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@groups.output_option("Output file; - is stdout (default).")
@groups.force_option
def command(
    files: tuple[str, ...],
    gold: str | None,
    against: str | None,
    source: str | Endpoint | None,
    no_shacl: bool,
    rules: bool,
    strict: bool,
    all_: bool,
    form: str,
    output: str,
    force: bool,
    **how: Any,  # noqa: ANN401 - what the signature of check says
) -> None:
    """Find errors in question sets, features, benchmarks and runs.

    FILES are recognised by content; names from 'qaldgen data list' are downloaded. With --gold,
    FILES are runs. The exit status is 1 if there are errors, otherwise 0.
    """
    from qaldgen.checking.check import change_table, check, check_format, failed, show, summary
    from qaldgen.checking.rules import chosen_rules, describe_rules
    from qaldgen.datasets.fetching import find_source
    from qaldgen.datasets.loading import load
    from qaldgen.io.files import check_files
    from qaldgen.selection.select import open_data

    if rules:
        click.echo(describe_rules(), nl=False)
        return
    if not files:
        raise UsageError("no files given; name the files to check, or list the rules with --rules")
    # Before the gold questions and the knowledge graph are read, which is done once for all files.
    chosen_rules(how["select"], how["ignore"])
    check_format(how["format"])
    for name in filter(None, (gold, against)):
        find_source(name)
    data = sources.file_of(source)
    check_files(data)
    output_files.check_outputs([output], force=force, inputs=[*files, gold, against, data])
    # The gold questions only serve for comparison; problems in them are not reported here.
    asked = load(gold, language=how["language"], skip_broken=True) if gold else None
    other = load(against, language=how["language"], skip_broken=True) if against else None
    graph = None if source is None else open_data(source)
    how["separator"] = groups.separator(how["separator"])
    checked = [
        check(file, gold=asked, source=graph, against=other, shacl=not no_shacl, **how)
        for file in files
    ]
    table = form == "csv" and other is not None
    made = change_table(checked) if table else show(checked, form, all_=all_)
    output_files.write_output(output, made, force=force)
    if len(files) > 1:
        click.echo(f"{len(files)} files: {summary(checked)}", err=True)
    if failed(checked, strict=strict):
        sys.exit(1)
