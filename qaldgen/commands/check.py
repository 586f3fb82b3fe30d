"""``qaldgen check``."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, cast

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.commands.listing import listed_option, listing_command
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.api.checking import Options


@dataclasses.dataclass(frozen=True)
class FileOptions:
    """What the files are, and which questions they answer."""

    kind: str | None
    form: str | None
    split_answers: str
    lang: str
    gold: str | None


@dataclasses.dataclass(frozen=True)
class RuleOptions:
    """What is looked for."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    no_shacl: bool
    rules: bool
    strict: bool


@dataclasses.dataclass(frozen=True)
class Shown:
    """How the findings are printed, and where."""

    all_: bool
    format_: str
    output: str
    force: bool


@listing_command(epilog="Example: qaldgen check qald-9-train.json --kg graph.ttl --ignore text-untranslated")
@click.argument("files", nargs=-1)
@groups.grouped(
    "of_files",
    FileOptions,
    click.option(
        "--as", "kind", type=click.Choice(["questions", "run", "rdf"]), help="What the files are, where it is not recognised."
    ),
    listed_option(
        "--form", table="formats", metavar="NAME", help="The format of question sets, or of runs, where it is not recognised."
    ),
    click.option("--split-answers", default="", metavar="SEP", help="What separates several gold answers in one cell, beside |."),
    click.option("--lang", default="en", show_default=True, help="The language of texts that do not say theirs."),
    click.option(
        "--gold", metavar="GOLD", help="The questions that FILES answer: a question set, or a name of 'qaldgen data list'."
    ),
)
@groups.source_options(
    click.option(
        "--kg", "data", metavar="FILE", help="A knowledge graph as RDF: is asked the gold queries, to compare the answers."
    ),
    "A SPARQL endpoint instead of --kg.",
)
@groups.grouped(
    "wanted",
    RuleOptions,
    click.option("--select", multiple=True, metavar="RULE", help="Look for this only; can be repeated."),
    click.option("--ignore", multiple=True, metavar="RULE", help="Do not look for this; can be repeated."),
    click.option("--no-shacl", is_flag=True, help="Do not validate RDF by the shapes."),
    click.option("--rules", is_flag=True, help="List the rules, and end."),
    click.option("--strict", is_flag=True, help="Warnings too make the exit status 1."),
)
@groups.grouped(
    "shown",
    Shown,
    click.option("--all", "all_", is_flag=True, help="List every finding, not only the first of each rule."),
    click.option(
        "--format",
        "format_",
        type=click.Choice(["text", "json", "csv"]),
        default="text",
        show_default=True,
        help="How to print it.",
    ),
    groups.output_option("Where to write what was found; - is stdout (default)."),
    groups.force_option,
)
def command(
    files: tuple[str, ...], of_files: FileOptions, source: groups.SourceOptions, wanted: RuleOptions, shown: Shown
) -> None:
    """Look for errors in question sets, in questions with features, in benchmarks and in runs.

    FILES are recognised by content; a name of 'qaldgen data list' is fetched. With --gold they are runs. The exit status is 1
    where an error was found, and 0 where there are none.
    """
    checking = api.checking
    if wanted.rules:
        click.echo(checking.describe_rules(), nl=False)
        return
    if not files:
        raise UsageError("name the files to check; --rules lists what is looked for")
    rules = checking.chosen_rules(wanted.select, wanted.ignore)
    api.checks.check_any_form(of_files.form)
    api.checks.check_sets(of_files.gold)
    api.checks.check_files(source.data)
    common.check_outputs([shown.output], force=shown.force, inputs=[*files, of_files.gold, source.data])
    options = dataclasses.replace(_options(of_files, source), rules=rules, shacl=not wanted.no_shacl)
    checked = [checking.check_file(file, options, bar=common.progress_bar) for file in files]
    common.write_output(shown.output, checking.show(checked, shown.format_, all_=shown.all_), force=shown.force)
    if len(files) > 1:
        click.echo(f"{len(files)} files: {checking.summary(checked)}", err=True)
    if checking.failed(checked, strict=wanted.strict):
        sys.exit(1)


def _options(of_files: FileOptions, source: groups.SourceOptions) -> Options:
    """Read the gold questions and open the knowledge graph, where there are some."""
    said = api.questions.Reading(skip_broken=True)
    asked = api.questions.read(of_files.gold, said, language=of_files.lang) if of_files.gold else None
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
