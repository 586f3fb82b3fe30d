"""``qaldgen describe``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen import QuestionSet
    from qaldgen.api.questions import Reading


@dataclasses.dataclass(frozen=True)
class Wanted:
    """Which tables, and the choices that PolQA's paper leaves open."""

    taxonomy: bool
    passages: bool
    types: bool
    title: bool
    by_question: bool
    printed: str | None


@click.command(epilog="Example: qaldgen describe poleval/dev-0 poleval/test-A --lang pl --taxonomy")
@click.argument("sets", nargs=-1)
@groups.grouped(
    "wanted",
    Wanted,
    click.option("--taxonomy", is_flag=True, help="How questions are put and what they seek (PolQA); Polish and English."),
    click.option("--passages", is_flag=True, help="Of PolQA's rows: passages by strategy, and overlap of words (Tables 1, 3)."),
    click.option("--types", is_flag=True, help="Overlap: each different word counts once."),
    click.option("--title", is_flag=True, help="Overlap: the title belongs to the passage."),
    click.option("--by-question", is_flag=True, help="Overlap: the mean over questions, not over pairs."),
    click.option("--printed", metavar="LIST", help="Say for how many questions all these percentages can be: 52.57,75.33,..."),
)
@click.option("--lang", default="en", show_default=True, help="The language whose wordings are looked at.")
@groups.reading_options(
    click.option("--set-format", "form_of_set", metavar="NAME", help="The format of the sets, where it is not recognised.")
)
@groups.table_options()
def command(sets: tuple[str, ...], wanted: Wanted, lang: str, reading: Reading, out: groups.Output) -> None:
    """Say what question sets hold: lengths, variants of answers, numbers, duplicates within and across the sets."""
    api.checks.check_table_form(out.form)
    if wanted.printed is not None:
        _denominators(wanted.printed, sets)
        return
    if not sets:
        raise UsageError("name the question sets to describe")
    common.check_outputs([out.output], force=out.force, inputs=sets)
    api.checks.check_sets(*sets)
    read = api.describing.read_sets(sets, reading, language=lang)
    for one in read:
        common.notes(api.questions.notes_on(one))
    tables = _tables(sets, read, wanted, lang)
    common.write_output(out.output, "\n".join(api.tables.dump_frame(one, out.form) for one in tables), force=out.force)


def _denominators(printed: str, sets: tuple[str, ...]) -> None:
    if sets:
        raise UsageError("--printed is about numbers alone; leave out the question sets")
    found = api.describing.denominators(printed.split(","))
    told = ", ".join(map(str, found)) or "none"
    click.echo(f"numbers of questions up to 1,000 that give all these percentages: {told}")


def _tables(sets: tuple[str, ...], read: list[QuestionSet], wanted: Wanted, lang: str) -> list[pd.DataFrame]:
    """Return the tables that are wanted, and tell the notes."""
    if wanted.taxonomy and wanted.passages:
        raise UsageError("--taxonomy and --passages are different tables; ask for one at a time")
    if wanted.taxonomy:
        return [api.describing.taxonomy(read, language=lang)]
    if wanted.passages:
        found: list[pd.DataFrame] = []
        for name, one in zip(sets, read, strict=True):
            if one.format != "polqa":
                raise UsageError(f"{name}: has no passages in PolQA's columns; leave out --passages")
            found += api.describing.describe_polqa(
                name, one, types=wanted.types, title=wanted.title, by_question=wanted.by_question
            )
        common.notes(_PRINTED)
        return found
    described = api.describing.describe_sets(read, language=lang)
    common.notes(described.notes)
    return [described.table]


_PRINTED = (
    "PolQA prints its Tables 5 and 6 for splits of 1,000 questions; but the only number up to 1,000 that gives all 21 "
    "percentages of Table 5 is 896, and of Table 6 919: probably the questions with a known passage",
)
