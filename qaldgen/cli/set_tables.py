"""The tables of ``qaldgen describe`` over question sets."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli import checks, common, groups, output_files
from qaldgen.cli.verb import given_options, listed_option
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_choice

if TYPE_CHECKING:
    from qaldgen.analysis.question_sets import SetTable
    from qaldgen.formats.reading import Reading

#: The table whose rows bring options.
SET_TABLES = "qaldgen.analysis.question_sets:SET_TABLES"


@dataclasses.dataclass(frozen=True)
class TableOptions:
    """Which table."""

    table: str | None
    lang: str
    printed: str | None

    @property
    def name(self) -> str:
        """The table that is made of several sets, if not another is asked for."""
        from qaldgen.analysis import question_sets

        return self.table or next(iter(question_sets.SET_TABLES))

    def check(self, *, wanted: bool) -> None:
        """Refuse options of tables that are not wanted, before anything is read."""
        from qaldgen.analysis import question_sets

        if self.table is not None:
            check_choice("--table", self.table, question_sets.SET_TABLES)
        if not wanted:
            _refuse("--table", ("lang", "form_of_set", "skip_broken", "split_answers"))
        for option in given_options(SET_TABLES):
            fit = [
                name
                for name, row in question_sets.SET_TABLES.items()
                if option in {one.name for one in row.options}
            ]
            if not wanted or self.name not in fit:
                raise UsageError(
                    f"--{option.replace('_', '-')} only applies with --table"
                    f" {' or '.join(fit)}; remove it"
                )


def table_options() -> Callable[[Any], Any]:
    """Add the options; the command gets them as ``tables`` and ``reading``."""

    def add(command: Any) -> Any:  # noqa: ANN401 - what click takes
        reading = groups.reading_options(
            click.option(
                "--set-format",
                "form_of_set",
                metavar="NAME",
                help="For tables: format of DATA, if it is not recognised.",
            )
        )
        return groups.grouped("tables", TableOptions, *_OPTIONS)(reading(command))

    return add


_OPTIONS = (
    listed_option("--table", table="set-tables", metavar="NAME",
        help="Print a table of question sets instead."),
    click.option("--lang", default="en", show_default=True,
        help="For tables: language of the questions."),
    click.option("--printed", metavar="LIST",
        help="Print the numbers of questions that can give these percentages: 52.57,75.33"),
)  # fmt: skip


def _refuse(owner: str, names: Sequence[str]) -> None:
    context = click.get_current_context()
    for option in context.command.params:
        told = (
            option.name in names
            and context.get_parameter_source(option.name or "")
            is click.core.ParameterSource.COMMANDLINE
        )
        if told:
            raise UsageError(f"{max(option.opts, key=len)} only applies with {owner}; remove it")


def tell_denominators(printed: str, out: groups.Output) -> None:
    """Write the numbers of questions for which all the given percentages are possible."""
    from qaldgen.analysis.question_sets import denominators

    found = denominators(printed.split(","))
    told = ", ".join(map(str, found)) or "none"
    output_files.write_output(
        out.output,
        f"numbers of questions up to 1,000 that give all these percentages: {told}\n",
        force=out.force,
    )


def describe_sets(
    names: Sequence[str], tables: TableOptions, reading: Reading, out: groups.Output
) -> None:
    """Write the table of question sets that --table selects."""
    from qaldgen.analysis import question_sets
    from qaldgen.formats.reading import reading_notes
    from qaldgen.reports.tables.results import dump_frame

    checks.check_sets(*names)
    read = question_sets.read_sets(names, reading, language=tables.lang)
    for one in read:
        common.notes(reading_notes(one))
    row = question_sets.SET_TABLES[tables.name]
    made, told = row.make(names, read, tables.lang, **_options(row, given_options(SET_TABLES)))
    common.notes(told)
    output_files.write_output(
        out.output, "\n".join(dump_frame(one, out.form) for one in made), force=out.force
    )


def _options(row: SetTable, given: Mapping[str, object]) -> dict[str, object]:
    return {one.name: given.get(one.name, one.default) for one in row.options}
