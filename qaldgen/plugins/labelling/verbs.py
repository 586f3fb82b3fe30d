"""``qaldgen label``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import click

from qaldgen.cli.output_files import write_outputs
from qaldgen.cli.printing import print_notes
from qaldgen.cli.scoring import gold_argument, read_gold, read_one_run, read_runs_of, runs_argument
from qaldgen.cli.shared_options import reading_options, shared
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, verb
from qaldgen.errors import UsageError
from qaldgen.options import OutputPath

_LABEL = "qaldgen.plugins.labelling.worksheet:label"
#: Endings of pages; a worksheet ends in .csv.
PAGES = (".html", ".htm")


class LabelledByHand(Protocol):
    """A worksheet of any kind."""

    def csv(self) -> str:
        """Return the worksheet with an empty column of labels."""

    def page(self, name: str) -> str:
        """Return a page that saves the worksheet under a name."""


class LabelOptions:
    """Command-line options of `label`.

    Attributes
    ----------
    agreement
        Treat GOLD and RUN as the worksheets of two labellers, and print how well they agree.
    output
        Worksheet (.csv), or a page to fill it in (.html).
    """

    agreement: bool = False
    output: Sequence[OutputPath] = ()


@verb(
    epilog="Example: qaldgen label questions.json mine.jsonl -n 60 -o worksheet.csv -o label.html"
)
@gold_argument
@runs_argument(required=True)
@options_of(_LABEL, "size", "purpose", "random_state", "language", "resume")
@options_of("read_run", "format", "answer_field", called={"format": "run_format"})
@options_of(LabelOptions)
@shared("force")
@reading_options("gold_format")
def command(call: Call) -> None:
    """Draw answers of a run to be labelled by hand.

    Labels are right (y), wrong (n), partly (p) or skip (s). 'qaldgen score GOLD RUN --labels
    worksheet.csv --proxy contains' extrapolates the labels to all answers. Label in the order of
    the sheet: if you stop early, what is labelled is a sample too.

    --for compare takes several RUNS, and asks first about the answers that decide which is better;
    'qaldgen compare GOLD RUNS --labels worksheet.csv' takes the labels.
    """
    from qaldgen.io.inputs import check_files
    from qaldgen.plugins.labelling.agreement import agree
    from qaldgen.plugins.labelling.worksheet import label

    check_worksheets(call.output)
    call.check()
    purpose = getattr(call, "for")  # a word of Python
    compares = not call.agreement and purpose == "compare"
    if len(call.runs) > 1 and not compares:
        raise UsageError(
            f"one run is labelled at a time, but the runs given are {len(call.runs)}; label each"
            " into a sheet of its own, or with --for compare what decides between them"
        )
    if call.agreement:
        check_files(call.gold, *call.runs)
        click.echo(str(agree(call.gold, *call.runs)))
        return
    gold = read_gold(call, call.gold)
    answers = (
        read_runs_of(call, gold, call.runs) if compares else read_one_run(call, gold, call.runs[0])
    )
    worksheet = label(gold, answers, **call.of(_LABEL))
    print_notes(worksheet.notes)
    click.echo(str(worksheet), err=True)
    write_worksheets(worksheet, call.output, force=call.force)


def write_worksheets(worksheet: LabelledByHand, outputs: Sequence[str], *, force: bool) -> None:
    """Write a worksheet and pages; a page saves its labels under the name of the worksheet."""
    outputs = outputs or ("-",)
    sheets = [Path(name).name for name in outputs if name.endswith(".csv")]
    sheet = sheets[0] if sheets else "worksheet.csv"
    contents = []
    for name in outputs:
        content = worksheet.page(sheet) if name.endswith(PAGES) else worksheet.csv()
        contents.append((name, content))
    write_outputs(contents, force=force)


def check_worksheets(outputs: Sequence[str]) -> None:
    """Refuse the name of a file that is neither a worksheet nor a page; ``-`` is a worksheet."""
    for name in outputs:
        if name != "-" and not name.endswith((".csv", *PAGES)):
            raise UsageError(
                "unknown extension; use .csv for a worksheet, .html for a page", where=name
            )
