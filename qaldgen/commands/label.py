"""``qaldgen label``."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

import qaldgen
from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.verb import listed_option, verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.api.questions import Reading

#: Endings of pages; a worksheet ends in .csv.
PAGES = (".html", ".htm")


@dataclasses.dataclass(frozen=True)
class Sample:
    """How many answers are labelled, and which."""

    size: int
    seed: int
    lang: str
    run_format: str | None
    resume: str | None
    agreement: bool
    outputs: tuple[str, ...]
    force: bool


@verb(
    epilog="Example: qaldgen label questions.json mine.jsonl -n 60 -o worksheet.csv -o label.html"
)
@click.argument("gold")
@click.argument("run")
@groups.grouped(
    "sample",
    Sample,
    click.option(
        "-n",
        "--size",
        default=60,
        show_default=True,
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of answers to label.",
    ),
    click.option(
        "--seed", default=0, show_default=True, type=groups.SEED, help="Seed of the sample."
    ),
    click.option("--lang", default="en", show_default=True, help="Language of the texts to show."),
    listed_option(
        "--run-format",
        table="runs",
        metavar="NAME",
        help="Format of RUN, if it is not recognised.",
    ),
    click.option(
        "--resume",
        metavar="FILE",
        help="Partly labelled worksheet of this sample; the page continues from it.",
    ),
    click.option(
        "--agreement",
        is_flag=True,
        help="Treat GOLD and RUN as the worksheets of two labellers, and print how well they "
        "agree.",
    ),
    click.option(
        "-o",
        "--output",
        "outputs",
        multiple=True,
        metavar="FILE",
        help="Worksheet (.csv), or a page to fill it in (.html). Repeatable.",
    ),
    groups.force_option,
)
@groups.reading_options(
    click.option(
        "--gold-format",
        "form_of_set",
        metavar="NAME",
        help=("Format of GOLD, if it is not recognised; 'qaldgen annotate --help' lists them."),
    )
)
def command(gold: str, run: str, sample: Sample, reading: Reading) -> None:
    """Draw answers of a run to be labelled by hand: right (y), wrong (n), partly (p) or skip (s).

    'qaldgen score GOLD RUN --labels worksheet.csv --proxy contains' extrapolates the labels to
    all answers. Label in the order of the sheet: if you stop early, what is labelled is a sample
    too.
    """
    if sample.agreement:
        api.checks.check_files(gold, run)
        click.echo(str(api.labelling.agree(gold, run)))
        return
    api.checks.check_set_form(reading.format)
    api.checks.check_run_form(sample.run_format)
    check_worksheets(sample.outputs)
    output_files.check_outputs(
        sample.outputs, force=sample.force, inputs=[gold, run, sample.resume]
    )
    api.checks.check_files(run, sample.resume)
    asked = api.questions.read_gold(gold, reading, language=sample.lang)
    common.notes(api.questions.notes_on(asked.questions))
    answers = qaldgen.read_run(
        run, format=sample.run_format, gold=asked.questions, language=sample.lang
    )
    common.notes(answers.notes)
    made = api.labelling.label(
        asked,
        answers,
        sample.size,
        language=sample.lang,
        random_state=sample.seed,
        resume=sample.resume,
    )
    lacking = made.questions - made.answers
    told = (
        f"; the other {lacking:,} of {made.questions:,} questions have no answer, which counts "
        f"as wrong"
        if lacking
        else ""
    )
    click.echo(f"{len(made.items)} of {made.answers:,} answers are to be labelled{told}", err=True)
    outputs = sample.outputs or ("-",)
    # The page offers the labels as a download under the name that `score --labels` will be given.
    sheet = next((Path(name).name for name in outputs if name.endswith(".csv")), "worksheet.csv")
    output_files.write_outputs(
        [(name, made.page(sheet) if name.endswith(PAGES) else made.csv()) for name in outputs],
        force=sample.force,
    )


def check_worksheets(outputs: Sequence[str]) -> None:
    """Raise UsageError if the extension of a file is that of neither a worksheet nor a page.

    Parameters
    ----------
    outputs
        Names of files; ``-`` is a worksheet.
    """
    wrong = next(
        (name for name in outputs if name != "-" and not name.endswith((".csv", *PAGES))), None
    )
    if wrong is not None:
        raise UsageError(f"{wrong}: unknown extension; use .csv for a worksheet, .html for a page")
