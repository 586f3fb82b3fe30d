"""``qaldgen describe``."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from qaldgen.cli import checks, common, groups, output_files, set_tables, sources
from qaldgen.cli.verb import verb
from qaldgen.errors import UsageError
from qaldgen.io.files import stream_number

if TYPE_CHECKING:
    from qaldgen import Description, Endpoint
    from qaldgen.formats.reading import Reading


@verb(rows={"table": set_tables.SET_TABLES}, epilog="Example: qaldgen describe features.ttl")
@sources.source_options(
    click.argument("data", required=False), "A SPARQL endpoint instead of DATA."
)
@click.argument("more", nargs=-1, metavar="[DATA]...")
@set_tables.table_options()
@click.option("--verbose", is_flag=True, help="List all properties, with their technical names.")
@groups.table_options()
def command(
    source: str | Endpoint | None, more: tuple[str, ...], tables: set_tables.TableOptions,
    reading: Reading, verbose: bool, out: groups.Output,
) -> None:  # fmt: skip
    """Describe the contents of a question file.

    Prints its properties, data sets, languages, and the ready-made queries that fit.

    DATA is RDF, a question set in any format that 'annotate' reads, or the name of a public set.
    Several question sets are compared in a table, see --table.
    """
    checks.check_table_form(out.form)
    data = sources.file_of(source)
    names = [data, *more] if data is not None else []
    output_files.check_outputs([out.output], force=out.force, inputs=names)
    wanted = tables.table is not None or len(names) > 1
    tables.check(wanted=wanted)
    if tables.printed is not None:
        if source is not None or wanted:
            raise UsageError(
                "--printed needs only its numbers; leave out DATA and the other options"
            )
        set_tables.tell_denominators(tables.printed, out)
    elif wanted:
        if not names or verbose:
            raise UsageError(
                "tables are made from question sets; name them, and "
                "leave out --endpoint and --verbose"
            )
        set_tables.describe_sets(names, tables, reading, out)
    else:
        if source is None:
            raise UsageError("choose one data source: either a file, or an endpoint with -e URL")
        _describe(source, verbose, out)


def _describe(source: str | Endpoint, verbose: bool, out: groups.Output) -> None:
    """Write what a file holds."""
    from qaldgen.reports.tables.results import dump_frame
    from qaldgen.selection.description import describe

    found = describe(source)
    common.notes(found.notes)
    if out.form != "text":
        output_files.write_output(
            out.output,
            dump_frame(found.properties.reset_index(), out.form),
            force=out.force,
        )
        return
    name = sources.file_of(source) or found.name
    output_files.write_output(out.output, _for_people(found, name, verbose), force=out.force)
    _tell_problems(sources.file_of(source))


def _tell_problems(file: str | None) -> None:
    """Say what `check` finds in a question set."""
    from qaldgen.checking.check import check, summary
    from qaldgen.datasets.fetching import find_source
    from qaldgen.formats.file_content import is_rdf

    path = None if file is None else find_source(file)
    if path is None or stream_number(path) is not None or is_rdf(path):
        return
    found = summary([check(path, kind="questions")])
    click.echo(f"'qaldgen check {shlex.quote(str(file))}': {found}", err=True)


def _for_people(found: Description, name: str, verbose: bool) -> str:
    """Return counts, languages, data sets, ready queries, and the most common properties."""
    from qaldgen.reports.tables.results import dump_frame
    from qaldgen.selection.description import labels_of_properties

    languages = ", ".join(
        f"{tag or 'without a tag'} ({count:,})" for tag, count in found.languages.items()
    )
    lines = [f"{found.questions:,} questions in {name}", f"languages: {languages or 'none'}"]
    if len(found.data_sets):
        lines.append(
            "data sets: "
            + ", ".join(f"{name} ({count:,})" for name, count in found.data_sets.items())
        )
    fits = found.queries[found.queries > 0]
    lines.append(
        "ready-made queries that fit: "
        + (", ".join(f"{name} ({count:,})" for name, count in fits.items()) or "none")
    )
    shown = found.properties if verbose else found.properties[found.properties["share"] > 0]
    constant = 0
    if not verbose:  # what all questions have alike tells none from another
        alike = (shown["values"] == 1) & (shown["share"] == 1)
        constant, shown = int(alike.sum()), shown[~alike]
    table = shown.sort_values("share", ascending=False, kind="stable").reset_index()
    table["share"] = [f"{share:.0%}" for share in table["share"]]
    table.insert(1, "meaning", labels_of_properties(table["property"]))
    if not verbose:
        table = table.drop(columns="questions")
    text = "\n".join(lines) + "\n\n" + dump_frame(table, "text")
    left = f"{constant} properties that are the same for all questions: see --verbose\n"
    return text + left * bool(constant)
