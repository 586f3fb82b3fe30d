"""``qaldgen describe``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files, set_tables
from qaldgen.commands.verb import verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Description
    from qaldgen.api.questions import Reading


@verb(rows={"table": set_tables.SET_TABLES}, epilog="Example: qaldgen describe features.ttl")
@groups.source_options(click.argument("data", required=False), "A SPARQL endpoint instead of DATA.")
@click.argument("more", nargs=-1, metavar="[DATA]...")
@set_tables.table_options()
@click.option("--verbose", is_flag=True, help="List all properties, with their technical names.")
@groups.table_options()
def command(
    source: groups.SourceOptions, more: tuple[str, ...], tables: set_tables.TableOptions,
    reading: Reading, verbose: bool, out: groups.Output,
) -> None:  # fmt: skip
    """Describe the contents of a question file.

    Prints its properties, data sets, languages, and the ready-made queries that fit.

    DATA is RDF, a question set in any format that 'annotate' reads, or the name of a public set.
    Several question sets are compared in a table, see --table.
    """
    api.checks.check_table_form(out.form)
    names = [source.data, *more] if source.data is not None else []
    output_files.check_outputs([out.output], force=out.force, inputs=names)
    wanted = tables.table is not None or len(names) > 1
    tables.check(wanted=wanted)
    if tables.printed is not None:
        if names or wanted or source.endpoint:
            raise UsageError(
                "--printed needs only its numbers; leave out DATA and the other options"
            )
        set_tables.tell_denominators(tables.printed, out)
    elif wanted:
        if not names or source.endpoint or verbose:
            raise UsageError(
                "tables are made from question sets; name them, and "
                "leave out --endpoint and --verbose"
            )
        set_tables.describe_sets(names, tables, reading, out)
    else:
        _describe(source, verbose, out)


def _describe(source: groups.SourceOptions, verbose: bool, out: groups.Output) -> None:
    """Write what a file holds."""
    with common.clock("reading"):
        opened = (
            common.open_source(source)
            if source.endpoint or source.data is None
            else api.selecting.open_any(str(source.data))
        )
        found = api.selecting.describe(opened)
    common.notes(found.notes)
    if out.form != "text":
        output_files.write_output(
            out.output,
            api.tables.dump_frame(found.properties.reset_index(), out.form),
            force=out.force,
        )
        return
    output_files.write_output(
        out.output, _for_people(found, source.data or found.name, verbose), force=out.force
    )


def _for_people(found: Description, name: str, verbose: bool) -> str:
    """Return counts, languages, data sets, ready queries, and the most common properties."""
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
    table = shown.sort_values("share", ascending=False, kind="stable").reset_index()
    table["share"] = [f"{share:.0%}" for share in table["share"]]
    table.insert(1, "meaning", api.selecting.labels_of_properties(table["property"]))
    if not verbose:
        table = table.drop(columns="questions")
    return "\n".join(lines) + "\n\n" + api.tables.dump_frame(table, "text")
