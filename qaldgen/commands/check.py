"""``qaldgen check``."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, cast

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.verb import listed_option, verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.api.checking import Options


@dataclasses.dataclass(frozen=True)
class FileOptions:
    """What the files contain, and which questions they answer."""

    kind: str | None
    form: str | None
    split_answers: str
    lang: str
    gold: str | None


@dataclasses.dataclass(frozen=True)
class RuleOptions:
    """Which rules are checked."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    no_shacl: bool
    rules: bool
    strict: bool


@dataclasses.dataclass(frozen=True)
class Shown:
    """How and where findings are printed."""

    all_: bool
    format_: str
    output: str
    force: bool


@verb(epilog="Example: qaldgen check qald-9-train.json --kg graph.ttl --ignore text-untranslated")
@click.argument("files", nargs=-1)
@groups.grouped(
    "of_files",
    FileOptions,
    click.option(
        "--as",
        "kind",
        type=click.Choice(["questions", "run", "rdf"]),
        help="What the files contain, if it is not detected.",
    ),
    listed_option(
        "--form",
        table="formats",
        metavar="NAME",
        help="Format of question sets or runs, if it is not recognised.",
    ),
    click.option(
        "--split-answers",
        default="",
        metavar="SEP",
        help="Separator of several gold answers in one cell, in addition to |.",
    ),
    click.option(
        "--lang", default="en", show_default=True, help="Language of texts without a language tag."
    ),
    click.option(
        "--gold",
        metavar="GOLD",
        help="Questions that FILES answer: a question set, or a name from 'qaldgen data list'.",
    ),
)
@groups.source_options(
    click.option(
        "--kg",
        "data",
        metavar="FILE",
        help="RDF file of the knowledge graph; executes the gold queries and compares the answers.",
    ),
    "Query a SPARQL endpoint instead of --kg.",
)
@groups.grouped(
    "wanted",
    RuleOptions,
    click.option(
        "--select", multiple=True, metavar="RULE", help="Check only this rule. Repeatable."
    ),
    click.option("--ignore", multiple=True, metavar="RULE", help="Ignore this rule. Repeatable."),
    click.option("--no-shacl", is_flag=True, help="Skip validation of RDF with SHACL."),
    click.option("--rules", is_flag=True, help="List all rules and exit."),
    click.option("--strict", is_flag=True, help="Exit with status 1 for warnings too."),
)
@groups.grouped(
    "shown",
    Shown,
    click.option(
        "--all",
        "all_",
        is_flag=True,
        help="List every finding, not only the first few of each rule.",
    ),
    click.option(
        "--format",
        "format_",
        type=click.Choice(["text", "json", "csv"]),
        default="text",
        show_default=True,
        help="Output format.",
    ),
    groups.output_option("Output file; - is stdout (default)."),
    groups.force_option,
)
def command(
    files: tuple[str, ...],
    of_files: FileOptions,
    source: groups.SourceOptions,
    wanted: RuleOptions,
    shown: Shown,
) -> None:
    """Find errors in question sets, question features, benchmarks and runs.

    FILES are recognised by content; names from 'qaldgen data list' are downloaded. With --gold,
    FILES are runs. The exit status is 1 if there are errors, otherwise 0.
    """
    checking = api.checking
    if wanted.rules:
        click.echo(checking.describe_rules(), nl=False)
        return
    if not files:
        raise UsageError("no files given; name the files to check, or list the rules with --rules")
    rules = checking.chosen_rules(wanted.select, wanted.ignore)
    api.checks.check_any_form(of_files.form)
    api.checks.check_sets(of_files.gold)
    api.checks.check_files(source.data)
    output_files.check_outputs(
        [shown.output], force=shown.force, inputs=[*files, of_files.gold, source.data]
    )
    options = dataclasses.replace(
        _options(of_files, source), rules=rules, shacl=not wanted.no_shacl
    )
    checked = [checking.check_file(file, options, bar=common.progress_bar) for file in files]
    output_files.write_output(
        shown.output, checking.show(checked, shown.format_, all_=shown.all_), force=shown.force
    )
    if len(files) > 1:
        click.echo(f"{len(files)} files: {checking.summary(checked)}", err=True)
    if checking.failed(checked, strict=wanted.strict):
        sys.exit(1)


def _options(of_files: FileOptions, source: groups.SourceOptions) -> Options:
    """Read the gold questions and open the knowledge graph, if they are given."""
    # The gold questions only serve for comparison; problems in them are not reported here.
    said = api.questions.Reading(skip_broken=True)
    asked = (
        api.questions.read(of_files.gold, said, language=of_files.lang) if of_files.gold else None
    )
    # --allow-service alone is an error, which `open_source` reports.
    wanted = source.data or source.endpoint or source.allow_service
    opened = common.open_source(source) if wanted else None
    return api.checking.Options(
        kind=of_files.kind or "",
        format=of_files.form,
        language=of_files.lang,
        gold=asked,
        source=cast("api.checking.Graph | None", opened),
        separator=groups.separator(of_files.split_answers),
    )
