"""``qaldgen describe``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import click

from qaldgen.cli.printing import notes, noting
from qaldgen.cli.shared_options import (
    as_read,
    chosen,
    data_argument,
    file_of,
    reading_options,
    source_of,
    source_options,
    table_options,
)
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, given_options, verb
from qaldgen.errors import UsageError
from qaldgen.options import OneOf, resolve

if TYPE_CHECKING:
    from qaldgen import Endpoint
    from qaldgen.analysis.question_sets import SetTable

#: The table whose rows bring options.
_SET_TABLES = "qaldgen.analysis.question_sets:SET_TABLES"


class DescribeOptions:
    """What only the command line has.

    Attributes
    ----------
    table
        Print a table of question sets instead.
    verbose
        List all properties, with their technical names.
    """

    table: Annotated[str, OneOf("set-tables")] | None = None
    verbose: bool = False


OWN = f"{__name__}:DescribeOptions"
#: The options that say how a question set is read.


@verb(rows={"table": _SET_TABLES}, epilog="Example: qaldgen describe features.ttl")
@source_options(data_argument)
@click.argument("more", nargs=-1, metavar="[DATA]...")
@options_of(OWN, "table")
@options_of("qaldgen.analysis.question_sets:read_sets", "language")
@reading_options("set_format")
@options_of(OWN, "verbose")
@table_options()
def command(call: Call) -> None:
    """Describe the contents of a question file.

    Prints its properties, data sets, languages, and the ready-made queries that fit.

    DATA is RDF, a question set in any format that 'annotate' reads, or the name of a public set.
    Several question sets are compared in a table, see --table.
    """
    from qaldgen.analysis.question_sets import SET_TABLES

    source = source_of(call, call.data)
    data = file_of(source)
    names = [data, *call.more] if data is not None else []
    wanted = call.table is not None or len(names) > 1
    # The first table is made of several sets if not another is asked for.
    table = call.table or next(iter(SET_TABLES))
    options = resolve("--table", table, SET_TABLES, given_options(_SET_TABLES))
    call.check(*names)
    if not wanted:
        _describe(call, chosen(source))
    elif not names or call.verbose:
        raise UsageError(
            "tables are made from question sets; name them, and leave out --endpoint and --verbose"
        )
    else:
        _describe_sets(call, names, SET_TABLES[table], options)


def _describe_sets(
    call: Call, names: Sequence[str], row: SetTable, options: Mapping[str, Any]
) -> None:
    """Write the table of question sets that --table selects."""
    from qaldgen.analysis.question_sets import read_sets
    from qaldgen.questions.fetching import find_source
    from qaldgen.questions.reading import reading_notes
    from qaldgen.reports.tables.results import dump_frame

    for name in names:
        find_source(name)
    read = read_sets(names, call.of("load"), language=call.lang)
    for questions in read:
        notes(reading_notes(questions))
    with noting():
        tables = row.make(names, read, call.lang, **options)
    call.write("\n".join(dump_frame(table, call.format) for table in tables))


def _describe(call: Call, source: str | Endpoint) -> None:
    """Write what a file holds."""
    from qaldgen.reports.tables.results import dump_frame
    from qaldgen.selection.description import describe, lines_of, properties_for_people

    language = {"language": call.lang} if call.given("lang") else {}
    description = describe(as_read(call, source, **language))
    notes(description.notes)
    if call.format != "text":
        call.write(description.properties.reset_index())
        return
    lines = lines_of(description, file_of(source) or description.name)
    table, alike = properties_for_people(description, verbose=call.verbose)
    left = f"{alike} properties that are the same for all questions: see --verbose\n"
    call.write("\n".join([*lines, "", dump_frame(table, "text")]) + left * bool(alike))
