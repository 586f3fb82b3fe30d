"""``qaldgen label``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen.cli import common, groups, output_files
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import listed_option, verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.formats.reading import Reading

#: Endings of pages; a worksheet ends in .csv.
PAGES = (".html", ".htm")


@verb(
    epilog="Example: qaldgen label questions.json mine.jsonl -n 60 -o worksheet.csv -o label.html"
)
@click.argument("gold")
@click.argument("run")
@options_of(
    "qaldgen.analysis.labelling.worksheet:label",
    "size",
    "random_state",
    "language",
    short={"size": "-n"},
)
@listed_option(
    "--run-format", table="runs", metavar="NAME", help="Format of RUN, if it is not recognised."
)
@options_of("qaldgen.analysis.labelling.worksheet:label", "resume")
@click.option(
    "--agreement",
    is_flag=True,
    help="Treat GOLD and RUN as the worksheets of two labellers, and print how well they agree.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    help="Worksheet (.csv), or a page to fill it in (.html). Repeatable.",
)
@groups.force_option
@groups.reading_options(
    click.option(
        "--gold-format",
        "form_of_set",
        metavar="NAME",
        help=("Format of GOLD, if it is not recognised; 'qaldgen annotate --help' lists them."),
    )
)
def command(
    gold: str,
    run: str,
    size: int,
    random_state: int,
    language: str,
    run_format: str | None,
    resume: str | None,
    agreement: bool,
    outputs: tuple[str, ...],
    force: bool,
    reading: Reading,
) -> None:
    """Draw answers of a run to be labelled by hand.

    Labels are right (y), wrong (n), partly (p) or skip (s). 'qaldgen score GOLD RUN --labels
    worksheet.csv --proxy contains' extrapolates the labels to all answers. Label in the order of
    the sheet: if you stop early, what is labelled is a sample too.
    """
    from qaldgen.analysis.labelling.estimate import agree
    from qaldgen.analysis.labelling.worksheet import label
    from qaldgen.cli.checks import check_files, check_run_form, check_set_form
    from qaldgen.formats.reading import reading_notes
    from qaldgen.runs.reading import read_run
    from qaldgen.scoring.gold import load_gold

    if agreement:
        check_files(gold, run)
        click.echo(str(agree(gold, run)))
        return
    check_set_form(reading.format)
    check_run_form(run_format)
    check_worksheets(outputs)
    output_files.check_outputs(outputs, force=force, inputs=[gold, run, resume])
    check_files(run, resume)
    asked = load_gold(gold, language=language, **reading._asdict())
    common.notes(reading_notes(asked.questions))
    answers = read_run(run, format=run_format, gold=asked.questions, language=language)
    common.notes(answers.notes)
    made = label(asked, answers, size, random_state=random_state, language=language, resume=resume)
    lacking = made.questions - made.answers
    others = (
        f"; the other {lacking:,} of {made.questions:,} questions have no answer, which counts "
        f"as wrong"
        if lacking
        else ""
    )
    first = (
        f" (guesses first: {made.guesses} of {made.all_guesses:,}; sure verdicts:"
        f" {len(made.items) - made.guesses} of {made.answers - made.all_guesses:,})"
        if made.all_guesses
        else ""
    )
    click.echo(
        f"{len(made.items)} of {made.answers:,} answers are to be labelled{first}{others}", err=True
    )
    outputs = outputs or ("-",)
    # The page offers the labels as a download under the name that `score --labels` will be given.
    sheet = next((Path(name).name for name in outputs if name.endswith(".csv")), "worksheet.csv")
    output_files.write_outputs(
        [(name, made.page(sheet) if name.endswith(PAGES) else made.csv()) for name in outputs],
        force=force,
    )


def check_worksheets(outputs: Sequence[str]) -> None:
    """Refuse the name of a file that is neither a worksheet nor a page; ``-`` is a worksheet."""
    wrong = next(
        (name for name in outputs if name != "-" and not name.endswith((".csv", *PAGES))), None
    )
    if wrong is not None:
        raise UsageError(f"{wrong}: unknown extension; use .csv for a worksheet, .html for a page")
