"""``qaldgen check``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import click

from qaldgen.commands import common
from qaldgen.commands.early_checks import check_any_form, check_files, check_sets

if TYPE_CHECKING:
    from qaldgen.stores.endpoint import Endpoint
    from qaldgen.stores.local import LocalStore


@click.command(epilog="Example: qaldgen check qald-9-train.json --kg graph.ttl --ignore text-untranslated")
@click.argument("files", nargs=-1)
@click.option(
    "--as", "kind", type=click.Choice(["questions", "run", "rdf"]), help="What the files are, where it is not recognised."
)
@click.option("--form", metavar="NAME", help="The form of the files, where it is not recognised.")
@click.option("--split-answers", default="", metavar="SEP", help="What separates several gold answers in one cell, beside |.")
@click.option("--lang", default="en", show_default=True, help="The language of texts that do not say theirs.")
@click.option("--gold", metavar="GOLD", help="The questions that FILES answer: a question set, or a name of 'qaldgen data list'.")
@click.option("--kg", metavar="FILE", help="A knowledge graph as RDF: is asked the gold queries, to compare the answers.")
@click.option("-e", "--endpoint", metavar="URL", help="A SPARQL endpoint instead of --kg.")
@click.option(
    "--timeout",
    default=60.0,
    show_default=True,
    type=common.SECONDS,
    metavar="SECONDS",
    help="Longest wait for one answer of an endpoint.",
)
@common.max_reply_option(256.0, "answer of an endpoint with all its pages")
@common.service_option
@click.option("--select", multiple=True, metavar="RULE", help="Look for this only; can be repeated.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Do not look for this; can be repeated.")
@click.option("--no-shacl", is_flag=True, help="Do not validate RDF by the shapes.")
@click.option("--rules", is_flag=True, help="List the rules, and end.")
@click.option("--all", "all_", is_flag=True, help="List every finding, not only the first of each rule.")
@click.option("--strict", is_flag=True, help="Warnings too make the exit status 1.")
@click.option(
    "--format", "format_", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True, help="How to print it."
)
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write what was found; - is stdout (default).")
@common.force_option
def command(
    files: tuple[str, ...], kind: str | None, form: str | None, split_answers: str, lang: str, gold: str | None, kg: str | None,
    endpoint: str | None, timeout: float, max_reply: float, allow_service: bool, select: tuple[str, ...],
    ignore: tuple[str, ...], no_shacl: bool, rules: bool, all_: bool, strict: bool, format_: str, output: str, force: bool,
) -> None:  # fmt: skip
    """Look for errors in question sets, in questions with features, in benchmarks and in runs.

    FILES are recognised by content; a name of 'qaldgen data list' is fetched. With --gold they are runs. The exit status is 1
    where an error was found, and 0 where there are none.
    """
    from qaldgen.checking.check import Options, check
    from qaldgen.checking.rules import chosen_rules, describe_rules
    from qaldgen.checking.show import show, summary
    from qaldgen.datasets.fetching import resolve
    from qaldgen.errors import UsageError
    from qaldgen.formats.reading import read_questions

    if rules:
        click.echo(describe_rules(), nl=False)
        return
    if not files:
        raise UsageError("name the files to check; --rules lists what is looked for")
    chosen = chosen_rules(select, ignore)
    check_any_form(form)
    check_sets(gold)
    check_files(kg)
    common.check_outputs([output], force=force, inputs=[*files, gold, kg])
    asked = read_questions(resolve(gold), language=lang, skip_broken=True) if gold else None
    wanted = kg or endpoint or allow_service
    opened = common.open_source(kg, endpoint, timeout, max_reply, allow_service=allow_service) if wanted else None
    source = cast("LocalStore | Endpoint | None", opened)
    options = Options(kind or "", form, lang, asked, source, chosen, not no_shacl, common.separator(split_answers))
    checked = [check(file, options, bar=common.progress_bar) for file in files]
    common.write_output(output, show(checked, format_, all_=all_), force=force)
    if len(files) > 1:
        click.echo(f"{len(files)} files: {summary(checked)}", err=True)
    bad = {"error", "warning"} if strict else {"error"}
    if any(finding.level in bad for one in checked for finding in one.findings):
        sys.exit(1)
