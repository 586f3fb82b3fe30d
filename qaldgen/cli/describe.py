"""``qaldgen describe``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from qaldgen.cli.printing import notes
from qaldgen.cli.scoring import reading_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.sources import data_argument, file_of, source_of, source_options
from qaldgen.cli.verb import (
    Call,
    flag,
    given_options,
    listed_option,
    table_options,
    verb,
)
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_choice
from qaldgen.io.files import stream_number
from qaldgen.io.text import count

if TYPE_CHECKING:
    from qaldgen import Endpoint
    from qaldgen.selection.description import Description

#: The table whose rows bring options.
_SET_TABLES = "qaldgen.analysis.question_sets:SET_TABLES"


@verb(rows={"table": _SET_TABLES}, epilog="Example: qaldgen describe features.ttl")
@source_options(data_argument, "A SPARQL endpoint instead of DATA.")
@click.argument("more", nargs=-1, metavar="[DATA]...")
@listed_option("--table", table="set-tables", help="Print a table of question sets instead.")
@options_of("qaldgen.analysis.question_sets:read_sets", "language")
@reading_options("set_format")
@flag("--verbose", help="List all properties, with their technical names.")
@table_options()
def command(call: Call) -> None:
    """Describe the contents of a question file.

    Prints its properties, data sets, languages, and the ready-made queries that fit.

    DATA is RDF, a question set in any format that 'annotate' reads, or the name of a public set.
    Several question sets are compared in a table, see --table.
    """
    source = source_of(call, call.data)
    data = file_of(source)
    names = [data, *call.more] if data is not None else []
    wanted = call.table is not None or len(names) > 1
    _check_table(call, wanted=wanted)
    call.check(*names)
    if wanted:
        if not names or call.verbose:
            raise UsageError(
                "tables are made from question sets; name them, and "
                "leave out --endpoint and --verbose"
            )
        _describe_sets(call, names)
    else:
        if source is None:
            raise UsageError("choose one data source: either a file, or an endpoint with -e URL")
        _describe(call, source)


def _table_of(call: Call) -> str:
    """Return the table that is made of several sets, if not another is asked for."""
    from qaldgen.analysis.question_sets import SET_TABLES

    return call.table or next(iter(SET_TABLES))


def _check_table(call: Call, *, wanted: bool) -> None:
    """Refuse options of tables that are not wanted, before anything is read."""
    from qaldgen.analysis.question_sets import SET_TABLES

    if call.table is not None:
        check_choice("--table", call.table, SET_TABLES)
    if not wanted:
        names = "lang set_format skip_broken split_answers"
        call.refuse(names, "only applies with --table; remove it")
    for option in given_options(_SET_TABLES):
        fit = [
            name
            for name, row in SET_TABLES.items()
            if option in {option.name for option in row.options}
        ]
        if not wanted or _table_of(call) not in fit:
            raise UsageError(
                f"--{option.replace('_', '-')} only applies with --table"
                f" {' or '.join(fit)}; remove it"
            )


def _describe_sets(call: Call, names: Sequence[str]) -> None:
    """Write the table of question sets that --table selects."""
    from qaldgen.analysis.question_sets import SET_TABLES, read_sets
    from qaldgen.datasets.fetching import find_source
    from qaldgen.formats.reading import Reading, reading_notes
    from qaldgen.reports.tables.results import dump_frame

    for name in names:
        find_source(name)
    read = read_sets(names, Reading(**call.of("load")), language=call.lang)
    for questions in read:
        notes(reading_notes(questions))
    row, given = SET_TABLES[_table_of(call)], given_options(_SET_TABLES)
    options = {option.name: given.get(option.name, option.default) for option in row.options}
    made, more = row.make(names, read, call.lang, **options)
    notes(more)
    call.write("\n".join(dump_frame(table, call.format) for table in made))


def _describe(call: Call, source: str | Endpoint) -> None:
    """Write what a file holds."""
    from qaldgen.selection.description import describe

    description = describe(source)
    notes(description.notes)
    if call.format != "text":
        call.write(description.properties.reset_index())
        return
    call.write(_for_people(description, file_of(source) or description.name, call.verbose))
    _tell_problems(file_of(source))


def _tell_problems(file: str | None) -> None:
    """Say what `check` finds in a question set, but for what takes longer than all the rest."""
    from qaldgen.checking.check import check, summary
    from qaldgen.datasets.fetching import find_source
    from qaldgen.formats.file_content import is_rdf

    path = None if file is None else find_source(file)
    if path is None or stream_number(path) is not None or is_rdf(path):
        return
    problems = summary([check(path, kind="questions", ignore=["language-other"])])
    verb = f"'qaldgen check {shlex.quote(str(file))}'"
    click.echo(f"{verb}: {problems}; it looks at languages, too", err=True)


def _for_people(description: Description, name: str, verbose: bool) -> str:
    """Return counts, languages, data sets, ready queries, and the most common properties."""
    from qaldgen.reports.tables.results import dump_frame
    from qaldgen.selection.description import labels_of_properties

    languages = ", ".join(
        f"{tag or 'without a tag'} ({count:,})" for tag, count in description.languages.items()
    )
    size = count(description.questions, "question")
    lines = [f"{size} in {name}", f"languages: {languages or 'none'}"]
    if len(description.data_sets):
        lines.append(
            "data sets: "
            + ", ".join(f"{name} ({count:,})" for name, count in description.data_sets.items())
        )
    fits = description.queries[description.queries > 0]
    lines.append(
        "ready-made queries that fit: "
        + (", ".join(f"{name} ({count:,})" for name, count in fits.items()) or "none")
    )
    shown = (
        description.properties
        if verbose
        else description.properties[description.properties["share"] > 0]
    )
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
