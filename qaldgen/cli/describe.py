"""``qaldgen describe``."""

from __future__ import annotations

from typing import Annotated

import click

from qaldgen.cli.printing import print_notes, printing_notes
from qaldgen.cli.shared_options import (
    as_data,
    data_argument,
    file_of,
    reading_options,
    require_source,
    source_of,
    source_options,
    table_options,
)
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, verb
from qaldgen.errors import UsageError
from qaldgen.io.text import count
from qaldgen.options import OneOf, option_values

#: The table whose rows bring options.
_SET_TABLES = "qaldgen.analysis.question_sets:SET_TABLES"


class DescribeOptions:
    """Command-line options of `describe`.

    Attributes
    ----------
    table
        Print a table of question sets instead.
    verbose
        List all properties, with their technical names.
    """

    table: Annotated[str, OneOf("set-tables")] | None = None
    verbose: bool = False


@verb(rows={"table": _SET_TABLES}, epilog="Example: qaldgen describe features.ttl")
@source_options(data_argument)
@click.argument("more", nargs=-1, metavar="[DATA]...")
@options_of(DescribeOptions, "table")
@options_of("qaldgen.analysis.question_sets:read_sets", "language")
@reading_options("set_format")
@options_of(DescribeOptions, "verbose")
@table_options()
def command(call: Call) -> None:
    """Describe the contents of a question file.

    Prints its properties, data sets, languages, and the ready-made queries that fit.

    DATA is RDF, a question set in any format that 'annotate' reads, or the name of a public set.
    Several question sets are compared in a table, see --table.
    """
    from qaldgen.analysis.question_sets import SET_TABLES, read_sets
    from qaldgen.questions.fetching import find_source
    from qaldgen.questions.reading import reading_notes
    from qaldgen.reports.tables.results import dump_frame
    from qaldgen.selection.description import describe, description_lines, distinguishing_properties

    source = source_of(call, call.data)
    data = file_of(source)
    names = [data, *call.more] if data is not None else []
    # several sets are compared in the first table unless another one is named
    table = call.table or next(iter(SET_TABLES))
    options = option_values("--table", table, SET_TABLES, call.row_options(_SET_TABLES))
    call.check(*names)
    if call.table is not None or len(names) > 1:
        if not names or call.verbose:
            raise UsageError(
                "tables are made from question sets; name them, and leave out --endpoint and"
                " --verbose"
            )
        for name in names:
            find_source(name)
        sets = read_sets(names, call.of("load"), language=call.lang)
        for questions in sets:
            print_notes(reading_notes(questions))
        with printing_notes():
            frames = SET_TABLES[table].make(names, sets, call.lang, **options)
        call.write("\n".join(dump_frame(frame, call.format) for frame in frames))
        return

    # one file or endpoint: its properties, and for people its size, languages and fitting queries
    language = {"language": call.lang} if call.given("lang") else {}
    description = describe(as_data(call, require_source(source), **language))
    print_notes(description.notes)
    if call.format != "text":
        call.write(description.properties.reset_index())
        return
    heading = f"{count(description.questions, 'question')} in {data or description.name}"
    lines = [heading, *description_lines(description)]
    properties, alike = distinguishing_properties(description, verbose=call.verbose)
    text = "\n".join([*lines, "", dump_frame(properties, "text")])
    if alike:
        text += f"{alike} properties that are the same for all questions: see --verbose\n"
    call.write(text)
