"""The tables of ``qaldgen describe`` over question sets.

Those of PolEval 2021 and PolQA, for any sets.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen import QuestionSet
    from qaldgen.api.questions import Reading

_OVERLAP = ("types", "title", "by_question")
_PRINTED = (
    (
        "PolQA prints its Tables 5 and 6 for splits of 1,000 questions; but the only number up to"
        " 1,000 that gives all 21 percentages of Table 5 is 896, and of Table 6 919: probably the"
        " questions with a known passage"
    ),
)


@dataclasses.dataclass(frozen=True)
class TableOptions:
    """Which table, and the choices that PolQA's paper leaves open."""

    table: str | None
    lang: str
    types: bool
    title: bool
    by_question: bool
    printed: str | None

    def check(self, *, wanted: bool) -> None:
        """Refuse options of tables that are not wanted, before anything is read."""
        if not wanted:
            _refuse("--table", ("lang", "form_of_set", "skip_broken", "split_answers"))
        if self.table != "passages":
            _refuse("--table passages", _OVERLAP)


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
    click.option(
        "--table", type=click.Choice(["sets", "taxonomy", "passages"]),
        help=("Print a table instead. sets: lengths, answer variants, numbers, duplicates "
            "(the default for several DATA). taxonomy: the form of questions and what they ask "
            "for (PolQA; Polish and English). passages: passages by strategy, and word overlap, "
            "from PolQA's files."),
    ),
    click.option("--lang", default="en", show_default=True,
        help="For tables: language of the questions."),
    click.option("--types", is_flag=True, help="For overlap: count each distinct word once."),
    click.option("--title", is_flag=True, help="For overlap: include the title in the passage."),
    click.option("--by-question", is_flag=True,
        help="For overlap: average over questions instead of pairs."),
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
    """Write the numbers of questions for which all the given percentages are possible.

    Parameters
    ----------
    printed
        Percentages with commas, with as many decimals as they were printed with.
    out
        Where to write the line.
    """
    found = api.describing.denominators(printed.split(","))
    told = ", ".join(map(str, found)) or "none"
    output_files.write_output(
        out.output,
        f"numbers of questions up to 1,000 that give all these percentages: {told}\n",
        force=out.force,
    )


def describe_sets(
    names: Sequence[str], tables: TableOptions, reading: Reading, out: groups.Output
) -> None:
    """Write the table of question sets that --table selects.

    Parameters
    ----------
    names
        Files or catalogue names, in the order of the rows.
    tables
        Which table, and its options.
    reading
        How to read the sets.
    out
        Where and in which format to write.
    """
    api.checks.check_sets(*names)
    read = api.describing.read_sets(names, reading, language=tables.lang)
    for one in read:
        common.notes(api.questions.notes_on(one))
    made = _made(names, read, tables)
    output_files.write_output(
        out.output, "\n".join(api.tables.dump_frame(one, out.form) for one in made), force=out.force
    )


def _made(
    names: Sequence[str], read: list[QuestionSet], tables: TableOptions
) -> list[pd.DataFrame]:
    """Return the tables that --table selects, and print their notes."""
    if tables.table == "taxonomy":
        return [api.describing.taxonomy(read, language=tables.lang)]
    if tables.table != "passages":
        described = api.describing.describe_sets(read, language=tables.lang)
        common.notes(described.notes)
        return [described.table]
    found: list[pd.DataFrame] = []
    for name, one in zip(names, read, strict=True):
        if one.format != "polqa":
            raise UsageError(f"{name}: has no passages in PolQA's columns; choose another --table")
        found += api.describing.describe_polqa(
            name, one, types=tables.types, title=tables.title, by_question=tables.by_question
        )
    common.notes(_PRINTED)
    return found
